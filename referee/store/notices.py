"""Notifications: one subscribed connection for a replica, one channel for each match or principal that is followed."""

import asyncio
import logging
import re
import secrets
from abc import ABC, abstractmethod
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager
from typing import Final

from redis.asyncio.connection import AbstractConnection
from redis.exceptions import RedisError

from referee.table.ids import MATCH_ID, MatchId
from referee.table.observer import Observer
from referee.table.store import StoreUnavailableError

_log: Final = logging.getLogger("referee")
_CONFIRMED_WITHIN_S: Final = 2.0
_RECONNECT_S: Final = 0.1
_MOST_TOLD: Final = 4096  # matches that are noted one by one
_VERSION: Final = re.compile(rb"\d{1,19}")
_BEGINNING: Final = re.compile(rb"begin [0-9a-f]{32}")
_CALL: Final = re.compile(rb"(%s) (%s)" % (MATCH_ID.pattern.encode(), _VERSION.pattern))
AGAIN: Final = b"again"


class Follower(ABC):
    """Whoever follows a channel, and may wait for what comes through it."""

    def __init__(self) -> None:
        self._woken = False
        self._waiting: asyncio.Future[None] | None = None

    @abstractmethod
    def hear(self, content: bytes) -> None:
        """Notes a notification, and does not wonder at somebody else's."""

    @abstractmethod
    def miss(self) -> None:
        """Notes that notifications may have been lost."""

    def wake(self) -> None:
        """Ends the wait."""
        self._woken = True
        self._end()

    async def wait(self, seconds: float) -> bool:
        """Returns True at the next `wake` not waited for yet, or False after `seconds` without one.

        Only one waits at a time. A timer does it, as `asyncio.timeout` costs a sixth of telling a watcher something.
        """
        if not self._woken:
            loop = asyncio.get_running_loop()
            self._waiting, timer = loop.create_future(), loop.call_later(seconds, self._end)
            try:
                await self._waiting
            finally:
                timer.cancel()
        woken, self._woken = self._woken, False
        return woken

    def _end(self) -> None:
        if self._waiting is not None and not self._waiting.done():
            self._waiting.set_result(None)


class Signal(Follower):
    """See `table.store.Changes`."""

    def __init__(self) -> None:
        super().__init__()
        self.version = 0

    def tell(self, version: int) -> None:
        """Notes a version."""
        self.version = max(version, self.version)
        self.wake()

    def hear(self, content: bytes) -> None:
        if _VERSION.fullmatch(content):
            self.tell(int(content))

    def miss(self) -> None:
        self.version = 0
        self.wake()


class Called(Follower):
    """See `table.store.Summons`.

    All followers of a principal hear the beginnings of all in the same order: whoever hears another after its own is
    superseded.
    """

    def __init__(self) -> None:
        super().__init__()
        self.superseded = False
        self._beginning: Final = b"begin " + secrets.token_hex(16).encode()
        self._said = False
        self._begun = False
        self._versions: dict[MatchId, int] | None = {}

    def begin(self) -> bytes:
        """Returns what it has to say on the channel; from now on it may miss that."""
        self._said = True
        return self._beginning

    def hear(self, content: bytes) -> None:
        if content == self._beginning:
            self._begun = True
        elif _BEGINNING.fullmatch(content):
            if self._begun:
                self.superseded = True
                self.wake()
        elif content == AGAIN:
            self._versions = None
            self.wake()
        elif call := _CALL.fullmatch(content):
            self._note(MatchId(call[1].decode()), int(call[2]))
            self.wake()

    def miss(self) -> None:
        self._begun, self._versions = self._said, None
        self.wake()

    def take(self) -> Mapping[MatchId, int] | None:
        taken, self._versions = self._versions, {}
        return taken

    def _note(self, match_id: MatchId, version: int) -> None:
        if self._versions is not None:
            self._versions[match_id] = max(version, self._versions.get(match_id, 0))
            if len(self._versions) > _MOST_TOLD:
                self._versions = None


class Notices:
    """Spreads the notifications of one connection to those who follow matches in this process.

    Only its reader connects, and it subscribes anew to all that is followed then; whoever begins to follow just sends a
    command where there is a connection, and waits for the confirmation.
    """

    def __init__(self, new_connection: Callable[[], AbstractConnection], observer: Observer) -> None:
        self._new_connection: Final = new_connection
        self._observer: Final = observer
        self._followers: Final = dict[str, set[Follower]]()
        self._confirmed: Final = dict[str, asyncio.Future[None]]()
        self._sending: Final = asyncio.Lock()
        self._connection: AbstractConnection | None = None
        self._lost = False
        self._reader: asyncio.Task[None] | None = None

    @asynccontextmanager
    async def to(self, follower: Follower, channel: str) -> AsyncIterator[None]:
        """Lets somebody follow a channel, from before the block is entered.

        Raises:
            StoreUnavailableError: the store does not confirm the subscription.
        """
        self._followers.setdefault(channel, set()).add(follower)
        try:
            await self._subscribe(channel)
            yield
        finally:
            self._followers[channel].discard(follower)
            if not self._followers[channel]:
                del self._followers[channel]
                self._confirmed.pop(channel, None)
                await self._send("UNSUBSCRIBE", channel)

    async def close(self) -> None:
        """Ends the subscription of everybody."""
        if self._reader is not None:
            self._reader.cancel()
            await asyncio.gather(self._reader, return_exceptions=True)

    async def interrupt(self) -> None:
        """Lets the reader connect anew, since notifications may have been lost."""
        if self._connection is not None:
            await self._connection.disconnect(nowait=True)

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
            wanted = (channel in self._followers) == (command == "SUBSCRIBE")
            if self._connection is None or not wanted:
                return  # the reader subscribes when it connects; or somebody came back or left meanwhile
            try:
                await self._connection.send_command(command, channel)
            except (RedisError, OSError, RuntimeError):  # see `line.ENDED`
                return  # the reader notices too

    async def _read_for_ever(self) -> None:
        while True:
            connection = self._new_connection()
            try:
                await self._read(connection)
            except (RedisError, OSError, RuntimeError, TimeoutError) as error:
                _log.warning("notifications are interrupted: %s", error)
                self._lost = True
                self._observer.interrupted()
                await asyncio.sleep(_RECONNECT_S)
            finally:
                self._connection = None
                await connection.disconnect(nowait=True)

    async def _read(self, connection: AbstractConnection) -> None:
        async with asyncio.timeout(_CONFIRMED_WITHIN_S):
            await connection.connect()  # type: ignore[no-untyped-call]
        async with self._sending:
            if self._followers:
                await connection.send_command("SUBSCRIBE", *self._followers)
            self._connection = connection
        if self._lost:
            self._lost = False
            for follower in [each for followers in self._followers.values() for each in followers]:
                follower.miss()
        while True:
            kind, channel, content = await connection.read_response()
            if kind == b"message":
                for follower in self._followers.get(channel.decode(), ()):
                    follower.hear(content)
            elif kind == b"subscribe":
                confirmed = self._confirmed.get(channel.decode())
                if confirmed is not None and not confirmed.done():
                    confirmed.set_result(None)
