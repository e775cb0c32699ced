"""What every store promises of its notifications to principals, and of their unfinished matches."""

import asyncio
from collections.abc import AsyncIterator, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from itertools import cycle

import pytest

from referee.table.ids import MatchId, Principal
from referee.table.store import Header, Store, Stored, Summons, Untimely
from tests.store.conftest import NewStore
from tests.store.test_contract_changes import AT_ONCE_S, HEARD_S
from tests.store.writes import any_match, any_principal, match_in, write_of, written


async def told(summons: Summons) -> dict[MatchId, int] | None:
    """Waits for news and takes it."""
    assert await summons.wait(HEARD_S)
    taken = summons.take()
    return None if taken is None else dict(taken)


async def all_told(summons: Summons, match_id: MatchId) -> dict[MatchId, int]:
    """Takes what is told until a match is among it: then all that was told before has been heard too."""
    together = dict[MatchId, int]()
    async with asyncio.timeout(HEARD_S):
        while match_id not in together:
            together |= await told(summons) or {}
    return together


def neighbour() -> MatchId:
    """Makes the id of a match in the one bucket of these tests: what is told of a bucket keeps its order everywhere."""
    return match_in(18)


async def call(store: Store, *principals: Principal) -> MatchId:
    """Creates a match that concerns some principals."""
    match_id = neighbour()
    await written(store, write_of(match_id, principals=principals, summoned=principals))
    return match_id


@asynccontextmanager
async def followed(stores: Sequence[Store], principal: Principal, count: int) -> AsyncIterator[list[Summons]]:
    """Lets followers of a principal begin one after the other, at the stores in turn."""
    async with AsyncExitStack() as stack:
        taking_turns = zip(range(count), cycle(stores))
        yield [await stack.enter_async_context(store.summons(principal)) for _, store in taking_turns]


async def reminded(summons: Summons) -> None:
    """Waits until it is told that it may have missed something."""
    async with asyncio.timeout(HEARD_S):
        while await told(summons) is not None:
            pass


async def who_lives(store: Store, principal: Principal, followers: Sequence[Summons]) -> list[bool]:
    """Which followers are not superseded once all have heard all that was said before."""
    await store.remind(principal)  # it goes the way that beginnings go
    await asyncio.gather(*map(reminded, followers))
    return [not follower.superseded for follower in followers]


async def test_a_principal_is_told_each_version_that_concerns_it_after_its_commit(new_store: NewStore) -> None:
    store, writer, match_id, alice = new_store(), new_store(), any_match(), any_principal()
    async with store.summons(alice) as summons:
        header = await written(writer, write_of(match_id, principals=[alice], summoned=[alice]))
        assert await told(summons) == {match_id: 0}
        for version in range(1, 20):
            write = write_of(match_id, header, [b"%d" % version], after=version - 1, summoned=[alice])
            header = await written(writer, write)
            assert await told(summons) == {match_id: version}
            assert [logged.entry for logged in await store.log(match_id, 0, 99)][-1] == b"%d" % version


async def test_what_a_principal_was_told_is_committed_while_others_write(new_store: NewStore) -> None:
    """A follower reads at the very moment at which it hears, and finds at least what it was told."""
    store, writer, alice, last = new_store(), new_store(), any_principal(), 100
    ids = [any_match() for _ in range(3)]

    async def play(match_id: MatchId) -> None:
        header = await written(writer, write_of(match_id, summoned=[alice]))
        for version in range(1, last + 1):
            header = await written(writer, write_of(match_id, header, [b"m"], after=version - 1, summoned=[alice]))

    newest = dict.fromkeys(ids, -1)
    async with store.summons(alice) as summons, asyncio.timeout(HEARD_S), asyncio.TaskGroup() as group:
        for match_id in ids:
            group.create_task(play(match_id))
        while min(newest.values()) < last:
            for match_id, version in (await told(summons) or {}).items():
                assert version > newest[match_id]
                newest[match_id] = version
                assert len(await store.log(match_id, 0, last)) >= version


