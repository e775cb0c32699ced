"""Connections that are ended for their age: whoever called over them goes on over others and loses nothing."""

import asyncio
import random
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Final

import pytest

from artreferee.v1 import match_pb2, service_pb2
from clients.bots.random_bot import RandomBot
from clients.replay import replay
from clients.sdk import Budget, RefereeClient, Runner, play_seat
from referee.api.quotas import Gate
from referee.table.observer import Metadata
from tests.api.harness import Referee

AGE_S: Final = 0.2
DRAIN_S: Final = 0.1
WITHIN_S: Final = 60.0
MANY: Final = 5


@pytest.fixture
def connections(monkeypatch: pytest.MonkeyPatch) -> set[str]:
    """The connections that calls came over, as they come."""
    seen, address_of = set[str](), Gate.address_of

    def note(gate: Gate, peer: str, metadata: Metadata) -> str:
        seen.add(peer)
        return address_of(gate, peer, metadata)

    monkeypatch.setattr(Gate, "address_of", note)
    return seen


@asynccontextmanager
async def short_lived() -> AsyncIterator[str]:
    """A referee whose connections are soon ended; yields its address."""
    async with Referee(connection_age_s=AGE_S, drain_s=DRAIN_S) as referee:
        yield f"127.0.0.1:{referee.server.port}"


async def begin(host: RefereeClient, *seats: RefereeClient) -> str:
    requests = [service_pb2.SeatRequest(principal_hash=seat.principal.hash) for seat in seats]
    return (await host.create_match(service_pb2.CreateMatchRequest(ruleset="classic_art", seats=requests))).match_id


async def watched(client: RefereeClient, match_id: str) -> list[int]:
    """The versions that a watcher is told."""
    return [match.version async for match in client.follow(match_id, detail=match_pb2.DETAIL_NONE)]


async def test_matches_are_played_and_watched_through_many_ends_of_connections(connections: set[str]) -> None:
    """By unary calls, over a Play stream and in a watcher's eyes: nobody fails, no move is lost or played twice."""
    async with short_lived() as address, RefereeClient(address) as caller, RefereeClient(address) as streamer:
        bot = RandomBot()
        runner = Runner(streamer, RandomBot, Budget(), lambda *why: pytest.fail(str(why)))
        async with asyncio.timeout(WITHIN_S), asyncio.TaskGroup() as group, RefereeClient(address) as watcher:
            running = group.create_task(runner.run())
            while len(connections) < 3 * MANY:
                match_id = await begin(caller, caller, streamer)
                watching = group.create_task(watched(watcher, match_id))
                await play_seat(caller, match_id, 0, bot, Budget(), random.Random(1))
                record = await caller.get_record(match_id)
                assert {seat.cause for seat in record.result.seats} == {match_pb2.CAUSE_UNSPECIFIED}
                assert len(list(replay(record))) == len(record.log)
                versions = await watching
                assert versions == sorted(set(versions))
                assert versions[-1] == len(record.log)
            running.cancel()


async def test_a_connection_lasts_for_ever_unless_something_else_is_asked_for(connections: set[str]) -> None:
    async with Referee() as referee, RefereeClient(f"127.0.0.1:{referee.server.port}") as caller:
        for _ in range(100):
            await caller.list_rulesets()
    assert len(connections) == 1
