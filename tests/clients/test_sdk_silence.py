"""A stream that has gone silent without an error is left for a new one, by whoever watches and by whoever plays."""

import asyncio
import random
from collections.abc import AsyncIterator
from contextlib import AbstractAsyncContextManager

import pytest

from artreferee.v1 import match_pb2
from clients.bots.random_bot import RandomBot
from clients.sdk import BotError, Budget, Principal, RefereeClient, Runner, play_seat
from referee.store.memory import MemoryStore
from referee.table.ids import Principal as Holder
from referee.table.matches import Limits
from referee.table.store import Summons
from tests.api.faults import by_id, submission
from tests.api.harness import SEATS, Referee, Secret, planted
from tests.games.classic_art.build import season
from tests.games.classic_art.moves import PASS
from tests.table.faulty import Deaf

NEVER_S = 3600.0
SOON_S = 0.2
WITHIN_S = 20.0


class DeafToAll(Deaf):
    """Loses what is told to players too."""

    def summons(self, principal: Holder) -> AbstractAsyncContextManager[Summons]:
        return self.inner.summons(Holder(bytes(32)))


@pytest.fixture
async def silent() -> AsyncIterator[Referee]:
    """A referee whose streams tell what there is when they begin, and then nothing more, not even that they live."""
    async with Referee(Limits(heartbeat_s=NEVER_S)) as running:
        running.shelf.inner = DeafToAll(MemoryStore())
        yield running


def client_of(referee: Referee, secret: Secret) -> RefereeClient:
    return RefereeClient(f"127.0.0.1:{referee.server.port}", Principal(secret.bytes), silence_s=SOON_S)


async def test_a_watcher_leaves_a_silent_stream_and_misses_nothing(silent: Referee) -> None:
    match = planted("match", season(3))
    await silent.plant(match)
    async with client_of(silent, SEATS[1]) as client, asyncio.timeout(WITHIN_S):
        messages = client.watch_match(match.match_id)
        assert (await anext(messages)).snapshot.version == 0
        for version, secret in enumerate(SEATS[:2], 1):
            await silent.caller(secret).ask("SubmitMove", submission(match.match_id, [by_id(PASS)]))
            assert (await anext(messages)).update.version == version


async def test_players_leave_silent_streams_and_play_to_the_end(silent: Referee) -> None:
    """Of two that play at different replicas neither is told of the other's moves, whichever way it plays."""
    match = planted("match", season(2, max_seasons=1))
    await silent.plant(match)
    async with Referee(Limits(heartbeat_s=NEVER_S)) as other:
        other.shelf.inner = silent.shelf.inner
        async with (
            client_of(silent, SEATS[0]) as first,
            client_of(other, SEATS[1]) as second,
            asyncio.timeout(WITHIN_S),
        ):
            runner = asyncio.create_task(Runner(first, RandomBot, Budget(), no_fault).run())
            end = await play_seat(second, match.match_id, 1, RandomBot(), Budget(), random.Random(1))
            runner.cancel()
            await asyncio.gather(runner, return_exceptions=True)
    assert end.status == match_pb2.MATCH_STATUS_FINISHED


def no_fault(match_id: str, seat: int, error: BotError) -> None:
    raise AssertionError(f"seat {seat} of {match_id}: {error}")
