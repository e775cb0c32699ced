"""The use cases: load a match, apply a transition, write it back under compare-and-set."""

import asyncio
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass, field
from functools import partial
from typing import Final

from referee.core.errors import Reason, RefereeError
from referee.core.game import AnyGame
from referee.table import interventions, transitions
from referee.table.deal import Creation, deal
from referee.table.ids import MatchId, Principal, match_id_of
from referee.table.matches import Limits, Matches
from referee.table.observer import Observer, Way
from referee.table.snapshot import (
    Entry,
    Snapshot,
    Visibility,
    unpack_entry,
)
from referee.table.store import Listed, Store, Summons
from referee.table.transitions import Answer, Change, Choice

_LONGEST_CATCH_UP: Final = 64  # log entries that a watcher is told one by one
_SCANNED: Final = 400  # places of the listing that one page may look at
_LOOKED_AT_ONCE: Final = 50


@dataclass(frozen=True, slots=True)
class Told:
    """A log entry as the table knows it: number, time (ms since 1970 by the store's clock) and content."""

    version: int
    time_ms: int
    entry: Entry


@dataclass(frozen=True, slots=True)
class Seen:
    """A match, and the seat through whose eyes it may be shown; None is the public's."""

    snapshot: Snapshot
    viewer: int | None


@dataclass(frozen=True, slots=True)
class Tidings:
    """What a watcher is told: entries since the last tidings, or none and `anew` if a snapshot takes their place.

    With neither it is a heartbeat. All who watch in public are told by the same object, and no others are.

    Attributes:
        written: the messages that say it, by detail, once somebody has written them, for all who are told by it.
    """

    seen: Seen
    entries: tuple[Told, ...] = ()
    anew: bool = False
    written: dict[int, Sequence[bytes]] = field(default_factory=dict)

    @property
    def heartbeat(self) -> bool:
        """Whether it says nothing new."""
        return not self.anew and not self.entries


