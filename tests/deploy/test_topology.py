"""The deployment that compose.yaml describes, run from its own files: played through, drained, watched over."""

import asyncio
import random
from collections.abc import AsyncIterator, Sequence
from functools import partial
from pathlib import Path
from typing import Final

import grpc
import pytest

from artreferee.v1 import error_pb2, match_pb2, service_pb2
from artreferee.v1.service_pb2_grpc import RefereeServiceStub
from clients.bots.random_bot import RandomBot
from clients.replay import replay
from clients.sdk import Budget, CallError, Principal, RefereeClient, Runner, Tls, play_seat
from tests.certificates import Authority
from tests.counting import SOME_MOVES, Counting
from tests.deploy.dashboard import expressions
from tests.deploy.topology import DEPLOY, Topology, any_address, balancing, topology
from tests.servers import eventually

WITHIN_S: Final = 60.0
MATCHES: Final = 4
CALLERS: Final = 8
STREAMS: Final = 150
Players = tuple[RefereeClient, RefereeClient]


@pytest.fixture(scope="module")
async def running(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Topology]:
    async with topology(tmp_path_factory.mktemp("topology")) as running:
        yield running


@pytest.fixture
async def players(running: Topology) -> AsyncIterator[Players]:
    """Two players who call the balancer."""
    async with RefereeClient(running.balancer) as one, RefereeClient(running.balancer) as two:
        yield one, two


async def begin(ruleset: str, players: Players) -> str:
    seats = [service_pb2.SeatRequest(principal_hash=player.principal.hash) for player in players]
    return (await players[0].create_match(service_pb2.CreateMatchRequest(ruleset=ruleset, seats=seats))).match_id


async def play(players: Players, match_ids: Sequence[str], bot: RandomBot) -> None:
    """Plays matches to their ends: seat 0 by unary calls, seat 1 over one Play stream."""
    caller, streamer = players
    runner = Runner(streamer, lambda: bot, Budget(), lambda *why: pytest.fail(str(why)))
    async with asyncio.timeout(WITHIN_S), asyncio.TaskGroup() as group:
        running = group.create_task(runner.run())
        async with asyncio.TaskGroup() as calling:
            for match_id in match_ids:
                calling.create_task(play_seat(caller, match_id, 0, bot, Budget(), random.Random()))
        running.cancel()


async def moves_of(client: RefereeClient, match_ids: Sequence[str]) -> int:
    """How many moves the records hold; they replay, and nobody went out."""
    moves = 0
    for match_id in match_ids:
        record = await client.get_record(match_id)
        assert {seat.cause for seat in record.result.seats} == {match_pb2.CAUSE_UNSPECIFIED}
        assert len(list(replay(record))) == len(record.log)
        moves += sum(entry.HasField("move") for entry in record.log)
    return moves


async def be_refused(client: RefereeClient, match_id: str) -> None:
    with pytest.raises(CallError) as refusal:
        await client.get_record(match_id)
    assert refusal.value.reason == error_pb2.ERROR_REASON_MATCH_NOT_OVER


def stranger() -> tuple[tuple[str, str]]:
    """Returns the metadata of a caller whom nobody knows."""
    return (("authorization", f"Bearer {Principal.new().token}"),)


async def test_what_is_played_through_the_balancer_is_seen_by_prometheus(running: Topology, players: Players) -> None:
    """Every target is up, every move is counted, and every panel of the dashboard has its figures."""
    match_ids = [await begin("classic_art", players) for _ in range(MATCHES)]
    await be_refused(players[0], match_ids[0])
    await play(players, match_ids, RandomBot())
    moves = await moves_of(players[0], match_ids)

    async def counted() -> bool:
        return await running.values('sum(referee_moves_total{ruleset="classic_art"})') == [moves]

    await eventually(counted)
    assert await running.values("up") == [1, 1, 1]
    assert len(await running.values("sum by (instance) (referee_calls_total) > 0")) == 2
    for expression in expressions():
        if "store_errors" not in expression:  # there were none
            await eventually(partial(running.values, expression))


