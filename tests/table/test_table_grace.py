"""Tables that note who is there: who shows a sign of life anywhere stays in, who stays away goes out once."""

import asyncio
from dataclasses import dataclass
from typing import Final

import pytest

from referee.core.errors import RefereeError
from referee.store.memory import MemoryStore
from referee.table.clocks import Terms
from referee.table.ids import MatchId
from referee.table.snapshot import seen_field
from referee.table.store import Enrolled, Header, Stored, StoreUnavailableError, Untimely, Write
from referee.table.table import Table
from tests.servers import eventually
from tests.table.clock import Clock
from tests.table.faulty import LosesReplies, Relay, Unhurried
from tests.table.night import Night, night_of
from tests.table.pebbles import KEEP, TAKE_0
from tests.table.sitting import ALICE, BOB, CAROL, GAMES, HOST, STRANGER
from tests.table.timekeeping import keeping_time, looks, outs, told_to_the_end

GRACE_MS: Final = 8_000
OVER_MS: Final = 10_000  # so long after the last sign of life it is noticed that somebody is away
GRACE: Final = Terms(grace_ms=GRACE_MS)
SHORT: Final = Terms(grace_ms=200)
UNSTALLED: Final = Terms(grace_ms=1_600)  # a machine that hangs for as long is an outage
RETURN_MS: Final = 5_000
OUT: Final = [("DISCONNECTION", 0)]


@pytest.fixture
def clock() -> Clock:
    return Clock()


async def passes(clock: Clock, ms: int, night: Night) -> None:
    """Lets time pass at all tables, which note who is there."""
    until = clock.now_ms + ms
    while clock.now_ms < until:
        await clock.goes_on(min(250, until - clock.now_ms), *night.tables)
        for table in night.tables:
            await table.presence.keep()


async def test_a_seat_goes_out_without_any_traffic() -> None:
    """By the alarm of the table that wrote last: nobody sweeps, and nobody calls."""
    night = night_of()
    match_id = await night.match(ALICE, BOB, terms=SHORT)
    assert await told_to_the_end(night.table, match_id) == OUT


async def test_the_sweep_finds_what_the_writer_left_behind() -> None:
    night = night_of(2)
    writer, other = night.tables
    match_id = await night.match(ALICE, BOB, terms=SHORT)
    writer.time.cancel()
    async with keeping_time(other):
        assert await told_to_the_end(other, match_id) == OUT


async def test_each_goes_out_once_with_alarms_and_three_sweepers() -> None:
    night = night_of(3)
    match_ids = [await night.match(ALICE, BOB, CAROL, terms=SHORT, at=number % 3) for number in range(6)]
    async with keeping_time(*night.tables):
        ends = [told_to_the_end(night.tables[number % 3], match_id) for number, match_id in enumerate(match_ids)]
        assert await asyncio.gather(*ends) == [[("DISCONNECTION", 0), ("DISCONNECTION", 1)]] * 6


@pytest.mark.parametrize("at", [0, 1], ids=["where it was asked", "at another table"])
async def test_a_sign_of_life_counts_at_every_table(clock: Clock, at: int) -> None:
    night = night_of(2, store=MemoryStore(clock))
    match_id = await night.match(ALICE, BOB, terms=GRACE)
    await passes(clock, GRACE_MS, night)
    await night.tables[at].presence.sign(ALICE)
    await passes(clock, OVER_MS, night)
    await looks(night, match_id)
    assert await outs(night, match_id) == []
    await passes(clock, 1, night)
    await looks(night, match_id)
    assert await outs(night, match_id) == OUT


async def test_signs_of_life_of_others_count_for_nobody_else(clock: Clock) -> None:
    night = night_of(store=MemoryStore(clock))
    match_id = await night.match(ALICE, BOB, terms=GRACE)
    await passes(clock, GRACE_MS, night)
    for other in (BOB, STRANGER, HOST):
        await night.table.presence.sign(other)
    await passes(clock, OVER_MS - GRACE_MS + 1, night)
    await looks(night, match_id)
    assert await outs(night, match_id) == OUT


