"""A running referee, as a monitoring system sees it."""

import asyncio
import re
from pathlib import Path

import pytest

from artreferee.v1 import match_pb2, service_pb2
from clients.sdk import CallError, RefereeClient
from referee.api.monitor import Monitor
from tests.api.exposition import fetched, labels_of
from tests.api.faults import by_id, submission
from tests.api.harness import SEATS, Referee, planted
from tests.api.test_metrics import documented
from tests.games.classic_art.build import season
from tests.games.classic_art.moves import PASS
from tests.servers import RefereeProcess, eventually, referee_process, store_server, usual_server


def monitored(referee: RefereeProcess) -> str:
    """Where it is watched over, by its own word."""
    [address] = re.findall(r"metrics on http://([\d.]+:\d+)/metrics", referee.log.read_text())
    return str(address)


async def becomes(address: str, path: str, status: int, body: str) -> None:
    async def is_so() -> bool:
        return await fetched(address, path) == (status, body)

    await eventually(is_so)


async def meet_everything(client: RefereeClient) -> None:
    """A match with a move, a refusal and an end, and somebody who follows it."""
    both = [service_pb2.SeatRequest(principal_hash=client.principal.hash)] * 2
    match_id = (await client.create_match(service_pb2.CreateMatchRequest(ruleset="artsee", seats=both))).match_id
    asked = 0 if (await client.get_match(match_id, 0)).HasField("prompt") else 1
    move = service_pb2.SubmitMoveRequest(match_id=match_id, seat=asked, moves=[match_pb2.MoveChoice(index=0)])
    await client.submit_move(move)
    with pytest.raises(CallError):
        await client.get_record(match_id)
    await client.resign(match_id, 0)
    assert [message async for message in client.watch_match(match_id, 0)] != []


async def test_a_running_referee_is_watched_over(tmp_path: Path) -> None:
    """Alive throughout, ready while the store answers; every documented metric is seen, and no other."""
    with store_server(usual_server()) as store:
        with referee_process(tmp_path / "log", "--redis", store.url, "--metrics", "127.0.0.1:0") as referee:
            address = monitored(referee)
            await becomes(address, "/readyz", 200, "ready\n")
            async with RefereeClient(referee.address) as client:
                await meet_everything(client)
            store.kill()
            await becomes(address, "/readyz", 503, "not ready\n")
            assert await fetched(address, "/healthz") == (200, "alive\n")
            status, text = await fetched(address, "/metrics")
    assert status == 200
    assert labels_of(text) == documented()


async def test_a_replica_that_drains_is_alive_and_not_ready(name: str) -> None:
    """From the beginning of the drain, not only when the last call has ended."""
    async with Referee() as referee:
        match = planted(name, season(2))
        await referee.plant(match)
        async with Monitor(lambda: b"", lambda: referee.server.ready).on("127.0.0.1:0") as port:
            address, shelf = f"127.0.0.1:{port}", referee.shelf
            await becomes(address, "/readyz", 200, "ready\n")
            shelf.writing, shelf.may_write = asyncio.Event(), asyncio.Event()
            call = referee.caller(SEATS[0]).call("SubmitMove", submission(match.match_id, [by_id(PASS)]))
            under_way = asyncio.create_task(call)
            await shelf.writing.wait()
            stopping = asyncio.create_task(referee.server.stop())
            await becomes(address, "/readyz", 503, "not ready\n")
            assert await fetched(address, "/healthz") == (200, "alive\n")
            shelf.may_write.set()
            await stopping
            assert (await under_way).reason == "OK"


async def test_nothing_is_served_to_a_monitoring_system_unless_asked_for(tmp_path: Path) -> None:
    with referee_process(tmp_path / "log", "--data", str(tmp_path / "data"), "--fsync", "no") as referee:
        assert "metrics on" not in referee.log.read_text()


async def test_an_address_that_is_taken_is_told_in_words(tmp_path: Path) -> None:
    async with Monitor(lambda: b"", lambda: True).on("127.0.0.1:0") as port:
        with pytest.raises(AssertionError, match=f"Failed to bind to address 127.0.0.1:{port}"):
            with referee_process(tmp_path / "log", "--data", str(tmp_path / "data"), "--metrics", f"127.0.0.1:{port}"):
                pass


@pytest.mark.parametrize(
    ("method", "path", "status", "body"),
    [
        ("GET", "/metrics?name=all", 200, "figures\n"),
        ("HEAD", "/metrics", 200, ""),
        ("GET", "/", 404, "/metrics, /healthz or /readyz\n"),
        ("POST", "/metrics", 405, "GET or HEAD\n"),
    ],
)
async def test_what_is_answered(method: str, path: str, status: int, body: str) -> None:
    async with Monitor(lambda: b"figures\n", lambda: True).on("127.0.0.1:0") as port:
        assert await fetched(f"127.0.0.1:{port}", path, method) == (status, body)


@pytest.mark.parametrize(
    "said", [b"", b"GET /metrics", b"x" * 100_000, b"\r\n\r\n", b"\xff\xfe /\r\n\r\n"], ids=lambda said: repr(said[:12])
)
async def test_whoever_asks_in_another_way_disturbs_nobody(said: bytes) -> None:
    async with Monitor(lambda: b"", lambda: True).on("127.0.0.1:0") as port:
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        writer.write(said)
        writer.write_eof()
        async with asyncio.timeout(10):
            assert not (await reader.read()).startswith(b"HTTP/1.1 2")
        writer.close()
        assert await fetched(f"127.0.0.1:{port}", "/healthz") == (200, "alive\n")
