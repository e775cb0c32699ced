"""Resignations: the seat is out, the autopilot plays it on in the write that makes it due, and the match goes on."""

import pytest

from referee.core.errors import Reason
from referee.core.seeding import Stream
from referee.table.ids import Principal
from referee.table.snapshot import Actor, Cause, Entry, Status, Step
from referee.table.transitions import Answer
from tests.table.pebbles import BID_0, BID_1, BID_2, KEEP, TAKE_0, TAKE_1, TAKE_2, Pebbles
from tests.table.sitting import ALICE, BOB, CAROL, DAVE, HOST, STRANGER, Sitting, accepted, refused, sitting_of


def outline(entries: list[Entry]) -> list[tuple[str, int, str]]:
    """What happened: step, seat and who made it so."""
    return [(Step(entry.step).name, entry.seat, Actor(entry.actor).name) for entry in entries]


async def test_the_autopilot_plays_on_in_the_same_write_when_the_seat_is_to_act() -> None:
    """The answer tells the version of the resignation itself; the marked moves follow it."""
    sitting = await sitting_of(ALICE, BOB, CAROL)
    assert accepted(sitting.resign(ALICE)) == Answer(version=1, decision=0, seat=0)
    assert outline(sitting.log) == [("RESIGNATION", 0, "PLAYER"), ("MOVE", 0, "AUTOPILOT"), ("MOVE", 0, "AUTOPILOT")]
    assert (sitting.version, sitting.decision(0), sitting.to_act) == (3, 2, [1])
    assert sitting.snapshot.course.seats[0].cause == Cause.RESIGNED
    assert sitting.snapshot.course.status == Status.ACTIVE


async def test_the_autopilot_plays_on_from_the_middle_of_a_turn() -> None:
    sitting = await sitting_of(ALICE, BOB, CAROL)
    accepted(sitting.submit(ALICE, TAKE_2))
    assert accepted(sitting.resign(ALICE)) == Answer(version=2, decision=1, seat=0)
    assert outline(sitting.log[1:]) == [("RESIGNATION", 0, "PLAYER"), ("MOVE", 0, "AUTOPILOT")]
    assert [entry.decision for entry in sitting.log if entry.step == Step.MOVE] == [0, 1]


async def test_the_autopilot_waits_until_the_seat_is_to_act_and_moves_in_the_write_that_makes_it_so() -> None:
    """The mover's answer tells the version and the decision of its own move, not of what followed."""
    sitting = await sitting_of(ALICE, BOB, CAROL)
    assert accepted(sitting.resign(BOB)) == Answer(version=1, decision=0, seat=1)
    assert (sitting.version, sitting.to_act) == (1, [0])
    assert accepted(sitting.submit(ALICE, TAKE_1, KEEP)) == Answer(version=3, decision=2, seat=0)
    assert outline(sitting.log[1:]) == [
        ("MOVE", 0, "PLAYER"),
        ("MOVE", 0, "PLAYER"),
        ("MOVE", 1, "AUTOPILOT"),
        ("MOVE", 1, "AUTOPILOT"),
    ]
    assert (sitting.version, sitting.to_act) == (5, [2])


async def test_the_autopilot_takes_part_in_simultaneous_choices() -> None:
    sitting = await sitting_of(ALICE, BOB, CAROL)
    accepted(sitting.submit(ALICE, TAKE_1, KEEP))
    accepted(sitting.submit(BOB, TAKE_1, KEEP))
    accepted(sitting.resign(ALICE))
    accepted(sitting.submit(CAROL, TAKE_1, KEEP))
    assert outline(sitting.log[-1:]) == [("MOVE", 0, "AUTOPILOT")]
    assert sitting.to_act == [1, 2]
    accepted(sitting.submit(BOB, BID_1))
    accepted(sitting.submit(CAROL, BID_1))
    assert outline(sitting.log[-2:]) == [("MOVE", 0, "AUTOPILOT"), ("MOVE", 0, "AUTOPILOT")]
    assert sitting.to_act == [1]


async def test_the_seed_and_the_decision_decide_what_the_autopilot_plays() -> None:
    """So that who replays the record can tell that it was the autopilot."""
    sitting = await sitting_of(ALICE, BOB, CAROL, rounds=3)
    accepted(sitting.resign(ALICE))
    game, seed = Pebbles(), sitting.snapshot.head.seed
    state = game.setup({"rounds": 3}, 3, seed)
    for who in (BOB, CAROL):
        accepted(sitting.submit(who, TAKE_1, KEEP))
    for who in (BOB, CAROL):
        accepted(sitting.submit(who, BID_1))
    checked = 0
    for entry in sitting.log:
        if entry.step != Step.MOVE:
            continue
        if entry.actor == Actor.AUTOPILOT:
            stream = Stream(seed, "autopilot", entry.seat, entry.decision)
            assert game.autopilot(game.view(state, entry.seat), stream) == entry.move
            checked += 1
        game.play(state, entry.seat, entry.move)
    assert checked == 5


async def test_with_one_seat_left_the_match_ends() -> None:
    """Nothing is played on, nobody has a score, and who went out earlier ranks lower."""
    sitting = await sitting_of(ALICE, BOB, CAROL)
    accepted(sitting.resign(BOB))
    assert accepted(sitting.resign(ALICE)) == Answer(version=2, decision=0, seat=0)
    course = sitting.snapshot.course
    assert (course.status, sitting.to_act) == (Status.FINISHED, [])
    assert course.end is not None
    assert (course.end.reason, course.end.scores, course.end.ranks) == ("LAST_SEAT", None, (2, 3, 1))
    assert [entry.ended for entry in sitting.log] == [False, True]


