"""The order in which a move is checked, as the contract of SubmitMove gives it: the earliest violation is told."""

from collections.abc import Iterator
from itertools import combinations

import pytest

from referee.core.errors import Reason, RefereeError
from referee.table.ids import Principal
from referee.table.transitions import ById, ByIndex, Choice, Malformed, Typed
from tests.table.pebbles import BID_0, DRAW, KEEP, NUM_ACTIONS, PUT_LOW, TAKE_0, TAKE_1
from tests.table.sitting import ALICE, BOB, CAROL, STRANGER, Outcome, Sitting, accepted, refused, sitting_of

ORDER = (
    Reason.NOT_PERMITTED,
    Reason.SEAT_REQUIRED,
    Reason.REQUEST_ID_REUSED,
    Reason.MATCH_NOT_STARTED,
    Reason.MATCH_OVER,
    Reason.SEAT_OUT,
    Reason.STALE_DECISION,
    Reason.NOT_TO_ACT,
    Reason.MALFORMED_MOVE,
    Reason.ILLEGAL_MOVE,
    Reason.MOVE_AFTER_REVEAL,
)
NEVER_TOGETHER = (
    {Reason.NOT_PERMITTED, Reason.SEAT_REQUIRED},
    {Reason.MATCH_NOT_STARTED, Reason.MATCH_OVER},
    {Reason.MATCH_NOT_STARTED, Reason.SEAT_OUT},
)


def violations_from(first: Reason) -> Iterator[set[Reason]]:
    """Every set of violations that one request can have together, `first` being the earliest."""
    later = ORDER[ORDER.index(first) + 1 :]
    for count in range(len(later) + 1):
        for others in combinations(later, count):
            violations = {first, *others}
            if not any(pair <= violations for pair in NEVER_TOGETHER):
                yield violations


async def table_of(violations: set[Reason]) -> Sitting:
    """A match of three seats, of which Alice has the first, in the position in which the request shall come."""
    seats: tuple[Principal | None, ...] = (ALICE, BOB, CAROL)
    if Reason.SEAT_REQUIRED in violations:
        seats = (ALICE, BOB, ALICE)
    if Reason.MATCH_NOT_STARTED in violations:
        seats = (seats[0], None, seats[2])
    sitting = await sitting_of(*seats)
    if Reason.REQUEST_ID_REUSED in violations:
        refused(sitting.submit(ALICE, TAKE_1, seat=0, request_id="used", decision=99))
    if Reason.NOT_TO_ACT in violations and Reason.MATCH_NOT_STARTED not in violations:
        accepted(sitting.submit(ALICE, TAKE_1, KEEP, seat=0))
    if Reason.SEAT_OUT in violations:
        accepted(sitting.resign(ALICE, seat=0))
    if Reason.MATCH_OVER in violations:
        accepted(sitting.resign(BOB))
        if Reason.SEAT_OUT not in violations:
            accepted(sitting.resign(seats[2] or CAROL, seat=2))
    return sitting


def request_with(violations: set[Reason], sitting: Sitting) -> Outcome:
    """Alice's request, or a stranger's, with just these violations."""
    moves: list[Choice] = [ById(BID_0 if Reason.ILLEGAL_MOVE in violations else TAKE_0)]
    if Reason.MOVE_AFTER_REVEAL in violations:
        moves += [ById(DRAW), ById(PUT_LOW)]
    if Reason.MALFORMED_MOVE in violations:
        moves.append(ById(NUM_ACTIONS))
    return sitting.submit(
        STRANGER if Reason.NOT_PERMITTED in violations else ALICE,
        *moves,
        seat=None if Reason.SEAT_REQUIRED in violations else 0,
        request_id="used" if Reason.REQUEST_ID_REUSED in violations else None,
        decision=sitting.decision(0) + (7 if Reason.STALE_DECISION in violations else 0),
    )


@pytest.mark.parametrize("first", ORDER, ids=lambda reason: reason.name)
async def test_of_several_violations_the_earliest_is_told(first: Reason) -> None:
    for violations in violations_from(first):
        sitting = await table_of(violations)
        error = refused(request_with(violations, sitting))
        assert error.reason is first, f"{sorted(reason.name for reason in violations)} gave {error.reason.name}"


async def test_a_request_without_violations_is_accepted() -> None:
    accepted(request_with(set(), await table_of(set())))


async def test_whether_all_moves_are_well_formed_is_told_before_whether_any_is_legal() -> None:
    sitting = await sitting_of(ALICE, BOB)
    error = refused(sitting.submit(ALICE, BID_0, Malformed("is no move at all")))
    assert (error.reason, error.metadata) == (Reason.MALFORMED_MOVE, {"move": "1", "problem": "is no move at all"})


@pytest.mark.parametrize("move", range(NUM_ACTIONS))
async def test_the_legality_of_a_move_behind_a_reveal_is_not_told(move: int) -> None:
    """It could depend on what was shown: legal or not, the answer is the same."""
    sitting = await sitting_of(ALICE, BOB)
    error = refused(sitting.submit(ALICE, TAKE_0, DRAW, move))
    assert (error.reason, error.metadata) == (Reason.MOVE_AFTER_REVEAL, {"move": "2"})


@pytest.mark.parametrize(
    ("choice", "words"),
    [
        (ById(NUM_ACTIONS), "has id 10, expected 0 to 9"),
        (ByIndex(3), "has index 3, expected 0 to 2"),
        (Typed("chess", 0), "is one of chess, expected one of pebbles"),
        (Malformed("is empty"), "is empty"),
    ],
)
async def test_a_malformed_move_is_told_in_words(choice: Choice, words: str) -> None:
    sitting = await sitting_of(ALICE, BOB)
    error = refused(sitting.submit(ALICE, choice))
    assert (error.reason, error.metadata) == (Reason.MALFORMED_MOVE, {"move": "0", "problem": words})


async def test_each_refusal_tells_what_was_expected() -> None:
    """The metadata that the contract names for the reason."""
    sitting = await sitting_of(ALICE, BOB, ALICE)
    waiting = await sitting_of(ALICE, None, None)
    told: list[tuple[RefereeError, Reason, dict[str, str]]] = [
        (refused(sitting.submit(ALICE, TAKE_0)), Reason.SEAT_REQUIRED, {"seats": "0, 2"}),
        (refused(waiting.submit(ALICE, TAKE_0)), Reason.MATCH_NOT_STARTED, {"open": "2"}),
        (
            refused(sitting.submit(ALICE, TAKE_0, seat=0, decision=3)),
            Reason.STALE_DECISION,
            {"decision_number": "3", "expected": "0"},
        ),
        (refused(sitting.submit(BOB, TAKE_0)), Reason.NOT_TO_ACT, {"seat": "1"}),
    ]
    for error, reason, metadata in told:
        assert (error.reason, error.metadata) == (reason, metadata)
    illegal = refused(sitting.submit(ALICE, TAKE_0, BID_0, seat=0))
    assert illegal.reason is Reason.ILLEGAL_MOVE
    assert (illegal.metadata["move"], illegal.metadata["rule"]) == ("1", "WRONG_STEP")
