"""What callers are told while there is more to do than can be done, and that it is found out."""

import asyncio
import time
from dataclasses import dataclass
from typing import Any, Final

import grpc
import pytest
from google.protobuf.message import Message

from artreferee.v1 import error_pb2, service_pb2
from referee.api.backlog import Backlog
from referee.api.metrics import Metrics
from referee.api.quotas import Quotas
from tests.api.calls import ABSENT, aimed, create
from tests.api.faults import assert_refused, nothing_changes
from tests.api.harness import SEATS, SERVICE, SPECTATOR, Referee, Reply, planted
from tests.api.test_clocks import IN, created, policy
from tests.api.test_grace import AWAY, GRACE_MS, OVER_MS, cause_of, frozen_at, passes
from tests.api.test_metrics import values
from tests.api.test_play_faults import answered, asked, move, opened, told
from tests.games.classic_art.build import season
from tests.servers import eventually
from tests.table.clock import Clock, machines_show

LIST: Final[tuple[str, bytes]] = ("ListMatches", b"")
SAID: Final[dict[str, object]] = {"what": "seconds of waiting", "limit": 60, "retry_after_ms": 1000}


@dataclass
class Crowd:
    """Whether too many are waiting."""

    there: bool = True


@pytest.fixture
def crowd(monkeypatch: pytest.MonkeyPatch) -> Crowd:
    """A crowd that is there until the test sends it away."""
    crowd = Crowd()
    monkeypatch.setattr(Backlog, "late", lambda _: crowd.there)
    return crowd


async def test_every_call_that_has_waited_too_long_is_refused_and_does_nothing(
    referee: Referee, crowd: Crowd, name: str
) -> None:
    """The streams too; whoever is told so may call again, and is answered when the crowd has gone."""
    match = planted(name, season(2))
    await referee.plant(match)
    crowd.there = False
    async with nothing_changes(referee, match.match_id):
        crowd.there = True
        calls: list[tuple[str, Message | bytes]] = [
            *aimed(match.match_id),
            ("CreateMatch", create()),
            LIST,
            ("Play", service_pb2.PlayRequest()),
        ]
        for method, request in calls:
            assert_refused(await referee.caller(SEATS[0]).call(method, request), "OVERLOADED", **SAID)
        assert_refused(await referee.caller(None).call("ListRulesets", b""), "OVERLOADED", **SAID)
        crowd.there = False
    assert (await referee.caller(SEATS[0]).call(*LIST)).reason == "OK"


async def test_a_move_over_a_stream_is_refused_and_may_be_repeated(referee: Referee, crowd: Crowd, name: str) -> None:
    """The stream goes on; the same move is played when the crowd has gone."""
    match = planted(name, season(2))
    await referee.plant(match)
    crowd.there = False
    player = await opened(referee.caller(SEATS[0]))
    await told(player, asked)
    crowd.there = True
    await player.say(service_pb2.PlayRequest(moves=[move(match)]))
    [outcome] = (await told(player, answered)).outcomes
    assert outcome.refused.reason == error_pb2.ERROR_REASON_OVERLOADED
    assert outcome.refused.retriable
    said = {pair.key: pair.value for pair in outcome.refused.metadata}
    assert said == {key: str(value) for key, value in SAID.items()}
    crowd.there = False
    await player.say(service_pb2.PlayRequest(moves=[move(match)]))
    assert (await told(player, answered)).outcomes[0].accepted.version == 1
    player.cancel()


async def test_who_says_not_who_it_is_hears_that_first(referee: Referee, crowd: Crowd) -> None:
    assert crowd.there
    assert_refused(await referee.caller(None).call(*LIST), "PRINCIPAL_MISSING")


async def test_a_call_that_is_refused_is_a_sign_of_life(monkeypatch: pytest.MonkeyPatch, crowd: Crowd) -> None:
    """Nobody loses a seat because the referee has no time."""
    clock = Clock()
    machines_show(monkeypatch, lambda: clock.now_ms / 1_000)
    async with frozen_at(clock) as referee:
        crowd.there = False
        match_id = await created(referee, 2, fault_policy=policy(disconnect_grace_ms=GRACE_MS))
        await passes(clock, GRACE_MS, referee)
        crowd.there = True
        assert (await referee.caller(SEATS[0]).call(*LIST)).reason == "OVERLOADED"
        await referee.server._table.presence.keep()  # as it does several times a second
        await passes(clock, GRACE_MS, referee)
        crowd.there = False
        assert await cause_of(referee, match_id) == IN
        await passes(clock, OVER_MS - GRACE_MS + 250, referee)
        assert await cause_of(referee, match_id) == AWAY


