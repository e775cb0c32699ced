"""A naive second reckoning of clocks: it counts milliseconds, and settles every account at once."""

from collections.abc import Sequence
from dataclasses import dataclass, field

from referee.table.clocks import Outage, Terms


def stands_still(at_ms: int, outages: Sequence[Outage]) -> bool:
    """Whether the millisecond that begins then falls into an outage."""
    return any(start <= at_ms < end for start, end in outages)


def passed(since_ms: int, until_ms: int, outages: Sequence[Outage]) -> int:
    """Counts the milliseconds that pass, one by one."""
    return sum(not stands_still(at, outages) for at in range(since_ms, until_ms))


def up_at(since_ms: int, allowance_ms: int, outages: Sequence[Outage]) -> int:
    """Lets time pass, one millisecond after the other, until the allowance is used up."""
    at, left = since_ms, allowance_ms
    while left:
        left -= not stands_still(at, outages)
        at += 1
    return at


@dataclass
class BookKeeper:
    """Keeps the banks of a match.

    Attributes:
        terms: what the match asks of its seats.
        banks: what each seat has.
        open: for each seat that is asked which decision, and since when.
        out: who has gone out.
    """

    terms: Terms
    banks: list[int]
    open: dict[int, tuple[int, int]] = field(default_factory=dict)
    out: set[int] = field(default_factory=set)

    def ask(self, to_act: Sequence[int], decisions: Sequence[int], now_ms: int) -> None:
        """Notes who is asked what from now on; a question that is open already stays so."""
        asked = {seat: decisions[seat] for seat in to_act if seat not in self.out}
        self.open = {
            seat: self.open[seat] if self.open.get(seat, (None, 0))[0] == decision else (decision, now_ms)
            for seat, decision in asked.items()
        }

    def deadline(self, seat: int, outages: Sequence[Outage]) -> int | None:
        """When the seat's time is up."""
        if seat not in self.open:
            return None
        limits = [limit for limit, there in self._limits(seat) if there]
        return up_at(self.open[seat][1], min(limits) + self.terms.margin_ms, outages)

    def late(self, now_ms: int, outages: Sequence[Outage]) -> list[int]:
        """Who should have answered by now."""
        deadlines = {seat: self.deadline(seat, outages) for seat in sorted(self.open)}
        return [seat for seat, deadline in deadlines.items() if deadline is not None and deadline < now_ms]

    def answer(self, seat: int, now_ms: int, outages: Sequence[Outage]) -> None:
        """Takes from a bank what an answer took beyond the margin, and adds the increment."""
        if self.terms.bank_ms:
            took = passed(self.open[seat][1], now_ms, outages)
            while took > self.terms.margin_ms and self.banks[seat]:
                took -= 1
                self.banks[seat] -= 1
            self.banks[seat] += self.terms.increment_ms

    def _limits(self, seat: int) -> tuple[tuple[int, bool], tuple[int, bool]]:
        return (self.terms.move_ms, bool(self.terms.move_ms)), (self.banks[seat], bool(self.terms.bank_ms))
