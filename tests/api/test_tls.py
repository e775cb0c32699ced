"""TLS between clients and the referee, with real certificates: who is served, and who is not."""

from __future__ import annotations  # grpc's classes are generic in their stubs only

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Final

import grpc
import pytest

from artreferee.v1 import service_pb2
from artreferee.v1.service_pb2_grpc import RefereeServiceStub
from clients.sdk import RefereeClient, Tls
from clients.sdk.tls import open_channel
from referee.api import settings
from referee.api.server import Server
from referee.api.settings import Settings
from referee.games import registry
from referee.store.memory import MemoryStore
from referee.table.table import Table
from tests.certificates import ELSEWHERE, HERE, Authority, Pair

ANSWERED_WITHIN_S: Final = 20.0
PLAYER: Final = "player@example.org"
SERVED: Final = grpc.StatusCode.OK
LOCAL: Final = (("grpc.use_local_subchannel_pool", 1),)  # else a channel may use what another one has connected


@pytest.fixture(scope="module")
def ours(tmp_path_factory: pytest.TempPathFactory) -> Authority:
    return Authority(tmp_path_factory.mktemp("ours"), "ours")


@pytest.fixture(scope="module")
def foreign(tmp_path_factory: pytest.TempPathFactory) -> Authority:
    return Authority(tmp_path_factory.mktemp("foreign"), "foreign")


@asynccontextmanager
async def serving(pair: Pair | None, client_ca: Path | None = None) -> AsyncIterator[str]:
    """Runs a referee; yields its address."""
    tls = None if pair is None else settings.Tls(pair.cert, pair.key, client_ca)
    server = Server(Table(MemoryStore(), registry()), Settings(listen=f"{HERE}:0", tls=tls))
    await server.start()
    try:
        yield f"{HERE}:{server.port}"
    finally:
        await server.stop()


async def outcome(address: str, tls: Tls | None) -> tuple[grpc.StatusCode, str]:
    """How a call ends, and in which words."""
    async with open_channel(address, tls, LOCAL) as channel:
        try:
            await RefereeServiceStub(channel).ListRulesets(service_pb2.ListRulesetsRequest(), timeout=ANSWERED_WITHIN_S)
        except grpc.aio.AioRpcError as error:
            return error.code(), error.details() or ""
    return SERVED, ""


async def test_a_client_that_trusts_the_referees_authority_is_served(ours: Authority) -> None:
    async with serving(ours.issue()) as address:
        assert await outcome(address, Tls(ours.root)) == (SERVED, "")
        async with RefereeClient(address, tls=Tls(ours.root)) as client:
            assert {ruleset.name for ruleset in await client.list_rulesets()} == set(registry())


