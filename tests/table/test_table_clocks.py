"""Tables that keep time together: who is late goes out once, whoever notices it."""

import asyncio
import time
from dataclasses import dataclass, field

import pytest
import uvloop

from referee.core.errors import Reason, RefereeError
from referee.store.memory import MemoryStore
from referee.table.clocks import Moment, Terms
from referee.table.ids import MatchId
from referee.table.snapshot import Cause
from referee.table.store import Store, StoreUnavailableError
from tests.servers import eventually
from tests.table.clock import Clock, machines_show
from tests.table.faulty import LosesWrites, Relay, Unhurried
from tests.table.night import night_of, reasons
from tests.table.pebbles import BID_0, KEEP, TAKE_0, TAKE_1
from tests.table.sitting import ALICE, BOB, CAROL, DAVE
from tests.table.timekeeping import (
    BRIEF,
    LIMIT,
    LONG,
    Broken,
    deadline_ms,
    keeping_time,
    looks,
    outs,
    told_to_the_end,
    wrong_by,
)

OUTAGE_MS = 2_500
RETURN_MS = 5_000
SECOND_MS = 1_000
SLOW_MS = 1_500


@pytest.fixture
def clock() -> Clock:
    return Clock()


async def test_a_seat_goes_out_without_any_traffic() -> None:
    """By the alarm of the table that wrote last: nobody sweeps, and nobody calls."""
    night = night_of()
    match_id = await night.match(ALICE, BOB, terms=BRIEF)
    assert await told_to_the_end(night.table, match_id) == [("TIME_OUT", 0)]
    end = (await night.snapshot(match_id)).course.end
    assert end is not None
    assert (end.reason, end.ranks) == ("LAST_SEAT", (2, 1))


async def test_one_after_another_goes_out_by_alarms_alone() -> None:
    """The write of an expiry sets the alarm for the next seat, and autopilots play in between."""
    night = night_of()
    match_id = await night.match(ALICE, BOB, CAROL, DAVE, terms=BRIEF)
    assert await told_to_the_end(night.table, match_id) == [("TIME_OUT", 0), ("TIME_OUT", 1), ("TIME_OUT", 2)]


async def test_open_seats_go_out_and_play_begins_without_any_traffic() -> None:
    night = night_of()
    match_id = await night.match(ALICE, None, None, terms=Terms(join_ms=60))
    expected = [("NEVER_JOINED", 1), ("NEVER_JOINED", 2)]
    assert await told_to_the_end(night.table, match_id) == expected


async def test_the_sweep_finds_what_the_writer_left_behind() -> None:
    """The replica that asked is gone, and no other has ever seen the match."""
    night = night_of(2)
    writer, other = night.tables
    match_id = await night.match(ALICE, BOB, terms=BRIEF)
    writer.time.cancel()
    async with keeping_time(other):
        assert await told_to_the_end(other, match_id) == [("TIME_OUT", 0)]


async def test_an_alarm_that_met_a_fault_is_left_to_the_sweep() -> None:
    store = LosesWrites(MemoryStore())
    night = night_of(store=store)
    match_id = await night.match(ALICE, BOB, terms=BRIEF)
    store.count = 1
    async with keeping_time(night.table):
        assert await told_to_the_end(night.table, match_id) == [("TIME_OUT", 0)]
    assert store.count == 0


@dataclass
class Slow(Relay):
    """Is slow to tell the time.

    Attributes:
        asked_ms: how long each of the next questions is on its way.
        told_ms: how long each of the next answers is.
    """

    asked_ms: list[int] = field(default_factory=list)
    told_ms: list[int] = field(default_factory=list)

    async def beat(self, longest_ms: int) -> Moment:
        await self._pass(self.asked_ms)
        moment = await self.inner.beat(longest_ms)
        await self._pass(self.told_ms)
        return moment

    async def _pass(self, times_ms: list[int]) -> None:
        if times_ms:
            until = (await self.inner.beat(OUTAGE_MS)).now_ms + times_ms.pop(0)
            await eventually(lambda: is_past(self.inner, until))