async def test_a_referee_drains_and_comes_back_while_matches_are_played(running: Topology, players: Players) -> None:
    """Its players notice nothing; the balancer leaves it out as long as it is away."""
    match_ids, bot, leaving, back = list[str](), Counting(), running.referees[0], asyncio.Event()

    async def play_on() -> None:
        while not back.is_set():
            begun = [await begin("artsee", players) for _ in range(MATCHES)]
            await play(players, begun, bot)
            match_ids.extend(begun)

    async with asyncio.timeout(WITHIN_S), asyncio.TaskGroup() as group:
        group.create_task(play_on())
        await bot.enough.wait()
        leaving.terminate()
        assert await asyncio.to_thread(leaving.wait) == 0
        await eventually(lambda: running.shows('haproxy_server_status{server="referee-1", state="UP"}', [0]))
        leaving.end()
        await asyncio.to_thread(leaving.start)
        await eventually(lambda: running.shows('haproxy_server_status{server="referee-1", state="UP"}', [1]))
        back.set()
    assert await moves_of(players[0], match_ids) > SOME_MOVES


async def test_one_connection_has_room_for_many_streams(running: Topology, players: Players) -> None:
    """And for calls beside them: a balancer takes a hundred by default, and lets all others wait."""
    match_id = await begin("artsee", players)
    watch, get = service_pb2.WatchMatchRequest(match_id=match_id), service_pb2.GetMatchRequest(match_id=match_id)
    async with asyncio.timeout(WITHIN_S), grpc.aio.insecure_channel(running.balancer) as channel:
        stub = RefereeServiceStub(channel)
        streams = [stub.WatchMatch(watch, metadata=stranger()) for _ in range(STREAMS)]
        for stream in streams:
            first = await stream.read()
            assert isinstance(first, service_pb2.WatchMatchResponse)
            assert first.snapshot.match_id == match_id
        assert (await stub.GetMatch(get, metadata=stranger())).match.match_id == match_id
        for stream in streams:
            stream.cancel()


async def test_clients_may_speak_tls_with_the_balancer(running: Topology, players: Players, tmp_path: Path) -> None:
    host, authority = any_address(), Authority(tmp_path, "ca")
    pair = authority.issue(host)
    both = tmp_path / "tls.pem"
    both.write_bytes(pair.cert.read_bytes() + pair.key.read_bytes())
    tls = f"ssl crt {both} alpn h2"
    match_id = await begin("artsee", players)
    with balancing(tmp_path, host, running.hosts, LISTEN_OPTIONS=tls):
        async with RefereeClient(f"{host}:50051", tls=Tls(authority.root)) as client:
            assert (await client.get_match(match_id)).match_id == match_id


async def test_a_plain_client_needs_the_service_config_alone(running: Topology) -> None:
    """Of two referees one is killed: the stub of any language goes on at the other, and no call of it fails."""
    options = (("grpc.service_config", (DEPLOY / "service_config.json").read_text()),)
    target = f"ipv4:{','.join(referee.address for referee in running.referees)}"
    request, leaving = service_pb2.ListMatchesRequest(page_size=1), running.referees[0]
    metadata, killed = stranger(), asyncio.Event()
    async with asyncio.timeout(WITHIN_S), grpc.aio.insecure_channel(target, options) as channel:
        stub = RefereeServiceStub(channel)

        async def call_on() -> None:
            while not killed.is_set():
                await stub.ListMatches(request, metadata=metadata)

        async with asyncio.TaskGroup() as group:
            for _ in range(CALLERS):
                group.create_task(call_on())
            await stub.ListMatches(request, metadata=metadata)
            await asyncio.to_thread(leaving.kill)
            await stub.ListMatches(request, metadata=metadata)
            killed.set()
    await asyncio.to_thread(leaving.start)
