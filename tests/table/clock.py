"""The store's clock, and those of the replicas' machines, as a test sets them."""

from collections.abc import Callable
from dataclasses import dataclass
from types import SimpleNamespace

import pytest

from referee.table import timekeeper
from referee.table.table import Table
from tests.table.sitting import START_MS

_BEAT_MS = 250


@dataclass
class Clock:
    """A store's clock that stands still until it is told to go on."""

    now_ms: int = START_MS

    def __call__(self) -> int:
        return self.now_ms

    async def goes_on(self, ms: int, *at_work: Table) -> None:
        """Lets time pass, in which some replicas beat as they do."""
        until = self.now_ms + ms
        while self.now_ms < until:
            self.now_ms = min(until, self.now_ms + _BEAT_MS)
            for table in at_work:
                await table.time.beat()


def machines_show(monkeypatch: pytest.MonkeyPatch, time_s: Callable[[], float]) -> None:
    """Sets the clocks of the replicas' machines."""
    monkeypatch.setattr(timekeeper, "time", SimpleNamespace(time=time_s))
