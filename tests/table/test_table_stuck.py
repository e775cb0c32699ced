"""While the store takes its time over one write everybody else plays on: nothing is locked until it has answered."""

import asyncio
from contextlib import aclosing
from dataclasses import dataclass, field

import pytest

from referee.core.errors import Reason, RefereeError
from referee.store.memory import MemoryStore
from referee.table.store import Enrolled, Header, Stored, StoreUnavailableError, Untimely, Write
from referee.table.transitions import Answer
from tests.table.faulty import Relay
from tests.table.night import Night, night_of
from tests.table.pebbles import BID_1, TAKE_0, TAKE_1
from tests.table.sitting import ALICE, BOB, CAROL, STRANGER

AT_ONCE_S = 10.0


@dataclass
class Stuck(Relay):
    """Holds one write up; those that come later pass it.

    Attributes:
        hold: whether to hold the next one up.
        held: set when it is.
        let_go: to be set to let it through.
    """

    hold: bool = False
    held: asyncio.Event = field(default_factory=asyncio.Event)
    let_go: asyncio.Event = field(default_factory=asyncio.Event)

    async def write(self, write: Write) -> Header | Stored | Untimely | None:
        if self.hold:
            self.hold = False
            self.held.set()
            await self.let_go.wait()
        return await self.inner.write(write)


@pytest.fixture
def store() -> Stuck:
    return Stuck(MemoryStore())


@pytest.fixture
def night(store: Stuck) -> Night:
    """One table."""
    return night_of(store=store)


async def test_who_chooses_at_the_same_time_does_not_wait_for_a_write_that_hangs(night: Night, store: Stuck) -> None:
    """The move that hung is tried again behind theirs and is played too."""
    match_id = await night.match(ALICE, BOB, CAROL)
    await night.to_the_bids(match_id)
    store.hold = True
    hanging = asyncio.create_task(night.submit(ALICE, match_id, BID_1))
    await store.held.wait()
    async with asyncio.timeout(AT_ONCE_S):
        assert await night.submit(BOB, match_id, BID_1) == Answer(7, 3, 1)
        assert await night.submit(CAROL, match_id, BID_1) == Answer(8, 3, 2)
    assert not hanging.done()
    store.let_go.set()
    assert await hanging == Answer(9, 3, 0)


async def test_the_same_seat_does_not_wait_for_its_own_move_that_hangs(night: Night, store: Stuck) -> None:
    """Who loses patience and decides anew has decided; the older move is late."""
    match_id = await night.match(ALICE, BOB)
    store.hold = True
    hanging = asyncio.create_task(night.submit(ALICE, match_id, TAKE_1))
    await store.held.wait()
    async with asyncio.timeout(AT_ONCE_S):
        assert await night.submit(ALICE, match_id, TAKE_0) == Answer(1, 1, 0)
    store.let_go.set()
    with pytest.raises(RefereeError) as refusal:
        await hanging
    assert refusal.value.reason is Reason.STALE_DECISION


async def test_other_matches_and_readers_do_not_wait_for_a_write_that_hangs(night: Night, store: Stuck) -> None:
    match_id, other = await night.match(ALICE, BOB), await night.match(ALICE, BOB)
    store.hold = True
    hanging = asyncio.create_task(night.submit(ALICE, match_id, TAKE_1))
    await store.held.wait()
    async with asyncio.timeout(AT_ONCE_S):
        await night.play(other)
        await night.match(ALICE, CAROL)
        assert (await night.table.get(BOB, match_id, None)).snapshot.course.version == 0
        async with aclosing(night.table.watch(STRANGER, match_id, None, None)) as tidings:  # type: ignore[type-var]
            assert (await anext(tidings)).anew
        found, _ = await night.table.list_matches(STRANGER, None, 10, mine=False, wanted=lambda _: True)
    assert len(found) == 3
    store.let_go.set()
    assert await hanging == Answer(1, 1, 0)


@dataclass
class Silent(Relay):
    """Says nothing of the roll for a while, and then that it does not answer.

    Attributes:
        asked: how often it was asked.
        reached: set when it is.
        give_up: to be set to let it fail.
    """

    asked: int = 0
    reached: asyncio.Event = field(default_factory=asyncio.Event)
    give_up: asyncio.Event = field(default_factory=asyncio.Event)

    async def roll(self, since: int) -> list[tuple[int, Enrolled]]:
        self.asked += 1
        self.reached.set()
        await self.give_up.wait()
        raise StoreUnavailableError("it is silent")


async def test_callers_do_not_wait_one_after_the_other_for_a_store_that_is_silent() -> None:
    """Each would have to wait for the time-outs of all before it."""
    store = Silent(MemoryStore())
    presence = night_of(store=store).table.presence
    calling = [asyncio.create_task(presence.sign(principal)) for principal in (ALICE, BOB, CAROL)]
    await store.reached.wait()
    store.give_up.set()
    async with asyncio.timeout(AT_ONCE_S):
        outcomes = await asyncio.gather(*calling, return_exceptions=True)
    assert [type(outcome) for outcome in outcomes] == [StoreUnavailableError] * 3
    assert store.asked == 1
