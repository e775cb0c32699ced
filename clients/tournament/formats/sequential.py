"""A sequential test of a mean that holds whenever it is stopped.

Nothing is assumed of the scores but that each is from 0 to 1 and that they are independent with one mean. Somebody
bets that the mean is not what a hypothesis says: a stake on each score, fixed before it is seen, at odds that are fair
if the hypothesis holds. Then the capital does not grow on average, and the chance that it ever comes to 1 / alpha times
what it was is at most alpha (Ville, 1939).

Waudby-Smith and Ramdas, "Estimating means of bounded random variables by betting", Journal of the Royal Statistical
Society B 86 (2024), sections 3 and 4. The stakes are about those that win fastest if the other hypothesis holds.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from math import log, log1p
from statistics import fmean
from typing import Final

_CAUTION: Final = 0.75
"""At most so much of the capital may be lost at once."""

_HALVINGS: Final = 24  # bounds are exact to a ten-millionth


class Verdict(StrEnum):
    """What a test has come to.

    Attributes:
        BETTER: the mean is more than the first hypothesis says.
        NOT_SHOWN: it is less than the second says: if there is a difference, it is less than was looked for.
        UNDECIDED: neither, yet or at all.
    """

    BETTER = "better"
    NOT_SHOWN = "not shown"
    UNDECIDED = "undecided"


@dataclass(frozen=True, slots=True)
class Hypotheses:
    """What is tested.

    Attributes:
        mean0: the first hypothesis: the mean is at most this.
        mean1: the second: it is at least this, which is more.
        alpha: how often the verdict may be BETTER although the first holds.
        beta: how often it may be NOT_SHOWN although the second holds.
    """

    mean0: float
    mean1: float
    alpha: float
    beta: float


@dataclass(frozen=True, slots=True)
class Outcome:
    """A test so far.

    Attributes:
        verdict: what it has come to.
        scores: how many there were.
        mean: of the scores; None if there are none. Where a test stopped by itself it is on average somewhat too far
            on the side of the verdict.
        low: the mean is at least this, and
        high: at most this, in all but a part alpha + beta of all tests, stopped whenever. The verdict is BETTER when
            `low` comes to the first hypothesis, NOT_SHOWN when `high` comes to the second.
        for_better: the logarithm of the capital won against the first hypothesis,
        better_at: and where it decides.
        for_not_shown: the logarithm of the capital won against the second,
        not_shown_at: and where it decides.
    """

    verdict: Verdict
    scores: int
    mean: float | None
    low: float
    high: float
    for_better: float
    better_at: float
    for_not_shown: float
    not_shown_at: float


def sequential_test(batches: Iterable[Sequence[float]], hypotheses: Hypotheses) -> Outcome:
    """Returns what the scores come to, looked at after each batch; those after a verdict do not count."""
    gap = hypotheses.mean1 - hypotheses.mean0
    better, not_shown = _Bets(hypotheses.mean0, gap), _Bets(1 - hypotheses.mean1, gap)
    better_at, not_shown_at = -log(hypotheses.alpha), -log(hypotheses.beta)
    verdict = Verdict.UNDECIDED
    for batch in batches:
        for score in batch:
            better.bet(score)
            not_shown.bet(1 - score)
        if better.won >= better_at:
            verdict = Verdict.BETTER
        elif not_shown.won >= not_shown_at:
            verdict = Verdict.NOT_SHOWN
        if verdict is not Verdict.UNDECIDED:
            break
    return Outcome(
        verdict=verdict,
        scores=len(better.scores),
        mean=fmean(better.scores) if better.scores else None,
        low=better.least_mean(better_at),
        high=1 - not_shown.least_mean(not_shown_at),
        for_better=better.won,
        better_at=better_at,
        for_not_shown=not_shown.won,
        not_shown_at=not_shown_at,
    )


class _Bets:
    """Bets that the mean is more than a hypothesis, by so much as the gap."""

    def __init__(self, mean: float, gap: float) -> None:
        self.scores: Final[list[float]] = []
        self.won = 0.0
        self._mean: Final = mean
        self._gap: Final = gap
        self._stakes: Final[list[float]] = []
        self._sum = 0.5
        self._squares = 0.25

    def bet(self, score: float) -> None:
        """Fixes the stake by the scores so far, to which one is added that is 1/2 off the mean, and sees the score."""
        count = len(self.scores) + 1
        stake = self._gap / (self._squares / count + self._gap**2)
        self.won += _growth(score, stake, self._mean)
        self.scores.append(score)
        self._stakes.append(stake)
        self._sum += score
        self._squares += (score - self._sum / (count + 1)) ** 2

    def least_mean(self, enough: float) -> float:
        """Returns the largest hypothesis against which these stakes would have won enough; 0 if there is none."""
        low, high = 0.0, 1.0
        for _ in range(_HALVINGS):
            mean = (low + high) / 2
            if self._would_have_won(mean) >= enough:
                low = mean
            else:
                high = mean
        return low

    def _would_have_won(self, mean: float) -> float:
        bets = zip(self.scores, self._stakes, strict=True)
        return sum(_growth(score, stake, mean) for score, stake in bets)


def _growth(score: float, stake: float, mean: float) -> float:
    return log1p(min(stake, _CAUTION / mean) * (score - mean))
