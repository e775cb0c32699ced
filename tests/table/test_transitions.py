"""What accepted calls do: seats and moves, versions, and since when who is asked."""

from collections.abc import Callable

import pytest

from referee.core.errors import Reason
from referee.table.ids import Principal
from referee.table.snapshot import Actor, Status, Step
from referee.table.transitions import Answer, ById, ByIndex, Choice, Typed
from tests.table.pebbles import (
    BID_0,
    BID_1,
    BID_2,
    DRAW,
    KEEP,
    PUT_HIGH,
    PUT_LOW,
    TAKE_0,
    TAKE_1,
    TAKE_2,
)
from tests.table.sitting import (
    ALICE,
    BOB,
    CAROL,
    HOST,
    START_MS,
    STRANGER,
    Outcome,
    Sitting,
    accepted,
    refused,
    sitting_of,
)


def asked_since(sitting: Sitting) -> list[int | None]:
    """Since when each seat has been asked; 0 in the snapshot stands for the newest commit."""
    since = [seat.asked_ms for seat in sitting.snapshot.course.seats]
    return [sitting.header.commit_ms if asked == 0 else asked for asked in since]


async def to_the_bids(sitting: Sitting) -> None:
    """Plays to the first sealed choice."""
    while len(sitting.to_act) == 1:
        seat = sitting.to_act[0]
        principal = sitting.snapshot.head.seats[seat].principal
        assert principal is not None
        accepted(sitting.submit(Principal(principal), TAKE_1, KEEP, seat=seat))


async def test_a_match_with_all_seats_taken_begins_at_once() -> None:
    sitting = await sitting_of(ALICE, BOB)
    assert (sitting.snapshot.course.status, sitting.version, sitting.to_act) == (Status.ACTIVE, 0, [0])


async def test_nobody_is_to_act_until_the_last_seat_is_taken() -> None:
    sitting = await sitting_of(ALICE, None, None)
    assert (sitting.snapshot.course.status, sitting.to_act) == (Status.WAITING, [])
    assert accepted(sitting.join(BOB)) == Answer(version=1, decision=0, seat=1)
    assert (sitting.snapshot.course.status, sitting.to_act) == (Status.WAITING, [])
    assert accepted(sitting.join(CAROL)) == Answer(version=2, decision=0, seat=2)
    assert (sitting.snapshot.course.status, sitting.to_act) == (Status.ACTIVE, [0])
    assert [(entry.step, entry.seat, entry.started) for entry in sitting.log] == [
        (Step.JOIN, 1, False),
        (Step.JOIN, 2, True),
    ]


async def test_a_join_takes_the_seat_it_names_or_the_first_open_one() -> None:
    sitting = await sitting_of(None, BOB, None, None)
    assert accepted(sitting.join(ALICE, seat=2)).seat == 2
    assert accepted(sitting.join(ALICE)).seat == 0
    assert accepted(sitting.join(CAROL)).seat == 3
    assert [seat.principal for seat in sitting.snapshot.head.seats] == [ALICE, BOB, ALICE, CAROL]


@pytest.mark.parametrize("seat", [0, 1])
async def test_a_seat_that_is_not_open_is_refused(seat: int) -> None:
    """Whether somebody else holds it or the caller does."""
    sitting = await sitting_of(ALICE, BOB, None)
    error = refused(sitting.join(ALICE, seat=seat))
    assert (error.reason, error.metadata) == (Reason.SEAT_TAKEN, {"seat": str(seat)})


async def test_a_seat_that_there_is_not_is_refused_with_the_range() -> None:
    sitting = await sitting_of(ALICE, BOB, None)
    error = refused(sitting.join(ALICE, seat=7))
    assert (error.reason, error.metadata) == (
        Reason.INVALID_FIELD,
        {"field": "seat", "problem": "is 7, expected 0 to 2"},
    )


async def test_a_join_is_refused_when_no_seat_is_open() -> None:
    sitting = await sitting_of(ALICE, BOB)
    error = refused(sitting.join(STRANGER))
    assert (error.reason, error.metadata) == (Reason.NO_OPEN_SEAT, {})
    accepted(sitting.resign(ALICE))
    assert refused(sitting.join(STRANGER)).reason is Reason.MATCH_OVER


async def test_a_join_names_the_player_or_keeps_the_name_that_the_host_gave() -> None:
    sitting = await sitting_of(None, None, None)
    accepted(sitting.join(ALICE, name="Alice"))
    accepted(sitting.join(BOB))
    assert [seat.display_name for seat in sitting.snapshot.head.seats] == ["Alice", "Seat 2", "Seat 3"]


