"""Art Decko on the wire: enum numbers are the domain's indexes plus one; galleries, exhibitions, spaces are from 1."""

from collections.abc import Hashable, Iterable, Iterator
from typing import Final, assert_never

from artreferee.v1 import art_decko_pb2 as pb
from artreferee.v1 import ruleset_pb2
from referee.core.errors import InvalidOptionError, MalformedMoveError
from referee.core.game import Options
from referee.games.art_decko import events
from referee.games.art_decko.faults import COUNTS, SCORINGS
from referee.games.art_decko.game import ArtDecko
from referee.games.art_decko.parts import Power, Tile
from referee.games.art_decko.state import NONE, UNPAID
from referee.games.art_decko.view import View
from referee.wire.fragments import fields, inner, kept

_Style = pb.ArtDeckoStyle.ValueType
_Card = pb.ArtDeckoCard.ValueType
_Power = pb.ArtDeckoPower.ValueType
_Rating = pb.ArtDeckoRating.ValueType
_Marker = pb.ArtDeckoMarker.ValueType
_VIEW: Final = inner(ruleset_pb2.View, "art_decko")
_SINGLE: Final = fields(
    pb.ArtDeckoView,
    "seat",
    "phase",
    "turn_seat",
    "first_seat",
    "round",
    "max_rounds",
    "capped",
    "last_round",
    "actions",
    "discounts",
    "invited",
    "painting",
    "due",
    "least_paid",
    "next_card",
    "aside",
    "removed",
    "supply",
    "paintings_left",
)
_SEATS: Final = inner(pb.ArtDeckoView, "seats")
_SEAT: Final = fields(
    pb.ArtDeckoSeat, "hand_size", "deck_size", "shuffles", "vp", "ribbons", "kept", "pool", "discards"
)
_Trigger = pb.ArtDeckoTrigger.ValueType
_Scoring = pb.ArtDeckoScoring.ValueType
_Count = pb.ArtDeckoCount.ValueType


