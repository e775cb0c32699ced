"""Schedules: who meets whom, counted by hand."""

from collections import Counter

import pytest

from clients.tournament.schedule import Deal, round_robin, seatings, tables


def test_every_group_of_different_entrants_meets() -> None:
    """Four entrants at tables of three: the four ways to leave one out."""
    assert tables(4, 3) == [(0, 1, 2), (0, 1, 3), (0, 2, 3), (1, 2, 3)]


@pytest.mark.parametrize(
    ("seats", "groups"),
    [
        (2, [(0, 1)]),
        (3, [(0, 0, 1), (0, 1, 1)]),
        (4, [(0, 0, 1, 1)]),
        (5, [(0, 0, 0, 1, 1), (0, 0, 1, 1, 1)]),
    ],
)
def test_too_few_entrants_are_copied_as_evenly_as_can_be(seats: int, groups: list[tuple[int, ...]]) -> None:
    """Two entrants fill every table, and each way to share it fairly is played."""
    assert tables(2, seats) == groups


@pytest.mark.parametrize(("entrants", "orders"), [(2, 1), (3, 2), (4, 6), (5, 24)])
def test_seatings_are_the_orders_around_the_table(entrants: int, orders: int) -> None:
    """N different entrants sit around a table in (N - 1)! ways."""
    assert len(seatings(range(entrants))) == orders


def test_equal_entrants_make_equal_seatings() -> None:
    """Two and two sit either beside each other or in turn."""
    assert seatings((0, 0, 1, 1)) == [(0, 0, 1, 1), (0, 1, 0, 1)]


@pytest.mark.parametrize("seats", [2, 3, 4])
def test_every_order_of_the_entrants_is_played_once_on_every_deal(seats: int) -> None:
    """All seatings in all rotations are all permutations, so that every entrant has every seat equally often."""
    deals = [Deal("classic_art", seats, number) for number in range(3)]
    rounds = list(round_robin(deals, seats))
    for deal, pairings in zip(deals, rounds, strict=True):
        assert {pairing.deal for pairing in pairings} == {deal}
        assert len({pairing.entrants for pairing in pairings}) == len(pairings)
        places = Counter((entrant, seat) for pairing in pairings for seat, entrant in enumerate(pairing.entrants))
        assert len(set(places.values())) == 1
        assert len(places) == seats * seats


def test_names_of_matches_differ() -> None:
    """The name of a match keys its creation, so no two may share it."""
    deals = [Deal("classic_art", seats, number) for seats in (2, 3, 4, 5) for number in range(4)]
    names = [pairing.name for pairings in round_robin(deals, 2) for pairing in pairings]
    assert len(set(names)) == len(names) == 4 * (2 + 6 + 6 + 20)
