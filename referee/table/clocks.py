"""How long a seat may think, and when its time is up. All times are ms since 1970 by the store's clock.

A question is asked by the commit that makes it, and answered by the commit of the answer. What falls into an outage of
the service is charged to nobody.
"""

from collections.abc import Iterable, Iterator
from typing import Final, NamedTuple

import msgspec

Outage = tuple[int, int]
"""From when to when no replica was at work, or clients were still coming back."""

FULLEST_MS: Final = 2**31
"""What a bank holds at most."""

_SIGNS_MS: Final = 500, 60_000


class Terms(msgspec.Struct, array_like=True, frozen=True, gc=False):
    """What a match asks of its seats; 0 stands for no limit, and -1 for any number of illegal moves.

    Attributes:
        move_ms: for each move.
        bank_ms: for all moves together, at first.
        increment_ms: added to the bank after each answer.
        margin_ms: for the way of each question and answer, charged to nobody.
        join_ms: for taking an open seat, from the creation on.
        illegal_moves: how many are borne; the next one puts the seat out.
        grace_ms: for being away while the seat is asked.
    """

    move_ms: int = 0
    bank_ms: int = 0
    increment_ms: int = 0
    margin_ms: int = 0
    join_ms: int = 0
    illegal_moves: int = -1
    grace_ms: int = 0

    @property
    def timed(self) -> bool:
        """Whether seats have clocks."""
        return bool(self.move_ms or self.bank_ms)

    def allowance_ms(self, bank_ms: int) -> int:
        """Returns how long a seat with so much in its bank may take for one answer, margin included."""
        limits = [self.move_ms] if self.move_ms else []
        return min(limits + ([bank_ms] if self.bank_ms else [])) + self.margin_ms

    @property
    def absence_ms(self) -> int:
        """How long after the newest sign that is noted a seat goes out: never in the grace of a later one."""
        return self.grace_ms + 2 * signs_every_ms(self.grace_ms)

    def charged(self, bank_ms: int, taken_ms: int) -> int:
        """Returns what is in a bank after an answer that took so long."""
        left_ms = max(0, bank_ms - max(0, taken_ms - self.margin_ms))
        return min(FULLEST_MS, left_ms + self.increment_ms)


def signs_every_ms(grace_ms: int) -> int:
    """Returns how often signs of life are noted."""
    shortest, longest = _SIGNS_MS
    return min(max(grace_ms // 8, shortest), longest)


NO_TERMS: Final = Terms()


class Moment(NamedTuple):
    """What a replica knows of the time: about what it is, and the outages there were, in their order."""

    now_ms: int = 0
    outages: tuple[Outage, ...] = ()

    def between(self, since_ms: int, until_ms: int) -> int:
        """Returns how long it was from one time to another, outages left out."""
        away = (max(0, min(end, until_ms) - start) for start, end in self._outages_after(since_ms))
        return until_ms - since_ms - sum(away)

    def after(self, since_ms: int, allowance_ms: int) -> int:
        """Returns when so much time has passed, outages left out."""
        at = since_ms + allowance_ms
        for start, end in self._outages_after(since_ms):
            if start < at:
                at += end - start
        return at

    def _outages_after(self, since_ms: int) -> Iterator[Outage]:
        """Yields the outages, or what of them is after a time; what two of them share comes once."""
        for start, end in self.outages:
            if end > since_ms:
                yield max(start, since_ms), end
                since_ms = end


class Deadline(NamedTuple):
    """When a match must be looked at: at a time, or so long after the write that says so; the earlier one counts."""

    at_ms: int | None = None
    after_ms: int | None = None

    def left_ms(self, now_ms: int) -> int:
        """Returns how long it is until then; 0 if it is over, or if there is none."""
        waits = ([] if self.at_ms is None else [self.at_ms - now_ms]) + (
            [] if self.after_ms is None else [self.after_ms]
        )
        return max(0, min(waits, default=0))


def earliest(deadlines: Iterable[Deadline]) -> Deadline:
    """Returns the earlier of both kinds."""
    found = list(deadlines)
    at = [deadline.at_ms for deadline in found if deadline.at_ms is not None]
    after = [deadline.after_ms for deadline in found if deadline.after_ms is not None]
    return Deadline(min(at, default=None), min(after, default=None))
