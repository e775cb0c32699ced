"""Nobody is late because the service, or its store, was away in the middle of a turn: clocks go on where they stood."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Final

import pytest

from artreferee.v1 import classic_art_pb2, match_pb2, record_pb2, ruleset_pb2, service_pb2
from clients.sdk import Principal, RefereeClient
from tests.faults.cluster import Cluster, cluster
from tests.faults.loss import cut_off, file_of, kept_bytes
from tests.servers import eventually
from tests.table.bookkeeper import passed

WITHIN_S: Final = 40.0
LIMIT_MS: Final = 2_500
MARGIN_MS: Final = 200
SHORT_LIMIT_MS: Final = 700  # less than a replica takes to come back
BEAT_MS: Final = 250  # by so much an outage may seem to begin early
RETURN_MS: Final = 5_000
LONG_LIMIT_MS: Final = 3_600_000
GRACE_MS: Final = 500
NOTICED_MS: Final = 1_000  # so long after the grace
BUSY_MS: Final = 1_500  # what a busy machine may take
SECONDS: Final = 4.0
A_PREDICTION: Final = 55  # any is legal for seat 0, which begins
Away = Callable[[Cluster, float], Awaitable[None]]


@pytest.fixture(scope="module")
async def running(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Cluster]:
    """Two replicas on a store that writes to disk at once."""
    async with cluster(tmp_path_factory.mktemp("replicas"), 2, "always") as running:
        yield running


@asynccontextmanager
async def asked(
    running: Cluster, limit_ms: int = LIMIT_MS, grace_ms: int = 0
) -> AsyncIterator[tuple[RefereeClient, str]]:
    """Seat 0 of a match of two, just asked."""
    player = Principal.new()
    async with asyncio.timeout(WITHIN_S), RefereeClient(running.replicas[0].front.address, player) as client:
        request = service_pb2.CreateMatchRequest(
            ruleset="classic_art",
            options=ruleset_pb2.Options(classic_art=classic_art_pb2.ClassicArtOptions(start_seat=0)),
            seats=[service_pb2.SeatRequest(principal_hash=who.hash) for who in (player, Principal.new())],
            time_control=match_pb2.TimeControl(move_limit_ms=limit_ms, margin_ms=MARGIN_MS),
            fault_policy=match_pb2.FaultPolicy(disconnect_grace_ms=grace_ms),
        )
        yield client, (await client.create_match(request)).match_id


async def left_ms(client: RefereeClient, match_id: str) -> int:
    """What the seat is told to have left; it must still be in."""
    match = await client.get_match(match_id)
    assert [seat.cause for seat in match.seats] == [match_pb2.CAUSE_UNSPECIFIED] * 2
    assert match.prompt.HasField("remaining_ms")
    return match.prompt.remaining_ms


async def answer(client: RefereeClient, match_id: str) -> None:
    moves = [match_pb2.MoveChoice(id=A_PREDICTION)]
    await client.submit_move(service_pb2.SubmitMoveRequest(match_id=match_id, moves=moves))


async def replicas_are_killed(running: Cluster, seconds: float) -> None:
    for replica in running.replicas:
        replica.process.kill()
    await asyncio.sleep(seconds)  # the outage, not a wait
    await start(running)


async def replicas_are_stopped(running: Cluster, seconds: float) -> None:
    """In order, the last one for as long as it takes to start again."""
    for replica in running.replicas:
        replica.process.terminate()
    await asyncio.gather(*(asyncio.to_thread(replica.process.end) for replica in running.replicas))
    await asyncio.sleep(seconds)
    await start(running)


async def the_store_hangs(running: Cluster, seconds: float) -> None:
    running.store.pause()
    await asyncio.sleep(seconds)
    running.store.go_on()


async def the_store_is_killed(running: Cluster, seconds: float) -> None:
    running.store.kill()
    await asyncio.sleep(seconds)
    running.store.start()


async def start(running: Cluster) -> None:
    await asyncio.gather(*(asyncio.to_thread(replica.process.start) for replica in running.replicas))


every_outage = pytest.mark.parametrize(
    "away", [replicas_are_killed, the_store_hangs, the_store_is_killed], ids=lambda away: away.__name__
)


async def clocks_stand_still(running: Cluster, away: Away, seconds: float) -> None:
    """The seat has what it had before, although the outage was longer than its limit, and its answer is taken."""
    async with asked(running) as (client, match_id):
        before = await left_ms(client, match_id)
        await away(running, seconds)
        after = await left_ms(client, match_id)
        assert before - BUSY_MS < after <= min(LIMIT_MS, before + BEAT_MS)
        await answer(client, match_id)


@every_outage
async def test_clocks_stand_still_in_an_outage(running: Cluster, away: Away) -> None:
    await clocks_stand_still(running, away, SECONDS)


@pytest.mark.long
@every_outage
async def test_clocks_stand_still_in_a_long_outage(running: Cluster, away: Away) -> None:
    await clocks_stand_still(running, away, 30.0)


@every_outage
async def test_nobody_is_away_because_the_service_is(running: Cluster, away: Away) -> None:
    """Although the grace is much shorter than the outage."""
    async with asked(running, LONG_LIMIT_MS, GRACE_MS) as (client, match_id):
        await away(running, SECONDS)
        await left_ms(client, match_id)
        await answer(client, match_id)


async def test_who_does_not_come_back_after_an_outage_is_away(running: Cluster) -> None:
    async with asked(running, LONG_LIMIT_MS, GRACE_MS) as (_, match_id):
        await replicas_are_killed(running, 1.0)
        async with RefereeClient(running.replicas[1].front.address) as spectator:
            assert (await spectator.result_of(match_id)).seats[0].cause == match_pb2.CAUSE_DISCONNECTED
            record = await spectator.get_record(match_id)
    assert 0 < passed_ms(record) - GRACE_MS - NOTICED_MS < BUSY_MS


async def test_one_replica_that_goes_takes_no_sign_of_life_with_it(tmp_path: Path) -> None:
    """Who was seen by it alone is in its whole grace, and comes back at the other."""
    async with cluster(tmp_path, 2) as running, asked(running, LONG_LIMIT_MS, 4 * GRACE_MS) as (client, match_id):
        await asyncio.sleep(2 * GRACE_MS / 1_000)  # an absence, not a wait
        await client.get_match(match_id)
        running.replicas[0].process.kill()
        await asyncio.sleep(3 * GRACE_MS / 1_000)
        async with RefereeClient(running.replicas[1].front.address, client.principal) as elsewhere:
            await left_ms(elsewhere, match_id)
            await answer(elsewhere, match_id)


async def test_a_restart_costs_nobody_anything(running: Cluster) -> None:
    """However quick it is: the limit is shorter than the time until a replica listens again."""
    async with asked(running, SHORT_LIMIT_MS) as (client, match_id):
        await replicas_are_stopped(running, 0.0)
        await answer(client, match_id)


async def test_one_replica_that_goes_is_no_outage(tmp_path: Path) -> None:
    """The other is at work, so time goes on; it puts out whoever is late, also where the one that went had asked."""
    async with cluster(tmp_path, 2) as running, asked(running, SHORT_LIMIT_MS) as (client, match_id):
        running.replicas[0].process.kill()
        async with RefereeClient(running.replicas[1].front.address, client.principal) as elsewhere:
            assert (await elsewhere.result_of(match_id)).seats[0].cause == match_pb2.CAUSE_TIMED_OUT
            record = await elsewhere.get_record(match_id)
    assert list(record.outages) == []
    assert 0 < passed_ms(record) - SHORT_LIMIT_MS - MARGIN_MS < BUSY_MS


def passed_ms(record: record_pb2.MatchRecord) -> int:
    """How long a match was, outages left out."""
    outages = [(outage.start_time_ms, outage.end_time_ms) for outage in record.outages]
    return passed(record.create_time_ms, record.end_time_ms, outages)


async def test_a_clock_goes_on_from_where_it_stood(running: Cluster) -> None:
    """A seat that never answers is out as soon as its time is up, outage and the time to come back left out."""
    async with asked(running, SHORT_LIMIT_MS) as (client, match_id):
        await replicas_are_killed(running, 1.0)
        assert (await client.result_of(match_id)).seats[0].cause == match_pb2.CAUSE_TIMED_OUT
        record = await client.get_record(match_id)
    outage = record.outages[-1]
    assert outage.end_time_ms - outage.start_time_ms > 1_000 + RETURN_MS
    assert 0 < passed_ms(record) - SHORT_LIMIT_MS - MARGIN_MS < BUSY_MS


async def test_clocks_stand_still_although_the_store_lost_its_last_writes(running: Cluster) -> None:
    """The question that was answered is asked again, and its clock has what it had when the store went."""
    async with asked(running) as (client, match_id):
        await eventually(lambda: is_kept(running, match_id))
        kept, before = kept_bytes(running.store), await left_ms(client, match_id)
        await answer(client, match_id)
        running.store.kill()
        cut_off(running.store, kept)
        await asyncio.sleep(SECONDS)
        running.store.start()
        after = await left_ms(client, match_id)
        assert before - BUSY_MS < after <= min(LIMIT_MS, before + BEAT_MS)
        await answer(client, match_id)


async def is_kept(running: Cluster, match_id: str) -> bool:
    """Whether the store's file holds a match."""
    return match_id.encode() in file_of(running.store).read_bytes()
