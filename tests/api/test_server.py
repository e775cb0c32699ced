"""The server around the service: health, reflection, its address, and how it stops."""

import asyncio
from typing import Any

import grpc
import pytest
from google.protobuf.descriptor_pb2 import FileDescriptorProto
from grpc_health.v1 import health_pb2
from grpc_reflection.v1alpha import reflection_pb2

from artreferee.v1 import service_pb2
from referee.api.interceptor import Handlers
from referee.api.server import Server
from referee.api.servicer import Servicer
from referee.api.settings import Settings
from referee.games import registry
from referee.store.memory import MemoryStore
from referee.table.store import StoreUnavailableError
from referee.table.table import Table
from tests.api.faults import assert_refused, by_id, submission
from tests.api.harness import METHODS, SEATS, SERVICE, SPECTATOR, Planted, Referee, Stream, planted
from tests.games.classic_art.build import season
from tests.games.classic_art.moves import PASS

SERVING = health_pb2.HealthCheckResponse.SERVING
NOT_SERVING = health_pb2.HealthCheckResponse.NOT_SERVING
LONG_S = 60.0  # a drain that takes as long as it may shows that something was not ended
SOON_S = 5.0


@pytest.fixture
def _often_probed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("referee.api.server._PROBE_S", 0.01)


async def plant(referee: Referee, name: str) -> Planted:
    match = planted(name, season(2))
    await referee.plant(match)
    return match


async def watching(referee: Referee, match: Planted) -> Stream:
    """A stream that has begun."""
    stream = referee.caller(SPECTATOR).watch(service_pb2.WatchMatchRequest(match_id=match.match_id))
    await stream.read()
    return stream


def health(referee: Referee, service: str) -> Any:
    """A call that is told the health of a service and its changes."""
    watch: Any = referee.channel.unary_stream(
        "/grpc.health.v1.Health/Watch",
        request_serializer=health_pb2.HealthCheckRequest.SerializeToString,
        response_deserializer=health_pb2.HealthCheckResponse.FromString,
    )
    return watch(health_pb2.HealthCheckRequest(service=service))


async def becomes(referee: Referee, service: str, status: int) -> None:
    """Waits until the health of a service is told to be this."""
    call = health(referee, service)
    async with asyncio.timeout(SOON_S):
        while (await call.read()).status != status:
            pass
    call.cancel()


@pytest.mark.parametrize("service", ["", SERVICE])
async def test_health_is_serving(shared: Referee, service: str) -> None:
    await becomes(shared, service, SERVING)
    check: Any = shared.channel.unary_unary(
        "/grpc.health.v1.Health/Check",
        request_serializer=health_pb2.HealthCheckRequest.SerializeToString,
        response_deserializer=health_pb2.HealthCheckResponse.FromString,
    )
    assert (await check(health_pb2.HealthCheckRequest(service=service))).status == SERVING


@pytest.mark.usefixtures("_often_probed")
@pytest.mark.parametrize("fault", [StoreUnavailableError("away"), RuntimeError("odd")], ids=["away", "odd"])
async def test_health_follows_the_store(referee: Referee, fault: Exception) -> None:
    """Whatever the store's fault is, balancers are told; and told again when it has passed."""
    for service in ("", SERVICE):
        await becomes(referee, service, SERVING)
    for _ in range(2):
        referee.shelf.fault = fault
        await becomes(referee, SERVICE, NOT_SERVING)
        referee.shelf.fault = None
        await becomes(referee, SERVICE, SERVING)


async def test_reflection_tells_the_contract(shared: Referee) -> None:
    """Tools find the service, its health, and the file that declares it."""
    reflect: Any = shared.channel.stream_stream(
        "/grpc.reflection.v1alpha.ServerReflection/ServerReflectionInfo",
        request_serializer=reflection_pb2.ServerReflectionRequest.SerializeToString,
        response_deserializer=reflection_pb2.ServerReflectionResponse.FromString,
    )
    asked = [
        reflection_pb2.ServerReflectionRequest(list_services=""),
        reflection_pb2.ServerReflectionRequest(file_containing_symbol=SERVICE),
    ]
    listed, file = [response async for response in reflect(iter(asked))]
    names = {service.name for service in listed.list_services_response.service}
    assert names >= {SERVICE, "grpc.health.v1.Health"}
    declared = [FileDescriptorProto.FromString(raw) for raw in file.file_descriptor_response.file_descriptor_proto]
    [service] = [service for proto in declared if proto.package == "artreferee.v1" for service in proto.service]
    assert [method.name for method in service.method] == list(METHODS)


async def test_a_method_that_there_is_not(shared: Referee) -> None:
    call: Any = shared.channel.unary_unary(f"/{SERVICE}/Cheat")
    with pytest.raises(grpc.aio.AioRpcError) as error:
        await call(b"")
    assert error.value.code() == grpc.StatusCode.UNIMPLEMENTED


