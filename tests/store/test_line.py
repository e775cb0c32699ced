"""A line gives each caller the replies to its own commands, or says that there are none."""

import socket
import struct
import threading
from collections.abc import AsyncIterator, Iterator
from contextlib import contextmanager
from typing import Final

import pytest
import uvloop
from redis.asyncio import BlockingConnectionPool
from redis.asyncio.retry import Retry
from redis.backoff import NoBackoff
from redis.exceptions import ConnectionError as RedisConnectionError
from redis.exceptions import NoScriptError, ReadOnlyError, ResponseError
from redis.exceptions import TimeoutError as RedisTimeoutError

from referee.store.line import Line

HERE: Final = "127.0.0.1"
LONG_S = 20.0
SHORT_S = 0.05


@pytest.fixture
async def pool(url: str) -> AsyncIterator[BlockingConnectionPool]:
    """Connections to an empty server of each kind."""
    pool = BlockingConnectionPool.from_url(url, max_connections=1)
    yield pool
    await pool.disconnect()


async def test_the_replies_come_in_the_order_of_the_commands(pool: BlockingConnectionPool) -> None:
    commands = [("SET", "name", "é"), ("GET", b"name"), ("RPUSH", "list", 7, 1.5, b"\x00"), ("LRANGE", "list", 0, -1)]
    replies = await Line(pool, LONG_S).ask(commands)
    assert replies == [b"OK", "é".encode(), 3, [b"7", b"1.5", b"\x00"]]


async def test_replies_larger_than_a_read_arrive_whole(pool: BlockingConnectionPool) -> None:
    large = bytes(range(256)) * 8192
    assert await Line(pool, LONG_S).ask([("SET", "large", large), ("GET", "large")] * 2) == [b"OK", large] * 2


async def test_what_the_server_refuses_is_told_by_its_kind(pool: BlockingConnectionPool) -> None:
    script = "return redis.error_reply('READONLY no writes here')"
    replies = await Line(pool, LONG_S).ask([("EVALSHA", "0" * 40, 0), ("NO_SUCH",), ("EVAL", script, 0)])
    assert [type(reply) for reply in replies] == [NoScriptError, ResponseError, ReadOnlyError]


async def test_a_reply_that_comes_too_late_is_given_to_nobody(pool: BlockingConnectionPool) -> None:
    line = Line(pool, SHORT_S)
    with pytest.raises(RedisTimeoutError):
        await line.ask([("BLPOP", "empty", 1)])
    assert await line.ask([("ECHO", "next")]) == [b"next"]


async def test_a_lost_connection_is_told_and_made_again(pool: BlockingConnectionPool) -> None:
    line = Line(pool, LONG_S)
    [own] = await line.ask([("CLIENT", "ID")])
    with pytest.raises(RedisConnectionError):
        await line.ask([("CLIENT", "KILL", "ID", own, "SKIPME", "no"), ("BLPOP", "empty", 1)])
    [other] = await line.ask([("CLIENT", "ID")])
    assert other > own


def test_a_server_that_hangs_up_at_once_is_told_as_a_lost_connection() -> None:
    """In every moment, also by the event loop that a referee runs on, which has words of its own for it."""

    async def errors_of(address: str) -> set[type[Exception]]:
        pool = BlockingConnectionPool.from_url(f"redis://{address}", retry=Retry(NoBackoff(), 0), max_connections=1)
        found = set[type[Exception]]()
        for _ in range(6_000):
            try:
                await Line(pool, LONG_S).ask([("PING",)])
            except Exception as error:
                found.add(type(error))
        await pool.disconnect()
        return found

    with hanging_up() as address:
        assert uvloop.run(errors_of(address)) == {RedisConnectionError}


@contextmanager
def hanging_up() -> Iterator[str]:
    """Runs a server that resets every connection; yields its address."""
    with socket.create_server((HERE, 0)) as listener:
        listening = threading.Thread(target=_hang_up, args=(listener,))
        listening.start()
        try:
            yield f"{HERE}:{listener.getsockname()[1]}"
        finally:
            listener.shutdown(socket.SHUT_RDWR)
            listening.join()


def _hang_up(listener: socket.socket) -> None:
    while True:
        try:
            connection, _ = listener.accept()
        except OSError:  # it listens no more
            return
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        connection.close()


async def test_what_is_no_part_of_a_command_is_not_sent(pool: BlockingConnectionPool) -> None:
    line = Line(pool, LONG_S)
    with pytest.raises(TypeError):
        await line.ask([("SET", "name", "value"), ("SET", "name", None)])
    assert await line.ask([("GET", "name")]) == [None]
