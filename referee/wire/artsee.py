"""ArtSee on the wire: enum numbers are the domain's indexes plus one."""

from collections.abc import Hashable
from typing import Final, assert_never

from artreferee.v1 import artsee_pb2 as pb
from artreferee.v1 import ruleset_pb2
from referee.core.errors import InvalidOptionError, MalformedMoveError
from referee.core.game import Options
from referee.games.artsee import events
from referee.games.artsee.game import ArtSee
from referee.games.artsee.parts import MAIN, Card
from referee.games.artsee.state import Phase
from referee.games.artsee.view import View
from referee.wire.fragments import fields, inner, kept

_Category = pb.ArtSeeCategory.ValueType
_Deck = pb.ArtSeeDeck.ValueType
_Side = pb.ArtSeeSide.ValueType
_VIEW: Final = inner(ruleset_pb2.View, "artsee")
_SINGLE: Final = fields(
    pb.ArtSeeView,
    "seat",
    "phase",
    "first_seat",
    "turn_seat",
    "round",
    "rounds",
    "column",
    "earned",
    "removed_of_each",
    "removed_of_all",
)
_SEATS: Final = inner(pb.ArtSeeView, "seats")
_COLUMNS: Final = inner(pb.ArtSeeSeat, "columns")
_VISITORS: Final = fields(pb.ArtSeeColumn, "visitors")
_SEAT: Final = fields(pb.ArtSeeSeat, "supply", "prestige", "asked", "committed")


