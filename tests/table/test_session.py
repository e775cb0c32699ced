"""A player at all its matches: what its seats are asked is told as it happens, and its moves are played in turn."""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

import pytest

from referee.core.errors import Reason, RefereeError
from referee.store.memory import MemoryStore
from referee.table.ids import MatchId, Principal
from referee.table.matches import Limits
from referee.table.session import Move, News, Outcome, Session, session
from referee.table.snapshot import Status
from referee.table.table import Seen, Table
from referee.table.transitions import Answer, ById
from tests.table.faulty import Counted, Deaf, LosesReplies, Unhurried
from tests.table.night import Night, night_of
from tests.table.pebbles import BID_0, KEEP, TAKE_1, Pebbles
from tests.table.sitting import ALICE, BOB, CAROL, STRANGER, new_id
from tests.table.test_table_stuck import Stuck

HEARD_S = 10.0
AT_ONCE_S = 5.0  # far less than the time between two heartbeats
SOON = Limits(heartbeat_s=0.02)
TURNS = (TAKE_1, KEEP, TAKE_1, KEEP, BID_0, BID_0)  # of a round of two
MOVES_UNDER_WAY = 256


@dataclass
class Player:
    """Somebody at a session.

    Attributes:
        opened: the session.
        heard: all news so far.
    """

    opened: Session
    heard: list[News] = field(default_factory=list)

    async def next(self, within_s: float = HEARD_S) -> News:
        """Waits for the next news, which may be a sign of life."""
        async with asyncio.timeout(within_s):
            news = await self.opened.news()
        assert news is not None
        self.heard.append(news)
        return news

    async def until(self, enough: Callable[["Player"], object], within_s: float = HEARD_S) -> None:
        """Takes news until there is enough."""
        async with asyncio.timeout(within_s):
            while not enough(self):
                await self.next()

    async def play(self, match_id: MatchId, decision: int, *moves: int, seat: int | None = None) -> str:
        """Sends moves; returns their request id."""
        request_id = new_id()
        async with asyncio.timeout(HEARD_S):
            await self.opened.submit(Move(match_id, request_id, seat, decision, [ById(move) for move in moves]))
        return request_id

    @property
    def outcomes(self) -> list[Outcome]:
        return [outcome for news in self.heard for outcome in news.outcomes]

    @property
    def asked(self) -> list[tuple[MatchId, int | None, int]]:
        """The decisions that it was asked: match, seat and number."""
        return [(seen.snapshot.match_id, seen.viewer, decision_of(seen)) for news in self.heard for seen in news.asked]

    @property
    def seated(self) -> list[MatchId]:
        return [seen.snapshot.match_id for news in self.heard for seen in news.seated]

    @property
    def ended(self) -> list[MatchId]:
        return [seen.snapshot.match_id for news in self.heard for seen in news.ended]


def decision_of(seen: Seen) -> int:
    assert seen.viewer is not None
    return seen.snapshot.course.seats[seen.viewer].decisions


@asynccontextmanager
async def player_at(table: Table, who: Principal) -> AsyncIterator[Player]:
    """Somebody who has come and has heard its first news."""
    async with session(table, who) as opened:
        player = Player(opened)
        await player.next()
        yield player


@pytest.fixture
def replicas() -> Night:
    """Two tables over one store."""
    return night_of(2)


async def test_who_comes_is_told_its_seats_and_what_they_are_asked(replicas: Night) -> None:
    """Of its own unfinished matches alone."""
    asks, waits = await replicas.match(ALICE, BOB), await replicas.match(BOB, ALICE)
    await replicas.finished()
    await replicas.match(BOB, CAROL)
    async with player_at(replicas.table, ALICE) as alice:
        assert sorted(alice.seated) == sorted([asks, waits])
        assert alice.asked == [(asks, 0, 0)]
        assert alice.ended == []


async def test_who_has_no_match_hears_that_the_session_lives() -> None:
    async with player_at(night_of(limits=SOON).table, STRANGER) as stranger:
        for _ in range(3):
            assert not await stranger.next()
    assert not any(stranger.heard)


