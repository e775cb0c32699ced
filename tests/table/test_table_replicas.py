"""What a table remembers saves reads and decides nothing: several tables over one store answer as one would."""

import asyncio

import pytest

from referee.core.errors import Reason, RefereeError
from referee.store.memory import MemoryStore
from referee.table.table import Table
from referee.table.transitions import Answer, ById
from tests.table.faulty import Contended, Counted
from tests.table.night import Night, night_of, reasons
from tests.table.pebbles import BID_0, BID_1, KEEP, TAKE_0, TAKE_1, TAKE_2
from tests.table.sitting import ALICE, BOB, CAROL, GAMES, HOST, creation_of, new_id


@pytest.fixture
def replicas() -> Night:
    """Two tables over one store."""
    return night_of(2)


async def test_a_table_behind_the_store_accepts_what_is_due_now(replicas: Night) -> None:
    """By what the first table remembers Bob is not to act."""
    match_id = await replicas.match(ALICE, BOB, at=0)
    await replicas.submit(ALICE, match_id, TAKE_1, KEEP, at=1)
    assert await replicas.submit(BOB, match_id, TAKE_1, at=0) == Answer(3, 1, 1)


async def test_a_table_behind_the_store_accepts_the_next_decision(replicas: Night) -> None:
    match_id = await replicas.match(ALICE, BOB, at=0)
    await replicas.submit(ALICE, match_id, TAKE_1, at=1)
    answer, _ = await replicas.table.submit(ALICE, match_id, new_id(), None, 1, [ById(KEEP)])
    assert answer == Answer(2, 2, 0)


async def test_a_table_behind_the_store_refuses_by_what_is_so_now(replicas: Night) -> None:
    """By what the first table remembers the move is fine; the other's move has made its decision stale."""
    match_id = await replicas.match(ALICE, BOB, at=0)
    await replicas.submit(ALICE, match_id, TAKE_1, at=1)
    with pytest.raises(RefereeError) as refusal:
        await replicas.table.submit(ALICE, match_id, "r", None, 0, [ById(TAKE_2)])
    assert refusal.value.reason is Reason.STALE_DECISION
    assert refusal.value.metadata == {"decision_number": "0", "expected": "1"}
    assert (await replicas.snapshot(match_id)).ring(0).refused == {"STALE_DECISION": 1}


async def test_a_table_behind_the_store_knows_the_receipts_of_others(replicas: Night) -> None:
    match_id = await replicas.match(ALICE, BOB, at=0)
    moves = [ById(TAKE_1), ById(KEEP)]
    answer, _ = await replicas.tables[1].submit(ALICE, match_id, "r", None, 0, moves)
    assert (await replicas.table.submit(ALICE, match_id, "r", None, 0, moves))[0] == answer
    with pytest.raises(RefereeError) as first:
        await replicas.tables[1].submit(BOB, match_id, "s", None, 0, [ById(BID_0)])
    with pytest.raises(RefereeError) as again:
        await replicas.table.submit(BOB, match_id, "s", None, 0, [ById(BID_0)])
    assert (first.value.reason, str(first.value)) == (Reason.ILLEGAL_MOVE, str(again.value))
    assert (await replicas.snapshot(match_id)).ring(1).refused == {"ILLEGAL_MOVE": 1}
    with pytest.raises(RefereeError) as reused:
        await replicas.table.submit(ALICE, match_id, "r", None, 2, moves)
    assert reused.value.reason is Reason.REQUEST_ID_REUSED


async def test_a_table_behind_the_store_shows_what_is_so_now(replicas: Night) -> None:
    match_id = await replicas.match(ALICE, None, at=0)
    await replicas.join(BOB, match_id, at=1)
    await replicas.submit(ALICE, match_id, TAKE_1, at=1)
    seen = await replicas.table.get(BOB, match_id, None)
    assert (seen.viewer, seen.snapshot.course.version) == (1, 2)
    await replicas.resign(ALICE, match_id, at=1)
    snapshot, log = await replicas.table.record(HOST, match_id)
    assert (snapshot.course.version, len(log)) == (3, 3)


async def test_a_table_behind_the_store_lets_in_who_has_joined_elsewhere(replicas: Night) -> None:
    match_id = await replicas.match(ALICE, None, at=0)
    await replicas.join(BOB, match_id, at=1)
    answer, _ = await replicas.table.submit(ALICE, match_id, new_id(), None, 0, [ById(TAKE_0), ById(KEEP)])
    assert answer == Answer(3, 2, 0)
    answer, _ = await replicas.table.submit(BOB, match_id, new_id(), None, 0, [ById(TAKE_0)])
    assert answer == Answer(4, 1, 1)


async def test_a_table_behind_the_store_keeps_out_who_has_resigned_elsewhere(replicas: Night) -> None:
    match_id = await replicas.match(ALICE, BOB, CAROL, at=0)
    await replicas.resign(ALICE, match_id, at=1)
    with pytest.raises(RefereeError) as refusal:
        await replicas.table.submit(ALICE, match_id, new_id(), None, 0, [ById(TAKE_0)])
    assert refusal.value.reason is Reason.SEAT_OUT


