"""What every store promises of time: its clock and the outages, writes that come too late, matches that are due."""

import asyncio
from typing import Any

import pytest
from msgspec.structs import replace

from referee.table.clocks import Deadline
from referee.table.ids import MatchId
from referee.table.store import Header, Store, Stored, Untimely
from tests.servers import eventually
from tests.store.conftest import NewStore
from tests.store.test_contract import is_gone, later_than
from tests.store.writes import BRIEF_MS, LONG_MS, SHORT_MS, any_match, created, match_in, write_of, written

LEASE_MS = 60_000
PAST = Deadline(1)


async def created_with(
    store: Store, deadline: Deadline | None, match_id: MatchId | None = None, **write: Any
) -> Header:
    """Creates a match that is due then."""
    return await written(store, replace(write_of(match_id or any_match(), **write), deadline=deadline))


async def due(store: Store) -> list[MatchId]:
    return await store.due("me", LEASE_MS, 100)


async def test_the_first_beat_tells_the_time_and_no_outage(store: Store) -> None:
    """It is the clock that commits are told by."""
    before = await created(store, any_match())
    now_ms, outages = await store.beat(0)
    after = await created(store, any_match())
    assert before.commit_ms <= now_ms <= after.commit_ms
    assert outages == ()


async def test_no_beat_for_too_long_is_an_outage_from_the_last_one_to_the_next(new_store: NewStore) -> None:
    """Whichever replica makes them; all replicas are told of it from then on."""
    one, other = new_store(), new_store()
    last = (await one.beat(BRIEF_MS)).now_ms
    await later_than(one, last + BRIEF_MS)
    now_ms, outages = await other.beat(BRIEF_MS)
    assert outages == ((last, now_ms),)
    assert (await one.beat(LONG_MS)).outages == outages


