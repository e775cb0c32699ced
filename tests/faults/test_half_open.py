"""Connections whose other end has gone without a word, as behind a gateway that has forgotten them."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import Final

import grpc
import pytest

from artreferee.v1 import service_pb2
from tests.api.harness import SEATS, Caller, Conversation, Referee, Stream, planted
from tests.faults.proxy import proxy_to
from tests.games.classic_art.build import season

KEEPALIVE_S: Final = 1.0
Opened = Callable[[Caller, str], Awaitable[Stream]]
WITHIN_S: Final = 10.0  # a deadline on a busy machine; what is waited for takes 1.3 s


async def watching(caller: Caller, match_id: str) -> Stream:
    stream = caller.watch(service_pb2.WatchMatchRequest(match_id=match_id))
    await stream.read()
    return stream


async def playing(caller: Caller, match_id: str) -> Conversation:
    stream = caller.play()
    await stream.say(service_pb2.PlayRequest())
    assert [match.match_id for match in (await stream.told()).asked] == [match_id]
    return stream


@pytest.mark.parametrize("opened", [watching, playing])
async def test_the_referee_finds_a_connection_that_went_silent(opened: Opened) -> None:
    """Within the keepalive, and it forgets the streams on it."""
    match = planted("match", season(2))
    async with Referee(keepalive_s=KEEPALIVE_S) as referee, proxy_to(f"127.0.0.1:{referee.server.port}") as proxy:
        await referee.plant(match)
        async with grpc.aio.insecure_channel(proxy.address) as channel:
            await opened(referee.caller_on(channel, SEATS[0]), match.match_id)
            proxy.silence()
            async with asyncio.timeout(WITHIN_S):
                await referee.shelf.deserted.wait()


async def test_a_caller_finds_a_connection_that_went_silent() -> None:
    """It may ask every ten seconds, which a test does not wait for; the first time is free."""
    match = planted("match", season(2))
    options = (("grpc.keepalive_time_ms", 1_000), ("grpc.http2.ping_timeout_ms", 300))
    async with Referee() as referee, proxy_to(f"127.0.0.1:{referee.server.port}") as proxy:
        await referee.plant(match)
        async with grpc.aio.insecure_channel(proxy.address, options=options) as channel:
            stream = await watching(referee.caller_on(channel, SEATS[0]), match.match_id)
            proxy.silence()
            assert (await stream.rest()).code == grpc.StatusCode.UNAVAILABLE
