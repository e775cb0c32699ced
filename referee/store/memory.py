"""Matches in this process's memory: for tests, which it makes fast. Never chosen unless asked for."""

import time
from collections.abc import AsyncIterator, Callable, Collection
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Final

from referee.store.notices import AGAIN, Called, Signal
from referee.table.clocks import Moment, Outage
from referee.table.ids import MatchId, Principal, bucket_of
from referee.table.store import Changes, Enrolled, Header, Listed, Logged, Stored, Summons, Untimely, Write


@dataclass(slots=True)
class _Kept:
    header: Header
    fields: dict[str, bytes]
    expires_ms: int
    log: list[Logged] = field(default_factory=list)
    principals: tuple[Principal, ...] = ()
    over: bool = False
    listed: bool = True
    due_ms: int | None = None


class MemoryStore:
    """See `table.store.Store`.

    Args:
        now_ms: its clock.
    """

    def __init__(self, now_ms: Callable[[], int] = lambda: time.time_ns() // 1_000_000) -> None:
        self._matches: Final = dict[MatchId, _Kept]()
        self._signals: Final = dict[MatchId, set[Signal]]()
        self._called: Final = dict[Principal, set[Called]]()
        self._outages: Final = list[Outage]()
        self._beat_ms: int | None = None
        self._sweeper = ("", 0)
        self._roll: Final = dict[Enrolled, int]()
        self.now_ms: Final = now_ms

    async def load(self, match_id: MatchId) -> Stored | None:
        kept = self._kept(match_id)
        return None if kept is None else Stored(kept.header.encode(), dict(kept.fields))

    async def write(self, write: Write) -> Header | Stored | Untimely | None:
        kept, now = self._kept(write.match_id), self.now_ms()
        fields = kept.fields if kept else {}
        stands = all(fields.get(name, b"") == packed for name, packed in write.standing.items())
        if (kept.header if kept else None) != write.expected or not stands:
            return await self.load(write.match_id)
        if write.not_after_ms is not None and now > write.not_after_ms:
            return Untimely(now)
        if kept is None:
            kept = self._matches[write.match_id] = _Kept(Header(0, b"", now, now), {}, now)
        if len(kept.log) != write.version - len(write.entries):
            raise ValueError(f"the log has {len(kept.log)} entries, expected {write.version - len(write.entries)}")
        commit_ms = now if write.entries else kept.header.commit_ms
        kept.header = Header(kept.header.revision + 1, write.write_id, kept.header.created_ms, commit_ms)
        kept.fields.update(write.fields)
        kept.expires_ms = now + write.lifetime_ms
        kept.log += [Logged(now, entry) for entry in write.entries]
        if write.deadline is not None:
            at, after = write.deadline
            times = ([] if at is None else [at]) + ([] if after is None else [now + after])
            kept.due_ms = min(times, default=None)
        kept.principals, kept.over, kept.listed = tuple(write.principals), write.over, write.listed
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
        return self._page([match_id for match_id, kept in self._matches.items() if kept.listed], after, count)

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
            self._call(principal, called.begin())
            yield called
        finally:
            followers.discard(called)
            if not followers and self._called.get(principal) is followers:
                del self._called[principal]

    async def beat(self, longest_ms: int) -> Moment:
        now, last = self.now_ms(), self._beat_ms
        if last is not None and now - last > longest_ms:
            self._outages.append((last, now))
        self._beat_ms = now
        return Moment(now, tuple(self._outages))

    async def due(self, holder: str, lease_ms: int, count: int) -> list[MatchId]:
        now = self.now_ms()
        if self._sweeper[0] not in ("", holder) and now < self._sweeper[1]:
            return []
        self._sweeper = (holder, now + lease_ms)
        alive = ((match_id, self._kept(match_id)) for match_id in list(self._matches))
        late = sorted((kept.due_ms, match_id) for match_id, kept in alive if kept and kept.due_ms is not None)
        return [match_id for due_ms, match_id in late if due_ms <= now][:count]

    async def enrol(self, match_id: MatchId, principals: Collection[Principal], grace_ms: int) -> None:
        place = max([self.now_ms(), *self._roll.values()])
        self._roll.update((Enrolled(principal, match_id, grace_ms), place) for principal in principals)

    async def dismiss(self, match_id: MatchId, principals: Collection[Principal], grace_ms: int) -> None:
        for principal in principals:
            self._roll.pop(Enrolled(principal, match_id, grace_ms), None)

    async def roll(self, since: int) -> list[tuple[int, Enrolled]]:
        return [(place, enrolled) for enrolled, place in self._roll.items() if place >= since]

    async def stamp(self, match_id: MatchId, field: str) -> bool:
        kept = self._kept(match_id)
        if kept is None or not kept.fields.get(field):
            return False
        kept.fields[field] = str(self.now_ms()).encode()
        return True

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
        if kept is not None and kept.expires_ms <= self.now_ms():
            del self._matches[match_id]
            return None
        return kept

    def _page(self, ids: list[MatchId], after: Listed | None, count: int) -> tuple[list[Listed], bool]:
        alive = ((match_id, kept) for match_id in ids if (kept := self._kept(match_id)) is not None)
        places = sorted(Listed(bucket_of(match_id), kept.header.created_ms, match_id) for match_id, kept in alive)
        rest = [place for place in places if after is None or place > after]
        return rest[:count], len(rest) > count