async def test_beats_that_follow_in_time_are_no_outage(new_store: NewStore) -> None:
    """Though each replica by itself beats too seldom."""
    replicas, longest_ms = [new_store(), new_store()], 800
    for number in range(3):
        now_ms, outages = await replicas[number % 2].beat(longest_ms)
        assert outages == ()
        await later_than(replicas[0], now_ms + longest_ms // 2)


async def test_outages_are_told_in_their_order(store: Store) -> None:
    expected, last = [], (await store.beat(0)).now_ms
    for _ in range(3):
        await later_than(store, last)
        now_ms, outages = await store.beat(0)
        expected.append((last, now_ms))
        assert outages == tuple(expected)
        last = now_ms


async def test_of_beats_at_the_same_time_one_finds_the_outage(new_store: NewStore) -> None:
    replicas = [new_store() for _ in range(3)]
    for store in replicas:
        last = (await store.beat(LONG_MS)).now_ms
    await later_than(replicas[0], last + BRIEF_MS)
    await asyncio.gather(*(store.beat(BRIEF_MS) for store in replicas * 4))
    [(start, _)] = (await replicas[0].beat(LONG_MS)).outages
    assert start == last


async def test_a_write_in_time_is_written(store: Store) -> None:
    match_id = any_match()
    header = await created(store, match_id)
    write = replace(write_of(match_id, header, [b"move"]), not_after_ms=header.commit_ms + LONG_MS)
    assert (await written(store, write)).revision == 2


async def test_a_write_that_comes_too_late_writes_nothing_and_tells_the_time(store: Store) -> None:
    match_id = any_match()
    header = await created_with(store, PAST, match_id, fields={"state": b"dealt"})
    await later_than(store, header.commit_ms)
    late = replace(
        write_of(match_id, header, [b"move"], fields={"state": b"new"}),
        not_after_ms=header.commit_ms,
        deadline=Deadline(),
    )
    outcome = await store.write(late)
    assert isinstance(outcome, Untimely)
    assert outcome.now_ms > header.commit_ms
    assert await store.load(match_id) == Stored(header.encode(), {"state": b"dealt"})
    assert await store.log(match_id, 0, 10) == []
    assert await due(store) == [match_id]


async def test_a_creation_that_comes_too_late_creates_nothing(store: Store) -> None:
    match_id = any_match()
    assert isinstance(await store.write(replace(write_of(match_id), not_after_ms=1)), Untimely)
    assert await store.load(match_id) is None


async def test_a_late_write_that_names_another_header_is_told_what_stands(store: Store) -> None:
    """Who knows an older match does not know when it is too late."""
    match_id = any_match()
    first = await created(store, match_id)
    second = await written(store, write_of(match_id, first, [b"move"]))
    late = replace(write_of(match_id, first, [b"late"]), not_after_ms=1)
    assert await store.write(late) == Stored(second.encode(), {"state": b"dealt"})
    gone = replace(write_of(any_match(), first, [b"late"]), not_after_ms=1)
    assert await store.write(gone) is None


@pytest.mark.parametrize(
    "deadline",
    [PAST, Deadline(None, 0), Deadline(1, LONG_MS), Deadline(2**50, 0)],
    ids=["a time", "a wait", "the time is earlier", "the wait is earlier"],
)
async def test_a_match_whose_deadline_is_over_is_due(store: Store, deadline: Deadline) -> None:
    match_id = any_match()
    await created_with(store, deadline, match_id)
    await eventually(lambda: due(store))
    assert await due(store) == [match_id]


@pytest.mark.parametrize("deadline", [None, Deadline(), Deadline(2**50), Deadline(None, LONG_MS)])
async def test_a_match_without_a_deadline_or_before_it_is_not_due(store: Store, deadline: Deadline | None) -> None:
    await created_with(store, deadline)
    assert await due(store) == []


async def test_a_wait_begins_with_the_write(store: Store) -> None:
    match_id = any_match()
    header = await created_with(store, Deadline(None, SHORT_MS), match_id)
    assert await due(store) == []
    await eventually(lambda: due(store))
    assert (await store.beat(LONG_MS)).now_ms >= header.commit_ms + SHORT_MS


@pytest.mark.parametrize(
    ("later", "is_due"),
    [(None, True), (PAST, True), (Deadline(), False), (Deadline(2**50), False)],
    ids=["says nothing", "says the same", "has none", "is later"],
)
async def test_a_write_leaves_or_moves_or_ends_the_deadline(store: Store, later: Deadline | None, is_due: bool) -> None:
    match_id = any_match()
    header = await created_with(store, PAST, match_id)
    await written(store, replace(write_of(match_id, header, [b"move"]), deadline=later))
    assert bool(await due(store)) == is_due


async def test_due_matches_of_all_buckets_are_found_the_earliest_of_each_first(store: Store) -> None:
    everywhere = [match_in(bucket) for bucket in (0, 7, 128, 255)]
    for match_id in everywhere:
        await created_with(store, Deadline(5), match_id)
    earlier = match_in(7)
    await created_with(store, Deadline(4), earlier)
    assert set(await due(store)) == {*everywhere, earlier}
    assert earlier in await store.due("me", LEASE_MS, 1)


async def test_a_match_that_has_expired_is_not_due_any_more(store: Store) -> None:
    """Nor does anything else keep it among those that are looked at."""
    match_id = any_match()
    await created_with(store, PAST, match_id, lifetime_ms=BRIEF_MS)
    await eventually(lambda: is_gone(store, match_id))
    assert await due(store) == []
    await written(store, write_of(match_id))
    assert await due(store) == []


async def test_one_sweeper_at_a_time_is_told_what_is_due(new_store: NewStore) -> None:
    one, other, match_id = new_store(), new_store(), any_match()
    await created_with(one, PAST, match_id)
    assert await one.due("one", LEASE_MS, 10) == [match_id]
    assert await other.due("other", LEASE_MS, 10) == []
    assert await one.due("one", LEASE_MS, 10) == [match_id]


async def test_another_sweeper_takes_over_when_the_lease_ends(new_store: NewStore) -> None:
    one, other, match_id = new_store(), new_store(), any_match()
    await created_with(one, PAST, match_id)
    await one.due("one", BRIEF_MS, 10)
    assert await eventually(lambda: other.due("other", LEASE_MS, 10)) == [match_id]
    assert await one.due("one", BRIEF_MS, 10) == []