async def test_an_open_stream_is_a_sign_of_life_for_as_long_as_it_is_open(clock: Clock) -> None:
    """Of two the last one counts."""
    night = night_of(2, store=MemoryStore(clock))
    match_id = await night.match(ALICE, BOB, terms=GRACE)
    with night.tables[1].presence.staying(ALICE):
        with night.tables[1].presence.staying(ALICE):
            await passes(clock, 3 * OVER_MS, night)
        await passes(clock, 3 * OVER_MS, night)
        await looks(night, match_id)
        assert await outs(night, match_id) == []
    await passes(clock, GRACE_MS, night)
    await looks(night, match_id)
    assert await outs(night, match_id) == []
    await passes(clock, OVER_MS - GRACE_MS + 250 + 1, night)
    await looks(night, match_id)
    assert await outs(night, match_id) == OUT


async def test_signs_of_life_may_follow_each_other_closely_and_the_last_one_counts(clock: Clock) -> None:
    """Not all of them are noted: the last is in its whole grace all the same."""
    for every_ms in (1, 7, 300, 999):
        night = night_of(store=MemoryStore(clock))
        match_id = await night.match(ALICE, BOB, terms=GRACE)
        until = clock.now_ms + 3_000
        while clock.now_ms < until:
            clock.now_ms += every_ms
            await night.table.time.beat()
            await night.table.presence.sign(ALICE)
        await passes(clock, GRACE_MS, night)
        await looks(night, match_id)
        assert await outs(night, match_id) == []
        await passes(clock, OVER_MS - GRACE_MS + 1, night)
        await looks(night, match_id)
        assert await outs(night, match_id) == OUT


async def test_an_outage_puts_nobody_out(clock: Clock) -> None:
    """Nor does the time that clients have to come back."""
    night = night_of(2, store=MemoryStore(clock))
    match_id = await night.match(ALICE, BOB, terms=GRACE)
    await passes(clock, 1_000, night)
    clock.now_ms += 3_600_000
    await looks(night, match_id)
    await passes(clock, RETURN_MS + OVER_MS - 1_000, night)
    await looks(night, match_id)
    assert await outs(night, match_id) == []
    await passes(clock, 1, night)
    await looks(night, match_id)
    assert await outs(night, match_id) == OUT


async def test_a_table_that_is_gone_takes_no_sign_of_life_with_it(clock: Clock) -> None:
    """What it answered last it had noted before; the one that follows it knows whose signs count."""
    night = night_of(store=MemoryStore(clock))
    match_id = await night.match(ALICE, BOB, terms=GRACE)
    await passes(clock, GRACE_MS, night)
    await night.table.presence.sign(ALICE)
    night.table.time.cancel()
    night.tables[0] = Table(night.store, GAMES)
    await passes(clock, OVER_MS, night)
    await night.table.presence.sign(ALICE)
    await passes(clock, OVER_MS, night)
    await looks(night, match_id)
    assert await outs(night, match_id) == []


async def test_who_is_seen_while_it_is_put_out_stays(clock: Clock) -> None:
    """Between the look and the write: the write finds that it has been seen, and another look finds nobody away."""

    @dataclass
    class SeenMeanwhile(Relay):
        stamped: bool = False

        async def write(self, write: Write) -> Header | Stored | Untimely | None:
            if write.standing:
                self.stamped = await self.inner.stamp(write.match_id, seen_field(ALICE))
            return await self.inner.write(write)

    store = SeenMeanwhile(MemoryStore(clock))
    night = night_of(store=store)
    match_id = await night.match(ALICE, BOB, terms=GRACE)
    await passes(clock, OVER_MS + 1, night)
    await looks(night, match_id)
    assert (store.stamped, await outs(night, match_id)) == (True, [])


async def test_a_match_that_is_due_is_due_again_when_who_was_seen_may_be_away(clock: Clock) -> None:
    night = night_of(store=MemoryStore(clock))
    match_id = await night.match(ALICE, BOB, terms=GRACE)
    await passes(clock, GRACE_MS, night)
    await night.table.presence.sign(ALICE)
    await passes(clock, OVER_MS - GRACE_MS, night)
    assert await night.store.due("somebody", 0, 10) == [match_id]
    await looks(night, match_id, swept=True)
    await passes(clock, GRACE_MS - 1, night)
    assert await night.store.due("somebody", 0, 10) == []
    await passes(clock, 1, night)
    assert await night.store.due("somebody", 0, 10) == [match_id]


