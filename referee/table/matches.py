"""The matches of a store as one replica works on them: read, changed under compare-and-set, told, expired in time."""

import asyncio
import logging
import random
import secrets
from collections import OrderedDict
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass
from itertools import count
from typing import Final, Protocol

from msgspec.structs import replace

from referee.core.errors import Reason, RefereeError
from referee.core.game import AnyGame
from referee.table import transitions
from referee.table.clocks import NO_TERMS, Deadline, Moment
from referee.table.expiry import expire
from referee.table.formats import FORMAT
from referee.table.ids import MatchId, Principal
from referee.table.observer import Observer
from referee.table.presence import Presence, seen_fields, seen_in
from referee.table.readings import Readings
from referee.table.snapshot import Snapshot, Visibility, pack, seen_field, seen_of, unpack
from referee.table.store import Header, Store, Stored, StoreUnavailableError, Untimely, Write
from referee.table.timekeeper import BEAT_S, Timekeeper
from referee.table.transitions import Change

_ATTEMPTS: Final = 16  # at one write; each is lost only because another call got through
_BEATS_A_SWEEP: Final = 2
_LEASE_MS: Final = 2_000
_DUE_AT_ONCE: Final = 64  # of a bucket
_log: Final = logging.getLogger("referee")


class Attendant(Protocol):
    """Somebody who hears what a replica writes for a principal."""

    @property
    def present(self) -> bool:
        """Whether it is the principal's newest; what it alone hears would be lost otherwise."""
        ...

    def hear(self, match_id: MatchId, snapshot: Snapshot | None) -> None:
        """Takes a match that was just written; None if it may have been."""
        ...


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
    cached: int = 16_384


