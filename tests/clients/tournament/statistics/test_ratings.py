"""Ratings: what must hold whatever the results are."""

import random
from collections.abc import Sequence
from dataclasses import replace
from itertools import combinations, permutations
from math import exp, inf, isfinite, log, log10

import pytest

from clients.tournament.results import Played, SeatResult
from clients.tournament.statistics.summary import Facts, standings
from tests.clients.tournament.statistics.made import by_name, ends, match, names_in, ratings, results, rows

NAMES = "abcdef"


def played(seed: int, sizes: Sequence[int] = (2, 3, 4), matches: int = 40) -> list[Played]:
    """Random results, ties among them, at tables of several sizes on a few deals."""
    rng = random.Random(seed)
    made = []
    for table in range(matches):
        names = rng.sample(NAMES, rng.choice(sizes))
        scores = [rng.randrange(4) + NAMES.index(name) // 2 for name in names]
        ranks = [1 + sum(other > score for other in scores) for score in scores]
        made.append(match(names, ranks, deal=table % 5, table=table))
    return made


def test_the_order_of_results_changes_nothing() -> None:
    """Not in a single bit, intervals included: of results, of groups, of entrants."""
    matches = played(1)
    shuffled = random.Random(2).sample(matches, len(matches))
    straight = Facts(entrants=names_in(matches), rounds=[results(matches)], played=by_name(matches))
    mixed = Facts(entrants=names_in(matches)[::-1], rounds=[results(shuffled)], played=by_name(shuffled))
    assert standings(straight, 50).overall.table == standings(mixed, 50).overall.table


@pytest.mark.parametrize("seed", range(5))
def test_names_change_nothing(seed: int) -> None:
    """With other names the ratings are those of the old ones."""
    matches = played(seed)
    other = dict(zip(NAMES, random.Random(seed).sample(NAMES, len(NAMES)), strict=True))
    renamed = [match_of([other[name] for name in made.pairing.entrants], made) for made in matches]
    assert ratings(renamed) == pytest.approx(
        {other[name]: rating for name, rating in ratings(matches).items()}, abs=0.02
    )


def match_of(names: Sequence[str], like: Played) -> Played:
    """Returns a match with the results of another."""
    pairing = replace(like.pairing, entrants=tuple(names))
    return replace(like, pairing=pairing)


@pytest.mark.parametrize("seed", range(6))
def test_a_win_in_place_of_a_loss_never_lowers_a_rating(seed: int) -> None:
    """Whoever was not first in a match becomes its only first, the others keeping their order."""
    matches = played(seed, matches=12)
    before = ratings(matches)
    for number, lost in enumerate(matches):
        for seat, result in enumerate(lost.seats):
            if result.rank > 1:
                winner = lost.pairing.entrants[seat]
                won = replace(lost, seats=_first(lost.seats, seat))
                after = ratings([*matches[:number], won, *matches[number + 1 :]])
                assert after[winner] >= before[winner]


def _first(seats: Sequence[SeatResult], winner: int) -> tuple[SeatResult, ...]:
    keys = [-inf if seat == winner else result.rank for seat, result in enumerate(seats)]
    return tuple(SeatResult(1 + sum(other < key for other in keys)) for key in keys)


def test_equal_records_give_equal_ratings() -> None:
    """Everybody beats everybody else once: all are 0, exactly."""
    matches = [match(pair, (1, 2), table=table) for table, pair in enumerate(permutations(NAMES, 2))]
    assert ratings(matches) == dict.fromkeys(NAMES, 0.0)


def test_shared_records_give_shared_ratings() -> None:
    """Two that a beats alike and that draw with each other are equal; a is better, and the mean is 0."""
    matches = [match("abc", (1, 2, 2)), match("ab", (1, 2)), match("ac", (1, 2), table=1)]
    rated = ratings(matches)
    assert rated["a"] > 0 > rated["b"]
    assert rated["b"] == rated["c"]
    assert sum(rated.values()) == pytest.approx(0.0, abs=0.02)


def test_the_scale_is_that_of_elo() -> None:
    """Of many matches without ties the difference is 400 * log10 of the odds: 3 to 1 is 191."""
    matches = [match("ab", (1, 2) if table % 4 else (2, 1), table=table) for table in range(4000)]
    rated = ratings(matches)
    assert rated["a"] - rated["b"] == pytest.approx(400 * log10(3), abs=0.5)


def test_a_known_rating() -> None:
    """One win: with x half of the difference of logs, 1 - s(2x) + 1/2 - s(x) = 0, where s is the logistic function."""
    x = ratings([match("ab", (1, 2))])["a"] * log(10) / 400
    assert 1.5 - 1 / (1 + exp(-2 * x)) - 1 / (1 + exp(-x)) == pytest.approx(0.0, abs=1e-4)


def test_who_only_wins_has_a_finite_rating() -> None:
    """And more wins raise it."""
    few, many = (ratings([match("ab", (1, 2), table=table) for table in range(count)])["a"] for count in (10, 1000))
    assert isfinite(many)
    assert few < many


def test_who_never_met_is_rated_all_the_same() -> None:
    """Two pairs apart: the winners are equal, and so are the losers."""
    rated = ratings([match("ab", (1, 2)), match("cd", (1, 2), table=1)])
    assert rated["a"] == rated["c"] > 0 > rated["b"] == rated["d"]


def test_copies_of_an_entrant_are_not_compared_to_each_other() -> None:
    """One copy before and one behind b is half a win and half a loss: a and b are equal; two before b are a win."""
    assert ratings([match("aab", (1, 3, 2))]) == {"a": 0.0, "b": 0.0}
    assert ratings([match("aab", (1, 2, 3))]) == ratings([match("ab", (1, 2))])
    assert ratings([match("aab", (1, 1, 3))]) == ratings([match("ab", (1, 2))])


def test_only_whole_rankings_and_not_scores_matter() -> None:
    """A win by one point is a win."""
    near, far = (match("ab", (1, 2), scores=scores) for scores in ((10, 9), (90, 1)))
    assert ratings([near]) == ratings([far])


def test_an_interval_of_a_rating_covers_the_truth() -> None:
    """Two entrants of which one wins 2 of 3, over 60 deals: 95 % of the intervals hold 400 * log10(2) / 2."""
    rng = random.Random(3)
    covered = 0
    for _ in range(60):
        matches = [match("ab", (1, 2) if rng.random() < 2 / 3 else (2, 1), deal=deal) for deal in range(60)]
        low, high = ends(rows(matches, resamples=200)["a"].rating)
        covered += low <= 400 * log10(2) / 2 <= high
    assert 52 <= covered <= 60


def test_intervals_are_those_of_fits_to_the_samples() -> None:
    """One step of a fit a sample does nearly what a whole fit a sample does, made here by drawing deals by hand."""
    rng = random.Random(6)
    strength = {"a": 2, "b": 1, "c": 0}
    deals = [
        [match(pair, _contest(rng, strength, pair), table=table) for table, pair in enumerate(combinations("abc", 2))]
        for _ in range(25)
    ]
    fits = [_refitted([deals[rng.randrange(25)] for _ in deals]) for _ in range(120)]
    found = rows([replace_deal(made, number) for number, deal in enumerate(deals) for made in deal], resamples=500)
    for name in "abc":
        drawn = sorted(fitted[name] for fitted in fits)
        assert ends(found[name].rating) == pytest.approx((drawn[3], drawn[116]), abs=25)


def _contest(rng: random.Random, strength: dict[str, int], pair: Sequence[str]) -> tuple[int, int]:
    one, other = (strength[name] + rng.gauss(0, 2) for name in pair)
    return (1, 2) if one > other else (2, 1)


def _refitted(deals: Sequence[Sequence[Played]]) -> dict[str, float]:
    return ratings([replace_deal(made, number) for number, deal in enumerate(deals) for made in deal])


def replace_deal(made: Played, number: int) -> Played:
    """Returns a match as if it was played on another deal."""
    return replace(made, pairing=replace(made.pairing, deal=replace(made.pairing.deal, number=number)))
