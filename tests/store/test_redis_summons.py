"""What notifications to principals meet on a server only: foreign keys and messages, lost connections, an outage."""

import asyncio
from collections.abc import Callable
from typing import Final

import pytest
from redis.asyncio import Redis
from redis.exceptions import ResponseError

from referee.store import keys
from referee.store.notices import Called
from referee.store.redis_store import RedisStore
from referee.table.ids import MatchId, Principal, bucket_of
from referee.table.observer import Observer
from referee.table.store import StoreUnavailableError, Summons
from tests.servers import StoreServer, eventually
from tests.store.test_contract_changes import HEARD_S
from tests.store.test_contract_summons import all_told, call, told, who_lives
from tests.store.test_redis_store import answers, everything
from tests.store.writes import any_match, any_principal, match_in, write_of, written

INBOXES: dict[str, Callable[[MatchId, Principal], str]] = {
    "of the finished": lambda match_id, principal: keys.inbox(bucket_of(match_id), principal, over=True),
    "of the unfinished": lambda match_id, principal: keys.inbox(bucket_of(match_id), principal, over=False),
}


@pytest.mark.parametrize("kind", INBOXES)
async def test_a_key_of_another_type_in_the_way_of_an_end_leaves_everything_as_it_is(
    redis_store: RedisStore, url: str, kind: str
) -> None:
    """Nobody is told, and the match is unfinished still."""
    match_id, alice, bob = any_match(), any_principal(), any_principal()
    header = await written(redis_store, write_of(match_id, fields={"f": b"1"}, principals=[alice, bob]))
    async with Redis.from_url(url) as admin, redis_store.summons(alice) as summons:
        name = INBOXES[kind](match_id, bob)
        await admin.delete(name)
        await admin.set(name, "foreign")
        before = await everything(admin)
        end = write_of(
            match_id, header, [b"a"], fields={"f": b"2"}, principals=[alice, bob], summoned=[alice], over=True
        )
        with pytest.raises(ResponseError):
            await redis_store.write(end)
        assert await everything(admin) == before
        assert await redis_store.unfinished(alice) == [match_id]
        another = await call(redis_store, alice)
        assert await all_told(summons, another) == {another: 0}


async def missed(summons: Summons) -> None:
    """Waits until something may have been missed."""
    async with asyncio.timeout(HEARD_S):
        while summons.take() is not None:
            await summons.wait(HEARD_S)


async def test_followers_know_when_something_may_have_been_lost_and_hear_again(
    redis_store: RedisStore, url: str
) -> None:
    alice, bob = any_principal(), any_principal()
    async with (
        redis_store.summons(alice) as to_alice,
        redis_store.summons(bob) as to_bob,
        Redis.from_url(url) as admin,
    ):
        for _ in range(5):
            assert await admin.client_kill_filter(_type="pubsub") == 1
            await asyncio.gather(missed(to_alice), missed(to_bob))
            match_id = await call(redis_store, alice)
            assert await told(to_alice) == {match_id: 0}
            assert to_bob.take() == {}
            assert not to_alice.superseded


async def test_a_newer_follower_supersedes_one_whose_connection_was_dropped_before(
    redis_store: RedisStore, url: str
) -> None:
    alice = any_principal()
    async with redis_store.summons(alice) as older, Redis.from_url(url) as admin:
        await admin.client_kill_filter(_type="pubsub")
        await missed(older)
        async with redis_store.summons(alice) as newer:
            assert await who_lives(redis_store, alice, [older, newer]) == [False, True]


@pytest.mark.parametrize("turns", range(5))
async def test_who_begins_the_moment_the_connection_drops_follows_or_hears_that_it_cannot(
    redis_store: RedisStore, url: str, turns: int
) -> None:
    """And whoever begins then lives."""
    alice = any_principal()
    async with redis_store.summons(any_principal()), Redis.from_url(url) as admin:
        await admin.client_kill_filter(_type="pubsub")
        for _ in range(turns):
            await asyncio.sleep(0)

        async def follows() -> bool:
            try:
                async with asyncio.timeout(HEARD_S), redis_store.summons(alice) as summons:
                    match_id = await call(redis_store, alice)
                    await summons.wait(1.0)
                    taken = summons.take()
                    return not summons.superseded and (taken is None or match_id in taken)
            except StoreUnavailableError:
                return False

        await eventually(follows)


