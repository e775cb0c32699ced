"""Matches in this process's memory: for tests, which it makes fast. Never chosen unless asked for."""

import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Final

from referee.store.notices import AGAIN, Called, Signal
from referee.table.ids import MatchId, Principal, bucket_of
from referee.table.store import Changes, Header, Listed, Logged, Stored, Summons, Write


@dataclass(slots=True)
class _Kept:
    header: Header
    fields: dict[str, bytes]
    expires_ms: int
    log: list[Logged] = field(default_factory=list)
    principals: tuple[Principal, ...] = ()
    over: bool = False


class MemoryStore:
    """See `table.store.Store`."""

    def __init__(self) -> None:
        self._matches: Final = dict[MatchId, _Kept]()
        self._signals: Final = dict[MatchId, set[Signal]]()
        self._called: Final = dict[Principal, set[Called]]()

    async def load(self, match_id: MatchId) -> Stored | None:
        kept = self._kept(match_id)
        return None if kept is None else Stored(kept.header.encode(), dict(kept.fields))

    async def write(self, write: Write) -> Header | Stored | None:
        kept, now = self._kept(write.match_id), _now_ms()
        if (kept.header if kept else None) != write.expected:
            return await self.load(write.match_id)
        if kept is None:
            kept = self._matches[write.match_id] = _Kept(Header(0, b"", now, now), {}, now)
        if len(kept.log) != write.version - len(write.entries):
            raise ValueError(f"the log has {len(kept.log)} entries, expected {write.version - len(write.entries)}")
        commit_ms = now if write.entries else kept.header.commit_ms
        kept.header = Header(kept.header.revision + 1, write.write_id, kept.header.created_ms, commit_ms)
        kept.fields.update(write.fields)
        kept.expires_ms = now + write.lifetime_ms
        kept.log += [Logged(now, entry) for entry in write.entries]
        kept.principals, kept.over = tuple(write.principals), write.over
        if write.entries:
            for signal in self._signals.get(write.match_id, ()):
                signal.tell(write.version)
        for principal in write.summoned:
            self._call(principal, f"{write.match_id} {write.version}".encode())
        return kept.header

    async def log(self, match_id: MatchId, start: int, stop: int) -> list[Logged]:
        kept = self._kept(match_id)
        return [] if kept is None else kept.log[start:stop]

    async def listing(self, after: Listed | None, count: int) -> tuple[list[Listed], bool]:
        return self._page(list(self._matches), after, count)

    async def inbox(self, principal: Principal, after: Listed | None, count: int) -> tuple[list[Listed], bool]:
        mine = [match_id for match_id, kept in self._matches.items() if principal in kept.principals]
        return self._page(mine, after, count)

    async def unfinished(self, principal: Principal) -> list[MatchId]:
        return [key for key, kept in self._matches.items() if principal in kept.principals and not kept.over]

    @asynccontextmanager
    async def changes(self, match_id: MatchId) -> AsyncIterator[Changes]:
        signal = Signal()
        followers = self._signals.setdefault(match_id, set())
        followers.add(signal)
        try:
            yield signal
        finally:
            followers.discard(signal)
            if not followers and self._signals.get(match_id) is followers:
                del self._signals[match_id]

    @asynccontextmanager
    async def summons(self, principal: Principal) -> AsyncIterator[Summons]:
        called = Called()
        followers = self._called.setdefault(principal, set())
        followers.add(called)
        try:
            self._call(principal, called.beginning)
            yield called
        finally:
            followers.discard(called)
            if not followers and self._called.get(principal) is followers:
                del self._called[principal]

    async def remind(self, principal: Principal) -> None:
        self._call(principal, AGAIN)

    async def ping(self) -> None:
        return None

    async def close(self) -> None:
        self._matches.clear()

    def _call(self, principal: Principal, content: bytes) -> None:
        for called in self._called.get(principal, ()):
            called.hear(content)

    def _kept(self, match_id: MatchId) -> _Kept | None:
        kept = self._matches.get(match_id)
        if kept is not None and kept.expires_ms <= _now_ms():
            del self._matches[match_id]
            return None
        return kept

    def _page(self, ids: list[MatchId], after: Listed | None, count: int) -> tuple[list[Listed], bool]:
        alive = ((match_id, kept) for match_id in ids if (kept := self._kept(match_id)) is not None)
        places = sorted(Listed(bucket_of(match_id), kept.header.created_ms, match_id) for match_id, kept in alive)
        rest = [place for place in places if after is None or place > after]
        return rest[:count], len(rest) > count


def _now_ms() -> int:
    return time.time_ns() // 1_000_000
