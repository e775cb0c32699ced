"""Standings: what is counted, of whom, and that all of it adds up."""

import json
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import asdict, replace
from math import log
from typing import Any

import pytest

from artreferee.v1 import match_pb2, record_pb2
from clients.tournament.pairing import Deal, Game, Pairing
from clients.tournament.results import Played
from clients.tournament.statistics.standings import Counts, Distribution, Estimate
from clients.tournament.statistics.summary import Facts, standings
from clients.tournament.statistics.thinking import ThinkingTimes
from referee.wire.record import canonical_json
from tests.clients.tournament.statistics.made import RULESET, by_name, match, ratings, results, rows, stood
from tests.clients.tournament.statistics.naive import Ranking, climbed, likelihood

THREE = ["alfa", "bravo", "charlie"]


def rotated(names: Sequence[str], ranks: Sequence[Sequence[int]], deal: int = 0, table: int = 0) -> list[Played]:
    """A group: the names in all rotations, with the ranks of the seats of each match."""
    return [
        match([*names[turn:], *names[:turn]], ranks[turn], deal=deal, table=table, rotation=turn)
        for turn in range(len(names))
    ]


def unplayed(like: Played, rotation: int) -> Pairing:
    return replace(like.pairing, rotation=rotation)


def test_a_share_is_wins_a_seat_and_a_shared_win_counts_in_part() -> None:
    """Of three matches alfa wins one alone and shares one with bravo, who loses the others to charlie and alfa."""
    group = rotated(THREE, [(1, 2, 3), (1, 2, 1), (1, 2, 3)])
    found = rows(group)
    assert {name: (row.seats, row.wins, row.share) for name, row in found.items()} == {
        "alfa": (3, 1.5, Estimate(0.5)),
        "bravo": (3, 0.5, Estimate(0.5 / 3)),
        "charlie": (3, 1.0, Estimate(1 / 3)),
    }
    assert {row.expected for row in found.values()} == {1 / 3}


def test_names_are_those_at_the_seats() -> None:
    """Seat 1 wins both matches of a rotation: each entrant wins once, whatever their order among the entrants."""
    group = rotated(["bravo", "alfa"], [(2, 1), (2, 1)])
    assert {name: row.wins for name, row in rows(group).items()} == {"alfa": 1.0, "bravo": 1.0}
    assert {name: row.wins for name, row in rows([match(["bravo", "alfa"], (2, 1))]).items()} == {
        "alfa": 1.0,
        "bravo": 0.0,
    }


def test_the_share_of_copies_is_a_mean_over_their_seats() -> None:
    """On two of three seats alfa wins once in three matches: 1 of 6 seats."""
    group = rotated(["alfa", "alfa", "bravo"], [(1, 2, 3), (2, 1, 3), (1, 2, 2)])
    found = rows(group)
    assert [(row.seats, row.wins, row.share) for row in found.values()] == [
        (3, 2.0, Estimate(2 / 3)),
        (6, 1.0, Estimate(1 / 6)),
    ]


def test_equals_share_the_mean_of_their_ranks() -> None:
    """Ranks 1, 2, 2, 4 of a match are 1, 2.5, 2.5, 4 in the mean."""
    found = rows([match("abcd", (1, 2, 2, 4))])
    assert {name: row.rank for name, row in found.items()} == {"a": 1.0, "b": 2.5, "c": 2.5, "d": 4.0}


def test_a_meeting_is_counted_for_both() -> None:
    """In two matches at a table of three alfa is ahead of bravo once and equal once, and wins one and a half."""
    matches = [match(THREE, (1, 2, 3)), match(THREE, (1, 1, 3), rotation=1)]
    meeting = {(row.entrant, row.opponent): row for row in stood(matches).overall.table.head_to_head}
    assert len(meeting) == 6
    alfa, bravo = meeting["alfa", "bravo"], meeting["bravo", "alfa"]
    assert (alfa.matches, alfa.seats, alfa.wins, alfa.share.value, alfa.ahead) == (2, 2, 1.5, 0.75, 0.75)
    assert (bravo.matches, bravo.seats, bravo.wins, bravo.share.value, bravo.ahead) == (2, 2, 0.5, 0.25, 0.25)


