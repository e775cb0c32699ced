"""Swiss tournaments, written by hand. Where nothing else is said, the first in the alphabet wins."""

import pytest

from clients.tournament.formats import format_of
from clients.tournament.formats.points import points
from clients.tournament.formats.swiss import enough_rounds
from clients.tournament.pairing import Deal, Round
from clients.tournament.plan import Entrant, Format, FormatName, Plan
from clients.tournament.results import RoundResult
from tests.clients.tournament.formats.playing import alphabet, game, made_round, plan, play_on, result_of


def _plan(entrants: str, seats: int = 2, rounds: int = 0, deals: int = 1) -> Plan:
    return plan(FormatName.SWISS, entrants, seats, deals, rounds=rounds)


def _tables(drawn: Round) -> list[str]:
    return ["".join(sorted(group.pairings[0].entrants)) for group in drawn.groups]


def _told(rounds: list[RoundResult]) -> list[tuple[list[str], str]]:
    return [(_tables(result.round), "".join(result.round.byes)) for result in rounds]


def _playing_on(entrants: str, seats: int = 2, rounds: int = 0) -> list[tuple[list[str], str]]:
    return _told(play_on(format_of(_plan(entrants, seats, rounds)), entrants, winners=alphabet))


def test_four_entrants() -> None:
    """The winners meet, then those who have not met."""
    assert _playing_on("abcd", rounds=3) == [(["ab", "cd"], ""), (["ac", "bd"], ""), (["ad", "bc"], "")]


def test_five_entrants() -> None:
    """The bye goes to the lowest who had none: e; then d; then c, as d and e had one each."""
    assert _playing_on("abcde") == [(["ab", "cd"], "e"), (["ac", "be"], "d"), (["ae", "bd"], "c")]


def test_tables_of_three() -> None:
    """The winners meet; of the others, b and c have met, so have e and f, h and i."""
    assert _playing_on("abcdefghi", seats=3) == [(["abc", "def", "ghi"], ""), (["adg", "beh", "cfi"], "")]


@pytest.mark.parametrize(("seats", "byes"), [(2, "k"), (3, "jk"), (4, "ijk"), (5, "k")])
def test_as_many_sit_out_as_are_left_over(seats: int, byes: str) -> None:
    """Eleven entrants; at first all are equal, and ranked as in the list."""
    first = made_round(format_of(_plan("abcdefghijk", seats)), "abcdefghijk")
    assert "".join(first.byes) == byes


def test_all_tables_play_the_deals_of_the_round_and_these_are_new_ones() -> None:
    first, second = (result.round for result in play_on(format_of(_plan("abcd", deals=2)), "abcd"))
    assert [group.deal for group in first.groups] == [Deal(game(), number) for number in (0, 0, 1, 1)]
    assert [group.deal for group in second.groups] == [Deal(game(), number) for number in (2, 2, 3, 3)]


def test_a_table_has_another_seating_on_the_next_deal() -> None:
    """Of two seatings of three."""
    drawn = made_round(format_of(_plan("abc", seats=3, deals=2)), "abc")
    assert {group.pairings[0].entrants for group in drawn.groups} == {("a", "b", "c"), ("a", "c", "b")}
    assert [len(group.pairings) for group in drawn.groups] == [3, 3]


@pytest.mark.parametrize(
    ("entrants", "seats", "rounds"),
    [
        *[(2, 2, 1), (3, 2, 2), (4, 2, 2), (5, 2, 3), (8, 2, 3), (9, 2, 4), (1024, 2, 10)],
        *[(3, 3, 1), (4, 3, 2), (9, 3, 2), (10, 3, 3), (16, 4, 2), (5, 5, 1), (25, 5, 2), (26, 5, 3), (2, 5, 1)],
    ],
)
def test_as_many_rounds_as_leave_one_without_a_loss(entrants: int, seats: int, rounds: int) -> None:
    assert enough_rounds(entrants, seats) == rounds


