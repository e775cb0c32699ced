"""Clocks in the pure transitions: who is late goes out, whatever else is wrong with what comes late."""

import pytest

from referee.core.errors import Reason
from referee.table.clocks import Terms
from referee.table.ids import Principal
from referee.table.snapshot import Actor, Cause, Entry, Status, Step
from referee.table.transitions import Answer, ById, Choice, Malformed
from tests.table.pebbles import BID_0, BID_1, KEEP, NUM_ACTIONS, TAKE_0, TAKE_1
from tests.table.sitting import (
    ALICE,
    BOB,
    CAROL,
    DAVE,
    START_MS,
    STRANGER,
    Sitting,
    accepted,
    refused,
    sitting_of,
)

LIMIT = Terms(move_ms=100, margin_ms=20)
UP_MS = START_MS + 120  # until then whoever was asked at the start may answer


def outline(entries: list[Entry]) -> list[tuple[str, int]]:
    """What happened: step and seat; a move of the autopilot is told as such."""
    return [
        (
            "AUTOPILOT" if entry.step == Step.MOVE and entry.actor == Actor.AUTOPILOT else Step(entry.step).name,
            entry.seat,
        )
        for entry in entries
    ]


def causes(sitting: Sitting) -> list[Cause]:
    return [Cause(seat.cause) for seat in sitting.snapshot.course.seats]


def ranks(sitting: Sitting) -> tuple[str, tuple[int, ...]]:
    """How the match ended."""
    end = sitting.snapshot.course.end
    assert end is not None
    return end.reason, end.ranks


async def at_the_bids(*players: Principal, terms: Terms = LIMIT) -> Sitting:
    """All choose at the same time, asked at the same time, which is what it is now."""
    sitting = await sitting_of(*players, terms=terms)
    for who in players:
        sitting.now_ms += 1
        accepted(sitting.submit(who, TAKE_1, KEEP))
    assert sitting.to_act == list(range(len(players)))
    return sitting


@pytest.mark.parametrize("now_ms", [START_MS, UP_MS - 1, UP_MS])
async def test_an_answer_in_time_is_taken(now_ms: int) -> None:
    sitting = await sitting_of(ALICE, BOB, CAROL, terms=LIMIT)
    sitting.now_ms = now_ms
    assert sitting.expire() == []
    assert accepted(sitting.submit(ALICE, TAKE_0)) == Answer(1, 1, 0)


@pytest.mark.parametrize("late_ms", [1, 1_000_000])
async def test_an_answer_that_comes_late_finds_its_seat_out(late_ms: int) -> None:
    """Nobody has looked at the match before it: the seat goes out in a write of its own, and is played on in it."""
    sitting = await sitting_of(ALICE, BOB, CAROL, terms=LIMIT)
    sitting.now_ms = UP_MS + late_ms
    error = refused(sitting.submit(ALICE, TAKE_0))
    assert (error.reason, error.metadata) == (Reason.SEAT_OUT, {"cause": "TIMED_OUT"})
    assert outline(sitting.log) == [("TIME_OUT", 0), ("AUTOPILOT", 0), ("AUTOPILOT", 0)]
    assert (causes(sitting), sitting.to_act) == ([Cause.TIMED_OUT, Cause.NONE, Cause.NONE], [1])


async def test_a_seat_that_does_not_answer_goes_out_without_anything_else_happening() -> None:
    """Once, however often the match is looked at; the next is asked by that write and has its whole time."""
    sitting = await sitting_of(ALICE, BOB, CAROL, terms=LIMIT)
    sitting.now_ms = UP_MS + 1
    assert outline(sitting.expire()) == [("TIME_OUT", 0), ("AUTOPILOT", 0), ("AUTOPILOT", 0)]
    assert sitting.expire() == []
    sitting.now_ms += 120
    assert sitting.expire() == []
    sitting.now_ms += 1
    assert outline(sitting.expire()) == [("TIME_OUT", 1)]
    assert ranks(sitting) == ("LAST_SEAT", (3, 2, 1))


async def test_each_question_has_its_whole_time() -> None:
    """Also those that one seat is asked one after the other."""
    sitting = await sitting_of(ALICE, BOB, terms=LIMIT)
    for who, move in ((ALICE, TAKE_0), (ALICE, KEEP), (BOB, TAKE_0), (BOB, KEEP), (BOB, BID_0), (ALICE, BID_0)):
        sitting.now_ms += 120 if who is not ALICE or move != BID_0 else 0
        accepted(sitting.submit(who, move))
    assert causes(sitting) == [Cause.NONE, Cause.NONE]


