"""What the store holds, read behind the replicas' backs, and whether it is consistent."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass

from referee.games import registry
from referee.store.redis_store import RedisStore
from referee.table.ids import MatchId
from referee.table.snapshot import Actor, Entry, Snapshot, Status, Step, unpack, unpack_entry
from tests.redis_cluster import RedisCluster
from tests.servers import StoreServer


@dataclass(frozen=True)
class Kept:
    """A match as the store holds it; `times` are those of the log's entries, in ms since 1970."""

    snapshot: Snapshot
    log: list[Entry]
    times: list[int]

    def effect(self) -> tuple[object, ...]:
        """All that calls have brought about, but for state, time and random bytes."""
        course, seats = self.snapshot.course, self.snapshot.course.seats
        receipts = {seat: len(ring.receipts) for seat, ring in self.snapshot.rings.items()}
        refused = {seat: dict(ring.refused) for seat, ring in self.snapshot.rings.items() if ring.refused}
        return (
            Status(course.status).name,
            course.released,
            len(self.snapshot.open_seats()),
            tuple((seat.decisions, bool(seat.cause)) for seat in seats),
            [(Step(entry.step).name, entry.seat) for entry in self.log],
            receipts,
            refused,
        )


@dataclass(frozen=True)
class Truth:
    """Reads a store."""

    store: RedisStore

    async def ids(self) -> list[MatchId]:
        """Returns the ids of all matches in the listing."""
        places, more = await self.store.listing(None, 1_000_000)
        assert not more
        return [place.match_id for place in places]

    async def kept(self, match_id: MatchId) -> Kept | None:
        """Returns a match, if there is one. Nobody may be writing to it."""
        stored = await self.store.load(match_id)
        if stored is None:
            return None
        logged = await self.store.log(match_id, 0, 1_000_000)
        times = [item.time_ms for item in logged]
        return Kept(unpack(match_id, stored, registry()), [unpack_entry(item.entry) for item in logged], times)


@asynccontextmanager
async def truth_of(server: StoreServer | RedisCluster) -> AsyncIterator[Truth]:
    """Reads a server or a cluster for a block."""
    store = RedisStore(server.url)
    try:
        yield Truth(store)
    finally:
        await store.close()


def assert_consistent(kept: Kept) -> None:
    """Asserts that the log, dealt and played again, gives the snapshot, and that an end is in it once, as its last."""
    snapshot, course = kept.snapshot, kept.snapshot.course
    game, seats = snapshot.game, len(course.seats)
    state = game.setup(game.options(snapshot.head.options, seats), seats, snapshot.head.seed)
    decisions, out = [0] * seats, [False] * seats
    for entry in kept.log:
        match entry.step:
            case Step.MOVE:
                assert entry.seat in game.to_act(state)
                assert (entry.decision, entry.actor == Actor.AUTOPILOT) == (decisions[entry.seat], out[entry.seat])
                game.check(state, entry.seat, entry.move)
                game.play(state, entry.seat, entry.move)
                decisions[entry.seat] += 1
            case Step.RESIGNATION | Step.TIME_OUT | Step.ILLEGAL_MOVES | Step.NEVER_JOINED:
                out[entry.seat] = True
    assert course.version == len(kept.log)
    assert [(seat.decisions, bool(seat.cause)) for seat in course.seats] == list(zip(decisions, out, strict=True))
    assert course.state == game.encode(state)
    over = course.status == Status.FINISHED
    assert [entry.ended for entry in kept.log] == [False] * (len(kept.log) - over) + [True] * over
    assert over == (game.result(state) is not None or out.count(False) <= 1)
