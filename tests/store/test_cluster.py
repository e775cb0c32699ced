"""What only a store on a cluster can meet: keys that move, nodes that are gone, a replica that does not confirm."""

import asyncio
from collections.abc import AsyncIterator, Iterator
from contextlib import AsyncExitStack, asynccontextmanager

import pytest
from redis import Redis

from referee.store import keys
from referee.store.books import RedisBooks
from referee.store.cluster import Place
from referee.store.node import UrlError
from referee.store.redis_store import RedisStore
from referee.table.administration import Deed
from referee.table.ids import MatchId
from referee.table.store import Header, Logged, Stored, StoreUnavailableError, Untimely, Write
from tests.redis_cluster import RedisCluster, redis_cluster
from tests.servers import debian_redis, eventually, free_port, store_server, usual_server
from tests.store.losses import measure
from tests.store.test_contract_changes import HEARD_S
from tests.store.writes import LONG_MS, any_match, any_principal, created, match_in, write_of, written

RESUMED_WITHIN_S = 15.0
SECRET = "se"  # noqa: S105 - the first part of a password that is not quoted as it has to be


@pytest.fixture
async def store(redis_nodes: RedisCluster) -> AsyncIterator[RedisBooks]:
    """A store on a cluster that no test harms, empty."""
    redis_nodes.empty()
    async with store_at(redis_nodes.url) as store:
        yield store


@pytest.fixture
def nodes() -> Iterator[RedisCluster]:
    """A cluster for one test alone, which may stop nodes."""
    with redis_cluster("everysec") as cluster:
        yield cluster


@asynccontextmanager
async def store_at(url: str, replicated: bool = False) -> AsyncIterator[RedisBooks]:
    store = RedisBooks(url, replicated=replicated)
    yield store
    await store.close()


async def is_written(store: RedisStore, match_id: MatchId) -> bool:
    """Creates a match, if the store is there."""
    try:
        return await store.write(write_of(match_id, fields={"state": b"dealt"})) is not None
    except StoreUnavailableError:
        return False


@pytest.mark.parametrize(
    ("url", "place"),
    [
        ("redis://h:1/0", None),
        ("redis+cluster://h:1", Place(("h:1",), "redis://", "")),
        (
            "rediss+cluster://u:p@h:1,[::1]:2?ssl_ca_certs=f",
            Place(("h:1", "[::1]:2"), "rediss://u:p@", "?ssl_ca_certs=f"),
        ),
    ],
)
def test_a_url_names_some_nodes_of_a_cluster(url: str, place: Place | None) -> None:
    assert Place.of(url) == place


async def test_matches_are_spread_over_all_primaries(store: RedisBooks, redis_nodes: RedisCluster) -> None:
    await asyncio.gather(*(created(store, match_in(bucket), [b"a"]) for bucket in range(256)))
    sizes = [redis_nodes.ask(port, "DBSIZE") for port in redis_nodes.primaries()]
    assert sum(sizes) == 4 * 256  # a match, its log, and two indexes of its bucket
    assert min(sizes) > 256


async def test_operators_see_what_all_primaries_keep(store: RedisBooks) -> None:
    ids = [match_in(bucket) for bucket in range(256)]
    await asyncio.gather(*(written(store, write_of(match_id, principals=[any_principal()])) for match_id in ids))
    deed = Deed("operator", "abort", ids[0], "why")
    await store.note(deed)
    usage = await store.usage()
    assert {kind: use.keys for kind, use in usage.items()} == {
        "match": 256,
        "inbox": 256,
        "listing": 256,
        "expiry": 256,
        "audit": 1,
    }
    assert min(use.bytes for use in usage.values()) > 0
    assert [await store.kept(bucket) for bucket in range(256)] == [[match_id] for match_id in ids]
    assert [noted.deed async for noted in store.noted()] == [deed]


