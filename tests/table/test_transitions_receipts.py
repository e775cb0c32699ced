"""Receipts: a request that is repeated is answered again and does nothing again."""

from collections.abc import Callable

import pytest

from referee.core.errors import Reason
from referee.table.snapshot import HOST as HOST_RING
from referee.table.snapshot import Receipt, Ring
from referee.table.transitions import Answer, ByIndex
from tests.table.pebbles import BID_0, BID_1, DRAW, KEEP, PUT_LOW, TAKE_0, TAKE_1, TAKE_2
from tests.table.sitting import ALICE, BOB, CAROL, HOST, Outcome, Sitting, accepted, refused, sitting_of

KEPT = 8  # receipts for each seat


async def test_an_accepted_move_repeated_gives_the_same_answer_and_plays_nothing() -> None:
    sitting = await sitting_of(ALICE, BOB)
    first = accepted(sitting.submit(ALICE, TAKE_1, KEEP, request_id="r", decision=0))
    assert first == Answer(version=2, decision=2, seat=0)
    header = sitting.header
    assert sitting.submit(ALICE, TAKE_1, KEEP, request_id="r", decision=0) == first
    assert (sitting.version, sitting.header) == (2, header)


async def test_the_answer_stays_the_same_when_the_match_goes_on_and_when_it_is_over() -> None:
    sitting = await sitting_of(ALICE, BOB)
    first = accepted(sitting.submit(ALICE, TAKE_1, request_id="r", decision=0))
    accepted(sitting.submit(ALICE, KEEP))
    accepted(sitting.submit(BOB, TAKE_2, KEEP))
    assert sitting.submit(ALICE, TAKE_1, request_id="r", decision=0) == first
    accepted(sitting.resign(BOB))
    assert sitting.submit(ALICE, TAKE_1, request_id="r", decision=0) == first


@pytest.mark.parametrize(
    ("moves", "decision", "reason"),
    [
        ((TAKE_0,), 5, Reason.STALE_DECISION),
        ((BID_0,), 0, Reason.ILLEGAL_MOVE),
        ((TAKE_0, DRAW, PUT_LOW), 0, Reason.MOVE_AFTER_REVEAL),
        ((ByIndex(9),), 0, Reason.MALFORMED_MOVE),
    ],
)
async def test_a_refused_move_repeated_is_refused_in_the_same_words(
    moves: tuple[int | ByIndex, ...], decision: int, reason: Reason
) -> None:
    """Even if it would be accepted by now, because its caller may have given it up for lost."""
    sitting = await sitting_of(ALICE, BOB)
    first = refused(sitting.submit(ALICE, *moves, request_id="r", decision=decision))
    header = sitting.header
    again = refused(sitting.submit(ALICE, *moves, request_id="r", decision=decision))
    assert (first.reason, str(first), first.metadata) == (reason, str(again), again.metadata)
    assert sitting.header == header


async def test_a_refusal_stands_when_its_reason_is_gone() -> None:
    sitting = await sitting_of(ALICE, BOB)
    assert refused(sitting.submit(BOB, TAKE_0, request_id="r", decision=0)).reason is Reason.NOT_TO_ACT
    accepted(sitting.submit(ALICE, TAKE_0, KEEP))
    assert refused(sitting.submit(BOB, TAKE_0, request_id="r", decision=0)).reason is Reason.NOT_TO_ACT
    accepted(sitting.submit(BOB, TAKE_0, request_id="s", decision=0))


OTHERS: dict[str, Callable[[Sitting], Outcome]] = {
    "another move": lambda sitting: sitting.submit(ALICE, TAKE_2, request_id="r", decision=0),
    "one move more": lambda sitting: sitting.submit(ALICE, TAKE_1, KEEP, request_id="r", decision=0),
    "another decision": lambda sitting: sitting.submit(ALICE, TAKE_1, request_id="r", decision=1),
    "the move by its index": lambda sitting: sitting.submit(ALICE, ByIndex(1), request_id="r", decision=0),
    "a resignation": lambda sitting: sitting.resign(ALICE, request_id="r"),
    "a join": lambda sitting: sitting.join(ALICE, request_id="r"),
}


