"""The use cases: load a match, apply a transition, write it back under compare-and-set."""

import asyncio
import logging
import secrets
from collections import OrderedDict
from collections.abc import AsyncIterator, Callable, Coroutine, Mapping, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager, suppress
from dataclasses import dataclass, replace
from typing import Any, Final, TypeVar

from referee.core.errors import InvalidOptionError, Reason, RefereeError
from referee.core.game import AnyGame, Options
from referee.core.seeding import SEED_BYTES, commitment
from referee.table import transitions
from referee.table.clocks import Terms
from referee.table.ids import MatchId, Principal, match_id_of
from referee.table.snapshot import (
    Course,
    Entry,
    Head,
    SeatCourse,
    SeatHead,
    Snapshot,
    Status,
    pack,
    unpack,
    unpack_entry,
)
from referee.table.store import Header, Listed, Store, Stored, StoreUnavailableError, Summons, Untimely, Write
from referee.table.timekeeper import BEAT_S, Timekeeper
from referee.table.transitions import Answer, Change, Choice

_ATTEMPTS: Final = 16  # at one write; each is lost only because another call got through
_LONGEST_CATCH_UP: Final = 64  # log entries that a watcher is told one by one
_SCANNED: Final = 400  # places of the listing that one page may look at
_LOOKED_AT_ONCE: Final = 50
_LEASE_MS: Final = 2_000
_DUE_AT_ONCE: Final = 64  # of a bucket
_NO_TERMS: Final = Terms()
_log: Final = logging.getLogger("referee")
ReadT = TypeVar("ReadT")
Hear = Callable[[MatchId, Snapshot | None], None]
"""Takes a match that was just written; None if it may have been."""


@dataclass(frozen=True, slots=True)
class Limits:
    """How long things are kept.

    Attributes:
        idle_ms: a match that nobody moves in, from its last change.
        retention_ms: a finished match, from its end.
        heartbeat_s: between two signs of life to a watcher.
        cached: matches that a replica remembers to save a read.
    """

    idle_ms: int = 7 * 24 * 3600 * 1000
    retention_ms: int = 7 * 24 * 3600 * 1000
    heartbeat_s: float = 15.0
    cached: int = 4096


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

    With neither it is a heartbeat.
    """

    seen: Seen
    entries: tuple[Told, ...] = ()
    anew: bool = False


@dataclass(frozen=True, slots=True)
class Creation:
    """What a host asks for: `seats` with the host's choice of principals, `options` as given."""

    ruleset: str
    options: Options
    seats: tuple[SeatHead, ...]
    seed: bytes | None
    on_release: bool
    deal_group: str
    terms: Terms = _NO_TERMS


