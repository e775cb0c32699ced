"""Samples of a round robin: nobody sits more often than others, and all meet all."""

from collections import Counter
from collections.abc import Sequence
from itertools import combinations

import pytest

from clients.tournament.formats import format_of
from clients.tournament.formats.sample import sampled_seatings
from clients.tournament.formats.tables import Pool, rotations, seatings, smallest_rotation
from clients.tournament.plan import FormatName, Plan
from tests.clients.tournament.formats.playing import made_round, plan, play_on, result_of

ENTRANTS = "abcdefghijkl"


def _plan(entrants: str, seats: int, groups: int, deals: int) -> Plan:
    return plan(FormatName.ROUND_ROBIN, entrants, seats, deals, groups=groups)


def _sample(number: int, seats: int, groups: int, deals: int) -> Sequence[Sequence[tuple[str, ...]]]:
    return sampled_seatings((Pool(tuple(ENTRANTS[:number]), seats),), groups, deals, "game")


def _spread(counts: Counter[str]) -> int:
    return max(counts.values()) - min(counts.values())


@pytest.mark.parametrize("seats", [2, 3, 4, 5])
@pytest.mark.parametrize("number", [2, 3, 4, 6, 9])
@pytest.mark.parametrize("groups", [1, 3, 5, 20])
def test_entrants_sit_equally_often_and_groups_of_a_deal_differ(number: int, seats: int, groups: int) -> None:
    """Give or take one, on each deal and over all of them."""
    sat = Counter[str]()
    for deal in _sample(number, seats, groups, deals=7):
        here = Counter(dict.fromkeys(ENTRANTS[:number], 0))
        here.update(name for seating in deal for name in seating)
        sat.update(here)
        assert _spread(here) <= 1
        assert len(set(map(smallest_rotation, deal))) == len(deal) <= groups
    assert _spread(sat) <= 1


@pytest.mark.parametrize("number", range(3, 11))
@pytest.mark.parametrize("groups", [1, 2, 5])
def test_pairs_meet_equally_often(number: int, groups: int) -> None:
    """Give or take one, over as many deals as all pairs need and some more."""
    every = list(combinations(ENTRANTS[:number], 2))
    groups = min(groups, len(every))
    deals = _sample(number, 2, groups, deals=-(-len(every) // groups) + 2)
    met = Counter({"".join(pair): 0 for pair in every})
    met.update("".join(sorted(seating)) for deal in deals for seating in deal)
    assert _spread(met) <= 1


@pytest.mark.parametrize(("number", "seats"), [(6, 3), (6, 4), (8, 4), (9, 3), (10, 5), (12, 4)])
def test_at_larger_tables_all_meet_all(number: int, seats: int) -> None:
    """Twice as many tables as would do for all pairs, three a deal: all have met, and none three times the mean."""
    every = list(combinations(ENTRANTS[:number], 2))
    of_table = seats * (seats - 1) // 2
    deals = _sample(number, seats, 3, deals=-(-2 * len(every) // of_table // 3) + 1)
    met = Counter(pair for deal in deals for seating in deal for pair in combinations(sorted(seating), 2))
    assert set(met) == set(every)
    assert max(met.values()) <= 3 * sum(met.values()) / len(every)


def test_every_table_has_its_turn_in_every_seating() -> None:
    """Four entrants at tables of three, one group a deal: four tables of two seatings are eight deals."""
    deals = _sample(4, 3, 1, deals=8)
    expected = {seating for table in combinations("abcd", 3) for seating in seatings(table)}
    assert {smallest_rotation(seating) for (seating,) in deals} == expected


def test_more_groups_than_tables_are_more_seatings() -> None:
    """Five entrants at a table of five: seven of its 24 seatings on each deal, all of them after four deals."""
    deals = _sample(5, 5, 7, deals=4)
    assert [len(set(deal)) for deal in deals] == [7, 7, 7, 7]
    assert {smallest_rotation(seating) for deal in deals for seating in deal} == set(seatings(tuple("abcde")))


def test_as_many_groups_as_there_are_is_everything() -> None:
    """Four entrants at tables of three: four tables of two seatings."""
    everything = made_round(format_of(_plan("abcd", 3, 0, 2)), "abcd")
    for groups in (8, 9, 1000):
        sample = made_round(format_of(_plan("abcd", 3, groups, 2)), "abcd")
        assert {(group.deal, smallest_rotation(group.pairings[0].entrants)) for group in sample.groups} == {
            (group.deal, group.pairings[0].entrants) for group in everything.groups
        }


def test_a_group_is_played_in_all_rotations() -> None:
    made = made_round(format_of(_plan("abcdef", 5, 2, 3)), "abcdef")
    assert [len(group.pairings) for group in made.groups] == [5] * 6
    for group in made.groups:
        seating = group.pairings[0].entrants
        assert [pairing.entrants for pairing in group.pairings] == rotations(seating)


def test_a_sample_is_the_same_whatever_the_order_of_the_entrants() -> None:
    form = format_of(_plan("abcdef", 3, 4, 5))
    assert made_round(form, "abcdef") == made_round(form, "fedcba")


def test_a_late_entrant_plays_as_much_as_the_others_did() -> None:
    """Seven entrants would have had 30 x 3 seats among them: 12 or 13 each, so that is what the seventh gets."""
    form = format_of(_plan("abcdef", 3, 3, 10))
    first = result_of(made_round(form, "abcdef"))
    second = result_of(made_round(form, "abcdefg", [first]))
    assert all("g" in group.entrants for group in second.round.groups)
    assert len(second.round.groups) in {12, 13}
    assert form.next_round("abcdefg", [first, second]) is None


def test_who_stays_plays_no_more_because_others_left() -> None:
    form = format_of(_plan("abcdef", 3, 3, 10))
    first = result_of(made_round(form, "abcdef"), without="f")
    assert form.next_round("abcde", [first]) is None
    second = result_of(made_round(form, "abcdeg", [first]))
    assert form.next_round("abcdg", [first, second]) is None


def test_who_came_late_plays_no_more_because_others_left() -> None:
    """Of 8 x 2 seats among nine it has one or two; that it met few others is no reason for more."""
    form = format_of(_plan("abcdefgh", 2, 4, 2))
    first = result_of(made_round(form, "abcdefgh"))
    second = result_of(made_round(form, "abcdefghi", [first]))
    assert len(second.round.groups) in {1, 2}
    for left in "abcdefgh":
        assert form.next_round("abcdefghi".replace(left, ""), [first, second]) is None


def test_who_comes_back_plays_what_did_not_count() -> None:
    form = format_of(_plan("abcdef", 3, 3, 10))
    first = result_of(made_round(form, "abcdef"), without="f")
    second = made_round(form, "abcdef", [first])
    assert len(second.groups) == len(first.round.groups) - len(first.groups) == 15
    assert all("f" in group.entrants for group in second.groups)
    assert len(play_on(form, "abcdef", [first])) == 2
