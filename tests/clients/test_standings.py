"""Standings: shares and intervals from results made by hand."""

import random

import pytest

from artreferee.v1 import match_pb2
from clients.tournament.schedule import Deal, Pairing
from clients.tournament.standings import Pace, Played, interval, paces, sections, win_shares


def _result(ranks: tuple[int, ...], scores: tuple[int, ...] | None = None) -> match_pb2.Result:
    seats = [match_pb2.SeatResult(rank=rank, score=scores[seat] if scores else None) for seat, rank in enumerate(ranks)]
    return match_pb2.Result(seats=seats, reason="COMPLETED")


def _played(deal: int, entrants: tuple[int, ...], ranks: tuple[int, ...]) -> Played:
    pairing = Pairing(Deal("classic_art", len(entrants), deal), 0, 0, entrants)
    return Played(pairing, "", _result(ranks), began=float(deal), ended=deal + 10.0)


@pytest.mark.parametrize(
    ("ranks", "shares"),
    [((1, 2), [1.0, 0.0]), ((1, 1), [0.5, 0.5]), ((2, 1, 1), [0.0, 0.5, 0.5]), ((1, 1, 1, 1), [0.25] * 4)],
)
def test_a_win_shared_by_k_counts_one_kth(ranks: tuple[int, ...], shares: list[float]) -> None:
    """The shares of a match always add up to one win."""
    assert win_shares(_result(ranks)) == shares


def test_the_share_of_copies_is_averaged() -> None:
    """One entrant on two of three seats that wins with one of them has won half a win a seat."""
    section = sections([_played(0, (0, 0, 1), (1, 2, 3))], ["a", "b"])[0]
    assert [(row.entrant, row.seats_played, row.share) for row in section.standings] == [("a", 2, 0.5), ("b", 1, 0.0)]


def test_sections_are_apart_by_seats() -> None:
    """Two and three seats are two sections, in this order, each with its own counts."""
    played = [_played(0, (0, 1, 1), (1, 2, 3)), _played(0, (0, 1), (1, 2)), _played(1, (1, 0), (1, 2))]
    found = sections(played, ["a", "b"])
    assert [(section.seats, section.matches, section.deals) for section in found] == [(2, 2, 2), (3, 1, 1)]


def test_an_interval_of_equal_deals_has_no_width() -> None:
    """Where every deal says the same there is nothing to resample."""
    assert interval([(1.0, 2)] * 20) == (0.5, 0.5)


def test_an_interval_covers_the_truth_as_often_as_it_says() -> None:
    """Of the 95 % intervals over 60 deals of a fair coin about 95 % hold one half."""
    rng = random.Random(5)
    covered = 0
    for _ in range(200):
        low, high = interval([(float(rng.random() < 0.5), 1) for _ in range(60)], resamples=300)
        covered += low <= 0.5 <= high
    assert 180 <= covered <= 199


def test_matches_on_one_deal_are_resampled_as_one() -> None:
    """Ten matches that repeat one deal's luck narrow nothing; ten deals do."""
    luck = [(float(deal % 2), 1) for deal in range(10)]
    repeated = [(10 * wins, 10 * count) for wins, count in luck]
    assert interval(luck) == interval(repeated)


def test_the_pace_of_a_ruleset_is_over_all_its_matches() -> None:
    """From the first beginning to the last end: three matches in twelve seconds."""
    assert paces([_played(deal, (0, 1), (1, 2)) for deal in (0, 2, 1)]) == [Pace("classic_art", 3, 12.0)]
    assert Pace("classic_art", 3, 12.0).per_minute == 15
