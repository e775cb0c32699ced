"""The store goes away in the middle of many matches and comes back: play goes on, and nothing acknowledged is lost."""

import asyncio
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import grpc
import pytest

from artreferee.v1 import service_pb2
from clients.sdk import CallError, Principal
from tests.faults.cluster import Cluster, cluster
from tests.faults.truth import truth_of
from tests.faults.wire import Wire
from tests.servers import StoreServer, bundled_server, debian_redis
from tests.soak.run import soak_at

MATCHES = 6  # two of each ruleset
DEADLINE_S = 1.0
SHORT_S, LONG_S = 1.0, 10.0


@dataclass(frozen=True)
class Outage:
    """How a store goes away and comes back, and which codes its callers may hear meanwhile."""

    begin: Callable[[StoreServer], None]
    end: Callable[[StoreServer], None]
    codes: frozenset[grpc.StatusCode]


UNAVAILABLE = frozenset({grpc.StatusCode.UNAVAILABLE})
LATE = UNAVAILABLE | {grpc.StatusCode.DEADLINE_EXCEEDED}
OUTAGES = {
    "stopped": Outage(StoreServer.stop, StoreServer.start, UNAVAILABLE),
    "killed": Outage(StoreServer.kill, StoreServer.start, UNAVAILABLE),
    "paused": Outage(StoreServer.pause, StoreServer.go_on, LATE),
}

every_outage = pytest.mark.parametrize("outage", OUTAGES.values(), ids=OUTAGES.keys())
every_program = pytest.mark.parametrize("program", [debian_redis, bundled_server], ids=["debian", "bundled"])


@every_outage
async def test_play_goes_on_after_an_outage(tmp_path: Path, outage: Outage) -> None:
    await play_through(tmp_path, bundled_server(), outage, SHORT_S)


@pytest.mark.long
@every_outage
@every_program
async def test_play_goes_on_after_a_long_outage(tmp_path: Path, program: Callable[[], str], outage: Outage) -> None:
    await play_through(tmp_path, program(), outage, LONG_S)


async def play_through(logs: Path, program: str, outage: Outage, seconds: float) -> None:
    """Plays matches, with an outage of so many seconds in their middle, on a store that writes to disk at once."""
    figures, in_play = Counter[str](), asyncio.Event()
    async with cluster(logs, 2, "always", program) as running, soak_at(running, 1, figures) as soak:
        soak.calls.after_move = lambda moves: in_play.set() if moves == 100 else None
        async with asyncio.TaskGroup() as group:
            group.create_task(soak.play(MATCHES))
            await in_play.wait()
            outage.begin(running.store)
            gone = asyncio.get_running_loop().time()
            assert {await code_at(running, at) for at in range(2)} <= outage.codes
            moves = figures["moves"]
            await asyncio.sleep(gone + seconds - asyncio.get_running_loop().time())  # the outage, not a wait
            assert figures["moves"] == moves
            outage.end(running.store)
        assert figures["matches"] == MATCHES
        assert {name for name in figures if name.startswith("attempts")} <= {
            f"attempts that ended {code.name}" for code in LATE
        }
        async with truth_of(running.store) as truth:
            assert await soak.audit(truth) == []


async def code_at(running: Cluster, at: int) -> grpc.StatusCode:
    """Reads at a replica; returns how that ends, which it does within its deadline."""
    request = service_pb2.ListMatchesRequest()
    async with Wire([running.replicas[at].front.address]) as wire:
        with pytest.raises(CallError) as failure:
            async with asyncio.timeout(2 * DEADLINE_S):
                await wire.call(0, Principal.new(), "ListMatches", request, DEADLINE_S)
    return failure.value.code
