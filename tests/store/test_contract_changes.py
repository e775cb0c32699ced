"""What every store promises of its notifications."""

import asyncio
from contextlib import AsyncExitStack

import pytest

from referee.table.store import Changes, Store
from tests.store.conftest import NewStore
from tests.store.writes import any_match, created, match_in, write_of, written

HEARD_S = 10.0
AT_ONCE_S = 0.0


async def heard(changes: Changes, version: int) -> None:
    """Waits until a version was told."""
    async with asyncio.timeout(HEARD_S):
        while changes.version < version:
            await changes.wait(HEARD_S)


async def test_a_follower_is_told_each_version_after_its_commit(new_store: NewStore) -> None:
    store, writer, match_id = new_store(), new_store(), any_match()
    header = await created(writer, match_id)
    async with store.changes(match_id) as changes:
        assert changes.version == 0
        for version in range(1, 20):
            header = await written(writer, write_of(match_id, header, [b"%d" % version], after=version - 1))
            assert await changes.wait(HEARD_S)
            assert changes.version == version
            assert [logged.entry for logged in await store.log(match_id, 0, 99)][-1] == b"%d" % version


async def test_what_was_told_is_committed_while_others_write(new_store: NewStore) -> None:
    """A follower reads at the very moment at which it hears, and finds at least what it was told."""
    store, writer, match_id, last = new_store(), new_store(), any_match(), 200

    async def write() -> None:
        header = await created(writer, match_id)
        for version in range(1, last + 1):
            header = await written(writer, write_of(match_id, header, [b"move"], after=version - 1))

    async with store.changes(match_id) as changes, asyncio.timeout(HEARD_S), asyncio.TaskGroup() as group:
        group.create_task(write())
        told = 0
        while told < last:
            assert await changes.wait(HEARD_S)
            assert changes.version >= told
            told = changes.version
            assert len(await store.log(match_id, 0, last)) >= told


async def test_several_entries_of_one_write_are_told_as_the_newest_version(store: Store) -> None:
    match_id = any_match()
    async with store.changes(match_id) as changes:
        header = await created(store, match_id, [b"a", b"b"])
        assert await changes.wait(HEARD_S)
        await written(store, write_of(match_id, header, [b"c", b"d", b"e"], after=2))
        assert await changes.wait(HEARD_S)
        assert changes.version == 5


async def test_every_follower_of_a_match_is_told(new_store: NewStore) -> None:
    stores, match_id = [new_store(), new_store()], any_match()
    async with AsyncExitStack() as stack:
        followers = [await stack.enter_async_context(stores[place % 2].changes(match_id)) for place in range(10)]
        await created(stores[0], match_id, [b"a", b"b", b"c"])
        assert await asyncio.gather(*(follower.wait(HEARD_S) for follower in followers)) == [True] * 10
        assert [follower.version for follower in followers] == [3] * 10


async def test_followers_of_other_matches_are_not_told(store: Store) -> None:
    """Three neighbours in one bucket; each hears its own version only."""
    ids = [match_in(18) for _ in range(3)]
    async with AsyncExitStack() as stack:
        followers = [await stack.enter_async_context(store.changes(match_id)) for match_id in ids]
        for place in (2, 1, 0):
            await created(store, ids[place], [b"move"] * (place + 1))
        await asyncio.gather(*(heard(follower, place + 1) for place, follower in enumerate(followers)))
        assert [follower.version for follower in followers] == [1, 2, 3]


async def test_a_write_without_entries_tells_nobody(store: Store) -> None:
    match_id = any_match()
    async with store.changes(match_id) as changes:
        header = await created(store, match_id, [b"a"])
        assert await changes.wait(HEARD_S)
        header = await written(store, write_of(match_id, header, after=1, fields={"ring": b"refused"}))
        await written(store, write_of(match_id, header, [b"b"], after=1))
        assert await changes.wait(HEARD_S)
        assert changes.version == 2
        assert not await changes.wait(AT_ONCE_S)


async def test_a_refused_write_tells_nobody(store: Store) -> None:
    match_id = any_match()
    async with store.changes(match_id) as changes:
        header = await created(store, match_id, [b"a"])
        assert await changes.wait(HEARD_S)
        await store.write(write_of(match_id, header._replace(revision=9), [b"x"] * 9, after=1))
        await written(store, write_of(match_id, header, [b"b"], after=1))
        assert await changes.wait(HEARD_S)
        assert changes.version == 2


