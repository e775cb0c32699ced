"""The sequential test: how often it errs, whenever it stops, and a few bets by hand."""

from collections.abc import Callable, Iterator
from itertools import product
from math import exp, log
from random import Random

import pytest

from clients.tournament.formats.ab import share_of
from clients.tournament.formats.sequential import Hypotheses, Outcome, Verdict, sequential_test

BATCH = 8

Scores = Callable[[Random], float]


def _hypotheses(elo1: float) -> Hypotheses:
    return Hypotheses(share_of(0), share_of(elo1), 0.05, 0.05)


def _single(mean: float) -> Scores:
    """One match: the largest variance there is."""
    return lambda rng: float(rng.random() < mean)


def _two_sides(mean: float) -> Scores:
    """Both sides of a deal, won or lost by themselves."""
    return lambda rng: ((rng.random() < mean) + (rng.random() < mean)) / 2


def _half_ties(mean: float) -> Scores:
    """Every second match is a tie; the others are won so much more often."""
    won = 2 * mean - 0.5
    return lambda rng: sum(0.5 if rng.random() < 0.5 else float(rng.random() < won) for _ in range(2)) / 2


def _deal_decides(mean: float) -> Scores:
    """Mostly the deal decides and each side wins once; one of three deals is won or lost on both sides."""
    won = 3 * (mean - 0.5) + 0.5
    return lambda rng: float(rng.random() < won) if rng.random() < 1 / 3 else 0.5


def _long_group(mean: float) -> Scores:
    """Six matches of a deal: a small variance."""
    return lambda rng: sum(rng.random() < mean for _ in range(6)) / 6


def _rare_losses(mean: float) -> Scores:
    """Mostly a little better than needed, sometimes all is lost: skewed, so that the mean of a few misleads."""
    return lambda rng: 0.0 if rng.random() < 1 - mean / 0.8 else 0.8


def _rare_wins(mean: float) -> Scores:
    return lambda rng: 1.0 if rng.random() < (mean - 0.4) / 0.6 else 0.4


KINDS = [_single, _two_sides, _half_ties, _deal_decides, _long_group, _rare_losses, _rare_wins]