@pytest.mark.parametrize("choice", [ById(TAKE_2), ByIndex(2), Typed("pebbles", TAKE_2)])
async def test_a_move_is_chosen_by_id_by_index_or_typed(choice: Choice) -> None:
    sitting = await sitting_of(ALICE, BOB)
    assert accepted(sitting.submit(ALICE, choice)) == Answer(version=1, decision=1, seat=0)
    assert (sitting.log[0].move, sitting.log[0].actor) == (TAKE_2, Actor.PLAYER)


async def test_the_index_is_a_place_in_the_list_of_legal_moves() -> None:
    sitting = await sitting_of(ALICE, BOB)
    accepted(sitting.submit(ALICE, TAKE_0))
    accepted(sitting.submit(ALICE, ByIndex(1)))
    assert sitting.log[1].move == DRAW


@pytest.mark.parametrize("choices", [(ByIndex(0), KEEP), (TAKE_0, ByIndex(0))])
async def test_an_index_stands_alone(choices: tuple[int | ByIndex, ...]) -> None:
    """The list that a second index would point into is not open yet."""
    sitting = await sitting_of(ALICE, BOB)
    assert refused(sitting.submit(ALICE, *choices)).reason is Reason.MALFORMED_MOVE
    assert sitting.version == 0


async def test_several_moves_in_one_call_are_one_version_and_one_decision_each() -> None:
    sitting = await sitting_of(ALICE, BOB)
    assert accepted(sitting.submit(ALICE, TAKE_1, DRAW)) == Answer(version=2, decision=2, seat=0)
    assert accepted(sitting.submit(ALICE, PUT_LOW)) == Answer(version=3, decision=3, seat=0)
    assert [(entry.seat, entry.decision, entry.move) for entry in sitting.log] == [
        (0, 0, TAKE_1),
        (0, 1, DRAW),
        (0, 2, PUT_LOW),
    ]


async def test_of_several_moves_all_are_played_or_none() -> None:
    sitting = await sitting_of(ALICE, BOB)
    error = refused(sitting.submit(ALICE, TAKE_1, PUT_HIGH))
    assert (error.reason, error.metadata["move"]) == (Reason.ILLEGAL_MOVE, "1")
    assert (sitting.version, sitting.decision(0), sitting.log) == (0, 0, [])
    accepted(sitting.submit(ALICE, TAKE_2, KEEP))
    assert sitting.snapshot.game.view(sitting.snapshot.state, None).totals == (2, 0)


async def test_no_move_is_played_behind_one_that_reveals_something() -> None:
    sitting = await sitting_of(ALICE, BOB)
    error = refused(sitting.submit(ALICE, TAKE_1, DRAW, PUT_HIGH))
    assert (error.reason, error.metadata) == (Reason.MOVE_AFTER_REVEAL, {"move": "2"})
    assert sitting.version == 0


async def test_no_move_is_played_behind_the_last_one_of_the_seat() -> None:
    sitting = await sitting_of(ALICE, BOB)
    error = refused(sitting.submit(ALICE, TAKE_1, KEEP, BID_0))
    assert (error.reason, error.metadata) == (Reason.MOVE_AFTER_REVEAL, {"move": "2"})
    accepted(sitting.submit(ALICE, TAKE_1, KEEP))
    error = refused(sitting.submit(BOB, TAKE_1, KEEP, BID_0, BID_0))
    assert (error.reason, error.metadata) == (Reason.MOVE_AFTER_REVEAL, {"move": "3"})
    assert accepted(sitting.submit(BOB, TAKE_1, KEEP, BID_0)) == Answer(version=5, decision=3, seat=1)


async def test_a_simultaneous_move_of_another_seat_does_not_make_a_decision_stale() -> None:
    sitting = await sitting_of(ALICE, BOB, CAROL)
    await to_the_bids(sitting)
    assert sitting.to_act == [0, 1, 2]
    assert accepted(sitting.submit(CAROL, BID_2, decision=2)) == Answer(7, 3, 2)
    assert sitting.to_act == [0, 1]
    assert accepted(sitting.submit(ALICE, BID_0, decision=2)) == Answer(8, 3, 0)
    assert refused(sitting.submit(ALICE, BID_0, decision=3)).reason is Reason.NOT_TO_ACT
    assert accepted(sitting.submit(BOB, BID_1, decision=2)) == Answer(9, 3, 1)
    assert sitting.to_act == [0]


async def test_the_last_move_ends_the_match_with_ranks_and_scores() -> None:
    """Totals 1 + 2, 2 + 0 and 2 + 1: two share the first place and the next place is the third."""
    sitting = await sitting_of(ALICE, BOB, CAROL, rounds=1)
    accepted(sitting.submit(ALICE, TAKE_1, KEEP))
    accepted(sitting.submit(BOB, TAKE_2, KEEP))
    accepted(sitting.submit(CAROL, TAKE_2, KEEP, BID_1))
    accepted(sitting.submit(BOB, BID_0))
    assert accepted(sitting.submit(ALICE, BID_2)) == Answer(version=9, decision=3, seat=0)
    course = sitting.snapshot.course
    assert (course.status, sitting.to_act) == (Status.FINISHED, [])
    assert course.end is not None
    assert (course.end.reason, course.end.scores, course.end.ranks) == ("COMPLETED", (3, 2, 3), (1, 3, 1))
    assert [entry.ended for entry in sitting.log] == [False] * 8 + [True]


