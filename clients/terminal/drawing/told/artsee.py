"""ArtSee in words."""

from collections.abc import Callable, Iterator, Sequence
from typing import Final

from artreferee.v1 import artsee_pb2 as pb
from artreferee.v1 import ruleset_pb2
from clients.terminal.drawing.drawing import Choice, LegalMove, View
from clients.terminal.drawing.pen import Penned
from clients.terminal.words import Words


class ArtSeeTold(Penned):
    """The part of a drawing that is words. Categories are told by their numbers on the wire."""

    def __init__(self, names: Sequence[str], words: Words) -> None:
        super().__init__(names, words)
        told = words.told
        self.title: Final = told("ArtSee")
        self._categories: Final = (told("Abstract"), told("Landscape"), told("Portrait"), told("Still Life"))

    def _category(self, category: int) -> str:
        return self._categories[category - 1]

    def _card(self, card: pb.ArtSeeCard) -> str:
        told, featured = self._words.told, self._category(card.featured)
        pieces = ", ".join(map(self._category, card.pieces))
        if card.arrow == pb.ART_SEE_SIDE_LEFT:
            return told("{featured} ({pieces}; left)", featured=featured, pieces=pieces)
        return told("{featured} ({pieces}; right)", featured=featured, pieces=pieces)

    def _back(self, back: pb.ArtSeeBack) -> str:
        told, category = self._words.told, self._category(back.featured)
        if back.deck == pb.ART_SEE_DECK_STARTING:
            return told("{category} of the starting deck", category=category)
        return told("{category} of the main deck", category=category)

    def _masterpiece(self, category: int, requirement: int) -> str:
        return self._words.told("{category} {requirement}", category=self._category(category), requirement=requirement)

    def question(self, view: View, moves: Sequence[LegalMove]) -> str:
        told, own = self._words.told, view.artsee
        match own.phase:
            case pb.ART_SEE_PHASE_PLAY:
                return told("Play a card.")
            case pb.ART_SEE_PHASE_VISIT:
                left = own.seats[own.seat].supply - sum(choice.placed for choice in own.choices)
                return self._words.counted(
                    "A visitor on column {column}? You have {count}.",
                    "A visitor on column {column}? You have {count}.",
                    left,
                    column=own.visit_column,
                )
            case pb.ART_SEE_PHASE_CLAIM:
                return told("You may claim a masterpiece.")
            case _:
                return told("Draw from a pile.")

    def menu(self, view: View, moves: Sequence[LegalMove]) -> tuple[Choice, ...]:
        match view.artsee.phase:
            case pb.ART_SEE_PHASE_PLAY:
                return self._stepped(moves, lambda move: self._card(move.play_card.card), self._spot)
            case pb.ART_SEE_PHASE_CLAIM:
                return self._stepped(moves, self._claimed, self._slot)
            case pb.ART_SEE_PHASE_DRAW:
                return tuple(Choice(self._pile(view.artsee, move), (move,)) for move in moves)
            case _:
                return tuple(Choice(self.move(move), (move,)) for move in moves)

    def _stepped(
        self,
        moves: Sequence[LegalMove],
        first: Callable[[pb.ArtSeeMove], str],
        second: Callable[[pb.ArtSeeMove], str],
    ) -> tuple[Choice, ...]:
        """Parts moves by what they say first, and then by what they say second, if they say anything."""
        steps = dict[str, list[LegalMove]]()
        for move in moves:
            steps.setdefault(first(move.move.artsee), []).append(move)
        return tuple(
            Choice(text, tuple(group), tuple(Choice(second(move.move.artsee), (move,)) for move in group))
            if len(group) > 1
            else Choice(self.move(group[0]), tuple(group))
            for text, group in steps.items()
        )

    def _spot(self, move: pb.ArtSeeMove) -> str:
        told, played = self._words.told, move.play_card
        if played.HasField("cover_column"):
            return told("on column {column}", column=played.cover_column)
        if played.new_column == pb.ART_SEE_SIDE_LEFT:
            return told("as a new left column")
        return told("as a new right column")

    def _claimed(self, move: pb.ArtSeeMove) -> str:
        claimed = move.claim_masterpiece
        return self._masterpiece(claimed.category, claimed.requirement) if claimed.category else ""

    def _slot(self, move: pb.ArtSeeMove) -> str:
        return self._words.told("in slot {slot}", slot=move.claim_masterpiece.slot)

    def _pile(self, own: pb.ArtSeeView, move: LegalMove) -> str:
        pile = move.move.artsee.draw_card.pile
        top, size = own.piles[pile].top, own.piles[pile].size
        return self._words.counted(
            "pile {pile}: {back}, {count} card",
            "pile {pile}: {back}, {count} cards",
            size,
            pile=pile,
            back=self._back(top),
        )

    def move(self, move: LegalMove) -> str:
        told, own = self._words.told, move.move.artsee
        match own.WhichOneof("move"):
            case "play_card":
                return told("play {card} {spot}", card=self._card(own.play_card.card), spot=self._spot(own))
            case "claim_masterpiece":
                return told("claim {masterpiece} {slot}", masterpiece=self._claimed(own), slot=self._slot(own))
            case "decline_masterpiece":
                return told("claim no masterpiece")
            case "place_visitor":
                return told("place a visitor")
            case "skip_visitor":
                return told("place no visitor")
            case _:
                return told("draw from pile {pile}", pile=own.draw_card.pile)

    def _happened(self, event: ruleset_pb2.GameEvent) -> list[str]:
        own = event.artsee
        match own.WhichOneof("event"):
            case "card_played" | "visitor_chosen" | "visitors_committed" | "visitors_placed" | "prestige_earned":
                return [self._turn(own)]
            case "game_scored":
                return [self._score(seat, scored) for seat, scored in enumerate(own.game_scored.seats)]
            case _:
                return [self._turn_end(own)]

    def _turn(self, own: pb.ArtSeeEvent) -> str:
        """Tells of the first steps of a turn."""
        told, counted = self._words.told, self._words.counted
        match own.WhichOneof("event"):
            case "card_played":
                play, seat = own.card_played.play, self._name(own.card_played.seat)
                spot = self._spot(pb.ArtSeeMove(play_card=play))
                return told("{seat} plays {card} {spot}.", seat=seat, card=self._card(play.card), spot=spot)
            case "visitor_chosen":
                choice = own.visitor_chosen.choice
                if choice.placed:
                    return told("You will place a visitor on column {column}.", column=choice.column)
                return told("You will place no visitor on column {column}.", column=choice.column)
            case "visitors_committed":
                return told("{seat} has chosen about visitors.", seat=self._name(own.visitors_committed.seat))
            case "visitors_placed":
                columns, seat = own.visitors_placed.columns, self._name(own.visitors_placed.seat)
                if not columns:
                    return told("{seat} places no visitor.", seat=seat)
                where = ", ".join(map(str, columns))
                return counted(
                    "{seat} places {count} visitor: column {columns}.",
                    "{seat} places {count} visitors: columns {columns}.",
                    len(columns),
                    seat=seat,
                    columns=where,
                )
            case _:
                return self._earned(own.prestige_earned)

    def _earned(self, earned: pb.ArtSeePrestigeEarned) -> str:
        told, seat = self._words.told, self._name(earned.seat)
        gallery = self._name(earned.gallery_seat)
        pieces = told(
            "column {column} of {gallery} {pieces}", column=earned.column, gallery=gallery, pieces=earned.pieces
        )
        parts = [
            *([told("{visitors} by visitors", visitors=earned.visitors)] if earned.visitors else []),
            *([pieces] if earned.pieces else []),
            *([told("{masterpieces} by slots", masterpieces=earned.masterpieces)] if earned.masterpieces else []),
        ]
        if not parts:
            return told("{seat} earns nothing.", seat=seat)
        prestige = earned.visitors + earned.pieces + earned.masterpieces
        return told("{seat} earns {prestige}: {parts}.", seat=seat, prestige=prestige, parts=", ".join(parts))

    def _turn_end(self, own: pb.ArtSeeEvent) -> str:
        """Tells of the last steps of a turn."""
        told = self._words.told
        match own.WhichOneof("event"):
            case "masterpiece_claimed":
                claimed = own.masterpiece_claimed
                piece = self._masterpiece(claimed.masterpiece.category, claimed.masterpiece.requirement)
                return told(
                    "{seat} claims {masterpiece} for slot {slot}.",
                    seat=self._name(claimed.seat),
                    masterpiece=piece,
                    slot=claimed.slot,
                )
            case "claim_declined":
                return told("{seat} claims no masterpiece.", seat=self._name(own.claim_declined.seat))
            case "card_drawn":
                drawn = own.card_drawn
                return told(
                    "{seat} draws {back} from pile {pile}.",
                    seat=self._name(drawn.seat),
                    back=self._back(drawn.back),
                    pile=drawn.pile,
                )
            case "card_seen":
                return told("You have drawn {card}.", card=self._card(own.card_seen.card))
            case _:
                moved = own.card_moved
                return told("{back} moves over from pile {pile}.", back=self._back(moved.back), pile=moved.pile)

    def _score(self, seat: int, scored: pb.ArtSeeSeatScored) -> str:
        return self._words.counted(
            "{seat}: prestige {prestige}, masterpieces {masterpieces}, bonus {bonus}; {count} visitor in the gallery.",
            "{seat}: prestige {prestige}, masterpieces {masterpieces}, bonus {bonus}; {count} visitors in the gallery.",
            scored.visitors,
            seat=self._name(seat),
            prestige=scored.prestige,
            masterpieces=scored.masterpieces,
            bonus=scored.bonus,
        )

    def _status(self, own: pb.ArtSeeView) -> str:
        """Tells who must choose what now."""
        told, seat = self._words.told, self._name(own.turn_seat)
        match own.phase:
            case pb.ART_SEE_PHASE_PLAY:
                return told("{seat} plays a card", seat=seat)
            case pb.ART_SEE_PHASE_VISIT:
                waiting = [
                    self._name(number) for number, each in enumerate(own.seats) if each.asked and not each.committed
                ]
                return told("Visitors, in secret: {seats} to choose", seats=", ".join(waiting))
            case pb.ART_SEE_PHASE_CLAIM:
                return told("{seat} may claim a masterpiece", seat=seat)
            case pb.ART_SEE_PHASE_DRAW:
                return told("{seat} draws a card", seat=seat)
            case _:
                return told("The game is over")

    def summary(self, view: View) -> list[str]:
        own = view.artsee
        return [
            *self._round(own),
            *(line for seat in range(len(own.seats)) for line in self._gallery(own, seat)),
            *self._stock(own),
            *self._own_cards(own),
        ]

    def _round(self, own: pb.ArtSeeView) -> Iterator[str]:
        told = self._words.told
        yield told(
            "Round {round} of {rounds}; {seat} began.",
            round=own.round,
            rounds=own.rounds,
            seat=self._name(own.first_seat),
        )
        yield told("{status}.", status=self._status(own))
        if own.HasField("column"):
            card = own.seats[own.turn_seat].columns[own.column].cards[-1]
            yield told("Played now: {card}, column {column}.", card=self._card(card), column=own.column)
            yield told("Earned this turn: {prestige}.", prestige=own.earned)

    def _gallery(self, own: pb.ArtSeeView, seat: int) -> Iterator[str]:
        told, state = self._words.told, own.seats[seat]
        facts = [
            told(
                "{seat}: prestige {prestige}, visitors in supply {supply}",
                seat=self._name(seat),
                prestige=state.prestige,
                supply=state.supply,
            ),
            *([told("hand {backs}", backs="; ".join(map(self._back, state.backs)))] if state.backs else []),
            *([told("columns asked about {columns}", columns=state.asked)] if state.asked else []),
            *([told("has chosen")] if state.committed else []),
        ]
        yield told("{facts}.", facts=", ".join(facts))
        for number, (slot, column) in enumerate(zip(state.slots, [*state.columns, None], strict=True)):
            if slot.HasField("masterpiece"):
                piece = self._masterpiece(slot.masterpiece.category, slot.masterpiece.requirement)
                yield told("Slot {slot}: masterpiece {masterpiece}.", slot=number, masterpiece=piece)
            if column is not None:
                cards = "; ".join(map(self._card, reversed(column.cards)))
                yield told(
                    "Column {column}, visitors {visitors}: {cards}.",
                    column=number,
                    visitors=column.visitors,
                    cards=cards,
                )

    def _stock(self, own: pb.ArtSeeView) -> Iterator[str]:
        told = self._words.told
        for number, pile in enumerate(own.piles):
            if pile.size:
                yield told(
                    "Pile {pile}: {back} on top, cards {cards}.",
                    pile=number,
                    back=self._back(pile.top),
                    cards=pile.size,
                )
            else:
                yield told("Pile {pile} is empty.", pile=number)
        yield told("Removed of each category: {each}, besides {all}.", each=own.removed_of_each, all=own.removed_of_all)
        pieces = ", ".join(
            told(
                "{masterpiece} worth {prestige}",
                masterpiece=self._masterpiece(piece.category, piece.requirement),
                prestige=piece.prestige,
            )
            for piece in own.masterpieces
        )
        if pieces:
            yield told("Masterpieces to claim: {masterpieces}.", masterpieces=pieces)

    def _own_cards(self, own: pb.ArtSeeView) -> Iterator[str]:
        told = self._words.told
        if own.hand:
            yield told("Your hand: {cards}.", cards="; ".join(map(self._card, own.hand)))
        for choice in own.choices:
            yield self._turn(pb.ArtSeeEvent(visitor_chosen=pb.ArtSeeVisitorChosen(choice=choice)))
        if own.HasField("visit_column"):
            yield told("You are asked about column {column}.", column=own.visit_column)