def _batches(scores: Scores, rng: Random, limit: int) -> Iterator[list[float]]:
    return ([scores(rng) for _ in range(BATCH)] for _ in range(limit // BATCH))


def _outcomes(scores: Scores, hypotheses: Hypotheses, limit: int, tests: int = 200) -> list[Outcome]:
    return [sequential_test(_batches(scores, Random(number), limit), hypotheses) for number in range(tests)]


def _part(outcomes: list[Outcome], verdict: Verdict) -> float:
    return sum(outcome.verdict is verdict for outcome in outcomes) / len(outcomes)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(
    ("tests", "elo1", "limit"),
    [
        (200, 100, 2000),
        pytest.param(2000, 100, 2000, marks=pytest.mark.long),
        pytest.param(2000, 30, 20_000, marks=pytest.mark.long),
    ],
)
def test_equals_are_seldom_told_apart_and_a_difference_is_seldom_missed(
    kind: Callable[[float], Scores], tests: int, elo1: float, limit: int
) -> None:
    """Each in at most 5 % of tests, and the interval holds the mean in 90 % of them, though they stop when they may."""
    hypotheses = _hypotheses(elo1)
    for mean, right, wrong in (
        (hypotheses.mean0, Verdict.NOT_SHOWN, Verdict.BETTER),
        (hypotheses.mean1, Verdict.BETTER, Verdict.NOT_SHOWN),
    ):
        outcomes = _outcomes(kind(mean), hypotheses, limit, tests)
        assert _part(outcomes, wrong) <= 0.05
        assert _part(outcomes, right) >= 0.95
        assert sum(outcome.low <= mean <= outcome.high for outcome in outcomes) >= 0.9 * tests


def test_a_low_limit_makes_no_more_errors() -> None:
    """It only leaves tests undecided."""
    hypotheses = _hypotheses(100)
    outcomes = _outcomes(_two_sides(0.5), hypotheses, limit=24)
    assert _part(outcomes, Verdict.BETTER) <= 0.05
    assert _part(outcomes, Verdict.UNDECIDED) > 0.5


def test_the_interval_says_what_the_verdict_says() -> None:
    hypotheses = _hypotheses(100)
    for outcome in _outcomes(_two_sides(0.57), hypotheses, limit=2000):
        assert (outcome.low >= hypotheses.mean0 - 1e-6) == (outcome.verdict is Verdict.BETTER)
        assert (outcome.high <= hypotheses.mean1 + 1e-6) == (outcome.verdict is Verdict.NOT_SHOWN)


def test_bets_by_hand() -> None:
    """The first stake is 0.1 / (0.25 + 0.01); then the variance is that of 1/2 away from 1/2 and 1/4 away from 3/4."""
    outcome = sequential_test([[1.0], [0.0]], Hypotheses(0.5, 0.6, 0.05, 0.05))
    first, second = 0.1 / 0.26, 0.1 / ((0.25 + 0.0625) / 2 + 0.01)
    assert outcome.for_better == pytest.approx(log(1 + first / 2) + log(1 - second / 2))
    assert outcome.for_not_shown == pytest.approx(log(1 - first * 0.4) + log(1 + second * 0.6))
    assert (outcome.verdict, outcome.scores, outcome.mean) == (Verdict.UNDECIDED, 2, 0.5)
    assert (outcome.low, outcome.high) == (0, 1)


@pytest.mark.parametrize("values", [(0.0, 1.0), (0.0, 0.5, 1.0), (0.25, 0.5, 0.75)])
def test_the_capital_does_not_grow_on_average_under_its_hypothesis(values: tuple[float, ...]) -> None:
    """All sequences of six scores, each value as likely as the others, have a mean of 1/2: the capitals sum to one."""
    for hypotheses in (Hypotheses(0.5, 0.7, 1e-9, 1e-9), Hypotheses(0.3, 0.5, 1e-9, 1e-9)):
        outcomes = [sequential_test([scores], hypotheses) for scores in product(values, repeat=6)]
        won = [each.for_better if hypotheses.mean0 == 0.5 else each.for_not_shown for each in outcomes]
        assert sum(map(exp, won)) / len(outcomes) == pytest.approx(1)


def test_nothing_but_ties_shows_no_difference() -> None:
    outcome = sequential_test([[0.5] * BATCH] * 100, _hypotheses(30))
    assert (outcome.verdict, outcome.mean) == (Verdict.NOT_SHOWN, 0.5)


def test_what_comes_after_the_verdict_does_not_count() -> None:
    """The verdict is that of the first batch that gives one."""
    won, lost = [[1.0] * BATCH] * 20, [[0.0] * BATCH] * 20
    outcome = sequential_test([*won, *lost], _hypotheses(100))
    assert outcome.verdict is Verdict.BETTER
    assert outcome == sequential_test(won, _hypotheses(100))


def test_it_is_looked_at_after_batches_only() -> None:
    """Ten wins and then ten losses: after the wins it would have stopped; of them together it says nothing."""
    hypotheses = Hypotheses(0.5, 0.6, 0.3, 0.01)
    assert sequential_test([[1.0] * 10, [0.0] * 10], hypotheses).verdict is Verdict.BETTER
    assert sequential_test([[1.0] * 10 + [0.0] * 10], hypotheses).verdict is Verdict.UNDECIDED


def test_without_scores_nothing_is_known() -> None:
    outcome = sequential_test([], _hypotheses(30))
    assert (outcome.verdict, outcome.scores, outcome.mean) == (Verdict.UNDECIDED, 0, None)
    assert (outcome.low, outcome.high, outcome.for_better, outcome.for_not_shown) == (0, 1, 0, 0)
    assert [outcome.better_at, outcome.not_shown_at] == pytest.approx([log(20), log(20)])
