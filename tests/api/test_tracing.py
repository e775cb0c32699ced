"""Spans of calls and of the writes in them, as a collector gets them."""

import asyncio
import subprocess
import sys
from collections.abc import AsyncIterator, Callable
from pathlib import Path
from typing import Any, Final

import grpc
import pytest
from opentelemetry.proto.collector.trace.v1 import trace_service_pb2, trace_service_pb2_grpc
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter
from opentelemetry.trace import SpanKind

from artreferee.v1 import service_pb2
from referee.api.tracing import Tracing
from referee.table.observer import Observer
from tests.api.faults import by_id, submission
from tests.api.harness import SEATS, SPECTATOR, Planted, Referee, planted
from tests.games.classic_art.build import season
from tests.games.classic_art.moves import PASS
from tests.servers import referee_process

TRACE: Final = "0af7651916cd43dd8448eb211c80319c"
PARENT: Final = "b7ad6b7169203331"


@pytest.fixture
def exporter() -> InMemorySpanExporter:
    return InMemorySpanExporter()


@pytest.fixture
async def traced(exporter: InMemorySpanExporter) -> AsyncIterator[Referee]:
    """A referee that tells of its calls."""
    tracing = Tracing(SimpleSpanProcessor(exporter))
    async with Referee(observer=Observer(tracing.span)) as running:
        yield running
    tracing.close()


async def plant(referee: Referee, name: str) -> Planted:
    match = planted(name, season(2))
    await referee.plant(match)
    return match


async def test_a_move_is_a_span_with_its_write_in_it(
    traced: Referee, exporter: InMemorySpanExporter, name: str
) -> None:
    """Of the caller's trace, if it has one."""
    match = await plant(traced, name)
    bearer = ("authorization", f"Bearer {SEATS[0].token}")
    player = traced.caller_with(bearer, ("traceparent", f"00-{TRACE}-{PARENT}-01"))
    await player.ask("SubmitMove", submission(match.match_id, [by_id(PASS)]))
    write, call = exporter.get_finished_spans()
    assert (write.name, call.name) == ("write", "SubmitMove")
    assert (write.kind, call.kind) == (SpanKind.INTERNAL, SpanKind.SERVER)
    assert write.parent == call.context
    assert call.parent is not None
    assert (f"{call.parent.trace_id:032x}", f"{call.parent.span_id:016x}") == (TRACE, PARENT)
    assert dict(write.attributes or {}) == {"artreferee.match_id": match.match_id}
    assert dict(call.attributes or {}) == {"artreferee.code": "OK", "artreferee.match_id": match.match_id}


async def test_a_refused_call_is_a_span_with_its_code(
    traced: Referee, exporter: InMemorySpanExporter, name: str
) -> None:
    match = await plant(traced, name)
    await traced.caller(SPECTATOR).call("SubmitMove", submission(match.match_id, [by_id(PASS)]))
    [call] = exporter.get_finished_spans()
    assert (call.attributes or {})["artreferee.code"] == "PERMISSION_DENIED"
    assert call.events == ()


async def test_a_move_on_a_stream_is_a_span_with_its_write_in_it(
    traced: Referee, exporter: InMemorySpanExporter, name: str
) -> None:
    """The stream itself, which may last for days, is none."""
    match = await plant(traced, name)
    stream = traced.caller(SEATS[0]).play()
    move = service_pb2.PlayMove(request_id="r", match_id=match.match_id, moves=[by_id(PASS)])
    stale = service_pb2.PlayMove(request_id="s", match_id=match.match_id, decision_number=7, moves=[by_id(PASS)])
    await stream.say(service_pb2.PlayRequest(moves=[move, stale]))
    await stream.end()
    await stream.rest()
    write, played, receipt, refused = exporter.get_finished_spans()
    assert [span.name for span in (write, played, receipt, refused)] == ["write", "Play", "write", "Play"]
    assert (write.parent, receipt.parent) == (played.context, refused.context)
    assert played.parent is refused.parent is None
    assert played.kind == refused.kind == SpanKind.SERVER
    known = {"artreferee.match_id": match.match_id}
    assert dict(played.attributes or {}) == {"artreferee.outcome": "OK", **known}
    assert dict(refused.attributes or {}) == {"artreferee.outcome": "STALE_DECISION", **known}


class Collector(trace_service_pb2_grpc.TraceServiceServicer):
    """Keeps the names of the spans that it is told of, by the service that tells."""

    def __init__(self) -> None:
        self.told: Final = set[tuple[str, str]]()

    async def Export(self, request: Any, context: Any) -> Any:  # noqa: N802 - gRPC's name
        for resource in request.resource_spans:
            [service] = [pair.value.string_value for pair in resource.resource.attributes if pair.key == "service.name"]
            self.told.update((service, span.name) for scope in resource.scope_spans for span in scope.spans)
        return trace_service_pb2.ExportTraceServiceResponse()


async def test_a_running_referee_tells_a_collector(tmp_path: Path) -> None:
    """At the latest when it stops."""
    collector, server = Collector(), grpc.aio.server()
    add: Callable[..., None] = trace_service_pb2_grpc.add_TraceServiceServicer_to_server
    add(collector, server)
    port = server.add_insecure_port("127.0.0.1:0")
    await server.start()
    tracing = ("--tracing", f"http://127.0.0.1:{port}")
    with referee_process(tmp_path / "log", "--data", str(tmp_path / "data"), "--fsync", "no", *tracing) as referee:
        async with grpc.aio.insecure_channel(referee.address) as channel:
            await Referee.caller_on(channel, None).ask("ListRulesets", service_pb2.ListRulesetsRequest())
        referee.terminate()
        assert await asyncio.to_thread(referee.wait) == 0
    await server.stop(None)
    assert collector.told == {("artreferee", "ListRulesets")}


def test_a_referee_without_the_extra_says_what_is_missing(tmp_path: Path) -> None:
    without = "import sys; sys.modules['opentelemetry'] = None; from referee.__main__ import main; main()"
    arguments = ("serve", "--data", str(tmp_path / "data"), "--tracing", "http://127.0.0.1:4317")
    done = subprocess.run([sys.executable, "-c", without, *arguments], capture_output=True, text=True, timeout=60)
    assert (done.returncode, done.stdout) == (1, "")
    sentence = "Error: --tracing needs opentelemetry: pip install 'artreferee[tracing]'"
    assert done.stderr.splitlines()[-1] == sentence