async def test_versions_count_moves_joins_and_resignations_but_no_refusals_or_releases() -> None:
    sitting = await sitting_of(ALICE, None, None, on_release=True)
    versions = [sitting.version]
    calls: list[Callable[[], Outcome]] = [
        lambda: sitting.submit(ALICE, TAKE_0),  # refused: not started
        lambda: sitting.join(BOB),
        lambda: sitting.join(BOB, seat=0),  # refused: taken
        lambda: sitting.join(CAROL),
        lambda: sitting.submit(BOB, TAKE_0),  # refused: not to act
        lambda: sitting.submit(ALICE, TAKE_0),
        lambda: sitting.release(HOST),  # refused: not over
        lambda: sitting.resign(CAROL),
        lambda: sitting.resign(BOB),
        lambda: sitting.release(HOST),
    ]
    for call in calls:
        call()
        versions.append(sitting.version)
    assert versions == [0, 0, 1, 1, 2, 2, 3, 3, 4, 5, 5]


async def test_a_seat_is_asked_since_the_commit_that_asked_it() -> None:
    sitting = await sitting_of(ALICE, BOB, rounds=1)
    assert asked_since(sitting) == [START_MS, None]
    sitting.now_ms = START_MS + 1_000
    accepted(sitting.submit(ALICE, TAKE_0))
    assert asked_since(sitting) == [START_MS + 1_000, None]
    sitting.now_ms = START_MS + 3_000
    accepted(sitting.submit(ALICE, KEEP))
    assert asked_since(sitting) == [None, START_MS + 3_000]
    sitting.now_ms = START_MS + 7_000
    accepted(sitting.submit(BOB, TAKE_0, KEEP))
    assert asked_since(sitting) == [START_MS + 7_000] * 2
    assert [entry.asked_ms for entry in sitting.log] == [START_MS, START_MS + 1_000, START_MS + 3_000, 0]


async def test_nobody_is_asked_before_the_last_join_nor_after_the_end() -> None:
    sitting = await sitting_of(ALICE, None)
    assert asked_since(sitting) == [None, None]
    sitting.now_ms = START_MS + 9_000
    accepted(sitting.join(BOB))
    assert asked_since(sitting) == [START_MS + 9_000, None]
    accepted(sitting.resign(ALICE))
    assert asked_since(sitting) == [None, None]


async def test_nothing_resets_the_clock_of_a_seat_but_its_own_move() -> None:
    """Neither simultaneous moves and resignations of others, nor refusals, nor requests that are repeated."""
    sitting = await sitting_of(ALICE, BOB, CAROL, ALICE)
    sitting.now_ms = asked = START_MS + 500
    await to_the_bids(sitting)
    assert asked_since(sitting) == [asked] * 4
    sitting.now_ms += 100
    accepted(sitting.submit(BOB, BID_1, request_id="r", decision=2))
    assert asked_since(sitting) == [asked, None, asked, asked]
    sitting.now_ms += 100
    refused(sitting.submit(ALICE, TAKE_0, seat=0))
    refused(sitting.submit(CAROL, BID_0, decision=77))
    accepted(sitting.submit(BOB, BID_1, request_id="r", decision=2))
    assert asked_since(sitting) == [asked, None, asked, asked]
    sitting.now_ms += 100
    accepted(sitting.resign(CAROL))
    assert asked_since(sitting) == [asked, None, None, asked]
    sitting.now_ms += 100
    accepted(sitting.submit(ALICE, BID_0, seat=3))
    assert (sitting.log[-1].seat, sitting.log[-1].asked_ms) == (3, asked)
    sitting.now_ms += 100
    accepted(sitting.submit(ALICE, BID_0, seat=0))
    own = next(entry for entry in reversed(sitting.log) if entry.actor == Actor.PLAYER)
    assert (own.seat, own.asked_ms) == (0, asked)
    assert asked_since(sitting) == [sitting.now_ms, None, None, None]


async def test_only_the_host_may_release_and_only_what_is_over() -> None:
    sitting = await sitting_of(ALICE, BOB, on_release=True)
    for who in (ALICE, STRANGER):
        assert refused(sitting.release(who)).reason is Reason.NOT_PERMITTED
    assert refused(sitting.release(HOST)).reason is Reason.MATCH_NOT_OVER
    accepted(sitting.resign(ALICE))
    assert refused(sitting.release(BOB)).reason is Reason.NOT_PERMITTED
    assert not sitting.snapshot.course.released
    accepted(sitting.release(HOST))
    assert sitting.snapshot.course.released