async def test_two_servers_cannot_share_an_address(shared: Referee) -> None:
    """The second one fails, rather than taking half of the calls."""
    second = Server(Table(MemoryStore(), registry()), Settings(listen=f"127.0.0.1:{shared.server.port}"))
    with pytest.raises(RuntimeError):
        await second.start()
    assert (await shared.caller(None).call("ListRulesets", b"")).reason == "OK"


async def test_a_drain_ends_open_streams_with_words(name: str) -> None:
    """UNAVAILABLE, DRAINING and a delay, so that watchers go to another replica; and at once."""
    async with Referee(drain_s=LONG_S) as referee:
        match = await plant(referee, name)
        streams = [await watching(referee, match) for _ in range(3)]
        async with asyncio.timeout(SOON_S):
            await referee.server.stop()
        for stream in streams:
            assert_refused(await stream.rest(), "DRAINING")
        assert referee.shelf.followers == 0


async def test_a_drain_ends_a_stream_that_is_about_to_begin(name: str) -> None:
    async with Referee(drain_s=LONG_S) as referee:
        match = await plant(referee, name)
        referee.shelf.loading, referee.shelf.may_load = asyncio.Event(), asyncio.Event()
        stream = referee.caller(SPECTATOR).watch(service_pb2.WatchMatchRequest(match_id=match.match_id))
        await referee.shelf.loading.wait()
        async with asyncio.timeout(SOON_S):
            await referee.server.stop()
        assert_refused(await stream.rest(), "DRAINING")


async def test_a_stream_that_begins_while_the_replica_stops_is_sent_elsewhere(name: str) -> None:
    """One that was accepted just before the drain and is handled just after it would hold up the drain."""
    store = MemoryStore()
    handlers = Handlers(Servicer(Table(store, registry())))
    server = grpc.aio.server()
    server.add_generic_rpc_handlers((handlers,))
    async with Referee() as referee:
        port = server.add_insecure_port("127.0.0.1:0")
        await server.start()
        referee.shelf.inner = store
        match = await plant(referee, name)
        handlers.end_streams()
        async with grpc.aio.insecure_channel(f"127.0.0.1:{port}") as channel:
            late = Referee.caller_on(channel, SPECTATOR)
            stream = late.watch(service_pb2.WatchMatchRequest(match_id=match.match_id))
            playing = late.play()
            try:
                assert not await stream.begins()
                assert_refused(await stream.rest(), "DRAINING")
                async with asyncio.timeout(SOON_S):
                    assert (await playing.rest()).reason == "DRAINING"
            finally:
                stream.cancel()
                playing.cancel()
                await server.stop(None)


async def test_a_drain_lets_a_call_under_way_finish(name: str) -> None:
    """A move that is being written is written, and its mover is told."""
    async with Referee(drain_s=LONG_S) as referee:
        match = await plant(referee, name)
        shelf, player = referee.shelf, referee.caller(SEATS[0])
        shelf.writing, shelf.may_write = asyncio.Event(), asyncio.Event()
        under_way = asyncio.create_task(player.call("SubmitMove", submission(match.match_id, [by_id(PASS)])))
        await shelf.writing.wait()
        stopping = asyncio.create_task(referee.server.stop())
        late = referee.caller(SEATS[1])
        async with asyncio.timeout(SOON_S):
            while (await late.call("ListRulesets", b"")).code == grpc.StatusCode.OK:
                pass
        assert not under_way.done()
        shelf.may_write.set()
        async with asyncio.timeout(SOON_S):
            await stopping
            reply = await under_way
        assert reply.reason == "OK"
        assert service_pb2.SubmitMoveResponse.FromString(reply.messages[0]).version == 1
        assert len(await shelf.inner.log(match.match_id, 0, 9)) == 1


async def test_a_drain_does_not_wait_for_those_who_watch_the_health(name: str) -> None:
    """They hear that it no longer serves, and hold up nothing."""
    async with Referee(drain_s=LONG_S) as referee:
        call = health(referee, SERVICE)
        while (await call.read()).status != SERVING:
            pass
        async with asyncio.timeout(SOON_S):
            await referee.server.stop()
        assert (await call.read()).status == NOT_SERVING
        call.cancel()


async def test_a_drain_that_takes_too_long_is_cut_short(name: str) -> None:
    async with Referee(drain_s=0.05) as referee:
        match = await plant(referee, name)
        shelf = referee.shelf
        shelf.writing, shelf.may_write = asyncio.Event(), asyncio.Event()
        call = referee.caller(SEATS[0]).call("SubmitMove", submission(match.match_id, [by_id(PASS)]))
        under_way = asyncio.create_task(call)
        await shelf.writing.wait()
        async with asyncio.timeout(SOON_S):
            await referee.server.stop()
            reply = await under_way
        assert reply.code in (grpc.StatusCode.UNAVAILABLE, grpc.StatusCode.CANCELLED)
