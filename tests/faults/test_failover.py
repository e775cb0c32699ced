"""A primary of a Redis Cluster is killed in the middle of matches: players play on, and bear at most a short wait."""

import asyncio
import time
from collections.abc import AsyncIterator, Callable, Coroutine
from contextlib import AsyncExitStack, asynccontextmanager
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from artreferee.v1 import match_pb2, service_pb2
from clients.sdk import Principal, RefereeClient
from referee.store import keys
from referee.table.ids import MatchId
from tests.faults.cluster import Replicas, replicas_on
from tests.faults.test_store_loss import run_seats, run_stream
from tests.faults.truth import assert_consistent, truth_of
from tests.redis_cluster import RedisCluster, redis_cluster

RESUMED_WITHIN_S = 15.0
ENDED_WITHIN_S = 60.0
KILLED_AT = 20  # moves

Run = Callable[[RefereeClient, str, int], Coroutine[Any, Any, None]]


@asynccontextmanager
async def running(logs: Path, durability: str) -> AsyncIterator[tuple[RedisCluster, Replicas]]:
    """Two replicas on a cluster."""
    with redis_cluster("everysec") as nodes:
        async with replicas_on(nodes, logs, 2, "--durability", durability) as replicas:
            yield nodes, replicas


@pytest.mark.parametrize(
    ("run", "durability"),
    [
        (run_seats, "primary"),
        (run_stream, "replica"),
        pytest.param(run_seats, "replica", marks=pytest.mark.long),
        pytest.param(run_stream, "primary", marks=pytest.mark.long),
    ],
)
async def test_players_play_on_after_a_failover(tmp_path: Path, run: Run, durability: str) -> None:
    """Each at a replica of its own. Where a replica must confirm, play waits until the killed node is back as one."""
    players = [Principal.new(), Principal.new()]
    async with running(tmp_path, durability) as (nodes, replicas), AsyncExitStack() as stack:
        clients = [
            await stack.enter_async_context(RefereeClient(replica.front.address, player))
            for replica, player in zip(replicas.replicas, players, strict=True)
        ]
        request = service_pb2.CreateMatchRequest(
            ruleset="classic_art", seats=[service_pb2.SeatRequest(principal_hash=player.hash) for player in players]
        )
        match_id = (await clients[0].create_match(request)).match_id
        bots = [asyncio.create_task(run(client, match_id, seat)) for seat, client in enumerate(clients)]
        spectator = await stack.enter_async_context(RefereeClient(replicas.replicas[0].front.address))
        waits_s = await followed(spectator, nodes, match_id)
        for bot in bots:
            bot.cancel()
        await asyncio.gather(*bots, return_exceptions=True)
        async with truth_of(nodes) as truth:
            kept = await truth.kept(MatchId(match_id))
    assert kept is not None
    assert_consistent(kept)
    assert max(waits_s) < RESUMED_WITHIN_S


async def followed(spectator: RefereeClient, nodes: RedisCluster, match_id: str) -> list[float]:
    """Watches a match to its end, and has its primary killed on the way; returns the times between its moves."""
    times, replaced = [time.monotonic()], None
    async with asyncio.timeout(ENDED_WITHIN_S):
        async for match in spectator.follow(match_id, detail=match_pb2.DETAIL_NONE):
            times.append(time.monotonic())
            if match.version >= KILLED_AT and replaced is None:
                primary = nodes.primary_of(keys.match(MatchId(match_id)))
                replaced = asyncio.create_task(asyncio.to_thread(replace, nodes, primary))
    assert match.status == match_pb2.MATCH_STATUS_FINISHED
    assert replaced is not None
    await replaced
    return [later - earlier for earlier, later in pairwise(times)]


def replace(nodes: RedisCluster, primary: int) -> None:
    """Kills a primary, and starts it again when its replica has taken over."""
    nodes.kill(primary)
    nodes.start(primary)
