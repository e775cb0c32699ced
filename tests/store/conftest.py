"""The stores under test: in memory, on the embedded server, on the oldest one that is promised to do, on a cluster."""

import gc
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import AsyncExitStack

import pytest
from redis import Redis

from referee.store.memory import MemoryStore
from referee.store.redis_store import RedisStore
from referee.table.store import Store
from tests.redis_cluster import RedisCluster, redis_cluster
from tests.servers import StoreServer, bundled_server, debian_redis, embedded_store, store_server

NewStore = Callable[[], Store]


@pytest.fixture(scope="session")
def embedded_url(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The URL of an embedded store."""
    with embedded_store(tmp_path_factory.mktemp("embedded")) as url:
        yield url


@pytest.fixture(scope="session")
def debian_url() -> Iterator[str]:
    """The URL of a server of Debian's."""
    with store_server(debian_redis()) as server:
        yield server.url


@pytest.fixture(scope="session")
def redis_nodes() -> Iterator[RedisCluster]:
    """A Redis Cluster."""
    with redis_cluster() as cluster:
        yield cluster


@pytest.fixture(params=["embedded", "debian"])
def url(request: pytest.FixtureRequest) -> str:
    """The URL of an empty server, one of each kind."""
    return _emptied(request)


@pytest.fixture(params=["memory", "embedded", "debian", "cluster", "replicated"])
async def new_store(request: pytest.FixtureRequest) -> AsyncIterator[NewStore]:
    """Makes stores that keep the same matches, as several replicas have them; none is kept at first."""
    async with AsyncExitStack() as stack:
        if request.param == "memory":
            shared = MemoryStore()
            stack.push_async_callback(shared.close)
            yield lambda: shared
            return
        url, replicated = _emptied(request), request.param == "replicated"

        def new() -> Store:
            store = RedisStore(url, replicated=replicated)
            stack.push_async_callback(store.close)
            return store

        yield new


def _emptied(request: pytest.FixtureRequest) -> str:
    if request.param in ("cluster", "replicated"):
        nodes: RedisCluster = request.getfixturevalue("redis_nodes")
        nodes.empty()
        return nodes.url
    url: str = request.getfixturevalue(f"{request.param}_url")
    with Redis.from_url(url) as admin:
        admin.flushall()
    return url


@pytest.fixture
def store(new_store: NewStore) -> Store:
    """One of each kind of store, empty."""
    return new_store()


@pytest.fixture
async def redis_store(url: str) -> AsyncIterator[RedisStore]:
    """A store on each kind of server, empty."""
    store = RedisStore(url)
    yield store
    await store.close()
    gc.collect()  # so that a connection left open is told of by the test that left it


@pytest.fixture
async def lone_store(server: StoreServer) -> AsyncIterator[RedisStore]:
    """A store on the server that the test may stop."""
    store = RedisStore(server.url)
    yield store
    await store.close()


@pytest.fixture(params=[bundled_server, debian_redis], ids=["bundled", "debian"])
def server(request: pytest.FixtureRequest) -> Iterator[StoreServer]:
    """A server of each kind for one test alone, which may stop it."""
    with store_server(request.param()) as server:
        yield server
