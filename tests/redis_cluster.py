"""A Redis Cluster of Debian's servers: three primaries and a replica of each."""

import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from typing import Any, Final

from redis import Redis
from redis.exceptions import RedisError

from tests.servers import StoreServer, debian_redis, free_port, store_server, wait_until

PRIMARIES: Final = 3
NODE_TIMEOUT_MS: Final = 2_000
SETTLED_WITHIN_S: Final = 60.0
_SLOTS: Final = 16_384
_NOTHING: Final = (b"gone", 0, (), b"")
_SETTINGS: Final = {
    "cluster_enabled": "yes",
    "cluster_node_timeout": str(NODE_TIMEOUT_MS),
    "repl_diskless_sync_delay": "0",
}


@dataclass(frozen=True)
class RedisCluster:
    """Servers that form a cluster.

    Attributes:
        nodes: the servers by port.
        failovers_s: how long each failover took that a test waited for.
    """

    nodes: dict[int, StoreServer]
    failovers_s: list[float] = field(default_factory=list)

    @property
    def url(self) -> str:
        """Names all nodes."""
        return "redis+cluster://" + ",".join(f"127.0.0.1:{port}" for port in self.nodes)

    def ask(self, port: int, *command: Any) -> Any:
        """Returns what a node replies, as it comes."""
        with Redis.from_url(self.nodes[port].url, protocol=2, socket_timeout=SETTLED_WITHIN_S) as node:
            node.response_callbacks.clear()
            return node.execute_command(*command)

    def primaries(self) -> list[int]:
        """The ports of the nodes that are primaries, as each tells of itself."""
        return [port for port in self.nodes if self._tells(port, "ROLE")[0] == b"master"]

    def primary_of(self, key: str) -> int:
        """The port of the primary that has a key."""
        slot = self.ask(self.primaries()[0], "CLUSTER", "KEYSLOT", key)
        [port] = [port for port in self.primaries() if self._has(port, slot)]
        return port

    def empty(self) -> None:
        """Deletes all that is kept."""
        for port in self.primaries():
            self.ask(port, "FLUSHALL")

    def replica_of(self, port: int) -> int:
        """The port of the replica of a primary."""
        [replica] = [other for other in self.nodes if self._follows(other, port)]
        return replica

    def kill(self, port: int) -> None:
        """Kills a primary, and waits until its replica has taken its place."""
        self._replace(port, self.nodes[port].kill)

    def hang(self, port: int) -> None:
        """Makes a primary hang, and waits until its replica has taken its place."""
        self._replace(port, self.nodes[port].pause)

    def hand_over(self, port: int) -> None:
        """Lets a primary and its replica change places in order."""
        replica = self.replica_of(port)
        self.ask(replica, "CLUSTER", "FAILOVER")
        wait_until(lambda: self._follows(port, replica), "the replica takes over", SETTLED_WITHIN_S)

    def _replace(self, port: int, harm: Callable[[], None]) -> None:
        replica, harmed = self.replica_of(port), time.monotonic()
        harm()
        wait_until(lambda: self._tells(replica, "ROLE")[0] == b"master", "a replica takes over", SETTLED_WITHIN_S)
        self.failovers_s.append(time.monotonic() - harmed)

    @contextmanager
    def moving(self, key: str) -> Iterator[None]:
        """Has a slot on its way to another primary, where one of its keys is already; behind the block all are."""
        source = self.primary_of(key)
        target = next(port for port in self.primaries() if port != source)
        slot = self.ask(source, "CLUSTER", "KEYSLOT", key)
        source_id, target_id = (self.ask(port, "CLUSTER", "MYID") for port in (source, target))
        self.ask(target, "CLUSTER", "SETSLOT", slot, "IMPORTING", source_id)
        self.ask(source, "CLUSTER", "SETSLOT", slot, "MIGRATING", target_id)
        self._migrate(source, target, key)
        yield
        for name in self.ask(source, "CLUSTER", "GETKEYSINSLOT", slot, 1000):
            self._migrate(source, target, name)
        for port in (target, source):
            self.ask(port, "CLUSTER", "SETSLOT", slot, "NODE", target_id)

    def _migrate(self, source: int, target: int, key: str) -> None:
        self.ask(source, "MIGRATE", "127.0.0.1", target, key, 0, 5000)

    def start(self, port: int) -> None:
        """Starts a node that was killed, and waits until the cluster is whole again."""
        self.nodes[port].start()
        self.wait_until_whole()

    def cut_off(self, port: int) -> None:
        """Lets a replica hear nothing more from its primary, though it stays in the cluster."""
        self.ask(port, "CONFIG", "SET", "masterauth", "nobody asks for one")
        self.ask(port, "CLIENT", "KILL", "TYPE", "master")
        wait_until(lambda: self.ask(port, "ROLE")[3] != b"connected", "the link is gone", SETTLED_WITHIN_S)

    def restart(self, ports: Iterable[int]) -> None:
        """Stops nodes in order, all at once, starts them again, and waits until the cluster is whole."""
        for port in (stopped := list(ports)):
            self.nodes[port].stop()
        for port in stopped:
            self.nodes[port].start()
        self.wait_until_whole()

    def wait_until_whole(self) -> None:
        """Waits until every primary has all others in order and a replica that has all it has."""
        wait_until(self._is_whole, "the cluster is whole", SETTLED_WITHIN_S)

    def _is_whole(self) -> bool:
        roles = [self._tells(port, "ROLE") for port in self.nodes]
        linked = [role for role in roles if role[0] == b"slave" and role[3] == b"connected"]
        primaries = [role for role in roles if role[0] == b"master" and role[2]]
        states = [bytes(self._tells(port, "CLUSTER", "INFO")) for port in self.nodes]
        whole = all(state.startswith(b"cluster_state:ok") for state in states)
        return whole and len(linked) == len(primaries) == PRIMARIES

    def _follows(self, port: int, primary: int) -> bool:
        role = self._tells(port, "ROLE")
        return bool(role[0] == b"slave" and role[2] == primary)

    def _has(self, port: int, slot: int) -> bool:
        own = self.ask(port, "CLUSTER", "MYID")
        ranges: Sequence[Any] = self.ask(port, "CLUSTER", "SLOTS")
        return any(first <= slot <= last and node[2] == own for first, last, node, *_ in ranges)

    def _tells(self, port: int, *command: Any) -> Any:
        try:
            return self.ask(port, *command)
        except RedisError:
            return _NOTHING