async def test_a_notification_that_came_before_the_wait_is_waited_for_once(store: Store) -> None:
    match_id = any_match()
    async with store.changes(match_id) as early, store.changes(match_id) as late:
        await created(store, match_id, [b"a"])
        assert await early.wait(HEARD_S)
        assert await late.wait(AT_ONCE_S)
        assert not await late.wait(AT_ONCE_S)


async def test_waiting_ends_after_its_time_without_news(store: Store) -> None:
    async with store.changes(any_match()) as changes:
        async with asyncio.timeout(HEARD_S):
            assert not await changes.wait(0.05)
        assert changes.version == 0


async def test_a_match_may_be_followed_before_it_exists(store: Store) -> None:
    match_id = any_match()
    async with store.changes(match_id) as changes:
        await created(store, match_id, [b"a"])
        await heard(changes, 1)


async def test_many_matches_are_followed_at_once(new_store: NewStore) -> None:
    """All begin at the same time on a fresh connection, and each hears of its own match."""
    store, writer, ids = new_store(), new_store(), [any_match() for _ in range(300)]
    following = asyncio.Barrier(len(ids) + 1)

    async def follow(place: int) -> int:
        async with store.changes(ids[place]) as changes:
            await following.wait()
            await heard(changes, place % 5 + 1)
            return changes.version

    async with asyncio.timeout(2 * HEARD_S), asyncio.TaskGroup() as group:
        tasks = [group.create_task(follow(place)) for place in range(len(ids))]
        await following.wait()
        await asyncio.gather(
            *(created(writer, match_id, [b"move"] * (place % 5 + 1)) for place, match_id in enumerate(ids))
        )
    assert [task.result() for task in tasks] == [place % 5 + 1 for place in range(len(ids))]


async def test_a_match_is_followed_again_after_everybody_left(store: Store) -> None:
    match_id, header = any_match(), None
    for round_number in range(30):
        async with store.changes(match_id) as changes:
            entry = [b"%d" % round_number]
            header = await written(store, write_of(match_id, header, entry, after=round_number))
            await heard(changes, round_number + 1)
        async with store.changes(any_match()):
            pass


async def test_coming_and_going_followers_do_not_disturb_those_who_stay(new_store: NewStore) -> None:
    store, writer, match_id = new_store(), new_store(), any_match()
    header = await created(writer, match_id)
    done = asyncio.Event()

    async def come_and_go() -> None:
        while not done.is_set():
            async with store.changes(match_id):
                pass
            async with store.changes(match_id) as changes:
                await changes.wait(0.001)

    async with asyncio.TaskGroup() as group:
        for _ in range(8):
            group.create_task(come_and_go())
        async with store.changes(match_id) as changes:
            for version in range(1, 60):
                header = await written(writer, write_of(match_id, header, [b"move"], after=version - 1))
                await heard(changes, version)
        done.set()
    async with store.changes(match_id) as changes:
        await written(writer, write_of(match_id, header, [b"move"], after=59))
        await heard(changes, 60)


@pytest.mark.parametrize("steps", [1, 2, 3])
async def test_a_follower_that_gives_up_at_once_takes_no_other_with_it(new_store: NewStore, steps: int) -> None:
    """Two follow one match on a fresh connection and the first is cancelled before it is confirmed."""
    store, writer, match_id = new_store(), new_store(), any_match()
    following = asyncio.Event()

    async def follow() -> None:
        async with store.changes(match_id) as changes:
            following.set()
            await heard(changes, 1)

    async def look_elsewhere() -> None:
        async with store.changes(any_match()):
            pass

    elsewhere = asyncio.create_task(look_elsewhere())
    impatient, patient = asyncio.create_task(follow()), asyncio.create_task(follow())
    for _ in range(steps):
        await asyncio.sleep(0)
    impatient.cancel()
    async with asyncio.timeout(HEARD_S):
        waiting = asyncio.create_task(following.wait())
        await asyncio.wait([waiting, patient], return_when=asyncio.FIRST_COMPLETED)
        waiting.cancel()
        if patient.done():
            patient.result()
        await created(writer, match_id, [b"move"])
        await patient
        await elsewhere
    await asyncio.gather(impatient, waiting, return_exceptions=True)
