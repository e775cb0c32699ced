"""What is borne of seats besides the clock: illegal moves, and seats that nobody takes."""

import pytest

from referee.core.errors import Reason
from referee.table.clocks import Terms
from referee.table.snapshot import Cause, Status
from referee.table.transitions import ById, Choice, Malformed
from tests.table.pebbles import BID_0, DRAW, NUM_ACTIONS, PUT_LOW, TAKE_0, TAKE_1
from tests.table.sitting import ALICE, BOB, CAROL, START_MS, Sitting, accepted, refused, sitting_of
from tests.table.test_transitions_clocks import causes, outline, ranks

JOIN_MS = 500
JOINING = Terms(join_ms=JOIN_MS)


def tried(sitting: Sitting, seat: int = 0) -> int:
    return sitting.snapshot.course.seats[seat].illegal_moves


@pytest.mark.parametrize("borne", [0, 1, 3])
async def test_one_illegal_move_more_than_is_borne_puts_the_seat_out(borne: int) -> None:
    """Its caller hears what was wrong with the move; the seat is played on in the same write."""
    sitting = await sitting_of(ALICE, BOB, CAROL, terms=Terms(illegal_moves=borne))
    for _ in range(borne):
        assert refused(sitting.submit(ALICE, BID_0)).reason is Reason.ILLEGAL_MOVE
    assert (causes(sitting)[0], sitting.log) == (Cause.NONE, [])
    assert refused(sitting.submit(ALICE, BID_0)).reason is Reason.ILLEGAL_MOVE
    assert outline(sitting.log) == [("ILLEGAL_MOVES", 0), ("AUTOPILOT", 0), ("AUTOPILOT", 0)]
    assert (causes(sitting)[0], tried(sitting)) == (Cause.ILLEGAL_MOVES, borne + 1)


async def test_any_number_is_borne_where_none_is_stated() -> None:
    sitting = await sitting_of(ALICE, BOB)
    for _ in range(50):
        refused(sitting.submit(ALICE, BID_0))
    accepted(sitting.submit(ALICE, TAKE_0))
    assert tried(sitting) == 0


@pytest.mark.parametrize(
    "choices",
    [[ById(BID_0)], [ById(TAKE_0), ById(BID_0)], [ById(NUM_ACTIONS)], [Malformed("is empty")]],
    ids=["illegal", "the second is illegal", "no move of the ruleset", "empty"],
)
async def test_illegal_and_malformed_moves_count(choices: list[Choice]) -> None:
    sitting = await sitting_of(ALICE, BOB, terms=Terms(illegal_moves=0))
    refused(sitting.submit(ALICE, *choices))
    assert ranks(sitting) == ("LAST_SEAT", (2, 1))


async def test_other_refusals_do_not_count() -> None:
    sitting = await sitting_of(ALICE, BOB, ALICE, terms=Terms(illegal_moves=0))
    refused(sitting.submit(ALICE, TAKE_0, seat=0, decision=4))
    refused(sitting.submit(BOB, TAKE_0))
    refused(sitting.submit(ALICE, TAKE_0))
    refused(sitting.submit(ALICE, TAKE_0, DRAW, PUT_LOW, seat=0))
    assert causes(sitting) == [Cause.NONE] * 3


async def test_a_request_counts_once_however_often_it_is_sent() -> None:
    """Also when it was the one that put the seat out, and after that."""
    sitting = await sitting_of(ALICE, BOB, CAROL, terms=Terms(illegal_moves=1))
    for _ in range(5):
        assert refused(sitting.submit(ALICE, BID_0, request_id="first")).reason is Reason.ILLEGAL_MOVE
    assert (tried(sitting), causes(sitting)[0]) == (1, Cause.NONE)
    last = [refused(sitting.submit(ALICE, BID_0, request_id="last", decision=0)) for _ in range(5)]
    assert {(error.reason, error.metadata["rule"]) for error in last} == {(Reason.ILLEGAL_MOVE, "WRONG_STEP")}
    assert (tried(sitting), sitting.snapshot.ring(0).refused) == (2, {"ILLEGAL_MOVE": 2})
    error = refused(sitting.submit(ALICE, BID_0, decision=0))
    assert (error.reason, error.metadata) == (Reason.SEAT_OUT, {"cause": "ILLEGAL_MOVES"})
    assert (tried(sitting), len(sitting.log)) == (2, 3)


async def test_each_seat_has_its_own_allowance() -> None:
    sitting = await sitting_of(ALICE, BOB, CAROL, terms=Terms(illegal_moves=1))
    refused(sitting.submit(ALICE, BID_0))
    accepted(sitting.submit(ALICE, TAKE_1))
    assert (tried(sitting, 0), tried(sitting, 1)) == (1, 0)
    refused(sitting.submit(ALICE, BID_0))
    assert (causes(sitting), sitting.to_act) == ([Cause.ILLEGAL_MOVES, Cause.NONE, Cause.NONE], [1])
    refused(sitting.submit(BOB, BID_0))
    assert causes(sitting)[1] == Cause.NONE