@contextmanager
def redis_cluster(fsync: str | None = None, port_setting: str = "port", **others: str) -> Iterator[RedisCluster]:
    """Runs a cluster; arguments as of `store_server`. Without Debian's server the test is skipped.

    Where nodes speak TLS the setting of their port is another one.
    """
    program = debian_redis()
    with ExitStack() as stack:
        nodes = dict[int, StoreServer]()
        for _ in range(2 * PRIMARIES):
            port = free_port()
            settings = _SETTINGS | {port_setting: str(port), "cluster_port": str(free_port())} | others
            nodes[port] = stack.enter_context(store_server(program, fsync, **settings))
        cluster = RedisCluster(nodes)
        _form(cluster)
        yield cluster


def _form(cluster: RedisCluster) -> None:
    ports = list(cluster.nodes)
    for number, port in enumerate(ports):
        cluster.ask(port, "CLUSTER", "SET-CONFIG-EPOCH", number + 1)
    for port in ports[1:]:
        cluster.ask(port, "CLUSTER", "MEET", "127.0.0.1", ports[0], cluster.nodes[ports[0]].others["cluster-port"])
    for number, port in enumerate(ports[:PRIMARIES]):
        first, behind = (_SLOTS * place // PRIMARIES for place in (number, number + 1))
        cluster.ask(port, "CLUSTER", "ADDSLOTSRANGE", first, behind - 1)
    wait_until(lambda: all(_knows_all(cluster, port) for port in ports), "nodes know each other", SETTLED_WITHIN_S)
    for primary, replica in zip(ports[:PRIMARIES], ports[PRIMARIES:], strict=True):
        cluster.ask(replica, "CLUSTER", "REPLICATE", cluster.ask(primary, "CLUSTER", "MYID"))
    cluster.wait_until_whole()


def _knows_all(cluster: RedisCluster, port: int) -> bool:
    lines = cluster.ask(port, "CLUSTER", "NODES").splitlines()
    return len(lines) == len(cluster.nodes) and b"handshake" not in b"".join(lines)