class Table:
    """All that can be done with matches. Holds no truth of its own, so that any number of them may share a store."""

    def __init__(self, store: Store, games: Mapping[str, AnyGame], limits: Limits | None = None) -> None:
        self.games: Final = games
        self.limits: Final = limits or Limits()
        self._store: Final = store
        self._cache: Final = OrderedDict[MatchId, Snapshot]()
        self.time: Final = Timekeeper(store)
        self._expiring: Final = dict[MatchId, asyncio.Task[None]]()
        self._attending: Final = dict[Principal, list[Hear]]()
        self._reading: Final = dict[tuple[MatchId, int, int], asyncio.Task[Any]]()

    async def create(self, host: Principal, request_id: str, creation: Creation) -> Snapshot:
        """Creates and deals a match, or finds the one that the same request made before.

        Raises:
            RefereeError: UNKNOWN_RULESET, SEAT_COUNT, INVALID_OPTION or REQUEST_ID_REUSED.
        """
        match_id = match_id_of(host, request_id)
        fresh = self._deal(match_id, host, creation)
        change = transitions.create(fresh)
        written = await self._write(change, None)
        if isinstance(written, Header):
            return self._written(change, written)
        if not isinstance(written, Stored):
            raise RefereeError(Reason.CONTENTION)
        found = unpack(match_id, written, self.games)
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
        missing = RefereeError(Reason.MATCH_NOT_FOUND, match_id=match_id)
        change = await self._apply(
            match_id,
            missing,
            lambda match: transitions.join(match, principal, request_id, seat, display_name, entrant),
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
    ) -> tuple[Answer, Snapshot]:
        """Plays moves; returns the answer and the match as it is now.

        Raises:
            RefereeError: as `transitions.submit`.
        """
        change = await self._apply(
            match_id,
            RefereeError(Reason.NOT_PERMITTED),
            lambda match: transitions.submit(match, principal, request_id, seat, decision, choices, self.time.moment()),
        )
        return _answer(change), change.snapshot

    async def resign(self, principal: Principal, match_id: MatchId, request_id: str, seat: int | None) -> Answer:
        """Takes a seat out of the competition.

        Raises:
            RefereeError: as `transitions.resign`.
        """
        missing = RefereeError(Reason.NOT_PERMITTED)
        return _answer(
            await self._apply(
                match_id,
                missing,
                lambda match: transitions.resign(match, principal, request_id, seat, self.time.moment()),
            )
        )

    async def release(self, principal: Principal, match_id: MatchId, request_id: str) -> None:
        """Lets the record of a finished match be read.

        Raises:
            RefereeError: as `transitions.release`.
        """
        missing = RefereeError(Reason.NOT_PERMITTED)
        _answer(await self._apply(match_id, missing, lambda match: transitions.release(match, principal, request_id)))

    async def get(self, principal: Principal, match_id: MatchId, seat: int | None) -> Seen:
        """Reads a match through the eyes of one of the caller's seats, or of the public.

        Raises:
            RefereeError: MATCH_NOT_FOUND, NOT_PERMITTED or SEAT_REQUIRED.
        """
        snapshot = await self._current(match_id)
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
            told, seen = after, await self.get(principal, match_id, seat)
            while True:
                version = seen.snapshot.course.version
                if told is None or not version - _LONGEST_CATCH_UP <= told <= version:
                    yield Tidings(seen, anew=True)
                elif told < version:
                    yield await self._tidings(seen, told)
                told = version
                if seen.snapshot.course.status == Status.FINISHED:
                    return
                news = await changes.wait(self.limits.heartbeat_s)
                snapshot = await self._current(match_id, at_least=changes.version if news else 0)
                if snapshot is None:
                    raise RefereeError(Reason.MATCH_NOT_FOUND, match_id=match_id)
                seen = Seen(snapshot, seen.viewer)
                if not news and snapshot.course.version == told:
                    yield Tidings(seen)

    async def record(self, match_id: MatchId) -> tuple[Snapshot, list[Told]]:
        """Reads a finished match with its whole log.

        Raises:
            RefereeError: MATCH_NOT_FOUND, MATCH_NOT_OVER or NOT_DISCLOSED.
        """
        snapshot = await self._current(match_id)
        if snapshot is None:
            raise RefereeError(Reason.MATCH_NOT_FOUND, match_id=match_id)
        if snapshot.course.status != Status.FINISHED:
            raise RefereeError(Reason.MATCH_NOT_OVER)
        if snapshot.head.on_release and not snapshot.course.released:
            raise RefereeError(Reason.NOT_DISCLOSED, match_id=match_id)
        return snapshot, await self._log(match_id, 0, snapshot.course.version)

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

        A page ends early when many unwanted matches had to be looked at.
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
                if snapshot is not None and wanted(snapshot):
                    found.append(snapshot)
                if len(found) == count:
                    return found, place if more or place != places[-1] else None
            looked += len(places)
            if not more:
                return found, None
            if looked >= _SCANNED:
                return found, after

    async def expire(self, match_id: MatchId) -> None:
        """Puts out the seats of a match whose time is up.

        Raises:
            StoreUnavailableError: the store does not answer.
            RefereeError: SNAPSHOT_UNREADABLE, CONTENTION.
        """
        for _ in range(_ATTEMPTS):
            moment = await self.time.beat()  # an outage that just ended is known from here on
            snapshot = await self._current(match_id)
            if snapshot is None:
                return
            change = transitions.expire(snapshot, moment)
            if change is None:
                self._set_alarm(snapshot)
                return
            written = await self._write(change, snapshot.header)
            if isinstance(written, Header):
                self._written(change, written)
                return
        raise RefereeError(Reason.CONTENTION)

    async def keep_time(self) -> None:
        """Beats and sweeps until it is cancelled: looks at all matches that are due and that nobody has looked at."""
        holder = secrets.token_hex(8)
        while True:
            try:
                await self.time.beat()
                for match_id in await self._store.due(holder, _LEASE_MS, _DUE_AT_ONCE):
                    self._expire_soon(match_id)
            except StoreUnavailableError as error:
                _log.warning("the time stands still, the store does not answer: %s", error)
            await asyncio.sleep(BEAT_S)

    async def load(self, match_id: MatchId) -> Snapshot | None:
        """Returns a match as the store holds it; None if there is none that this version of the service can read."""
        try:
            return await self._read(match_id)
        except RefereeError:
            return None

    async def unfinished(self, principal: Principal) -> list[MatchId]:
        """Returns the matches in which a principal holds a seat and that have not ended; some may be gone."""
        return await self._store.unfinished(principal)

    def summons(self, principal: Principal) -> AbstractAsyncContextManager[Summons]:
        """Follows the notifications of a principal; whoever followed them before is superseded."""
        return self._store.summons(principal)

    @asynccontextmanager
    async def attending(self, principal: Principal, hear: Hear) -> AsyncIterator[None]:
        """Lets a principal hear at once of the writes of this table that concern it, instead of through the store."""
        attending = self._attending.setdefault(principal, [])
        attending.append(hear)
        try:
            yield
        finally:
            attending.remove(hear)
            if not attending:
                del self._attending[principal]
            with suppress(StoreUnavailableError):  # else whoever follows by now reads all of it a heartbeat later
                await self._store.remind(principal)

    async def ping(self) -> None:
        """Returns if the store answers.

        Raises:
            StoreUnavailableError: it does not.
        """
        await self._store.ping()

    def _deal(self, match_id: MatchId, host: Principal, creation: Creation) -> Snapshot:
        game = self.games.get(creation.ruleset)
        if game is None:
            raise RefereeError(Reason.UNKNOWN_RULESET, ruleset=creation.ruleset, known=", ".join(self.games))
        spec, seats = game.spec, len(creation.seats)
        if seats not in spec.seats:
            least, most = min(spec.seats), max(spec.seats)
            raise RefereeError(Reason.SEAT_COUNT, ruleset=spec.name, seats=seats, min_seats=least, max_seats=most)
        try:
            options = game.options(creation.options, seats)
        except InvalidOptionError as error:
            raise RefereeError(Reason.INVALID_OPTION, option=error.option, problem=error.problem) from None
        seed = creation.seed or secrets.token_bytes(SEED_BYTES)
        state = game.setup(options, seats, seed)
        head = Head(
            ruleset=spec.name,
            rules_version=spec.rules_version,
            data_version=spec.data_version,
            data_digest=spec.data_digest,
            options=dict(options),
            seats=creation.seats,
            seed=seed,
            seed_given=creation.seed is not None,
            commitment=commitment(match_id, seed),
            host=host,
            on_release=creation.on_release,
            deal_group=creation.deal_group,
            request=transitions.digest_of(
                spec.name,
                sorted(creation.options.items()),
                creation.seats,
                creation.seed,
                creation.on_release,
                creation.deal_group,
                creation.terms,
            ),
            terms=creation.terms,
        )
        course = Course(
            Status.WAITING,
            0,
            (SeatCourse(bank_ms=creation.terms.bank_ms),) * seats,
            released=False,
            end=None,
            state=game.encode(state),
        )
        return Snapshot(match_id, None, head, course, {}, game, state)

    async def _apply(
        self, match_id: MatchId, missing: RefereeError, transition: Callable[[Snapshot], Change]
    ) -> Change:
        """Applies a transition to the match until a write gets through.

        It may be tried on a remembered snapshot first, but only an acceptance is worth anything then: compare-and-set
        proves that the snapshot was current. Everything else is decided on what the store holds.
        """
        snapshot, current = self._cache.get(match_id), False
        for _ in range(_ATTEMPTS):
            if snapshot is None:
                snapshot, current = await self._current(match_id), True
                if snapshot is None:
                    raise missing
            try:
                change = transition(snapshot)
            except RefereeError:
                if current:
                    raise
                snapshot = None
                continue
            if not current and not change.entries:
                snapshot = None
                continue
            if not change.fields:
                return change
            written = await self._write(change, snapshot.header)
            if isinstance(written, Header):
                return replace(change, snapshot=self._written(change, written))
            if isinstance(written, Untimely):
                await self.expire(match_id)
                snapshot = None
                continue
            snapshot, current = written and unpack(match_id, written, self.games), True
            if snapshot is None:
                raise missing
        raise RefereeError(Reason.CONTENTION)

    async def _write(self, change: Change, expected: Header | None) -> Header | Stored | Untimely | None:
        snapshot = change.snapshot
        finished = snapshot.course.status == Status.FINISHED
        write = Write(
            match_id=snapshot.match_id,
            expected=expected,
            write_id=secrets.token_bytes(8),
            fields=change.fields,
            entries=[pack(entry) for entry in change.entries],
            version=snapshot.course.version,
            principals=snapshot.principals(),
            lifetime_ms=self.limits.retention_ms if finished else self.limits.idle_ms,
            summoned=[principal for principal in change.summoned() if principal not in self._attending],
            over=finished,
            not_after_ms=change.not_after_ms,
            deadline=change.deadline(self.time.moment()) if snapshot.head.terms != _NO_TERMS else None,
        )
        try:
            return await self._store.write(write)
        except BaseException:  # also when the caller goes away
            self._tell(change, None)
            raise

    def _written(self, change: Change, header: Header) -> Snapshot:
        snapshot = self._remember(replace(change.snapshot, header=header))
        self._tell(change, snapshot)
        self._set_alarm(snapshot)
        return snapshot

    def _set_alarm(self, snapshot: Snapshot) -> None:
        if snapshot.head.terms != _NO_TERMS:
            deadline_ms = snapshot.next_deadline_ms(self.time.moment())
            self.time.set_alarm(snapshot.match_id, deadline_ms, self._expire_soon)

    def _expire_soon(self, match_id: MatchId) -> None:
        if match_id not in self._expiring:
            task = self._expiring[match_id] = asyncio.create_task(self._expire_or_log(match_id))
            task.add_done_callback(lambda _: self._expiring.pop(match_id))

    async def _expire_or_log(self, match_id: MatchId) -> None:
        try:
            await self.expire(match_id)
        except (StoreUnavailableError, RefereeError) as error:  # whoever sweeps next tries again
            _log.warning("match %s is due and cannot be looked at now: %s", match_id, error)

    def _tell(self, change: Change, snapshot: Snapshot | None) -> None:
        for principal in change.summoned():
            for hear in self._attending.get(principal, ()):
                hear(change.snapshot.match_id, snapshot)

    async def _current(self, match_id: MatchId, at_least: int = 0) -> Snapshot | None:
        """Reads a match from the store. Those who were told of the same version share one read."""
        if not at_least:
            return await self._read(match_id)
        return await self._shared((match_id, 0, at_least), lambda: self._read(match_id))

    async def _shared(self, key: tuple[MatchId, int, int], read: Callable[[], Coroutine[Any, Any, ReadT]]) -> ReadT:
        task = self._reading.get(key)
        if task is None:
            task = self._reading[key] = asyncio.create_task(read())
            task.add_done_callback(lambda _: self._reading.pop(key))
        shared: ReadT = await asyncio.shield(task)
        return shared

    async def _read(self, match_id: MatchId) -> Snapshot | None:
        stored = await self._store.load(match_id)
        if stored is None:
            self._cache.pop(match_id, None)
            return None
        known = self._cache.get(match_id)
        if known is not None and known.header is not None and known.header.encode() == stored.header:
            return known
        return self._remember(unpack(match_id, stored, self.games))

    async def _tidings(self, seen: Seen, told: int) -> Tidings:
        match_id, version = seen.snapshot.match_id, seen.snapshot.course.version
        entries = await self._shared((match_id, told + 1, version), lambda: self._log(match_id, told, version))
        return Tidings(seen, tuple(entries))

    async def _log(self, match_id: MatchId, start: int, stop: int) -> list[Told]:
        logged = await self._store.log(match_id, start, stop)
        if len(logged) != stop - start:
            raise RefereeError(Reason.MATCH_NOT_FOUND, match_id=match_id)  # it expired meanwhile
        return [Told(start + place + 1, item.time_ms, unpack_entry(item.entry)) for place, item in enumerate(logged)]

    def _remember(self, snapshot: Snapshot) -> Snapshot:
        self._cache[snapshot.match_id] = snapshot
        self._cache.move_to_end(snapshot.match_id)
        if len(self._cache) > self.limits.cached:
            self._cache.popitem(last=False)
        return snapshot


def _answer(change: Change) -> Answer:
    if isinstance(change.answer, RefereeError):
        raise change.answer
    return change.answer