async def test_seats_that_nobody_has_taken_in_time_go_out_and_play_begins() -> None:
    sitting = await sitting_of(None, BOB, CAROL, terms=JOINING)
    sitting.now_ms = START_MS + JOIN_MS
    assert sitting.expire() == []
    sitting.now_ms += 1
    assert outline(sitting.expire()) == [("NEVER_JOINED", 0), ("AUTOPILOT", 0), ("AUTOPILOT", 0)]
    assert [entry.started for entry in sitting.log] == [True, False, False]
    assert (causes(sitting), sitting.to_act) == ([Cause.NEVER_JOINED, Cause.NONE, Cause.NONE], [1])
    assert sitting.snapshot.course.status == Status.ACTIVE
    assert sitting.expire() == []
    accepted(sitting.submit(BOB, TAKE_1))


async def test_with_one_seat_taken_its_holder_wins() -> None:
    sitting = await sitting_of(None, BOB, None, terms=JOINING)
    sitting.now_ms = START_MS + JOIN_MS + 1
    assert outline(sitting.expire()) == [("NEVER_JOINED", 0), ("NEVER_JOINED", 2)]
    assert ranks(sitting) == ("LAST_SEAT", (2, 1, 2))
    assert [(entry.started, entry.ended) for entry in sitting.log] == [(False, False), (True, True)]


async def test_with_no_seat_taken_nobody_wins() -> None:
    sitting = await sitting_of(None, None, terms=JOINING)
    sitting.now_ms = START_MS + JOIN_MS + 1
    assert outline(sitting.expire()) == [("NEVER_JOINED", 0), ("NEVER_JOINED", 1)]
    assert ranks(sitting) == ("NO_SEAT", (1, 1))


@pytest.mark.parametrize("seat", [None, 1])
async def test_the_last_moment_to_join_is_the_limit(seat: int | None) -> None:
    sitting = await sitting_of(ALICE, None, terms=JOINING)
    sitting.now_ms = START_MS + JOIN_MS
    accepted(sitting.join(BOB, seat=seat))
    assert causes(sitting) == [Cause.NONE, Cause.NONE]


@pytest.mark.parametrize(("seat", "reason"), [(None, Reason.NO_OPEN_SEAT), (2, Reason.SEAT_TAKEN)])
async def test_who_joins_late_finds_the_seat_out(seat: int | None, reason: Reason) -> None:
    """Also if nobody has looked at the match before."""
    sitting = await sitting_of(ALICE, BOB, None, terms=JOINING)
    sitting.now_ms = START_MS + JOIN_MS + 1
    assert refused(sitting.join(CAROL, seat=seat)).reason is reason
    assert causes(sitting) == [Cause.NONE, Cause.NONE, Cause.NEVER_JOINED]


async def test_who_joins_late_a_match_that_ended_for_want_of_players_hears_so() -> None:
    sitting = await sitting_of(ALICE, None, terms=JOINING)
    sitting.now_ms = START_MS + JOIN_MS + 1
    assert refused(sitting.join(BOB)).reason is Reason.MATCH_OVER
    assert ranks(sitting) == ("LAST_SEAT", (1, 2))


async def test_a_join_gives_the_others_no_more_time() -> None:
    sitting = await sitting_of(None, None, None, terms=JOINING)
    sitting.now_ms = START_MS + JOIN_MS
    accepted(sitting.join(ALICE))
    sitting.now_ms += 1
    assert outline(sitting.expire()) == [("NEVER_JOINED", 1), ("NEVER_JOINED", 2)]


async def test_a_join_repeated_after_the_limit_has_its_answer() -> None:
    sitting = await sitting_of(None, None, None, terms=JOINING)
    answer = accepted(sitting.join(ALICE, request_id="join"))
    accepted(sitting.join(BOB))
    sitting.now_ms = START_MS + JOIN_MS + 1
    assert accepted(sitting.join(ALICE, request_id="join")) == answer
    sitting.expire()
    assert accepted(sitting.join(ALICE, request_id="join")) == answer


async def test_clocks_begin_when_play_does() -> None:
    """However long the seats were open: with the last join, or with the end of the time to join."""
    terms = Terms(move_ms=100, join_ms=JOIN_MS)
    joined, given_up = await sitting_of(ALICE, None, terms=terms), await sitting_of(ALICE, BOB, None, terms=terms)
    joined.now_ms = START_MS + 400
    accepted(joined.join(BOB))
    given_up.now_ms = START_MS + JOIN_MS + 1
    given_up.expire()
    for sitting in (joined, given_up):
        assert sitting.snapshot.next_deadline_ms(sitting.moment) == sitting.now_ms + 100


async def test_an_outage_puts_off_the_end_of_the_time_to_join() -> None:
    sitting = await sitting_of(ALICE, None, terms=JOINING)
    sitting.outages = ((START_MS - 100, START_MS + 300),)
    sitting.now_ms = START_MS + JOIN_MS + 300
    assert sitting.expire() == []
    sitting.now_ms += 1
    assert outline(sitting.expire()) == [("NEVER_JOINED", 1)]
