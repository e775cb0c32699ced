"""A night at the table: tables over one store, and matches of pebbles that are played through them."""

from collections.abc import Sequence
from dataclasses import dataclass, field

from referee.core.errors import Reason, RefereeError
from referee.store.memory import MemoryStore
from referee.table.clocks import NO_TERMS, Terms
from referee.table.ids import MatchId, Principal
from referee.table.matches import Limits
from referee.table.snapshot import Snapshot, Status
from referee.table.store import Store
from referee.table.table import Table
from referee.table.transitions import Answer, ById, ByIndex
from tests.table.faulty import Unhurried
from tests.table.pebbles import KEEP, TAKE_1
from tests.table.sitting import ALICE, BOB, GAMES, HOST, creation_of, new_id


@dataclass
class Night:
    """Some tables that share a store, as the replicas of a service do.

    Attributes:
        store: what they share.
        tables: at least one.
    """

    store: Store
    tables: list[Table] = field(default_factory=list)

    @property
    def table(self) -> Table:
        """The first table."""
        return self.tables[0]

    async def match(
        self,
        *principals: Principal | None,
        rounds: int = 2,
        on_release: bool = False,
        at: int = 0,
        terms: Terms = NO_TERMS,
    ) -> MatchId:
        """Creates a match at one of the tables."""
        creation = creation_of(principals, rounds=rounds, on_release=on_release, terms=terms)
        return (await self.tables[at].create(HOST, new_id(), creation)).match_id

    async def snapshot(self, match_id: MatchId) -> Snapshot:
        """The match as the store has it, read by a table that knows nothing else."""
        return (await Table(self.store, GAMES).get(HOST, match_id, None)).snapshot

    async def submit(
        self, who: Principal, match_id: MatchId, *moves: int, at: int = 0, seat: int | None = None
    ) -> Answer:
        """Plays moves with a new request id and the seat's own decision number."""
        snapshot = await self.snapshot(match_id)
        mover = snapshot.seats_of(who)[0] if seat is None else seat
        decision = snapshot.course.seats[mover].decisions
        choices = [ById(move) for move in moves]
        answer, _ = await self.tables[at].submit(who, match_id, new_id(), seat, decision, choices)
        return answer

    async def join(self, who: Principal, match_id: MatchId, *, at: int = 0, seat: int | None = None) -> Answer:
        """Takes a seat with a new request id."""
        return await self.tables[at].join(who, match_id, new_id(), seat, "", ("", ""))

    async def resign(self, who: Principal, match_id: MatchId, *, at: int = 0) -> Answer:
        """Gives up the only seat with a new request id."""
        return await self.tables[at].resign(who, match_id, new_id(), None)

    async def to_the_bids(self, match_id: MatchId) -> None:
        """Plays to the next simultaneous choice."""
        while len((snapshot := await self.snapshot(match_id)).to_act()) == 1:
            seat = snapshot.to_act()[0]
            await self.submit(holder(snapshot, seat), match_id, TAKE_1, KEEP, seat=seat)

    async def play(self, match_id: MatchId, versions: int = 1_000_000) -> None:
        """Plays the first legal move again and again, taking the tables in turn, to the end or so many versions on."""
        start = (await self.snapshot(match_id)).course.version
        for number in range(versions):
            snapshot = await self.snapshot(match_id)
            if snapshot.course.status == Status.FINISHED or snapshot.course.version - start >= versions:
                return
            seat = snapshot.to_act()[0]
            table = self.tables[number % len(self.tables)]
            decision = snapshot.course.seats[seat].decisions
            await table.submit(holder(snapshot, seat), match_id, new_id(), seat, decision, [ByIndex(0)])

    async def finished(self, *, on_release: bool = False) -> MatchId:
        """Creates a match of two that ends at once because one resigns."""
        match_id = await self.match(ALICE, BOB, on_release=on_release)
        await self.resign(ALICE, match_id)
        return match_id


def night_of(tables: int = 1, limits: Limits | None = None, store: Store | None = None) -> Night:
    """Returns so many tables over one store."""
    shared = store or Unhurried(MemoryStore())
    return Night(shared, [Table(shared, GAMES, limits) for _ in range(tables)])


def holder(snapshot: Snapshot, seat: int) -> Principal:
    """Returns who holds a seat."""
    principal = snapshot.head.seats[seat].principal
    assert principal is not None
    return Principal(principal)


def reasons(outcomes: Sequence[object]) -> list[Reason]:
    """Returns why those of several calls that were refused were refused."""
    return [outcome.reason for outcome in outcomes if isinstance(outcome, RefereeError)]
