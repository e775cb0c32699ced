"""Quantiles and histograms."""

from clients.tournament.statistics.distribution import distribution, histograms
from clients.tournament.statistics.standings import Distribution, Histogram


def test_quantiles_are_values_that_occur() -> None:
    """Of eight values in order the second, fourth and sixth are the quartiles."""
    assert distribution({1: 3, 4: 1, 9: 2, 20: 2}) == Distribution(8, 65 / 8, (1, 1, 4, 9, 20))


def test_of_nothing_there_is_nothing_to_tell() -> None:
    """No value, no name."""
    assert distribution({}) is None
    assert histograms({}) == {}
    assert histograms({"a": {}}) == {}


def test_there_are_at_most_twenty_intervals() -> None:
    """From 0 to 19 they are 1 wide; with 20 they are 2 wide."""
    assert histograms({"a": dict.fromkeys(range(20), 1)}) == {"a": Histogram(0, 1, (1,) * 20)}
    assert histograms({"a": dict.fromkeys(range(21), 1)}) == {"a": Histogram(0, 2, (*[2] * 10, 1))}


def test_values_below_zero_have_intervals_too() -> None:
    """Each interval holds its start and not its end."""
    assert histograms({"a": {-41: 2, -40: 1}, "b": {10: 1}}) == {
        "a": Histogram(-45, 5, (2, 1, *[0] * 10)),
        "b": Histogram(-45, 5, (*[0] * 11, 1)),
    }
