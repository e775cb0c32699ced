"""Watching a match: a snapshot, then each version exactly once, to the end."""

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import AsyncExitStack, aclosing, asynccontextmanager

import pytest

from referee.core.errors import Reason, RefereeError
from referee.store.memory import MemoryStore
from referee.table.ids import MatchId, Principal
from referee.table.matches import Limits
from referee.table.snapshot import Status, Step
from referee.table.store import Store
from referee.table.table import Table, Tidings
from tests.table.faulty import Counted, Deaf, Interrupted, Overtaken, Short, Unhurried
from tests.table.night import Night, night_of
from tests.table.pebbles import BID_0, KEEP, TAKE_1
from tests.table.sitting import ALICE, BOB, CAROL, GAMES, STRANGER

HEARD_S = 10.0
SOON = Limits(heartbeat_s=0.01)
OFTEN = 200  # versions, more than a watcher is told one by one


@pytest.fixture
def replicas() -> Night:
    """Two tables over one store."""
    return night_of(2)


@asynccontextmanager
async def watch(
    table: Table, match_id: MatchId, who: Principal = STRANGER, *, seat: int | None = None, after: int | None = None
) -> AsyncIterator[AsyncIterator[Tidings]]:
    """Watches for a block."""
    tidings = table.watch(who, match_id, seat, after)
    assert isinstance(tidings, AsyncGenerator)
    async with aclosing(tidings):
        yield tidings


async def next_of(tidings: AsyncIterator[Tidings]) -> Tidings:
    """Waits for the next tidings."""
    async with asyncio.timeout(HEARD_S):
        return await anext(tidings)


async def all_of(table: Table, match_id: MatchId, who: Principal = STRANGER, after: int | None = None) -> list[Tidings]:
    """Watches to the end."""
    async with asyncio.timeout(HEARD_S), watch(table, match_id, who, after=after) as tidings:
        return [news async for news in tidings]


def versions_told(tidings: list[Tidings]) -> list[int]:
    """The versions of all entries, in the order in which they were told."""
    return [told.version for news in tidings for told in news.entries]


async def test_a_watcher_is_told_a_snapshot_and_then_each_version_once(replicas: Night) -> None:
    """Two tables play while one of them is watched, through each seat's eyes and the public's."""
    match_id = await replicas.match(ALICE, None, None, rounds=4)
    await replicas.join(BOB, match_id)
    watchers = [asyncio.create_task(all_of(replicas.table, match_id, who)) for who in (ALICE, BOB, STRANGER)]
    async with watch(replicas.table, match_id) as tidings:
        assert (await next_of(tidings)).anew
    await replicas.join(CAROL, match_id, at=1)
    await replicas.play(match_id)
    last = (await replicas.snapshot(match_id)).course.version
    for viewer, task in zip((0, 1, None), watchers, strict=True):
        told = await task
        first = told[0]
        assert first.anew
        assert [news.anew for news in told[1:]] == [False] * (len(told) - 1)
        assert versions_told(told) == list(range(first.seen.snapshot.course.version + 1, last + 1))
        assert {news.seen.viewer for news in told} == {viewer}
        for news in told[1:]:
            assert news.seen.snapshot.course.version == news.entries[-1].version
        assert told[-1].seen.snapshot.course.status == Status.FINISHED


async def test_many_watchers_are_told_the_same(replicas: Night) -> None:
    match_id = await replicas.match(ALICE, BOB, rounds=3)
    tasks = [asyncio.create_task(all_of(replicas.tables[number % 2], match_id, after=0)) for number in range(20)]
    await replicas.play(match_id)
    last = (await replicas.snapshot(match_id)).course.version
    for task in tasks:
        assert versions_told(await task) == list(range(1, last + 1))


async def test_what_the_public_is_told_is_read_once_and_no_seat_is_told_by_it() -> None:
    """However many spectators there are; the seats share the reading, and each is told by itself."""
    night = night_of(2)
    counted = Counted(night.store)
    table = Table(counted, GAMES)
    match_id = await night.match(ALICE, BOB)
    async with AsyncExitStack() as stack:
        watching = [
            await stack.enter_async_context(watch(table, match_id, who)) for who in [STRANGER] * 9 + [ALICE, BOB]
        ]
        for tidings in watching:
            await next_of(tidings)
        loads = counted.loads
        news = [asyncio.create_task(next_of(tidings)) for tidings in watching]
        await night.submit(ALICE, match_id, TAKE_1)
        told = await asyncio.gather(*news)
    public, seats = told[:9], told[9:]
    assert {id(each) for each in public} == {id(public[0])}
    assert [each.seen.viewer for each in (public[0], *seats)] == [None, 0, 1]
    assert [each.written is public[0].written for each in seats] == [False, False]
    assert (counted.loads - loads, counted.logs) == (1, 1)