async def test_of_two_seats_the_one_that_is_late_loses() -> None:
    sitting = await sitting_of(ALICE, BOB, terms=LIMIT)
    sitting.now_ms = UP_MS + 1
    assert refused(sitting.submit(ALICE, TAKE_0)).reason is Reason.MATCH_OVER
    assert ranks(sitting) == ("LAST_SEAT", (2, 1))
    assert [entry.ended for entry in sitting.log] == [True]


async def test_who_is_not_asked_cannot_be_late() -> None:
    """Bob is asked a long time after the start, but just now."""
    sitting = await sitting_of(ALICE, BOB, terms=LIMIT)
    sitting.now_ms = UP_MS
    error = refused(sitting.submit(BOB, TAKE_0))
    assert (error.reason, causes(sitting)) == (Reason.NOT_TO_ACT, [Cause.NONE, Cause.NONE])
    accepted(sitting.submit(ALICE, TAKE_0, KEEP))
    sitting.now_ms += 120
    accepted(sitting.submit(BOB, TAKE_0))


async def test_of_those_who_choose_at_the_same_time_only_the_late_go_out() -> None:
    sitting = await at_the_bids(ALICE, BOB, CAROL)
    sitting.now_ms += 60
    accepted(sitting.submit(BOB, BID_1))
    sitting.now_ms += 60
    accepted(sitting.submit(CAROL, BID_1))
    sitting.now_ms += 1
    assert outline(sitting.expire())[:2] == [("TIME_OUT", 0), ("AUTOPILOT", 0)]
    assert causes(sitting) == [Cause.TIMED_OUT, Cause.NONE, Cause.NONE]


async def test_an_answer_moves_nobody_elses_time_at_the_same_choice() -> None:
    sitting = await at_the_bids(ALICE, BOB, CAROL)
    asked_ms = sitting.now_ms
    for who, thought_ms in ((ALICE, 50), (BOB, 119)):
        sitting.now_ms = asked_ms + thought_ms
        accepted(sitting.submit(who, BID_1))
    assert sitting.snapshot.deadline_ms(2, sitting.moment) == asked_ms + 120


async def test_those_who_are_late_together_go_out_together_and_are_equals() -> None:
    sitting = await at_the_bids(ALICE, BOB, CAROL, DAVE)
    accepted(sitting.submit(DAVE, BID_1))
    sitting.now_ms += 121
    assert outline(sitting.expire())[:4] == [("TIME_OUT", 0), ("TIME_OUT", 1), ("TIME_OUT", 2)][:4]
    assert ranks(sitting) == ("LAST_SEAT", (2, 2, 2, 1))


async def test_if_all_are_late_nobody_wins() -> None:
    sitting = await at_the_bids(ALICE, BOB, CAROL)
    sitting.now_ms += 121
    assert outline(sitting.expire()) == [("TIME_OUT", 0), ("TIME_OUT", 1), ("TIME_OUT", 2)]
    assert ranks(sitting) == ("NO_SEAT", (1, 1, 1))
    assert [entry.ended for entry in sitting.log[-3:]] == [False, False, True]


async def test_offenders_of_every_kind_rank_by_when_they_went_out() -> None:
    """Alice's time is up first, then Bob resigns; Carol and Dave play on to the end."""
    sitting = await sitting_of(ALICE, BOB, CAROL, DAVE, rounds=1, terms=LIMIT)
    sitting.now_ms = UP_MS + 1
    sitting.expire()
    accepted(sitting.resign(BOB))
    for who in (CAROL, DAVE):
        accepted(sitting.submit(who, TAKE_1, KEEP))
    accepted(sitting.submit(CAROL, BID_1))
    accepted(sitting.submit(DAVE, BID_0))
    assert ranks(sitting) == ("COMPLETED", (4, 3, 1, 2))
    assert causes(sitting) == [Cause.TIMED_OUT, Cause.RESIGNED, Cause.NONE, Cause.NONE]


async def test_a_request_that_was_answered_in_time_has_the_same_answer_for_ever() -> None:
    """The receipt comes before the clock: an answer that was lost must not cost the seat."""
    sitting = await sitting_of(ALICE, BOB, CAROL, terms=LIMIT)
    stale = refused(sitting.submit(ALICE, TAKE_0, request_id="stale", decision=5))
    taken = accepted(sitting.submit(ALICE, TAKE_0, request_id="taken", decision=0))
    sitting.now_ms += 121
    assert sitting.submit(ALICE, TAKE_0, request_id="taken", decision=0) == taken
    again = refused(sitting.submit(ALICE, TAKE_0, request_id="stale", decision=5))
    assert (again.reason, again.metadata) == (stale.reason, stale.metadata)
    assert causes(sitting) == [Cause.NONE, Cause.NONE, Cause.NONE]


