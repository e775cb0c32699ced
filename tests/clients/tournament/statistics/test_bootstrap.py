"""Intervals: against a naive computation, and what they say of chance."""

import random
from collections.abc import Sequence
from itertools import product

import pytest

from clients.tournament.results import Played
from clients.tournament.statistics.bootstrap import Ratios, Samples, interval
from clients.tournament.statistics.standings import Estimate
from clients.tournament.statistics.summary import Facts, standings
from clients.tournament.statistics.tally import Count, Counts, Key
from tests.clients.tournament.statistics.made import by_name, ends, match, results, rows

WINS, SEATS = Key(Count.WINS, ("a",)), Key(Count.SEATS, ("a",))

Deals = Sequence[tuple[int, int]]  # wins, seats


def estimate(*games: Deals, times: int = 1000) -> Estimate:
    """The share over all deals of some games."""
    strata: list[list[Counts]] = [[{WINS: wins, SEATS: seats} for wins, seats in deals] for deals in games]
    counted = {
        WINS: sum(wins for deals in games for wins, _ in deals),
        SEATS: sum(seats for deals in games for _, seats in deals),
    }
    return Ratios(counted, [WINS, SEATS], Samples(strata, times)).estimate(WINS, SEATS, unit=1)


def percentiles(values: Sequence[float]) -> tuple[float, float]:
    ordered = sorted(values)
    return ordered[round(0.025 * len(ordered))], ordered[round(0.975 * len(ordered))]


def test_the_interval_of_few_deals_is_that_of_all_samples_there_are() -> None:
    """Five deals can be drawn in 3125 ways, each as likely as the others."""
    deals = [(3, 4), (1, 2), (0, 4), (5, 6), (2, 3)]
    ways = [
        sum(wins for wins, _ in drawn) / sum(seats for _, seats in drawn) for drawn in product(deals, repeat=len(deals))
    ]
    low, high = percentiles(ways)
    found = estimate(deals, times=20_000)
    assert found.value == 11 / 19
    assert ends(found) == pytest.approx((low, high), abs=0.01)


def test_games_are_drawn_apart() -> None:
    """Each sample has as many deals of each game as were played; a naive computation with other draws agrees."""
    rng = random.Random(8)
    many, few = [(rng.randrange(5), 4) for _ in range(40)], [(rng.randrange(9), 8) for _ in range(5)]
    drawn = [[*rng.choices(many, k=40), *rng.choices(few, k=5)] for _ in range(10_000)]
    low, high = percentiles([sum(wins for wins, _ in deals) / sum(seats for _, seats in deals) for deals in drawn])
    found = estimate(many, few, times=4000)
    assert ends(found) == pytest.approx((low, high), abs=0.01)


def test_very_many_deals_are_drawn_in_lots_of_the_same_spread() -> None:
    """The share of 3000 fair coins is between 1/2 minus and plus 1.96 * 0.5 / sqrt(3000)."""
    rng = random.Random(2)
    low, high = ends(estimate([(rng.randrange(2), 1) for _ in range(3000)]))
    assert high - low == pytest.approx(2 * 1.96 * 0.5 / 3000**0.5, rel=0.1)


def test_equal_deals_leave_no_doubt() -> None:
    """Where every deal says the same the interval has no width."""
    assert estimate([(1, 2)] * 20) == Estimate(0.5, 0.5, 0.5)


def test_of_one_deal_nothing_is_known() -> None:
    """One deal a game, or no sample, gives no interval rather than one without width."""
    assert estimate([(1, 2)], [(3, 4)]) == Estimate(4 / 6)
    assert estimate([(1, 2), (1, 2)], times=0) == Estimate(0.5)


def test_samples_without_the_whole_are_left_out() -> None:
    """Of three deals two have the entrant; a sample may miss both, and then says nothing of it."""
    strata: list[list[Counts]] = [[{}, {WINS: 1, SEATS: 2}, {WINS: 2, SEATS: 2}]]
    found = Ratios({WINS: 3, SEATS: 4}, [WINS, SEATS], Samples(strata, 1000)).estimate(WINS, SEATS, unit=1)
    assert found == Estimate(0.75, 0.5, 1.0)


def test_sums_may_be_negative() -> None:
    """Rows are packed; each sample of equal rows sums to a multiple of them, whatever their signs."""
    deals: list[list[Counts]] = [[{}] * 3]
    assert Samples(deals, 2).sums(lambda _: []) == []
    varied: list[list[Counts]] = [[{SEATS: 1}] * 3]
    assert Samples(varied, 2).sums(lambda _: [-5, 0, 7, -(2**40)]) == [[-15, 0, 21, -3 * 2**40]] * 2


def test_an_interval_leaves_two_and_a_half_percent_at_either_end() -> None:
    """Of 0 to 199 five are below 5 and five above 194."""
    assert interval(1.0, range(200)) == Estimate(1.0, 5, 194)


def test_an_interval_covers_the_truth_as_often_as_it_says() -> None:
    """Of the 95 % intervals over 60 deals of a fair coin about 95 % hold one half."""
    rng = random.Random(5)
    covered = 0
    for _ in range(200):
        low, high = ends(estimate([(rng.randrange(2), 1) for _ in range(60)], times=300))
        covered += low <= 0.5 <= high
    assert 180 <= covered <= 199


def _lucky(tables: int) -> list[Played]:
    """Ten deals in which a beats b at every table or at none."""
    return [
        match("ab", (1, 2) if deal % 2 else (2, 1), deal=deal, table=table)
        for deal in range(10)
        for table in range(tables)
    ]


def test_a_deal_of_several_pairings_is_drawn_as_one() -> None:
    """Eight tables that repeat one deal's luck narrow nothing."""
    assert rows(_lucky(8), resamples=500)["a"].share == rows(_lucky(1), resamples=500)["a"].share


def test_independent_matches_are_drawn_each_by_itself() -> None:
    """Where each match has a deal of its own, eighty say more than ten."""

    def width(independent: bool) -> float:
        matches = _lucky(8)
        facts = Facts(
            entrants=["a", "b"], rounds=[results(matches)], played=by_name(matches), independent_deals=independent
        )
        low, high = ends(standings(facts).overall.table.standings[0].share)
        return high - low

    assert width(independent=True) == pytest.approx(width(independent=False) / 8**0.5, rel=0.25)