def test_who_loses_its_connection_before_it_begins_is_not_superseded_by_those_before_it() -> None:
    """Else both would be: the other hears this one's beginning after its own."""
    here, there = Called(), Called()
    here.miss()
    for beginning in (there.begin(), here.begin()):
        here.hear(beginning)
        there.hear(beginning)
    assert (there.superseded, here.superseded) == (True, False)


def test_who_may_have_missed_its_own_beginning_is_superseded_by_the_next() -> None:
    older, newer = Called(), Called()
    older.begin()
    older.miss()
    older.hear(newer.begin())
    assert older.superseded


@pytest.mark.parametrize(
    "message",
    [b"", b"foreign", b"foreign 7", b"0 7", b"begin", b"again 7", b"\xff\xff 7", b"a" * 26 + b" x", b"9" * 5_000],
)
async def test_a_foreign_message_to_a_principal_changes_nothing(
    redis_store: RedisStore, url: str, message: bytes
) -> None:
    alice = any_principal()
    async with redis_store.summons(alice) as summons, Redis.from_url(url) as admin:
        await admin.publish(keys.summons(alice), message)
        match_id = await call(redis_store, alice)
        assert await all_told(summons, match_id) == {match_id: 0}
        assert not summons.superseded


async def test_a_version_beyond_all_numbers_does_not_end_the_notifications(redis_store: RedisStore, url: str) -> None:
    alice, match_id = any_principal(), any_match()
    async with redis_store.summons(alice) as summons, Redis.from_url(url) as admin:
        await admin.publish(keys.summons(alice), f"{match_id} {'9' * 5_000}")
        end = await call(redis_store, alice)
        assert end in await all_told(summons, end)


async def test_who_is_told_of_very_many_matches_may_have_missed_some() -> None:
    """What a follower that does not look keeps is bounded."""
    called = Called()
    for _ in range(20_000):
        called.hear(f"{any_match()} 1".encode())
    assert called.take() is None
    match_id = any_match()
    called.hear(f"{match_id} 2".encode())
    assert called.take() == {match_id: 2}


async def test_a_follower_hears_after_an_outage_that_it_may_have_missed_something(
    server: StoreServer, lone_store: RedisStore
) -> None:
    alice = any_principal()
    async with lone_store.summons(alice) as summons:
        server.stop()
        with pytest.raises(StoreUnavailableError):
            async with lone_store.summons(any_principal()):
                pass
        server.start()
        await eventually(lambda: answers(lone_store.ping))
        await missed(summons)
        match_id = await call(lone_store, alice)
        assert match_id in await all_told(summons, match_id)
        assert await lone_store.unfinished(alice) == [match_id]


class Commands(Observer):
    """Notes the names of commands."""

    def __init__(self) -> None:
        super().__init__()
        self.names: Final = list[str]()

    def stored(self, command: str, seconds: float, failed: bool) -> None:
        self.names.append(command)


async def test_all_that_a_principal_has_to_play_is_read_by_one_command(url: str) -> None:
    """As its stream does again and again, in case that a notification was lost; from however many buckets."""
    commands, alice = Commands(), any_principal()
    store = RedisStore(url, observer=commands)
    try:
        ids = [match_in(bucket) for bucket in (0, 128, 255)]
        for match_id in ids:
            await written(store, write_of(match_id, principals=[alice]))
        await store.unfinished(alice)  # when the server learns the script
        commands.names.clear()
        assert sorted(await store.unfinished(alice)) == sorted(ids)
    finally:
        await store.close()
    assert commands.names == ["EVALSHA"]
