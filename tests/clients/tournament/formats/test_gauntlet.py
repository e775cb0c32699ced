"""Gauntlets, written by hand: others never meet without a champion."""

from itertools import combinations

import pytest

from clients.tournament.formats import format_of
from clients.tournament.plan import FormatName, Plan
from tests.clients.tournament.formats.playing import made_round, plan, play_on, result_of, seated


def _plan(champions: str, seats: int = 2, deals: int = 1) -> Plan:
    return plan(FormatName.GAUNTLET, "abcz", seats, deals, champions=tuple(champions))


def test_a_champion_meets_each_of_the_others_and_they_do_not_meet() -> None:
    made = made_round(format_of(_plan("z", deals=2)), "abcz")
    assert seated(made.groups) == [(0, "az"), (0, "bz"), (0, "cz"), (1, "az"), (1, "bz"), (1, "cz")]
    assert [pairing.entrants for pairing in made.groups[0].pairings] == [("a", "z"), ("z", "a")]


def test_champions_meet_the_same_others_and_not_each_other() -> None:
    made = made_round(format_of(_plan("bz")), "abcz")
    assert seated(made.groups) == [(0, "ab"), (0, "bc"), (0, "az"), (0, "cz")]


def test_at_larger_tables_a_champion_meets_every_group_of_others() -> None:
    made = made_round(format_of(_plan("z", seats=3)), "abcz")
    assert seated(made.groups) == [(0, "abz"), (0, "azb"), (0, "acz"), (0, "azc"), (0, "bcz"), (0, "bzc")]


def test_others_that_are_too_few_are_copied() -> None:
    made = made_round(format_of(_plan("z", seats=4)), "az")
    assert seated(made.groups) == [(0, "aaaz")]


@pytest.mark.parametrize("champions", ["z", "az"])
@pytest.mark.parametrize("seats", [2, 3, 4, 5])
@pytest.mark.parametrize("groups", [0, 3])
def test_no_table_lacks_a_champion_or_has_two(seats: int, champions: str, groups: int) -> None:
    form = format_of(plan(FormatName.GAUNTLET, "abcdez", seats, 5, champions=tuple(champions), groups=groups))
    made = made_round(form, "abcdez")
    for pairing in (pairing for group in made.groups for pairing in group.pairings):
        assert len([name for name in pairing.entrants if name in champions]) == 1


def test_a_late_entrant_meets_the_champions() -> None:
    form = format_of(_plan("yz"))
    first = result_of(made_round(form, "abyz"))
    second = result_of(made_round(form, "abyzc", [first]))
    assert seated(second.round.groups) == [(0, "cy"), (0, "cz")]
    assert form.next_round("abyzc", [first, second]) is None


def test_a_late_entrant_meets_the_others_at_tables_of_three() -> None:
    form = format_of(_plan("z", seats=3))
    first = result_of(made_round(form, "abz"))
    pairs = {group.entrants - {"z"} for group in made_round(form, "abzc", [first]).groups}
    assert pairs == {frozenset("ac"), frozenset("bc")}


@pytest.mark.parametrize("entrants", ["", "z", "abc"])
def test_it_is_over_without_champions_or_without_others(entrants: str) -> None:
    assert format_of(_plan("z")).next_round(tuple(entrants), []) is None


def test_a_sample_has_each_champion_meet_others_as_often_as_each_other() -> None:
    """Two champions, three others, six deals of two groups: each two meet twice."""
    form = format_of(plan(FormatName.GAUNTLET, "abcyz", deals=6, champions=("y", "z"), groups=2))
    (only,) = play_on(form, "abcyz")
    met = [group.entrants for group in only.round.groups]
    assert [met.count(frozenset((champion, other))) for champion in "yz" for other in "abc"] == [2] * 6
    assert not any(frozenset(pair) in met for pair in combinations("abc", 2))