async def test_what_happens_at_another_replica_is_told_at_once(replicas: Night) -> None:
    """Moves that ask, a seat that is given or taken, and ends."""
    match_id = await replicas.match(ALICE, BOB)
    async with player_at(replicas.table, BOB) as bob:
        await replicas.submit(ALICE, match_id, TAKE_1, KEEP, at=1)
        await bob.until(lambda bob: bob.asked == [(match_id, 1, 0)], AT_ONCE_S)
        given = await replicas.match(BOB, CAROL, at=1)
        await bob.until(lambda bob: given in bob.seated and (given, 0, 0) in bob.asked, AT_ONCE_S)
        taken = await replicas.match(CAROL, None, at=1)
        await replicas.join(BOB, taken, at=1)
        await bob.until(lambda bob: taken in bob.seated, AT_ONCE_S)
        await replicas.resign(ALICE, match_id, at=1)
        await bob.until(lambda bob: bob.ended == [match_id], AT_ONCE_S)
    assert sorted(bob.seated) == sorted([match_id, given, taken])


async def test_what_happens_at_the_same_replica_is_told_without_a_read() -> None:
    """Neither own moves nor those of others are read again from the store, through a whole match."""
    store = Counted(MemoryStore())
    night = night_of(store=store)
    match_id = await night.match(ALICE, BOB)
    async with player_at(night.table, ALICE) as alice, player_at(night.table, BOB) as bob:
        before = store.loads
        await asyncio.gather(play_whole(alice, match_id), play_whole(bob, match_id))
        assert store.loads == before
        assert store.writes == 1 + 2 * len(TURNS)


async def play_whole(player: Player, match_id: MatchId) -> None:
    """Answers each question to the end of a match."""
    moves = {0: TAKE_1, 1: KEEP, 2: BID_0}
    answered = 0
    while not player.ended:
        for _, _, decision in player.asked[answered:]:
            await player.play(match_id, decision, moves[decision % 3])
            answered += 1
        await player.next()


async def test_moves_of_one_match_are_played_in_their_order() -> None:
    """A whole match of one who holds both seats, sent at once to a store that takes its time."""
    night = night_of(store=Unhurried(MemoryStore()))
    match_id = await night.match(ALICE, ALICE)
    async with player_at(night.table, ALICE) as alice:
        decisions, sent = [0, 0], []
        for number, move in enumerate(TURNS * 2):
            seat = (0, 0, 1, 1, 0, 1)[number % 6]
            sent.append(await alice.play(match_id, decisions[seat], move, seat=seat))
            decisions[seat] += 1
        await alice.until(lambda alice: alice.ended and len(alice.outcomes) == len(sent))
    assert [outcome.request_id for outcome in alice.outcomes] == sent
    versions = [outcome.answer.version for outcome in alice.outcomes if isinstance(outcome.answer, Answer)]
    assert versions == list(range(1, 13))


async def test_many_matches_are_played_at_once() -> None:
    """Each by one request after the other, all of them at the same time, and each decision is asked once."""
    night = night_of(2)
    ids = [await night.match(ALICE, BOB, rounds=1) for _ in range(50)]
    async with player_at(night.tables[0], ALICE) as alice, player_at(night.tables[1], BOB) as bob:
        await asyncio.gather(play_all(alice, len(ids)), play_all(bob, len(ids)))
    for player, seat in ((alice, 0), (bob, 1)):
        assert sorted(player.asked) == sorted((match_id, seat, decision) for match_id in ids for decision in range(3))
        assert all(isinstance(outcome.answer, Answer) for outcome in player.outcomes)
        assert sorted(player.ended) == sorted(ids)


async def play_all(player: Player, matches: int) -> None:
    """Answers all questions until so many matches have ended."""
    moves, answered = {0: TAKE_1, 1: KEEP, 2: BID_0}, 0
    while len(player.ended) < matches:
        for match_id, _, decision in player.asked[answered:]:
            await player.play(match_id, decision, moves[decision])
            answered += 1
        await player.next()


async def test_a_match_whose_write_hangs_holds_no_other_up() -> None:
    store = Stuck(MemoryStore())
    night = night_of(store=store)
    slow, other = await night.match(ALICE, BOB), await night.match(ALICE, BOB)
    async with player_at(night.table, ALICE) as alice:
        store.hold = True
        hanging = [await alice.play(slow, 0, TAKE_1)]
        await store.held.wait()
        hanging.append(await alice.play(slow, 1, KEEP))
        done = [await alice.play(other, 0, TAKE_1), await alice.play(other, 1, KEEP)]
        await alice.until(lambda alice: len(alice.outcomes) == 2, AT_ONCE_S)
        assert [outcome.request_id for outcome in alice.outcomes] == done
        store.let_go.set()
        await alice.until(lambda alice: len(alice.outcomes) == 4)
        assert [outcome.request_id for outcome in alice.outcomes] == done + hanging