def test_who_has_not_met_has_no_meeting() -> None:
    """Two tables, four meetings."""
    matches = [match("ab", (1, 2)), match("cd", (1, 2), table=1)]
    met = [(row.entrant, row.opponent) for row in stood(matches).overall.table.head_to_head]
    assert sorted(met) == [("a", "b"), ("b", "a"), ("c", "d"), ("d", "c")]


def test_seats_are_counted_whoever_had_them() -> None:
    """The first seat wins two and a half of three."""
    group = rotated(THREE, [(1, 2, 3), (1, 2, 3), (1, 1, 3)])
    section = stood(group).games[0]
    assert [(row.seat, row.matches, row.wins, row.share.value) for row in section.table.seat_advantages] == [
        (0, 3, 2.5, 2.5 / 3),
        (1, 3, 0.5, 0.5 / 3),
        (2, 3, 0.0, 0.0),
    ]
    assert stood(group).overall.table.seat_advantages == ()


def test_games_stand_alone_and_together() -> None:
    """Two games in the order of ruleset and seats, and what all of them come to."""
    matches = [match("ab", (1, 2)), match("abc", (2, 1, 3)), match("ab", (1, 2), ruleset="artsee")]
    found = stood(matches)
    assert [section.game for section in found.games] == [Game("artsee", 2), Game(RULESET, 2), Game(RULESET, 3)]
    assert [section.counts.played for section in found.games] == [1, 1, 1]
    assert found.overall.game is None
    assert found.overall.counts.played == 3
    assert found.overall.table.standings[0].expected == pytest.approx((1 / 2 + 1 / 2 + 1 / 3) / 3)


def test_a_group_counts_whole_or_not_at_all() -> None:
    """One of two matches is played: it is among the endings, but nobody has a seat, a share or a rating yet."""
    first = match("ab", (1, 2))
    facts = Facts(entrants=["a", "b"], rounds=[results([first], [unplayed(first, 1)])], played=by_name([first]))
    section = standings(facts).games[0]
    assert section.counts == Counts(
        planned=2,
        played=1,
        adjudicated=0,
        cancelled=0,
        unplayed=1,
        groups=1,
        counted_groups=0,
        counted_matches=0,
        counted_deals=0,
    )
    assert [conduct.seats for conduct in section.conducts] == [1, 1]
    assert [(row.place, row.entrant, row.seats, row.share, row.rating) for row in section.table.standings] == [
        (1, "a", 0, None, None),
        (1, "b", 0, None, None),
    ]
    assert (section.table.head_to_head, section.table.seat_advantages) == ((), ())


def test_who_has_no_whole_group_comes_last() -> None:
    """Behind the loser of one that counts."""
    whole, part = match("ab", (1, 2)), match("ac", (2, 1), table=1)
    facts = Facts(
        entrants=["c", "b", "a"],
        rounds=[results([whole, part], [unplayed(part, 1)])],
        played=by_name([whole, part]),
    )
    assert [(row.place, row.entrant) for row in standings(facts).overall.table.standings] == [
        (1, "a"),
        (2, "b"),
        (3, "c"),
    ]


def faults() -> list[Played]:
    """Five matches of every kind of ending."""
    return [
        match(THREE, (1, 2, 3), causes=("", "", "TIMED_OUT")),
        match(THREE, (1, 3, 2), causes=("", "RESIGNED", "ILLEGAL_MOVES"), rotation=1, reason="LAST_SEAT"),
        match(THREE, (1, 1, 1), causes=("NEVER_JOINED",) * 3, table=1, reason="NO_SEAT"),
        match(THREE, (2, 1, 3), table=2),
        match(THREE, (1, 2, 3), table=3, adjudication="the power failed", reason="ADJUDICATED"),
        match(THREE, (1, 2, 3), causes=("", "", "TIMED_OUT"), table=4, adjudication="the power failed"),
    ]


