"""What operators do: look through all matches, end one, give a seat away; and the log of who did that, and why."""

import asyncio
import logging
from collections import Counter
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import Final, NamedTuple, Protocol

from referee.core.errors import Reason, RefereeError
from referee.table.clocks import Moment
from referee.table.ids import BUCKETS, MatchId, Principal
from referee.table.snapshot import Snapshot, Status
from referee.table.store import StoreUnavailableError
from referee.table.table import Table, Told

_log: Final = logging.getLogger("referee")
_READ_AT_ONCE: Final = 64


class Deed(NamedTuple):
    """What an operator does to a match, and why."""

    who: str
    what: str
    match_id: str
    why: str


class Noted(NamedTuple):
    """A deed in the audit log, and when it was noted (ms since 1970 by the store's clock)."""

    time_ms: int
    deed: Deed


class Usage(NamedTuple):
    """How many keys there are, and the bytes that they take in the store's memory."""

    keys: int
    bytes: int


class Books(Protocol):
    """What a store can tell of all its matches, and its audit log. Every method may raise `StoreUnavailableError`."""

    async def kept(self, bucket: int) -> list[MatchId]:
        """Returns the matches of a bucket; some may be gone."""
        ...

    async def note(self, deed: Deed) -> None:
        """Appends to the audit log, from which nothing is ever taken."""
        ...

    def noted(self) -> AsyncIterator[Noted]:
        """Yields the audit log, the oldest first."""
        ...

    async def usage(self) -> Mapping[str, Usage]:
        """Returns what each kind of key takes; looks at every key."""
        ...


@dataclass(frozen=True, slots=True)
class Statistics:
    """What a store holds.

    Attributes:
        matches: how many there are, by ruleset and status.
        unreadable: how many this version of the service cannot read.
        oldest_open: the unfinished match that was created first; None if there is none.
        usage: by kind of key.
    """

    matches: Mapping[tuple[str, str], int]
    unreadable: int
    oldest_open: Snapshot | None
    usage: Mapping[str, Usage]


class Administration:
    """Sees every match, also unlisted and private ones, and notes what it changes before it does."""

    def __init__(self, table: Table, books: Books, who: str) -> None:
        self._table: Final = table
        self._books: Final = books
        self._who: Final = who

    async def matches(self) -> AsyncIterator[tuple[MatchId, Snapshot | None]]:
        """Yields every match, in no order; None stands for one that this version of the service cannot read."""
        for bucket in range(BUCKETS):
            ids = await self._books.kept(bucket)
            for start in range(0, len(ids), _READ_AT_ONCE):
                part = ids[start : start + _READ_AT_ONCE]
                for match_id, read in zip(part, await asyncio.gather(*map(self._read, part)), strict=True):
                    if read is not None:
                        yield match_id, read if isinstance(read, Snapshot) else None

    async def find(self, match_id: MatchId) -> Snapshot:
        """Returns a match.

        Raises:
            RefereeError: MATCH_NOT_FOUND, SNAPSHOT_UNREADABLE.
        """
        snapshot = await self._table.read(match_id)
        if snapshot is None:
            raise RefereeError(Reason.MATCH_NOT_FOUND, match_id=match_id)
        return snapshot

    async def record(self, match_id: MatchId) -> tuple[Snapshot, list[Told]]:
        """Reads a match that has ended with its whole log, as soon as its host may.

        Raises:
            RefereeError: as `find`, MATCH_NOT_OVER or NOT_DISCLOSED.
        """
        return await self._table.record(Principal((await self.find(match_id)).head.host), match_id)

    async def abort(self, match_id: MatchId, why: str) -> bool:
        """Ends a match without a result; returns whether that is new.

        Raises:
            RefereeError: as `Table.abort`.
        """
        return await self._audited(Deed(self._who, "abort", match_id, why), lambda: self._table.abort(match_id))

    async def revoke(self, match_id: MatchId, seat: int, holder: Principal, why: str) -> bool:
        """Gives a seat to another principal, whoever held it; returns whether that is new.

        Raises:
            RefereeError: as `Table.reseat`.
        """
        deed = Deed(self._who, f"revoke seat {seat}", match_id, why)
        return await self._audited(deed, lambda: self._table.reseat(match_id, seat, holder))

    async def moment(self) -> Moment:
        """Returns what time it is, and the outages there were."""
        return await self._table.time.moment()

    def audit(self) -> AsyncIterator[Noted]:
        """Yields the audit log, the oldest first."""
        return self._books.noted()

    async def statistics(self) -> Statistics:
        """Counts; reads every match and every key."""
        counts, unreadable = Counter[tuple[str, str]](), 0
        oldest: Snapshot | None = None
        async for _, snapshot in self.matches():
            if snapshot is None:
                unreadable += 1
                continue
            counts[snapshot.head.ruleset, Status(snapshot.course.status).name.lower()] += 1
            if not snapshot.over and (oldest is None or _created_ms(snapshot) < _created_ms(oldest)):
                oldest = snapshot
        return Statistics(counts, unreadable, oldest, await self._books.usage())

    async def _read(self, match_id: MatchId) -> Snapshot | RefereeError | None:
        try:
            return await self._table.read(match_id)
        except RefereeError as error:
            return error

    async def _audited(self, deed: Deed, act: Callable[[], Awaitable[bool]]) -> bool:
        await self._note(deed)
        try:
            return await act()
        except (RefereeError, StoreUnavailableError) as error:
            await self._note(deed._replace(what=f"{deed.what}: {error}"))
            raise

    async def _note(self, deed: Deed) -> None:
        await self._books.note(deed)
        _log.info("audit", extra=deed._asdict())


def _created_ms(snapshot: Snapshot) -> int:
    return snapshot.header.created_ms if snapshot.header else 0
