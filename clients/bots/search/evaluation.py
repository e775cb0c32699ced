"""Judging a position by learned weights."""

from collections.abc import Sequence
from operator import mul
from typing import Final, Generic, TypeVar

from clients.bots.search.logit import chances
from clients.bots.search.weights import weights_of

StateT = TypeVar("StateT", contravariant=True)


class Decided(list[float]):
    """What each seat wins, where nothing is open any more."""


class Evaluation(Generic[StateT]):
    """The chances of the seats: a conditional logit, each seat against the others by features of its own.

    Args:
        ruleset: whose weights to take.
        names: of the features.
    """

    def __init__(self, ruleset: str, names: Sequence[str]) -> None:
        self.ruleset: Final = ruleset
        self.names: Final = tuple(names)

    def features(self, state: StateT) -> Decided | list[list[float]]:
        """Returns the features of each seat, unless the position is decided."""
        raise NotImplementedError

    def values(self, state: StateT) -> list[float]:
        """Returns for each seat its chance of winning; a win shared by k is 1/k."""
        rows = self.features(state)
        if isinstance(rows, Decided):
            return rows
        weights = weights_of(self.ruleset, len(rows), self.names)
        return chances([sum(map(mul, weights, row)) for row in rows])