def test_endings_add_up_to_the_seats_of_each_entrant() -> None:
    """Every seat of a match that has a result ended in one way, adjudicated or not."""
    section = stood(faults()).overall
    assert {conduct.entrant: conduct.endings for conduct in section.conducts} == {
        "alfa": {"ADJUDICATED": 2, "FINISHED": 3, "NEVER_JOINED": 1},
        "bravo": {"ADJUDICATED": 2, "FINISHED": 2, "NEVER_JOINED": 1, "RESIGNED": 1},
        "charlie": {"ADJUDICATED": 1, "FINISHED": 1, "ILLEGAL_MOVES": 1, "NEVER_JOINED": 1, "TIMED_OUT": 2},
    }
    assert all(sum(conduct.endings.values()) == conduct.seats == 6 for conduct in section.conducts)
    assert [conduct.faults for conduct in section.conducts] == [1, 2, 4]
    assert [row.faults for row in sorted(section.table.standings, key=lambda row: row.entrant)] == [1, 2, 4]


def test_reasons_add_up_to_the_matches_that_have_a_result() -> None:
    """Six of them."""
    section = stood(faults()).overall
    assert section.reasons == {"ADJUDICATED": 1, "COMPLETED": 3, "LAST_SEAT": 1, "NO_SEAT": 1}
    assert sum(section.reasons.values()) == section.counts.played + section.counts.adjudicated


def test_what_was_planned_is_played_adjudicated_cancelled_or_unplayed() -> None:
    """Each drawn match is in one of the four, game by game and in all."""
    played, adjudicated = match("ab", (1, 2)), match("ab", (1, 2), rotation=1, adjudication="a clash")
    lost, due = match("abc", (1, 2, 3), deal=7), match("abc", (1, 2, 3), deal=8)
    facts = Facts(
        entrants=["a", "b", "c"],
        rounds=[results([played, adjudicated], [lost.pairing, due.pairing, unplayed(due, 1)])],
        played=by_name([played, adjudicated]),
        cancelled={lost.pairing.name},
    )
    found = standings(facts)
    told = [
        (counts.planned, counts.played, counts.adjudicated, counts.cancelled, counts.unplayed)
        for counts in (found.games[0].counts, found.games[1].counts, found.overall.counts)
    ]
    assert told == [(2, 1, 1, 0, 0), (3, 0, 0, 1, 2), (5, 1, 1, 1, 2)]
    assert all(planned == sum(others) for planned, *others in told)


def test_the_faultless_stand_as_if_the_others_had_not_come() -> None:
    """Their table is that of a tournament of their groups alone, intervals and all."""
    clean = [
        match(pair, (1, 2), deal=deal, table=table)
        for deal in range(4)
        for table, pair in enumerate(["ab", "bc", "ca"])
    ]
    clean += [match("ab", (2, 1), deal=5)]
    dirty = [match("ad", (1, 2), deal=deal, table=9, causes=("", "TIMED_OUT")) for deal in range(3)]
    found = stood([*clean, *dirty], resamples=100)
    assert [entrant.faulty for entrant in found.entrants] == [False, False, False, True]
    assert found.overall.faultless == stood(clean, resamples=100).overall.table
    assert len(found.overall.table.standings) == 4
    assert stood(clean).overall.faultless is None


def test_a_fault_counts_in_groups_that_do_not() -> None:
    """Who timed out in the only match of a group is faulty before the group is whole."""
    first = match("ab", (1, 2), causes=("", "TIMED_OUT"))
    facts = Facts(entrants=["a", "b"], rounds=[results([first], [unplayed(first, 1)])], played=by_name([first]))
    assert [entrant.faulty for entrant in standings(facts).entrants] == [False, True]


