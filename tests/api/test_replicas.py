"""Two replicas on one store: moves go to both in turn, and whoever follows at either sees one match."""

import asyncio
import random
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack
from typing import Any, Final

import grpc
import pytest

from artreferee.v1 import match_pb2, ruleset_pb2, service_pb2
from artreferee.v1.art_decko_pb2 import ArtDeckoOptions
from referee.api.server import Server
from referee.api.settings import Settings
from referee.games import registry
from referee.store.redis_store import RedisStore
from referee.table.matches import Limits
from referee.table.table import Table
from tests.api.harness import HOST, SEATS, SPECTATOR, Caller, Referee, Reply
from tests.servers import bundled_server, store_server

PLAYERS: Final = SEATS[:3]
VIEWERS: Final = (*PLAYERS, SPECTATOR)
SOON: Final = Limits(heartbeat_s=0.05)


@pytest.fixture
async def replicas() -> AsyncIterator[list[grpc.aio.Channel]]:
    """A connection to each of two replicas."""
    with store_server(bundled_server()) as store:
        async with AsyncExitStack() as stack:
            channels = []
            for _ in range(2):
                redis = RedisStore(store.url)
                stack.push_async_callback(redis.close)
                server = Server(Table(redis, registry(), SOON), Settings(listen="127.0.0.1:0"))
                await server.start()
                stack.push_async_callback(server.stop)
                channels.append(grpc.aio.insecure_channel(f"127.0.0.1:{server.port}"))
                stack.push_async_callback(channels[-1].close)
            yield channels


async def created(host: Caller) -> str:
    request = service_pb2.CreateMatchRequest(
        request_id="create",
        ruleset="art_decko",
        options=ruleset_pb2.Options(art_decko=ArtDeckoOptions(max_rounds=2)),
        seats=[service_pb2.SeatRequest(principal_hash=player.hash) for player in PLAYERS],
    )
    match_id: str = (await host.ask("CreateMatch", request)).match_id
    return match_id


async def play(seats: list[list[Caller]], match_id: str, rng: random.Random) -> list[service_pb2.SubmitMoveResponse]:
    """Plays to the end and returns the answers: the next move goes to the other replica as soon as one is answered."""
    answers, match = list[service_pb2.SubmitMoveResponse](), await got(seats[0][0], match_id)
    while match.status != match_pb2.MATCH_STATUS_FINISHED:
        number = len(answers)
        [seat] = [place for place, fares in enumerate(match.seats) if fares.to_act]
        caller = seats[seat][number % 2]
        if match.viewer_seat != seat:
            match = await got(caller, match_id)
            assert match.version == number
        request = service_pb2.SubmitMoveRequest(
            request_id=f"move-{number}",
            match_id=match_id,
            decision_number=match.prompt.decision_number,
            moves=[match_pb2.MoveChoice(id=rng.choice(match.prompt.legal_moves).id)],
        )
        answers.append(await caller.ask("SubmitMove", request))
        match = answers[-1].match
    return answers


async def got(caller: Caller, match_id: str) -> match_pb2.Match:
    response: Any = await caller.ask("GetMatch", service_pb2.GetMatchRequest(match_id=match_id))
    found: match_pb2.Match = response.match
    return found


async def test_moves_that_follow_at_once_through_two_replicas_are_told_in_order_at_both(
    replicas: list[grpc.aio.Channel],
) -> None:
    """No follower is ever told an earlier version, and what it is told of one is what its mover was answered."""
    seats = [[Referee.caller_on(channel, secret) for channel in replicas] for secret in VIEWERS]
    match_id = await created(Referee.caller_on(replicas[0], HOST))
    watch = service_pb2.WatchMatchRequest(match_id=match_id)
    listening = [
        [asyncio.create_task(caller.watch(watch).rest()) for caller in at_each_replica] for at_each_replica in seats
    ]
    answers = await play(seats[:3], match_id, random.Random(1))
    assert [answer.version for answer in answers] == list(range(1, len(answers) + 1))
    said = {(answer.match.viewer_seat, answer.version): answer.match for answer in answers}
    compared = 0
    for viewer, callers in enumerate(seats):
        last = [await got(caller, match_id) for caller in callers]
        assert last[0] == last[1]
        for reply in await asyncio.gather(*listening[viewer]):
            matches = told_in_order(reply)
            assert matches[-1] == last[0]
            common = [match for match in matches if (viewer, match.version) in said]
            assert common == [said[viewer, match.version] for match in common]
            compared += len(common)
    assert compared >= len(replicas)


def told_in_order(reply: Reply) -> list[match_pb2.Match]:
    """The matches that a follower was told, whose versions, with those of all else that it was told, only grow."""
    assert reply.code == grpc.StatusCode.OK
    version, matches = -1, list[match_pb2.Match]()
    for packed in reply.messages:
        message = service_pb2.WatchMatchResponse.FromString(packed)
        match message.WhichOneof("message"):
            case "update":
                assert message.update.version == version + 1
                version += 1
                if message.update.HasField("match"):
                    matches.append(message.update.match)
            case "snapshot":
                assert message.snapshot.version > version
                version = message.snapshot.version
                matches.append(message.snapshot)
            case _:
                assert message.heartbeat.version == version
    return matches


async def test_players_on_streams_at_two_replicas_are_asked_in_order(replicas: list[grpc.aio.Channel]) -> None:
    """Each decision once, as GetMatch has it at either replica, at versions that only grow; and both hear the end."""
    match_id = await created(Referee.caller_on(replicas[0], HOST))
    heard = await asyncio.gather(
        *(
            played(
                Referee.caller_on(replicas[seat % 2], secret), Referee.caller_on(replicas[1 - seat % 2], secret), seat
            )
            for seat, secret in enumerate(PLAYERS)
        )
    )
    ended = {asked[-1].version for asked in heard}
    assert len(ended) == 1
    for seat, (*asked, end) in enumerate(heard):
        assert (end.match_id, end.status) == (match_id, match_pb2.MATCH_STATUS_FINISHED)
        assert [match.prompt.decision_number for match in asked] == list(range(end.seats[seat].decision_number))
        versions = [match.version for match in (*asked, end)]
        assert versions == sorted(set(versions))


async def played(here: Caller, elsewhere: Caller, seat: int) -> list[match_pb2.Match]:
    """Plays at random on a stream to the end; returns the match as it was asked and as it ended."""
    stream, rng, heard = here.play(), random.Random(seat), list[match_pb2.Match]()
    await stream.say(service_pb2.PlayRequest())
    while True:
        told = await stream.told()
        assert not any(outcome.HasField("refused") for outcome in told.outcomes)
        for match in told.asked:
            assert await got(elsewhere, match.match_id) == match
            move = service_pb2.PlayMove(
                request_id=f"seat-{seat}-{len(heard)}",
                match_id=match.match_id,
                decision_number=match.prompt.decision_number,
                moves=[match_pb2.MoveChoice(id=rng.choice(match.prompt.legal_moves).id)],
            )
            await stream.say(service_pb2.PlayRequest(moves=[move]))
            heard.append(match)
        if told.ended:
            stream.cancel()
            return [*heard, *told.ended]