async def test_what_a_replica_has_written_itself_it_tells_without_reading_the_log() -> None:
    """And tells the same as others, who read it; also of a call with several moves, and of one behind it."""
    night = night_of(1)
    counted = Counted(night.store)
    night.tables.append(Table(counted, GAMES))
    match_id = await night.match(ALICE, BOB)
    async with watch(night.tables[0], match_id) as elsewhere, watch(night.tables[1], match_id) as here:
        await asyncio.gather(next_of(elsewhere), next_of(here))
        for who, *moves in ((ALICE, TAKE_1, KEEP), (BOB, TAKE_1)):
            news = asyncio.create_task(next_of(elsewhere)), asyncio.create_task(next_of(here))
            await night.submit(who, match_id, *moves, at=1)
            there, own = await asyncio.gather(*news)
            assert own.entries == there.entries
            assert len(own.entries) == len(moves)
    assert counted.logs == 0


@pytest.mark.parametrize("after", [0, 1, 5, 11, 12])
async def test_a_watcher_resumes_behind_the_version_that_it_has(replicas: Night, after: int) -> None:
    match_id = await replicas.match(ALICE, BOB)
    await replicas.play(match_id)
    told = await all_of(replicas.table, match_id, after=after)
    assert versions_told(told) == list(range(after + 1, 13))
    assert not any(news.anew for news in told)


async def test_a_watcher_that_has_everything_waits_for_what_follows(replicas: Night) -> None:
    match_id = await replicas.match(ALICE, BOB)
    await replicas.submit(ALICE, match_id, TAKE_1)
    async with watch(replicas.table, match_id, after=1) as tidings:
        news = asyncio.create_task(next_of(tidings))
        await replicas.submit(ALICE, match_id, KEEP, at=1)
        assert versions_told([await news]) == [2]


async def test_each_entry_tells_what_happened(replicas: Night) -> None:
    match_id = await replicas.match(ALICE, None, None)
    await replicas.join(BOB, match_id)
    await replicas.join(CAROL, match_id)
    await replicas.submit(ALICE, match_id, TAKE_1)
    await replicas.resign(BOB, match_id)
    await replicas.resign(CAROL, match_id)
    told = [entry for news in await all_of(replicas.table, match_id, after=0) for entry in news.entries]
    assert [(item.entry.step, item.entry.seat) for item in told] == [
        (Step.JOIN, 1),
        (Step.JOIN, 2),
        (Step.MOVE, 0),
        (Step.RESIGNATION, 1),
        (Step.RESIGNATION, 2),
    ]
    assert [item.entry.started for item in told] == [False, True, False, False, False]
    assert [item.entry.ended for item in told] == [False, False, False, False, True]
    logged = await replicas.store.log(match_id, 0, 10)
    assert [item.time_ms for item in told] == [item.time_ms for item in logged]


@pytest.mark.parametrize("after", [0, 1, OFTEN + 1, 1_000_000])
async def test_a_watcher_too_far_behind_or_ahead_is_told_a_snapshot_instead(replicas: Night, after: int) -> None:
    match_id = await replicas.match(ALICE, BOB, rounds=100)
    await replicas.play(match_id, OFTEN)
    async with watch(replicas.table, match_id, after=after) as tidings:
        news = await next_of(tidings)
        assert (news.anew, news.entries, news.seen.snapshot.course.version) == (True, (), OFTEN)
        following = asyncio.create_task(next_of(tidings))
        await replicas.play(match_id, 1)
        assert versions_told([await following]) == [OFTEN + 1]


async def test_a_match_that_is_over_is_told_and_the_watch_ends(replicas: Night) -> None:
    match_id = await replicas.finished()
    fresh = await all_of(replicas.table, match_id)
    assert [(news.anew, news.entries) for news in fresh] == [(True, ())]
    assert versions_told(await all_of(replicas.table, match_id, after=0)) == [1]
    assert await all_of(replicas.table, match_id, after=1) == []