def test_entrants_are_told_with_their_leaving_and_byes() -> None:
    """Two rounds, of which charlie sat one out and then left."""
    first = match(["alfa", "bravo"], (1, 2))
    sitting = results([first])
    facts = Facts(
        entrants=THREE,
        rounds=[replace(sitting, round=replace(sitting.round, byes=("charlie",)))],
        played=by_name([first]),
        withdrawn={"charlie"},
    )
    assert [(entrant.entrant, entrant.withdrawn, entrant.byes) for entrant in standings(facts).entrants] == [
        ("alfa", False, 0),
        ("bravo", False, 0),
        ("charlie", True, 1),
    ]


def test_scores_are_told_in_short_and_in_intervals_that_all_share() -> None:
    """From 3 to 61 the intervals are 5 wide and begin at 0; who was out has no score."""
    matches = [
        match("ab", (1, 2), scores=(61, 3)),
        match("ab", (1, 2), scores=(9, 4), rotation=1),
        match("ab", (1, 2), causes=("", "RESIGNED"), reason="LAST_SEAT", rotation=2),
    ]
    section = stood(matches).games[0]
    a, b = section.conducts
    assert a.scores == Distribution(2, 35.0, (9, 9, 9, 61, 61))
    assert b.scores == Distribution(2, 3.5, (3, 3, 3, 4, 4))
    assert a.histogram is not None
    assert b.histogram is not None
    assert (a.histogram.start, a.histogram.width) == (b.histogram.start, b.histogram.width) == (0, 5)
    assert a.histogram.counts == (0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1)
    assert b.histogram.counts == (2, *[0] * 12)
    assert [row.score for row in section.table.standings] == [35.0, 3.5]
    assert [row.score for row in stood(matches).overall.table.standings] == [None, None]


def test_durations_and_pace_are_of_matches_that_were_played() -> None:
    """Two matches of 2 and 4 s within 6 s are twenty a minute; what was adjudicated took no time."""
    matches = [
        match("ab", (1, 2), began_ms=1000, ended_ms=3000),
        match("ab", (1, 2), began_ms=3000, ended_ms=7000, rotation=1),
        match("ab", (1, 2), began_ms=9000, ended_ms=90_000, rotation=2, adjudication="a clash"),
    ]
    section = stood(matches).overall
    assert section.durations_ms == Distribution(2, 3000.0, (2000, 2000, 2000, 4000, 4000))
    assert section.matches_per_minute == 20.0


def record(of: Played, moves: Sequence[tuple[int, match_pb2.Actor.ValueType, int]] = ()) -> record_pb2.MatchRecord:
    """The record of a match; each move is seat, who made it, thinking time."""
    return record_pb2.MatchRecord(
        match_id=of.match_id,
        ruleset=of.pairing.deal.game.ruleset,
        deal_group=of.pairing.deal.name,
        seats=[record_pb2.RecordSeat(display_name=name) for name in of.pairing.entrants],
        log=[
            record_pb2.LogEntry(seat=seat, move=record_pb2.LoggedMove(actor=actor, thinking_ms=thinking))
            for seat, actor, thinking in moves
        ],
        result=match_pb2.Result(
            seats=[match_pb2.SeatResult(rank=seat.rank, score=seat.score) for seat in of.seats], reason=of.reason
        ),
    )


def test_thinking_times_are_of_moves_that_entrants_made() -> None:
    """Moves of autopilots, and entries that are no moves, are nobody's thinking."""
    first = match("ab", (1, 2))
    player, autopilot = match_pb2.ACTOR_PLAYER, match_pb2.ACTOR_AUTOPILOT
    recorded = record(first, [(0, player, 5), (1, player, 40), (0, player, 7), (0, autopilot, 9000), (0, player, 5)])
    recorded.log.add(seat=1).resignation.SetInParent()
    turned = replace(
        match("ab", (1, 2)), match_id="turned", pairing=Pairing(Deal(Game("artsee", 2), 0), 0, 0, 0, ("b", "a"))
    )
    lines = [canonical_json(each).encode() for each in (recorded, record(turned, [(0, player, 60)]))]
    times = ThinkingTimes.of_records(lines, {each.match_id: each.pairing for each in (first, turned)})
    facts = Facts(entrants=["a", "b"], rounds=[results([first])], played=by_name([first]), thinking=times)
    a, b = standings(facts).games[0].conducts
    assert a.thinking_ms == Distribution(3, 17 / 3, (5, 5, 5, 7, 7))
    assert b.thinking_ms == Distribution(1, 40.0, (40,) * 5)
    assert standings(facts).overall.conducts[1].thinking_ms == Distribution(2, 50.0, (40, 40, 40, 60, 60))