async def test_refusals_are_counted(crowd: Crowd) -> None:
    metrics = Metrics()
    async with Referee(observer=metrics) as referee:
        assert crowd.there
        await referee.caller(SEATS[0]).call(*LIST)
        await referee.caller(SEATS[0]).call("Play", service_pb2.PlayRequest())
    assert values(metrics, "refusals_total") == {("OVERLOADED",): 2}
    assert values(metrics, "calls_total") == {
        ("RESOURCE_EXHAUSTED", "ListMatches"): 1,
        ("RESOURCE_EXHAUSTED", "Play"): 1,
    }
    assert values(metrics, "streams_open") == {("Play",): 0}


def busy(seconds: float) -> None:
    """Keeps the event loop from everything else."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        pass


async def test_calls_that_have_waited_in_a_standing_backlog_are_refused_and_others_served(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Measured by real markers, among calls that the event loop has no time for."""
    monkeypatch.setattr("referee.api.backlog.PATIENCE_S", 0.05)
    async with Referee(quotas=Quotas(longest_wait=0.01)) as referee:
        caller, handlers = referee.caller(SPECTATOR), referee.server._handlers._handlers
        path = f"/{SERVICE}/ListMatches"
        handler: Any = handlers[path]

        async def refused() -> list[Reply]:
            replies = await asyncio.gather(*(caller.call(*LIST) for _ in range(50)))
            return [reply for reply in replies if reply.reason != "OK"]

        async def toil(raw: bytes, context: Any) -> bytes:
            busy(0.01)
            answer: bytes = await handler.unary_unary(raw, context)
            return answer

        handlers[path] = grpc.unary_unary_rpc_method_handler(toil)
        for reply in await eventually(refused):
            assert_refused(reply, "OVERLOADED", **SAID | {"limit": 0.01})
        handlers[path] = handler
        assert (await caller.call(*LIST)).reason == "OK"


async def test_what_nobody_had_time_for_is_cancelled_without_being_looked_at(monkeypatch: pytest.MonkeyPatch) -> None:
    """So that a process that could do nothing for a while is soon itself again."""
    monkeypatch.setattr("referee.api.server._UNREAD_S", 1)
    metadata = (("authorization", f"Bearer {SPECTATOR.token}"),)
    async with Referee() as referee:
        with grpc.insecure_channel(f"127.0.0.1:{referee.server.port}") as channel:
            await asyncio.to_thread(grpc.channel_ready_future(channel).result)
            method: Any = channel.unary_unary(f"/{SERVICE}/{LIST[0]}")
            calls = [method.future(LIST[1], metadata=metadata) for _ in range(50)]
            busy(1.5)
            codes = {await asyncio.to_thread(call.code) for call in calls}
        assert codes == {grpc.StatusCode.OK, grpc.StatusCode.CANCELLED}
        assert (await referee.caller(SPECTATOR).call(*LIST)).reason == "OK"


async def test_nobody_but_markers_may_call_where_they_do(referee: Referee) -> None:
    """There no certificate is asked for."""
    async with grpc.aio.insecure_channel(referee.server._markers._address) as channel:
        calls: list[tuple[str, Message | bytes]] = [*aimed(ABSENT), LIST, ("ListRulesets", b"")]
        for method, request in calls:
            reply = await Referee.caller_on(channel, SEATS[0]).call(method, request)
            assert_refused(reply, "NOT_PERMITTED")


async def test_a_server_that_loses_its_markers_goes_on(referee: Referee, monkeypatch: pytest.MonkeyPatch) -> None:
    """Without them it does not know how long calls wait, and refuses none."""
    monkeypatch.setattr("referee.api.markers._LOST_S", 0.0)
    backlog = referee.server._handlers._gate.backlog
    forget, lost = backlog.forget, list[int]()

    def count() -> None:
        lost.append(len(backlog._under_way))
        forget()

    monkeypatch.setattr(backlog, "forget", count)

    async def is_lost() -> bool:
        assert (await referee.caller(SEATS[0]).call(*LIST)).reason == "OK"
        return len(lost) > 0

    await eventually(is_lost)
    assert (await referee.caller(SEATS[0]).call(*LIST)).reason == "OK"


async def test_where_there_are_no_such_sockets_nobody_is_refused(
    referee: Referee, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """The log says so."""
    other = Referee()
    monkeypatch.setattr(other.server._markers, "_address", referee.server._markers._address)
    async with other:
        assert (await other.caller(SEATS[0]).call(*LIST)).reason == "OK"
        assert other.server._handlers._gate.backlog._send is None
    assert "how long calls wait is not measured" in caplog.text