async def test_an_alarm_is_in_time_although_the_time_was_told_slowly() -> None:
    night = night_of(store=Slow(MemoryStore(), told_ms=[SLOW_MS]))
    match_id = await night.match(ALICE, BOB, terms=BRIEF)
    assert await told_to_the_end(night.table, match_id) == [("TIME_OUT", 0)]
    header = (await night.snapshot(match_id)).header
    assert header is not None
    assert header.commit_ms - header.created_ms < SLOW_MS // 3


def test_an_alarm_that_rings_while_the_match_is_looked_at_is_not_lost() -> None:
    """It rang too early at first, and when it was seen that it did it was time to ring again; nobody sweeps.

    It takes the loop of the service, which rings at once.
    """
    uvloop.run(looked_at_too_early())


async def looked_at_too_early() -> None:
    night = night_of(store=Slow(MemoryStore(), asked_ms=[BRIEF.move_ms // 2], told_ms=[0, 2 * BRIEF.move_ms]))
    match_id = await night.match(ALICE, BOB, terms=BRIEF)
    assert await told_to_the_end(night.table, match_id) == [("TIME_OUT", 0)]


async def is_past(store: Store, time_ms: int) -> bool:
    return (await store.beat(OUTAGE_MS)).now_ms > time_ms


async def test_a_late_move_puts_its_seat_out_by_itself(clock: Clock) -> None:
    """Before any alarm and any sweep."""
    night = night_of(2, store=Unhurried(MemoryStore(clock)))
    match_id = await night.match(ALICE, BOB, CAROL, terms=LIMIT)
    await clock.goes_on(900, night.table)
    await night.submit(ALICE, match_id, TAKE_0, at=1)
    await clock.goes_on(901, night.table)
    with pytest.raises(RefereeError) as refusal:
        await night.submit(ALICE, match_id, KEEP, at=1)
    assert (refusal.value.reason, refusal.value.metadata) == (Reason.SEAT_OUT, {"cause": "TIMED_OUT"})
    assert await outs(night, match_id) == [("TIME_OUT", 0)]
    await night.submit(BOB, match_id, TAKE_0)


@pytest.mark.parametrize("late_ms", [0, 1])
async def test_a_resignation_or_a_refused_move_is_late_like_any_other(clock: Clock, late_ms: int) -> None:
    night = night_of(store=MemoryStore(clock))
    resigned, stale = [await night.match(ALICE, BOB, CAROL, terms=LIMIT) for _ in range(2)]
    clock.now_ms += 900 + late_ms
    outcomes = await asyncio.gather(
        night.resign(ALICE, resigned), night.submit(ALICE, stale, BID_0), return_exceptions=True
    )
    assert reasons(outcomes) == ([Reason.SEAT_OUT] * 2 if late_ms else [Reason.ILLEGAL_MOVE])
    assert await outs(night, resigned) == [("TIME_OUT" if late_ms else "RESIGNATION", 0)]
    assert await outs(night, stale) == ([("TIME_OUT", 0)] if late_ms else [])


async def test_a_late_join_finds_the_seat_out(clock: Clock) -> None:
    night = night_of(2, store=Unhurried(MemoryStore(clock)))
    match_id = await night.match(ALICE, BOB, None, terms=Terms(join_ms=500))
    await clock.goes_on(501, night.table)
    with pytest.raises(RefereeError) as refusal:
        await night.join(CAROL, match_id, at=1)
    assert refusal.value.reason is Reason.NO_OPEN_SEAT
    assert await outs(night, match_id) == [("NEVER_JOINED", 2)]


async def test_each_expiry_happens_once_although_all_notice_it(clock: Clock) -> None:
    """Three tables look at the same matches at once while the players send their late moves to all of them."""
    night = night_of(3, store=Unhurried(MemoryStore(clock)))
    match_ids = [await night.match(ALICE, BOB, CAROL, terms=LIMIT, at=number % 3) for number in range(20)]
    await clock.goes_on(901, night.table)
    looking = [looks(night, match_id) for match_id in match_ids for _ in range(6)]
    moving = [night.submit(ALICE, match_id, TAKE_0, at=at) for match_id in match_ids for at in range(3)]
    outcomes = await asyncio.gather(*looking, *moving, return_exceptions=True)
    assert reasons(outcomes) == [Reason.SEAT_OUT] * len(moving)
    assert [outcome for outcome in outcomes if outcome is not None and not isinstance(outcome, RefereeError)] == []
    assert [await outs(night, match_id) for match_id in match_ids] == [[("TIME_OUT", 0)]] * 20


async def test_each_expiry_happens_once_with_alarms_and_three_sweepers() -> None:
    night = night_of(3)
    match_ids = [await night.match(ALICE, BOB, CAROL, terms=BRIEF, at=number % 3) for number in range(10)]
    async with keeping_time(*night.tables):
        ends = [told_to_the_end(night.tables[number % 3], match_id) for number, match_id in enumerate(match_ids)]
        assert await asyncio.gather(*ends) == [[("TIME_OUT", 0), ("TIME_OUT", 1)]] * 10


async def test_a_move_in_time_and_an_expiry_that_looks_too_early_do_not_harm_each_other(clock: Clock) -> None:
    night = night_of(3, store=Unhurried(MemoryStore(clock)))
    match_id = await night.match(ALICE, BOB, terms=LIMIT)
    await clock.goes_on(900, night.table)
    await asyncio.gather(*(looks(night, match_id) for _ in range(3)), night.submit(ALICE, match_id, TAKE_1))
    assert await outs(night, match_id) == []


async def test_players_who_answer_in_time_play_a_whole_match(clock: Clock) -> None:
    """Each takes the last millisecond; the tables take turns."""
    night = night_of(3, store=MemoryStore(clock))
    match_id = await night.match(ALICE, BOB, rounds=3, terms=LIMIT)
    while due := (await night.snapshot(match_id)).to_act():
        await clock.goes_on(900, *night.tables)
        await night.play(match_id, versions=len(due))
    assert await outs(night, match_id) == []


@pytest.mark.parametrize("hours", [-5, 5])
async def test_the_clock_of_a_replicas_machine_does_not_matter(monkeypatch: pytest.MonkeyPatch, hours: int) -> None:
    """Neither for when time is up nor for how much is left."""
    machines_show(monkeypatch, wrong_by(hours * 3_600))
    night = night_of(store=MemoryStore())
    match_id = await night.match(ALICE, BOB, CAROL, terms=BRIEF)
    now_ms = (await night.table.time.moment()).now_ms
    assert abs(now_ms - time.time() * 1_000) < SECOND_MS
    assert await told_to_the_end(night.table, match_id) == [("TIME_OUT", 0), ("TIME_OUT", 1)]


async def test_a_replicas_clock_that_is_set_while_it_runs_does_not_matter(monkeypatch: pytest.MonkeyPatch) -> None:
    night = night_of(store=MemoryStore())
    for wrong_s in (0, 5_000, -5_000):
        machines_show(monkeypatch, wrong_by(wrong_s))
        match_id = await night.match(ALICE, BOB, terms=LONG)
        left_ms = await deadline_ms(night, match_id, night.table)
        assert left_ms is not None
        assert 0 < left_ms - time.time() * 1_000 <= 3_600_000


async def test_a_match_that_is_due_later_than_it_was_said_is_not_looked_at_again_and_again(clock: Clock) -> None:
    """Its place among those that are due was given before the outage, and is given anew by the sweep."""
    night = night_of(store=MemoryStore(clock))
    match_id = await night.match(ALICE, BOB, terms=LIMIT)
    clock.now_ms += 60_000
    assert await night.store.due("somebody", 0, 10) == [match_id]
    await looks(night, match_id, swept=True)
    assert await night.store.due("somebody", 0, 10) == []
    clock.now_ms += RETURN_MS + 901
    assert await night.store.due("somebody", 0, 10) == [match_id]
    assert (await night.snapshot(match_id)).course.version == 0


async def test_a_join_does_not_put_off_when_the_match_is_due(clock: Clock) -> None:
    night = night_of(store=MemoryStore(clock))
    match_id = await night.match(ALICE, None, None, terms=Terms(join_ms=500))
    clock.now_ms += 400
    await night.join(BOB, match_id)
    assert await night.store.due("somebody", 0, 10) == []
    clock.now_ms += 101
    assert await night.store.due("somebody", 0, 10) == [match_id]


async def test_matches_without_anybody_late_are_left_alone(clock: Clock) -> None:
    """One that is over, one that is gone, one without clocks, and one in time."""
    night = night_of(store=MemoryStore(clock))
    finished = await night.match(ALICE, BOB, terms=LIMIT)
    await night.resign(ALICE, finished)
    others = [await night.match(ALICE, BOB), await night.match(ALICE, BOB, terms=LONG)]
    await clock.goes_on(1_000, night.table)
    for match_id in (finished, *others, MatchId("a" * 26)):
        await looks(night, match_id)
    assert await outs(night, finished) == [("RESIGNATION", 0)]
    assert [(await night.snapshot(match_id)).course.version for match_id in others] == [0, 0]
    assert await night.store.due("somebody", 0, 10) == []


async def test_a_bank_is_the_same_at_all_tables(clock: Clock) -> None:
    night = night_of(3, store=MemoryStore(clock))
    terms = Terms(bank_ms=10_000, increment_ms=100, margin_ms=50)
    match_id = await night.match(ALICE, BOB, terms=terms)
    expected = [10_000, 10_000]
    turns = (
        (ALICE, 0, TAKE_0, 1_050),
        (ALICE, 0, KEEP, 20),
        (BOB, 1, TAKE_0, 350),
        (BOB, 1, KEEP, 4_000),
        (BOB, 1, BID_0, 60),
    )
    for at, (who, seat, move, thought_ms) in enumerate(turns):
        await clock.goes_on(thought_ms, *night.tables)
        await night.submit(who, match_id, move, at=at % 3)
        expected[seat] += 100 - max(0, thought_ms - 50)
        snapshot = await night.snapshot(match_id)
        for table in night.tables:
            assert [snapshot.bank_ms(seat, await table.time.moment()) for seat in (0, 1)] == expected


@pytest.mark.parametrize("fault", [StoreUnavailableError("away"), ValueError("no number")], ids=["away", "broken"])
async def test_time_goes_on_whatever_the_store_answers_once(fault: Exception) -> None:
    store = Broken(MemoryStore())
    night = night_of(2, store=store)
    match_id = await night.match(ALICE, BOB, terms=BRIEF)
    night.table.time.cancel()
    store.beat_fault = store.due_fault = fault
    async with keeping_time(night.tables[1]):
        assert await told_to_the_end(night.tables[1], match_id) == [("TIME_OUT", 0)]
    assert [store.beat_fault, store.due_fault] == [None, None]


async def test_a_table_that_stops_keeps_no_alarms() -> None:
    """None that was set before, and none for what is written after."""
    night = night_of(2)
    early = await night.match(ALICE, BOB, terms=BRIEF)
    night.table.time.cancel()
    late = await night.match(ALICE, BOB, terms=BRIEF)
    last = await night.match(ALICE, BOB, CAROL, terms=BRIEF, at=1)
    await told_to_the_end(night.table, last)
    for match_id in (early, late):
        assert (await night.snapshot(match_id)).course.seats[0].cause == Cause.NONE
