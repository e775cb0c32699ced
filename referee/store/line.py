"""A connection that sends commands together and takes their replies together.

redis-py opens it, with all that it knows of sockets, TLS and authentication. But it packs each command in Python and
waits for each reply on its own, which costs more than most of what a referee does with a move; so from there on hiredis
packs and reads alone.
"""

import asyncio
from collections.abc import Sequence
from typing import Any, Final, cast

import hiredis
from redis._parsers.base import BaseParser
from redis.asyncio.connection import AbstractConnection, ConnectionPool
from redis.exceptions import ConnectionError as RedisConnectionError
from redis.exceptions import InvalidResponse
from redis.exceptions import TimeoutError as RedisTimeoutError

ENDED: Final = "the connection has just ended"  # which uvloop tells whoever writes to it by a RuntimeError
_NOTHING: Final = object()


class Line:
    """A connection of a pool for one caller at a time; open while it is used, and opened again when it was lost."""

    def __init__(self, pool: ConnectionPool, timeout_s: float) -> None:
        self._pool: Final = pool
        self._timeout_s: Final = timeout_s
        self._connection: AbstractConnection | None = None
        self._replies: _Replies | None = None
        self._opening: asyncio.Task[list[Any]] | None = None  # the loop itself keeps no strong reference

    def ask(self, commands: Sequence[tuple[Any, ...]]) -> "asyncio.Future[list[Any]]":
        """Returns the replies to commands, once they are there; errors of the server are among them.

        They are on their way already: whoever waits no longer stops none. Others wait instead for
        redis.exceptions.RedisError: no reply; the commands may have been carried out.

        Raises:
            TypeError: a part of a command is neither text, bytes nor a number; nothing is sent.
        """
        packed = b"".join(map(hiredis.pack_command, commands))
        if self._replies is None or self._replies.lost:
            self._opening = asyncio.create_task(self._open_and_ask(packed, len(commands)))
            return self._opening
        return self._replies.to(packed, len(commands))

    async def _open_and_ask(self, packed: bytes, count: int) -> list[Any]:
        await self._close()
        try:
            connection = await self._pool.get_connection()  # type: ignore[no-untyped-call]
        except RuntimeError as error:
            raise RedisConnectionError(ENDED) from error
        self._connection = connection
        self._replies = _Replies(connection._writer.transport, self._timeout_s)
        return await self._replies.to(packed, count)

    async def _close(self) -> None:
        connection, self._connection, self._replies = self._connection, None, None
        if connection is not None:
            await connection.disconnect(nowait=True)
            await self._pool.release(connection)


class _Replies(asyncio.Protocol):
    """Takes a connection over from the protocol that it was opened with, which still hears of its end.

    Attributes:
        lost: whether it has ended.
    """

    def __init__(self, transport: asyncio.Transport, timeout_s: float) -> None:
        self._transport: Final = transport
        self._timeout_s: Final = timeout_s
        self._opener: Final = cast(asyncio.Protocol, transport.get_protocol())
        self._reader: Final = hiredis.Reader(
            protocolError=InvalidResponse, replyError=BaseParser.parse_error, notEnoughData=_NOTHING
        )
        self._loop: Final = asyncio.get_running_loop()
        self._missing = 0
        self._found = list[Any]()
        self._all: asyncio.Future[list[Any]] | None = None
        self._due_s = 0.0
        self._watch: asyncio.TimerHandle | None = None
        self.lost = False
        transport.set_protocol(self)

    def to(self, packed: bytes, count: int) -> asyncio.Future[list[Any]]:
        """Sends commands and returns their replies."""
        self._missing, self._found, self._all = count, [], self._loop.create_future()
        self._due_s = self._loop.time() + self._timeout_s
        if self._watch is None:
            self._watch = self._loop.call_at(self._due_s, self._look)
        try:
            self._transport.write(packed)
        except RuntimeError:
            self._fail(RedisConnectionError(ENDED))
        return self._all

    def data_received(self, data: bytes) -> None:
        self._reader.feed(data)
        try:
            while (reply := self._reader.gets()) is not _NOTHING:
                if not isinstance(reply, hiredis.PushNotification):
                    self._found.append(reply)
                    self._missing -= 1
        except InvalidResponse as error:
            self._give_up(error)
        if not self._missing and self._all is not None and not self._all.done():
            self._all.set_result(self._found)

    def connection_lost(self, error: Exception | None) -> None:
        self._fail(RedisConnectionError(f"the connection was lost: {error or 'the server closed it'}"))
        self._opener.connection_lost(error)

    def _look(self) -> None:
        """Looks whether replies are late: once for many commands, as most timers would be for nothing."""
        self._watch = None
        if not self._missing or self.lost:
            return
        if self._loop.time() < self._due_s:
            self._watch = self._loop.call_at(self._due_s, self._look)
        else:
            self._give_up(RedisTimeoutError(f"no reply within {self._timeout_s} s"))

    def _give_up(self, error: Exception) -> None:
        """Ends the connection: whoever asks next must not be given what is late."""
        self._fail(error)
        self._transport.abort()

    def _fail(self, error: Exception) -> None:
        self.lost = True
        if self._all is not None and not self._all.done():
            self._all.set_exception(error)