async def test_a_reply_that_is_lost_puts_nobody_out_twice(clock: Clock) -> None:
    store = LosesReplies(MemoryStore(clock))
    night = night_of(store=store)
    match_id = await night.match(ALICE, BOB, CAROL, terms=GRACE)
    await passes(clock, OVER_MS + 1, night)
    store.count = 1
    with pytest.raises(StoreUnavailableError):
        await looks(night, match_id)
    await looks(night, match_id)
    assert await outs(night, match_id) == OUT


async def test_who_is_given_a_seat_has_the_grace_from_then_on(clock: Clock) -> None:
    """And signs of life of whoever had it before keep nobody in."""
    night = night_of(store=MemoryStore(clock))
    match_id = await night.match(ALICE, BOB, terms=GRACE)
    await passes(clock, GRACE_MS, night)
    await night.table.reseat(match_id, 0, CAROL)
    await passes(clock, OVER_MS, night)
    await looks(night, match_id)
    assert await outs(night, match_id) == [("JOIN", 0)]
    await night.table.presence.sign(ALICE)
    await passes(clock, 1, night)
    await looks(night, match_id)
    assert await outs(night, match_id) == [("JOIN", 0), *OUT]


@pytest.mark.parametrize("join_ms", [0, 1_000], ids=["all have come", "one never came"])
async def test_the_grace_begins_when_play_does(clock: Clock, join_ms: int) -> None:
    night = night_of(store=MemoryStore(clock))
    terms = Terms(join_ms=join_ms, grace_ms=GRACE_MS)
    match_id = await night.match(ALICE, BOB, None, terms=terms)
    await passes(clock, join_ms + 1, night)
    if join_ms:
        await looks(night, match_id)
    else:
        await passes(clock, 10 * OVER_MS, night)
        await looks(night, match_id)
        await night.join(CAROL, match_id)
    before = await outs(night, match_id)
    await passes(clock, OVER_MS, night)
    await looks(night, match_id)
    assert await outs(night, match_id) == before
    await passes(clock, 2, night)
    await looks(night, match_id)
    assert await outs(night, match_id) == [*before, *OUT]


async def test_a_sign_that_cannot_be_noted_is_no_answer(clock: Clock) -> None:
    """So that nobody takes itself for seen; when the store answers again the roll is as it was."""

    @dataclass
    class Away(Relay):
        away: bool = False

        async def roll(self, since: int) -> list[tuple[int, Enrolled]]:
            self._answers()
            return await self.inner.roll(since)

        async def stamp(self, match_id: MatchId, field: str) -> bool:
            self._answers()
            return await self.inner.stamp(match_id, field)

        def _answers(self) -> None:
            if self.away:
                raise StoreUnavailableError("away")

    store = Away(MemoryStore(clock))
    night = night_of(store=store)
    match_id = await night.match(ALICE, BOB, terms=GRACE)
    await passes(clock, 250, night)
    store.away = True
    with pytest.raises(StoreUnavailableError):
        await night.table.presence.sign(ALICE)
    with pytest.raises(StoreUnavailableError):
        await night.table.presence.keep()
    store.away = False
    await passes(clock, GRACE_MS, night)
    await night.table.presence.sign(ALICE)
    await passes(clock, OVER_MS, night)
    await looks(night, match_id)
    assert await outs(night, match_id) == []


async def test_players_who_come_and_go_lose_nothing() -> None:
    """In real time, at two tables, with alarms and sweeps."""
    night = night_of(2, store=Unhurried(MemoryStore()))
    match_id = await night.match(ALICE, BOB, CAROL, terms=UNSTALLED)
    began = (await night.snapshot(match_id)).commit_ms

    async def is_later_than(ms: int) -> bool:
        await night.tables[1].presence.sign(ALICE)
        return (await night.table.time.beat()).now_ms > began + ms

    async with keeping_time(*night.tables):
        await eventually(lambda: is_later_than(3_000))
        assert await outs(night, match_id) == []
        await night.submit(ALICE, match_id, TAKE_0, KEEP)
        assert await told_to_the_end(night.table, match_id) == [("DISCONNECTION", 1), ("DISCONNECTION", 2)]


async def test_who_is_out_is_told_so(clock: Clock) -> None:
    night = night_of(store=MemoryStore(clock))
    match_id = await night.match(ALICE, BOB, CAROL, terms=GRACE)
    await passes(clock, OVER_MS + 1, night)
    await looks(night, match_id)
    with pytest.raises(RefereeError) as refusal:
        await night.submit(ALICE, match_id, TAKE_0)
    assert refusal.value.metadata == {"cause": "DISCONNECTED"}
