"""The store as the table sees it: matches as bytes under compare-and-set, with logs, listings and notifications."""

from collections.abc import Collection, Mapping, Sequence
from contextlib import AbstractAsyncContextManager
from typing import Final, NamedTuple, Protocol

import msgspec

from referee.table.clocks import Deadline, Moment
from referee.table.formats import FORMAT, FormatError
from referee.table.ids import MatchId, Principal

HEADER_BYTES: Final = 33


class StoreUnavailableError(Exception):
    """The store does not answer. A write may or may not have happened."""


class Header(NamedTuple):
    """The store's own words about a match.

    Attributes:
        revision: how often the match was written, from 1.
        write_id: 8 random bytes of the last write, so that a store that lost writes is noticed.
        created_ms: when it was created, in ms since 1970 by the store's clock.
        commit_ms: when the newest log entry was written, likewise.
        format: of the other fields; a write makes it the present one.
    """

    revision: int
    write_id: bytes
    created_ms: int
    commit_ms: int
    format: int = FORMAT

    def encode(self) -> bytes:
        """Packs the header into `HEADER_BYTES`: format, revision, write id and times, big-endian."""
        numbers = (self.created_ms.to_bytes(8, "big"), self.commit_ms.to_bytes(8, "big"))
        return b"".join((bytes((self.format,)), self.revision.to_bytes(8, "big"), self.write_id, *numbers))

    @classmethod
    def decode(cls, packed: bytes) -> "Header":
        """Unpacks a header.

        Raises:
            FormatError: not a header that this version knows.
        """
        if len(packed) != HEADER_BYTES:
            raise FormatError(f"a header of {len(packed)} bytes, expected {HEADER_BYTES}")
        created, commit = int.from_bytes(packed[17:25], "big"), int.from_bytes(packed[25:33], "big")
        return cls(int.from_bytes(packed[1:9], "big"), packed[9:17], created, commit, packed[0])


class Stored(NamedTuple):
    """A match as stored: its packed header and the other fields by their names."""

    header: bytes
    fields: Mapping[str, bytes]


class Logged(NamedTuple):
    """A log entry as stored, and when it was committed (ms since 1970 by the store's clock)."""

    time_ms: int
    entry: bytes


class Listed(NamedTuple):
    """A place in the listing, which is ordered by bucket, creation and id."""

    bucket: int
    created_ms: int
    match_id: MatchId


class Write(msgspec.Struct, frozen=True, gc=False):
    """One atomic write of a match.

    Attributes:
        match_id: the match.
        expected: the header that must still stand; None if the match must not exist.
        write_id: 8 random bytes.
        fields: the fields to set; others stay.
        entries: what to append to the log.
        version: the length of the log afterwards, for the notifications.
        principals: all who hold seats; the match is in their inboxes.
        lifetime_ms: how long the match is kept from now on.
        summoned: those of the principals whom the write concerns, to be notified.
        over: whether the match has ended.
        not_after_ms: nothing is written after this time, in ms since 1970 by the store's clock.
        deadline: when the match is due, from now on; None leaves that as it is.
        listed: whether the listing shows the match; the same in every write of it.
        standing: fields that must still be so; empty stands for one that is not there.
    """

    match_id: MatchId
    expected: Header | None
    write_id: bytes
    fields: Mapping[str, bytes]
    entries: Sequence[bytes]
    version: int
    principals: Sequence[Principal]
    lifetime_ms: int
    summoned: Sequence[Principal] = ()
    over: bool = False
    not_after_ms: int | None = None
    deadline: Deadline | None = None
    listed: bool = True
    standing: Mapping[str, bytes] = {}


class Enrolled(NamedTuple):
    """A principal whose signs of life a match counts, and how long it may be away in ms."""

    principal: Principal
    match_id: MatchId
    grace_ms: int


class Untimely(NamedTuple):
    """A write that came too late: what time it is."""

    now_ms: int


class Changes(Protocol):
    """Notifications of one match."""

    @property
    def version(self) -> int:
        """The highest version told so far; 0 before the first."""
        ...

    async def wait(self, seconds: float) -> bool:
        """Returns True at the next notification not waited for yet, or False after `seconds` without one."""
        ...


class Summons(Protocol):
    """Notifications of one principal: which of its matches concern it."""

    @property
    def superseded(self) -> bool:
        """Whether somebody began to follow the same principal later."""
        ...

    def wake(self) -> None:
        """Ends the wait of whoever waits."""
        ...

    async def wait(self, seconds: float) -> bool:
        """Returns True at the next notification or `wake` not waited for yet, or False after `seconds` without one."""
        ...

    def take(self) -> Mapping[MatchId, int] | None:
        """Returns the versions told since the last time, by match; None if some may have been lost."""
        ...


class Store(Protocol):
    """Keeps matches. Every method may raise `StoreUnavailableError`."""

    async def load(self, match_id: MatchId) -> Stored | None:
        """Returns a match; None if there is none."""
        ...

    async def write(self, write: Write) -> Header | Stored | Untimely | None:
        """Writes a match.

        Returns:
            the new header; or, having written nothing, the match as it is if it does not stand as expected; None
            if a match was expected and there is none; the time if it is too late for the write.
        """
        ...

    async def log(self, match_id: MatchId, start: int, stop: int) -> list[Logged]:
        """Returns the log entries with versions in (start, stop], as far as there are."""
        ...

    async def listing(self, after: Listed | None, count: int) -> tuple[list[Listed], bool]:
        """Returns at most `count` matches of the listing behind a place, and whether more may follow."""
        ...

    async def inbox(self, principal: Principal, after: Listed | None, count: int) -> tuple[list[Listed], bool]:
        """Returns the same of the matches in which a principal has been given or has taken a seat."""
        ...

    async def unfinished(self, principal: Principal) -> list[MatchId]:
        """Returns the matches in which a principal holds a seat and that have not ended; some may be gone."""
        ...

    def changes(self, match_id: MatchId) -> AbstractAsyncContextManager[Changes]:
        """Follows the notifications of a match. They may be lost, but none is told before its write is committed."""
        ...

    def summons(self, principal: Principal) -> AbstractAsyncContextManager[Summons]:
        """Follows the notifications of a principal; whoever followed them before is superseded."""
        ...

    async def beat(self, longest_ms: int) -> Moment:
        """Notes that a replica is at work; returns the time, and all outages that are kept.

        If the last such note is older than `longest_ms` there was an outage from then until now.
        """
        ...

    async def due(self, holder: str, lease_ms: int, count: int) -> list[MatchId]:
        """Returns some matches whose deadlines are over, to one holder only until its lease ends."""
        ...

    async def enrol(self, match_id: MatchId, principals: Collection[Principal], grace_ms: int) -> None:
        """Puts principals on the roll, behind all who are on it."""
        ...

    async def dismiss(self, match_id: MatchId, principals: Collection[Principal], grace_ms: int) -> None:
        """Takes from the roll who was put there with the same words."""
        ...

    async def roll(self, since: int) -> list[tuple[int, Enrolled]]:
        """Returns who is on the roll from a place on, 0 for all, each with its place."""
        ...

    async def stamp(self, match_id: MatchId, field: str) -> bool:
        """Sets a field of a match to the time, in decimal ms since 1970; False if it is not there, or empty."""
        ...

    async def remind(self, principal: Principal) -> None:
        """Tells whoever follows a principal that notifications may have been lost."""
        ...

    async def ping(self) -> None:
        """Returns if the store answers."""
        ...

    async def close(self) -> None:
        """Ends all connections."""
        ...