async def test_each_node_is_given_the_scripts_it_lost(store: RedisBooks, redis_nodes: RedisCluster) -> None:
    ids = [match_in(bucket) for bucket in range(0, 256, 8)]
    for port in redis_nodes.primaries():
        redis_nodes.ask(port, "SCRIPT", "FLUSH")
    outcomes = await asyncio.gather(*(created(store, match_id) for match_id in ids))
    assert [header.revision for header in outcomes] == [1] * len(ids)


async def test_a_node_that_is_named_as_a_server_of_its_own_says_what_it_is(redis_nodes: RedisCluster) -> None:
    port = redis_nodes.primaries()[0]
    async with store_at(f"redis://127.0.0.1:{port}") as store:
        with pytest.raises(StoreUnavailableError, match=r"a cluster is named by redis\+cluster://"):
            await asyncio.gather(*(store.load(match_in(bucket)) for bucket in range(256)))


async def test_a_server_of_its_own_that_is_named_as_a_cluster_says_what_it_is() -> None:
    port = str(free_port())
    with store_server(usual_server(), port=port):
        async with store_at(f"redis+cluster://127.0.0.1:{port}") as store:
            with pytest.raises(StoreUnavailableError, match="cluster support disabled"):
                await store.ping()


async def test_one_node_that_answers_is_enough_to_find_the_others(redis_nodes: RedisCluster) -> None:
    """Neither one that nobody listens at nor one whose name is not known is in the way."""
    port = redis_nodes.primaries()[0]
    for _ in range(8):  # they are asked in a random order
        async with store_at(
            f"redis+cluster://127.0.0.1:{free_port()},no.such.name.invalid:1,127.0.0.1:{port}"
        ) as store:
            await store.beat(LONG_MS)


@pytest.mark.parametrize(
    ("hosts", "sentence"),
    [
        (f"127.0.0.1:{free_port()}", "no node of the cluster tells who has what: .* connecting to 127.0.0.1"),
        ("no.such.name.invalid:1", "no node of the cluster tells who has what: .* connecting to no.such.name.invalid"),
    ],
    ids=["nobody listens", "no such name"],
)
async def test_a_cluster_of_which_no_node_answers(hosts: str, sentence: str) -> None:
    async with store_at(f"redis+cluster://{hosts}") as store:
        with pytest.raises(StoreUnavailableError, match=sentence):
            await store.beat(LONG_MS)


async def test_a_node_that_speaks_no_tls_does_not_answer_one_who_does(redis_nodes: RedisCluster) -> None:
    node = f"127.0.0.1:{redis_nodes.primaries()[0]}"
    async with store_at(f"rediss+cluster://{node}") as store:
        with pytest.raises(StoreUnavailableError, match=f"{node} does not answer within 1.0 s"):
            await store.beat(LONG_MS)


async def test_a_cluster_is_waited_for_until_it_is_whole() -> None:
    """A node that has no others yet says so; when all buckets are there, whoever waited is served."""
    port = free_port()
    with store_server(debian_redis(), port=str(port), cluster_enabled="yes", cluster_port=str(free_port())) as node:
        async with store_at(f"redis+cluster://127.0.0.1:{port}") as store:
            with pytest.raises(StoreUnavailableError, match="no node of the cluster has slot"):
                await store.beat(LONG_MS)
            with Redis.from_url(node.url) as admin:
                admin.execute_command("CLUSTER", "ADDSLOTSRANGE", 0, 16383)
            await eventually(lambda: is_written(store, any_match()))
            await store.beat(LONG_MS)


