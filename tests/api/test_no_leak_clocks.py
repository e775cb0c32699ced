"""The law of hidden information where time is limited: clocks show what everybody may know, and nothing else.

The two worlds have the same clocks, which are public; what they differ in is what is hidden without clocks.
"""

import random
from collections.abc import AsyncIterator, Sequence
from dataclasses import replace
from itertools import islice
from typing import Final

import msgspec
import pytest

from referee.table.clocks import Terms
from referee.table.snapshot import SeatCourse
from tests.api.harness import Planted, Referee
from tests.api.test_no_leak import Twins, cases, check, check_play, every_table
from tests.api.worlds import Case, Rules
from tests.table.clock import Clock, machines_show

PAIRS: Final = 25  # of a position and a viewer, for each table
TERMS: Final = Terms(
    move_ms=100_000, bank_ms=500_000, increment_ms=1_000, margin_ms=500, join_ms=100_000, illegal_moves=900
)
EIGHTH_MS: Final = 125  # what a float holds exactly in seconds


@pytest.fixture
async def twins(monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Twins]:
    """Two referees at the same time, which stands still."""
    clock = Clock()
    machines_show(monkeypatch, lambda: clock.now_ms / 1_000)
    first, second = Referee(), Referee()
    for referee in (first, second):
        referee.shelf.now_ms = clock
    async with first, second:
        yield Twins(first, second)


def timed(case: Case) -> Case:
    """The same with clocks, which run in both worlds alike."""
    rng = random.Random(case.match_id)
    clocks = [seat_clocks(rng, seat in case.due) for seat in range(case.states[0].seats)]
    first, second = (with_clocks(match, clocks) for match in case.matches)
    return replace(case, matches=(first, second))


def seat_clocks(rng: random.Random, due: bool) -> SeatCourse:
    """When a seat was asked, what is in its bank, and what is not charged to it yet."""
    times = [Clock.now_ms - EIGHTH_MS * rng.randrange(400) for _ in range(2)]
    uncharged_ms = times[1] if rng.random() < 0.3 else None
    bank_ms = EIGHTH_MS * rng.randrange(1_600, 4_000)
    return SeatCourse(bank_ms=bank_ms, asked_ms=times[0] if due else None, uncharged_ms=uncharged_ms)


def with_clocks(match: Planted, clocks: Sequence[SeatCourse]) -> Planted:
    seats = tuple(
        msgspec.structs.replace(
            fares,
            bank_ms=clock.bank_ms,
            uncharged_ms=clock.uncharged_ms,
            asked_ms=None if fares.asked_ms is None else clock.asked_ms,
        )
        for fares, clock in zip(match.course.seats, clocks, strict=True)
    )
    head = msgspec.structs.replace(match.head, terms=TERMS)
    return replace(match, head=head, course=msgspec.structs.replace(match.course, seats=seats))


@every_table
async def test_what_a_viewer_may_not_know_changes_no_byte(twins: Twins, rules: Rules, seats: int) -> None:
    endless = cases(rules, seats, 4_000)
    for case in islice(endless, PAIRS):
        await check(twins, timed(case))
    for case in islice(endless, PAIRS // 2):
        await twins.plant(timed(case))
        await check_play(twins, timed(case), random.Random(case.match_id))
    assert twins.seen["GetMatch OK"] >= PAIRS
    assert twins.seen["MALFORMED_MOVE"]
    assert twins.seen["asked"]
