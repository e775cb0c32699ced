"""Notifications: one subscribed connection for a replica, one channel for each match that somebody follows."""

import asyncio
import logging
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Final

from redis.asyncio import Redis
from redis.asyncio.connection import AbstractConnection
from redis.exceptions import RedisError

from referee.table.store import StoreUnavailableError

_log: Final = logging.getLogger("referee")
_CONFIRMED_WITHIN_S: Final = 2.0
_RECONNECT_S: Final = 0.1


class Signal:
    """See `table.store.Changes`."""

    def __init__(self) -> None:
        self.version = 0
        self._news: Final = asyncio.Event()

    def tell(self, version: int) -> None:
        """Notes a notification; version 0 says that some may have been lost."""
        self.version = version and max(version, self.version)
        self._news.set()

    async def wait(self, seconds: float) -> bool:
        try:
            async with asyncio.timeout(seconds):
                await self._news.wait()
        except TimeoutError:
            return False
        self._news.clear()
        return True


class Notices:
    """Spreads the notifications of one connection to those who follow matches in this process.

    Only its reader connects, and it subscribes anew to all that is followed then; whoever begins to follow just sends a
    command where there is a connection, and waits for the confirmation.
    """

    def __init__(self, redis: "Redis") -> None:
        self._pool: Final = redis.connection_pool
        self._signals: Final = dict[str, set[Signal]]()
        self._confirmed: Final = dict[str, asyncio.Future[None]]()
        self._sending: Final = asyncio.Lock()
        self._connection: AbstractConnection | None = None
        self._lost = False
        self._reader: asyncio.Task[None] | None = None

    @asynccontextmanager
    async def of(self, channel: str) -> AsyncIterator[Signal]:
        """Follows a channel, from before the block is entered.

        Raises:
            StoreUnavailableError: the store does not confirm the subscription.
        """
        signal = Signal()
        self._signals.setdefault(channel, set()).add(signal)
        try:
            await self._subscribe(channel)
            yield signal
        finally:
            self._signals[channel].discard(signal)
            if not self._signals[channel]:
                del self._signals[channel]
                self._confirmed.pop(channel, None)
                await self._send("UNSUBSCRIBE", channel)

    async def close(self) -> None:
        """Ends the subscription of everybody."""
        if self._reader is not None:
            self._reader.cancel()
            await asyncio.gather(self._reader, return_exceptions=True)

    async def _subscribe(self, channel: str) -> None:
        if self._reader is None:
            self._reader = asyncio.create_task(self._read_for_ever())
        confirmed = self._confirmed.get(channel)
        if confirmed is None:
            confirmed = self._confirmed[channel] = asyncio.get_running_loop().create_future()
            sending = asyncio.create_task(self._send("SUBSCRIBE", channel))
            await asyncio.shield(sending)  # others wait for it too, so it outlives this caller
        connection = self._connection
        try:
            async with asyncio.timeout(_CONFIRMED_WITHIN_S):
                await asyncio.shield(confirmed)
        except TimeoutError:
            if connection is not None and connection is self._connection:
                await connection.disconnect(nowait=True)  # it went silent; its reader makes a new one
            raise StoreUnavailableError("the store does not confirm a subscription") from None

    async def _send(self, command: str, channel: str) -> None:
        async with self._sending:
            wanted = (channel in self._signals) == (command == "SUBSCRIBE")
            if self._connection is None or not wanted:
                return  # the reader subscribes when it connects; or somebody came back or left meanwhile
            try:
                await self._connection.send_command(command, channel)
            except (RedisError, OSError):
                return  # the reader notices too

    async def _read_for_ever(self) -> None:
        while True:
            connection = self._pool.make_connection()  # type: ignore[no-untyped-call]
            try:
                await self._read(connection)
            except (RedisError, OSError, TimeoutError) as error:
                _log.warning("notifications are interrupted: %s", error)
                self._lost = True
                await asyncio.sleep(_RECONNECT_S)
            finally:
                self._connection = None
                await connection.disconnect(nowait=True)

    async def _read(self, connection: AbstractConnection) -> None:
        async with asyncio.timeout(_CONFIRMED_WITHIN_S):
            await connection.connect()  # type: ignore[no-untyped-call]
        async with self._sending:
            if self._signals:
                await connection.send_command("SUBSCRIBE", *self._signals)
            self._connection = connection
        if self._lost:
            self._lost = False
            self._tell_all_that_some_may_be_lost()
        while True:
            kind, channel, content = await connection.read_response()
            if kind == b"message" and content.isdigit():  # else somebody else's
                for signal in self._signals.get(channel.decode(), ()):
                    signal.tell(int(content))
            elif kind == b"subscribe":
                confirmed = self._confirmed.get(channel.decode())
                if confirmed is not None and not confirmed.done():
                    confirmed.set_result(None)

    def _tell_all_that_some_may_be_lost(self) -> None:
        for followers in self._signals.values():
            for signal in followers:
                signal.tell(0)