def test_shares_and_ratings_follow_from_records_alone() -> None:
    """Lines of records are all it takes: wins a seat, and the likelihood of the paper."""
    ranks = [(1, 2), (2, 1), (1, 2), (1, 1), (1, 2), (2, 1), (1, 2), (1, 2)]
    pairs = ["ab", "ba", "bc", "cb", "ca", "ac", "ab", "ba"]
    matches = [match(pair, places, table=table) for table, (pair, places) in enumerate(zip(pairs, ranks, strict=True))]
    lines = [json.loads(canonical_json(record(of))) for of in matches]
    wins, seats = Counter[str](), Counter[str]()
    for line in lines:
        winners = [seat["rank"] for seat in line["result"]["seats"]].count(1)
        for named, seat in _seats(line):
            seats[named["display_name"]] += 1
            wins[named["display_name"]] += (seat["rank"] == 1) / winners
    assert {name: row.share for name, row in rows(matches).items()} == {
        name: Estimate(wins[name] / seats[name]) for name in "abc"
    }
    rankings = [_ranking(line) for line in lines]
    best = climbed(lambda numbers: likelihood(rankings, numbers[:3], numbers[3:]), size=4)[:3]
    elo = [400 / log(10) * (log_worth - sum(best) / 3) for log_worth in best]
    assert list(dict(sorted(ratings(matches).items())).values()) == pytest.approx(elo, abs=0.1)


def _ranking(line: dict[str, Any]) -> Ranking:
    ranks = {"abc".index(named["display_name"]): seat["rank"] for named, seat in _seats(line)}
    return [[item for item in sorted(ranks) if ranks[item] == rank] for rank in sorted(set(ranks.values()))]


def _seats(line: dict[str, Any]) -> Iterator[tuple[dict[str, Any], dict[str, Any]]]:
    return zip(line["seats"], line["result"]["seats"], strict=True)


def test_a_match_of_no_whole_group_changes_no_table() -> None:
    """Also one that would lead; and standings are made anew each time, so that none is left of what was before."""
    matches = rotated(THREE, [(1, 2, 3)] * 3)
    late = match(THREE, (1, 2, 3), table=1)
    facts = Facts(
        entrants=THREE,
        rounds=[results([*matches, late], [unplayed(late, 1), unplayed(late, 2)])],
        played=by_name([*matches, late]),
    )
    assert standings(facts, 0).overall.table == stood(matches).overall.table


def test_standings_are_json() -> None:
    """As they are, by `dataclasses.asdict`."""
    found = asdict(stood(faults(), resamples=10))
    assert json.loads(json.dumps(found))["overall"]["counts"] == found["overall"]["counts"]


def test_before_anything_is_drawn_all_are_equal() -> None:
    """No game, no match, and everybody in the first place."""
    found = standings(Facts(entrants=THREE, rounds=[], played={}))
    assert found.games == ()
    assert found.overall.counts.planned == 0
    assert [(row.place, row.entrant) for row in found.overall.table.standings] == [(1, name) for name in THREE]


def test_who_is_drawn_must_be_an_entrant() -> None:
    """A stranger is named."""
    first = match("ab", (1, 2))
    with pytest.raises(ValueError, match=r"\['b'\] are drawn, but the entrants are \['a'\]"):
        standings(Facts(entrants=["a"], rounds=[results([first])], played=by_name([first])))