class ArtDeckoWire:
    """See `RulesetWire`."""

    plugin_move: Final = None

    def __init__(self, game: ArtDecko) -> None:
        self.game: Final = game
        self._parts: Final = game.parts
        self._tiles: Final = tuple(_tile(number, tile) for number, tile in enumerate(game.parts.tiles, 1))
        self._hand: Final = kept(_with_hand)
        self._bank: Final = kept(self._with_bank)
        self._seat: Final = kept(_with_seat)
        self._purchase: Final = kept(self._with_purchase)
        self._galleries: Final = kept(self._with_galleries)
        self._market: Final = kept(self._with_market)
        self._exhibition: Final = kept(self._with_exhibition)
        self._exhibitions: Final = kept(self._with_exhibitions)
        self._moves: Final = tuple(
            ruleset_pb2.Move(art_decko=self._move(move)) for move in range(game.spec.num_actions)
        )

    def options_from(self, message: ruleset_pb2.Options) -> Options:
        given = message.WhichOneof("ruleset")
        if given not in (None, "art_decko"):
            raise InvalidOptionError("options", f"are those of {given}, expected art_decko")
        return {field.name: value for field, value in message.art_decko.ListFields()}

    def options(self, options: Options) -> ruleset_pb2.Options:
        return ruleset_pb2.Options(art_decko=pb.ArtDeckoOptions(**options))

    def move_from(self, message: ruleset_pb2.Move) -> int:
        if message.WhichOneof("ruleset") != "art_decko":
            raise MalformedMoveError("is not a move of art_decko")
        return self._move_id(message.art_decko)

    def move(self, move: int) -> ruleset_pb2.Move:
        return self._moves[move]

    def event(self, event: events.ArtDeckoEvent) -> ruleset_pb2.GameEvent:
        return ruleset_pb2.GameEvent(art_decko=self._event(event))

    def view(self, view: View) -> ruleset_pb2.View:
        return ruleset_pb2.View.FromString(self.packed_view(view))

    def packed_view(self, view: View) -> bytes:
        turn, painting = view.turn if view.turn != NONE else None, view.painting + 1 if view.painting != NONE else None
        single = _SINGLE(
            view.seat,
            view.phase,
            turn,
            view.first,
            view.round,
            view.max_rounds,
            view.capped,
            view.last_round,
            view.actions,
            view.discounts,
            view.invited,
            painting,
            view.due,
            view.least if view.least != UNPAID else None,
            view.floor + 1,
            view.aside,
            view.removed,
            view.supply,
            view.paintings_left,
        )
        return _VIEW(b"".join((single, *self._recurring(view))))

    def _recurring(self, view: View) -> Iterator[bytes]:
        parts = self._parts
        yield self._hand(view.hand)
        yield self._bank(view.bank, view.stack_size, view.fives)
        yield self._market(view.market)
        yield self._galleries(view.galleries, view.costs, view.used)
        if view.buying != NONE:
            yield self._purchase(view.buying)
        for seat in range(view.seats):
            numbers = view.hand_sizes[seat], view.deck_sizes[seat], view.shuffles[seat], view.vp[seat]
            mine = slice(seat * parts.kinds, (seat + 1) * parts.kinds)
            cards = view.kept[mine], view.pool[mine], view.discards[mine]
            yield self._seat(*numbers, view.ribbons[seat], *cards)
        yield self._exhibitions(view.museum, view.markers, view.tiles)

    def view_from(self, message: ruleset_pb2.View) -> View:
        view, parts = message.art_decko, self._parts
        galleries, bank = bytearray(parts.width * parts.galleries), bytearray(len(Power))
        for place, gallery in enumerate(view.galleries):
            for style in gallery.paintings:
                galleries[(style - 1) * parts.galleries + place] += 1
        for card in view.bank.face_up:
            bank[card - 1 - parts.first_power] += 1
        museum, markers = self._museum_from(view.exhibitions)
        hand = bytearray(parts.kinds)
        for card in view.hand:
            hand[card - 1] += 1
        seats = view.seats
        return View(
            seat=view.seat if view.HasField("seat") else None,
            hand=bytes(hand),
            seats=len(seats),
            max_rounds=view.max_rounds,
            capped=view.capped,
            last_round=view.last_round,
            round=view.round,
            first=view.first_seat,
            phase=view.phase,
            turn=view.turn_seat if view.HasField("turn_seat") else NONE,
            actions=view.actions,
            used=sum(gallery.used << place for place, gallery in enumerate(view.galleries)),
            discounts=view.discounts,
            invited=view.invited,
            buying=self._move_id(view.purchase) if view.HasField("purchase") else NONE,
            painting=view.painting - 1 if view.HasField("painting") else NONE,
            due=view.due,
            least=view.least_paid if view.HasField("least_paid") else UNPAID,
            floor=view.next_card - 1,
            hand_sizes=bytes(seat.hand_size for seat in seats),
            kept=bytes(count for seat in seats for count in seat.kept),
            pool=bytes(count for seat in seats for count in seat.pool),
            deck_sizes=bytes(seat.deck_size for seat in seats),
            discards=bytes(count for seat in seats for count in seat.discards),
            shuffles=[seat.shuffles for seat in seats],
            aside=bytes(view.aside),
            removed=bytes(view.removed),
            galleries=bytes(galleries),
            costs=bytes(gallery.cost for gallery in view.galleries),
            supply=bytes(view.supply),
            paintings_left=view.paintings_left,
            bank=bytes(bank),
            stack_size=view.bank.stack_size,
            fives=view.bank.fives,
            market=bytes(rating.value for rating in view.market),
            museum=museum,
            markers=markers,
            tiles=bytes(exhibition.tile.number - 1 for exhibition in view.exhibitions),
            vp=[seat.vp for seat in seats],
            ribbons=bytes(seat.ribbons for seat in seats),
        )

    def _museum_from(self, exhibitions: Iterable[pb.ArtDeckoExhibition]) -> tuple[bytes, bytes]:
        parts, museum, markers = self._parts, bytearray(), bytearray()
        for exhibition in exhibitions:
            codes = bytes(parts.hung(hung.seat, hung.style - 1, hung.marker - 1) for hung in exhibition.paintings)
            museum += codes.ljust(parts.spaces, b"\0")
            free = [marker - 1 for marker in exhibition.markers]
            markers += bytes(free.count(marker) for marker in range(parts.markers))
        return bytes(museum), bytes(markers)

    def _with_bank(self, cards: bytes, stack_size: int, fives: int) -> pb.ArtDeckoView:
        parts = self._parts
        bank = pb.ArtDeckoBank(
            face_up=_cards(cards, parts.first_power),
            stack_size=stack_size,
            fives=fives,
            three_cost=parts.three_cost,
            five_cost=parts.five_cost,
            three_rise=parts.three_rise,
            five_rise=parts.five_rise,
        )
        return pb.ArtDeckoView(bank=bank)

    def _with_purchase(self, move: int) -> pb.ArtDeckoView:
        return pb.ArtDeckoView(purchase=self._moves[move].art_decko)

    def _with_galleries(self, paintings: bytes, costs: bytes, used: int) -> pb.ArtDeckoView:
        width = self._parts.galleries
        galleries = [
            pb.ArtDeckoGallery(
                paintings=_styles(style for style, count in enumerate(paintings[place::width]) for _ in range(count)),
                cost=cost,
                rise=self._parts.rises[place],
                used=bool(used >> place & 1),
            )
            for place, cost in enumerate(costs)
        ]
        return pb.ArtDeckoView(galleries=galleries)

    def _with_market(self, values: bytes) -> pb.ArtDeckoView:
        return pb.ArtDeckoView(market=[self._rating(rating, value) for rating, value in enumerate(values)])

    def _rating(self, rating: int, value: int) -> pb.ArtDeckoRatingValue:
        parts = self._parts
        if rating == parts.gold:
            return pb.ArtDeckoRatingValue(rating=_Rating(rating + 1), value=value, gold_per_vp=parts.gold_per_vp[value])
        return pb.ArtDeckoRatingValue(
            rating=_Rating(rating + 1),
            value=value,
            gold_value=parts.gold_value[value],
            painting_vp=parts.painting_vp[value],
        )

    def _with_exhibitions(self, museum: bytes, markers: bytes, tiles: bytes) -> bytes:
        parts = self._parts
        return b"".join(
            self._exhibition(
                exhibition,
                museum[exhibition * parts.spaces : (exhibition + 1) * parts.spaces],
                markers[exhibition * parts.markers : (exhibition + 1) * parts.markers],
                tile,
            )
            for exhibition, tile in enumerate(tiles)
        )

    def _with_exhibition(self, exhibition: int, spaces: bytes, markers: bytes, tile: int) -> pb.ArtDeckoView:
        parts = self._parts
        message = pb.ArtDeckoExhibition(
            cost=parts.exhibitions[exhibition].cost,
            vp=parts.exhibitions[exhibition].vp,
            markers=[_Marker(marker + 1) for marker, count in enumerate(markers) for _ in range(count)],
            paintings=[
                pb.ArtDeckoHungPainting(seat=seat, style=_Style(style + 1), marker=_Marker(marker + 1))
                for seat, style, marker in map(parts.hanging, filter(None, spaces))
            ],
            tile=self._tiles[tile],
        )
        return pb.ArtDeckoView(exhibitions=[message])

    def _move(self, move: int) -> pb.ArtDeckoMove:
        group, place = self._parts.groups[move]
        match group:
            case "haggle":
                return pb.ArtDeckoMove(haggle=pb.ArtDeckoHaggle(card=_Card(place + 1)))
            case "painting":
                style, gallery = divmod(place, self._parts.galleries)
                painting = pb.ArtDeckoAcquirePainting(style=_Style(style + 1), gallery=gallery + 1)
                return pb.ArtDeckoMove(acquire_painting=painting)
            case "three":
                gold = pb.ArtDeckoAcquireGold(card=_Card(self._parts.first_power + place + 1))
                return pb.ArtDeckoMove(acquire_gold=gold)
            case "five":
                return pb.ArtDeckoMove(acquire_gold=pb.ArtDeckoAcquireGold(card=_Card(self._parts.five_gold + 1)))
            case "exhibit":
                return pb.ArtDeckoMove(exhibit=pb.ArtDeckoExhibit(style=_Style(place + 1)))
            case "invite":
                exhibition, marker = divmod(place, self._parts.markers)
                accepted = pb.ArtDeckoAcceptInvitation(exhibition=exhibition + 1, marker=_Marker(marker + 1))
                return pb.ArtDeckoMove(accept_invitation=accepted)
            case "pay":
                return pb.ArtDeckoMove(pay=pb.ArtDeckoPay(card=_Card(place + 1)))
            case "power":
                return pb.ArtDeckoMove(play_power=pb.ArtDeckoPlayPower(power=_Power(place + 1)))
            case "promote":
                return pb.ArtDeckoMove(promote=pb.ArtDeckoPromote(rating=_Rating(place + 1)))
            case "deaccession":
                return pb.ArtDeckoMove(deaccession=pb.ArtDeckoDeaccession(card=_Card(place + 1)))
            case "discard":
                return pb.ArtDeckoMove(discard=pb.ArtDeckoDiscard(card=_Card(place + 1)))
        return pb.ArtDeckoMove(done=pb.ArtDeckoDone())

    def _move_id(self, move: pb.ArtDeckoMove) -> int:
        parts, ids = self._parts, self._parts.ids
        match move.WhichOneof("move"):
            case "haggle":
                return ids.haggle + _index(move.haggle.card, parts.kinds, "card")
            case "acquire_painting":
                style = _index(move.acquire_painting.style, parts.width, "style")
                gallery = _index(move.acquire_painting.gallery, parts.galleries, "gallery")
                return ids.painting + style * parts.galleries + gallery
            case "acquire_gold":
                return self._acquired_gold_id(move.acquire_gold.card)
            case "exhibit":
                return ids.exhibit + _index(move.exhibit.style, parts.width, "style")
            case "accept_invitation":
                exhibition = _index(move.accept_invitation.exhibition, len(parts.exhibitions), "exhibition")
                marker = _index(move.accept_invitation.marker, parts.markers, "marker")
                return ids.invite + exhibition * parts.markers + marker
            case "pay":
                return ids.pay + _index(move.pay.card, parts.kinds, "card")
            case "play_power":
                return ids.power + _index(move.play_power.power, len(Power), "power")
            case "promote":
                return ids.promote + _index(move.promote.rating, parts.width + 1, "rating")
            case "deaccession":
                return ids.deaccession + _index(move.deaccession.card, parts.kinds, "card")
            case "discard":
                return ids.discard + _index(move.discard.card, parts.kinds, "card")
            case "done":
                return ids.done
            case _:
                raise MalformedMoveError("is empty: set one of its fields, such as haggle or pay")

    def _acquired_gold_id(self, card: int) -> int:
        parts = self._parts
        kind = _index(card, parts.kinds, "card")
        if kind < parts.five_gold:
            raise MalformedMoveError(f"acquires {parts.kind_name(kind)}, expected a 3-gold or 5-gold")
        return parts.ids.five if kind == parts.five_gold else parts.ids.three + kind - parts.first_power

    def _event(self, event: events.ArtDeckoEvent) -> pb.ArtDeckoEvent:
        match event:
            case events.TurnBegun(seat, number):
                return pb.ArtDeckoEvent(turn_begun=pb.ArtDeckoTurnBegun(seat=seat, round=number))
            case events.CardHaggled(seat, kind):
                return pb.ArtDeckoEvent(card_haggled=pb.ArtDeckoCardHaggled(seat=seat, card=_Card(kind + 1)))
            case events.CardsDrawn(seat, cards):
                return pb.ArtDeckoEvent(cards_drawn=pb.ArtDeckoCardsDrawn(seat=seat, cards=cards))
            case events.CardsSeen(seat, kinds):
                seen = pb.ArtDeckoCardsSeen(seat=seat, cards=[_Card(kind + 1) for kind in kinds])
                return pb.ArtDeckoEvent(cards_seen=seen)
            case events.DeckShuffled(seat, cards):
                return pb.ArtDeckoEvent(deck_shuffled=pb.ArtDeckoDeckShuffled(seat=seat, cards=cards))
            case events.PaintingChosen(seat, style):
                return pb.ArtDeckoEvent(painting_chosen=pb.ArtDeckoPaintingChosen(seat=seat, style=_Style(style + 1)))
            case events.PurchaseBegun(seat, move, cost):
                begun = pb.ArtDeckoPurchaseBegun(seat=seat, purchase=self._moves[move].art_decko, cost=cost)
                return pb.ArtDeckoEvent(purchase_begun=begun)
            case events.CardPaid(seat, kind, value):
                return pb.ArtDeckoEvent(card_paid=pb.ArtDeckoCardPaid(seat=seat, card=_Card(kind + 1), value=value))
            case events.CardAcquired(seat, kind, gallery):
                place = gallery + 1 if gallery != NONE else None
                acquired = pb.ArtDeckoCardAcquired(seat=seat, card=_Card(kind + 1), gallery=place)
                return pb.ArtDeckoEvent(card_acquired=acquired)
            case events.BankRefilled(kind):
                return pb.ArtDeckoEvent(bank_refilled=pb.ArtDeckoBankRefilled(card=_Card(kind + 1)))
            case events.PaintingExhibited():
                return pb.ArtDeckoEvent(painting_exhibited=_exhibited(event))
            case events.RatingRaised(rating, value):
                raised = pb.ArtDeckoRatingRaised(rating=_Rating(rating + 1), value=value)
                return pb.ArtDeckoEvent(rating_raised=raised)
            case events.PowerPlayed(seat, power):
                return pb.ArtDeckoEvent(power_played=pb.ArtDeckoPowerPlayed(seat=seat, power=_Power(power + 1)))
            case events.CardRemoved(seat, kind):
                return pb.ArtDeckoEvent(card_removed=pb.ArtDeckoCardRemoved(seat=seat, card=_Card(kind + 1)))
            case events.CardDiscarded(seat, kind):
                return pb.ArtDeckoEvent(card_discarded=pb.ArtDeckoCardDiscarded(seat=seat, card=_Card(kind + 1)))
            case events.GalleriesFilled(added, costs):
                galleries = [pb.ArtDeckoAddedPaintings(styles=_styles(styles)) for styles in added]
                filled = pb.ArtDeckoGalleriesFilled(galleries=galleries, costs=costs)
                return pb.ArtDeckoEvent(galleries_filled=filled)
            case events.LastRoundBegun(triggers):
                begun_last = pb.ArtDeckoLastRoundBegun(triggers=[_Trigger(trigger) for trigger in triggers])
                return pb.ArtDeckoEvent(last_round_begun=begun_last)
            case events.GameScored(points):
                scored = [
                    pb.ArtDeckoPoints(taken=taken, paintings=paintings, gold=gold, bonus=bonus)
                    for taken, paintings, gold, bonus in points
                ]
                return pb.ArtDeckoEvent(game_scored=pb.ArtDeckoGameScored(points=scored))
            case _:
                assert_never(event)