class Matches:
    """See the module. Remembers matches only to save reads: what it says of a match the store has confirmed.

    Attributes:
        games: the rulesets by name.
        limits: how long things are kept.
        time: the store's time.
        presence: who of the callers is there.
    """

    def __init__(self, store: Store, games: Mapping[str, AnyGame], limits: Limits, observer: Observer) -> None:
        self.games: Final = games
        self.limits: Final = limits
        self.time: Final = Timekeeper(store)
        self.presence: Final = Presence(store, self.time)
        self._observer: Final = observer
        self._store: Final = store
        self._write_ids: Final = random.Random(secrets.token_bytes(32))  # noqa: S311 - they are to differ, no more
        self._cache: Final = OrderedDict[MatchId, Snapshot]()
        self.shared: Final = Readings().shared
        self._attending: Final = dict[Principal, list[Attendant]]()
        self._expiring: Final = dict[MatchId, asyncio.Task[None]]()
        self._to_expire: Final = set[MatchId]()

    async def find(self, match_id: MatchId, at_least: int = 0) -> Snapshot | None:
        """Reads a match from the store. Those who were told of the same version share one read."""
        if not at_least:
            return await self._read(match_id)
        return await self.shared(("match", match_id, at_least), lambda: self._read(match_id))

    async def _read(self, match_id: MatchId) -> Snapshot | None:
        stored = await self._store.load(match_id)
        if stored is None:
            self._cache.pop(match_id, None)
            return None
        known = self._cache.get(match_id)
        if known is not None and known.header is not None and known.header.encode() == stored.header:
            return replace(known, seen=seen_of(stored.fields)) if known.seen else known
        return self._remember(unpack(match_id, stored, self.games))

    async def create(self, change: Change) -> Snapshot:
        """Writes a new match; returns it, or the one that is there already.

        Raises:
            RefereeError: CONTENTION, SNAPSHOT_UNREADABLE.
        """
        moment = await self.time.moment()
        written = await self._write(change, None, moment)
        if isinstance(written, Header):
            self._observer.created(change.snapshot.head.ruleset)
            return self._written(change, written, moment)
        if not isinstance(written, Stored):
            raise RefereeError(Reason.CONTENTION)
        return unpack(change.snapshot.match_id, written, self.games)

    async def apply(
        self, match_id: MatchId, missing: Callable[[], RefereeError], transition: Callable[[Snapshot, Moment], Change]
    ) -> Change:
        """Applies a transition to the match until a write gets through.

        It may be tried on a remembered snapshot first, but only an acceptance is worth anything then: compare-and-set
        proves that the snapshot was current. Everything else is decided on what the store holds.
        """
        snapshot, current = self._cache.get(match_id), False
        self._observer.looked_up(snapshot is not None)
        for _ in range(_ATTEMPTS):
            if snapshot is None:
                snapshot, current = await self.find(match_id), True
                if snapshot is None:
                    raise missing()
            moment = await self.time.moment()
            try:
                change = transition(snapshot, moment)
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
            written = await self._write(change, snapshot.header, moment)
            if isinstance(written, Header):
                return replace(change, snapshot=self._written(change, written, moment))
            if isinstance(written, Untimely):
                await self.expire(match_id)
                snapshot = None
                continue
            self._observer.conflicted()
            snapshot, current = written and unpack(match_id, written, self.games), True
        raise RefereeError(Reason.CONTENTION)

    async def expire(self, match_id: MatchId, *, swept: bool = False) -> None:
        """Puts out the seats of a match whose time is up; one that was `swept` without reason is due later.

        Raises:
            StoreUnavailableError: the store does not answer.
            RefereeError: SNAPSHOT_UNREADABLE, CONTENTION.
        """
        for _ in range(_ATTEMPTS):
            moment = await self.time.beat()  # an outage that just ended is known from here on
            snapshot = await self.find(match_id)
            if snapshot is None:
                return
            change = expire(snapshot, moment)
            if change is None:
                self._set_alarm(snapshot, moment)
                if not swept:
                    return
                change = transitions.nothing(snapshot)
            written = await self._write(change, snapshot.header, moment)
            if isinstance(written, Header):
                self._written(change, written, moment)
                return
        raise RefereeError(Reason.CONTENTION)

    async def keep_time(self) -> None:
        """Beats and sweeps until it is cancelled: looks at all matches that are due and that nobody has looked at.

        Before that it notes who is present.
        """
        holder = secrets.token_hex(8)
        for number in count():
            try:
                await self.time.beat()
                await self.presence.keep()
                if number % _BEATS_A_SWEEP == 0:
                    for match_id in await self._store.due(holder, _LEASE_MS, _DUE_AT_ONCE):
                        self._expire_soon(match_id, swept=True)
            except StoreUnavailableError:
                pass  # health tells of it
            except Exception:
                _log.exception("the time stands still, the store answers with an error")
            await asyncio.sleep(BEAT_S)

    @asynccontextmanager
    async def attending(self, principal: Principal, attendant: Attendant) -> AsyncIterator[None]:
        """Lets a principal hear at once of the writes of this table that concern it, instead of through the store."""
        attending = self._attending.setdefault(principal, [])
        attending.append(attendant)
        try:
            yield
        finally:
            attending.remove(attendant)
            if not attending:
                del self._attending[principal]
            with suppress(StoreUnavailableError):  # else whoever follows by now reads all of it a heartbeat later
                await self._store.remind(principal)

    async def _write(
        self, change: Change, expected: Header | None, moment: Moment
    ) -> Header | Stored | Untimely | None:
        snapshot = change.snapshot
        deadline = change.deadline(moment) if snapshot.head.terms != NO_TERMS else None
        principals, summoned = snapshot.principals(), change.summoned()
        attended = [principal for principal in summoned if self._is_attended(principal)]
        seen = seen_fields(snapshot.seen, seen_in(snapshot, moment)) if snapshot.head.terms.grace_ms else {}
        if any(seen.values()):
            await self._store.enrol(snapshot.match_id, principals, snapshot.head.terms.grace_ms)
        write = Write(
            match_id=snapshot.match_id,
            expected=expected,
            write_id=self._write_ids.randbytes(8),
            fields=(change.fields if expected is None or expected.format == FORMAT else snapshot.packed()) | seen,
            entries=[pack(entry) for entry in change.entries],
            version=snapshot.course.version,
            principals=principals,
            lifetime_ms=self._lifetime_ms(snapshot, deadline, moment),
            summoned=[principal for principal in summoned if principal not in attended],
            over=snapshot.over,
            not_after_ms=change.not_after_ms,
            deadline=deadline,
            listed=snapshot.head.visibility == Visibility.PUBLIC,
            standing={seen_field(absent): str(snapshot.seen.get(absent, "")).encode() for absent in change.absent},
        )
        with self._observer.span("write") as span:
            span.note(match_id=snapshot.match_id)
            try:
                written = await self._store.write(write)
                for principal in attended:
                    if not self._is_attended(principal):  # any more; it may be at another replica already
                        await self._store.remind(principal)
            except BaseException:  # also when the caller goes away
                self._tell(change, None)
                raise
        if snapshot.over and snapshot.seen and isinstance(written, Header):
            with suppress(StoreUnavailableError):  # else whoever comes back finds that nobody asks any more
                await self._store.dismiss(snapshot.match_id, principals, snapshot.head.terms.grace_ms)
        return written

    def _is_attended(self, principal: Principal) -> bool:
        return any(attendant.present for attendant in self._attending.get(principal, ()))

    def _lifetime_ms(self, snapshot: Snapshot, deadline: Deadline | None, moment: Moment) -> int:
        """Returns how long a match is kept, which is longer than its clocks run."""
        if snapshot.over:
            return self.limits.retention_ms
        return self.limits.idle_ms + (deadline.left_ms(moment.now_ms) if deadline else 0)

    def _written(self, change: Change, header: Header, moment: Moment) -> Snapshot:
        seen = seen_in(change.snapshot, moment)
        snapshot = self._remember(replace(change.snapshot, header=header, seen=seen, entries=change.entries))
        self._tell(change, snapshot)
        self._set_alarm(snapshot, moment)
        if snapshot.over and change.entries:
            self._observer.finished(
                snapshot.head.ruleset, snapshot.course.end.reason if snapshot.course.end else "ABORTED"
            )
        return snapshot

    def _set_alarm(self, snapshot: Snapshot, moment: Moment) -> None:
        if snapshot.head.terms != NO_TERMS:
            self.time.set_alarm(snapshot.match_id, snapshot.next_deadline_ms(moment), self._expire_soon)

    def _expire_soon(self, match_id: MatchId, *, swept: bool = False) -> None:
        if match_id in self._expiring:
            self._to_expire.add(match_id)  # what is under way may have looked too early
            return
        task = self._expiring[match_id] = asyncio.create_task(self._expire_or_log(match_id, swept))
        task.add_done_callback(lambda _: self._expired(match_id))

    def _expired(self, match_id: MatchId) -> None:
        del self._expiring[match_id]
        if match_id in self._to_expire:
            self._to_expire.remove(match_id)
            self._expire_soon(match_id)

    async def _expire_or_log(self, match_id: MatchId, swept: bool) -> None:
        try:
            await self.expire(match_id, swept=swept)
        except (StoreUnavailableError, RefereeError) as error:  # whoever sweeps next tries again
            _log.warning("match %s is due and cannot be looked at now: %s", match_id, error)

    def _tell(self, change: Change, snapshot: Snapshot | None) -> None:
        if not self._attending:
            return
        for principal in change.summoned():
            for attendant in self._attending.get(principal, ()):
                attendant.hear(change.snapshot.match_id, snapshot)

    def _remember(self, snapshot: Snapshot) -> Snapshot:
        self._cache[snapshot.match_id] = snapshot
        self._cache.move_to_end(snapshot.match_id)
        if len(self._cache) > self.limits.cached:
            self._cache.popitem(last=False)
        return snapshot
