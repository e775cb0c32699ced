"""Tables that keep time while the service is away: an outage costs nobody anything, and nothing else is one."""

import pytest

from referee.core.errors import RefereeError
from referee.store.memory import MemoryStore
from referee.table.clocks import Moment, Terms
from referee.table.store import StoreUnavailableError
from referee.table.table import Table
from tests.table.clock import Clock, machines_show
from tests.table.night import night_of
from tests.table.pebbles import KEEP, TAKE_0
from tests.table.sitting import ALICE, BOB, CAROL, GAMES, START_MS
from tests.table.timekeeping import LIMIT, Broken, deadline_ms, looks, outs, wrong_by

OUTAGE_MS = 2_500
START_UP_MS = 600
RETURN_MS = 5_000


@pytest.fixture
def clock() -> Clock:
    return Clock()


async def test_an_outage_is_noticed_and_charged_to_nobody(clock: Clock) -> None:
    """Time goes on when players have had time to come back."""
    night = night_of(2, store=MemoryStore(clock))
    match_id = await night.match(ALICE, BOB, terms=LIMIT)
    await clock.goes_on(500, *night.tables)
    clock.now_ms += 60_000
    await looks(night, match_id)
    expected = START_MS + 900 + 60_000 + RETURN_MS
    for table in night.tables:
        await table.time.beat()
        assert await deadline_ms(night, match_id, table) == expected
    await clock.goes_on(expected - clock.now_ms, *night.tables)
    await night.submit(ALICE, match_id, TAKE_0)
    assert await outs(night, match_id) == []


async def test_after_an_outage_who_is_late_is_late(clock: Clock) -> None:
    night = night_of(store=MemoryStore(clock))
    match_id = await night.match(ALICE, BOB, terms=LIMIT)
    clock.now_ms += 60_000
    await looks(night, match_id)
    await clock.goes_on(RETURN_MS + 901, night.table)
    await looks(night, match_id)
    assert await outs(night, match_id) == [("TIME_OUT", 0)]


async def test_the_first_move_after_an_outage_is_taken(clock: Clock) -> None:
    """No replica has noticed the outage yet, and the one that takes the move has just begun."""
    night = night_of(store=MemoryStore(clock))
    match_id = await night.match(ALICE, BOB, terms=LIMIT)
    clock.now_ms += 60_000
    night.tables.append(Table(night.store, GAMES))
    await night.submit(ALICE, match_id, TAKE_0, at=1)
    await night.submit(ALICE, match_id, KEEP, at=0)
    assert await outs(night, match_id) == []


@pytest.mark.parametrize(
    ("gap_ms", "begins", "is_outage"),
    [
        (OUTAGE_MS, False, False),
        (OUTAGE_MS + 1, False, True),
        (START_UP_MS, True, False),
        (START_UP_MS + 1, True, True),
    ],
)
async def test_when_it_was_an_outage(clock: Clock, gap_ms: int, begins: bool, is_outage: bool) -> None:
    """Beats may come late; but a replica that begins and finds that nobody was at work lately comes after a restart."""
    store = MemoryStore(clock)
    old = Table(store, GAMES)
    await old.time.beat()
    clock.now_ms += gap_ms
    moment = await (Table(store, GAMES) if begins else old).time.beat()
    since = START_MS, START_MS + gap_ms + RETURN_MS
    assert moment == Moment(START_MS + gap_ms, (since,) if is_outage else ())


async def test_a_store_that_did_not_answer_was_away_though_for_less(clock: Clock) -> None:
    """A replica that comes back to it asks whether any other could work meanwhile."""
    store = Broken(MemoryStore(clock))
    table = Table(store, GAMES)
    await table.time.beat()
    store.beat_fault = StoreUnavailableError("away")
    with pytest.raises(StoreUnavailableError):
        await table.time.beat()
    clock.now_ms += START_UP_MS + 1
    assert (await table.time.beat()).outages == ((START_MS, clock.now_ms + RETURN_MS),)
    clock.now_ms += START_UP_MS + 1
    assert len((await table.time.beat()).outages) == 1


async def test_while_one_replica_is_at_work_it_is_no_outage_that_others_are_not(clock: Clock) -> None:
    night = night_of(2, store=MemoryStore(clock))
    match_id = await night.match(ALICE, BOB, CAROL, terms=LIMIT, at=1)
    await clock.goes_on(60_000, night.table)
    assert await deadline_ms(night, match_id, night.tables[1]) == START_MS + 900
    with pytest.raises(RefereeError):
        await night.submit(ALICE, match_id, TAKE_0, at=1)
    assert await outs(night, match_id) == [("TIME_OUT", 0)]


async def test_a_replica_that_has_not_beaten_lately_asks_before_it_charges(
    clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It hung while there was an outage, which another replica has noticed."""
    night = night_of(2, store=MemoryStore(clock))
    match_id = await night.match(ALICE, BOB, terms=Terms(bank_ms=3_600_000))
    await night.tables[1].time.beat()
    clock.now_ms += 1_000_000
    await night.submit(ALICE, match_id, TAKE_0, at=0)
    machines_show(monkeypatch, wrong_by(1_000))
    await night.submit(ALICE, match_id, KEEP, at=1)
    snapshot = await night.snapshot(match_id)
    assert snapshot.bank_ms(0, await night.tables[1].time.moment()) == 3_600_000