async def test_only_so_many_moves_are_taken_as_outcomes_are() -> None:
    """Played or refused, whether well-formed or not."""
    night = night_of()
    match_id = await night.match(ALICE, BOB)
    async with player_at(night.table, ALICE) as alice:
        for number in range(MOVES_UNDER_WAY):
            if number % 2:
                await alice.opened.refuse("?", str(number), RefereeError(Reason.INVALID_FIELD, field="a", problem="b"))
            else:
                await alice.play(match_id, 7, TAKE_1)
        another = asyncio.create_task(alice.play(match_id, 0, TAKE_1))
        await alice.opened.settle()
        assert not another.done()
        await alice.next()
        sent = await another
        await alice.until(lambda alice: len(alice.outcomes) == MOVES_UNDER_WAY + 1)
        [accepted] = [outcome for outcome in alice.outcomes if isinstance(outcome.answer, Answer)]
        assert accepted.request_id == sent


async def test_moves_that_may_be_tried_again_later_are_refused_together_and_others_at_once() -> None:
    def refusal(reason: Reason) -> RefereeError:
        return RefereeError(reason, what="calls", limit=1, retry_after_ms=1_000)

    async with player_at(night_of().table, ALICE) as alice:
        hearing = asyncio.create_task(alice.next())
        for number in range(3):
            for _ in range(10):
                await asyncio.sleep(0)  # enough for the news, if they were told now
            await alice.opened.refuse("?", f"later-{number}", refusal(Reason.OVERLOADED))
        await hearing
        assert [outcome.request_id for outcome in alice.outcomes] == ["later-0", "later-1", "later-2"]
        assert sum(bool(news.outcomes) for news in alice.heard) == 1
        await alice.opened.refuse("?", "later", refusal(Reason.OVERLOADED))
        await alice.opened.refuse("?", "at once", RefereeError(Reason.MATCH_OVER))
        assert [outcome.request_id for outcome in (await alice.next()).outcomes] == ["at once"]
        assert [outcome.request_id for outcome in (await alice.next()).outcomes] == ["later"]


async def test_what_was_to_be_refused_later_is_refused_before_the_end() -> None:
    async with player_at(night_of().table, ALICE) as alice:
        error = RefereeError(Reason.OVERLOADED, what="calls", limit=1, retry_after_ms=1_000)
        await alice.opened.refuse("?", "later", error)
        alice.opened.end(None)
        assert [outcome.request_id for outcome in (await alice.next()).outcomes] == ["later"]
        assert await alice.opened.news() is None


async def test_many_moves_that_may_be_tried_again_are_refused_before_there_are_more() -> None:
    async with player_at(night_of().table, ALICE) as alice:
        for number in range(MOVES_UNDER_WAY):
            error = RefereeError(Reason.OVERLOADED, what="calls", limit=1, retry_after_ms=1_000)
            await alice.opened.refuse("?", str(number), error)
        await alice.next(AT_ONCE_S)
        assert len(alice.outcomes) == MOVES_UNDER_WAY


async def test_a_player_with_very_many_matches_is_told_of_them_in_portions(replicas: Night) -> None:
    """Each of them once, in answers of a bounded size, and no sign of life between them."""
    ids = [await replicas.match(ALICE, ALICE) for _ in range(200)]
    async with player_at(replicas.table, ALICE) as alice:
        await alice.until(lambda alice: len(alice.asked) == 200)
        sizes = [len(news.seated) + len(news.asked) + len(news.ended) for news in alice.heard]
        assert max(sizes) <= 3 * 64
        assert min(sizes) > 0
        assert sorted(alice.asked) == sorted((match_id, 0, 0) for match_id in ids)
        assert sorted(alice.seated) == sorted(2 * ids)


async def test_those_who_choose_at_the_same_time_are_each_asked_once(replicas: Night) -> None:
    """Two seats of one principal among them; what one of them has chosen asks nobody anew."""
    match_id = await replicas.match(ALICE, BOB, ALICE, rounds=1)
    await replicas.to_the_bids(match_id)
    async with player_at(replicas.table, ALICE) as alice, player_at(replicas.tables[1], BOB) as bob:
        assert sorted(alice.asked) == [(match_id, 0, 2), (match_id, 2, 2)]
        await alice.play(match_id, 2, BID_0, seat=2)
        await bob.play(match_id, 2, BID_0)
        await bob.until(lambda bob: bob.outcomes)
        await alice.play(match_id, 2, BID_0, seat=0)
        await alice.until(lambda alice: len(alice.ended) == 2)
        assert len(alice.asked) == 2
        assert [type(outcome.answer) for outcome in alice.outcomes] == [Answer, Answer]