@pytest.mark.parametrize(
    ("choice", "decision"),
    [(ById(TAKE_0), 7), (ById(BID_0), 0), (ById(NUM_ACTIONS), 0), (Malformed("is empty"), 0)],
    ids=["stale", "illegal", "malformed", "empty"],
)
async def test_whatever_else_is_wrong_with_a_late_answer_it_is_late(choice: Choice, decision: int) -> None:
    """And it is not counted as an illegal move."""
    sitting = await sitting_of(ALICE, BOB, CAROL, terms=Terms(move_ms=100, margin_ms=20, illegal_moves=0))
    sitting.now_ms = UP_MS + 1
    error = refused(sitting.submit(ALICE, choice, decision=decision))
    assert (error.reason, error.metadata) == (Reason.SEAT_OUT, {"cause": "TIMED_OUT"})
    assert sitting.snapshot.ring(0).refused == {"SEAT_OUT": 1}


async def test_what_concerns_the_caller_comes_before_the_clock() -> None:
    sitting = await sitting_of(ALICE, BOB, ALICE, terms=LIMIT)
    accepted(sitting.submit(ALICE, TAKE_0, seat=0, request_id="used"))
    sitting.now_ms += 121
    assert refused(sitting.submit(STRANGER, TAKE_0)).reason is Reason.NOT_PERMITTED
    assert refused(sitting.submit(ALICE, KEEP)).reason is Reason.SEAT_REQUIRED
    assert refused(sitting.submit(ALICE, KEEP, seat=0, request_id="used")).reason is Reason.REQUEST_ID_REUSED
    assert sitting.version == 1


async def test_a_refusal_moves_no_deadline() -> None:
    sitting = await sitting_of(ALICE, BOB, CAROL, terms=Terms(move_ms=100, margin_ms=20, illegal_moves=9))
    for late_ms in (1, 60, 119):
        sitting.now_ms = START_MS + late_ms
        refused(sitting.submit(ALICE, BID_0))
        refused(sitting.submit(ALICE, TAKE_0, decision=3))
        refused(sitting.submit(BOB, TAKE_0))
        assert sitting.snapshot.deadline_ms(0, sitting.moment) == UP_MS
    sitting.now_ms = UP_MS + 1
    assert refused(sitting.submit(ALICE, TAKE_0)).metadata == {"cause": "TIMED_OUT"}


async def test_a_resignation_in_time_is_one_and_a_late_one_is_late() -> None:
    sitting = await sitting_of(ALICE, BOB, CAROL, terms=LIMIT)
    sitting.now_ms = UP_MS
    accepted(sitting.resign(ALICE))
    sitting.now_ms += 121
    error = refused(sitting.resign(BOB))
    assert error.reason is Reason.MATCH_OVER
    assert (causes(sitting), ranks(sitting)) == (
        [Cause.RESIGNED, Cause.TIMED_OUT, Cause.NONE],
        ("LAST_SEAT", (3, 2, 1)),
    )


async def test_who_is_not_asked_may_resign_at_any_time() -> None:
    sitting = await sitting_of(ALICE, BOB, CAROL, terms=LIMIT)
    sitting.now_ms = UP_MS
    accepted(sitting.resign(BOB))
    assert causes(sitting) == [Cause.NONE, Cause.RESIGNED, Cause.NONE]
    assert sitting.snapshot.deadline_ms(0, sitting.moment) == UP_MS


async def test_the_autopilot_needs_no_time() -> None:
    """A seat that is out is never asked; the others' time runs from the write that asks them."""
    sitting = await sitting_of(ALICE, BOB, CAROL, terms=LIMIT)
    accepted(sitting.resign(BOB))
    sitting.now_ms += 70
    accepted(sitting.submit(ALICE, TAKE_1, KEEP))
    assert outline(sitting.log[-2:]) == [("AUTOPILOT", 1), ("AUTOPILOT", 1)]
    assert sitting.snapshot.deadline_ms(1, sitting.moment) is None
    assert sitting.snapshot.deadline_ms(2, sitting.moment) == sitting.now_ms + 120


async def test_an_outage_is_charged_to_nobody() -> None:
    sitting = await sitting_of(ALICE, BOB, CAROL, terms=LIMIT)
    sitting.outages = ((START_MS + 50, START_MS + 5_050),)
    sitting.now_ms = START_MS + 5_120
    assert sitting.expire() == []
    accepted(sitting.submit(ALICE, TAKE_0))
    sitting.now_ms += 121
    assert outline(sitting.expire())[0] == ("TIME_OUT", 0)


async def test_a_match_that_is_over_has_no_clock() -> None:
    sitting = await sitting_of(ALICE, BOB, terms=LIMIT)
    accepted(sitting.resign(ALICE))
    sitting.now_ms += 1_000_000
    assert (sitting.expire(), sitting.snapshot.next_deadline_ms(sitting.moment)) == ([], None)
    assert sitting.snapshot.course.status == Status.FINISHED