@pytest.mark.parametrize(
    ("url", "sentence"),
    [
        ("redis://h:99999", "does not name a server, or has a value that cannot be"),
        (f"redis://:{SECRET}/cret@h", "does not name a server, or has a value that cannot be"),
        ("redis+cluster://h:1,i:99999", "does not name a server, or has a value that cannot be"),
        ("redis+cluster://h:1?none=1", "has a setting that is not known: 'none'"),
        ("redis+cluster://h:1?ssl_ca_certs=f", "has a setting that is not known: 'ssl_ca_certs'"),
        (
            "rediss://h?ssl_cert_reqs=maybe",
            "has a value that cannot be: Invalid SSL Certificate Requirements Flag: maybe",
        ),
    ],
)
async def test_a_url_that_no_server_can_be_reached_by_is_found_out_before_it_is_tried(url: str, sentence: str) -> None:
    with pytest.raises(UrlError) as error:
        RedisStore(url)
    assert str(error.value) == f"the URL of the store {sentence}"


async def test_a_bucket_that_moves_to_another_node_is_followed(store: RedisBooks, redis_nodes: RedisCluster) -> None:
    """While it is on its way it is away for writes, and then they go where it is."""
    match_id = match_in(7)
    header = await created(store, match_id, [b"a"])
    move = write_of(match_id, header, [b"b"], after=1, fields={"state": b"moved"})
    with redis_nodes.moving(keys.match(match_id)), pytest.raises(StoreUnavailableError):
        await store.write(move)
    assert isinstance(await eventually(lambda: _tried(store, move)), Header)
    assert [logged.entry for logged in await store.log(match_id, 0, 9)] == [b"a", b"b"]


async def _tried(store: RedisStore, write: Write) -> Header | Stored | Untimely | None:
    try:
        return await store.write(write)
    except StoreUnavailableError:
        return None


async def test_play_goes_on_when_the_replica_has_taken_over(nodes: RedisCluster) -> None:
    """For those who were there before, and followers hear again wherever they listened."""
    async with AsyncExitStack() as stack:
        stores = [await stack.enter_async_context(store_at(nodes.url)) for _ in range(4)]
        match_id = match_in(7)
        header = await created(stores[0], match_id, [b"a"])
        following = [await stack.enter_async_context(store.changes(match_id)) for store in stores]
        primary = nodes.primary_of(keys.match(match_id))
        await eventually(lambda: _replicated(nodes, primary))
        killing = asyncio.create_task(asyncio.to_thread(nodes.kill, primary))
        async with asyncio.timeout(RESUMED_WITHIN_S):
            await killing
            write = write_of(match_id, header, [b"b"], after=1)
            resumed = await eventually(lambda: _header(stores[1], write), RESUMED_WITHIN_S)
        assert resumed is not None
        header, version = resumed, 2

        async def all_hear() -> bool:
            nonlocal header, version
            version += 1
            header = await written(stores[1], write_of(match_id, header, [b"c"], after=version - 1))
            await asyncio.gather(*(changes.wait(0.05) for changes in following))
            return all(changes.version == version for changes in following)

        await eventually(all_hear)


async def test_a_primary_that_hangs_is_replaced_for_callers_that_are_impatient(nodes: RedisCluster) -> None:
    """None of them waits long enough to hear that it does not answer."""
    async with store_at(nodes.url) as store:
        await created(store, match_in(7))
        nodes.nodes[nodes.primary_of(keys.mark(7))].pause()
        await eventually(lambda: _is_written_within(store, 1.0), RESUMED_WITHIN_S)


async def _is_written_within(store: RedisStore, seconds: float) -> bool:
    try:
        async with asyncio.timeout(seconds):
            return await is_written(store, match_in(7))
    except TimeoutError:
        return False


async def _replicated(nodes: RedisCluster, port: int) -> bool:
    """Whether the replica of a primary has confirmed all that others have written; WAIT tells of own writes only."""
    _, written, replicas = nodes.ask(port, "ROLE")
    return bool(replicas) and all(int(confirmed) >= written for *_, confirmed in replicas)


async def _header(store: RedisStore, write: Write) -> Header | None:
    outcome = await _tried(store, write)
    if isinstance(outcome, Stored):  # an attempt that was not answered had been carried out
        return Header.decode(outcome.header)
    return outcome if isinstance(outcome, Header) else None