@pytest.mark.parametrize("other", OTHERS)
@pytest.mark.parametrize("accepts", [True, False], ids=["accepted", "refused"])
async def test_a_request_id_is_for_one_request(other: str, accepts: bool) -> None:
    """Neither a request that was accepted nor one that was refused lends its id to another one."""
    sitting = await sitting_of(ALICE, BOB)
    if accepts:
        accepted(sitting.submit(ALICE, TAKE_1, request_id="r", decision=0))
    else:
        refused(sitting.submit(ALICE, TAKE_1, request_id="r", decision=9))
    header = sitting.header
    assert refused(OTHERS[other](sitting)).reason is Reason.REQUEST_ID_REUSED
    assert sitting.header == header


@pytest.mark.parametrize("accepts", [True, False], ids=["accepted", "refused"])
async def test_the_last_eight_receipts_of_a_seat_are_kept(accepts: bool) -> None:
    """Accepted and refused requests count alike; a forgotten one is judged anew."""
    sitting = await sitting_of(ALICE, BOB)
    if accepts:
        accepted(sitting.submit(ALICE, TAKE_1, request_id="r", decision=0))
    else:
        refused(sitting.submit(ALICE, TAKE_1, request_id="r", decision=7))
    decision = 0 if accepts else 7
    first = sitting.submit(ALICE, TAKE_1, request_id="r", decision=decision)
    for _ in range(KEPT - 1):
        refused(sitting.submit(ALICE, BID_0))
    again = sitting.submit(ALICE, TAKE_1, request_id="r", decision=decision)
    assert (type(again), str(again)) == (type(first), str(first))
    refused(sitting.submit(ALICE, BID_0))
    assert len(sitting.snapshot.ring(0).receipts) == KEPT
    anew = refused(sitting.submit(ALICE, TAKE_2, request_id="r", decision=99))
    assert anew.reason is Reason.STALE_DECISION


def test_a_receipt_is_found_by_its_own_id_alone() -> None:
    """Also where the same bytes stand elsewhere in what is kept of others."""
    request = bytes(range(16))
    ring = Ring().add(Receipt(b"\xff" + request[:15], 1, 1)).add(Receipt(request[8:] + request[:8], 2, 2))
    assert ring.find(request) is None
    assert ring.add(Receipt(request, 3, 3)).find(request) == Receipt(request, 3, 3)


async def test_requests_of_one_seat_do_not_push_out_the_receipts_of_another() -> None:
    sitting = await sitting_of(ALICE, BOB)
    first = accepted(sitting.submit(ALICE, TAKE_1, request_id="r", decision=0))
    for _ in range(3 * KEPT):
        refused(sitting.submit(BOB, BID_0))
    assert sitting.submit(ALICE, TAKE_1, request_id="r", decision=0) == first


async def test_two_seats_may_use_one_request_id() -> None:
    sitting = await sitting_of(ALICE, BOB)
    first = accepted(sitting.submit(ALICE, TAKE_1, KEEP, request_id="r", decision=0))
    second = accepted(sitting.submit(BOB, TAKE_2, KEEP, request_id="r", decision=0))
    assert (first, second) == (Answer(2, 2, 0), Answer(4, 2, 1))
    assert sitting.submit(ALICE, TAKE_1, KEEP, request_id="r", decision=0) == first
    assert sitting.submit(BOB, TAKE_2, KEEP, request_id="r", decision=0) == second


async def test_two_seats_of_one_principal_have_receipts_of_their_own() -> None:
    sitting = await sitting_of(ALICE, ALICE)
    accepted(sitting.submit(ALICE, TAKE_1, KEEP, seat=0, request_id="r", decision=0))
    assert accepted(sitting.submit(ALICE, TAKE_1, KEEP, seat=1, request_id="r", decision=0)) == Answer(4, 2, 1)


async def test_a_refusal_changes_neither_the_game_nor_its_version_nor_its_log() -> None:
    sitting = await sitting_of(ALICE, BOB)
    accepted(sitting.submit(ALICE, TAKE_1))
    before, log, header = sitting.snapshot, list(sitting.log), sitting.header
    sitting.now_ms += 5_000
    for moves, decision in (((KEEP,), 9), ((BID_0,), 1), ((KEEP, BID_0), 1), ((ByIndex(7),), 1)):
        refused(sitting.submit(ALICE, *moves, decision=decision))
    refused(sitting.submit(BOB, TAKE_0))
    after = sitting.snapshot
    assert (after.course, after.head, after.state) == (before.course, before.head, before.state)
    assert (sitting.log, sitting.header.commit_ms) == (log, header.commit_ms)


