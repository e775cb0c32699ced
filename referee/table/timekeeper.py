"""The store's time as a replica knows it, and alarms at such times."""

import asyncio
import time
from collections.abc import Callable
from typing import Final

from referee.table.clocks import Moment
from referee.table.ids import MatchId
from referee.table.store import Store

BEAT_S: Final = 0.5
_OUTAGE_MS: Final = 2_500  # without a beat of any replica; some beats come late on a busy machine


class Timekeeper:
    """Follows the store's clock from beat to beat.

    Attributes:
        outages: those that the store knew of at the last beat.
        skew_ms: how far this machine's clock is behind the store's.
    """

    def __init__(self, store: Store) -> None:
        self._store: Final = store
        self._alarms: Final = dict[MatchId, asyncio.TimerHandle]()
        self.outages = Moment().outages
        self.skew_ms = 0.0

    async def beat(self) -> Moment:
        """Tells the store that this replica is at work, and reads its clock.

        Raises:
            StoreUnavailableError: it does not answer.
        """
        before = time.time()
        now_ms, self.outages = await self._store.beat(_OUTAGE_MS)
        self.skew_ms = now_ms - (before + time.time()) / 2 * 1000
        return Moment(now_ms, self.outages)

    def moment(self) -> Moment:
        """Returns what time it is, about, and the outages known here."""
        return Moment(int(time.time() * 1000 + self.skew_ms), self.outages)

    def set_alarm(self, match_id: MatchId, at_ms: int | None, ring: Callable[[MatchId], None]) -> None:
        """Calls `ring` just after a time, instead of at the time set before for the same match; at None never."""
        alarm = self._alarms.pop(match_id, None)
        if alarm is not None:
            alarm.cancel()
        if at_ms is not None:
            wait_s = max(0, at_ms + 1 - self.moment().now_ms) / 1000
            loop = asyncio.get_running_loop()
            self._alarms[match_id] = loop.call_later(wait_s, self._ring, match_id, ring)

    def cancel(self) -> None:
        """Cancels all alarms."""
        for alarm in self._alarms.values():
            alarm.cancel()
        self._alarms.clear()

    def _ring(self, match_id: MatchId, ring: Callable[[MatchId], None]) -> None:
        del self._alarms[match_id]
        ring(match_id)
