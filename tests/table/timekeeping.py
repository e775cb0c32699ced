"""What tests of tables that keep time share."""

import asyncio
import time
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass

from referee.table.clocks import Moment, Terms
from referee.table.ids import MatchId
from referee.table.matches import Limits, Matches
from referee.table.observer import Observer
from referee.table.snapshot import Step, unpack_entry
from referee.table.table import Table
from tests.table.faulty import Relay
from tests.table.night import Night
from tests.table.sitting import GAMES, STRANGER

AT_ONCE_S = 20.0
BRIEF = Terms(move_ms=40, margin_ms=20)
LIMIT = Terms(move_ms=800, margin_ms=100)
LONG = Terms(move_ms=3_600_000)


@asynccontextmanager
async def keeping_time(*tables: Table) -> AsyncIterator[None]:
    """Lets tables beat and sweep, as replicas do."""
    tasks = [asyncio.create_task(table.keep_time()) for table in tables]
    try:
        yield
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)


async def told_to_the_end(table: Table, match_id: MatchId) -> list[tuple[str, int]]:
    """What a watcher is told until the match is over: steps that are no moves, and their seats."""
    told = list[tuple[str, int]]()
    async with asyncio.timeout(AT_ONCE_S):
        async for news in table.watch(STRANGER, match_id, None, 0):
            told += [(Step(item.entry.step).name, item.entry.seat) for item in news.entries]
    return [(step, seat) for step, seat in told if step != "MOVE"]


async def looks(night: Night, match_id: MatchId, *, swept: bool = False) -> None:
    """Lets a replica that has never seen the match look whose time is up."""
    await Matches(night.store, GAMES, Limits(), Observer()).expire(match_id, swept=swept)


async def outs(night: Night, match_id: MatchId) -> list[tuple[str, int]]:
    """Who went out by the log, and how."""
    entries = [unpack_entry(logged.entry) for logged in await night.store.log(match_id, 0, 1_000)]
    return [(Step(entry.step).name, entry.seat) for entry in entries if entry.step != Step.MOVE]


async def deadline_ms(night: Night, match_id: MatchId, table: Table) -> int | None:
    """When the next seat's time is up, as a table sees it."""
    return (await night.snapshot(match_id)).next_deadline_ms(await table.time.moment())


def wrong_by(seconds: float) -> Callable[[], float]:
    """A machine's clock that is fast."""
    return lambda: time.time() + seconds


@dataclass
class Broken(Relay):
    """Answers the next beat, and the next sweep, with a fault."""

    beat_fault: Exception | None = None
    due_fault: Exception | None = None

    async def beat(self, longest_ms: int) -> Moment:
        if fault := self.beat_fault:
            self.beat_fault = None
            raise fault
        return await self.inner.beat(longest_ms)

    async def due(self, holder: str, lease_ms: int, count: int) -> list[MatchId]:
        if fault := self.due_fault:
            self.due_fault = None
            raise fault
        return await self.inner.due(holder, lease_ms, count)
