"""What happens in a match of Art Decko, and a view of it, in words."""

from collections.abc import Iterator
from typing import Final

from artreferee.v1 import art_decko_pb2 as pb
from artreferee.v1 import ruleset_pb2
from clients.terminal.drawing.drawing import View
from clients.terminal.drawing.told.art_decko import ArtDeckoTold
from clients.terminal.words import marked

_TRIGGERS: Final = {
    pb.ART_DECKO_TRIGGER_MUSEUM: marked("the museum is full"),
    pb.ART_DECKO_TRIGGER_PAINTING_DECK: marked("the painting deck is empty"),
    pb.ART_DECKO_TRIGGER_RATING: marked("a rating is at its cap"),
}


class ArtDeckoLog(ArtDeckoTold):
    """The part of a drawing that tells events and views."""

    def _happened(self, event: ruleset_pb2.GameEvent) -> list[str]:
        own = event.art_decko
        match own.WhichOneof("event"):
            case "galleries_filled":
                return self._filled(own.galleries_filled)
            case "game_scored":
                return [self._points(seat, points) for seat, points in enumerate(own.game_scored.points)]
            case "purchase_begun" | "card_paid" | "card_acquired" | "painting_exhibited" | "painting_chosen":
                return [self._deal(own)]
            case "turn_begun" | "last_round_begun" | "bank_refilled" | "rating_raised":
                return [self._public(own)]
            case _:
                return [self._hand_changed(own)]

    def _public(self, own: pb.ArtDeckoEvent) -> str:
        told = self._words.told
        match own.WhichOneof("event"):
            case "turn_begun":
                begun = own.turn_begun
                return told("{seat}'s turn, round {round}.", seat=self._name(begun.seat), round=begun.round)
            case "last_round_begun":
                why = "; ".join(told(_TRIGGERS[trigger]) for trigger in own.last_round_begun.triggers)
                return told("This is the last round: {why}.", why=why)
            case "bank_refilled":
                return told("The bank offers {card}.", card=self._card(own.bank_refilled.card))
            case _:
                raised = own.rating_raised
                return told("{rating} rises to {value}.", rating=self._rating(raised.rating), value=raised.value)

    def _deal(self, own: pb.ArtDeckoEvent) -> str:
        told = self._words.told
        match own.WhichOneof("event"):
            case "painting_chosen":
                chosen = own.painting_chosen
                return told("{seat} lays out {style}.", seat=self._name(chosen.seat), style=self._style(chosen.style))
            case "purchase_begun":
                begun = own.purchase_begun
                seat, what = self._name(begun.seat), self._moved(begun.purchase)
                return told("{seat}: {what}, cost {cost}.", seat=seat, what=what, cost=begun.cost)
            case "card_paid":
                paid = own.card_paid
                seat, card = self._name(paid.seat), self._card(paid.card)
                return told("{seat} pays {card}, worth {value}.", seat=seat, card=card, value=paid.value)
            case "card_acquired":
                acquired = own.card_acquired
                return told("{seat} acquires {card}.", seat=self._name(acquired.seat), card=self._card(acquired.card))
            case _:
                hung = own.painting_exhibited
                return told(
                    "{seat} hangs {style} in exhibition {exhibition} for {vp} VP.",
                    seat=self._name(hung.seat),
                    style=self._style(hung.style),
                    exhibition=hung.exhibition,
                    vp=hung.vp,
                )

    def _hand_changed(self, own: pb.ArtDeckoEvent) -> str:
        told, counted = self._words.told, self._words.counted
        match own.WhichOneof("event"):
            case "card_haggled":
                haggled = own.card_haggled
                return told("{seat} haggles {card} away.", seat=self._name(haggled.seat), card=self._card(haggled.card))
            case "cards_drawn":
                drawn, seat = own.cards_drawn, self._name(own.cards_drawn.seat)
                return counted("{seat} draws {count} card.", "{seat} draws {count} cards.", drawn.cards, seat=seat)
            case "cards_seen":
                return told("You have drawn {cards}.", cards=self._listed(own.cards_seen.cards))
            case "deck_shuffled":
                shuffled, seat = own.deck_shuffled, self._name(own.deck_shuffled.seat)
                return counted(
                    "{seat} shuffles {count} card into a new deck.",
                    "{seat} shuffles {count} cards into a new deck.",
                    shuffled.cards,
                    seat=seat,
                )
            case "power_played":
                played = own.power_played
                return told("{seat} plays {power}.", seat=self._name(played.seat), power=self._power(played.power))
            case "card_removed":
                removed = own.card_removed
                seat, card = self._name(removed.seat), self._card(removed.card)
                return told("{seat} removes {card} from the game.", seat=seat, card=card)
            case _:
                discarded = own.card_discarded
                return told("{seat} discards {card}.", seat=self._name(discarded.seat), card=self._card(discarded.card))

    def _filled(self, filled: pb.ArtDeckoGalleriesFilled) -> list[str]:
        told = self._words.told
        costs = ", ".join(map(str, filled.costs))
        return [
            *(
                told(
                    "Gallery {gallery} gets {styles}.",
                    gallery=gallery,
                    styles=", ".join(map(self._style, added.styles)),
                )
                for gallery, added in enumerate(filled.galleries, 1)
                if added.styles
            ),
            told("The galleries cost {costs}.", costs=costs),
        ]

    def _points(self, seat: int, points: pb.ArtDeckoPoints) -> str:
        return self._words.told(
            "{seat}: museum {taken}, paintings {paintings}, gold {gold}, bonus {bonus}.",
            seat=self._name(seat),
            taken=points.taken,
            paintings=points.paintings,
            gold=points.gold,
            bonus=points.bonus,
        )

    def summary(self, view: View) -> list[str]:
        own = view.art_decko
        return [
            *self._turn(own),
            *self._offers(own),
            *(self._rated(rating) for rating in own.market),
            *(line for number, exhibition in enumerate(own.exhibitions, 1) for line in self._shown(number, exhibition)),
            *(line for seat in range(len(own.seats)) for line in self._owned(own, seat)),
            self._words.told("Out of the game: {cards}.", cards=self._counted(own.removed)),
        ]

    def _turn(self, own: pb.ArtDeckoView) -> Iterator[str]:
        told = self._words.told
        first = self._name(own.first_seat)
        yield told(
            "Round {round} of at most {rounds}; {seat} began.", round=own.round, rounds=own.max_rounds, seat=first
        )
        yield told("{status}.", status=self._status(own))
        yield told("Actions left: {actions}.", actions=own.actions)
        yield from (f"{text}." for text in self._pending(own))
        if own.HasField("seat"):
            yield told("Your hand: {cards}.", cards=self._listed(own.hand))

    def _pending(self, own: pb.ArtDeckoView) -> Iterator[str]:
        """Tells what else holds in this turn."""
        told = self._words.told
        if own.last_round:
            yield told("last round")
        if own.discounts:
            yield told("discounts {count}", count=own.discounts)
        if own.invited:
            yield told("open invitation")
        if own.HasField("painting"):
            yield told("laid out {style}", style=self._style(own.painting))

    def _offers(self, own: pb.ArtDeckoView) -> Iterator[str]:
        told, bank = self._words.told, own.bank
        for number, gallery in enumerate(own.galleries, 1):
            text = told(
                "Gallery {gallery}: {styles}; cost {cost}, raises by {rise}",
                gallery=number,
                styles=", ".join(map(self._style, gallery.paintings)) or told("nothing"),
                cost=gallery.cost,
                rise=gallery.rise,
            )
            yield told("{gallery}; used this turn.", gallery=text) if gallery.used else f"{text}."
        supply = ", ".join(map(str, own.supply)) or told("nothing")
        yield told("Cost tokens to come: {costs}; paintings left {count}.", costs=supply, count=own.paintings_left)
        yield told(
            "Bank: {cards}; cost {cost}, raises gold by {rise}, face down {count}.",
            cards=self._listed(bank.face_up),
            cost=bank.three_cost,
            rise=bank.three_rise,
            count=bank.stack_size,
        )
        yield told(
            "Bank: 5-gold; cost {cost}, raises gold by {rise}, left {count}.",
            cost=bank.five_cost,
            rise=bank.five_rise,
            count=bank.fives,
        )

    def _rated(self, rating: pb.ArtDeckoRatingValue) -> str:
        told, name = self._words.told, self._rating(rating.rating)
        if rating.gold_per_vp:
            return told(
                "{rating} at {value}: {gold} make 1 VP.", rating=name, value=rating.value, gold=rating.gold_per_vp
            )
        return told(
            "{rating} at {value}: pays {gold}, scores {vp}.",
            rating=name,
            value=rating.value,
            gold=rating.gold_value,
            vp=rating.painting_vp,
        )

    def _shown(self, number: int, exhibition: pb.ArtDeckoExhibition) -> Iterator[str]:
        told = self._words.told
        yield told(
            "Exhibition {number}: cost {cost}, VP {vp}, invites {markers}; bonus: {tile}.",
            number=number,
            cost=exhibition.cost,
            vp=", ".join(map(str, exhibition.vp)),
            markers=", ".join(map(self._marker, exhibition.markers)) or told("nothing"),
            tile=self._tile(exhibition.tile),
        )
        for painting, vp in zip(exhibition.paintings, exhibition.vp, strict=False):
            yield told(
                "In it for {vp}: {style} of {seat}, marker {marker}.",
                vp=vp,
                style=self._style(painting.style),
                seat=self._name(painting.seat),
                marker=self._marker(painting.marker),
            )

    def _owned(self, own: pb.ArtDeckoView, seat: int) -> Iterator[str]:
        told, state = self._words.told, own.seats[seat]
        yield told(
            "{seat}: VP {vp}, ribbons {ribbons}; cards in hand {hand}, in the deck {deck}; shuffles {shuffles}.",
            seat=self._name(seat),
            vp=state.vp,
            ribbons=state.ribbons,
            hand=state.hand_size,
            deck=state.deck_size,
            shuffles=state.shuffles,
        )
        yield told("Known in hand: {cards}.", cards=self._counted(state.kept))
        yield told("In the rest of hand and deck: {cards}.", cards=self._counted(state.pool))
        yield told("Discards: {cards}.", cards=self._counted(state.discards))
        if any(own.aside) and own.turn_seat == seat:
            yield told("Set aside: {cards}.", cards=self._counted(own.aside))
