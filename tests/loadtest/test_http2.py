"""Calls by prepared frames are the calls that any client makes."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from random import Random

import grpc
import pytest

from artreferee.v1 import service_pb2
from loadtest.arrivals import Hall, Play, arrive, by_stream, by_unary
from loadtest.fleet import Caller, Fleet, some_at_once
from loadtest.http2 import BrokenError, Connection, connect
from loadtest.watching import Crowd
from referee.games import registry
from tests.api.harness import Referee


@pytest.fixture
async def address() -> AsyncIterator[str]:
    """Where a referee listens."""
    async with Referee() as running:
        yield f"127.0.0.1:{running.server.port}"


@pytest.fixture
async def connection(address: str) -> AsyncIterator[Connection]:
    """A connection to the referee."""
    opened = await connect(address)
    yield opened
    opened.close()


async def test_a_fleet_plays_its_matches(address: str, connection: Connection) -> None:
    """Every move of every match is counted, by the referee too."""
    fleet = await Fleet.create(Caller(connection, address), registry()["artsee"], 2, 3)
    await fleet.play(0, 5)
    assert dict.fromkeys(fleet.match_ids, 5) == await fleet.versions()


async def test_an_error_of_the_referee_is_told_by_its_code(address: str, connection: Connection) -> None:
    request = service_pb2.GetMatchRequest(match_id="a" * 26).SerializeToString()
    reply = await Caller(connection, address).call("GetMatch", request)
    assert reply.code == grpc.StatusCode.NOT_FOUND


async def test_more_is_sent_than_a_connection_takes_at_once(address: str, connection: Connection) -> None:
    """A server takes 65,535 bytes at first; what is more waits until it wants more."""
    caller = Caller(connection, address)
    request = service_pb2.GetMatchRequest(match_id="a" * 10_000).SerializeToString()
    codes = [(await reply).code for reply in [caller.call("GetMatch", request) for _ in range(30)]]
    assert codes == [grpc.StatusCode.INVALID_ARGUMENT] * 30


async def test_more_is_sent_over_a_stream_than_it_takes_at_once(address: str, connection: Connection) -> None:
    """After ten times 28,000 bytes a move arrives and is played."""
    caller, told = Caller(connection, address), asyncio.Queue[bytes]()
    fleet = await Fleet.create(caller, registry()["artsee"], 2, 1)
    send = caller.open("Play", lambda message, _: told.put_nowait(message))
    for _ in range(10):
        send(service_pb2.PlayRequest(unfinished_match_ids=["a" * 26] * 1_000).SerializeToString())
    (match_id,), (seat, decision, choice) = fleet.match_ids, fleet.choices[0]
    move = service_pb2.PlayMove(request_id="last", match_id=match_id, seat=seat, decision_number=decision)
    move.moves.add(id=choice)
    send(service_pb2.PlayRequest(moves=[move]).SerializeToString())
    outcomes = list[service_pb2.PlayOutcome]()
    while not outcomes:
        outcomes.extend(service_pb2.PlayResponse.FromString(await told.get()).outcomes)
    assert [outcome.request_id for outcome in outcomes if outcome.HasField("accepted")] == ["last"]


async def test_a_connection_that_is_closed_takes_no_call(address: str) -> None:
    opened = await connect(address)
    opened.close()
    with pytest.raises(BrokenError, match="the connection has ended"):
        Caller(opened, address).call("GetMatch", b"")


async def test_each_watcher_hears_each_move(address: str, connection: Connection) -> None:
    fleet = await Fleet.create(Caller(connection, address), registry()["classic_art"], 2, 2)
    crowd = await Crowd.gather(address, [*fleet.match_ids] * 3)
    await fleet.play(0, 1)
    assert len(await crowd.hear()) == 6
    crowd.leave()


@pytest.mark.parametrize("way", [by_unary, by_stream])
async def test_a_hall_finds_no_harm_where_there_is_none(
    address: str, connection: Connection, way: Callable[[Fleet], Awaitable[Play]]
) -> None:
    """All moves that come at a rate are played, and their matches count them."""
    fleet = await Fleet.create(Caller(connection, address), registry()["classic_art"], 2, 8)
    hall = Hall([fleet], [await way(fleet)])
    answers = await arrive(hall.send, 200, 0.5, Random(1))
    assert {grpc.StatusCode.OK} == set(answers.codes)
    assert sum((await fleet.versions()).values()) == answers.codes[grpc.StatusCode.OK]
    assert await hall.harmed() == []


async def test_a_hall_finds_a_move_that_nobody_has_acknowledged(address: str, connection: Connection) -> None:
    fleet = await Fleet.create(Caller(connection, address), registry()["classic_art"], 2, 2)
    hall = Hall([fleet], [await by_unary(fleet)])
    await fleet.caller.answered("SubmitMove", fleet.request(fleet.match_ids[0], 0))
    assert [fleet.match_ids[0]] == await hall.harmed()


async def test_no_more_is_done_at_once_than_is_said() -> None:
    under_way, most = set[int](), 0

    async def act(number: int) -> None:
        nonlocal most
        under_way.add(number)
        most = max(most, len(under_way))
        await asyncio.sleep(0)
        under_way.discard(number)

    await some_at_once(act, range(20), 4)
    assert most == 4
