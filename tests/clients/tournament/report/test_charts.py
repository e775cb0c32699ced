"""Scales and words: round numbers, and everything within them."""

import pytest

from clients.tournament.report.charts import Bar, Scale, bars, decades, rating_scale, round_scale, share_scale
from clients.tournament.report.words import (
    deals_of,
    decimals,
    duration,
    elo,
    elo_range,
    matches_of,
    number,
    ordinal,
    percent_range,
    plain,
    utc,
)
from clients.tournament.statistics.standings import Estimate, Histogram


@pytest.mark.parametrize(
    ("values", "ticks"),
    [
        ([0, 100], [0, 50, 100]),
        ([3, 97], [0, 50, 100]),
        ([-30, 30], [-40, -20, 0, 20, 40]),
        ([7], [7, 8]),
        ([], [0, 1]),
        ([0.0, 0.34], [0, 0.1, 0.2, 0.3, 0.4]),
    ],
)
def test_a_scale_holds_its_values_between_round_ticks(values: list[float], ticks: list[float]) -> None:
    """Steps are 1, 2 or 5 times a power of ten; both ends are ticks."""
    scale = round_scale(values)
    assert list(scale.ticks) == pytest.approx(ticks)
    assert (scale.low, scale.high) == pytest.approx((ticks[0], ticks[-1]))


def test_positions_are_per_cent_and_never_outside() -> None:
    """The ends are 0 and 100, what lies beyond is drawn at the edge."""
    scale = Scale(-10.0, 30.0, ())
    assert [scale.at(value) for value in (-10, 0, 30, 99, -99)] == [0.0, 25.0, 100.0, 100.0, 0.0]


def test_decades_hold_whole_powers_of_ten() -> None:
    """Times of moves: from 3 ms to 2 s are four decades; less than 1 ms is drawn at 1 ms."""
    scale = decades([3, 40, 2000])
    assert scale.ticks == (1.0, 10.0, 100.0, 1000.0, 10000.0)
    assert [scale.at(value) for value in (0, 1, 10, 10000)] == [0.0, 0.0, 25.0, 100.0]
    assert decades([]).ticks == (1.0, 10.0)


def test_scales_of_estimates_hold_their_intervals() -> None:
    """Shares begin at 0 and end at 1 where they come near; ratings lie around their mean, 0."""
    assert share_scale([Estimate(0.2, 0.1, 0.3), None], 0.25).high == pytest.approx(0.3)
    assert share_scale([Estimate(0.7, 0.5, 0.9)]).ticks == (0.0, 0.5, 1.0)
    scale = rating_scale([Estimate(120.0, 90.0, 160.0), Estimate(10.0)])
    assert (scale.low, scale.high) == (-100.0, 200.0)
    assert rating_scale([Estimate(0.5, -1.0, 2.0)]).ticks == (-50.0, 0.0, 50.0)


def test_bars_stand_side_by_side_the_highest_of_full_height() -> None:
    """An empty interval has no bar."""
    assert bars(Histogram(0, 10, (1, 0, 4)), Scale(0.0, 40.0, ())) == [Bar(0.0, 25.0, 25), Bar(50.0, 25.0, 100)]


@pytest.mark.parametrize(
    ("ms", "words"),
    [
        (0, "0 ms"),
        (999, "999 ms"),
        (1000, "1.0 s"),
        (59_900, "59.9 s"),
        (60_000, "1 min 0 s"),
        (59_990, "1 min 0 s"),
        (999.7, "1.0 s"),
        (250_000, "4 min 10 s"),
        (3_599_800, "1 h 0 min"),
        (93_900_000, "26 h 5 min"),
    ],
)
def test_durations_have_the_unit_that_suits_them(ms: float, words: str) -> None:
    """What rounds to the next unit has it."""
    assert duration(ms).replace("\xa0", " ") == words


def test_numbers_as_people_read_them() -> None:
    """Signs, thousands, places and units."""
    minus = "\N{MINUS SIGN}"
    assert [elo(value) for value in (12.4, -0.3, -7.6)] == ["+12", "0", f"{minus}8"]
    assert elo_range(Estimate(0.0, -3.2, 4.0)) == f"{minus}3 to +4"
    assert elo_range(Estimate(0.0)) == percent_range(Estimate(0.5)) == ""
    assert percent_range(Estimate(0.5, 0.25, 0.755)) == "25.0\N{EN DASH}75.5\xa0%"
    assert [number(value) for value in (1234.5, 2.0, 100, -0.25)] == ["1,234.5", "2", "100", f"{minus}0.25"]
    assert decimals(-2.0, 1) == f"{minus}2.0"
    assert [ordinal(place) for place in (1, 2, 3, 4, 11, 21)] == ["1st", "2nd", "3rd", "4th", "11th", "21st"]
    assert plain("TIMED_OUT") == "timed out"
    assert [matches_of(count) for count in (1, 2000)] == ["1 match", "2,000 matches"]
    assert [deals_of(count) for count in (1, 2000)] == ["1 deal", "2,000 deals"]
    assert utc(1_796_033_296_233) == "2026-11-30 10:08\xa0UTC"
