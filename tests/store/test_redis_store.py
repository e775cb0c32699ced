"""What only a store on a server can meet: foreign keys, a lost script, lost connections, an outage."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager

import pytest
from redis.asyncio import Redis
from redis.exceptions import ResponseError

from referee.core.errors import RefereeError
from referee.games import registry
from referee.store import keys
from referee.store.redis_store import RedisStore
from referee.table.deal import Creation
from referee.table.ids import MatchId, Principal, bucket_of
from referee.table.snapshot import SeatHead
from referee.table.store import Stored, StoreUnavailableError
from referee.table.table import Table
from tests.faults.proxy import proxy_to
from tests.servers import StoreServer, eventually
from tests.store.test_contract_changes import HEARD_S, heard
from tests.store.writes import any_match, any_principal, created, write_of, written

Name = Callable[[MatchId, Principal], str]

IN_THE_WAY: dict[str, Name] = {
    "match": lambda match_id, _: keys.match(match_id),
    "log": lambda match_id, _: keys.log(match_id),
    "listing": lambda match_id, _: keys.listing(bucket_of(match_id)),
    "expiry": lambda match_id, _: keys.expiry(bucket_of(match_id)),
    "inbox": lambda match_id, principal: keys.inbox(bucket_of(match_id), principal, over=False),
}


async def everything(admin: Redis) -> dict[object, object]:
    """All that the server holds, in its own form."""
    return {name: await admin.dump(name) for name in await admin.keys()}


@pytest.mark.parametrize("kind", IN_THE_WAY)
async def test_a_key_of_another_type_in_the_way_makes_a_write_fail_before_anything_is_written(
    redis_store: RedisStore, url: str, kind: str
) -> None:
    match_id, principal = any_match(), any_principal()
    async with Redis.from_url(url) as admin:
        await admin.set(IN_THE_WAY[kind](match_id, principal), "foreign")
        before = await everything(admin)
        with pytest.raises(ResponseError):
            await redis_store.write(write_of(match_id, None, [b"a"], fields={"f": b"1"}, principals=[principal]))
        assert await everything(admin) == before


@pytest.mark.parametrize("kind", [kind for kind in IN_THE_WAY if kind != "match"])
async def test_a_key_of_another_type_in_the_way_leaves_a_standing_match_as_it_is(
    redis_store: RedisStore, url: str, kind: str
) -> None:
    match_id, principal = any_match(), any_principal()
    header = await written(redis_store, write_of(match_id, fields={"f": b"1"}, principals=[principal]))
    async with Redis.from_url(url) as admin:
        name = IN_THE_WAY[kind](match_id, principal)
        await admin.delete(name)
        await admin.set(name, "foreign")
        before = await everything(admin)
        write = write_of(match_id, header, [b"a"], fields={"f": b"2"}, principals=[principal])
        with pytest.raises(ResponseError):
            await redis_store.write(write)
        assert await everything(admin) == before


async def test_entries_that_do_not_follow_the_log_are_refused_before_anything_is_written(
    redis_store: RedisStore, url: str
) -> None:
    match_id = any_match()
    header = await created(redis_store, match_id, [b"a"])
    async with Redis.from_url(url) as admin:
        before = await everything(admin)
        with pytest.raises(ResponseError):
            await redis_store.write(write_of(match_id, header, [b"c"], after=2, fields={"state": b"moved"}))
        assert await everything(admin) == before


async def test_what_is_no_match_in_the_place_of_one_is_unreadable_and_hides_no_other(
    redis_store: RedisStore, url: str
) -> None:
    """Whether another type of key, or fields whose names are no text."""
    table = Table(redis_store, registry())
    host, seats = any_principal(), tuple(SeatHead(any_principal(), name, "", "") for name in ("Ann", "Bob"))
    creation = Creation("classic_art", {}, seats, seed=None, on_release=False, deal_group="")
    spoilt, odd, whole = [(await table.create(host, name, creation)).match_id for name in ("one", "two", "three")]
    async with Redis.from_url(url) as admin:
        await admin.delete(keys.match(spoilt))
        await admin.set(keys.match(spoilt), "foreign")
        await admin.hset(keys.match(odd), mapping={b"\xff": b"foreign"})
    with pytest.raises(RefereeError, match="cannot be read"):
        await table.get(host, spoilt, None)
    found, _ = await table.list_matches(host, None, 9, mine=False, wanted=lambda _: True)
    assert {snapshot.match_id for snapshot in found} == {odd, whole}


async def test_all_that_a_write_leaves_carries_the_hash_tag_of_its_bucket_and_expires_with_it(
    redis_store: RedisStore, url: str
) -> None:
    match_id, principal = any_match(), any_principal()
    await written(redis_store, write_of(match_id, None, [b"a"], fields={"f": b"1"}, principals=[principal]))
    async with Redis.from_url(url, decode_responses=True) as admin:
        names = [str(name) for name in await admin.keys()]
        bucket = bucket_of(match_id)
        assert {name.partition("}")[0] for name in names} == {f"{{b:{bucket:02x}"}
        lasting = {name for name in names if await admin.ttl(name) == -1}
    assert lasting <= {keys.listing(bucket), keys.expiry(bucket)}


async def test_a_store_that_lost_its_scripts_is_given_them_again(redis_store: RedisStore, url: str) -> None:
    match_id = any_match()
    header = await created(redis_store, match_id)
    async with Redis.from_url(url) as admin:
        await admin.script_flush()
        await written(redis_store, write_of(match_id, header, [b"move"]))
        await admin.script_flush()
    ids = [any_match() for _ in range(20)]
    headers = await asyncio.gather(*(created(redis_store, match_id) for match_id in ids))
    assert [header.revision for header in headers] == [1] * 20


async def test_a_url_may_ask_for_the_older_protocol(url: str) -> None:
    match_id = any_match()
    store = RedisStore(f"{url}?protocol=2")
    header = await written(store, write_of(match_id, fields={"f": b"1"}))
    assert await store.load(match_id) == Stored(header.encode(), {"f": b"1"})
    places, more = await store.listing(None, 9)
    assert ([place.match_id for place in places], more) == ([match_id], False)
    await store.close()


async def test_a_follower_hears_again_after_its_connection_was_dropped(redis_store: RedisStore, url: str) -> None:
    match_id, version = any_match(), 0
    header = await created(redis_store, match_id)
    async with redis_store.changes(match_id) as changes, Redis.from_url(url) as admin:
        for _ in range(5):
            assert await admin.client_kill_filter(_type="pubsub") == 1

            async def hears() -> bool:
                nonlocal header, version
                version += 1
                header = await written(redis_store, write_of(match_id, header, [b"move"], after=version - 1))
                return await changes.wait(0.05) and changes.version == version

            await eventually(hears)


async def test_followers_are_woken_when_notifications_may_have_been_lost(redis_store: RedisStore, url: str) -> None:
    """So they look for themselves and need not wait for the next move."""
    ids = [any_match() for _ in range(3)]
    async with (
        redis_store.changes(ids[0]) as first,
        redis_store.changes(ids[1]) as second,
        redis_store.changes(ids[2]) as third,
        Redis.from_url(url) as admin,
    ):
        await admin.client_kill_filter(_type="pubsub")
        assert await asyncio.gather(*(changes.wait(HEARD_S) for changes in (first, second, third))) == [True] * 3


@pytest.mark.parametrize("turns", range(5))
async def test_who_begins_to_follow_the_moment_the_connection_drops_follows_or_hears_that_it_cannot(
    redis_store: RedisStore, url: str, turns: int
) -> None:
    """However far this process has got in noticing it, and then the next attempts work."""
    async with redis_store.changes(any_match()), Redis.from_url(url) as admin:
        await admin.client_kill_filter(_type="pubsub")
        for _ in range(turns):
            await asyncio.sleep(0)

        async def follows() -> bool:
            match_id = any_match()
            try:
                async with asyncio.timeout(HEARD_S), redis_store.changes(match_id) as changes:
                    await created(redis_store, match_id, [b"move"])
                    return await changes.wait(1.0)
            except StoreUnavailableError:
                return False

        await eventually(follows)


async def test_dropped_connections_are_replaced(redis_store: RedisStore, url: str) -> None:
    match_id = any_match()
    await created(redis_store, match_id)

    async def is_loaded() -> bool:
        try:
            return await redis_store.load(match_id) is not None
        except StoreUnavailableError:
            return False

    async with Redis.from_url(url) as admin:
        for _ in range(5):
            await admin.client_kill_filter(_type="normal", skipme=True)
            await eventually(is_loaded)


def calls_of(store: RedisStore) -> dict[str, Callable[[], Awaitable[object]]]:
    """Every call of a store."""

    async def follow() -> None:
        async with store.changes(any_match()):
            pass

    async def be_summoned() -> None:
        async with store.summons(any_principal()):
            pass

    return {
        "load": lambda: store.load(any_match()),
        "write": lambda: store.write(write_of(any_match())),
        "log": lambda: store.log(any_match(), 0, 1),
        "listing": lambda: store.listing(None, 1),
        "inbox": lambda: store.inbox(any_principal(), None, 1),
        "unfinished": lambda: store.unfinished(any_principal()),
        "remind": lambda: store.remind(any_principal()),
        "changes": follow,
        "summons": be_summoned,
        "ping": store.ping,
    }


async def test_while_the_server_is_down_every_call_says_so_and_afterwards_every_call_works(
    server: StoreServer,
    lone_store: RedisStore,
) -> None:
    calls = calls_of(lone_store)
    for call in calls.values():
        await call()
    server.stop()
    assert await errors_of(calls) == dict.fromkeys(calls, StoreUnavailableError)
    server.start()
    for call in calls.values():
        await eventually(lambda call=call: answers(call))  # type: ignore[misc] # binds the loop's variable


async def test_a_store_may_be_made_before_its_server_runs(server: StoreServer, lone_store: RedisStore) -> None:
    server.stop()
    calls = calls_of(lone_store)
    assert await errors_of(calls) == dict.fromkeys(calls, StoreUnavailableError)
    server.start()
    for call in calls.values():
        await call()


async def errors_of(calls: dict[str, Callable[[], Awaitable[object]]]) -> dict[str, type[object]]:
    """Makes all calls at once and returns with which type of error each ended."""
    outcomes = await asyncio.gather(*(call() for call in calls.values()), return_exceptions=True)
    return {name: type(outcome) for name, outcome in zip(calls, outcomes, strict=True)}


async def answers(call: Callable[[], Awaitable[object]]) -> bool:
    try:
        await call()
    except StoreUnavailableError:
        return False
    return True


async def test_calls_under_way_when_the_server_dies_all_end(server: StoreServer, lone_store: RedisStore) -> None:
    """None waits for ever, and none ends with another error."""
    await lone_store.ping()
    server.pause()
    calls = [asyncio.ensure_future(call()) for _ in range(20) for call in calls_of(lone_store).values()]
    await asyncio.sleep(0)
    server.kill()
    async with asyncio.timeout(4 * HEARD_S):
        outcomes = await asyncio.gather(*calls, return_exceptions=True)
    assert {type(outcome) for outcome in outcomes} == {StoreUnavailableError}


async def test_a_follower_hears_again_after_an_outage(server: StoreServer, lone_store: RedisStore) -> None:
    match_id = any_match()
    async with lone_store.changes(match_id) as changes:
        await created(lone_store, match_id, [b"a"])
        await heard(changes, 1)
        server.stop()
        with pytest.raises(StoreUnavailableError):
            await lone_store.ping()
        server.start()
        await eventually(lambda: answers(lone_store.ping))
        header, version = await created(lone_store, match_id), 0

        async def hears() -> bool:
            nonlocal header, version
            version += 1
            header = await written(lone_store, write_of(match_id, header, [b"move"], after=version - 1))
            return await changes.wait(0.05) and changes.version == version

        await eventually(hears)


REFUSALS = {
    "it has no memory left": ("maxmemory", "1"),
    "it misses its replicas": ("min-replicas-to-write", "1"),
}


@pytest.mark.parametrize("setting", REFUSALS.values(), ids=REFUSALS.keys())
async def test_a_server_that_takes_no_writes_for_now_is_unavailable_for_them(
    server: StoreServer, lone_store: RedisStore, setting: tuple[str, str]
) -> None:
    """Nothing is written then, what stands can be read, and the same write gets through afterwards."""
    match_id = any_match()
    header = await created(lone_store, match_id, [b"a"])
    write = write_of(match_id, header, [b"b"], after=1, fields={"state": b"moved"}, principals=[any_principal()])
    async with Redis.from_url(server.url) as admin:
        before = await everything(admin)
        await admin.config_set(*setting)
        try:
            with pytest.raises(StoreUnavailableError):
                await lone_store.write(write)
            stored = await lone_store.load(match_id)
        finally:
            await admin.config_set(setting[0], "0")
        assert stored is not None
        assert stored.header == header.encode()
        assert await everything(admin) == before
    await written(lone_store, write)


async def test_a_replica_that_was_not_promoted_yet_is_unavailable_for_writes(
    server: StoreServer, lone_store: RedisStore
) -> None:
    match_id = any_match()
    header = await created(lone_store, match_id)
    async with Redis.from_url(server.url) as admin:
        await admin.replicaof("127.0.0.1", "1")
        with pytest.raises(StoreUnavailableError):
            await lone_store.write(write_of(match_id, header, [b"a"]))
        await admin.replicaof("NO", "ONE")
    await written(lone_store, write_of(match_id, header, [b"a"]))


async def test_a_foreign_message_on_a_channel_does_not_end_the_notifications(redis_store: RedisStore, url: str) -> None:
    match_id, other = any_match(), any_match()
    async with redis_store.changes(match_id) as changes, Redis.from_url(url) as admin:
        await admin.publish(keys.channel(match_id), "foreign")
        await created(redis_store, match_id, [b"a"])
        await heard(changes, 1)
        async with redis_store.changes(other) as others:
            await created(redis_store, other, [b"a", b"b"])
            await heard(others, 2)


@asynccontextmanager
async def store_at(url: str) -> AsyncIterator[RedisStore]:
    """A store for a block."""
    store = RedisStore(url)
    try:
        yield store
    finally:
        await store.close()


@pytest.mark.long
async def test_connections_that_went_silent_are_replaced_in_time(url: str) -> None:
    """Nobody says that they are broken: bytes go out and none come back. The server itself can be reached."""
    async with proxy_to(url) as proxy, store_at(proxy.address) as store:
        calls = calls_of(store)
        for call in calls.values():
            await call()
        proxy.silence()
        await errors_of(calls)
        for call in calls.values():
            await eventually(lambda call=call: answers(call), within_s=3 * HEARD_S)  # type: ignore[misc] # the loop's


@pytest.mark.long
async def test_a_server_that_hangs_is_unavailable_in_time(server: StoreServer, lone_store: RedisStore) -> None:
    await lone_store.ping()
    server.pause()
    calls = calls_of(lone_store)
    async with asyncio.timeout(3 * HEARD_S):
        assert await errors_of(calls) == dict.fromkeys(calls, StoreUnavailableError)
    server.go_on()
    for call in calls_of(lone_store).values():
        await eventually(lambda call=call: answers(call))  # type: ignore[misc] # binds the loop's variable
