"""What a search has found, for choosing, for hints and for reports."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from referee.core.game import AnyGame


class Step(NamedTuple):
    """A move of a seat."""

    seat: int
    move: int


@dataclass(frozen=True, slots=True)
class Candidate:
    """A legal move as the search sees it.

    Attributes:
        move: its id.
        visits: the iterations that began with it.
        values: for each seat its chance of winning after it, in [0, 1]; empty without a visit.
        line: what is expected to follow, this move first; what others choose in secret is left out.
    """

    move: int
    visits: int
    values: tuple[float, ...]
    line: tuple[Step, ...]


@dataclass(frozen=True, slots=True)
class Analysis:
    """What a search has found.

    Attributes:
        seat: whose decision it is.
        candidates: the legal moves, the best first.
        iterations: how many there were; 0 if there was only one move, or no time.
        seconds: how long it took.
    """

    seat: int
    candidates: tuple[Candidate, ...]
    iterations: int
    seconds: float

    @property
    def best(self) -> Candidate:
        """The move to be made."""
        return self.candidates[0]

    def lines(self, game: AnyGame, most: int = 5) -> Sequence[str]:
        """Returns the best moves in words, each with visits, own chance and what is expected to follow."""
        return [
            f"{candidate.values[self.seat]:6.1%} {candidate.visits:6}  "
            + "; ".join(game.describe(step.move) for step in candidate.line)
            for candidate in self.candidates[:most]
            if candidate.visits
        ]
