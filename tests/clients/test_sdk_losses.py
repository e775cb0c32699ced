"""An answer that the store has lost though it was acknowledged: who plays is asked again, and the match goes on."""

import asyncio
import random
from collections.abc import AsyncIterator

import pytest

from artreferee.v1 import match_pb2
from clients.bots.random_bot import RandomBot
from clients.sdk import Budget, Principal, RefereeClient, play_seat
from referee.store.memory import MemoryStore
from referee.table.matches import Limits
from tests.api.harness import SEATS, Referee, planted
from tests.games.classic_art.build import season
from tests.table.faulty import Replaced

WITHIN_S = 20.0


@pytest.fixture
async def referee() -> AsyncIterator[Referee]:
    """A referee who tells watchers often where their match is."""
    async with Referee(Limits(heartbeat_s=0.05)) as running:
        yield running


async def test_a_seat_whose_answer_is_lost_before_its_stream_tells_of_it_is_asked_again(referee: Referee) -> None:
    store, match = Replaced(MemoryStore(), count=3), planted("match", season(2, max_seasons=1))
    await referee.plant(match)
    store.inner, referee.shelf.inner = referee.shelf.inner, store
    address = f"127.0.0.1:{referee.server.port}"
    async with (
        RefereeClient(address, Principal(SEATS[0].bytes)) as first,
        RefereeClient(address, Principal(SEATS[1].bytes)) as second,
        asyncio.timeout(WITHIN_S),
    ):
        ends = await asyncio.gather(
            *(
                play_seat(client, match.match_id, seat, RandomBot(), Budget(), random.Random(seat))
                for seat, client in enumerate((first, second))
            )
        )
    assert store.count == 0
    assert {end.status for end in ends} == {match_pb2.MATCH_STATUS_FINISHED}