class Table:
    """All that can be done with matches. Holds no truth of its own, so that any number of them may share a store."""

    def __init__(
        self,
        store: Store,
        games: Mapping[str, AnyGame],
        limits: Limits | None = None,
        observer: Observer | None = None,
    ) -> None:
        self.games: Final = games
        self.limits: Final = limits or Limits()
        self._store: Final = store
        self._observer: Final = observer or Observer()
        self._matches: Final = Matches(store, games, self.limits, self._observer)
        self.time: Final = self._matches.time
        self.keep_time: Final = self._matches.keep_time
        self.attending: Final = self._matches.attending
        self.presence: Final = self._matches.presence

    async def create(self, host: Principal, request_id: str, creation: Creation) -> Snapshot:
        """Creates and deals a match, or finds the one that the same request made before.

        Raises:
            RefereeError: UNKNOWN_RULESET, SEAT_COUNT, INVALID_OPTION or REQUEST_ID_REUSED.
        """
        fresh = deal(self.games, match_id_of(host, request_id), host, creation)
        found = await self._matches.create(transitions.create(fresh))
        if found.head.request != fresh.head.request:
            raise RefereeError(Reason.REQUEST_ID_REUSED)
        return found

    async def join(
        self,
        principal: Principal,
        match_id: MatchId,
        request_id: str,
        seat: int | None,
        display_name: str,
        entrant: tuple[str, str],
    ) -> Answer:
        """Binds an open seat to the caller.

        Raises:
            RefereeError: MATCH_NOT_FOUND or as `transitions.join`.
        """
        missing = partial(RefereeError, Reason.MATCH_NOT_FOUND, match_id=match_id)
        change = await self._matches.apply(
            match_id,
            missing,
            lambda match, moment: transitions.join(match, principal, request_id, seat, display_name, entrant, moment),
        )
        return _answer(change)

    async def submit(
        self,
        principal: Principal,
        match_id: MatchId,
        request_id: str,
        seat: int | None,
        decision: int,
        choices: Sequence[Choice],
        way: Way = Way.UNARY,
    ) -> tuple[Answer, Snapshot]:
        """Plays moves; returns the answer and the match as it is now.

        Raises:
            RefereeError: as `transitions.submit`.
        """
        change = await self._matches.apply(
            match_id,
            partial(RefereeError, Reason.NOT_PERMITTED),
            lambda match, moment: transitions.submit(match, principal, request_id, seat, decision, choices, moment),
        )
        answer = _answer(change)
        if change.entries:
            self._observer.moved(change.snapshot.head.ruleset, way, len(choices))
        return answer, change.snapshot

    async def resign(self, principal: Principal, match_id: MatchId, request_id: str, seat: int | None) -> Answer:
        """Takes a seat out of the competition.

        Raises:
            RefereeError: as `transitions.resign`.
        """
        missing = partial(RefereeError, Reason.NOT_PERMITTED)
        return _answer(
            await self._matches.apply(
                match_id,
                missing,
                lambda match, moment: transitions.resign(match, principal, request_id, seat, moment),
            )
        )

    async def release(self, principal: Principal, match_id: MatchId, request_id: str) -> None:
        """Lets the record of a match that has ended be read.

        Raises:
            RefereeError: as `transitions.release`.
        """
        missing = partial(RefereeError, Reason.NOT_PERMITTED)
        _answer(
            await self._matches.apply(
                match_id, missing, lambda match, _: transitions.release(match, principal, request_id)
            )
        )

    async def abort(self, match_id: MatchId) -> bool:
        """Ends a match without a result; returns whether that is new.

        Raises:
            RefereeError: MATCH_NOT_FOUND or as `interventions.abort`.
        """
        missing = partial(RefereeError, Reason.MATCH_NOT_FOUND, match_id=match_id)
        return bool((await self._matches.apply(match_id, missing, interventions.abort)).entries)

    async def reseat(self, match_id: MatchId, seat: int, holder: Principal) -> bool:
        """Gives a seat to a principal; returns whether that is new.

        Raises:
            RefereeError: MATCH_NOT_FOUND or as `interventions.reseat`.
        """
        missing = partial(RefereeError, Reason.MATCH_NOT_FOUND, match_id=match_id)
        change = await self._matches.apply(
            match_id, missing, lambda match, moment: interventions.reseat(match, seat, holder, moment)
        )
        return bool(change.entries)

    async def get(self, principal: Principal, match_id: MatchId, seat: int | None) -> Seen:
        """Reads a match through the eyes of one of the caller's seats, or of the public.

        Raises:
            RefereeError: MATCH_NOT_FOUND, NOT_PERMITTED or SEAT_REQUIRED.
        """
        snapshot = await self._shown(principal, match_id)
        if snapshot is None:
            missing = Reason.MATCH_NOT_FOUND if seat is None else Reason.NOT_PERMITTED
            raise RefereeError(missing, match_id=match_id) if seat is None else RefereeError(missing)
        return Seen(snapshot, transitions.seat_of(snapshot, principal, seat))

    async def watch(
        self, principal: Principal, match_id: MatchId, seat: int | None, after: int | None
    ) -> AsyncIterator[Tidings]:
        """Follows a match from the version `after`, or from a snapshot, to its end.

        Raises:
            RefereeError: as `get`.
        """
        async with self._store.changes(match_id) as changes:
            seen, at_least = await self.get(principal, match_id, seat), 1
            found = await self._since(seen, after)
            while True:
                tidings = _still_shown(found, principal, match_id)
                if not (at_least and tidings.heartbeat):  # who may have missed something hears where the match is
                    yield tidings
                snapshot = tidings.seen.snapshot
                if snapshot.over:
                    return
                news = await changes.wait(self.limits.heartbeat_s)
                at_least = changes.version if news else 0
                found = await self._tidings(match_id, seen.viewer, snapshot.course.version, at_least)

    async def record(self, principal: Principal, match_id: MatchId) -> tuple[Snapshot, list[Told]]:
        """Reads a match that has ended with its whole log.

        Raises:
            RefereeError: MATCH_NOT_FOUND, MATCH_NOT_OVER or NOT_DISCLOSED.
        """
        snapshot = await self._shown(principal, match_id)
        if snapshot is None:
            raise RefereeError(Reason.MATCH_NOT_FOUND, match_id=match_id)
        if not snapshot.over:
            raise RefereeError(Reason.MATCH_NOT_OVER)
        if snapshot.head.on_release and not snapshot.course.released:
            raise RefereeError(Reason.NOT_DISCLOSED, match_id=match_id)
        log = await self._log(match_id, 0, snapshot.course.version)
        if len(log) != snapshot.course.version:
            raise RefereeError(Reason.MATCH_NOT_FOUND, match_id=match_id)  # it expired meanwhile
        return snapshot, log

    async def list_matches(
        self,
        principal: Principal,
        after: Listed | None,
        count: int,
        *,
        mine: bool,
        wanted: Callable[[Snapshot], bool],
    ) -> tuple[list[Snapshot], Listed | None]:
        """Returns a page of matches behind a place of the listing, and the place behind it; None if nothing follows.

        They are public, or else the caller's own. A page ends early when many unwanted matches had to be looked at.
        """
        found: list[Snapshot] = []
        looked = 0
        while True:
            if mine:
                places, more = await self._store.inbox(principal, after, _LOOKED_AT_ONCE)
            else:
                places, more = await self._store.listing(after, _LOOKED_AT_ONCE)
            snapshots = await asyncio.gather(*(self.load(place.match_id) for place in places))
            for place, snapshot in zip(places, snapshots, strict=True):
                after = place
                if snapshot is not None and _is_listed(snapshot, principal, mine) and wanted(snapshot):
                    found.append(snapshot)
                if len(found) == count:
                    return found, place if more or place != places[-1] else None
            looked += len(places)
            if not more:
                return found, None
            if looked >= _SCANNED:
                return found, after

    async def load(self, match_id: MatchId) -> Snapshot | None:
        """Returns a match as the store holds it; None if there is none that this version of the service can read."""
        try:
            return await self.read(match_id)
        except RefereeError:
            return None

    async def read(self, match_id: MatchId) -> Snapshot | None:
        """Returns a match as the store holds it, whoever may know of it; None if there is none.

        Raises:
            RefereeError: SNAPSHOT_UNREADABLE.
        """
        return await self._matches.find(match_id)

    async def unfinished(self, principal: Principal) -> list[MatchId]:
        """Returns the matches in which a principal holds a seat and that have not ended; some may be gone."""
        return await self._store.unfinished(principal)

    def summons(self, principal: Principal) -> AbstractAsyncContextManager[Summons]:
        """Follows the notifications of a principal; whoever followed them before is superseded."""
        return self._store.summons(principal)

    async def ping(self) -> None:
        """Returns if the store answers.

        Raises:
            StoreUnavailableError: it does not.
        """
        await self._store.ping()

    async def _shown(self, principal: Principal, match_id: MatchId) -> Snapshot | None:
        """Reads a match; None also if the caller may not know of it."""
        snapshot = await self._matches.find(match_id)
        return None if snapshot is None or snapshot.is_hidden_from(principal) else snapshot

    async def _tidings(self, match_id: MatchId, viewer: int | None, told: int, at_least: int) -> Tidings | None:
        """Returns what `_since` does of the match as it is now. What the public is told is read once for all of it."""
        if viewer is not None:
            return await self._read_since(match_id, viewer, told, at_least)
        reading = partial(self._read_since, match_id, None, told, at_least)
        return await self._matches.shared(("public", match_id, told, at_least), reading)

    async def _read_since(self, match_id: MatchId, viewer: int | None, told: int, at_least: int) -> Tidings | None:
        snapshot = await self._matches.find(match_id, at_least)
        return None if snapshot is None else await self._since(Seen(snapshot, viewer), told)

    async def _since(self, seen: Seen, told: int | None) -> Tidings | None:
        """Returns what is new since the version `told`; None if there is no such match any more."""
        match_id, version = seen.snapshot.match_id, seen.snapshot.course.version
        if told == version:
            return Tidings(seen)
        if told is None or not version - _LONGEST_CATCH_UP <= told < version:
            return Tidings(seen, anew=True)
        written = seen.snapshot.entries  # the store has confirmed them, as its header is theirs
        if len(written) == version - told:
            time_ms = seen.snapshot.commit_ms
            return Tidings(seen, tuple(Told(told + place, time_ms, entry) for place, entry in enumerate(written, 1)))
        entries = await self._matches.shared(
            ("log", match_id, told, version), lambda: self._log(match_id, told, version)
        )
        if len(entries) == version - told:
            return Tidings(seen, tuple(entries))
        snapshot = await self._matches.find(match_id)  # the store has lost the end of the log since, or all of it
        return None if snapshot is None else Tidings(Seen(snapshot, seen.viewer), anew=True)

    async def _log(self, match_id: MatchId, start: int, stop: int) -> list[Told]:
        logged = await self._store.log(match_id, start, stop)
        return [Told(start + place + 1, item.time_ms, unpack_entry(item.entry)) for place, item in enumerate(logged)]


def _still_shown(tidings: Tidings | None, principal: Principal, match_id: MatchId) -> Tidings:
    """Returns tidings if the caller may still be told of the match.

    Raises:
        RefereeError: MATCH_NOT_FOUND or NOT_PERMITTED.
    """
    if tidings is None or tidings.seen.snapshot.is_hidden_from(principal):
        raise RefereeError(Reason.MATCH_NOT_FOUND, match_id=match_id)
    snapshot, viewer = tidings.seen.snapshot, tidings.seen.viewer
    if viewer is not None and viewer not in snapshot.seats_of(principal):  # another match of its name, or reseated
        raise RefereeError(Reason.NOT_PERMITTED)
    return tidings


def _is_listed(snapshot: Snapshot, principal: Principal, mine: bool) -> bool:
    """Whether the match that is there now belongs into a listing that was read before."""
    return bool(snapshot.seats_of(principal)) if mine else snapshot.head.visibility == Visibility.PUBLIC


def _answer(change: Change) -> Answer:
    if isinstance(change.answer, RefereeError):
        raise change.answer
    return change.answer
