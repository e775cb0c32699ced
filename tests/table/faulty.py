"""Stores with faults, around a real one."""

import asyncio
import random
from collections.abc import AsyncIterator, Awaitable, Callable, Collection
from contextlib import AbstractAsyncContextManager, asynccontextmanager, nullcontext
from dataclasses import dataclass, field

from referee.store.notices import Signal
from referee.table.clocks import Moment
from referee.table.ids import MatchId, Principal
from referee.table.store import (
    Changes,
    Enrolled,
    Header,
    Listed,
    Logged,
    Store,
    Stored,
    StoreUnavailableError,
    Summons,
    Untimely,
    Write,
)


@dataclass
class Relay:
    """Passes every call on."""

    inner: Store

    async def load(self, match_id: MatchId) -> Stored | None:
        return await self.inner.load(match_id)

    async def write(self, write: Write) -> Header | Stored | Untimely | None:
        return await self.inner.write(write)

    async def log(self, match_id: MatchId, start: int, stop: int) -> list[Logged]:
        return await self.inner.log(match_id, start, stop)

    async def listing(self, after: Listed | None, count: int) -> tuple[list[Listed], bool]:
        return await self.inner.listing(after, count)

    async def inbox(self, principal: Principal, after: Listed | None, count: int) -> tuple[list[Listed], bool]:
        return await self.inner.inbox(principal, after, count)

    async def unfinished(self, principal: Principal) -> list[MatchId]:
        return await self.inner.unfinished(principal)

    def changes(self, match_id: MatchId) -> AbstractAsyncContextManager[Changes]:
        return self.inner.changes(match_id)

    def summons(self, principal: Principal) -> AbstractAsyncContextManager[Summons]:
        return self.inner.summons(principal)

    async def beat(self, longest_ms: int) -> Moment:
        return await self.inner.beat(longest_ms)

    async def due(self, holder: str, lease_ms: int, count: int) -> list[MatchId]:
        return await self.inner.due(holder, lease_ms, count)

    async def enrol(self, match_id: MatchId, principals: Collection[Principal], grace_ms: int) -> None:
        await self.inner.enrol(match_id, principals, grace_ms)

    async def dismiss(self, match_id: MatchId, principals: Collection[Principal], grace_ms: int) -> None:
        await self.inner.dismiss(match_id, principals, grace_ms)

    async def roll(self, since: int) -> list[tuple[int, Enrolled]]:
        return await self.inner.roll(since)

    async def stamp(self, match_id: MatchId, field: str) -> bool:
        return await self.inner.stamp(match_id, field)

    async def remind(self, principal: Principal) -> None:
        await self.inner.remind(principal)

    async def ping(self) -> None:
        await self.inner.ping()

    async def close(self) -> None:
        await self.inner.close()


class Unhurried(Relay):
    """Lets others run before and after each read and write, now shorter and now longer, as a network does.

    The store in memory answers at once, so that calls made at the same time would never meet.
    """

    async def load(self, match_id: MatchId) -> Stored | None:
        await self._pause()
        stored = await self.inner.load(match_id)
        await self._pause()
        return stored

    async def write(self, write: Write) -> Header | Stored | Untimely | None:
        await self._pause()
        outcome = await self.inner.write(write)
        await self._pause()
        return outcome

    async def log(self, match_id: MatchId, start: int, stop: int) -> list[Logged]:
        await self._pause()
        return await self.inner.log(match_id, start, stop)

    async def _pause(self) -> None:
        for _ in range(random.randrange(4)):
            await asyncio.sleep(0)


@dataclass
class LosesReplies(Relay):
    """Carries the next `count` writes out and then says that it does not answer."""

    count: int = 0

    async def write(self, write: Write) -> Header | Stored | Untimely | None:
        outcome = await self.inner.write(write)
        if self.count:
            self.count -= 1
            raise StoreUnavailableError("the reply is lost")
        return outcome


@dataclass
class LosesWrites(Relay):
    """Says of the next `count` writes that it does not answer, and has not carried them out."""

    count: int = 0

    async def write(self, write: Write) -> Header | Stored | Untimely | None:
        if self.count:
            self.count -= 1
            raise StoreUnavailableError("the write is lost")
        return await self.inner.write(write)


@dataclass
class Replaced(Relay):
    """Says of the next `count` changes that they are done, and keeps nothing, as a primary does that is one no more."""

    count: int = 0

    async def write(self, write: Write) -> Header | Stored | Untimely | None:
        if not self.count or write.expected is None:
            return await self.inner.write(write)
        self.count -= 1
        return write.expected._replace(revision=write.expected.revision + 1, write_id=write.write_id)


@dataclass
class Contended(Relay):
    """Lets somebody else write the match just before each of the next `count` writes, which are in conflict then."""

    count: int = 0
    writes: int = 0

    async def write(self, write: Write) -> Header | Stored | Untimely | None:
        self.writes += 1
        stored = await self.inner.load(write.match_id)
        if self.count and stored is not None:
            self.count -= 1
            header = Header.decode(stored.header)
            log = await self.inner.log(write.match_id, 0, 1_000_000)
            rival = Write(write.match_id, header, b"rival---", {}, [], len(log), write.principals, write.lifetime_ms)
            assert isinstance(await self.inner.write(rival), Header)
        return await self.inner.write(write)


@dataclass
class Overtaken(Relay):
    """Lets something happen while a follower is about to subscribe."""

    meanwhile: Callable[[], Awaitable[object]] | None = None

    def changes(self, match_id: MatchId) -> AbstractAsyncContextManager[Changes]:
        return self._changes(match_id)

    @asynccontextmanager
    async def _changes(self, match_id: MatchId) -> AsyncIterator[Changes]:
        if self.meanwhile is not None:
            await self.meanwhile()
        async with self.inner.changes(match_id) as changes:
            yield changes


@dataclass
class Deaf(Relay):
    """Loses every notification."""

    def changes(self, match_id: MatchId) -> AbstractAsyncContextManager[Changes]:
        return self._changes()

    @asynccontextmanager
    async def _changes(self) -> AsyncIterator[Changes]:
        async with self.inner.changes(MatchId("a" * 26)) as changes:
            yield changes

    def summons(self, principal: Principal) -> AbstractAsyncContextManager[Summons]:
        return self.inner.summons(Principal(principal[::-1]))


@dataclass
class Interrupted(Relay):
    """Tells followers of a match nothing but that they may have missed something, whenever `miss` is called."""

    signal: Signal = field(default_factory=Signal)

    def changes(self, match_id: MatchId) -> AbstractAsyncContextManager[Changes]:
        return nullcontext(self.signal)


@dataclass
class Short(Relay):
    """Reads the next `count` logs without their last entries, as if the store had lost them meanwhile."""

    count: int = 0

    async def log(self, match_id: MatchId, start: int, stop: int) -> list[Logged]:
        if not self.count:
            return await self.inner.log(match_id, start, stop)
        self.count -= 1
        return await self.inner.log(match_id, start, stop - 1)


@dataclass
class Counted(Relay):
    """Counts reads and writes."""

    loads: int = 0
    logs: int = 0
    writes: int = 0

    async def load(self, match_id: MatchId) -> Stored | None:
        self.loads += 1
        return await self.inner.load(match_id)

    async def log(self, match_id: MatchId, start: int, stop: int) -> list[Logged]:
        self.logs += 1
        return await self.inner.log(match_id, start, stop)

    async def write(self, write: Write) -> Header | Stored | Untimely | None:
        self.writes += 1
        return await self.inner.write(write)