async def test_a_match_that_cannot_be_read_is_passed_over() -> None:
    """It was made under other rules; the others are told, and a move in it is refused."""
    night = night_of(limits=SOON)
    readable = await night.match(ALICE, BOB)
    newer = Table(night.store, {"pebbles": Pebbles(rules_version="2")}, SOON)
    unreadable = await Night(night.store, [newer]).match(ALICE, BOB)
    async with player_at(night.table, ALICE) as alice:
        await alice.play(unreadable, 0, TAKE_1)
        await alice.until(lambda alice: alice.outcomes)
        for _ in range(3):
            await alice.next()
    assert alice.asked == [(readable, 0, 0)]
    [outcome] = alice.outcomes
    assert isinstance(outcome.answer, RefereeError)
    assert outcome.answer.reason is Reason.SNAPSHOT_UNREADABLE


async def test_a_match_that_has_expired_is_passed_over() -> None:
    now = [1_000_000]
    night = night_of(limits=Limits(heartbeat_s=0.02, idle_ms=1_000), store=MemoryStore(lambda: now[0]))
    await night.match(ALICE, BOB)
    async with player_at(night.table, ALICE) as alice:
        now[0] += 1_001
        for _ in range(3):
            await alice.next()
        later = await night.match(ALICE, BOB)
        await alice.until(lambda alice: later in alice.seated)
    assert (len(alice.seated), alice.ended) == (2, [])


@pytest.mark.parametrize("store", [MemoryStore, lambda: Deaf(MemoryStore())], ids=["told", "lost"])
async def test_what_was_not_told_is_found_at_the_next_heartbeat(store: Callable[[], MemoryStore]) -> None:
    """A match that came, a question and an end, of all of which the notifications were lost; each is told once."""
    night = night_of(2, SOON, store())
    match_id = await night.match(ALICE, BOB)
    async with player_at(night.table, BOB) as bob:
        later = await night.match(BOB, CAROL, at=1)
        await bob.until(lambda bob: later in bob.seated)
        await night.submit(ALICE, match_id, TAKE_1, KEEP, at=1)
        await bob.until(lambda bob: (match_id, 1, 0) in bob.asked)
        await night.resign(ALICE, match_id, at=1)
        await bob.until(lambda bob: bob.ended)
        for _ in range(3):
            await bob.next()
    assert (bob.seated, bob.ended) == ([match_id, later], [match_id])
    assert bob.asked == [(later, 0, 0), (match_id, 1, 0)]


async def test_a_move_whose_reply_was_lost_may_have_been_played_and_is_looked_at() -> None:
    """The outcome is that the store does not answer; what it brought about is told, and the same again is answered."""
    store = LosesReplies(MemoryStore())
    night = night_of(store=store)
    match_id = await night.match(ALICE, BOB)
    async with player_at(night.table, ALICE) as alice:
        store.count = 1
        move = Move(match_id, "once", None, 0, [ById(TAKE_1)])
        await alice.opened.submit(move)
        await alice.until(lambda alice: alice.outcomes and (match_id, 0, 1) in alice.asked, AT_ONCE_S)
        await alice.opened.submit(move)
        await alice.until(lambda alice: len(alice.outcomes) == 2)
    assert alice.outcomes[1].answer == Answer(1, 1, 0)
    assert (await night.snapshot(match_id)).course.version == 1


async def test_ends_that_were_missed_are_told(replicas: Night) -> None:
    """Also of a match that goes on, once it has ended; nothing of one that is not there or is another's."""
    over, open_, anothers = (
        await replicas.finished(),
        await replicas.match(ALICE, BOB),
        await replicas.match(BOB, CAROL),
    )
    await replicas.resign(BOB, anothers)
    async with player_at(replicas.table, ALICE) as alice:
        assert alice.ended == []
        await alice.opened.expect([over, open_, anothers, MatchId("a" * 26)])
        await alice.until(lambda alice: alice.ended == [over])
        await alice.opened.expect([over])
        await alice.until(lambda alice: alice.ended == [over, over])
        await replicas.resign(BOB, open_, at=1)
        await alice.until(lambda alice: len(alice.ended) > 2)
    assert alice.ended == [over, over, open_]
    assert alice.seated == [open_]


async def test_a_player_who_is_out_is_asked_nothing_and_told_the_end(replicas: Night) -> None:
    match_id = await replicas.match(ALICE, BOB, CAROL, rounds=1)
    async with player_at(replicas.table, ALICE) as alice:
        await replicas.resign(ALICE, match_id)
        await replicas.play(match_id)
        await alice.until(lambda alice: alice.ended)
    assert alice.asked == [(match_id, 0, 0)]
    assert (await replicas.snapshot(match_id)).course.status == Status.FINISHED