async def test_refusals_are_counted_by_reason_once_for_each_request_id() -> None:
    sitting = await sitting_of(ALICE, BOB)
    for request_id in ("a", "a", "b", "b", "b"):
        refused(sitting.submit(ALICE, BID_0, request_id=request_id, decision=0))
    refused(sitting.submit(ALICE, TAKE_0, request_id="c", decision=4))
    for _ in range(2 * KEPT):
        accepted_or_not = sitting.submit(BOB, TAKE_0, request_id="d", decision=0)
        assert refused(accepted_or_not).reason is Reason.NOT_TO_ACT
    assert sitting.snapshot.ring(0).refused == {"ILLEGAL_MOVE": 2, "STALE_DECISION": 1}
    assert sitting.snapshot.ring(1).refused == {"NOT_TO_ACT": 1}


async def test_counts_of_refusals_outlive_their_receipts() -> None:
    sitting = await sitting_of(ALICE, BOB)
    for _ in range(3 * KEPT):
        refused(sitting.submit(ALICE, BID_0))
    assert sitting.snapshot.ring(0).refused == {"ILLEGAL_MOVE": 3 * KEPT}


async def test_what_is_kept_of_refusals_does_not_grow_with_their_number() -> None:
    sitting, sizes = await sitting_of(ALICE, BOB), list[int]()
    for number in range(10 * KEPT):
        refused(sitting.submit(ALICE, BID_0, request_id=f"request {number:9}"))
        sizes.append(len(sitting.fields["r0"]))
    assert len(set(sizes[KEPT - 1 :])) == 1


async def test_a_join_repeated_gives_the_same_seat() -> None:
    sitting = await sitting_of(None, None, None)
    first = accepted(sitting.join(ALICE, request_id="r"))
    assert first == Answer(version=1, decision=0, seat=0)
    accepted(sitting.join(BOB))
    assert sitting.join(ALICE, request_id="r") == first
    accepted(sitting.join(CAROL))
    accepted(sitting.submit(ALICE, TAKE_0))
    assert sitting.join(ALICE, request_id="r") == first
    assert sitting.version == 4


async def test_a_join_repeated_with_another_wish_is_refused() -> None:
    sitting = await sitting_of(None, None, None)
    accepted(sitting.join(ALICE, request_id="r"))
    for seat in (0, 1):
        assert refused(sitting.join(ALICE, request_id="r", seat=seat)).reason is Reason.REQUEST_ID_REUSED
    assert refused(sitting.join(ALICE, request_id="r", name="Alice")).reason is Reason.REQUEST_ID_REUSED
    assert sitting.version == 1


async def test_a_resignation_repeated_gives_the_same_answer_and_does_nothing_again() -> None:
    sitting = await sitting_of(ALICE, BOB, CAROL)
    first = accepted(sitting.resign(ALICE, request_id="r"))
    version = sitting.version
    assert sitting.resign(ALICE, request_id="r") == first
    assert sitting.version == version
    accepted(sitting.resign(BOB))
    assert sitting.resign(ALICE, request_id="r") == first
    assert refused(sitting.resign(ALICE)).reason is Reason.MATCH_OVER


async def test_a_release_repeated_is_accepted_and_does_nothing_again() -> None:
    sitting = await sitting_of(ALICE, BOB, on_release=True)
    accepted(sitting.resign(ALICE))
    first = accepted(sitting.release(HOST, request_id="r"))
    header = sitting.header
    assert sitting.release(HOST, request_id="r") == first
    assert sitting.header == header
    assert len(sitting.snapshot.ring(HOST_RING).receipts) == 1


async def test_a_player_who_is_host_too_has_receipts_of_both() -> None:
    """One request id for a move and for the release are two requests."""
    sitting = await sitting_of(HOST, BOB, on_release=True)
    move = accepted(sitting.submit(HOST, TAKE_1, request_id="r", decision=0))
    accepted(sitting.resign(BOB))
    accepted(sitting.release(HOST, request_id="r"))
    assert sitting.submit(HOST, TAKE_1, request_id="r", decision=0) == move


async def test_a_sealed_choice_repeated_tells_nothing_new() -> None:
    sitting = await sitting_of(ALICE, BOB)
    for who in (ALICE, BOB):
        accepted(sitting.submit(who, TAKE_0, KEEP))
    first = accepted(sitting.submit(ALICE, BID_1, request_id="r", decision=2))
    accepted(sitting.submit(BOB, BID_1))
    assert sitting.submit(ALICE, BID_1, request_id="r", decision=2) == first == Answer(5, 3, 0)
