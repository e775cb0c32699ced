"""Players come and go: nothing is lost by it, nothing is held against them, and nothing of them is left behind."""

import asyncio
import sys
import threading
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Final

import grpc
import pytest

from artreferee.v1 import match_pb2, service_pb2
from referee.api.quotas import Quotas
from referee.store.memory import MemoryStore
from tests.api.faults import by_id, submission
from tests.api.harness import SEATS, SPECTATOR, Caller, Planted, Referee, Stream, planted
from tests.games.classic_art.build import season
from tests.games.classic_art.moves import PASS
from tests.servers import eventually

SUBSCRIBER: Final = Path(__file__).with_name("subscriber.py")
PROCESSES: Final = 4
CONNECTIONS: Final = 25  # of each of them


def watch(caller: Caller, match: Planted, after: int | None = None) -> Stream:
    return caller.watch(service_pb2.WatchMatchRequest(match_id=match.match_id, after_version=after))


async def got(caller: Caller, match: Planted) -> match_pb2.Match:
    response = await caller.ask("GetMatch", service_pb2.GetMatchRequest(match_id=match.match_id))
    found: match_pb2.Match = response.match
    return found


async def passes(caller: Caller, match: Planted) -> None:
    await caller.ask("SubmitMove", submission(match.match_id, [by_id(PASS)]))


async def test_a_match_goes_on_although_never_two_are_there_at_once(name: str) -> None:
    """Each comes to a replica that knows nothing, is told what it missed, sees the match as it is, and moves."""
    store, match = MemoryStore(), planted(name, season(3))
    for version, secret in enumerate(SEATS[:3]):
        async with Referee() as referee:
            referee.shelf.inner = store
            if version == 0:
                await referee.plant(match)
            player = referee.caller(secret)
            missed = watch(player, match, after=0)
            told = [(await missed.update()).update for _ in range(version)]
            assert [update.version for update in told] == list(range(1, version + 1))
            seen = await got(player, match)
            assert (seen.version, seen.viewer_seat, seen.HasField("prompt")) == (version, version, True)
            if told:
                assert told[-1].match == seen
            missed.cancel()
            await passes(player, match)
    async with Referee() as referee:
        referee.shelf.inner = store
        seen = await got(referee.caller(SPECTATOR), match)
        assert (seen.version, [seat.decision_number for seat in seen.seats]) == (3, [1, 1, 1])


async def test_going_away_changes_nothing(referee: Referee, name: str) -> None:
    """Whose turn it is, whoever leaves, and whether with or without a word: no byte of the match is another."""
    match = planted(name, season(3))
    await referee.plant(match)
    stored = await referee.shelf.inner.load(match.match_id)
    channels = [grpc.aio.insecure_channel(f"127.0.0.1:{referee.server.port}") for _ in range(3)]
    streams = [
        watch(referee.caller_on(channel, secret), match) for channel, secret in zip(channels, SEATS, strict=False)
    ]
    for stream in streams:
        await stream.read()
    streams[1].cancel()
    await asyncio.gather(*(channel.close() for channel in channels))
    async with asyncio.timeout(10):
        await referee.shelf.deserted.wait()
    assert await referee.shelf.inner.load(match.match_id) == stored
    assert referee.shelf.writes == []
    seen = await got(referee.caller(SEATS[0]), match)
    assert (seen.status, seen.version) == (match_pb2.MATCH_STATUS_ACTIVE, 0)
    assert {seat.cause for seat in seen.seats} == {match_pb2.CAUSE_UNSPECIFIED}
    await passes(referee.caller(SEATS[0]), match)


async def test_a_player_who_comes_back_is_not_another_one(referee: Referee, name: str) -> None:
    """The old stream may still be there: both are told everything, and a move may come over either connection."""
    match = planted(name, season(2))
    await referee.plant(match)
    async with grpc.aio.insecure_channel(f"127.0.0.1:{referee.server.port}") as channel:
        here, there = referee.caller(SEATS[0]), referee.caller_on(channel, SEATS[0])
        old = watch(here, match)
        first = await old.read()
        new = watch(there, match)
        assert await new.read() == first
        await passes(there, match)
        assert await old.read() == await new.read()
        assert (await here.call("SubmitMove", submission(match.match_id, [by_id(PASS)]))).reason == "OK"
        assert (await got(here, match)).version == 1
        for stream in (old, new):
            stream.cancel()


@pytest.fixture
async def patient() -> AsyncIterator[Referee]:
    """A referee for which so many at once are no backlog, however busy the machine is."""
    async with Referee(quotas=Quotas(longest_wait=0)) as running:
        yield running


async def test_a_hundred_clients_that_are_killed_leave_nothing_behind(patient: Referee, name: str) -> None:
    """Their connections are cut without a word: no handler, task, thread or descriptor is left, and play goes on."""
    match = planted(name, season(2))
    await patient.plant(match)
    await passes(patient.caller(SEATS[0]), match)
    before = _held()
    command = (sys.executable, str(SUBSCRIBER), f"127.0.0.1:{patient.server.port}", match.match_id)
    clients = await asyncio.gather(
        *(
            asyncio.create_subprocess_exec(*command, str(CONNECTIONS), stdout=asyncio.subprocess.PIPE)
            for _ in range(PROCESSES)
        )
    )
    try:
        async with asyncio.timeout(30):
            assert [await client.stdout.readline() for client in clients if client.stdout] == [b"ready\n"] * PROCESSES
        assert patient.shelf.followers == 2 * PROCESSES * CONNECTIONS
    finally:
        for client in clients:
            client.kill()
        await asyncio.gather(*(client.wait() for client in clients))
    await passes(patient.caller(SEATS[1]), match)
    await eventually(lambda: _is_back_at(before))
    assert patient.shelf.followers == 0
    assert (await got(patient.caller(SPECTATOR), match)).version == 2


def _held() -> tuple[int, int, int]:
    return len(asyncio.all_tasks()), threading.active_count(), len(list(Path("/proc/self/fd").iterdir()))


async def _is_back_at(before: tuple[int, int, int]) -> bool:
    return all(now <= then for now, then in zip(_held(), before, strict=True))