async def test_a_watcher_of_a_quiet_match_hears_a_heartbeat() -> None:
    night = night_of(limits=SOON)
    match_id = await night.match(ALICE, BOB)
    async with watch(night.table, match_id) as tidings:
        assert (await next_of(tidings)).anew
        for _ in range(3):
            news = await next_of(tidings)
            assert (news.anew, news.entries, news.seen.snapshot.course.version) == (False, (), 0)
        await night.submit(ALICE, match_id, TAKE_1)
        while not (news := await next_of(tidings)).entries:
            assert not news.anew
        assert versions_told([news]) == [1]


async def test_a_lost_notification_heals_at_the_next_heartbeat() -> None:
    store: Store = Deaf(MemoryStore())
    night = night_of(limits=SOON, store=store)
    match_id = await night.match(ALICE, BOB, rounds=2)
    task = asyncio.create_task(all_of(night.table, match_id, after=0))
    for _ in range(12):
        await asyncio.sleep(0)
        await night.play(match_id, 1)
    told = await task
    assert versions_told(told) == list(range(1, 13))
    assert told[-1].seen.snapshot.course.status == Status.FINISHED


async def test_whoever_may_have_missed_something_hears_where_the_match_is() -> None:
    """At once, though it is where it was: somebody may have been told more, which the store has lost."""
    store = Interrupted(MemoryStore())
    night = night_of(store=store)
    match_id = await night.match(ALICE, BOB)
    async with watch(night.table, match_id) as tidings:
        assert (await next_of(tidings)).anew
        store.signal.miss()
        news = await next_of(tidings)
        assert (news.heartbeat, news.seen.snapshot.course.version) == (True, 0)


async def test_a_move_made_while_the_watch_begins_is_told_at_once() -> None:
    """It is not left to the next heartbeat, which is far away."""
    store = Overtaken(MemoryStore())
    night = night_of(store=store)
    match_id = await night.match(ALICE, BOB)
    store.meanwhile = lambda: night.submit(ALICE, match_id, TAKE_1)
    async with watch(night.table, match_id, after=0) as tidings:
        assert versions_told([await next_of(tidings)]) == [1]


async def test_refusals_and_receipts_tell_a_watcher_nothing() -> None:
    night = night_of()
    match_id = await night.match(ALICE, BOB)
    async with watch(night.table, match_id) as tidings:
        await next_of(tidings)
        news = asyncio.create_task(next_of(tidings))
        for _ in range(3):
            with pytest.raises(RefereeError):
                await night.submit(ALICE, match_id, BID_0)
        await night.submit(ALICE, match_id, TAKE_1)
        told = await news
        assert versions_told([told]) == [1]
        assert not told.anew


async def test_a_watcher_with_a_seat_must_hold_it() -> None:
    night = night_of()
    match_id = await night.match(ALICE, BOB)
    async with watch(night.table, match_id, ALICE, seat=0) as tidings:
        assert (await next_of(tidings)).seen.viewer == 0
    for who, seat in ((ALICE, 1), (STRANGER, 0)):
        async with watch(night.table, match_id, who, seat=seat) as tidings:
            with pytest.raises(RefereeError) as refusal:
                await next_of(tidings)
        assert refusal.value.reason is Reason.NOT_PERMITTED


async def test_a_match_that_is_forgotten_while_it_is_watched_is_not_found() -> None:
    night = night_of(limits=Limits(idle_ms=60, heartbeat_s=0.01))
    match_id = await night.match(ALICE, BOB)
    with pytest.raises(RefereeError) as refusal:
        await all_of(night.table, match_id)
    assert refusal.value.reason is Reason.MATCH_NOT_FOUND


async def test_a_watcher_whose_updates_are_lost_is_told_the_match_as_it_is() -> None:
    store = Short(Unhurried(MemoryStore()))
    night = night_of(2, store=store)
    match_id = await night.match(ALICE, BOB)
    await night.submit(ALICE, match_id, TAKE_1, KEEP, at=1)
    store.count = 1
    async with watch(night.table, match_id, BOB, after=0) as tidings:
        told = await next_of(tidings)
    assert (told.anew, told.seen.viewer, told.seen.snapshot.course.version) == (True, 1, 2)


async def test_a_watcher_that_leaves_does_not_disturb_another(replicas: Night) -> None:
    match_id = await replicas.match(ALICE, BOB)
    staying = asyncio.create_task(all_of(replicas.table, match_id, after=0))
    for _ in range(6):
        async with watch(replicas.table, match_id) as tidings:
            await next_of(tidings)
            leaving = asyncio.create_task(next_of(tidings))
            await asyncio.sleep(0)
            leaving.cancel()
            await asyncio.gather(leaving, return_exceptions=True)
        await replicas.play(match_id, 2)
    assert versions_told(await staying) == list(range(1, 13))
