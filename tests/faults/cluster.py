"""A store and replicas in processes of their own, with a proxy on every way between them and to their callers."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

from tests.faults.proxy import Proxy, proxy_to
from tests.servers import RefereeProcess, StoreServer, store_server, usual_server


@dataclass(frozen=True)
class Replica:
    """One of the replicas.

    Attributes:
        process: its process.
        front: between callers and it.
        back: between it and the store.
    """

    process: RefereeProcess
    front: Proxy
    back: Proxy


@dataclass(frozen=True)
class Cluster:
    """Replicas that share a store."""

    store: StoreServer
    replicas: tuple[Replica, ...]

    def logs(self) -> str:
        """All that the replicas wrote to standard error."""
        return "".join(replica.process.log.read_text() for replica in self.replicas)


@asynccontextmanager
async def cluster(
    logs: Path, replicas: int, fsync: str | None = None, program: str | None = None
) -> AsyncIterator[Cluster]:
    """Runs a store and so many replicas on it; `fsync` as in `StoreServer`, `program` the store's if not the usual."""
    async with AsyncExitStack() as stack:
        store = stack.enter_context(store_server(program or usual_server(), fsync))
        running = await asyncio.gather(
            *(_replica(stack, logs / f"replica-{number}", store) for number in range(replicas))
        )
        yield Cluster(store, tuple(running))


async def _replica(stack: AsyncExitStack, log: Path, store: StoreServer) -> Replica:
    back = await stack.enter_async_context(proxy_to(store.url))
    process = RefereeProcess(log, ("--redis", back.address))
    stack.push_async_callback(asyncio.to_thread, process.end)  # it may need its way to the store until then
    await asyncio.to_thread(process.start)
    front = await stack.enter_async_context(proxy_to(process.address))
    return Replica(process, front, back)
