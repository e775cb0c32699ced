"""What goes wrong in a soak, in step with the moves that are made."""

import asyncio
import random
from collections import Counter
from dataclasses import dataclass, field

from tests.faults.cluster import Replica, Replicas
from tests.faults.proxy import Fault, Proxy
from tests.soak.calls import MARK

WRITTEN = b"*2\r\n:1\r\n$33\r\n"  # how the store replies to a write that it has carried out
WEIGHTS = {Fault.SWALLOW: 6, Fault.CUT: 3, Fault.SILENCE: 1}
LONGEST_S = {Fault.SWALLOW: 0.05, Fault.CUT: 0.0, Fault.SILENCE: 0.5}  # until the connection ends
DELAYS_S = (0.0, 0.0, 0.0, 0.001, 0.005)


@dataclass
class Chaos:
    """Kills replicas and starts them again, and spoils connections on both sides of them.

    Attributes:
        cluster: whose.
        rng: decides what, where and how long.
        figures: counts what has happened.
        moves_a_fault: how many moves are made between two faults of connections.
        moves_a_kill: how many between two kills.
        tasks: where it all happens; fails if a replica does not start again.
    """

    cluster: Replicas
    rng: random.Random
    figures: Counter[str]
    moves_a_fault: int
    moves_a_kill: int
    tasks: asyncio.TaskGroup
    _spoiling: set[asyncio.Task[None]] = field(default_factory=set)
    _down: list[Replica] = field(default_factory=list)

    def after_move(self, moves: int) -> None:
        """Does what is due after so many moves."""
        if moves % self.moves_a_fault == 0:
            task = self.tasks.create_task(self._spoil(self.rng.choice(self.cluster.replicas)))
            self._spoiling.add(task)
            task.add_done_callback(self._spoiling.discard)
        up = [replica for replica in self.cluster.replicas if replica not in self._down]
        if moves % self.moves_a_kill == 0 and up:
            self.tasks.create_task(self._kill(self.rng.choice(up)))

    def end(self) -> None:
        """Takes back what has not happened yet; replicas that were killed start again all the same."""
        for task in self._spoiling:
            task.cancel()
        for replica in self.cluster.replicas:
            for proxy, _ in _ways(replica):
                proxy.delay_s = 0.0

    async def _kill(self, replica: Replica) -> None:
        self._down.append(replica)
        replica.process.kill()
        self.figures["kills"] += 1
        await asyncio.to_thread(replica.process.start)
        self._down.remove(replica)

    async def _spoil(self, replica: Replica) -> None:
        proxy, request = self.rng.choice(_ways(replica))
        path = "client-server" if proxy is replica.front else "server-store"
        proxy.delay_s = self.rng.choice(DELAYS_S)
        [fault] = self.rng.choices(list(WEIGHTS), list(WEIGHTS.values()))
        trap = proxy.trap(fault, request, self.rng.randint(1, 3))
        await trap.sprung.wait()
        await asyncio.sleep(self.rng.uniform(0.0, LONGEST_S[fault]))  # so that the reply comes meanwhile, or does not
        trap.cut()
        if fault is Fault.SWALLOW:
            self.figures[f"{path}: replies dropped"] += bool(trap.swallowed)
            self.figures["server-store: replies to done writes dropped"] += trap.swallowed.count(WRITTEN)
        else:
            self.figures[f"{path}: requests lost"] += 1


def connections(cluster: Replicas) -> Counter[str]:
    """How many connections there have been on each path."""
    found = Counter[str]()
    for replica in cluster.replicas:
        found["client-server: connections"] += replica.front.accepted
        found["server-store: connections"] += replica.way_back.accepted if replica.way_back else 0
    return found


def _ways(replica: Replica) -> list[tuple[Proxy, bytes]]:
    """The proxies beside a replica, each with what a request holds that changes something."""
    return [(replica.front, MARK)] + ([(replica.way_back, b"EVALSHA")] if replica.way_back else [])
