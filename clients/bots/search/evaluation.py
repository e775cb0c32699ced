"""Judging a position by learned weights."""

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from operator import mul
from typing import Final, Generic, TypeVar

from clients.bots.search.logit import chances
from clients.bots.search.weights import weights_of

StateT = TypeVar("StateT", contravariant=True)


class Decided(list[float]):
    """What each seat wins, where nothing is open any more; a win shared by k is 1/k."""


class Features(list[list[float]]):
    """The features of each seat in a position.

    Args:
        rows: one a seat.
        late: how much of the match is over, from 0 to 1, more or less.
    """

    def __init__(self, rows: Sequence[list[float]], late: float) -> None:
        super().__init__(rows)
        self.late: Final = late


class Evaluation(ABC, Generic[StateT]):
    """The chances of the seats: what each will score, by weights of its features, and how sure that is by then.

    Args:
        ruleset: whose weights to take.
        guesses: by the name of each feature how many points it may be worth at the end, before anything is learned.
    """

    def __init__(self, ruleset: str, guesses: Mapping[str, float]) -> None:
        self.ruleset: Final = ruleset
        self.names: Final = tuple(guesses)
        self.guesses: Final = tuple(guesses.values())

    @abstractmethod
    def features(self, state: StateT) -> Decided | Features:
        """Returns the features of each seat, unless the position is decided."""

    def log_odds(self, state: StateT) -> float:
        """Returns by how much a point improves the log-odds of winning; 0 where all is decided."""
        features = self.features(state)
        if isinstance(features, Decided):
            return 0.0
        return weights_of(self.ruleset, len(features), self.names).log_odds(features.late)

    def values(self, state: StateT, odds: float | None = None) -> list[float]:
        """Returns for each seat its chance of winning.

        Args:
            state: the position.
            odds: by how much a point improves the log-odds of winning; without, as is learned for a position so late.
        """
        features = self.features(state)
        if isinstance(features, Decided):
            return features
        weights = weights_of(self.ruleset, len(features), self.names)
        sure = weights.log_odds(features.late) if odds is None else odds
        return chances([sure * sum(map(mul, weights.points, row)) for row in features])