async def test_only_those_are_told_whom_a_write_concerns(store: Store) -> None:
    """Whoever else holds a seat in the match is not, nor is somebody with no part in it."""
    match_id, alice, bob, nobody = neighbour(), any_principal(), any_principal(), any_principal()
    async with store.summons(alice) as to_alice, store.summons(bob) as to_bob, store.summons(nobody) as to_nobody:
        header = await written(store, write_of(match_id, principals=[alice, bob]))
        header = await written(store, write_of(match_id, header, [b"a"], principals=[alice, bob], summoned=[alice]))
        await written(store, write_of(match_id, header, [b"b"], after=1, principals=[alice, bob], summoned=[bob]))
        end = await call(store, alice, bob, nobody)
        assert await all_told(to_alice, end) == {match_id: 1, end: 0}
        assert await all_told(to_bob, end) == {match_id: 2, end: 0}
        assert await all_told(to_nobody, end) == {end: 0}


async def test_several_principals_are_told_of_one_write(store: Store) -> None:
    people = [any_principal() for _ in range(8)]
    async with AsyncExitStack() as stack:
        followers = [await stack.enter_async_context(store.summons(principal)) for principal in people]
        match_id = await call(store, *people)
        assert await asyncio.gather(*map(told, followers)) == [{match_id: 0}] * 8


async def test_a_write_that_is_not_made_tells_nobody(store: Store) -> None:
    """Neither one that meets another match than it expected, nor one that comes too late."""
    match_id, alice = neighbour(), any_principal()
    header = await written(store, write_of(match_id, principals=[alice]))
    stale, late = header._replace(revision=9), header.created_ms - 1
    async with store.summons(alice) as summons:
        write = write_of(match_id, stale, [b"x"], summoned=[alice])
        assert isinstance(await store.write(write), Stored)
        assert await store.write(write_of(neighbour(), stale, [b"x"], summoned=[alice])) is None
        write = write_of(match_id, header, [b"x"], summoned=[alice], not_after_ms=late)
        assert isinstance(await store.write(write), Untimely)
        end = await call(store, alice)
        assert await all_told(summons, end) == {end: 0}


async def test_of_each_match_the_newest_version_is_taken_and_only_once(store: Store) -> None:
    first, second, alice = neighbour(), neighbour(), any_principal()
    async with store.summons(alice) as summons:
        headers = {it: await written(store, write_of(it, summoned=[alice])) for it in (first, second)}
        for version in range(1, 4):
            write = write_of(first, headers[first], [b"m"], after=version - 1, summoned=[alice])
            headers[first] = await written(store, write)
        end = await call(store, alice)
        assert await all_told(summons, end) == {first: 3, second: 0, end: 0}
        assert summons.take() == {}
        again = await call(store, alice)
        assert await told(summons) == {again: 0}


async def test_what_came_before_the_wait_is_waited_for_once(store: Store) -> None:
    alice = any_principal()
    async with store.summons(alice) as summons:
        summons.wake()
        assert await summons.wait(AT_ONCE_S)
        assert not await summons.wait(AT_ONCE_S)


async def test_a_wait_is_ended_from_inside_without_a_word(store: Store) -> None:
    async with store.summons(any_principal()) as summons:
        waiting = asyncio.create_task(summons.wait(HEARD_S))
        await asyncio.sleep(0)
        summons.wake()
        assert await waiting
        assert summons.take() == {}
        assert not summons.superseded


async def test_waiting_for_a_call_ends_after_its_time(store: Store) -> None:
    async with store.summons(any_principal()) as summons:
        async with asyncio.timeout(HEARD_S):
            assert not await summons.wait(0.05)
        assert summons.take() == {}


async def test_a_newer_follower_supersedes_the_older_one_which_is_woken(new_store: NewStore) -> None:
    """At the same replica and at another; the newer one is not superseded, however long it follows."""
    here, there, alice = new_store(), new_store(), any_principal()
    for newer in (here, there):
        async with here.summons(alice) as older:
            assert not older.superseded
            async with newer.summons(alice) as summons:
                assert await older.wait(HEARD_S)
                assert older.superseded
                assert await who_lives(here, alice, [older, summons]) == [False, True]


