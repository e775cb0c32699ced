"""A Redis Cluster is harmed in the middle of matches: players play on, and bear at most a short wait."""

import asyncio
import time
from collections.abc import AsyncIterator, Callable, Coroutine, Iterator
from contextlib import AsyncExitStack, asynccontextmanager
from itertools import pairwise, product
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
HARMED_AT = 20  # moves

Run = Callable[[RefereeClient, str, int], Coroutine[Any, Any, None]]
Harm = Callable[[RedisCluster, str], None]  # done by the primary of a key


def it_is_killed(nodes: RedisCluster, key: str) -> None:
    """And started again when its replica has taken over."""
    primary = nodes.primary_of(key)
    nodes.kill(primary)
    nodes.start(primary)


def it_hangs(nodes: RedisCluster, key: str) -> None:
    """Until its replica has taken over."""
    primary = nodes.primary_of(key)
    nodes.hang(primary)
    nodes.nodes[primary].go_on()
    nodes.wait_until_whole()


def it_hands_over(nodes: RedisCluster, key: str) -> None:
    """To its replica, as an operator asks before it is stopped."""
    primary = nodes.primary_of(key)
    nodes.hand_over(primary)
    nodes.restart([primary])


def it_is_restarted(nodes: RedisCluster, key: str) -> None:
    """Before its replica takes over."""
    nodes.restart([nodes.primary_of(key)])


def another_is_restarted_too(nodes: RedisCluster, key: str) -> None:
    """Those that are left are too few to replace them."""
    primary = nodes.primary_of(key)
    nodes.restart([primary, next(port for port in nodes.primaries() if port != primary)])


def its_replica_is_killed(nodes: RedisCluster, key: str) -> None:
    """And started again."""
    replica = nodes.replica_of(nodes.primary_of(key))
    nodes.nodes[replica].kill()
    nodes.start(replica)


def its_bucket_moves(nodes: RedisCluster, key: str) -> None:
    """To another primary."""
    with nodes.moving(key):
        pass


def all_are_restarted(nodes: RedisCluster, _: str) -> None:
    """All nodes at the same time."""
    nodes.restart(nodes.nodes)


HARMS: tuple[Harm, ...] = (
    it_is_killed,
    it_hangs,
    it_hands_over,
    it_is_restarted,
    another_is_restarted_too,
    its_replica_is_killed,
    its_bucket_moves,
    all_are_restarted,
)
AT_ONCE = {
    (run_seats, "primary", it_is_killed),
    (run_stream, "replica", it_is_killed),
    (run_seats, "primary", it_hangs),
}


def _cases() -> Iterator[Any]:
    for case in product((run_seats, run_stream), ("primary", "replica"), HARMS):
        marks = () if case in AT_ONCE else (pytest.mark.long,)
        yield pytest.param(*case, id="-".join(getattr(part, "__name__", str(part)) for part in case), marks=marks)


@asynccontextmanager
async def running(logs: Path, durability: str) -> AsyncIterator[tuple[RedisCluster, Replicas]]:
    """Two replicas on a cluster."""
    with redis_cluster("everysec") as nodes:
        async with replicas_on(nodes, logs, 2, "--durability", durability) as replicas:
            yield nodes, replicas


@pytest.mark.parametrize(("run", "durability", "harm"), list(_cases()))
async def test_players_play_on_when(tmp_path: Path, run: Run, durability: str, harm: Harm) -> None:
    assert await rested_s(tmp_path, run, durability, harm) < RESUMED_WITHIN_S


async def rested_s(logs: Path, run: Run, durability: str, harm: Harm) -> float:
    """Plays a match, each player at a replica of its own, and returns the longest time between two of its moves.

    Where a replica must confirm, play waits until the node that was killed is back as one.
    """
    players = [Principal.new(), Principal.new()]
    async with running(logs, durability) as (nodes, replicas), AsyncExitStack() as stack:
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
        waits_s = await followed(spectator, lambda: harm(nodes, keys.match(MatchId(match_id))), match_id)
        for bot in bots:
            bot.cancel()
        await asyncio.gather(*bots, return_exceptions=True)
        async with truth_of(nodes) as truth:
            kept = await truth.kept(MatchId(match_id))
    assert kept is not None
    assert_consistent(kept)
    return max(waits_s)


async def followed(spectator: RefereeClient, harm: Callable[[], None], match_id: str) -> list[float]:
    """Watches a match to its end, and does harm on the way; returns the times between its moves."""
    times, harming = [time.monotonic()], None
    async with asyncio.timeout(ENDED_WITHIN_S):
        async for match in spectator.follow(match_id, detail=match_pb2.DETAIL_NONE):
            times.append(time.monotonic())
            if match.version >= HARMED_AT and harming is None:
                harming = asyncio.create_task(asyncio.to_thread(harm))
    assert match.status == match_pb2.MATCH_STATUS_FINISHED
    assert harming is not None
    await harming
    return [later - earlier for earlier, later in pairwise(times)]
