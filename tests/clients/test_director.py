"""The director where answers are lost: one match for each pairing, never too many at once, nothing miscounted."""

from collections import defaultdict
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack
from dataclasses import dataclass, field
from typing import Final

import msgspec
import pytest

from artreferee.v1 import record_pb2
from clients.tournament.old_director import Director, Plan
from clients.tournament.entrants import entrants
from clients.tournament.schedule import Deal, round_robin
from clients.tournament.standings import Played, sections
from referee.api.server import Server
from referee.api.settings import Settings
from referee.games import registry
from referee.store.memory import MemoryStore
from referee.table.ids import MatchId
from referee.table.snapshot import Course, Status
from referee.table.store import Header, Stored, StoreUnavailableError, Untimely, Write
from referee.table.table import Table
from tests.table.faulty import Relay

AT_ONCE: Final = 3
SPECS: Final = ["random", "random", "greedy"]


@dataclass
class Forgetful(Relay):
    """Loses the answer to each first creation, and counts the matches that go on.

    Attributes:
        created: how often each match was asked for.
        live: the matches that have begun and not ended.
        most: the most of them at any time.
    """

    created: dict[MatchId, int] = field(default_factory=lambda: defaultdict(int))
    live: set[MatchId] = field(default_factory=set)
    most: int = 0

    async def write(self, write: Write) -> Header | Stored | Untimely | None:
        outcome = await self.inner.write(write)
        if isinstance(outcome, Header) and "course" in write.fields:
            self._count(write.match_id, msgspec.msgpack.decode(write.fields["course"], type=Course))
        if write.expected is None:
            self.created[write.match_id] += 1
            if self.created[write.match_id] == 1:
                raise StoreUnavailableError("the answer is lost")
        return outcome

    def _count(self, match_id: MatchId, course: Course) -> None:
        if course.status == Status.ACTIVE:
            self.live.add(match_id)
        else:
            self.live.discard(match_id)
        self.most = max(self.most, len(self.live))


@dataclass(frozen=True)
class Tournament:
    """A tournament that was played."""

    plan: Plan
    store: Forgetful
    played: list[Played]
    records: list[record_pb2.MatchRecord]


@pytest.fixture(scope="module")
async def tournament() -> AsyncIterator[Tournament]:
    """Three entrants, two of them with one name, in pairs on two deals and at a table of three on another."""
    deals = [Deal("artsee", 2, 0), Deal("artsee", 2, 1), Deal("artsee", 3, 0)]
    plan = Plan(entrants(SPECS), list(round_robin(deals, len(SPECS))), AT_ONCE, bytes(32))
    store, records = Forgetful(MemoryStore()), list[record_pb2.MatchRecord]()
    async with AsyncExitStack() as stack:
        server = Server(Table(store, registry()), Settings(listen="127.0.0.1:0"))
        await server.start()
        stack.push_async_callback(server.stop)
        director = Director(plan, f"127.0.0.1:{server.port}", lambda _: None, records.append)
        yield Tournament(plan, store, await director.run(), records)


async def test_each_pairing_is_one_match_although_its_creation_was_repeated(tournament: Tournament) -> None:
    """Three pairs in two rotations on two deals, and six orders of three: 18 matches, each asked for twice."""
    pairings = [pairing for pairings in tournament.plan.rounds for pairing in pairings]
    assert tournament.plan.matches == len(pairings) == 18
    assert [played.pairing for played in tournament.played] == pairings
    assert {played.match_id for played in tournament.played} == tournament.store.created.keys()
    assert len(tournament.store.created) == 18
    assert set(tournament.store.created.values()) == {2}


async def test_there_are_never_more_matches_at_once_than_the_plan_allows(tournament: Tournament) -> None:
    """Counted where matches begin and end, and not where they were asked for."""
    assert tournament.store.most == AT_ONCE
    assert tournament.store.live == set()


async def test_the_standings_are_what_the_records_say(tournament: Tournament) -> None:
    """Counted anew, record by record: a win shared by k is 1/k, whoever sat where by the name in the record."""
    told = {
        (section.seats, row.entrant): (row.seats_played, round(row.wins, 9), round(row.score or 0, 9))
        for section in sections(tournament.played, [entrant.name for entrant in tournament.plan.entrants])
        for row in section.standings
    }
    fared = defaultdict[tuple[int, str], list[tuple[float, int]]](list)
    for record in tournament.records:
        winners = sum(seat.rank == 1 for seat in record.result.seats)
        for seat, result in zip(record.seats, record.result.seats, strict=True):
            share = 1 / winners if result.rank == 1 else 0.0
            fared[len(record.seats), seat.entrant.name].append((share, result.score))
    shares = {row: round(sum(share for share, _ in results), 9) for row, results in fared.items()}
    means = {row: round(sum(score for _, score in results) / len(results), 9) for row, results in fared.items()}
    assert told == {row: (len(results), shares[row], means[row]) for row, results in fared.items()}
    assert len(told) == 2 * len(SPECS)
    assert round(sum(shares.values()), 6) == 18


async def test_every_match_has_one_record(tournament: Tournament) -> None:
    assert sorted(record.match_id for record in tournament.records) == sorted(tournament.store.created)
