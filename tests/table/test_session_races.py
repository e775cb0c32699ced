"""What a session hears late, because the store takes its time: nothing is told that has been overtaken."""

import asyncio
from dataclasses import dataclass, field

from referee.store.memory import MemoryStore
from referee.table.ids import MatchId
from referee.table.session import session
from referee.table.store import Header, Stored, Untimely, Write
from referee.table.table import Table
from tests.table.faulty import Relay
from tests.table.night import Night, night_of
from tests.table.pebbles import TAKE_1
from tests.table.sitting import ALICE, BOB, GAMES, new_id
from tests.table.test_session import AT_ONCE_S, SOON, Player, decision_of, player_at


@dataclass
class Late(Relay):
    """Answers reads with what was so when they were made, but not before it is let."""

    let: asyncio.Event = field(default_factory=asyncio.Event)
    reading: asyncio.Event = field(default_factory=asyncio.Event)

    async def load(self, match_id: MatchId) -> Stored | None:
        stored = await self.inner.load(match_id)
        self.reading.set()
        await self.let.wait()
        return stored


@dataclass
class LateReplies(Relay):
    """Carries a write out at once, and says so when it is let."""

    let: asyncio.Event = field(default_factory=asyncio.Event)
    written: asyncio.Event = field(default_factory=asyncio.Event)

    async def write(self, write: Write) -> Header | Stored | Untimely | None:
        outcome = await self.inner.write(write)
        self.written.set()
        await self.let.wait()
        return outcome


async def test_a_move_that_is_confirmed_after_the_end_of_its_match_tells_nothing_again() -> None:
    """Another replica was told of the move earlier than its own, and has ended the match."""
    store = MemoryStore()
    slow = LateReplies(store)
    night = Night(store, [Table(slow, GAMES, SOON), Table(store, GAMES, SOON)])
    match_id = await night.match(ALICE, BOB, at=1)
    async with player_at(night.table, ALICE) as alice:
        await alice.play(match_id, 0, TAKE_1)
        await slow.written.wait()
        await night.resign(BOB, match_id, at=1)
        await alice.until(lambda alice: alice.ended)
        slow.let.set()
        await alice.until(lambda alice: alice.outcomes)
        for _ in range(3):
            await alice.next()
    assert (alice.seated, alice.asked, alice.ended) == ([match_id], [(match_id, 0, 0)], [match_id])


async def test_a_match_that_ends_while_it_is_read_for_the_first_time_is_told_as_ended() -> None:
    """The replica that reads it is the one at which it ends."""
    store = Late(MemoryStore())
    night = night_of(store=store)
    match_id = await night.match(ALICE, BOB)
    async with session(night.table, ALICE) as opened:
        alice = Player(opened)
        coming = asyncio.create_task(alice.next())
        await store.reading.wait()
        await night.table.resign(BOB, match_id, new_id(), None)
        store.let.set()
        await coming
        await alice.until(lambda alice: alice.ended, AT_ONCE_S)
    assert (alice.seated, alice.ended) == ([match_id], [match_id])


async def test_what_an_outcome_has_answered_is_not_asked_with_it_or_after_it() -> None:
    """Although the match was read before the move was made, and only looked at afterwards."""
    store = Late(MemoryStore())
    night = night_of(store=store)
    match_id = await night.match(ALICE, BOB)
    async with session(night.table, ALICE) as opened:
        alice = Player(opened)
        coming = asyncio.create_task(alice.next())
        await store.reading.wait()
        await alice.play(match_id, 0, TAKE_1)
        await opened.settle()
        store.let.set()
        await coming
        await alice.until(lambda alice: (match_id, 0, 1) in alice.asked)
    answered = 0
    for news in alice.heard:
        answered += len(news.outcomes)
        assert [decision_of(seen) for seen in news.asked if decision_of(seen) < answered] == []
    assert answered == 1
