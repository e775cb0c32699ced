"""A/B tests: batches, scores of deals, and what is left of a deal that was not played to its end."""

from collections.abc import Callable

import pytest

from clients.tournament.formats import format_of
from clients.tournament.formats.ab import elo_of, outcome, share_of
from clients.tournament.formats.sequential import Verdict
from clients.tournament.pairing import Pairing, Round
from clients.tournament.plan import Entrant, Format, FormatName, Plan
from clients.tournament.results import round_result
from tests.clients.tournament.formats.playing import (
    Winners,
    alphabet,
    first_seat,
    game,
    made_round,
    plan,
    play_on,
    played,
    result_of,
    seated,
)


def _plan(seats: int = 2, deals: int = 400, batch: int = 8) -> Plan:
    return plan(FormatName.AB, "ab", seats, deals, batch=batch, elo1=100.0)


def everybody(pairing: Pairing) -> range:
    """All share the win."""
    return range(len(pairing.entrants))


def test_a_batch_is_so_many_deals_and_the_last_one_what_is_left() -> None:
    rounds = play_on(format_of(_plan(deals=5, batch=2)), "ab")
    assert [seated(result.round.groups) for result in rounds] == [
        [(0, "ab"), (1, "ab")],
        [(2, "ab"), (3, "ab")],
        [(4, "ab")],
    ]
    assert [pairing.entrants for pairing in rounds[0].round.groups[0].pairings] == [("a", "b"), ("b", "a")]


@pytest.mark.parametrize(
    ("seats", "seatings"),
    [
        (3, ["aab", "abb"]),
        (4, ["aabb", "abab"]),
        (5, ["aaabb", "aabab", "aabbb", "ababb"]),
    ],
)
def test_larger_tables_are_filled_with_copies_in_every_way(seats: int, seatings: list[str]) -> None:
    drawn = made_round(format_of(_plan(seats, batch=1)), "ab")
    assert seated(drawn.groups) == [(0, seating) for seating in seatings]


@pytest.mark.parametrize("seats", [2, 3, 4, 5])
@pytest.mark.parametrize("winners", [first_seat, everybody])
def test_equals_have_half_of_the_wins(seats: int, winners: Winners) -> None:
    """Whatever the seats are worth, and however many copies one has."""
    form = _plan(seats, deals=1)
    (result,) = play_on(format_of(form), "ab", winners=winners)
    assert outcome(form, [result]).mean == pytest.approx(0.5)


def test_a_score_is_the_mean_over_the_games_and_these_over_their_matches() -> None:
    """A wins all of the first game, both sides of which are two matches, and half of the second, which are six."""
    form = Plan((game(2), game(3)), (Entrant("a"), Entrant("b")), format=Format(FormatName.AB, batch=1), deals=1)
    drawn = made_round(format_of(form), "ab")
    matches = {
        pairing.name: played(pairing, (alphabet if pairing.deal.game.seats == 2 else first_seat)(pairing))
        for group in drawn.groups
        for pairing in group.pairings
    }
    assert len(matches) == 2 + 6
    assert outcome(form, [round_result(drawn, matches)]).mean == pytest.approx(0.75)


def test_it_stops_when_one_is_better() -> None:
    """The first entrant of the plan wins everything; the second one is not shown to be better."""
    for entrants, verdict in (("ab", Verdict.BETTER), ("ba", Verdict.NOT_SHOWN)):
        form = plan(FormatName.AB, entrants, deals=400, elo1=100.0)
        rounds = play_on(format_of(form), entrants, winners=alphabet)
        assert len(rounds) < 10
        assert outcome(form, rounds).verdict is verdict
        assert outcome(form, rounds[:-1]).verdict is Verdict.UNDECIDED


def test_it_ends_at_the_limit_undecided() -> None:
    rounds = play_on(format_of(_plan(deals=10)), "ab")
    assert len(rounds) == 2
    assert outcome(_plan(deals=10), rounds).verdict is Verdict.UNDECIDED


@pytest.mark.parametrize("order", [sorted, lambda names: sorted(names, reverse=True)])
def test_the_order_in_which_matches_end_has_no_influence(order: Callable[[list[str]], list[str]]) -> None:
    """Those that are lost are over first; the batch is looked at when the others have ended too."""

    def ended(drawn: Round) -> list[Pairing]:
        pairings = {pairing.name: pairing for group in drawn.groups for pairing in group.pairings}
        return [pairings[name] for name in order(list(pairings))]

    def winners(pairing: Pairing) -> list[int]:
        return [pairing.entrants.index("a" if pairing.deal.number % 3 else "b")]

    form, by_schedule = _plan(), play_on(format_of(_plan()), "ab", winners=winners)
    by_end = [
        round_result(result.round, {pairing.name: played(pairing, winners(pairing)) for pairing in ended(result.round)})
        for result in by_schedule
    ]
    assert outcome(form, by_end) == outcome(form, by_schedule)
    assert format_of(form).next_round("ab", by_end) == format_of(form).next_round("ab", by_schedule)


def test_a_deal_counts_only_if_all_its_matches_do() -> None:
    """Of three tables' worth of matches one was not played."""
    form = _plan(seats=3, batch=2)
    drawn = made_round(format_of(form), "ab")
    matches = {pairing.name: played(pairing, alphabet(pairing)) for group in drawn.groups for pairing in group.pairings}
    del matches[drawn.groups[1].pairings[2].name]
    assert [outcome(form, [round_result(drawn, some)]).scores for some in (matches, {})] == [1, 0]


def test_it_waits_for_none_who_left_and_goes_on_with_who_comes_back() -> None:
    form = format_of(_plan(batch=1))
    first = result_of(made_round(form, "ab"), without="b")
    assert form.next_round("a", [first]) is None
    assert form.next_round("", [first]) is None
    assert seated(made_round(form, "ab", [first]).groups) == [(1, "ab")]


@pytest.mark.parametrize(("elo", "share"), [(0, 1 / 2), (400, 10 / 11), (-400, 1 / 11), (800, 100 / 101)])
def test_four_hundred_elo_are_ten_to_one(elo: float, share: float) -> None:
    assert share_of(elo) == pytest.approx(share)
    assert elo_of(share) == pytest.approx(elo)


@pytest.mark.parametrize("share", [0, 1])
def test_who_wins_all_or_nothing_has_no_elo(share: float) -> None:
    assert elo_of(share) is None
