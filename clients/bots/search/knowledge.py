"""What a search knows of a ruleset besides its rules: how to judge a position, and which moves are sensible."""

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, Final, Protocol

from clients.bots.search.chance import Rng
from referee.core.game import AnyGame, Outcome


@dataclass(frozen=True, slots=True)
class Settings:
    """How a search explores.

    Attributes:
        exploration: the factor of the second term of UCB: in points of the ratings, or in chances without ratings.
        bias: how many visits the rating of a move at the root counts for, by and large, at least 1.
        widening: at a node below the root that was visited n times, at most 1 + widening * sqrt(n) moves are tried.
        patience: a move is made so many times before the tree goes on after it.
        opponents: whether opponents search too; else they make moves that are sensible, and all visits go to own moves.
    """

    exploration: float = 0.7
    bias: float = 1.0
    widening: float = 2.0
    patience: int = 0
    opponents: bool = True


class OutOfTimeError(Exception):
    """The deadline passed in the middle of an iteration, which is dropped."""


@dataclass(slots=True)
class Deadline:
    """When a search has to end, by `time.monotonic`; None is never."""

    at: float | None = None

    def check(self) -> None:
        """Raises OutOfTimeError when it has passed."""
        if self.at is not None and time.monotonic() >= self.at:
            raise OutOfTimeError


class Knowledge(Protocol):
    """What is known of a ruleset. Has no memory of matches."""

    @property
    def settings(self) -> Settings:
        """How to search it."""
        ...

    def worlds(self, view: Any) -> Callable[[Rng], Any]:
        """Returns what deals a world that a view does not rule out, the likely ones more often."""
        ...

    def chance(self, world: Any, seat: int) -> float:
        """Returns a seat's chance of winning in a world, without a look ahead; always the same without an idea."""
        ...

    def log_odds(self, world: Any) -> float:
        """Returns by how much a point improves the log-odds of winning in such a world."""
        ...

    def ratings(self, view: Any, moves: Sequence[int]) -> Sequence[float] | None:
        """Returns for each legal move of the viewer's seat what it is worth in points; None without an idea."""
        ...

    def bias(self, view: Any) -> float:
        """Returns how many visits the rating of a move counts for in this decision."""
        ...

    def choose(self, state: Any, seat: int, moves: Sequence[int], rng: Rng) -> int:
        """Returns a sensible one of some legal moves, at random."""
        ...

    def finish(self, state: Any, rng: Rng, deadline: Deadline) -> Sequence[float]:
        """Plays a position on in place, as far as its judgement needs, and returns each seat's chance of winning.

        Raises:
            OutOfTimeError: the deadline has passed.
        """
        ...


def shares(outcome: Outcome) -> list[float]:
    """Returns what each seat has won: a win shared by k is 1/k for each."""
    share = 1 / outcome.ranks.count(1)
    return [share if rank == 1 else 0.0 for rank in outcome.ranks]


class NoKnowledge:
    """For a ruleset of which nothing is known: random play to the end."""

    def __init__(self, game: AnyGame, settings: Settings | None = None) -> None:
        self.settings: Final = settings or Settings()
        self._game: Final = game

    def worlds(self, view: Any) -> Callable[[Rng], Any]:
        return partial(self._game.determinize, view)

    def chance(self, world: Any, seat: int) -> float:
        return 0.0

    def log_odds(self, world: Any) -> float:
        return 1.0

    def ratings(self, view: Any, moves: Sequence[int]) -> None:
        return None

    def bias(self, view: Any) -> float:
        return self.settings.bias

    def choose(self, state: Any, seat: int, moves: Sequence[int], rng: Rng) -> int:
        return moves[int(rng.random() * len(moves))]

    def finish(self, state: Any, rng: Rng, deadline: Deadline) -> list[float]:
        game = self._game
        while due := game.to_act(state):
            for _ in range(_PLIES_A_LOOK):
                moves = game.legal_moves(state, due[0])
                game.play(state, due[0], moves[int(rng.random() * len(moves))])
                due = game.to_act(state)
                if not due:
                    break
            deadline.check()
        result = game.result(state)
        if result is None:
            raise ValueError(f"{game.spec.name}: nobody is to act, and there is no result")
        return shares(result)


_PLIES_A_LOOK: Final = 16