async def test_of_many_followers_the_last_one_lives(new_store: NewStore) -> None:
    stores, alice = [new_store(), new_store()], any_principal()
    async with followed(stores, alice, 7) as followers:
        assert await who_lives(stores[0], alice, followers) == [False] * 6 + [True]
        async with followed(stores, alice, 1) as [another]:
            assert await who_lives(stores[1], alice, [*followers, another]) == [False] * 7 + [True]
        assert await who_lives(stores[0], alice, followers) == [False] * 7


@pytest.mark.parametrize("replicas", [1, 2])
async def test_of_followers_that_begin_at_once_exactly_one_lives(new_store: NewStore, replicas: int) -> None:
    stores = [new_store() for _ in range(replicas)]
    for _ in range(20):
        alice = any_principal()
        async with AsyncExitStack() as stack:
            beginning = [stores[number % replicas].summons(alice) for number in range(6)]
            followers = await asyncio.gather(*map(stack.enter_async_context, beginning))
            assert sorted(await who_lives(stores[0], alice, followers)) == [False] * 5 + [True]


async def test_followers_of_others_are_not_superseded(store: Store) -> None:
    alice, bob = any_principal(), any_principal()
    async with store.summons(alice) as to_alice, store.summons(bob) as to_bob:
        assert await who_lives(store, alice, [to_alice]) == [True]
        assert await who_lives(store, bob, [to_bob]) == [True]


async def test_a_principal_is_followed_again_after_everybody_left(new_store: NewStore) -> None:
    stores, alice = [new_store(), new_store()], any_principal()
    for number in range(30):
        async with stores[number % 2].summons(alice) as summons:
            match_id = await call(stores[0], alice)
            assert (await all_told(summons, match_id))[match_id] == 0
            assert not summons.superseded


async def test_who_gives_up_at_once_takes_no_other_with_it(new_store: NewStore) -> None:
    """However far it has got; whoever begins after it lives, and hears."""
    store, writer, alice = new_store(), new_store(), any_principal()
    for steps in range(12):

        async def follow() -> None:
            async with store.summons(alice):
                await asyncio.Event().wait()

        impatient = asyncio.create_task(follow())
        for _ in range(steps):
            await asyncio.sleep(0)
        impatient.cancel()
        async with asyncio.timeout(HEARD_S), store.summons(alice) as summons:
            match_id = await call(writer, alice)
            await all_told(summons, match_id)
            assert not summons.superseded
        await asyncio.gather(impatient, return_exceptions=True)


async def test_many_principals_are_followed_at_once(new_store: NewStore) -> None:
    """All begin at the same time on a fresh connection, and each hears of its own match alone."""
    store, writer, people = new_store(), new_store(), [any_principal() for _ in range(200)]
    following = asyncio.Barrier(len(people) + 1)

    async def follow(principal: Principal) -> dict[MatchId, int] | None:
        async with store.summons(principal) as summons:
            await following.wait()
            return await told(summons)

    async with asyncio.timeout(2 * HEARD_S), asyncio.TaskGroup() as group:
        tasks = [group.create_task(follow(principal)) for principal in people]
        await following.wait()
        ids = await asyncio.gather(*(call(writer, principal) for principal in people))
    assert [task.result() for task in tasks] == [{match_id: 0} for match_id in ids]


async def test_who_is_reminded_may_have_missed_something(new_store: NewStore) -> None:
    """All that follow it are, at every replica; what is told before they look is among what may be missing."""
    stores, alice, bob = [new_store(), new_store()], any_principal(), any_principal()
    async with followed(stores, alice, 2) as followers, stores[0].summons(bob) as other:
        for follower in followers:
            follower.take()
        await stores[1].remind(alice)
        match_id = await call(stores[1], alice, bob)
        assert await all_told(other, match_id) == {match_id: 0}
        for follower in followers:
            async with asyncio.timeout(HEARD_S):
                while follower.take() is not None:
                    await follower.wait(HEARD_S)
        assert await who_lives(stores[0], alice, followers) == [False, True]


