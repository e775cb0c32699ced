"""`python -m loadtest.flood`: what callers notice of one that calls twenty times as often as it may.

Rounds without and with the flood alternate. Whoever floods has a process of its own that gives way to all others, so
that they notice what the flood costs the referee, and not what it costs to make. Every call reads a match.
"""

import asyncio
import multiprocessing
import os
import random
import socket
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from http.client import HTTPConnection
from statistics import median, quantiles
from typing import Any, Final

import click
import grpc
from prometheus_client.parser import text_string_to_metric_families

from artreferee.v1 import service_pb2
from artreferee.v1.service_pb2_grpc import RefereeServiceStub
from clients.sdk import Principal, RefereeClient
from loadtest.processes import cpu_seconds, server

_TIMES: Final = 20
_CALLERS: Final = 8
_GIVES_WAY: Final = 10  # in steps of priority
_CATCHES_UP_S: Final = 0.005  # what it was still slower with it leaves out, as it would come in one burst
_ARRIVES_S: Final = 20.0
_POLL_S: Final = 0.05
_METHOD: Final = "/artreferee.v1.RefereeService/GetMatch"


@dataclass(frozen=True, slots=True)
class Round:
    """Latencies in ms of calls, from when they were due; refusals and processor time of the referee a second."""

    took: Sequence[float]
    refusals_s: float
    cpu: float

    def ms(self, percent: int) -> float:
        """Returns a percentile of the latencies."""
        return quantiles(self.took, n=100)[percent - 1]


class Scene:
    """A referee with a match that all callers read, each of whom may call `limit` times a second."""

    def __init__(self, limit: int, address: str, pid: int, monitor: str) -> None:
        self._limit: Final = limit
        self._address: Final = address
        self._pid: Final = pid
        self._monitor: Final = monitor
        self._match_id: Final = asyncio.run(create(address))

    def measure(self, seconds: float) -> Round:
        """Lets everybody call half as often as it may."""
        refused, cpu = self.refused(), cpu_seconds(self._pid)
        took = asyncio.run(measure(self._address, self._match_id, self._limit / 2, seconds))
        return Round(took, (self.refused() - refused) / seconds, (cpu_seconds(self._pid) - cpu) / seconds)

    @contextmanager
    def flood(self) -> Iterator[None]:
        """One more calls far too often; the block begins when it is refused."""
        spawn, refused = multiprocessing.get_context("spawn"), self.refused()  # grpc must not be forked
        flooding = spawn.Process(target=flood, args=(self._address, self._match_id, _TIMES * self._limit))
        flooding.start()
        try:
            deadline = time.monotonic() + _ARRIVES_S
            while self.refused() == refused:
                if time.monotonic() > deadline:
                    raise RuntimeError(f"nothing of the flood was refused within {_ARRIVES_S} s")
                time.sleep(_POLL_S)
            yield
        finally:
            flooding.terminate()
            flooding.join()

    def refused(self) -> float:
        """Returns how many calls the referee has refused because they were too many."""
        connection = HTTPConnection(self._monitor)
        connection.request("GET", "/metrics")
        text = connection.getresponse().read().decode()
        connection.close()
        samples = [sample for family in text_string_to_metric_families(text) for sample in family.samples]
        return sum(sample.value for sample in samples if sample.labels == {"reason": "RATE_LIMITED"})


async def measure(address: str, match_id: str, rate: float, seconds: float) -> list[float]:
    """Returns the latencies of all callers that keep to their limits."""
    callers = [random.Random(number) for number in range(_CALLERS)]
    results = await asyncio.gather(*(call(address, match_id, rate, seconds, rng) for rng in callers))
    return [each for took in results for each in took]