async def test_while_a_part_of_the_cluster_is_away_no_replica_of_the_referee_is_at_work(nodes: RedisCluster) -> None:
    """So that clocks stand still for those whose matches are there, too."""
    async with store_at(nodes.url) as store:
        await store.beat(LONG_MS)
        primary = next(port for port in nodes.primaries() if port != nodes.primary_of(keys.BEAT))
        nodes.nodes[primary].kill()
        with pytest.raises(StoreUnavailableError):
            await store.beat(LONG_MS)


async def test_a_cluster_without_most_of_its_primaries_is_waited_for(nodes: RedisCluster) -> None:
    """The one that is left refuses, and serves again when the others are back."""
    async with store_at(nodes.url) as store:
        match_id = match_in(7)
        await created(store, match_id)
        others = [port for port in nodes.primaries() if port != nodes.primary_of(keys.match(match_id))]
        for port in others:
            nodes.nodes[port].kill()
        await eventually(lambda: _is_refused(store, match_id), RESUMED_WITHIN_S)
        for port in others:
            nodes.nodes[port].start()
        await eventually(lambda: is_written(store, match_in(7)), RESUMED_WITHIN_S)


async def _is_refused(store: RedisStore, match_id: MatchId) -> bool:
    try:
        await store.load(match_id)
    except StoreUnavailableError as error:
        return str(error) == "the cluster does not settle: The cluster is down"
    return False


async def test_what_no_replica_confirms_is_not_told(nodes: RedisCluster) -> None:
    """Neither as written nor to a reader; when a replica has it, both are told, and the write was made once."""
    async with store_at(nodes.url, replicated=True) as store:
        match_id = match_in(7)
        header = await created(store, match_id, [b"a"])
        primary = nodes.primary_of(keys.match(match_id))
        replica = nodes.replica_of(primary)
        nodes.nodes[replica].pause()
        with pytest.raises(StoreUnavailableError, match="no replica of the store has confirmed"):
            await store.write(write_of(match_id, header, [b"b"], after=1))
        with pytest.raises(StoreUnavailableError, match="no replica of the store has confirmed"):
            await store.load(match_id)
        nodes.nodes[replica].go_on()
        await eventually(lambda: is_written(store, any_match()), HEARD_S)
        assert [logged.entry for logged in await store.log(match_id, 0, 9)] == [b"a", b"b"]


@pytest.mark.parametrize("replicated", [False, True], ids=["primary", "replica"])
async def test_what_is_acknowledged_while_a_replica_is_cut_off(nodes: RedisCluster, replicated: bool) -> None:
    """The replica takes over without it: what the primary alone had is lost, but only if that was acknowledged."""
    async with store_at(nodes.url, replicated) as store, store_at(nodes.url) as truth:
        match_id, acknowledged = match_in(7), 1
        header: Header | None = await created(store, match_id, [b"move"])
        primary = nodes.primary_of(keys.match(match_id))
        await eventually(lambda: _replicated(nodes, primary))
        nodes.cut_off(nodes.replica_of(primary))
        for _ in range(5):
            header = header and await _header(store, write_of(match_id, header, [b"move"], after=acknowledged))
            acknowledged += header is not None
        await asyncio.to_thread(nodes.kill, primary)
        kept = await eventually(lambda: _log(truth, match_id), RESUMED_WITHIN_S)
        assert (acknowledged, len(kept)) == ((1, 1) if replicated else (6, 1))


@pytest.mark.long
async def test_what_a_replica_has_is_not_lost_by_ten_deaths_of_primaries(nodes: RedisCluster) -> None:
    losses = await measure(nodes, replicated=True, deaths=10)
    assert (losses.deaths, losses.lost) == (10, 0)


async def _log(store: RedisStore, match_id: MatchId) -> list[Logged]:
    try:
        return await store.log(match_id, 0, 99)
    except StoreUnavailableError:
        return []
