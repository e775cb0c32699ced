"""How long a seat may think, and when its time is up. All times are ms since 1970 by the store's clock.

A question is asked by the commit that makes it, and answered by the commit of the answer. What falls into an outage of
the service is charged to nobody.
"""

from collections.abc import Iterable
from typing import Final, NamedTuple

import msgspec

Outage = tuple[int, int]
"""From when to when no replica could do anything."""


class Terms(msgspec.Struct, array_like=True, frozen=True):
    """What a match asks of its seats; 0 stands for no limit, and -1 for any number of illegal moves.

    Attributes:
        move_ms: for each move.
        bank_ms: for all moves together, at first.
        increment_ms: added to the bank after each answer.
        margin_ms: for the way of each question and answer, charged to nobody.
        join_ms: for taking an open seat, from the creation on.
        illegal_moves: how many are borne; the next one puts the seat out.
    """

    move_ms: int = 0
    bank_ms: int = 0
    increment_ms: int = 0
    margin_ms: int = 0
    join_ms: int = 0
    illegal_moves: int = -1

    @property
    def timed(self) -> bool:
        """Whether seats have clocks."""
        return bool(self.move_ms or self.bank_ms)

    def allowance_ms(self, bank_ms: int) -> int:
        """Returns how long a seat with so much in its bank may take for one answer, margin included."""
        limits = [self.move_ms] if self.move_ms else []
        return min(limits + ([bank_ms] if self.bank_ms else [])) + self.margin_ms

    def charged(self, bank_ms: int, taken_ms: int) -> int:
        """Returns what is in a bank after an answer that took so long."""
        return max(0, bank_ms - max(0, taken_ms - self.margin_ms)) + self.increment_ms


NO_TERMS: Final = Terms()


class Moment(NamedTuple):
    """What a replica knows of the time: about what it is, and the outages there were, in their order."""

    now_ms: int = 0
    outages: tuple[Outage, ...] = ()

    def between(self, since_ms: int, until_ms: int) -> int:
        """Returns how long it was from one time to another, outages left out."""
        away = (max(0, min(end, until_ms) - max(start, since_ms)) for start, end in self.outages)
        return until_ms - since_ms - sum(away)

    def after(self, since_ms: int, allowance_ms: int) -> int:
        """Returns when so much time has passed, outages left out."""
        at = since_ms + allowance_ms
        for start, end in self.outages:
            if end > since_ms and start < at:
                at += end - max(start, since_ms)
        return at


class Deadline(NamedTuple):
    """When a match must be looked at: at a time, or so long after the write that says so; the earlier one counts."""

    at_ms: int | None = None
    after_ms: int | None = None


def earliest(deadlines: Iterable[Deadline]) -> Deadline:
    """Returns the earlier of both kinds."""
    found = list(deadlines)
    at = [deadline.at_ms for deadline in found if deadline.at_ms is not None]
    after = [deadline.after_ms for deadline in found if deadline.after_ms is not None]
    return Deadline(min(at, default=None), min(after, default=None))
