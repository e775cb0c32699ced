"""What operators do to a match: abort it, and give a seat to somebody else."""

import pytest

from referee.core.errors import Reason
from referee.table import interventions
from referee.table.clocks import Deadline, Terms
from referee.table.ids import Principal
from referee.table.snapshot import Entry, Status, Step
from referee.table.transitions import Answer, Change
from tests.table.pebbles import BID_1, KEEP, TAKE_1
from tests.table.sitting import ALICE, BOB, CAROL, HOST, Outcome, Sitting, accepted, refused, sitting_of

TIMED = Terms(move_ms=10_000)


def abort(sitting: Sitting) -> Outcome:
    return sitting.outcome(lambda match: interventions.abort(match, sitting.moment))


def reseat(sitting: Sitting, seat: int, holder: Principal) -> Outcome:
    return sitting.outcome(lambda match: interventions.reseat(match, seat, holder, sitting.moment))


async def finished() -> Sitting:
    sitting = await sitting_of(ALICE, BOB)
    accepted(sitting.resign(BOB))
    return sitting


async def test_an_aborted_match_has_ended_without_a_result() -> None:
    """Nobody is to act any more, and what was played stays."""
    sitting = await sitting_of(ALICE, BOB)
    accepted(sitting.submit(ALICE, TAKE_1, KEEP))
    assert accepted(abort(sitting)) == Answer(version=3, decision=0, seat=-1)
    course = sitting.snapshot.course
    assert (course.status, course.end, sitting.to_act) == (Status.ABORTED, None, [])
    assert [seat.decisions for seat in course.seats] == [2, 0]
    assert [seat.asked_ms for seat in course.seats] == [None, None]
    assert sitting.log[-1] == Entry(Step.ABORTION, 0, ended=True)


async def test_a_match_that_waits_for_players_may_be_aborted_too() -> None:
    sitting = await sitting_of(ALICE, None)
    accepted(abort(sitting))
    assert sitting.snapshot.over
    assert refused(sitting.join(BOB)).reason is Reason.MATCH_OVER


async def test_aborting_again_changes_nothing() -> None:
    sitting = await sitting_of(ALICE, BOB)
    accepted(abort(sitting))
    again = sitting.change(lambda match: interventions.abort(match, sitting.moment))
    assert isinstance(again, Change)
    assert (again.fields, again.entries) == ({}, [])


async def test_a_result_cannot_be_aborted_away() -> None:
    sitting = await finished()
    assert refused(abort(sitting)).reason is Reason.MATCH_OVER
    assert sitting.snapshot.course.status == Status.FINISHED


async def test_in_an_aborted_match_nothing_can_be_done_any_more() -> None:
    """But its record can be released."""
    sitting = await sitting_of(ALICE, BOB, on_release=True)
    accepted(sitting.submit(ALICE, TAKE_1, KEEP))
    accepted(abort(sitting))
    assert refused(sitting.submit(BOB, TAKE_1)).reason is Reason.MATCH_OVER
    assert refused(sitting.resign(BOB)).reason is Reason.MATCH_OVER
    assert refused(reseat(sitting, 0, CAROL)).reason is Reason.MATCH_OVER
    accepted(sitting.release(HOST))
    assert sitting.snapshot.course.released


async def test_an_aborted_match_has_no_deadline() -> None:
    sitting = await sitting_of(ALICE, BOB, terms=TIMED)
    change = sitting.change(lambda match: interventions.abort(match, sitting.moment))
    assert isinstance(change, Change)
    assert change.deadline(sitting.moment) == Deadline()
    sitting.now_ms += 1_000_000
    assert sitting.expire() == []


async def test_who_is_given_a_seat_answers_what_it_was_asked() -> None:
    """Under the same decision number and name; whoever held it is a stranger from then on."""
    sitting = await sitting_of(ALICE, BOB)
    accepted(sitting.submit(ALICE, TAKE_1))
    assert accepted(reseat(sitting, 0, CAROL)) == Answer(version=2, decision=0, seat=-1)
    assert refused(sitting.submit(ALICE, KEEP, seat=0)).reason is Reason.NOT_PERMITTED
    assert accepted(sitting.submit(CAROL, KEEP)) == Answer(version=3, decision=2, seat=0)
    assert sitting.snapshot.head.seats[0].display_name == "Seat 1"
    assert sitting.log[1] == Entry(Step.JOIN, 0)


async def test_all_who_hold_seats_then_are_told_of_it() -> None:
    sitting = await sitting_of(ALICE, BOB)
    change = sitting.change(lambda match: interventions.reseat(match, 0, CAROL, sitting.moment))
    assert isinstance(change, Change)
    assert change.summoned() == [CAROL, BOB]


async def test_giving_a_seat_to_whoever_holds_it_changes_nothing() -> None:
    sitting = await sitting_of(ALICE, BOB)
    change = sitting.change(lambda match: interventions.reseat(match, 0, ALICE, sitting.moment))
    assert isinstance(change, Change)
    assert (change.fields, change.entries) == ({}, [])


async def test_an_open_seat_may_be_given_away_and_the_match_begins_with_the_last() -> None:
    sitting = await sitting_of(None, None)
    accepted(reseat(sitting, 1, BOB))
    assert sitting.snapshot.course.status == Status.WAITING
    accepted(reseat(sitting, 0, ALICE))
    assert sitting.snapshot.course.status == Status.ACTIVE
    assert [(entry.seat, entry.started) for entry in sitting.log] == [(1, False), (0, True)]
    accepted(sitting.submit(ALICE, TAKE_1, KEEP))


async def test_a_clock_runs_on_for_whoever_is_given_the_seat() -> None:
    """From when the seat was asked, not from when it was given away."""
    sitting = await sitting_of(ALICE, BOB, terms=TIMED)
    asked_ms = sitting.now_ms
    sitting.now_ms += 6_000
    accepted(reseat(sitting, 0, CAROL))
    assert sitting.snapshot.deadline_ms(0, sitting.moment) == asked_ms + 10_000


async def test_what_an_answer_cost_is_charged_although_a_seat_is_given_away_meanwhile() -> None:
    """The bank pays for the time until the answer was written, not for what happened to others later."""
    sitting = await sitting_of(ALICE, BOB, terms=Terms(bank_ms=60_000))
    sitting.now_ms += 5_000
    accepted(sitting.submit(ALICE, TAKE_1, KEEP))
    sitting.now_ms += 7_000
    accepted(reseat(sitting, 1, CAROL))
    assert sitting.snapshot.bank_ms(0, sitting.moment) == 55_000


@pytest.mark.parametrize("seat", [-1, 2])
async def test_there_is_no_such_seat(seat: int) -> None:
    error = refused(reseat(await sitting_of(ALICE, BOB), seat, CAROL))
    assert (error.reason, error.metadata["problem"]) == (Reason.INVALID_FIELD, f"is {seat}, expected 0 to 1")


async def test_a_sealed_choice_stays_with_the_seat_that_is_given_away() -> None:
    """Its new holder is not asked again for what is made already."""
    sitting = await sitting_of(ALICE, BOB)
    accepted(sitting.submit(ALICE, TAKE_1, KEEP))
    accepted(sitting.submit(BOB, TAKE_1, KEEP))
    accepted(sitting.submit(ALICE, BID_1))
    accepted(reseat(sitting, 0, CAROL))
    assert sitting.to_act == [1]
    accepted(sitting.submit(BOB, BID_1))
    assert sitting.log[-1].step == Step.MOVE
