"""How a session ends: by its player, by an error, by a newer one; and what becomes of a player who does not listen."""

import asyncio
import gc
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from copy import deepcopy
from dataclasses import dataclass

import pytest

from referee.core.errors import Reason, RefereeError
from referee.store.memory import MemoryStore
from referee.table.ids import MatchId, Principal
from referee.table.matches import Limits
from referee.table.session import Move, Session
from referee.table.snapshot import Snapshot
from referee.table.store import StoreUnavailableError
from referee.table.transitions import Answer, ById
from tests.table.faulty import Relay
from tests.table.night import Night, night_of
from tests.table.pebbles import KEEP, TAKE_1
from tests.table.sitting import ALICE, BOB, new_id
from tests.table.test_session import AT_ONCE_S, HEARD_S, SOON, Player, player_at
from tests.table.test_table_stuck import Stuck

UNTOLD = 2_000  # matches


@pytest.fixture
def store() -> Stuck:
    return Stuck(MemoryStore())


@pytest.fixture
def replicas(store: Stuck) -> Night:
    """Two tables over one store."""
    return night_of(2, store=store)


@asynccontextmanager
async def hanging(store: Stuck, player: Player, match_id: MatchId) -> AsyncIterator[list[str]]:
    """Two moves of one match, of which the first is being written and the second waits for it; their request ids."""
    store.hold = True
    sent = [await player.play(match_id, 0, TAKE_1)]
    await store.held.wait()
    sent.append(await player.play(match_id, 1, KEEP))
    yield sent
    store.let_go.set()


async def last_of(player: Player) -> Exception | None:
    """Takes news to the end, and returns the error with which it ends."""
    async with asyncio.timeout(HEARD_S):
        try:
            while (news := await player.opened.news()) is not None:
                player.heard.append(news)
                await asyncio.sleep(0)  # as long as it takes to pass them on
        except (RefereeError, StoreUnavailableError) as error:
            return error
    return None


def reason_of(error: object) -> Reason | None:
    assert isinstance(error, RefereeError)
    return error.reason


async def version_of(night: Night, match_id: MatchId) -> int:
    return (await night.snapshot(match_id)).course.version


async def test_moves_under_way_are_played_when_the_player_leaves(replicas: Night, store: Stuck) -> None:
    """Those that wait for another too, before the session is over."""
    match_id = await replicas.match(ALICE, BOB)
    left = asyncio.Event()

    async def come_and_leave() -> None:
        async with player_at(replicas.table, ALICE) as alice, hanging(store, alice, match_id):
            asyncio.get_running_loop().call_soon(left.set)

    await come_and_leave()
    assert left.is_set()
    assert await version_of(replicas, match_id) == 2


async def test_moves_under_way_are_played_when_the_player_is_gone_after_its_last_word(
    replicas: Night, store: Stuck
) -> None:
    """Whoever waits for their outcomes is cancelled, and they are not."""
    match_id = await replicas.match(ALICE, BOB)
    async with player_at(replicas.table, ALICE) as alice, hanging(store, alice, match_id):
        alice.opened.end(None)
        waiting = asyncio.create_task(alice.opened.news())
        await asyncio.sleep(0)
        waiting.cancel()
        await asyncio.gather(waiting, return_exceptions=True)
    assert waiting.cancelled()
    assert await version_of(replicas, match_id) == 2


async def test_the_news_end_after_the_outcomes(replicas: Night, store: Stuck) -> None:
    match_id = await replicas.match(ALICE, BOB)
    async with player_at(replicas.table, ALICE) as alice:
        async with hanging(store, alice, match_id) as sent:
            alice.opened.end(None)
            last = asyncio.create_task(last_of(alice))
            await asyncio.sleep(0)
            assert not last.done()
        assert await last is None
        assert await last_of(alice) is None
    assert [outcome.request_id for outcome in alice.outcomes] == sent


async def test_the_first_end_counts(replicas: Night) -> None:
    async with player_at(replicas.table, ALICE) as alice:
        alice.opened.end(RefereeError(Reason.DRAINING))
        alice.opened.end(None)
        assert reason_of(await last_of(alice)) is Reason.DRAINING