async def call(address: str, match_id: str, rate: float, seconds: float, rng: random.Random) -> list[float]:
    """Calls at random times, whether or not there are answers; returns the latencies in ms."""
    request, took = service_pb2.GetMatchRequest(match_id=match_id), list[float]()
    async with grpc.aio.insecure_channel(address, options=(("grpc.use_local_subchannel_pool", 1),)) as channel:
        method: Any = RefereeServiceStub(channel).GetMatch
        metadata = _metadata()
        await channel.channel_ready()
        start = time.perf_counter()

        async def once(due: float) -> None:
            await asyncio.sleep(due - time.perf_counter())
            await method(request, metadata=metadata)
            took.append((time.perf_counter() - due) * 1000)

        await asyncio.gather(*(once(start + rng.uniform(0, seconds)) for _ in range(int(rate * seconds))))
    return took


def flood(address: str, match_id: str, rate: float) -> None:
    """Calls at a fixed rate, whatever the answers are, until the process is ended."""
    os.nice(_GIVES_WAY)
    asyncio.run(_flood(address, service_pb2.GetMatchRequest(match_id=match_id).SerializeToString(), rate))


async def _flood(address: str, request: bytes, rate: float) -> None:
    calls, metadata, due = set[grpc.aio.Call](), _metadata(), time.perf_counter()
    async with grpc.aio.insecure_channel(address) as channel:
        method: Callable[..., grpc.aio.Call] = channel.unary_unary(_METHOD)
        while True:
            due = max(due + 1 / rate, time.perf_counter() - _CATCHES_UP_S)
            await asyncio.sleep(due - time.perf_counter())
            sent = method(request, metadata=metadata)
            calls.add(sent)  # or it would be cancelled with its last reference
            sent.add_done_callback(partial(_forget, calls, sent))


def _forget(calls: set[grpc.aio.Call], sent: grpc.aio.Call, _: object) -> None:
    calls.discard(sent)


async def create(address: str) -> str:
    """Creates a match that is read by all."""
    async with RefereeClient(address) as client:
        seats = [service_pb2.SeatRequest(principal_hash=client.principal.hash)] * 2
        request = service_pb2.CreateMatchRequest(ruleset="classic_art", seats=seats)
        return (await client.create_match(request)).match_id


@click.command()
@click.option("--rounds", default=5, show_default=True, help="Rounds of each kind.")
@click.option("--seconds", default=10.0, show_default=True, help="Length of a round.")
@click.option("--limit", default=50, show_default=True, help="Calls a second that each may make.")
def main(rounds: int, seconds: float, limit: int) -> None:
    """Measures latencies without and with a flood, in ms."""
    quiet, flooded, monitor = list[Round](), list[Round](), f"127.0.0.1:{_free_port()}"
    with tempfile.TemporaryDirectory() as data:
        options = ("--data", data, "--call-rate", str(limit), "--metrics", monitor, "--log-level", "warning")
        with server("referee", "serve", "--listen", "127.0.0.1:0", *options) as (address, pid):
            scene = Scene(limit, address, pid, monitor)
            for _ in range(rounds):
                quiet.append(scene.measure(seconds))
                with scene.flood():
                    flooded.append(scene.measure(seconds))
    for name, measured in (("without", quiet), ("with", flooded)):
        p50, p99 = (median(each.ms(percent) for each in measured) for percent in (50, 99))
        refusals_s, cpu = median(each.refusals_s for each in measured), median(each.cpu for each in measured)
        print(
            f"{name:8} a flood: p50 {p50:6.2f}  p99 {p99:6.2f}  {refusals_s:5.0f} refusals a second"
            f"  {cpu:4.0%} of a core for the referee"
        )
    ratios = [other.ms(99) / each.ms(99) for each, other in zip(quiet, flooded, strict=True)]
    print(f"p99 with to without, round by round: {median(ratios):.2f} ({min(ratios):.2f} to {max(ratios):.2f})")


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


def _metadata() -> tuple[tuple[str, str], ...]:
    return (("authorization", f"Bearer {Principal.new().token}"),)


if __name__ == "__main__":
    main()
