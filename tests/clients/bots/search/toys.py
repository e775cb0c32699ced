"""Games of a few moves, of which one knows what is best."""

from ast import literal_eval
from collections.abc import Callable, Sequence
from dataclasses import astuple, dataclass

from referee.core.game import Options, Outcome, Spec
from referee.core.ranking import ranks
from referee.core.seeding import Random

Scores = Callable[[Sequence[Sequence[int]]], Sequence[int]]


@dataclass(frozen=True)
class Made:
    """A seat has made a move that `audience` sees, or all with None."""

    seat: int
    move: int
    audience: int | None
    reveals: bool = False


@dataclass
class Course:
    """The moves made at each stage, by the order of its seats; those of the last are still being made."""

    stages: list[list[int]]


@dataclass
class Known:
    """What a seat knows: None for a move that it has not seen."""

    seat: int | None
    stages: list[list[int | None]]


class Toy:
    """Stages at each of which some seats choose among 0, 1, ... at once; then scores.

    Args:
        seats: how many.
        stages: who chooses at each stage, ascending.
        scores: of the moves of all stages.
        choices: how many moves there are.
        secret: stages whose moves only the mover ever sees.
    """

    def __init__(
        self, seats: int, stages: Sequence[Sequence[int]], scores: Scores, choices: int = 2, secret: Sequence[int] = ()
    ) -> None:
        self.spec = Spec("toy", "Toy", "1", "1", bytes(32), (seats,), choices, choices, ())
        self._seats, self._stages, self._scores, self._secret = seats, stages, scores, secret

    def options(self, given: Options, seats: int) -> Options:
        return given

    def setup(self, options: Options, seats: int, seed: bytes) -> Course:
        return Course([[]])

    def to_act(self, state: Course) -> Sequence[int]:
        place = len(state.stages) - 1
        return () if place == len(self._stages) else tuple(self._stages[place][len(state.stages[-1]) :])

    def legal_moves(self, state: Course, seat: int) -> Sequence[int]:
        return range(self.spec.num_actions)

    def check(self, state: Course, seat: int, move: int) -> None:
        assert seat in self.to_act(state)
        assert move in self.legal_moves(state, seat)

    def describe(self, move: int) -> str:
        return str(move)

    def play(self, state: Course, seat: int, move: int) -> list[Made]:
        """Takes sealed moves in the order of seats, as a search makes them."""
        place = len(state.stages) - 1
        moves, seats = state.stages[-1], self._stages[place]
        assert seats[len(moves)] == seat
        moves.append(move)
        complete = len(moves) == len(seats)
        if complete:
            state.stages.append([])
        if place in self._secret:
            return [Made(seat, move, seat)]
        if len(seats) == 1:
            return [Made(seat, move, None)]
        revealed = [Made(*made, None, reveals=True) for made in zip(seats, moves, strict=True)] if complete else []
        return [Made(seat, move, seat), *revealed]

    def result(self, state: Course) -> Outcome | None:
        if self.to_act(state):
            return None
        scores = tuple(self._scores(state.stages))
        return Outcome(scores, ranks(scores), "COMPLETED")

    def view(self, state: Course, viewer: int | None) -> Known:
        stages = list[list[int | None]]()
        for place, moves in enumerate(state.stages):
            seats = self._stages[place] if place < len(self._stages) else ()
            sealed = place in self._secret or len(moves) < len(seats)
            stages.append([None if sealed and seats[at] != viewer else move for at, move in enumerate(moves)])
        return Known(viewer, stages)

    def determinize(self, view: Known, rng: Random) -> Course:
        choices = self.spec.num_actions
        return Course([[rng.randrange(choices) if move is None else move for move in moves] for moves in view.stages])

    def autopilot(self, view: Known, rng: Random) -> int:
        return 0

    def copy(self, state: Course) -> Course:
        return Course([moves[:] for moves in state.stages])

    def encode(self, state: Course) -> bytes:
        return repr(state.stages).encode()

    def decode(self, packed: bytes) -> Course:
        return Course(literal_eval(packed.decode()))

    def encode_events(self, events: Sequence[Made]) -> bytes:
        return repr(list(map(astuple, events))).encode()

    def decode_events(self, packed: bytes) -> list[Made]:
        return [Made(*made) for made in literal_eval(packed.decode())]
