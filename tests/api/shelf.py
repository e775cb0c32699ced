"""A store for tests, which does what it is told to."""

import asyncio
import time
from collections.abc import AsyncIterator, Callable, Collection
from contextlib import asynccontextmanager
from typing import Final

from referee.store.memory import MemoryStore
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


class Shelf:
    """A store whose contents can be exchanged; it notes how it is used and fails, or waits, when told to."""

    def __init__(self) -> None:
        self.now_ms: Callable[[], int] = lambda: time.time_ns() // 1_000_000
        self.inner: Store = MemoryStore(self.now_ms)
        self.calls: Final = list[tuple[object, ...]]()
        self.writes: Final = list[Write]()
        self.fault: Exception | None = None
        self.writing: asyncio.Event | None = None
        self.may_write: asyncio.Event | None = None
        self.loading: asyncio.Event | None = None
        self.may_load: asyncio.Event | None = None
        self.contended = False
        self.fault_of_writes: Exception | None = None
        self.fault_after_writes: Exception | None = None
        self.forget_after_writes = False
        self.answer_lost = False
        self.followers = 0
        self.deserted: Final = asyncio.Event()

    def renew(self) -> None:
        """Forgets everything."""
        self.inner = MemoryStore(self.now_ms)
        self.calls.clear()
        self.writes.clear()

    async def load(self, match_id: MatchId) -> Stored | None:
        self._note("load", match_id)
        if self.loading and self.may_load:
            self.loading.set()
            await self.may_load.wait()
        return await self.inner.load(match_id)

    async def write(self, write: Write) -> Header | Stored | Untimely | None:
        sizes = sorted(write.fields), len(write.entries), write.version, write.lifetime_ms
        self._note("write", write.match_id, *sizes)
        if self.fault_of_writes:
            raise self.fault_of_writes
        self.writes.append(write)
        if self.writing and self.may_write:
            self.writing.set()
            await self.may_write.wait()
            if self.fault:
                raise self.fault
        if self.contended:
            return await self.inner.load(write.match_id)
        written = await self.inner.write(write)
        self.fault = self.fault or self.fault_after_writes
        if self.forget_after_writes:
            self.renew()
        if self.answer_lost:
            self.answer_lost = False
            raise StoreUnavailableError("the answer was lost")
        return written

    async def log(self, match_id: MatchId, start: int, stop: int) -> list[Logged]:
        self._note("log", match_id, start, stop)
        return await self.inner.log(match_id, start, stop)

    async def listing(self, after: Listed | None, count: int) -> tuple[list[Listed], bool]:
        self._note("listing", after, count)
        return await self.inner.listing(after, count)

    async def inbox(self, principal: Principal, after: Listed | None, count: int) -> tuple[list[Listed], bool]:
        self._note("inbox", principal, after, count)
        return await self.inner.inbox(principal, after, count)

    @asynccontextmanager
    async def changes(self, match_id: MatchId) -> AsyncIterator[Changes]:
        self._note("changes", match_id)
        self.followers += 1
        try:
            async with self.inner.changes(match_id) as changes:
                yield changes
        finally:
            self.followers -= 1
            if not self.followers:
                self.deserted.set()

    async def unfinished(self, principal: Principal) -> list[MatchId]:
        self._note("unfinished", principal)
        return await self.inner.unfinished(principal)

    @asynccontextmanager
    async def summons(self, principal: Principal) -> AsyncIterator[Summons]:
        self._note("summons", principal)
        self.followers += 1
        try:
            async with self.inner.summons(principal) as summons:
                yield summons
        finally:
            self.followers -= 1
            if not self.followers:
                self.deserted.set()

    async def beat(self, longest_ms: int) -> Moment:
        if self.fault:
            raise self.fault
        return await self.inner.beat(longest_ms)

    async def due(self, holder: str, lease_ms: int, count: int) -> list[MatchId]:
        return await self.inner.due(holder, lease_ms, count)

    async def enrol(self, match_id: MatchId, principals: Collection[Principal], grace_ms: int) -> None:
        self._note("enrol", match_id, *principals)
        await self.inner.enrol(match_id, principals, grace_ms)

    async def dismiss(self, match_id: MatchId, principals: Collection[Principal], grace_ms: int) -> None:
        self._note("dismiss", match_id, *principals)
        await self.inner.dismiss(match_id, principals, grace_ms)

    async def roll(self, since: int) -> list[tuple[int, Enrolled]]:
        if self.fault:
            raise self.fault
        return await self.inner.roll(since)

    async def stamp(self, match_id: MatchId, field: str) -> bool:
        self._note("stamp", match_id, field)
        return await self.inner.stamp(match_id, field)

    async def remind(self, principal: Principal) -> None:
        self._note("remind", principal)
        await self.inner.remind(principal)

    async def ping(self) -> None:
        if self.fault:
            raise self.fault
        await self.inner.ping()

    async def close(self) -> None:
        await self.inner.close()

    def _note(self, *call: object) -> None:
        self.calls.append(call)
        if self.fault:
            raise self.fault