class ArtSeeWire:
    """See `RulesetWire`."""

    plugin_move: Final = None

    def __init__(self, game: ArtSee) -> None:
        self.game: Final = game
        self._parts: Final = game.parts
        self._cards: Final = tuple(_card(card) for card in game.parts.cards)
        self._card_ids: Final = {card: number for number, card in enumerate(game.parts.cards)}
        self._masterpieces: Final = tuple(
            pb.ArtSeeMasterpiece(
                category=_Category(masterpiece.category + 1),
                requirement=masterpiece.requirement,
                prestige=masterpiece.prestige,
            )
            for masterpiece in game.parts.masterpieces
        )
        self._masterpiece_ids: Final = {
            (masterpiece.category, masterpiece.requirement): number
            for number, masterpiece in enumerate(game.parts.masterpieces)
        }
        self._held: Final = [pb.ArtSeeView(hand=[card]).SerializeToString() for card in self._cards]
        self._hung: Final = [pb.ArtSeeColumn(cards=[card]).SerializeToString() for card in self._cards]
        self._masterpieces_left: Final = kept(self._with_masterpieces)
        self._pile: Final = kept(_with_pile)
        self._seat: Final = kept(self._with_seat)
        self._slots: Final = kept(self._with_slots)
        self._backs: Final = kept(self._with_backs)
        self._column: Final = kept(self._with_column)
        self._moves: Final = tuple(ruleset_pb2.Move(artsee=self._move(move)) for move in range(game.spec.num_actions))

    def options_from(self, message: ruleset_pb2.Options) -> Options:
        given = message.WhichOneof("ruleset")
        if given not in (None, "artsee"):
            raise InvalidOptionError("options", f"are those of {given}, expected artsee")
        return {field.name: value for field, value in message.artsee.ListFields()}

    def options(self, options: Options) -> ruleset_pb2.Options:
        return ruleset_pb2.Options(artsee=pb.ArtSeeOptions(**options))

    def move_from(self, message: ruleset_pb2.Move) -> int:
        if message.WhichOneof("ruleset") != "artsee":
            raise MalformedMoveError("is not a move of artsee")
        move = message.artsee
        match move.WhichOneof("move"):
            case "play_card":
                return self._parts.play_id(self._card_id(move.play_card.card), self._spot(move.play_card))
            case "claim_masterpiece":
                return self._claim_id(move.claim_masterpiece)
            case "decline_masterpiece":
                return self._parts.decline_id
            case "place_visitor":
                return self._parts.place_id
            case "skip_visitor":
                return self._parts.skip_id
            case "draw_card":
                if move.draw_card.pile >= len(self._parts.pile_ids):
                    raise MalformedMoveError(f"draws from pile {move.draw_card.pile}, expected 0 or 1")
                return self._parts.pile_ids[move.draw_card.pile]
            case _:
                raise MalformedMoveError(
                    "is empty: set play_card, claim_masterpiece, decline_masterpiece, place_visitor, skip_visitor or "
                    "draw_card"
                )

    def move(self, move: int) -> ruleset_pb2.Move:
        return self._moves[move]

    def event(self, event: events.ArtSeeEvent) -> ruleset_pb2.GameEvent:
        return ruleset_pb2.GameEvent(artsee=self._event(event))

    def view(self, view: View) -> ruleset_pb2.View:
        return ruleset_pb2.View.FromString(self.packed_view(view))

    def packed_view(self, view: View) -> bytes:
        removed, rounds = self._parts.tables[view.seats], self._parts.turns(view.seats)
        turn, column = view.turn if view.turn >= 0 else None, view.column if view.column >= 0 else None
        begun = rounds if turn is None else rounds - (_turns_left(view) - 1) // view.seats
        missing = removed.removed_of_each, removed.removed_of_all
        parts = [_SINGLE(view.seat, view.phase, view.first, turn, begun, rounds, column, view.earned, *missing)]
        parts.append(self._masterpieces_left(b"".join(view.slots)))
        parts += map(self._held.__getitem__, view.hand)
        parts += map(self._pile, view.pile_sizes, view.tops)
        for seat in range(view.seats):
            cards = view.galleries[seat], view.visitors[seat], view.slots[seat], view.backs[seat]
            asked = view.asked[seat], view.committed[seat]
            parts.append(self._seat(*cards, view.supplies[seat], view.prestige[seat], *asked))
        if view.seat is not None and view.asked[view.seat]:
            parts.append(self._with_choices(view, view.seat).SerializeToString())
        return _VIEW(b"".join(parts))

    def _with_choices(self, view: View, seat: int) -> pb.ArtSeeView:
        featured = self._parts.featured[view.galleries[view.turn][view.column][-1]]
        columns, made = self._parts.matching(view.galleries[seat], featured), len(view.choices)
        choices = (
            pb.ArtSeeVisitorChoice(column=column, placed=bool(placed))
            for column, placed in zip(columns[:made], view.choices, strict=True)
        )
        return pb.ArtSeeView(choices=choices, visit_column=columns[made] if made < len(columns) else None)

    def view_from(self, message: ruleset_pb2.View) -> View:
        view = message.artsee
        seats, width = view.seats, len(self._parts.categories)
        return View(
            seat=view.seat if view.HasField("seat") else None,
            hand=bytes(self._card_id(card) for card in view.hand),
            choices=bytes(choice.placed for choice in view.choices),
            seats=len(seats),
            first=view.first_seat,
            phase=view.phase,
            turn=view.turn_seat if view.HasField("turn_seat") else -1,
            column=view.column if view.HasField("column") else -1,
            earned=view.earned,
            pile_sizes=bytes(pile.size for pile in view.piles),
            tops=[pile.top.featured - 1 if pile.size else -1 for pile in view.piles],
            backs=[bytes((back.deck - 1) * width + back.featured - 1 for back in seat.backs) for seat in seats],
            galleries=[
                tuple(bytes(self._card_id(card) for card in column.cards) for column in seat.columns) for seat in seats
            ],
            visitors=[bytes(column.visitors for column in seat.columns) for seat in seats],
            slots=[bytes(self._code(slot) for slot in seat.slots) for seat in seats],
            supplies=bytes(seat.supply for seat in seats),
            prestige=[seat.prestige for seat in seats],
            asked=bytes(seat.asked for seat in seats),
            committed=bytes(seat.committed for seat in seats),
        )

    def _move(self, move: int) -> pb.ArtSeeMove:
        parts = self._parts
        if move < parts.claims:
            return pb.ArtSeeMove(play_card=self._play(*divmod(move, parts.spots)))
        if move < parts.decline_id:
            number, slot = divmod(move - parts.claims, parts.slots)
            token = self._masterpieces[number]
            claim = pb.ArtSeeClaimMasterpiece(category=token.category, requirement=token.requirement, slot=slot)
            return pb.ArtSeeMove(claim_masterpiece=claim)
        if move == parts.decline_id:
            return pb.ArtSeeMove(decline_masterpiece=pb.ArtSeeDeclineMasterpiece())
        if move == parts.place_id:
            return pb.ArtSeeMove(place_visitor=pb.ArtSeePlaceVisitor())
        if move == parts.skip_id:
            return pb.ArtSeeMove(skip_visitor=pb.ArtSeeSkipVisitor())
        return pb.ArtSeeMove(draw_card=pb.ArtSeeDrawCard(pile=parts.pile_ids.index(move)))

    def _play(self, card: int, spot: int) -> pb.ArtSeePlayCard:
        if spot < self._parts.new_left:
            return pb.ArtSeePlayCard(card=self._cards[card], cover_column=spot)
        return pb.ArtSeePlayCard(card=self._cards[card], new_column=_Side(spot - self._parts.new_left + 1))

    def _card_id(self, message: pb.ArtSeeCard) -> int:
        pieces = tuple(sorted(piece - 1 for piece in message.pieces))
        number = self._card_ids.get(Card(message.deck - 1, message.featured - 1, pieces, message.arrow - 1))
        if number is None:
            raise MalformedMoveError("plays a card that does not exist")
        return number

    def _spot(self, message: pb.ArtSeePlayCard) -> int:
        match message.WhichOneof("spot"):
            case "cover_column":
                if message.cover_column >= self._parts.new_left:
                    problem = f"covers column {message.cover_column}, expected 0 to {self._parts.new_left - 1}"
                    raise MalformedMoveError(problem)
                return message.cover_column
            case "new_column":
                if message.new_column not in (pb.ART_SEE_SIDE_LEFT, pb.ART_SEE_SIDE_RIGHT):
                    raise MalformedMoveError(f"starts a column at side {message.new_column}, expected 1 or 2")
                return self._parts.new_left + message.new_column - 1
            case _:
                raise MalformedMoveError("does not say where the card goes: set cover_column or new_column")

    def _claim_id(self, message: pb.ArtSeeClaimMasterpiece) -> int:
        number = self._masterpiece_ids.get((message.category - 1, message.requirement))
        if number is None:
            raise MalformedMoveError("claims a masterpiece that does not exist")
        if message.slot >= self._parts.slots:
            raise MalformedMoveError(f"names slot {message.slot}, expected 0 to {self._parts.slots - 1}")
        return self._parts.claim_id(number, message.slot)

    def _with_masterpieces(self, taken: bytes) -> pb.ArtSeeView:
        left = [token for code, token in enumerate(self._masterpieces, 1) if code not in taken]
        return pb.ArtSeeView(masterpieces=left)

    def _with_seat(
        self, gallery: tuple[bytes, ...], visitors: bytes, slots: bytes, backs: bytes, *numbers: Hashable
    ) -> bytes:
        columns = map(self._column, gallery, visitors)
        return _SEATS(b"".join((_SEAT(*numbers), self._slots(slots), self._backs(backs), *columns)))

    def _with_slots(self, slots: bytes) -> pb.ArtSeeSeat:
        taken = (self._masterpieces[code - 1] if code else None for code in slots)
        return pb.ArtSeeSeat(slots=[pb.ArtSeeSlot(masterpiece=masterpiece) for masterpiece in taken])

    def _with_backs(self, backs: bytes) -> pb.ArtSeeSeat:
        width = len(self._parts.categories)
        return pb.ArtSeeSeat(backs=[_back(*divmod(back, width)) for back in backs])

    def _with_column(self, cards: bytes, visitors: int) -> bytes:
        return _COLUMNS(b"".join((_VISITORS(visitors), *map(self._hung.__getitem__, cards))))

    def _code(self, slot: pb.ArtSeeSlot) -> int:
        if not slot.HasField("masterpiece"):
            return 0
        return self._masterpiece_ids[slot.masterpiece.category - 1, slot.masterpiece.requirement] + 1

    def _event(self, event: events.ArtSeeEvent) -> pb.ArtSeeEvent:
        match event:
            case events.CardPlayed(seat, card, spot, column):
                played = pb.ArtSeeCardPlayed(seat=seat, play=self._play(card, spot), column=column)
                return pb.ArtSeeEvent(card_played=played)
            case events.VisitorChosen(seat, column, placed):
                choice = pb.ArtSeeVisitorChoice(column=column, placed=placed)
                return pb.ArtSeeEvent(visitor_chosen=pb.ArtSeeVisitorChosen(seat=seat, choice=choice))
            case events.VisitorsCommitted(seat):
                return pb.ArtSeeEvent(visitors_committed=pb.ArtSeeVisitorsCommitted(seat=seat))
            case events.VisitorsPlaced(seat, columns):
                return pb.ArtSeeEvent(visitors_placed=pb.ArtSeeVisitorsPlaced(seat=seat, columns=columns))
            case events.PrestigeEarned(seat, visitors, pieces, masterpieces, gallery, column):
                earned = pb.ArtSeePrestigeEarned(
                    seat=seat,
                    visitors=visitors,
                    pieces=pieces,
                    masterpieces=masterpieces,
                    gallery_seat=gallery,
                    column=column,
                )
                return pb.ArtSeeEvent(prestige_earned=earned)
            case events.MasterpieceClaimed(seat, masterpiece, slot):
                claimed = pb.ArtSeeMasterpieceClaimed(seat=seat, masterpiece=self._masterpieces[masterpiece], slot=slot)
                return pb.ArtSeeEvent(masterpiece_claimed=claimed)
            case events.ClaimDeclined(seat):
                return pb.ArtSeeEvent(claim_declined=pb.ArtSeeClaimDeclined(seat=seat))
            case events.CardDrawn(seat, pile, featured):
                drawn = pb.ArtSeeCardDrawn(seat=seat, pile=pile, back=_back(MAIN, featured))
                return pb.ArtSeeEvent(card_drawn=drawn)
            case events.CardSeen(seat, card):
                return pb.ArtSeeEvent(card_seen=pb.ArtSeeCardSeen(seat=seat, card=self._cards[card]))
            case events.CardMoved(pile, featured):
                return pb.ArtSeeEvent(card_moved=pb.ArtSeeCardMoved(pile=pile, back=_back(MAIN, featured)))
            case events.GameScored(prestige, masterpieces, bonus, visitors):
                scored = [
                    pb.ArtSeeSeatScored(prestige=earned, masterpieces=value, bonus=extra, visitors=left)
                    for earned, value, extra, left in zip(prestige, masterpieces, bonus, visitors, strict=True)
                ]
                return pb.ArtSeeEvent(game_scored=pb.ArtSeeGameScored(seats=scored))
            case _:
                assert_never(event)


def _turns_left(view: View) -> int:
    """Returns the turns of a game that is not over, the present one included: each card will be played in one."""
    begun = view.phase != Phase.PLAY
    return sum(map(len, view.backs)) + sum(view.pile_sizes) + begun


def _card(card: Card) -> pb.ArtSeeCard:
    return pb.ArtSeeCard(
        deck=_Deck(card.deck + 1),
        featured=_Category(card.featured + 1),
        pieces=[_Category(piece + 1) for piece in card.pieces],
        arrow=_Side(card.arrow + 1),
    )


def _back(deck: int, featured: int) -> pb.ArtSeeBack:
    return pb.ArtSeeBack(deck=_Deck(deck + 1), featured=_Category(featured + 1))


def _with_pile(size: int, top: int) -> pb.ArtSeeView:
    return pb.ArtSeeView(piles=[pb.ArtSeePile(size=size, top=_back(MAIN, top) if size else None)])
