"""The order of play: matches of a deal are far apart, and no match is lost."""

from itertools import pairwise

import pytest

from clients.tournament.formats import format_of
from clients.tournament.formats.order import APART, playing_order
from clients.tournament.pairing import Deal, Pairing, Round
from clients.tournament.plan import Entrant, FormatName, Plan
from tests.clients.tournament.formats.playing import game, made_round, plan


def _round(entrants: str, seats: int, deals: int) -> Round:
    return made_round(format_of(plan(FormatName.ROUND_ROBIN, entrants, seats, deals)), tuple(entrants))


def _places(order: list[Pairing]) -> dict[Deal, list[int]]:
    places: dict[Deal, list[int]] = {}
    for place, pairing in enumerate(order):
        places.setdefault(pairing.deal, []).append(place)
    return places


def _gaps(order: list[Pairing]) -> list[int]:
    return [second - first for at in _places(order).values() for first, second in pairwise(at)]


def test_a_small_round_by_hand() -> None:
    """Two deals of three pairs: the deals take turns, and every pair's sides are as far apart as there is room."""
    order = [
        (pairing.deal.number, "".join(pairing.entrants)) for pairing in playing_order(_round("abc", seats=2, deals=2))
    ]
    assert order == [
        *[(0, "ab"), (1, "ab"), (0, "ac"), (1, "ac"), (0, "bc"), (1, "bc")],
        *[(0, "ba"), (1, "ba"), (0, "ca"), (1, "ca"), (0, "cb"), (1, "cb")],
    ]


@pytest.mark.parametrize(("seats", "deals"), [(2, 1), (2, APART), (2, APART + 1), (3, 2 * APART - 1), (3, 3 * APART)])
def test_matches_of_a_deal_are_far_apart_where_there_are_deals_enough(seats: int, deals: int) -> None:
    made = _round("abc", seats, deals)
    order = list(playing_order(made))
    assert sorted(pairing.name for pairing in order) == sorted(
        pairing.name for group in made.groups for pairing in group.pairings
    )
    assert min(_gaps(order)) >= min(APART, deals)


def test_the_sides_of_a_pair_are_further_apart_than_other_matches_of_the_deal() -> None:
    """Ten deals of six pairs: between the sides of a pair are all other pairs of all deals."""
    order = list(playing_order(_round("abcd", seats=2, deals=10)))
    for place, pairing in enumerate(order[:60]):
        assert order[place + 60].entrants == pairing.entrants[::-1]


def test_early_deals_are_done_with_before_late_ones_begin() -> None:
    """Their records are released while the tournament goes on."""
    places = _places(list(playing_order(_round("abc", seats=2, deals=2 * APART))))
    early, late = ([at for deal, at in places.items() if (deal.number < APART) is first] for first in (True, False))
    assert max(at[-1] for at in early) < min(at[0] for at in late)


def test_deals_of_several_games_are_spread_evenly() -> None:
    """Two matches of a pair and six of a table of three: the long deals keep at least their own number apart."""
    games = Plan((game(2), game(3)), tuple(map(Entrant, "abc")), deals=6)
    order = list(playing_order(made_round(format_of(games), "abc")))
    assert len(order) == 6 * (6 + 6)
    assert min(_gaps(order)) >= 6
