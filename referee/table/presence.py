"""Whose staying away may cost a seat, and that they are there.

A match with a grace keeps for each holder of a seat when it was last seen, in a field that the store stamps. Which
callers that concerns is on a roll, which every replica follows; for all others a replica does nothing.
"""

import asyncio
import math
import time
from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Final

from referee.table.clocks import Moment, signs_every_ms
from referee.table.ids import MatchId, Principal
from referee.table.readings import Readings
from referee.table.snapshot import Snapshot, Status, seen_field
from referee.table.store import Store, StoreUnavailableError
from referee.table.timekeeper import Timekeeper

_FRESH_S: Final = 0.5  # less than what signs of life may be late
_WHOLE_S: Final = 600.0  # after this long all of the roll is read, to forget whom others have taken from it
_WRITTEN_S: Final = 60.0  # a match is written by then, or never, whose players are on the roll


def seen_in(snapshot: Snapshot, moment: Moment) -> Mapping[Principal, int]:
    """Returns when those whose signs of life count in a match were last seen; whoever is new, at this moment."""
    if not snapshot.head.terms.grace_ms or snapshot.course.status != Status.ACTIVE:
        return {}
    seats = zip(snapshot.head.seats, snapshot.course.seats, strict=True)
    holders = (Principal(head.principal) for head, fares in seats if head.principal is not None and not fares.cause)
    return {holder: snapshot.seen.get(holder, moment.now_ms) for holder in holders}


def seen_fields(before: Mapping[Principal, int], after: Mapping[Principal, int]) -> dict[str, bytes]:
    """Returns the stored fields of those who are new, and, empty, of those who have left."""
    new = {seen_field(holder): str(seen_ms).encode() for holder, seen_ms in after.items() if holder not in before}
    return new | {seen_field(holder): b"" for holder in before if holder not in after}


@dataclass(slots=True)
class _Counted:
    """A match that counts signs of life of a principal.

    Attributes:
        grace_ms: how long it may be away.
        known_s: since when this replica knows of it.
        due_ms: when a sign of life is to be noted again.
    """

    grace_ms: int
    known_s: float
    due_ms: int = 0


class Presence:
    """Notes signs of life of a replica's callers where they count."""

    def __init__(self, store: Store, timekeeper: Timekeeper) -> None:
        self._store: Final = store
        self._time: Final = timekeeper
        self._there: Final = Counter[Principal]()
        self._left = set[Principal]()
        self._reading: Final = Readings()
        self._roll = dict[Principal, dict[MatchId, _Counted]]()
        self._place = 0  # how far the roll is read
        self._read_s = self._whole_s = -math.inf  # when it was read last, and when all of it

    async def sign(self, principal: Principal) -> None:
        """Notes that a principal is there, before it is told anything.

        Raises:
            StoreUnavailableError: the store does not answer.
        """
        for _ in range(2):  # what is being read when it comes may be old by the time that it is there
            if not self._is_fresh():
                await self._follow()
        if counted := self._roll.get(principal):
            now_ms = (await self._time.moment()).now_ms
            due = [(match_id, match) for match_id, match in counted.items() if now_ms >= match.due_ms]
            await asyncio.gather(*(self._note(principal, match_id, match, now_ms) for match_id, match in due))

    def note(self, principal: Principal) -> None:
        """Takes a principal for present at this moment, without waiting for the store; `keep` writes it down."""
        if principal in self._roll:
            self._left.add(principal)

    @contextmanager
    def staying(self, principal: Principal | None) -> Iterator[None]:
        """Takes a principal for present while a stream of it is open; `keep` notes it."""
        if principal is None:
            yield
            return
        self._there[principal] += 1
        try:
            yield
        finally:
            self._there[principal] -= 1
            if not self._there[principal]:
                del self._there[principal]
            self._left.add(principal)

    async def keep(self) -> None:
        """Follows the roll, and notes all who are present; to be called again and again.

        Raises:
            StoreUnavailableError: the store does not answer.
        """
        await self._follow()
        left = self._left.copy()
        await asyncio.gather(
            *(self.sign(principal) for principal in left.union(self._there) if principal in self._roll)
        )
        self._left -= left

    def _is_fresh(self) -> bool:
        return time.monotonic() - self._read_s <= _FRESH_S

    async def _follow(self) -> None:
        """Reads what is new on the roll, once for all who need it meanwhile, as long as the store may take."""
        await self._reading.shared(("roll",), self._read)

    async def _read(self) -> None:
        now_s, before = time.monotonic(), self._roll
        whole = now_s - self._whole_s >= _WHOLE_S
        try:
            found = await self._store.roll(0 if whole else self._place)
        except StoreUnavailableError:
            self._whole_s = -math.inf  # it may have lost some of it
            raise
        self._read_s = now_s
        if whole:
            self._whole_s, self._place, self._roll = now_s, 0, {}
        for place, enrolled in found:
            known = before.get(enrolled.principal, {}).get(enrolled.match_id)
            counted = self._roll.setdefault(enrolled.principal, {})
            counted[enrolled.match_id] = known or _Counted(enrolled.grace_ms, now_s)
            self._place = max(self._place, place)

    async def _note(self, principal: Principal, match_id: MatchId, match: _Counted, now_ms: int) -> None:
        if await self._store.stamp(match_id, seen_field(principal)):
            match.due_ms = now_ms + signs_every_ms(match.grace_ms)
        elif time.monotonic() - match.known_s > _WRITTEN_S:
            self._roll[principal].pop(match_id, None)
            await self._store.dismiss(match_id, [principal], match.grace_ms)
