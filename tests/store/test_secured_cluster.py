"""A cluster that is reached over TLS, by users who may do nothing but what a referee and an operator do."""

import asyncio
import random
import re
from collections.abc import Iterator
from contextlib import AsyncExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import pytest

from artreferee.v1 import match_pb2, service_pb2
from clients.bots.random_bot import RandomBot
from clients.sdk import Budget, RefereeClient, play_seat
from referee.store.books import RedisBooks
from referee.store.redis_store import RedisStore
from referee.store.rights import RightsError
from referee.table.store import StoreUnavailableError
from tests.certificates import HERE, Authority
from tests.redis_cluster import RedisCluster, redis_cluster
from tests.servers import referee_process
from tests.store.test_secured import PASSWORD, README
from tests.store.writes import LONG_MS, any_principal, created, match_in
from tests.test_admin import done

GUIDE: Final = (Path(__file__).parents[2] / "deploy" / "cluster.md").read_text()


@dataclass(frozen=True, slots=True)
class Secured:
    """A cluster that speaks TLS only, and the root by which it is trusted."""

    nodes: RedisCluster
    root: Path

    def url(self, user: str) -> str:
        hosts = ",".join(f"{HERE}:{port}" for port in self.nodes.nodes)
        return f"rediss+cluster://{user}@{hosts}?ssl_ca_certs={self.root}"


@pytest.fixture(scope="module")
def secured(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Secured]:
    """Its users are made as the README and the guide say."""
    authority = Authority(tmp_path_factory.mktemp("nodes"), "nodes")
    pair = authority.issue()
    tls = {"tls_cert_file": str(pair.cert), "tls_key_file": str(pair.key), "tls_ca_cert_file": str(authority.root)}
    speaking = {"tls_auth_clients": "no", "tls_cluster": "yes", "tls_replication": "yes"}
    [line] = re.findall(r"^ACL SETUSER .*(?:\n {2,}.*)*", README, re.MULTILINE)
    [of_operator] = re.findall(r"its user of a Redis needs `([^`]*)` besides", README)
    [of_cluster] = re.findall(r"user needs `([^`]*)` besides", GUIDE)
    words = [*str(line).replace("PASSWORD", PASSWORD).split(), *of_cluster.split()]
    with redis_cluster(None, "tls_port", **tls, **speaking) as nodes:
        for port in nodes.nodes:
            nodes.ask(port, *words)
            nodes.ask(port, *["operator" if word == "referee" else word for word in words], *of_operator.split())
        yield Secured(nodes, authority.root)


async def test_the_right_users_are_served(secured: Secured) -> None:
    store = RedisStore(secured.url("referee"), PASSWORD, replicated=True)
    books = RedisBooks(secured.url("operator"), PASSWORD)
    ids = [match_in(bucket) for bucket in range(0, 256, 16)]
    await asyncio.gather(*(created(store, match_id, [b"move"]) for match_id in ids))
    async with store.changes(ids[0]), store.summons(any_principal()):
        await store.beat(LONG_MS)
    assert (await books.usage())["match"].keys >= len(ids)
    await store.close()
    await books.close()


@pytest.mark.parametrize("right", ["wait", "zadd"])
async def test_a_right_that_the_user_lacks_at_one_node_is_named(secured: Secured, right: str) -> None:
    """Also that of waiting for a replica, which without it would look like a replica that does not confirm."""
    node = next(iter(secured.nodes.nodes))
    store = RedisStore(secured.url("referee"), PASSWORD, replicated=True)
    secured.nodes.ask(node, "ACL", "SETUSER", "referee", f"-{right}")
    with pytest.raises(RightsError, match=rf"needs: \+{right}$"):
        await store.ping()
    secured.nodes.ask(node, "ACL", "SETUSER", "referee", f"+{right}")
    await store.ping()
    await store.close()


async def test_a_match_is_played_and_looked_after(secured: Secured, tmp_path: Path) -> None:
    """By a referee and an operator who take the password from a file, and are refused nothing."""
    password = tmp_path / "password"
    password.write_text(PASSWORD)
    for port in secured.nodes.nodes:
        secured.nodes.ask(port, "ACL", "LOG", "RESET")
    options = ("--redis-password-file", str(password), "--durability", "replica")
    async with AsyncExitStack() as stack:
        referee = stack.enter_context(referee_process(tmp_path / "log", "--redis", secured.url("referee"), *options))
        player = await stack.enter_async_context(RefereeClient(referee.address))
        seats = [service_pb2.SeatRequest(principal_hash=player.principal.hash)] * 2
        creation = service_pb2.CreateMatchRequest(ruleset="artsee", seats=seats)
        match_id = (await player.create_match(creation)).match_id
        matches = await asyncio.gather(
            *(play_seat(player, match_id, seat, RandomBot(), Budget(), random.Random(seat)) for seat in range(2))
        )
        assert {match.status for match in matches} == {match_pb2.MATCH_STATUS_FINISHED}
        assert "finished" in done("show", match_id, "--redis", secured.url("operator"), *options)
    assert [secured.nodes.ask(port, "ACL", "LOG") for port in secured.nodes.nodes] == [[]] * len(secured.nodes.nodes)


async def test_a_wrong_password_is_told_as_a_cluster_that_does_not_answer(secured: Secured) -> None:
    store = RedisStore(secured.url("referee"), "wrong")
    with pytest.raises(StoreUnavailableError) as error:
        await store.ping()
    assert "wrong" not in str(error.value)
    await store.close()