async def test_the_systems_roots_are_trusted_where_no_others_are_named(
    ours: Authority, foreign: Authority, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with serving(ours.issue()) as address:
        monkeypatch.setenv("SSL_CERT_FILE", str(ours.root))
        assert await outcome(address, Tls()) == (SERVED, "")
        monkeypatch.setenv("SSL_CERT_FILE", str(foreign.root))
        code, words = await outcome(address, Tls())
        assert code == grpc.StatusCode.UNAVAILABLE
        assert "CERTIFICATE_VERIFY_FAILED" in words


async def test_a_referee_with_a_certificate_of_a_foreign_authority_is_left(ours: Authority, foreign: Authority) -> None:
    async with serving(foreign.issue()) as address:
        code, words = await outcome(address, Tls(ours.root))
    assert code == grpc.StatusCode.UNAVAILABLE
    assert "CERTIFICATE_VERIFY_FAILED" in words


async def test_a_referee_with_an_expired_certificate_is_left(ours: Authority) -> None:
    async with serving(ours.issue(expired=True)) as address:
        code, words = await outcome(address, Tls(ours.root))
    assert code == grpc.StatusCode.UNAVAILABLE
    assert "certificate has expired" in words


async def test_a_referee_with_a_certificate_for_another_host_is_left(ours: Authority) -> None:
    async with serving(ours.issue(ELSEWHERE)) as address:
        code, words = await outcome(address, Tls(ours.root))
    assert code == grpc.StatusCode.UNAVAILABLE
    assert "Hostname Verification Check failed" in words


async def test_where_clients_must_show_a_certificate_one_of_the_right_authority_is_served(ours: Authority) -> None:
    own = ours.issue(PLAYER)
    async with serving(ours.issue(), ours.root) as address:
        assert await outcome(address, Tls(ours.root, own.cert, own.key)) == (SERVED, "")


async def test_where_clients_must_show_a_certificate_no_other_client_is_served(
    ours: Authority, foreign: Authority
) -> None:
    """One without a certificate, with one of a foreign authority, with one that has expired, and one in the clear."""
    strange, old = foreign.issue(PLAYER), ours.issue(PLAYER, expired=True)
    async with serving(ours.issue(), ours.root) as address:
        for tls in (
            Tls(ours.root),
            Tls(ours.root, strange.cert, strange.key),
            Tls(ours.root, old.cert, old.key),
            None,
        ):
            assert (await outcome(address, tls))[0] == grpc.StatusCode.UNAVAILABLE


def put(new: Path, there: Path) -> None:
    """Replaces a file in one step, as whoever renews certificates should."""
    beside = there.with_suffix(".new")
    beside.write_bytes(new.read_bytes())
    beside.replace(there)


async def test_certificates_that_are_replaced_are_shown_to_whoever_connects_from_then_on(
    ours: Authority, foreign: Authority
) -> None:
    """While the key is not yet that of the certificate, the old ones are; who is connected stays so."""
    served, renewed = ours.issue(), foreign.issue()
    async with serving(served) as address, open_channel(address, Tls(ours.root), LOCAL) as channel:
        connected = RefereeServiceStub(channel)
        await connected.ListRulesets(service_pb2.ListRulesetsRequest(), timeout=ANSWERED_WITHIN_S)
        put(renewed.cert, served.cert)
        assert await outcome(address, Tls(ours.root)) == (SERVED, "")
        put(renewed.key, served.key)
        assert await outcome(address, Tls(foreign.root)) == (SERVED, "")
        assert "CERTIFICATE_VERIFY_FAILED" in (await outcome(address, Tls(ours.root)))[1]
        await connected.ListRulesets(service_pb2.ListRulesetsRequest(), timeout=ANSWERED_WITHIN_S)


async def test_certificates_that_are_gone_or_wrong_leave_the_old_ones(ours: Authority, tmp_path: Path) -> None:
    served, nonsense = ours.issue(), tmp_path / "nonsense"
    nonsense.write_text("no certificate")
    async with serving(served) as address:
        put(nonsense, served.cert)
        assert await outcome(address, Tls(ours.root)) == (SERVED, "")
        served.cert.unlink()
        assert await outcome(address, Tls(ours.root)) == (SERVED, "")


async def test_roots_of_clients_that_are_replaced_decide_on_whoever_connects_from_then_on(
    ours: Authority, foreign: Authority, tmp_path: Path
) -> None:
    own, strange, roots = ours.issue(PLAYER), foreign.issue(PLAYER), tmp_path / "roots.pem"
    put(ours.root, roots)
    async with serving(ours.issue(), roots) as address:
        assert await outcome(address, Tls(ours.root, own.cert, own.key)) == (SERVED, "")
        put(foreign.root, roots)
        assert await outcome(address, Tls(ours.root, strange.cert, strange.key)) == (SERVED, "")
        assert (await outcome(address, Tls(ours.root, own.cert, own.key)))[0] == grpc.StatusCode.UNAVAILABLE
        assert (await outcome(address, Tls(ours.root)))[0] == grpc.StatusCode.UNAVAILABLE


async def test_the_clear_and_tls_do_not_mix(ours: Authority) -> None:
    async with serving(ours.issue()) as address:
        assert (await outcome(address, None))[0] == grpc.StatusCode.UNAVAILABLE
    async with serving(None) as address:
        assert (await outcome(address, Tls(ours.root)))[0] == grpc.StatusCode.UNAVAILABLE
        assert await outcome(address, None) == (SERVED, "")
