"""Whose signs of life are noted: those of players in matches with a grace, now and then, and nobody else's."""

import time
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from types import SimpleNamespace

import pytest

from referee.store.memory import MemoryStore
from referee.table import presence
from referee.table.clocks import Terms
from referee.table.ids import MatchId, Principal
from referee.table.store import Header, Stored, StoreUnavailableError, Untimely, Write
from tests.table.clock import Clock
from tests.table.faulty import Relay
from tests.table.night import Night, night_of
from tests.table.pebbles import KEEP, TAKE_1
from tests.table.sitting import ALICE, BOB, CAROL, HOST
from tests.table.test_table_grace import GRACE, GRACE_MS, OVER_MS, passes


@pytest.fixture
def clock() -> Clock:
    return Clock()


@dataclass
class Noted(Relay):
    """Notes what is done with the roll and with stamps."""

    deeds: list[str] = field(default_factory=list)

    async def enrol(self, match_id: MatchId, principals: Collection[Principal], grace_ms: int) -> None:
        self.deeds.append("enrol")
        await self.inner.enrol(match_id, principals, grace_ms)

    async def dismiss(self, match_id: MatchId, principals: Collection[Principal], grace_ms: int) -> None:
        self.deeds.append("dismiss")
        await self.inner.dismiss(match_id, principals, grace_ms)

    async def stamp(self, match_id: MatchId, field: str) -> bool:
        self.deeds.append("stamp")
        return await self.inner.stamp(match_id, field)


async def test_matches_without_a_grace_cost_nothing(clock: Clock) -> None:
    """Also while others have one, whoever plays in them."""
    store = Noted(MemoryStore(clock))
    night = night_of(store=store)
    await night.match(CAROL, HOST, terms=GRACE)
    match_id = await night.match(ALICE, BOB, terms=Terms(move_ms=3_600_000))
    await passes(clock, 250, night)
    store.deeds.clear()
    for who in (ALICE, BOB):
        with night.table.presence.staying(who):
            await night.table.presence.sign(who)
            await night.submit(who, match_id, TAKE_1, KEEP)
            await passes(clock, 10 * OVER_MS, night)
    await night.play(match_id)
    assert store.deeds == []
    assert "seen" not in " ".join((await stored_fields(night, match_id)).keys())


async def test_signs_of_life_are_noted_eight_times_a_grace(clock: Clock) -> None:
    store = Noted(MemoryStore(clock))
    night = night_of(store=store)
    await night.match(ALICE, BOB, terms=GRACE)
    await passes(clock, 250, night)
    store.deeds.clear()
    for _ in range(10 * GRACE_MS // 10):
        clock.now_ms += 10
        await night.table.time.beat()
        await night.table.presence.sign(ALICE)
    assert 78 <= len(store.deeds) <= 81


async def test_when_a_match_is_over_nobody_is_on_the_roll_and_no_sign_of_life_is_kept(clock: Clock) -> None:
    store = Noted(MemoryStore(clock))
    night = night_of(store=store)
    match_id = await night.match(ALICE, BOB, terms=GRACE)
    assert {enrolled.principal for _, enrolled in await store.roll(0)} == {ALICE, BOB}
    await night.resign(ALICE, match_id)
    assert await store.roll(0) == []
    assert {packed for name, packed in (await stored_fields(night, match_id)).items() if "seen" in name} == {b""}


async def test_an_end_that_was_not_written_takes_nobody_from_the_roll(clock: Clock) -> None:
    """Somebody else wrote before it, and then the store was away."""

    @dataclass
    class ConflictsAndIsAway(Relay):
        ends: int = 0

        async def write(self, write: Write) -> Header | Stored | Untimely | None:
            if not write.over:
                return await self.inner.write(write)
            self.ends += 1
            if self.ends > 1:
                raise StoreUnavailableError("away")
            return await self.inner.load(write.match_id)

    store = ConflictsAndIsAway(MemoryStore(clock))
    night = night_of(store=store)
    match_id = await night.match(ALICE, BOB, terms=GRACE)
    with pytest.raises(StoreUnavailableError):
        await night.resign(ALICE, match_id)
    assert {enrolled.principal for _, enrolled in await store.roll(0)} == {ALICE, BOB}


@contextmanager
def later(monkeypatch: pytest.MonkeyPatch, seconds: float) -> Iterator[None]:
    """Lets the clock of a machine go on."""
    with monkeypatch.context() as changed:
        changed.setattr(presence, "time", SimpleNamespace(monotonic=lambda: time.monotonic() + seconds))
        yield


async def test_whoever_is_on_the_roll_for_nothing_is_taken_from_it(
    clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its match was never written, because whoever would have done so is gone; but not before that is certain."""
    store = MemoryStore(clock)
    night = night_of(store=store)
    await store.enrol(MatchId("a" * 26), [ALICE, BOB], GRACE_MS)
    await night.table.presence.sign(ALICE)
    assert len(await store.roll(0)) == 2
    with later(monkeypatch, 61):
        await night.table.presence.sign(ALICE)
    assert {enrolled.principal for _, enrolled in await store.roll(0)} == {BOB}


async def test_a_table_forgets_whom_others_have_taken_from_the_roll(
    clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    """After a while, and misses nobody who is put there meanwhile."""
    store = Noted(MemoryStore(clock))
    night = night_of(2, store=store)
    match_ids = [await night.match(ALICE, BOB, terms=GRACE) for _ in range(2)]
    await passes(clock, 250, night)
    await night.resign(ALICE, match_ids[0], at=1)
    with later(monkeypatch, 601):
        await passes(clock, GRACE_MS, night)
        store.deeds.clear()
        await night.table.presence.sign(ALICE)
        assert store.deeds == ["stamp"]


async def stored_fields(night: Night, match_id: MatchId) -> dict[str, bytes]:
    stored = await night.store.load(match_id)
    assert stored is not None
    return dict(stored.fields)
