"""Primaries of a Redis Cluster that are killed in a soak, in step with the moves that are made."""

import asyncio
import random
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass

from tests.redis_cluster import RedisCluster


@dataclass
class Failovers:
    """Kills one primary at a time, and starts it again as a replica of the one that has taken over.

    Attributes:
        nodes: whose.
        rng: decides which.
        figures: counts them.
        moves: how many moves are made between two.
        tasks: where it happens; fails if the cluster does not recover.
        others: what else happens after a move.
    """

    nodes: RedisCluster
    rng: random.Random
    figures: Counter[str]
    moves: int
    tasks: asyncio.TaskGroup
    others: Callable[[int], None]
    _under_way: asyncio.Task[None] | None = None

    def after_move(self, moves: int) -> None:
        """Does what is due after so many moves."""
        self.others(moves)
        if moves % self.moves == 0 and (self._under_way is None or self._under_way.done()):
            self._under_way = self.tasks.create_task(self._fail_over())

    async def _fail_over(self) -> None:
        port = self.rng.choice(await asyncio.to_thread(self.nodes.primaries))
        await asyncio.to_thread(self.nodes.kill, port)
        await asyncio.to_thread(self.nodes.start, port)
        self.figures["failovers"] += 1
