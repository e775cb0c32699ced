"""Classic Art on the wire: enum numbers are the domain's indexes plus one."""

from collections.abc import Hashable
from functools import lru_cache
from typing import Final, assert_never

from artreferee.v1 import classic_art_pb2 as pb
from artreferee.v1 import ruleset_pb2
from referee.core.errors import InvalidOptionError, MalformedMoveError
from referee.core.game import Options
from referee.games.classic_art import events
from referee.games.classic_art.game import ClassicArt
from referee.games.classic_art.parts import HIGH_RISK, PLAYED
from referee.games.classic_art.view import View, tally
from referee.wire.fragments import KEPT, fields, inner, kept

_Card = pb.ClassicArtCard.ValueType
_Category = pb.ClassicArtCategory.ValueType
_Space = pb.ClassicArtSpace.ValueType
_VIEW: Final = inner(ruleset_pb2.View, "classic_art")
_SINGLE: Final = fields(
    pb.ClassicArtView,
    "seat",
    "season",
    "phase",
    "first_seat",
    "turn_seat",
    "deck_size",
    "house_size",
    "max_seasons",
    "capped",
    "turns_left",
    "revealed",
)
_SEATS: Final = inner(pb.ClassicArtView, "seats")
_SEAT: Final = fields(
    pb.ClassicArtSeat,
    "hand_size",
    "available_tokens",
    "lost_tokens",
    "high_risk_used",
    "double_down_used",
    "committed",
    "prestige",
    "played",
)