async def test_a_table_does_not_believe_in_a_match_that_is_gone() -> None:
    """It was forgotten, or the store lost it; and another match with this id may be there now."""
    night = night_of()
    creation = creation_of([ALICE, BOB])
    match_id = (await night.table.create(HOST, "r", creation)).match_id
    await night.submit(ALICE, match_id, TAKE_1)
    await night.store.close()  # forgets everything
    with pytest.raises(RefereeError) as refusal:
        await night.table.submit(ALICE, match_id, new_id(), None, 1, [ById(KEEP)])
    assert refusal.value.reason is Reason.NOT_PERMITTED
    anew = await Table(night.store, GAMES).create(HOST, "r", creation)
    assert anew.match_id == match_id
    with pytest.raises(RefereeError) as refusal:
        await night.table.submit(ALICE, match_id, new_id(), None, 1, [ById(KEEP)])
    assert refusal.value.reason is Reason.STALE_DECISION
    answer, _ = await night.table.submit(ALICE, match_id, new_id(), None, 0, [ById(TAKE_2)])
    assert answer == Answer(1, 1, 0)


async def test_tables_that_take_turns_play_a_whole_match(replicas: Night) -> None:
    match_id = await replicas.match(ALICE, BOB, CAROL, rounds=5)
    await replicas.play(match_id)
    snapshot, log = await replicas.table.record(HOST, match_id)
    assert len(log) == snapshot.course.version == 5 * 3 * 3


async def test_a_match_that_a_table_remembers_is_played_on_without_reading_it() -> None:
    store = Counted(MemoryStore())
    table = Table(store, GAMES)
    match_id = (await table.create(HOST, new_id(), creation_of([ALICE, BOB]))).match_id
    for decision, move in enumerate((TAKE_1, KEEP)):
        await table.submit(ALICE, match_id, new_id(), None, decision, [ById(move)])
    assert (store.loads, store.writes) == (0, 3)


async def test_a_move_that_meets_others_is_tried_again_and_played_once() -> None:
    store = Contended(MemoryStore())
    night = night_of(store=store)
    match_id = await night.match(ALICE, BOB)
    store.count = 5
    assert await night.submit(ALICE, match_id, TAKE_1) == Answer(1, 1, 0)
    assert len(await store.log(match_id, 0, 10)) == 1


async def test_contention_is_told_after_a_bounded_number_of_attempts() -> None:
    """The caller may try again with the same request id, and the move is played once."""
    store = Contended(MemoryStore())
    night = night_of(store=store)
    match_id = await night.match(ALICE, BOB)
    store.count, store.writes = 1_000_000, 0
    for call in (
        lambda: night.table.submit(ALICE, match_id, "r", None, 0, [ById(TAKE_1)]),
        lambda: night.table.submit(BOB, match_id, "s", None, 0, [ById(TAKE_1)]),
        lambda: night.table.resign(ALICE, match_id, "t", None),
    ):
        with pytest.raises(RefereeError) as refusal:
            await call()
        assert (refusal.value.reason, refusal.value.metadata) == (Reason.CONTENTION, {})
    assert store.writes < 100
    assert (await night.snapshot(match_id)).course.version == 0
    store.count = 0
    answer, _ = await night.table.submit(ALICE, match_id, "r", None, 0, [ById(TAKE_1)])
    assert answer == Answer(1, 1, 0)


async def test_joins_and_releases_are_bounded_too() -> None:
    store = Contended(MemoryStore())
    night = night_of(store=store)
    waiting, finished = await night.match(ALICE, None), await night.finished(on_release=True)
    store.count, store.writes = 1_000_000, 0
    with pytest.raises(RefereeError) as refusal:
        await night.join(BOB, waiting)
    assert refusal.value.reason is Reason.CONTENTION
    with pytest.raises(RefereeError) as refusal:
        await night.table.release(HOST, finished, new_id())
    assert refusal.value.reason is Reason.CONTENTION
    assert store.writes < 100


async def test_many_callers_of_one_match_all_get_an_answer() -> None:
    """Sixteen tables, each with a refused request of its own at the same time: every one is told and counted."""
    night = night_of(16)
    match_id = await night.match(ALICE, BOB)
    await night.submit(ALICE, match_id, TAKE_1, KEEP)
    outcomes = await asyncio.gather(
        *(table.submit(BOB, match_id, new_id(), None, 0, [ById(BID_1)]) for table in night.tables),
        return_exceptions=True,
    )
    told = reasons(outcomes)
    assert len(told) == 16
    assert set(told) <= {Reason.ILLEGAL_MOVE, Reason.CONTENTION}
    assert (await night.snapshot(match_id)).ring(1).refused == {"ILLEGAL_MOVE": told.count(Reason.ILLEGAL_MOVE)}
    assert told.count(Reason.ILLEGAL_MOVE) >= 15
