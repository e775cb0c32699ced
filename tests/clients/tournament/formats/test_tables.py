"""Who can sit at a table and where, counted by hand."""

from collections import Counter

import pytest

from clients.tournament.formats.tables import Pool, rotations, seatings, shuffled_seatings, tables


def _tables(entrants: str, seats: int) -> list[str]:
    return ["".join(table) for table in tables([Pool(tuple(entrants), seats)])]


def test_every_choice_of_different_entrants_is_a_table() -> None:
    """Four entrants at tables of three: the four ways to leave one out."""
    assert _tables("abcd", 3) == ["abc", "abd", "acd", "bcd"]


@pytest.mark.parametrize(
    ("entrants", "seats", "expected"),
    [
        ("ab", 3, ["aab", "abb"]),
        ("ab", 4, ["aabb"]),
        ("ab", 5, ["aaabb", "aabbb"]),
        ("abc", 3, ["abc"]),
        ("abc", 4, ["aabc", "abbc", "abcc"]),
        ("abc", 5, ["aabbc", "aabcc", "abbcc"]),
        ("abcd", 5, ["aabcd", "abbcd", "abccd", "abcdd"]),
    ],
)
def test_too_few_entrants_are_copied_as_evenly_as_can_be(entrants: str, seats: int, expected: list[str]) -> None:
    """They fill every table, and each way to share it fairly is one."""
    assert _tables(entrants, seats) == expected


def test_pools_share_a_table() -> None:
    """One of two champions with one of two others, or with both of them."""
    champions = Pool(("y", "z"), 1)
    assert ["".join(table) for table in tables([champions, Pool(("a", "b"), 1)])] == ["ay", "by", "az", "bz"]
    assert ["".join(table) for table in tables([champions, Pool(("a", "b"), 2)])] == ["aby", "abz"]


@pytest.mark.parametrize(("table", "orders"), [("ab", 1), ("abc", 2), ("abcd", 6), ("abcde", 24)])
def test_seatings_are_the_orders_around_the_table(table: str, orders: int) -> None:
    """N different entrants sit around a table in (N - 1)! ways."""
    assert len(seatings(tuple(table))) == orders


def test_equal_entrants_make_equal_seatings() -> None:
    """Two and two sit either beside each other or in turn."""
    assert seatings(("a", "a", "b", "b")) == [("a", "a", "b", "b"), ("a", "b", "a", "b")]


@pytest.mark.parametrize("table", ["ab", "abc", "abcd", "abcde", "aab", "aabb", "aabbb", "aabcc"])
def test_all_seatings_in_all_rotations_are_all_orders(table: str) -> None:
    """Each order of the names once: 5!/(2! 2!) = 30 of two, two and one."""
    orders = [order for seating in seatings(tuple(table)) for order in rotations(seating)]
    copies = 1
    for count in Counter(table).values():
        copies *= [1, 1, 2, 6][count]
    assert len(set(orders)) == len(orders) == [1, 1, 2, 6, 24, 120][len(table)] // copies
    assert {tuple(sorted(order)) for order in orders} == {tuple(table)}


@pytest.mark.parametrize("table", ["ab", "abc", "abcd", "abcde"])
def test_in_all_rotations_everyone_has_every_seat_once(table: str) -> None:
    """A Latin square: nobody is at an advantage by where it sits."""
    for seating in seatings(tuple(table)):
        for seat in range(len(table)):
            assert sorted(order[seat] for order in rotations(seating)) == list(table)


def test_shuffled_seatings_are_the_same_ones() -> None:
    assert sorted(shuffled_seatings(tuple("abcde"))) == seatings(tuple("abcde"))
