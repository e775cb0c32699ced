"""How long calls have waited when the service gets to them.

gRPC takes calls in on threads of its own and keeps those that the event loop has no time for yet, first come, first
served. It tells neither how many they are nor how long they have waited. So markers, calls of the server's own, wait
among them: as long as a marker is on its way, whatever is handed over came before it, and has waited at least as long.

A burst may wait, a backlog that stands may not: after a while without a moment at which nothing waited, those that have
waited too long are refused, which costs little, until the first is reached that has not. So waits are bounded in time
however many come, as by CoDel (RFC 8289), in the form for servers that Maurer describes ("Fail at Scale", ACM Queue
13/8, 2015).
"""

import secrets
import time
from collections import deque
from collections.abc import Callable
from typing import Final

PERIOD_S: Final = 0.05  # each costs as much as a call
"""Markers are sent as often, while there are calls; a wait no longer than that is none."""
PATIENCE_S: Final = 1.0
"""So long a backlog may stand."""


class Backlog:
    """Tells whether calls have waited too long.

    Args:
        longest_s: how long they may, while a backlog stands; 0 is for ever.
        clock: seconds, which only grow.

    Attributes:
        method: what markers call, which nobody else can know.
    """

    def __init__(self, longest_s: float, clock: Callable[[], float] = time.monotonic) -> None:
        self.method: Final = f"/{secrets.token_hex(16)}/Mark"
        self._longest_s: Final = longest_s
        self._clock: Final = clock
        self._under_way: Final = deque[float]()  # when each marker was sent
        self._send: Callable[[], None] | None = None
        self._next_s = self._free_s = 0.0  # when the next one is due, and when nothing waited last

    def watch(self, send: Callable[[], None]) -> None:
        """Begins to measure; `send` sends a marker, which has `arrived` later on, or else all are to be forgotten."""
        if self._longest_s:
            self._send = send

    def rest(self) -> None:
        """Measures no more: nothing is late."""
        self._send = None
        self.forget()

    def late(self) -> bool:
        """Whether what is handed over now has waited too long; to be asked for each call and for each move."""
        if self._send is None:
            return False
        now = self._clock()
        if now >= self._next_s:
            self._next_s = now + PERIOD_S
            self._under_way.append(now)
            self._send()
        waited_s = now - self._under_way[0] if self._under_way else 0.0
        if waited_s <= PERIOD_S:
            self._free_s = now
        return waited_s > self._longest_s and now - self._free_s > PATIENCE_S

    def arrived(self) -> None:
        """Notes that the next marker was handed over."""
        if self._under_way:
            self._under_way.popleft()

    def forget(self) -> None:
        """Forgets the markers under way, since one was lost."""
        self._under_way.clear()
