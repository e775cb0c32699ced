"""Notifications: one subscribed connection for a replica, one channel for each match that somebody follows."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any, Final

from redis.asyncio import Redis
from redis.exceptions import RedisError

from referee.table.store import StoreUnavailableError

_SUBSCRIBED_WITHIN_S: Final = 5.0
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
    """Spreads the notifications of one connection to those who follow matches in this process."""

    def __init__(self, redis: "Redis") -> None:
        self._pubsub: Final = redis.pubsub()
        self._signals: Final = dict[str, set[Signal]]()
        self._subscribed: Final = dict[str, asyncio.Future[None]]()
        self._sending: Final = asyncio.Lock()  # the first command connects, which must happen once
        self._reader: asyncio.Task[None] | None = None

    @asynccontextmanager
    async def of(self, channel: str) -> AsyncIterator[Signal]:
        """Follows a channel, from before the block is entered.

        Raises:
            StoreUnavailableError: the store does not confirm the subscription.
        """
        signal = Signal()
        followers = self._signals.setdefault(channel, set())
        followers.add(signal)
        try:
            await self._subscribe(channel)
            yield signal
        finally:
            followers.discard(signal)
            if not followers and self._signals.get(channel) is followers:
                del self._signals[channel]
                self._subscribed.pop(channel, None)
                await self._unsubscribe(channel)

    async def close(self) -> None:
        """Ends the subscription of everybody."""
        if self._reader is not None:
            self._reader.cancel()
            await asyncio.gather(self._reader, return_exceptions=True)
        await self._pubsub.aclose()  # type: ignore[no-untyped-call]

    async def _subscribe(self, channel: str) -> None:
        confirmed = self._subscribed.get(channel)
        try:
            if confirmed is None:
                confirmed = self._subscribed[channel] = asyncio.get_running_loop().create_future()
                async with self._sending:
                    await self._pubsub.subscribe(channel)
                if self._reader is None:
                    self._reader = asyncio.create_task(self._read())
            async with asyncio.timeout(_SUBSCRIBED_WITHIN_S):
                await asyncio.shield(confirmed)
        except (RedisError, OSError, TimeoutError) as error:
            self._subscribed.pop(channel, None)
            raise StoreUnavailableError(str(error)) from error

    async def _unsubscribe(self, channel: str) -> None:
        try:
            async with self._sending:
                if channel not in self._signals:  # unless somebody came back meanwhile
                    await self._pubsub.unsubscribe(channel)
        except (RedisError, OSError):
            return  # the connection is gone, and the subscription with it

    async def _read(self) -> None:
        while True:
            try:
                message = await self._pubsub.get_message(timeout=None)
            except (RedisError, OSError):
                await asyncio.sleep(_RECONNECT_S)
                self._tell_all_that_some_were_lost()
                continue
            if message is not None:
                self._take(message)

    def _take(self, message: dict[str, Any]) -> None:
        channel = message["channel"].decode()
        if message["type"] == "subscribe":
            confirmed = self._subscribed.get(channel)
            if confirmed is not None and not confirmed.done():
                confirmed.set_result(None)
        elif message["type"] == "message":
            for signal in self._signals.get(channel, ()):
                signal.tell(int(message["data"]))

    def _tell_all_that_some_were_lost(self) -> None:
        for followers in self._signals.values():
            for signal in followers:
                signal.tell(0)