def test_several_games_are_played_at_each_table() -> None:
    """Games of as many seats have the same tables; the pairs of a game for two are drawn by the same ranking."""
    names = Plan((game(3), game(2)), tuple(map(Entrant, "abcde")), format=Format(FormatName.SWISS), deals=1)
    first = made_round(format_of(names), "abcde")
    assert [(group.deal.game.seats, table) for group, table in zip(first.groups, _tables(first), strict=True)] == [
        (3, "abc"),
        (2, "ab"),
        (2, "cd"),
    ]
    assert first.byes == ("e",)


def test_fewer_entrants_than_seats_play_with_copies() -> None:
    drawn = made_round(format_of(_plan("ab", seats=3)), "ab")
    assert (_tables(drawn), drawn.byes) == (["aab", "abb"], ())


@pytest.mark.parametrize("entrants", ["", "a"])
def test_it_is_over_when_all_others_have_left(entrants: str) -> None:
    form = format_of(_plan("abcd"))
    first = result_of(made_round(form, "abcd"))
    assert form.next_round(tuple(entrants), []) is None
    assert form.next_round(tuple(entrants), [first]) is None


def test_who_left_is_not_drawn() -> None:
    """C leaves after it has won; a meets one of those who lost, whom it has not met."""
    form = format_of(_plan("abcd"))
    first = result_of(made_round(form, "abcd"), alphabet)
    assert _told([first, result_of(made_round(form, "abd", [first]))])[1] == (["ad"], "b")


def test_who_comes_late_has_nothing_yet() -> None:
    """It is ranked below b and d, who lost, and so has the bye."""
    form = format_of(_plan("abcd"))
    first = result_of(made_round(form, "abcd"), alphabet)
    assert _told([result_of(made_round(form, "abcde", [first]))]) == [(["ac", "bd"], "e")]


def test_who_leaves_and_comes_back_has_no_second_bye_before_the_others_had_one() -> None:
    """C sits out and is away for a round; then b sits out, then a; then one of a and b, who have met most."""
    form = format_of(_plan("abc", rounds=6))
    rounds = [result_of(made_round(form, "abc"), alphabet)]
    rounds.append(result_of(made_round(form, "ab", rounds), alphabet))
    while drawn := form.next_round("abc", rounds):
        rounds.append(result_of(drawn, alphabet))
    assert [byes for _, byes in _told(rounds)] == ["c", "", "b", "a", "b", "a"]


def test_who_leaves_before_its_match_and_comes_back_has_nothing_of_it() -> None:
    """C is left alone by d: that is a bye, and a half point. D has none, and c no other bye before a or b had one."""
    form = format_of(_plan("abcd", rounds=4))
    first = result_of(made_round(form, "abcd"), alphabet, without="d")
    assert points([first], "abc", [2]) == {"a": 1, "b": 0, "c": 0.5, "d": 0}
    second = result_of(made_round(form, "abc", [first]), alphabet)
    assert _told([second]) == [(["ac"], "b")]
    assert points([first, second], "abcd", [2]) == {"a": 2, "b": 0.5, "c": 0.5, "d": 0}
    third = made_round(form, "abcd", [first, second])
    assert _tables(third) == ["ad", "bc"]


def test_points_are_shares_of_all_seats_and_deals() -> None:
    """The first seat always wins: all have their fair share of all rotations, as those who sit out."""
    form = format_of(_plan("abcde", seats=3, deals=2))
    first = result_of(made_round(form, "abcde"))
    assert points([first], "abcde", [3]) == pytest.approx(dict.fromkeys("abcde", 1 / 3))


def test_rematches_come_only_when_all_have_met() -> None:
    """Four entrants: three rounds without; then again each three rounds."""
    tables = [sorted(tables) for tables, _ in _playing_on("abcd", rounds=6)]
    every = [["ab", "cd"], ["ac", "bd"], ["ad", "bc"]]
    assert sorted(tables[:3]) == sorted(tables[3:]) == every
