"""The store's time as a replica knows it, and alarms at such times."""

import asyncio
import time
from collections.abc import Callable
from itertools import count
from typing import Final

from referee.table.clocks import Moment, Outage
from referee.table.ids import MatchId
from referee.table.store import Store, StoreUnavailableError

BEAT_S: Final = 0.25
_OUTAGE_MS: Final = 2_500  # without a beat of any replica; some beats come late on a busy machine
_ABSENCE_MS: Final = 600  # likewise where this one begins, or comes back to its store: was any other at work?
_RETURN_MS: Final = 5_000  # what clients have for coming back, before time goes on


class Timekeeper:
    """Follows the store's clock from beat to beat; what this machine's clock shows does not matter."""

    def __init__(self, store: Store) -> None:
        self._store: Final = store
        self._alarms: Final = dict[MatchId, asyncio.TimerHandle]()
        self._numbers: Final = count(1)
        self._newest = 0  # the number of the beat that all of this is from
        self._sent_s = 0.0
        self._skew_ms = 0.0
        self._in_touch = False
        self._outages = tuple[Outage, ...]()
        self._over = False

    async def beat(self) -> Moment:
        """Tells the store that this replica is at work, and reads its clock.

        Raises:
            StoreUnavailableError: it does not answer.
        """
        number, sent_s = next(self._numbers), time.time()
        try:
            now_ms, outages = await self._store.beat(_OUTAGE_MS if self._in_touch else _ABSENCE_MS)
        except StoreUnavailableError:
            self._in_touch = False
            raise
        self._in_touch = True
        outages = tuple((start, end + _RETURN_MS) for start, end in outages)
        if number > self._newest:
            self._newest, self._sent_s, self._outages = number, sent_s, outages
            self._skew_ms = now_ms - sent_s * 1000  # or less: so it is never too early, however slow the answer was
        return Moment(now_ms, outages)

    async def moment(self) -> Moment:
        """Returns what time it is, or a little later than that, and all outages that are over.

        While replicas beat there are none; so who has beaten lately knows them all.

        Raises:
            StoreUnavailableError: it has not, and the store does not answer.
        """
        if 0 <= (time.time() - self._sent_s) * 1000 < _ABSENCE_MS:
            return Moment(self._now_ms(), self._outages)
        return await self.beat()

    def set_alarm(self, match_id: MatchId, at_ms: int | None, ring: Callable[[MatchId], None]) -> None:
        """Calls `ring` just after a time, instead of at the time set before for the same match; at None never."""
        alarm = self._alarms.pop(match_id, None)
        if alarm is not None:
            alarm.cancel()
        if at_ms is not None and not self._over:
            wait_s = max(0, at_ms + 1 - self._now_ms()) / 1000
            loop = asyncio.get_running_loop()
            self._alarms[match_id] = loop.call_later(wait_s, self._ring, match_id, ring)

    def cancel(self) -> None:
        """Cancels all alarms; none is set any more."""
        self._over = True
        for alarm in self._alarms.values():
            alarm.cancel()
        self._alarms.clear()

    def _now_ms(self) -> int:
        return int(time.time() * 1000 + self._skew_ms)

    def _ring(self, match_id: MatchId, ring: Callable[[MatchId], None]) -> None:
        del self._alarms[match_id]
        ring(match_id)