def _index(number: int, size: int, what: str) -> int:
    """Returns the index that a number on the wire stands for."""
    if not 1 <= number <= size:
        raise MalformedMoveError(f"names {what} {number}, expected 1 to {size}")
    return number - 1


def _cards(counts: bytes, first: int = 0) -> list[pb.ArtDeckoCard.ValueType]:
    return [_Card(kind + 1) for kind, count in enumerate(counts, first) for _ in range(count)]


def _styles(styles: Iterable[int]) -> list[pb.ArtDeckoStyle.ValueType]:
    return [_Style(style + 1) for style in styles]


def _tile(number: int, tile: Tile) -> pb.ArtDeckoTile:
    return pb.ArtDeckoTile(
        number=number,
        scoring=_Scoring(SCORINGS.index(tile.scoring) + 1),
        counts=_Count(COUNTS.index(tile.counts) + 1),
        style=_Style(tile.style + 1) if tile.style >= 0 else None,
        vp=tile.vp,
    )


def _exhibited(event: events.PaintingExhibited) -> pb.ArtDeckoPaintingExhibited:
    return pb.ArtDeckoPaintingExhibited(
        seat=event.seat,
        style=_Style(event.style + 1),
        exhibition=event.exhibition + 1,
        marker=_Marker(event.marker + 1),
        space=event.space + 1,
        vp=event.vp,
    )


def _with_hand(hand: bytes) -> pb.ArtDeckoView:
    return pb.ArtDeckoView(hand=_cards(hand))


def _with_seat(*values: Hashable) -> bytes:
    return _SEATS(_SEAT(*values))
