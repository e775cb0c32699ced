"""The director: one match for each pairing, never too many at once, nothing miscounted, also where it is stopped."""

from collections import Counter, defaultdict
from collections.abc import AsyncIterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

import msgspec
import pytest

from clients.tournament.pairing import Game
from clients.tournament.running import begin
from clients.tournament.state import State
from referee.store.memory import MemoryStore
from referee.table.ids import MatchId
from referee.table.snapshot import Course, Status
from referee.table.store import Header, Stored, StoreUnavailableError, Untimely, Write
from tests.clients.tournament.accounts import drawn_in, entries_of, matches_of, records_of, require_consistent
from tests.clients.tournament.staged import ALPHA, BETA, GAMMA, PAIRED, SHORT, plan_of, played_on, referee_of
from tests.table.faulty import Relay

AT_ONCE: Final = 3
PLAN: Final = plan_of(ALPHA, BETA, GAMMA, games=(PAIRED, Game("classic_art", 3, SHORT)), deals=1, concurrency=AT_ONCE)


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
class Undisturbed:
    """A tournament that was played at one go, but for lost answers."""

    folder: Path
    store: Forgetful
    state: State


@pytest.fixture(scope="module")
async def undisturbed(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Undisturbed]:
    """Three entrants in pairs on a deal, and at a table of three on another."""
    folder, store = tmp_path_factory.mktemp("undisturbed") / "out", Forgetful(MemoryStore())
    begin(folder, PLAN)
    async with referee_of(store) as address:
        yield Undisturbed(folder, store, await played_on(folder, address))


async def test_each_pairing_is_one_match_although_its_creation_was_repeated(undisturbed: Undisturbed) -> None:
    """Three pairs in two rotations, and two seatings of three in three: 12 matches, each asked for twice."""
    state, store = undisturbed.state, undisturbed.store
    assert len(drawn_in(entries_of(undisturbed.folder))) == len(state.played) == 12
    assert {played.match_id for played in state.played.values()} == store.created.keys()
    assert set(store.created.values()) == {2}
    assert state.closed


async def test_there_are_never_more_matches_at_once_than_the_plan_allows(undisturbed: Undisturbed) -> None:
    """Counted where matches begin and end, and not where they were asked for."""
    assert undisturbed.store.most == AT_ONCE
    assert undisturbed.store.live == set()


async def test_schedule_results_and_records_agree(undisturbed: Undisturbed) -> None:
    """Each order of the entrants on each deal once, by the names in the records."""
    require_consistent(undisturbed.folder)
    records = matches_of(undisturbed.folder)
    assert Counter((match.deal, match.entrants) for match in records) == Counter(
        drawn_in(entries_of(undisturbed.folder))
    )
    assert set(records.values()) == {1}


@pytest.mark.parametrize("step", [pytest.param(1, marks=pytest.mark.long), 4, 11])
async def test_a_tournament_that_is_stopped_again_and_again_is_the_same(
    undisturbed: Undisturbed, tmp_path: Path, step: int
) -> None:
    """After so many entries each time, just when the journal has them: same pairings, moves and results."""
    folder = tmp_path / "out"
    begin(folder, PLAN)
    async with referee_of(MemoryStore()) as address:
        while not (state := await played_on(folder, address, until=step)).closed:
            require_consistent(folder)
    assert matches_of(folder) == matches_of(undisturbed.folder)
    assert state.played.keys() == undisturbed.state.played.keys()
    assert len(records_of(folder)) == 12


async def test_a_lost_match_is_played_again(undisturbed: Undisturbed, tmp_path: Path) -> None:
    """The store is gone with all matches in the middle: what was recorded stays, the rest comes out the same."""
    folder = tmp_path / "out"
    begin(folder, PLAN)
    for _ in range(3):
        async with referee_of(MemoryStore()) as address:
            await played_on(folder, address, until=9)
    async with referee_of(MemoryStore()) as address:
        await played_on(folder, address)
    require_consistent_but_for_lost(folder)
    assert matches_of(folder) == matches_of(undisturbed.folder)


def require_consistent_but_for_lost(folder: Path) -> None:
    """Every match that ended more than once was voided between."""
    entries = entries_of(folder)
    ended = Counter(entry["pairing"] for entry in entries if entry["type"] == "ended")
    voided = Counter(entry["pairing"] for entry in entries if entry["type"] == "voided")
    assert sum(voided.values()) > 0
    assert all(count - 1 <= voided[pairing] for pairing, count in ended.items())