async def test_offenders_rank_below_all_others_whatever_their_score() -> None:
    """Alice, with the greatest total, resigns last of all moves before the end."""
    sitting = await sitting_of(ALICE, BOB, CAROL, rounds=1)
    accepted(sitting.submit(ALICE, TAKE_2, KEEP))
    accepted(sitting.submit(BOB, TAKE_0, KEEP))
    accepted(sitting.submit(CAROL, TAKE_1, KEEP))
    accepted(sitting.submit(ALICE, BID_2))
    accepted(sitting.resign(ALICE))
    accepted(sitting.submit(BOB, BID_0))
    accepted(sitting.submit(CAROL, BID_0))
    end = sitting.snapshot.course.end
    assert end is not None
    assert (end.reason, end.scores, end.ranks) == ("COMPLETED", (4, 0, 1), (3, 2, 1))


async def test_of_several_offenders_the_earlier_ranks_lower() -> None:
    sitting = await sitting_of(ALICE, BOB, CAROL, DAVE, rounds=1)
    accepted(sitting.resign(CAROL))
    accepted(sitting.submit(ALICE, TAKE_2, KEEP))
    accepted(sitting.resign(ALICE))
    accepted(sitting.submit(BOB, TAKE_1, KEEP))
    accepted(sitting.submit(DAVE, TAKE_1, KEEP, BID_0))
    accepted(sitting.submit(BOB, BID_0))
    end = sitting.snapshot.course.end
    assert end is not None
    assert (end.reason, end.ranks) == ("COMPLETED", (3, 1, 4, 1))


@pytest.mark.parametrize("order", [(ALICE, BOB), (BOB, ALICE)])
async def test_of_two_seats_the_one_that_stays_wins(order: tuple[Principal, Principal]) -> None:
    sitting = await sitting_of(ALICE, BOB)
    accepted(sitting.resign(order[0]))
    end = sitting.snapshot.course.end
    assert end is not None
    assert end.ranks == ((2, 1) if order[0] == ALICE else (1, 2))
    assert refused(sitting.resign(order[1])).reason is Reason.MATCH_OVER


async def test_a_seat_that_is_out_neither_moves_nor_resigns_again() -> None:
    sitting = await sitting_of(ALICE, BOB, CAROL)
    accepted(sitting.resign(ALICE))
    before = sitting.snapshot.course
    assert refused(sitting.submit(ALICE, TAKE_0)).reason is Reason.SEAT_OUT
    assert refused(sitting.resign(ALICE)).reason is Reason.SEAT_OUT
    assert sitting.snapshot.course == before


async def test_a_match_that_waits_for_players_cannot_be_resigned() -> None:
    sitting = await sitting_of(ALICE, None)
    error = refused(sitting.resign(ALICE))
    assert (error.reason, error.metadata) == (Reason.MATCH_NOT_STARTED, {"open": "1"})
    accepted(sitting.join(BOB))
    accepted(sitting.resign(ALICE))


async def test_only_who_holds_the_seat_may_resign_it() -> None:
    sitting = await sitting_of(ALICE, BOB, ALICE)
    for who in (STRANGER, HOST):
        assert refused(sitting.resign(who)).reason is Reason.NOT_PERMITTED
        assert refused(sitting.resign(who, seat=0)).reason is Reason.NOT_PERMITTED
    assert refused(sitting.resign(BOB, seat=0)).reason is Reason.NOT_PERMITTED
    error = refused(sitting.resign(ALICE))
    assert (error.reason, error.metadata) == (Reason.SEAT_REQUIRED, {"seats": "0, 2"})
    assert accepted(sitting.resign(ALICE, seat=2)).seat == 2


async def test_one_of_two_seats_of_a_principal_plays_on_when_the_other_is_out() -> None:
    sitting = await sitting_of(ALICE, BOB, ALICE)
    accepted(sitting.resign(ALICE, seat=0))
    accepted(sitting.submit(BOB, TAKE_1, KEEP))
    accepted(sitting.submit(ALICE, TAKE_1, KEEP, seat=2))
    assert refused(sitting.submit(ALICE, BID_0, seat=0)).reason is Reason.SEAT_OUT


async def test_everybody_but_one_may_resign_in_any_position() -> None:
    """Whatever was played before: the match ends, each seat has a place of its own, and the log is complete."""
    for moves in range(12):
        sitting = await sitting_of(ALICE, BOB, CAROL)
        await play(sitting, moves)
        for who in (CAROL, ALICE):
            accepted(sitting.resign(who))
        end = sitting.snapshot.course.end
        assert end is not None
        assert end.ranks == (2, 1, 3)
        assert sitting.snapshot.course.status == Status.FINISHED


async def play(sitting: Sitting, moves: int) -> None:
    """Plays so many moves, the first legal one each time."""
    for _ in range(moves):
        snapshot = sitting.snapshot
        seat = sitting.to_act[0]
        principal = snapshot.head.seats[seat].principal
        assert principal is not None
        accepted(sitting.submit(Principal(principal), snapshot.game.legal_moves(snapshot.state, seat)[0]))