class ClassicArtWire:
    """See `RulesetWire`."""

    plugin_move: Final = None

    def __init__(self, game: ClassicArt) -> None:
        self.game: Final = game
        self._parts: Final = game.parts
        self._width: Final = len(game.parts.spaces)
        self._moves: Final = tuple(
            ruleset_pb2.Move(classic_art=self._move(move)) for move in range(game.spec.num_actions)
        )
        self._placed: Final = kept(self._with_prediction)
        self._board: Final = kept(self._with_board)
        self._high_risk: Final = lru_cache(KEPT)(_high_risk)
        self._seat: Final = kept(_with_seat)
        self._net: Final = kept(_with_net)
        self._tally: Final = kept(self._with_tally)
        self._hand: Final = kept(self._with_hand)

    def options_from(self, message: ruleset_pb2.Options) -> Options:
        given = message.WhichOneof("ruleset")
        if given not in (None, "classic_art"):
            raise InvalidOptionError("options", f"are those of {given}, expected classic_art")
        return {field.name: value for field, value in message.classic_art.ListFields()}

    def options(self, options: Options) -> ruleset_pb2.Options:
        return ruleset_pb2.Options(classic_art=pb.ClassicArtOptions(**options))

    def move_from(self, message: ruleset_pb2.Move) -> int:
        if message.WhichOneof("ruleset") != "classic_art":
            raise MalformedMoveError("is not a move of classic_art")
        move = message.classic_art
        match move.WhichOneof("move"):
            case "play_cards":
                return self._pair_id(move.play_cards)
            case "place_prediction":
                return self._prediction_id(move.place_prediction)
            case "pass_prediction":
                return self._parts.pass_id
            case _:
                raise MalformedMoveError("is empty: set play_cards, place_prediction or pass_prediction")

    def move(self, move: int) -> ruleset_pb2.Move:
        return self._moves[move]

    def event(self, event: events.ClassicArtEvent) -> ruleset_pb2.GameEvent:
        return ruleset_pb2.GameEvent(classic_art=self._event(event))

    def view(self, view: View) -> ruleset_pb2.View:
        return ruleset_pb2.View.FromString(self.packed_view(view))

    def packed_view(self, view: View) -> bytes:
        kinds, width = self._parts.kinds, len(self._parts.categories)
        high_risk = self._high_risk(view.board)
        turn = view.turn if view.turn >= 0 else None
        sizes = view.deck_size, view.house_size
        limits = view.max_seasons, view.capped, view.turns_left
        revealed = view.played[view.seats * kinds :]
        parts = [_SINGLE(view.seat, view.season, view.phase, view.first, turn, *sizes, *limits, revealed)]
        parts += (self._net(tuple(view.net)), self._tally(view.played), self._hand(view.hand, view.chosen))
        parts.append(self._board(view.board))
        for seat in range(view.seats):
            prestige, played = view.prestige[seat * width : (seat + 1) * width], view.played[seat * kinds :][:kinds]
            marks = seat in high_risk, view.doubled[seat], view.committed[seat]
            tokens = view.available[seat], view.lost[seat]
            parts.append(self._seat(view.hand_sizes[seat], *tokens, *marks, prestige, played))
        return _VIEW(b"".join(parts))

    def view_from(self, message: ruleset_pb2.View) -> View:
        view, parts = message.classic_art, self._parts
        board = bytearray(parts.all_spaces)
        for prediction in view.predictions:
            space = self._space(prediction.category, prediction.space)
            board[space] = 1 + prediction.seat * 4 + (prediction.tokens - 1) * 2 + prediction.high_risk
        hand = bytearray(parts.kinds)
        for card in view.hand:
            hand[card - 1] += 1
        seats = view.seats
        return View(
            seat=view.seat if view.HasField("seat") else None,
            hand=bytes(hand),
            chosen=parts.pair_ids[view.chosen[0] - 1][view.chosen[1] - 1] if view.chosen else -1,
            seats=len(seats),
            max_seasons=view.max_seasons,
            capped=view.capped,
            season=view.season,
            first=view.first_seat,
            phase=view.phase,
            turn=view.turn_seat if view.HasField("turn_seat") else -1,
            turns_left=view.turns_left,
            hand_sizes=bytes(seat.hand_size for seat in seats),
            committed=bytes(seat.committed for seat in seats),
            deck_size=view.deck_size,
            house_size=view.house_size,
            played=bytes(count for seat in seats for count in seat.played) + bytes(view.revealed),
            net=[count - loans for count, loans in zip(view.counts, view.pending_loans, strict=True)],
            board=bytes(board),
            available=bytes(seat.available_tokens for seat in seats),
            lost=bytes(seat.lost_tokens for seat in seats),
            doubled=bytes(seat.double_down_used for seat in seats),
            prestige=bytes(marker for seat in seats for marker in seat.prestige),
        )

    def _move(self, move: int) -> pb.ClassicArtMove:
        if move < self._parts.pass_id:
            return pb.ClassicArtMove(play_cards=pb.ClassicArtPlayCards(cards=self._cards(move)))
        if move == self._parts.pass_id:
            return pb.ClassicArtMove(pass_prediction=pb.ClassicArtPassPrediction())
        space, tokens = self._parts.prediction(move)
        category, place = divmod(space, self._width)
        placed = pb.ClassicArtPlacePrediction(category=_Category(category + 1), space=_Space(place + 1), tokens=tokens)
        return pb.ClassicArtMove(place_prediction=placed)

    def _pair_id(self, message: pb.ClassicArtPlayCards) -> int:
        if len(message.cards) != PLAYED:
            raise MalformedMoveError(f"plays {len(message.cards)} cards, expected {PLAYED}")
        for card in message.cards:
            if not 1 <= card <= self._parts.kinds:
                raise MalformedMoveError(f"plays card {card}, expected 1 to {self._parts.kinds}")
        first, second = message.cards
        return self._parts.pair_ids[first - 1][second - 1]

    def _prediction_id(self, message: pb.ClassicArtPlacePrediction) -> int:
        if not 1 <= message.category <= len(self._parts.categories):
            raise MalformedMoveError(f"names category {message.category}, expected 1 to {len(self._parts.categories)}")
        if not 1 <= message.space <= self._width:
            raise MalformedMoveError(f"names space {message.space}, expected 1 to {self._width}")
        if message.tokens not in (1, 2):
            raise MalformedMoveError(f"places {message.tokens} tokens, expected 1 or 2")
        return self._parts.prediction_id(self._space(message.category, message.space), message.tokens)

    def _space(self, category: int, space: int) -> int:
        return (category - 1) * self._width + space - 1

    def _cards(self, pair: int) -> tuple[pb.ClassicArtCard.ValueType, ...]:
        return tuple(_Card(kind + 1) for kind in self._parts.pairs[pair])

    def _prediction(self, space: int, code: int) -> pb.ClassicArtPrediction:
        category, place = divmod(space, self._width)
        owner, rest = divmod(code - 1, 4)
        return pb.ClassicArtPrediction(
            seat=owner,
            category=_Category(category + 1),
            space=_Space(place + 1),
            tokens=rest // 2 + 1,
            high_risk=bool(rest & HIGH_RISK),
        )

    def _with_board(self, board: bytes) -> bytes:
        return b"".join(self._placed(space, code) for space, code in enumerate(board) if code)

    def _with_prediction(self, space: int, code: int) -> pb.ClassicArtView:
        return pb.ClassicArtView(predictions=[self._prediction(space, code)])

    def _with_tally(self, played: bytes) -> pb.ClassicArtView:
        return pb.ClassicArtView(tally=tally(self._parts, played))

    def _with_hand(self, hand: bytes, chosen: int) -> pb.ClassicArtView:
        return pb.ClassicArtView(
            hand=[_Card(kind + 1) for kind, count in enumerate(hand) for _ in range(count)],
            chosen=self._cards(chosen) if chosen >= 0 else (),
        )

    def _event(self, event: events.ClassicArtEvent) -> pb.ClassicArtEvent:
        match event:
            case events.SeasonDealt(season, first, revealed):
                dealt = pb.ClassicArtSeasonDealt(
                    season=season,
                    first_seat=first,
                    revealed=[_Card(kind + 1) for kind in revealed],
                )
                return pb.ClassicArtEvent(season_dealt=dealt)
            case events.PredictionPlaced(space, code):
                return pb.ClassicArtEvent(prediction_placed=self._prediction(space, code))
            case events.Passed(seat):
                return pb.ClassicArtEvent(passed=pb.ClassicArtPassed(seat=seat))
            case events.CardsPlayed(seat, pair):
                return pb.ClassicArtEvent(cards_played=pb.ClassicArtCardsPlayed(seat=seat, cards=self._cards(pair)))
            case events.HouseRevealed(kind):
                return pb.ClassicArtEvent(house_revealed=pb.ClassicArtHouseRevealed(card=_Card(kind + 1)))
            case events.CardsCommitted(seat):
                return pb.ClassicArtEvent(cards_committed=pb.ClassicArtCardsCommitted(seat=seat))
            case events.CardsChosen(seat, pair, discarded):
                chosen = pb.ClassicArtCardsChosen(seat=seat, cards=self._cards(pair), discarded=_Card(discarded + 1))
                return pb.ClassicArtEvent(cards_chosen=chosen)
            case events.SeasonScored(season, counts, predictions):
                scored = pb.ClassicArtSeasonScored(
                    season=season,
                    counts=counts,
                    predictions=[
                        pb.ClassicArtScoredPrediction(prediction=self._prediction(space, code), prestige=prestige)
                        for space, code, prestige in predictions
                    ],
                )
                return pb.ClassicArtEvent(season_scored=scored)
            case _:
                assert_never(event)


def _high_risk(board: bytes) -> frozenset[int]:
    """Returns the seats that have a prediction of high risk on the board."""
    return frozenset((code - 1) // 4 for code in board if code and (code - 1) & HIGH_RISK)


def _with_seat(*values: Hashable) -> bytes:
    return _SEATS(_SEAT(*values))


def _with_net(net: tuple[int, ...]) -> pb.ClassicArtView:
    counts, loans = [max(0, artworks) for artworks in net], [max(0, -artworks) for artworks in net]
    return pb.ClassicArtView(counts=counts, pending_loans=loans)
