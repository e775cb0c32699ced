"""Commands that wait at the same time share a pipeline, and nothing else."""

import asyncio
import random
from collections.abc import AsyncIterator

import pytest
from redis.asyncio import BlockingConnectionPool, Redis
from redis.asyncio.retry import Retry
from redis.backoff import NoBackoff
from redis.exceptions import ResponseError

from referee.store.pipelined import Pipelined
from referee.table.store import StoreUnavailableError
from tests.servers import StoreServer, eventually

ALL_S = 20.0


def client_of(url: str) -> Redis:
    return Redis.from_pool(BlockingConnectionPool.from_url(url, max_connections=4, retry=Retry(NoBackoff(), 0)))


@pytest.fixture
async def redis(url: str) -> AsyncIterator[Redis]:
    """A client of an empty server of each kind."""
    client = client_of(url)
    yield client
    await client.aclose()


async def reads_of(redis: Redis) -> int:
    """How often the server has read from a connection."""
    stats = await redis.info("stats")
    return int(stats["total_reads_processed"])


async def test_commands_that_wait_at_once_go_out_together(redis: Redis) -> None:
    send, commands = Pipelined(redis), 1_000
    await asyncio.gather(*(send("PING") for _ in range(4)))
    before = await reads_of(redis)
    replies = await asyncio.gather(*(send("INCR", "count") for _ in range(commands)))
    assert sorted(replies) == list(range(1, commands + 1))
    assert await reads_of(redis) - before < commands / 10


async def test_each_caller_gets_the_reply_to_its_own_command(redis: Redis) -> None:
    send = Pipelined(redis)
    names = [f"name {number}" for number in range(500)]
    await asyncio.gather(*(send("SET", name, name[::-1]) for name in names))
    random.shuffle(names)
    replies = await asyncio.gather(*(send("GET", name) for name in names))
    assert [reply.decode() for reply in replies] == [name[::-1] for name in names]


async def test_an_error_goes_to_its_own_caller_only(redis: Redis) -> None:
    send = Pipelined(redis)
    await send("SET", "text", "abc")
    commands = [("SET", "a", "1"), ("LPUSH", "text", "x"), ("GET", "text"), ("NO_SUCH",), ("EVALSHA", "0" * 40, 0)] * 20
    replies = await asyncio.gather(*(send(*command) for command in commands), return_exceptions=True)
    for start in range(0, len(commands), 5):
        accepted, wrong_type, text, unknown, no_script = replies[start : start + 5]
        assert accepted in (True, b"OK")
        assert text == b"abc"
        for error in (wrong_type, unknown, no_script):
            assert isinstance(error, ResponseError)


async def test_a_single_command_that_fails_raises_to_its_caller(redis: Redis) -> None:
    send = Pipelined(redis)
    await send("SET", "text", "abc")
    with pytest.raises(ResponseError):
        await send("LPUSH", "text", "x")
    assert await send("GET", "text") == b"abc"


@pytest.mark.parametrize("turns", range(1, 8))
async def test_a_cancelled_caller_disturbs_nobody_and_its_command_is_carried_out(redis: Redis, turns: int) -> None:
    """Cancelled while its command waits, while it is sent, or while the reply is on its way."""
    send, callers = Pipelined(redis), 60
    tasks = [asyncio.create_task(send("RPUSH", "list", number)) for number in range(callers)]
    for _ in range(turns):
        await asyncio.sleep(0)
    for task in tasks[::3]:
        task.cancel()
    async with asyncio.timeout(ALL_S):
        replies = await asyncio.gather(*tasks, return_exceptions=True)
        assert not [reply for place, reply in enumerate(replies) if place % 3 and not isinstance(reply, int)]
        entries = await send("LRANGE", "list", 0, -1)
    assert sorted(int(entry) for entry in entries) == list(range(callers))


async def test_a_lone_caller_that_is_cancelled_leaves_the_way_free(redis: Redis) -> None:
    send = Pipelined(redis)
    for turns in range(20):
        task = asyncio.create_task(send("INCR", "count"))
        await asyncio.sleep(0)
        for _ in range(turns % 7):
            await asyncio.sleep(0)
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)

    async def all_are_carried_out() -> bool:
        return int(await send("GET", "count") or 0) == 20

    await eventually(all_are_carried_out, ALL_S)


async def test_no_command_is_left_waiting(redis: Redis) -> None:
    """Thousands of small bursts that come whenever a lane is about to end."""
    send, rng, bursts = Pipelined(redis), random.Random(1), 1_500
    sent = 0
    async with asyncio.timeout(ALL_S):
        for _ in range(bursts):
            size = rng.randrange(1, 4)
            sent += size
            tasks = [asyncio.create_task(send("INCR", "count")) for _ in range(size)]
            for _ in range(rng.randrange(4)):
                await asyncio.sleep(0)
            late = asyncio.create_task(send("GET", "count"))
            await asyncio.gather(*tasks)
            await late
        assert int(await send("GET", "count")) == sent


@pytest.mark.parametrize("callers", [2, 3, 4])
async def test_no_command_is_left_waiting_by_callers_that_send_again_at_once(redis: Redis, callers: int) -> None:
    """Few callers: a command that were left waiting would wait for ever, since nobody else comes to wake it."""
    send, each = Pipelined(redis), 800

    async def caller(seed: int) -> None:
        rng = random.Random(seed)
        for _ in range(each):
            await send("INCR", "count")
            for _ in range(rng.randrange(3)):
                await asyncio.sleep(0)

    async with asyncio.timeout(ALL_S):
        await asyncio.gather(*(caller(seed) for seed in range(callers)))
        assert int(await send("GET", "count")) == callers * each


async def test_without_a_server_each_caller_hears_that_it_is_unavailable(server: StoreServer) -> None:
    client = client_of(server.url)
    send = Pipelined(client)
    await send("PING")
    server.stop()
    async with asyncio.timeout(ALL_S):
        replies = await asyncio.gather(*(send("INCR", "count") for _ in range(50)), return_exceptions=True)
    assert {type(reply) for reply in replies} == {StoreUnavailableError}
    server.start()
    async with asyncio.timeout(ALL_S):
        assert sorted(await asyncio.gather(*(send("INCR", "count") for _ in range(50)))) == list(range(1, 51))
    await client.aclose()