@pytest.mark.parametrize("at", [0, 1], ids=["the same replica", "another"])
async def test_a_newer_session_ends_the_older_after_its_outcomes(replicas: Night, store: Stuck, at: int) -> None:
    match_id = await replicas.match(ALICE, BOB)
    async with player_at(replicas.table, ALICE) as older:
        async with hanging(store, older, match_id) as sent:
            last = asyncio.create_task(last_of(older))
            async with player_at(replicas.tables[at], ALICE) as newer:
                assert newer.asked == [(match_id, 0, 0)]
                assert not last.done()
                store.let_go.set()
                assert reason_of(await last) is Reason.SUPERSEDED
                await replicas.submit(BOB, match_id, TAKE_1, KEEP)
                await newer.until(lambda newer: (match_id, 0, 2) in newer.asked, AT_ONCE_S)
        assert [outcome.request_id for outcome in older.outcomes] == sent
        assert [type(outcome.answer) for outcome in older.outcomes] == [Answer, Answer]


async def test_an_older_session_ends_however_much_its_player_sends(replicas: Night) -> None:
    """What it sends when it has been superseded is not played."""
    match_id = await replicas.match(ALICE, BOB)
    async with player_at(replicas.table, ALICE) as older:

        async def send_for_ever() -> None:
            while True:
                await older.play(match_id, 7, TAKE_1)
                await older.opened.refuse("?", "?", RefereeError(Reason.MATCH_OVER))

        sending = asyncio.create_task(send_for_ever())
        await older.until(lambda older: len(older.outcomes) > 10)
        async with player_at(replicas.tables[1], ALICE):
            assert reason_of(await last_of(older)) is Reason.SUPERSEDED
        sending.cancel()
        await asyncio.gather(sending, return_exceptions=True)


async def test_a_newer_session_hears_of_writes_that_were_under_way_when_the_older_left(
    replicas: Night, store: Stuck
) -> None:
    """At once, although they were to be told to the older one, at whose replica they are made."""
    match_id = await replicas.match(ALICE, BOB)
    await replicas.submit(ALICE, match_id, TAKE_1)
    async with AsyncExitStack() as older:
        await older.enter_async_context(player_at(replicas.table, BOB))
        store.hold = True
        move = asyncio.create_task(replicas.submit(ALICE, match_id, KEEP))
        await store.held.wait()
        async with player_at(replicas.tables[1], BOB) as newer:
            await older.aclose()
            await newer.next()
            assert not newer.asked
            store.let_go.set()
            await move
            await newer.until(lambda newer: newer.asked == [(match_id, 1, 0)], AT_ONCE_S)


async def test_an_older_session_whose_player_does_not_listen_keeps_nothing_from_the_newer_one(
    replicas: Night,
) -> None:
    """It does not even notice that it is superseded. What is written at its replica is told at the other at once."""
    match_id = await replicas.match(ALICE, BOB)
    async with player_at(replicas.table, BOB), player_at(replicas.tables[1], BOB) as newer:
        await replicas.submit(ALICE, match_id, TAKE_1, KEEP, at=0)
        await newer.until(lambda newer: newer.asked == [(match_id, 1, 0)], AT_ONCE_S)


@dataclass
class Silent(Relay):
    """Answers no question after matches when it is told so."""

    silent: bool = False

    async def unfinished(self, principal: Principal) -> list[MatchId]:
        if self.silent:
            raise StoreUnavailableError("it is silent")
        return await self.inner.unfinished(principal)


async def test_a_store_that_does_not_answer_ends_the_session_after_the_outcomes() -> None:
    store = Silent(MemoryStore())
    night = night_of(store=store)
    match_id = await night.match(ALICE, BOB)
    async with player_at(night.table, ALICE) as alice:
        sent = await alice.play(match_id, 0, TAKE_1)
        store.silent = True
        await store.remind(ALICE)
        assert isinstance(await last_of(alice), StoreUnavailableError)
        assert [(outcome.request_id, outcome.answer) for outcome in alice.outcomes] == [(sent, Answer(1, 1, 0))]


