"""Round robins, written by hand: who meets whom, and what is missing after somebody came or went."""

from collections import Counter

import pytest

from clients.tournament.formats import format_of
from clients.tournament.pairing import Deal
from clients.tournament.plan import Entrant, FormatName, Plan
from clients.tournament.results import RoundResult
from tests.clients.tournament.formats.playing import game, made_round, plan, play_on, result_of, seated


def _plan(entrants: str, seats: int = 2, deals: int = 1) -> Plan:
    return plan(FormatName.ROUND_ROBIN, entrants, seats, deals)


def _round(entrants: str, seats: int, deals: int, past: list[RoundResult]) -> list[tuple[int, str]]:
    return seated(made_round(format_of(_plan("abc", seats, deals)), tuple(entrants), past).groups)


def test_pairs_meet_on_every_deal() -> None:
    """Three entrants, two deals: three pairs on each of them, the two sides of a pair on the same deal."""
    made = made_round(format_of(_plan("abc", deals=2)), "abc")
    assert seated(made.groups) == [(0, "ab"), (0, "ac"), (0, "bc"), (1, "ab"), (1, "ac"), (1, "bc")]
    assert [(pairing.name, pairing.entrants) for pairing in made.groups[4].pairings] == [
        ("classic_art/2/1/0.1/0", ("a", "c")),
        ("classic_art/2/1/0.1/1", ("c", "a")),
    ]


def test_tables_of_three_meet_in_both_directions() -> None:
    made = made_round(format_of(_plan("abcd", seats=3)), "abcd")
    assert seated(made.groups) == [
        (0, "abc"),
        (0, "acb"),
        (0, "abd"),
        (0, "adb"),
        (0, "acd"),
        (0, "adc"),
        (0, "bcd"),
        (0, "bdc"),
    ]
    assert [pairing.entrants for pairing in made.groups[1].pairings] == [
        ("a", "c", "b"),
        ("c", "b", "a"),
        ("b", "a", "c"),
    ]


@pytest.mark.parametrize("seats", [2, 3, 4, 5])
@pytest.mark.parametrize("entrants", ["ab", "abc", "abcd", "abcde", "abcdef"])
def test_everyone_has_every_seat_equally_often_on_every_deal(entrants: str, seats: int) -> None:
    """Each order of each table is played once on each deal, under a name of its own."""
    made = made_round(format_of(_plan(entrants, seats, deals=2)), tuple(entrants))
    for number in range(2):
        orders = [pairing for group in made.groups for pairing in group.pairings if group.deal.number == number]
        places = Counter((name, seat) for pairing in orders for seat, name in enumerate(pairing.entrants))
        assert len({pairing.entrants for pairing in orders}) == len({pairing.name for pairing in orders}) == len(orders)
        assert len(places) == seats * len(entrants)
        assert len(set(places.values())) == 1


def test_the_order_of_the_entrants_changes_nothing() -> None:
    """A match depends on who sits there, so that records of two tournaments can be compared."""
    form = format_of(_plan("abcd", 3, 2))
    forward, backward = (
        {(group.deal, group.pairings[0].entrants) for group in made_round(form, order).groups}
        for order in ("abcd", "dcba")
    )
    assert forward == backward


def test_all_games_are_played_on_a_deal_number_before_the_next() -> None:
    two_games = Plan((game(2), game(3)), tuple(map(Entrant, "abc")), deals=2)
    made = made_round(format_of(two_games), "abc")
    assert list(dict.fromkeys(group.deal for group in made.groups)) == [
        Deal(game(2), 0),
        Deal(game(3), 0),
        Deal(game(2), 1),
        Deal(game(3), 1),
    ]


def test_it_is_over_when_everything_was_played() -> None:
    assert len(play_on(format_of(_plan("abc", deals=2)), "abc")) == 1


@pytest.mark.parametrize("entrants", ["", "a"])
def test_one_alone_does_not_play(entrants: str) -> None:
    form = format_of(_plan("abc"))
    first = result_of(made_round(form, "abc"))
    assert form.next_round(tuple(entrants), []) is None
    assert form.next_round(tuple(entrants), [first]) is None


def test_a_late_entrant_plays_what_it_missed() -> None:
    """It meets everyone on every deal; the others do not meet again."""
    first = result_of(made_round(format_of(_plan("abc", deals=2)), "abc"))
    assert _round("abcd", 2, 2, [first]) == [(0, "ad"), (0, "bd"), (0, "cd"), (1, "ad"), (1, "bd"), (1, "cd")]


def test_a_late_entrant_takes_the_place_of_copies() -> None:
    """Two at a table of three played with copies; with a third there is the table that they did not have."""
    first = result_of(made_round(format_of(_plan("ab", 3)), "ab"))
    assert seated(first.round.groups) == [(0, "aab"), (0, "abb")]
    assert _round("abc", 3, 1, [first]) == [(0, "abc"), (0, "acb")]


def test_nobody_plays_again_because_another_left() -> None:
    """The table of three lacks one: the others met, and are not given copies instead."""
    form = format_of(_plan("abc", 3))
    first = result_of(made_round(form, "abc"), without="c")
    assert first.groups == ()
    assert form.next_round("ab", [first]) is None


def test_who_comes_back_plays_what_did_not_count() -> None:
    form = format_of(_plan("abc", deals=2))
    first = result_of(made_round(form, "abc"), without="c")
    assert form.next_round("ab", [first]) is None
    assert _round("abc", 2, 2, [first]) == [(0, "ac"), (0, "bc"), (1, "ac"), (1, "bc")]
    assert len(play_on(form, "abc", [first])) == 2


def test_who_came_while_another_was_away_meets_it_in_the_end() -> None:
    form = format_of(_plan("abc"))
    first = result_of(made_round(form, "abc"))
    second = result_of(made_round(form, "abd", [first]))
    assert seated(second.round.groups) == [(0, "ad"), (0, "bd")]
    third = result_of(made_round(form, "abdc", [first, second]))
    assert seated(third.round.groups) == [(0, "cd")]
    assert form.next_round("abdc", [first, second, third]) is None


def test_names_of_matches_differ_over_all_rounds() -> None:
    form = format_of(_plan("abc", 3, 3))
    first = result_of(made_round(form, "abc"), without="b")
    rounds = play_on(form, "abcd", [first])
    names = [pairing.name for each in rounds for group in each.round.groups for pairing in group.pairings]
    assert len(set(names)) == len(names) == 3 * (2 * 3 + (2 + 6) * 3)
