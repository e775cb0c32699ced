"""`python -m loadtest.flood`: what callers notice of one that calls twenty times as often as it may.

Rounds without and with the flood alternate; whoever floods has a process of its own. Every call reads a match.
"""

import asyncio
import multiprocessing
import tempfile
import time
from collections import Counter
from collections.abc import Sequence
from statistics import median, quantiles
from typing import Any, Final

import click
import grpc

from artreferee.v1 import service_pb2
from artreferee.v1.service_pb2_grpc import RefereeServiceStub
from clients.sdk import Principal, RefereeClient
from loadtest.processes import server

_LIMIT: Final = 50  # calls a second
_FLOOD: Final = 20 * _LIMIT
_CALLERS: Final = 8
_RATE: Final = _LIMIT // 2


async def call(address: str, match_id: str, rate: float, seconds: float) -> tuple[list[float], Counter[str]]:
    """Calls at a fixed rate, whether or not there are answers; returns the latencies in ms, and how calls ended."""
    metadata, request = _metadata(), service_pb2.GetMatchRequest(match_id=match_id)
    took, codes = list[float](), Counter[str]()
    async with grpc.aio.insecure_channel(address, options=(("grpc.use_local_subchannel_pool", 1),)) as channel:
        method: Any = RefereeServiceStub(channel).GetMatch
        await channel.channel_ready()
        start = time.perf_counter()

        async def once(number: int) -> None:
            due = start + number / rate
            await asyncio.sleep(due - time.perf_counter())
            try:
                await method(request, metadata=metadata)
                codes["OK"] += 1
            except grpc.aio.AioRpcError as error:
                codes[error.code().name] += 1
            took.append((time.perf_counter() - due) * 1000)

        await asyncio.gather(*(once(number) for number in range(int(rate * seconds))))
    return took, codes


async def measure(address: str, match_id: str, seconds: float) -> tuple[list[float], Counter[str]]:
    """Returns the latencies of all callers that keep to their limits, and how their calls ended."""
    results = await asyncio.gather(*(call(address, match_id, _RATE, seconds) for _ in range(_CALLERS)))
    return [each for took, _ in results for each in took], sum((codes for _, codes in results), Counter[str]())


def flood(address: str, match_id: str, seconds: float, ended: "multiprocessing.Queue[Counter[str]]") -> None:
    """Calls far too often; tells how the calls ended."""
    ended.put(asyncio.run(call(address, match_id, _FLOOD, seconds))[1])


async def create(address: str) -> str:
    """Creates a match that is read by all."""
    async with RefereeClient(address) as client:
        seats = [service_pb2.SeatRequest(principal_hash=client.principal.hash)] * 2
        request = service_pb2.CreateMatchRequest(ruleset="classic_art", seats=seats)
        return (await client.create_match(request)).match_id


@click.command()
@click.option("--rounds", default=3, show_default=True, help="Rounds of each kind.")
@click.option("--seconds", default=10.0, show_default=True, help="Length of a round.")
def main(rounds: int, seconds: float) -> None:
    """Measures latencies without and with a flood, in ms."""
    spawn = multiprocessing.get_context("spawn")  # grpc must not be forked
    quiet, flooded = list[list[float]](), list[list[float]]()
    with tempfile.TemporaryDirectory() as data:
        limited = ("--listen", "127.0.0.1:0", "--data", data, "--call-rate", str(_LIMIT), "--log-level", "warning")
        with server("referee", "serve", *limited) as (address, _):
            match_id = asyncio.run(create(address))
            for _ in range(rounds):
                quiet.append(_served(asyncio.run(measure(address, match_id, seconds))))
                ended = spawn.Queue()
                flooding = spawn.Process(target=flood, args=(address, match_id, seconds, ended))
                flooding.start()
                flooded.append(_served(asyncio.run(measure(address, match_id, seconds))))
                print(f"of the flood: {dict(ended.get())}")
                flooding.join()
    for name, took in (("without", quiet), ("with", flooded)):
        print(f"{name:8} a flood: p50 {_middle(took, 50):6.2f}  p99 {_middle(took, 99):6.2f}")
    print(f"p99 with to without: {_middle(flooded, 99) / _middle(quiet, 99):.2f}")


def _served(measured: tuple[list[float], Counter[str]]) -> list[float]:
    took, codes = measured
    if codes.keys() != {"OK"}:
        raise RuntimeError(f"callers that keep to their limits were refused: {dict(codes)}")
    return took


def _middle(rounds: Sequence[Sequence[float]], percent: int) -> float:
    return median(quantiles(took, n=100)[percent - 1] for took in rounds)


def _metadata() -> tuple[tuple[str, str], ...]:
    return (("authorization", f"Bearer {Principal.new().token}"),)


if __name__ == "__main__":
    main()