async def test_a_player_who_does_not_listen_costs_no_memory_for_what_comes_and_goes(replicas: Night) -> None:
    """Matches that begin and end meanwhile, at its replica and at another; afterwards it is told what there is."""
    limits = Limits(cached=1)
    night = night_of(2, limits, MemoryStore())
    before = snapshots()
    async with player_at(night.table, ALICE) as alice:
        for number in range(UNTOLD):
            table = night.tables[number % 2]
            only = Night(night.store, [table])
            await only.resign(ALICE, await only.match(ALICE, BOB))
        assert snapshots() - before < 100
        open_ = await night.match(ALICE, BOB, at=1)
        await alice.until(lambda alice: open_ in alice.seated, AT_ONCE_S)
    assert alice.seated == [open_]


def snapshots() -> int:
    gc.collect()
    return sum(isinstance(thing, Snapshot) for thing in gc.get_objects())


def sessions() -> int:
    gc.collect()
    return sum(isinstance(thing, Session) for thing in gc.get_objects())


async def test_a_player_who_does_not_listen_may_name_only_so_many_matches() -> None:
    """The rest waits until those have been looked at."""
    night = night_of()
    async with player_at(night.table, ALICE) as alice:
        named = 0

        async def name_for_ever() -> None:
            nonlocal named
            while True:
                await alice.opened.expect([await night.finished() for _ in range(20)])
                named += 20

        naming = asyncio.create_task(name_for_ever())
        for _ in range(2_000):
            await asyncio.sleep(0)
        assert named == 20
        await alice.until(lambda alice: len(alice.ended) >= 100)
        assert 80 <= named <= 140
        naming.cancel()
        await asyncio.gather(naming, return_exceptions=True)


async def test_the_matches_named_last_do_not_wait_for_heartbeats() -> None:
    night = night_of()
    async with player_at(night.table, ALICE) as alice:
        for count in range(1, 5):
            await alice.opened.expect([await night.finished()])
            await alice.until(lambda alice, count=count: len(alice.ended) == count, AT_ONCE_S)  # type: ignore[misc]


class Forgetful(MemoryStore):
    """A store that may fall back to an earlier time."""

    def remember(self) -> None:
        self._remembered = deepcopy(self._matches)

    def fall_back(self) -> None:
        self._matches.clear()
        self._matches.update(self._remembered)


async def test_a_move_that_the_store_has_lost_is_asked_for_again() -> None:
    """Nobody but its player was told of it."""
    store = Forgetful()
    night = night_of(limits=SOON, store=store)
    match_id = await night.match(ALICE, BOB)
    async with player_at(night.table, ALICE) as alice:
        await alice.play(match_id, 0, TAKE_1)
        await alice.until(lambda alice: (match_id, 0, 1) in alice.asked)
        store.remember()
        await alice.play(match_id, 1, KEEP)
        await alice.until(lambda alice: len(alice.outcomes) == 2)
        store.fall_back()
        await alice.until(lambda alice: alice.asked == [(match_id, 0, 0), (match_id, 0, 1), (match_id, 0, 1)])
        await alice.play(match_id, 1, KEEP)
        await alice.until(lambda alice: len(alice.outcomes) == 3)
        assert alice.outcomes[2].answer == Answer(2, 2, 0)


async def test_nothing_of_a_session_is_left_when_it_is_over() -> None:
    night = night_of(limits=SOON)
    match_id = await night.match(ALICE, BOB)
    before = sessions()
    for _ in range(50):
        async with player_at(night.table, ALICE):
            pass
    await night.play(match_id)
    assert sessions() <= before


async def test_a_move_in_a_match_that_nobody_knows_is_refused(replicas: Night) -> None:
    async with player_at(replicas.table, ALICE) as alice:
        await alice.opened.submit(Move(MatchId("a" * 26), new_id(), None, 0, [ById(TAKE_1)]))
        await alice.until(lambda alice: alice.outcomes)
    assert reason_of(alice.outcomes[0].answer) is Reason.NOT_PERMITTED
