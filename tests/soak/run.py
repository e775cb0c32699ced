"""Many matches at once on a cluster, and the audit of all of them afterwards."""

import asyncio
import random
from collections import Counter
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

from artreferee.v1 import match_pb2, service_pb2
from clients.sdk import Principal
from referee.games import registry
from referee.table.ids import MatchId
from tests.faults.cluster import Replicas, cluster, replicas_on
from tests.faults.truth import Truth, truth_of
from tests.faults.wire import Wire
from tests.redis_cluster import RedisCluster, redis_cluster
from tests.servers import StoreServer
from tests.soak.audit import audit
from tests.soak.calls import Calls
from tests.soak.chaos import Chaos, connections
from tests.soak.failovers import Failovers
from tests.soak.players import Kind, Played, Sitting, options_of

REPLICAS = 3
PEOPLE = 16
AT_ONCE = 64
LENGTHS = 3


@dataclass(frozen=True)
class Plan:
    """A soak: at least so many matches and moves, and how many moves are made between two faults and two kills.

    With a number of moves between two failovers its store is a Redis Cluster, of which a primary is killed each time.
    """

    matches: int
    moves: int
    seed: int
    moves_a_fault: int
    moves_a_kill: int
    moves_a_failover: int | None = None


class Soak:
    """Plays matches of every ruleset and size.

    Attributes:
        figures: what is counted.
        calls: how its players make calls.
        played: what they were told of each match.
    """

    def __init__(self, wire: Wire, seed: int, figures: Counter[str]) -> None:
        rng = random.Random(seed)
        self.figures, self.calls = figures, Calls(wire, rng, figures)
        self.played: list[Played] = []
        self._auditor = Principal(rng.randbytes(32))
        self._people = [Principal(rng.randbytes(32)) for _ in range(PEOPLE)]
        sizes = [(seats, name) for name, game in registry().items() for seats in game.spec.seats]
        self._sizes = sorted(sizes)  # so that few matches are of many rulesets

    async def play(self, matches: int, moves: int = 0) -> None:
        """Plays at least so many matches, and at least so many moves, to the end."""
        async with asyncio.TaskGroup() as group:
            for _ in range(min(AT_ONCE, matches)):
                group.create_task(self._play_on(matches, moves))

    async def audit(self, truth: Truth) -> list[str]:
        """Returns what is wrong with the matches; see `audit`."""
        listed = await self._listed()
        wrong = []
        for played in self.played:
            wrong += await self._audit(played, truth, listed[played.match_id])
        return wrong

    async def _play_on(self, matches: int, moves: int) -> None:
        while len(self.played) < matches or self.figures["moves"] < moves:
            number = len(self.played)
            seats, ruleset = self._sizes[number % len(self._sizes)]
            length = 1 + number // len(self._sizes) % LENGTHS
            sitting = Sitting(self.calls, self._people, Kind(ruleset, options_of(ruleset, length), seats))
            self.played.append(sitting.played)
            await sitting.play()
            self.figures["matches"] += 1
            self.figures[f"matches of {ruleset}"] += 1

    async def _listed(self) -> Counter[str]:
        """How often each match is among the finished ones of the listing."""
        found, request = Counter[str](), service_pb2.ListMatchesRequest(page_size=100)
        request.status = match_pb2.MATCH_STATUS_FINISHED
        while True:
            page = (await self.calls.read(self._auditor, "ListMatches", request)).answer
            found.update(match.match_id for match in page.matches)
            request.page_token = page.next_page_token
            if not request.page_token:
                return found

    async def _audit(self, played: Played, truth: Truth, listed: int) -> list[str]:
        who, match_id = self._auditor, played.match_id
        kept = await truth.kept(MatchId(match_id))
        if kept is None:
            return [f"lost: match {match_id}"]
        record = await self.calls.read(who, "GetRecord", service_pb2.GetRecordRequest(match_id=match_id))
        match = await self.calls.read(who, "GetMatch", service_pb2.GetMatchRequest(match_id=match_id))
        for move in played.moves:
            if move.repeated_ms is not None and move.version <= len(kept.times):
                self.figures["answers lost after the commit"] += kept.times[move.version - 1] < move.repeated_ms
        return list(audit(played, kept, record.answer.record, match.answer.match, listed))


@asynccontextmanager
async def soak_at(running: Replicas, seed: int, figures: Counter[str]) -> AsyncIterator[Soak]:
    """Makes players at a cluster."""
    async with Wire([replica.front.address for replica in running.replicas]) as wire:
        yield Soak(wire, seed, figures)


async def run(plan: Plan, logs: Path, figures: Counter[str]) -> list[str]:
    """Soaks replicas while things go wrong; returns what is wrong afterwards, and counts in `figures`."""
    if plan.moves_a_failover is None:
        async with cluster(logs, REPLICAS) as running:
            return await _soaked(plan, running, running.store, figures)
    with redis_cluster("everysec") as nodes:
        async with replicas_on(nodes, logs, REPLICAS, "--durability", "replica") as replicas:
            return await _soaked(plan, replicas, nodes, figures)


async def _soaked(plan: Plan, running: Replicas, store: StoreServer | RedisCluster, figures: Counter[str]) -> list[str]:
    async with soak_at(running, plan.seed, figures) as soak:
        async with asyncio.TaskGroup() as tasks:
            rng = random.Random(plan.seed)
            chaos = Chaos(running, rng, figures, plan.moves_a_fault, plan.moves_a_kill, tasks)
            soak.calls.after_move = chaos.after_move
            if plan.moves_a_failover is not None and isinstance(store, RedisCluster):
                failovers = Failovers(store, rng, figures, plan.moves_a_failover, tasks, chaos.after_move)
                soak.calls.after_move = failovers.after_move
            await soak.play(plan.matches, plan.moves)
            chaos.end()
        async with truth_of(store) as truth:
            wrong = await soak.audit(truth)
        figures.update(connections(running))
        return wrong + [f"told otherwise: {line}" for line in running.logs().splitlines() if "Traceback" in line]
