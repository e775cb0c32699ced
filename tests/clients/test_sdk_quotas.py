"""The client library where the referee lets in no more: it waits as long as it is told, and goes on."""

import asyncio
from collections.abc import AsyncGenerator, Callable, Iterator
from contextlib import aclosing, contextmanager
from functools import partial
from typing import Final

import grpc
import pytest
from google.protobuf.message import Message

from artreferee.v1 import error_pb2, service_pb2
from clients.sdk import CallError, Principal, RefereeClient
from clients.sdk.waits import Waits
from referee.api.quotas import BURST_S, Caller, Gate, Quotas
from referee.core.errors import RefereeError
from tests.api.faults import by_id
from tests.api.harness import SEATS, SPECTATOR, Planted, Referee, Secret
from tests.api.positions import setup_of
from tests.api.test_quotas import Clock
from tests.games.classic_art.moves import PASS

SOON_S: Final = 10.0


class Counting(Gate):
    """Counts how often it was asked."""

    asked = 0

    def charge(self, caller: Caller, cost: int = 1) -> None:
        Counting.asked += 1
        super().charge(caller, cost)


class Telling(Gate):
    """Tells when a stream was refused."""

    refused = asyncio.Event()

    @contextmanager
    def stream(self, caller: Caller) -> Iterator[None]:
        try:
            with super().stream(caller):
                yield
        except RefereeError:
            Telling.refused.set()
            raise


def client_of(referee: Referee, secret: Secret, timeout_s: float = SOON_S) -> RefereeClient:
    return RefereeClient(f"127.0.0.1:{referee.server.port}", Principal(secret.bytes), timeout_s=timeout_s)


def test_waits_are_never_shorter_than_what_is_asked_for_and_not_all_alike() -> None:
    """So that those who are refused together do not come back together."""
    waits = [Waits().next(3.0) for _ in range(50)]
    assert min(waits) >= 3.0
    assert len(set(waits)) > 1


@pytest.mark.parametrize(
    ("code", "retriable"),
    [
        (grpc.StatusCode.UNAVAILABLE, True),
        (grpc.StatusCode.DEADLINE_EXCEEDED, True),
        (grpc.StatusCode.CANCELLED, True),
        (grpc.StatusCode.INTERNAL, True),
        (grpc.StatusCode.RESOURCE_EXHAUSTED, False),
        (grpc.StatusCode.UNIMPLEMENTED, False),
        (grpc.StatusCode.UNKNOWN, False),
    ],
)
def test_what_no_referee_has_said_may_be_repeated_where_it_can_pass(code: grpc.StatusCode, retriable: bool) -> None:
    """A server cancels calls when it stops, or has too many to look at; INTERNAL is gRPC's for a broken connection."""
    error = grpc.aio.AioRpcError(code, grpc.aio.Metadata(), grpc.aio.Metadata(), "gRPC's own words")
    assert CallError.of(error).retriable == retriable


async def test_a_call_that_would_have_to_wait_longer_than_it_may_fails_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """With the reason, and what the referee asks for."""
    monkeypatch.setattr("referee.api.server.Gate", partial(Gate, clock=Clock()))
    async with Referee(quotas=Quotas(address_call_rate=0.01)) as referee, client_of(referee, SPECTATOR) as client:
        await client.list_rulesets()
        async with asyncio.timeout(SOON_S / 2):
            with pytest.raises(CallError) as error:
                await client.list_rulesets()
    assert error.value.code is grpc.StatusCode.RESOURCE_EXHAUSTED
    assert error.value.reason == error_pb2.ERROR_REASON_RATE_LIMITED
    assert error.value.retriable
    assert error.value.retry_after_s == 100.0


async def test_a_call_that_is_refused_for_now_comes_again_when_it_is_told_to(monkeypatch: pytest.MonkeyPatch) -> None:
    """Just once: its own waits would be shorter than a second."""
    monkeypatch.setattr("referee.api.server.Gate", Counting)
    Counting.asked = 0
    async with Referee(quotas=Quotas(address_call_rate=1)) as referee, client_of(referee, SPECTATOR) as client:
        for _ in range(BURST_S + 1):
            await client.list_rulesets()
    assert Counting.asked == BURST_S + 2


async def watching(client: RefereeClient, match: Planted) -> AsyncGenerator[Message, None]:
    async for message in client.watch_match(match.match_id):
        yield message


async def playing(client: RefereeClient, match: Planted) -> AsyncGenerator[Message, None]:
    async with client.play() as stream:
        async for message in stream:
            yield message


@pytest.mark.parametrize("listen", [watching, playing])
async def test_a_stream_that_is_refused_for_now_is_opened_again(
    monkeypatch: pytest.MonkeyPatch, listen: Callable[[RefereeClient, Planted], AsyncGenerator[Message, None]]
) -> None:
    monkeypatch.setattr("referee.api.server.Gate", Telling)
    Telling.refused.clear()
    async with Referee(quotas=Quotas(streams=1)) as referee, client_of(referee, SEATS[0]) as client:
        match = await setup_of(referee, "listened to")
        first = referee.caller(SEATS[0]).watch(service_pb2.WatchMatchRequest(match_id=match.match_id))
        await first.read()
        async with aclosing(listen(client, match)) as told, asyncio.timeout(SOON_S), asyncio.TaskGroup() as group:
            message = group.create_task(anext(told))
            await Telling.refused.wait()
            first.cancel()
        assert message.result().ListFields()


async def test_a_move_over_a_stream_that_is_refused_for_now_is_played_all_the_same() -> None:
    """Its player is told of the outcome in the end alone."""
    async with Referee(quotas=Quotas(call_rate=1)) as referee:
        match = await setup_of(referee, "played")
        async with client_of(referee, SEATS[0]) as client, client.play() as stream, asyncio.timeout(SOON_S):
            for _ in range(BURST_S - 1):
                await client.get_match(match.match_id)
            async for response in stream:
                for asked in response.asked:
                    move = service_pb2.PlayMove(match_id=asked.match_id, request_id="r", moves=[by_id(PASS)])
                    move.decision_number = asked.prompt.decision_number
                    await stream.submit(move)
                if response.outcomes:
                    break
    [outcome] = response.outcomes
    assert outcome.accepted.version == 1
    assert len(await referee.shelf.inner.log(match.match_id, 0, 9)) == 1