async def test_nobody_is_told_after_leaving(store: Store) -> None:
    alice = any_principal()
    async with store.summons(alice) as left:
        pass
    async with store.summons(alice) as summons:
        match_id = await call(store, alice)
        assert await told(summons) == {match_id: 0}
        assert left.take() == {}
        assert not left.superseded


async def test_an_empty_store_has_nothing_unfinished(store: Store) -> None:
    assert await store.unfinished(any_principal()) == []


async def test_the_unfinished_matches_are_those_of_the_principal_in_all_buckets(store: Store) -> None:
    alice, bob = any_principal(), any_principal()
    ids = [match_in(bucket) for bucket in range(0, 256, 5)]
    holders = [[alice], [bob], [alice, bob]]
    for match_id, principals in zip(ids, cycle(holders)):
        await written(store, write_of(match_id, principals=principals))
    assert sorted(await store.unfinished(alice)) == sorted(ids[0::3] + ids[2::3])
    assert sorted(await store.unfinished(bob)) == sorted(ids[1::3] + ids[2::3])
    assert await store.unfinished(any_principal()) == []


async def test_a_match_is_unfinished_for_those_who_join_later_too(new_store: NewStore) -> None:
    store, other, match_id, alice, bob = new_store(), new_store(), any_match(), any_principal(), any_principal()
    header = await written(store, write_of(match_id, principals=[alice]))
    assert await other.unfinished(bob) == []
    await written(store, write_of(match_id, header, [b"join"], principals=[alice, bob]))
    assert await other.unfinished(alice) == [match_id]
    assert await other.unfinished(bob) == [match_id]


async def test_a_match_is_unfinished_until_its_end_and_stays_in_the_inbox(new_store: NewStore) -> None:
    """At its place in it; also if it is written again after its end."""
    store, other = new_store(), new_store()
    match_id, going_on, alice, bob = any_match(), any_match(), any_principal(), any_principal()
    await written(store, write_of(going_on, principals=[alice, bob]))
    header = await written(store, write_of(match_id, principals=[alice, bob]))
    before = [await store.inbox(principal, None, 10) for principal in (alice, bob)]
    header = await written(store, write_of(match_id, header, [b"a"], principals=[alice, bob]))
    assert sorted(await other.unfinished(alice)) == sorted([match_id, going_on])
    header = await written(store, write_of(match_id, header, [b"end"], after=1, principals=[alice, bob], over=True))
    for _ in range(2):
        for principal, places in zip((alice, bob), before, strict=True):
            assert await other.unfinished(principal) == [going_on]
            assert await other.inbox(principal, None, 10) == places
        released = write_of(match_id, header, after=2, fields={"r": b"released"}, principals=[alice, bob], over=True)
        header = await written(store, released)


async def test_an_end_that_is_not_written_leaves_a_match_unfinished(store: Store) -> None:
    match_id, alice = any_match(), any_principal()
    header = await written(store, write_of(match_id, principals=[alice]))
    stale = header._replace(revision=7)
    assert isinstance(await store.write(write_of(match_id, stale, [b"x"], principals=[alice], over=True)), Stored)
    assert await store.unfinished(alice) == [match_id]


async def test_of_parallel_ends_one_is_written_and_told(new_store: NewStore) -> None:
    """Whoever is told of the end finds the match among the unfinished no more."""
    stores, match_id, alice = [new_store(), new_store()], any_match(), any_principal()
    header = await written(stores[0], write_of(match_id, principals=[alice]))
    async with stores[0].summons(alice) as summons:
        ends = [
            write_of(match_id, header, [b"%d" % number], principals=[alice], summoned=[alice], over=True)
            for number in range(6)
        ]
        outcomes = await asyncio.gather(*(store.write(end) for store, end in zip(cycle(stores), ends)))
        assert [isinstance(outcome, Header) for outcome in outcomes].count(True) == 1
        assert await told(summons) == {match_id: 1}
        assert await stores[1].unfinished(alice) == []
        assert len(await stores[1].log(match_id, 0, 99)) == 1
