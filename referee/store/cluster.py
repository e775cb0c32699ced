"""A Redis Cluster: each command goes to the node that has its key.

The client of redis-py repeats what may have been carried out. So nodes are told apart here, and each is spoken to like
a server of its own.
"""

import asyncio
import random
from collections.abc import Awaitable, Callable, Iterable, Sequence
from typing import Any, Final, NamedTuple

from redis.asyncio.connection import AbstractConnection
from redis.crc import key_slot
from redis.exceptions import (
    AskError,
    ClusterDownError,
    MasterDownError,
    MovedError,
    ReadOnlyError,
    ResponseError,
    TryAgainError,
)

from referee.store import keys
from referee.store.node import Node
from referee.table.ids import BUCKETS
from referee.table.store import StoreUnavailableError
from referee.urls import split

_SUFFIX: Final = "+cluster"
_PORT: Final = 6379
# Nothing was carried out. A slot that moves (ASK) is waited for: a script finds all its keys only when it has arrived.
_NOT_NOW: Final = (AskError, ClusterDownError, MasterDownError, ReadOnlyError, TryAgainError)
_WAITS_S: Final = (0.02, 0.05, 0.1, 0.2, 0.4)
_TOLD_WITHIN_S: Final = 1.0
_PAUSE_S: Final = 0.1


class Place(NamedTuple):
    """Where a cluster is.

    Attributes:
        seeds: HOST:PORT of some of its nodes.
        before: what the URL of a node has before that.
        behind: what it has behind it.
    """

    seeds: tuple[str, ...]
    before: str
    behind: str

    @classmethod
    def of(cls, url: str) -> "Place | None":
        """Reads redis+cluster:// or rediss+cluster:// with addresses that commas part; None is no URL of a cluster."""
        parts = split(url)
        if not parts.scheme.endswith(_SUFFIX):
            return None
        user, at, hosts = parts.netloc.rpartition("@")
        seeds = (host if host.rpartition(":")[2].isdigit() else f"{host}:{_PORT}" for host in hosts.split(","))
        before = f"{parts.scheme.removesuffix(_SUFFIX)}://{user}{at}"
        return cls(tuple(seeds), before, f"?{parts.query}" if parts.query else "")

    def url_of(self, address: str) -> str:
        """Returns the URL of a node."""
        return f"{self.before}{address}{self.behind}"


class Cluster:
    """Carries out commands at the nodes of a cluster.

    Args:
        place: where it is.
        new_node: makes a node of the URL of one.

    Attributes:
        changed: called when other nodes than before have the keys.

    Raises:
        node.UrlError: what is said of the nodes is wrong.
    """

    def __init__(self, place: Place, new_node: Callable[[str], Node]) -> None:
        self._place: Final = place
        self._new_node: Final = new_node
        self._nodes: Final = {address: new_node(place.url_of(address)) for address in place.seeds}
        self._known: Sequence[str] = place.seeds
        self._owners = dict[int, str]()
        self._learning: asyncio.Task[None] | None = None
        self._closed = False
        self.changed: Callable[[], Awaitable[None]] | None = None

    async def __call__(self, *command: Any) -> Any:
        """Returns a command's reply.

        Raises:
            StoreUnavailableError: no reply; the command may have been carried out.
            redis.exceptions.ResponseError: the store refuses the command.
        """
        slot = key_slot(keys.key_of(command))
        refusal: BaseException | None = None
        for wait_s in _WAITS_S:
            try:
                return await (await self._owner(slot)).send(*command)
            except asyncio.CancelledError:
                if not self._closed:
                    self._learn_soon()  # perhaps it has waited for a node that hangs
                raise
            except StoreUnavailableError as error:
                self._learn_soon()
                refusal = error.__cause__
                if isinstance(refusal, MovedError):
                    self._owners[slot] = _address(refusal.host, refusal.port, self._owners[slot])
                elif isinstance(refusal, _NOT_NOW):
                    await asyncio.sleep(wait_s)
                else:
                    raise
        raise StoreUnavailableError(f"the cluster does not settle: {refusal}") from refusal

    def listener(self) -> AbstractConnection:
        """Makes a connection for notifications, which is not open yet and is its caller's.

        Each node passes on to all others what is published there, so any of them will do.
        """
        return self._node(random.choice([*set(self._owners.values())] or self._place.seeds)).listener()  # noqa: S311

    async def check(self) -> None:
        """Makes sure that all of it is at work.

        Raises:
            StoreUnavailableError: it is not.
        """
        await self._learned()
        bucket_at = {self._owners.get(key_slot(keys.mark(bucket).encode())): bucket for bucket in range(BUCKETS)}
        await asyncio.gather(*(self("GET", keys.mark(bucket)) for bucket in bucket_at.values()))

    async def primaries(self) -> Sequence[Node]:
        """Returns each node that keeps something.

        Raises:
            StoreUnavailableError: no node tells.
        """
        await self._learned()
        return [self._node(address) for address in sorted(set(self._owners.values()))]

    async def close(self) -> None:
        """Closes all connections."""
        self._closed = True
        if self._learning is not None:
            self._learning.cancel()
            await asyncio.gather(self._learning, return_exceptions=True)
        await asyncio.gather(*(node.close() for node in self._nodes.values()))

    async def _owner(self, slot: int) -> Node:
        await self._learned()
        if slot not in self._owners:
            self._learn_soon()
            raise StoreUnavailableError(f"no node of the cluster has slot {slot}")
        return self._node(self._owners[slot])

    def _node(self, address: str) -> Node:
        node = self._nodes.get(address)
        if node is None:
            node = self._nodes[address] = self._new_node(self._place.url_of(address))
        return node

    async def _learned(self) -> None:
        if not self._owners:
            await asyncio.shield(self._learn_soon())

    def _learn_soon(self) -> asyncio.Task[None]:
        if self._learning is None or self._learning.done():
            self._learning = asyncio.create_task(self._learn())
            self._learning.add_done_callback(lambda task: task.cancelled() or task.exception())
        return self._learning

    async def _learn(self) -> None:
        """Asks the nodes, one after the other, who has what."""
        if self._owners:
            await asyncio.sleep(_PAUSE_S)  # many find at the same time that something has changed
        failure: Exception | None = None
        for address in random.sample(self._known, len(self._known)):
            try:
                async with asyncio.timeout(_TOLD_WITHIN_S):
                    ranges = await self._node(address).send("CLUSTER", "SLOTS")
            except (ResponseError, StoreUnavailableError) as error:
                failure = error
            except TimeoutError:
                failure = StoreUnavailableError(f"{address} does not answer within {_TOLD_WITHIN_S} s")
            else:
                await self._take(ranges, address)
                return
        raise StoreUnavailableError(f"no node of the cluster tells who has what: {failure}")

    async def _take(self, ranges: Iterable[Sequence[Any]], teller: str) -> None:
        known, before = dict.fromkeys(self._place.seeds), set(self._owners.values())
        for first, last, *nodes in ranges:
            addresses = [_address((host or b"").decode(), port, teller) for host, port, *_ in nodes]
            known |= dict.fromkeys(addresses)
            self._owners |= dict.fromkeys(range(first, last + 1), addresses[0])
        self._known = list(known)
        for address in self._nodes.keys() - known.keys():
            await self._nodes.pop(address).close()
        if before and before != set(self._owners.values()) and self.changed is not None:
            await self.changed()


def _address(host: str, port: int, teller: str) -> str:
    """The address of a node; one that does not know its own name has that of who told."""
    name = host or teller.rpartition(":")[0].strip("[]")
    return f"[{name}]:{port}" if ":" in name else f"{name}:{port}"
