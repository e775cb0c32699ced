"""Positions in which a seat can tell what comes after its move: found with our own rules, from what it is shown."""

import random
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, Final

from artreferee.v1 import match_pb2
from clients.check.checks import CheckSkippedError
from clients.check.subject import Sitting, Subject, rules_of
from referee.core.errors import IllegalMoveError
from referee.wire.ruleset import RulesetWire

_LOOKED_AT: Final = 40  # positions of one match
_SEATS: Final = 3

Pair = tuple[int, int]


class Foresight:
    """What a seat that is asked can tell of its next two moves."""

    def __init__(self, wire: RulesetWire, shown: match_pb2.Match) -> None:
        self._game: Final = wire.game
        self._seat: Final = shown.viewer_seat
        view = wire.view_from(shown.view)
        self._state: Final[Any] = wire.game.determinize(view, random.Random(shown.match_id))

    def legal_pair(self) -> Pair | None:
        """Returns two moves that it may make in one call; None if there are none."""
        for move, after in self._open():
            return move, self._game.legal_moves(after, self._seat)[0]
        return None

    def pair_with_an_illegal_end(self) -> Pair | None:
        """Returns a legal move and one that is surely illegal after it, though nothing was revealed; None if none."""
        for move, after in self._open():
            for other in range(self._game.spec.num_actions):
                if self._is_illegal(after, other):
                    return move, other
        return None

    def pair_across_a_reveal(self) -> Pair | None:
        """Returns a move that shows the seat something or ends its turn, and any other; None if there is none."""
        staying = {move for move, _ in self._open()}
        for move in self._game.legal_moves(self._state, self._seat):
            if move not in staying:
                return move, move
        return None

    def _open(self) -> Iterator[tuple[int, Any]]:
        for move in self._game.legal_moves(self._state, self._seat):
            after = self._game.copy(self._state)
            events = self._game.play(after, self._seat, move)
            if not any(event.reveals for event in events) and self._seat in self._game.to_act(after):
                yield move, after

    def _is_illegal(self, state: Any, move: int) -> bool:
        try:
            self._game.check(state, self._seat, move)
        except IllegalMoveError:
            return True
        return False


@dataclass(frozen=True, slots=True)
class Position:
    """A match in which a seat is asked something, and two moves for it."""

    sitting: Sitting
    seat: int
    shown: match_pb2.Match
    pair: Pair

    def choices(self) -> list[match_pb2.MoveChoice]:
        """Returns the two moves by their ids."""
        return [match_pb2.MoveChoice(id=move) for move in self.pair]


async def find_position(subject: Subject, wanted: Callable[[Foresight], Pair | None]) -> Position:
    """Plays matches until a seat is asked in a position such as is wanted.

    Raises:
        CheckSkippedError: none was found.
    """
    for ruleset in subject.rulesets:
        wire = rules_of(ruleset)
        if wire is None:
            continue
        sitting = await subject.sit(ruleset, min(max(_SEATS, ruleset.min_seats), ruleset.max_seats))
        for _ in range(_LOOKED_AT):
            for seat, shown in (await sitting.asked()).items():
                if pair := wanted(Foresight(wire, shown)):
                    return Position(sitting, seat, shown, pair)
            await sitting.play()
    raise CheckSkippedError("no ruleset that is known here came to a position for it")
