"""A store and replicas in processes of their own, with a proxy on every way between them and to their callers."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

from tests.faults.proxy import Proxy, proxy_to
from tests.redis_cluster import RedisCluster
from tests.servers import RefereeProcess, StoreServer, store_server, usual_server


@dataclass(frozen=True)
class Replica:
    """One of the replicas.

    Attributes:
        process: its process.
        front: between callers and it.
        way_back: between it and the store, if a proxy is there.
    """

    process: RefereeProcess
    front: Proxy
    way_back: Proxy | None

    @property
    def back(self) -> Proxy:
        """The proxy between it and the store."""
        if self.way_back is None:
            raise AssertionError("there is no proxy between the replica and its store")
        return self.way_back


@dataclass(frozen=True)
class Replicas:
    """Replicas that share something that keeps their matches."""

    replicas: tuple[Replica, ...]

    def logs(self) -> str:
        """All that the replicas wrote to standard error."""
        return "".join(replica.process.log.read_text() for replica in self.replicas)


@dataclass(frozen=True)
class Cluster(Replicas):
    """Replicas that share a server."""

    store: StoreServer


@asynccontextmanager
async def cluster(
    logs: Path, replicas: int, fsync: str | None = None, program: str | None = None
) -> AsyncIterator[Cluster]:
    """Runs a store and so many replicas on it; `fsync` as in `StoreServer`, `program` the store's if not the usual."""
    with store_server(program or usual_server(), fsync) as store:
        async with AsyncExitStack() as stack:
            running = [_replica(stack, logs / f"replica-{number}", store.url) for number in range(replicas)]
            yield Cluster(tuple(await asyncio.gather(*running)), store)


@asynccontextmanager
async def replicas_on(nodes: RedisCluster, logs: Path, replicas: int, *arguments: str) -> AsyncIterator[Replicas]:
    """Runs so many replicas on a Redis Cluster, to whose nodes they have ways without a proxy."""
    async with AsyncExitStack() as stack:
        running = []
        for number in range(replicas):
            process = RefereeProcess(logs / f"replica-{number}", ("--redis", nodes.url, *arguments))
            running.append(_started(stack, process))
        yield Replicas(tuple(await asyncio.gather(*running)))


async def _replica(stack: AsyncExitStack, log: Path, url: str) -> Replica:
    back = await stack.enter_async_context(proxy_to(url))
    return await _started(stack, RefereeProcess(log, ("--redis", back.address)), back)


async def _started(stack: AsyncExitStack, process: RefereeProcess, back: Proxy | None = None) -> Replica:
    stack.push_async_callback(asyncio.to_thread, process.end)  # it may need its way to the store until then
    await asyncio.to_thread(process.start)
    front = await stack.enter_async_context(proxy_to(process.address))
    return Replica(process, front, back)
