"""Spectators in number: `python -m loadtest.streams`.

Ten thousand watch one match, and a thousand matches have one watcher each. It tells what memory and processor time a
stream costs the referee, and how long after a move was sent the watchers have seen it. Move by move the same messages
go to as many streams of a server that does nothing else (`loadtest.fanout`): that tells what is the referee's from what
gRPC, the watchers' own process and other work on the machine are to blame for. What the public is told is made once for
all; a thousand streams of one seat show what it costs to tell somebody alone. It exits with 1 if an aim is missed.
"""

import asyncio
import gc
import os
import time
from collections.abc import AsyncIterator, Awaitable, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import asdict, dataclass
from statistics import median, quantiles
from typing import Final, NamedTuple, Self

import click
import uvloop

from clients.sdk import Principal
from loadtest import results
from loadtest.fleet import Caller, Fleet
from loadtest.http2 import connect
from loadtest.processes import Replica, cpu_seconds, replica, resident_bytes, server
from loadtest.watching import Crowd
from referee.games import registry

MOST_KIB: Final = 40.0  # for a stream
LATEST_S: Final = 1.0  # for 99 of 100 deliveries
ONE, MANY, SEAT, FLOOR = "one match", "many matches", "one seat", "floor"
_GAME: Final = registry()["classic_art"]
_SEATS: Final = 2
_WARM: Final = 200
_MOVES: Final = 7
_RATE: Final = 100.0  # moves a second where each match has a watcher
_NONE: Final = "a" * 26  # what is watched at the floor


@dataclass(frozen=True, slots=True)
class Figures:
    """What streams cost: KiB for each, processor time in us for opening one and for a delivery; deliveries in s.

    A delivery costs `delivery_us` in the server, its part of the move included, and `watcher_us` in the process of all
    watchers. Costs of deliveries and how long they took are medians over the moves, of each of which all were told.
    `refused` is how often one was not let in at first, `message_bytes` the size of a delivery.
    """

    streams: int
    refused: int
    kib: float
    open_us: float
    delivery_us: float
    watcher_us: float
    p50_s: float
    p99_s: float
    message_bytes: int
    load: float

    @property
    def met(self) -> bool:
        """Whether both aims are met."""
        return self.kib <= MOST_KIB and self.p99_s <= LATEST_S


class _Round(NamedTuple):
    """One telling of all: what a delivery has cost the server and the watchers, and how long 50 and 99 of 100 took."""

    server_us: float
    watcher_us: float
    p50_s: float
    p99_s: float


class Audience:
    """Watchers of a server, and what it costs to let them in and to tell them. Made by `gather`."""

    def __init__(self, pid: int, crowd: Crowd, kib: float, open_us: float) -> None:
        self._pid: Final = pid
        self._crowd: Final = crowd
        self._kib: Final = kib
        self._open_us: Final = open_us
        self._rounds: Final = list[_Round]()

    @classmethod
    async def gather(
        cls,
        address: str,
        pid: int,
        match_ids: Sequence[str],
        principal: Principal | None = None,
        seat: int | None = None,
    ) -> Self:
        """Lets watchers in, as `Crowd.gather`, after others for whom the server has grown already."""
        (await Crowd.gather(address, [match_ids[0]] * _WARM, principal, seat)).leave()
        memory, cpu = resident_bytes(pid), cpu_seconds(pid)
        crowd = await Crowd.gather(address, match_ids, principal, seat)
        kib = (resident_bytes(pid) - memory) / 1024 / len(match_ids)
        return cls(pid, crowd, kib, (cpu_seconds(pid) - cpu) * 1e6 / len(match_ids))

    @property
    def last(self) -> bytes:
        """The last message to one of them."""
        return self._crowd.watchers[0].last

    async def hear(self, told: Awaitable[Mapping[str, float]]) -> None:
        """Waits until each has heard what is told meanwhile: something of each match, and when it was sent."""
        server_s, watchers_s, messages = cpu_seconds(self._pid), time.process_time(), self._crowd.messages()
        sent, came = await told, await self._crowd.hear()
        server_s, watchers_s = cpu_seconds(self._pid) - server_s, time.process_time() - watchers_s
        took = (at - sent[watcher.match_id] for watcher, at in zip(self._crowd.watchers, came, strict=True))
        ordered, each_us = quantiles(took, n=100), 1e6 / (self._crowd.messages() - messages)
        self._rounds.append(_Round(server_s * each_us, watchers_s * each_us, ordered[49], ordered[98]))

    def leave(self) -> Figures:
        """Ends all streams; returns what they have cost."""
        self._crowd.leave()
        costs = _Round(*map(median, zip(*self._rounds, strict=True)))
        return Figures(
            len(self._crowd.watchers),
            self._crowd.refused,
            self._kib,
            self._open_us,
            costs.server_us,
            costs.watcher_us,
            costs.p50_s,
            costs.p99_s,
            len(self.last),
            os.getloadavg()[0],
        )


async def of_one_match(one: Replica, watchers: int) -> dict[str, Figures]:
    """Lets spectators watch one match, and as many a server that does nothing else, told by turns."""
    with server("loadtest.fanout") as (address, pid):
        async with _fleet(one, 1) as fleet:
            audience = await Audience.gather(one.address, one.pid, [*fleet.match_ids] * watchers)
            bare = await Audience.gather(address, pid, [_NONE] * watchers)
            floor = Caller(await connect(address), address)
            for place in range(_MOVES):
                await audience.hear(_play(fleet, place))
                await bare.hear(_tell(floor, audience.last))
            floor.leave()
            return {ONE: audience.leave(), FLOOR: bare.leave()}


async def of_many_matches(one: Replica, matches: int) -> dict[str, Figures]:
    """Lets a spectator watch each of many matches, in which moves come at a rate."""
    async with _fleet(one, matches) as fleet:
        audience = await Audience.gather(one.address, one.pid, fleet.match_ids)
        await audience.hear(_play_all(fleet))
        return {MANY: audience.leave()}


async def of_one_seat(one: Replica, streams: int) -> dict[str, Figures]:
    """Lets a player watch its match by many streams, each of which is told by itself."""
    async with _fleet(one, 1) as fleet:
        match_ids = [*fleet.match_ids] * streams
        audience = await Audience.gather(one.address, one.pid, match_ids, fleet.caller.principal, seat=0)
        for place in range(_MOVES):
            await audience.hear(_play(fleet, place))
        return {SEAT: audience.leave()}


@asynccontextmanager
async def _fleet(one: Replica, matches: int) -> AsyncIterator[Fleet]:
    caller = Caller(await connect(one.address), one.address)
    try:
        yield await Fleet.create(caller, _GAME, _SEATS, matches)
    finally:
        caller.leave()


async def _play(fleet: Fleet, place: int) -> Mapping[str, float]:
    """Plays a move in the one match."""
    [match_id], sent = fleet.match_ids, time.perf_counter()
    await fleet.caller.answered("SubmitMove", fleet.request(match_id, place))
    return {match_id: sent}


async def _tell(caller: Caller, message: bytes) -> Mapping[str, float]:
    """Has the floor tell something."""
    sent = time.perf_counter()
    await caller.answered("SubmitMove", message)
    return {_NONE: sent}


async def _play_all(fleet: Fleet) -> Mapping[str, float]:
    """Plays a move in each match at a rate, whether or not those before were answered."""
    sent, calls, start = dict[str, float](), list[asyncio.Task[object]](), time.perf_counter()
    for number, match_id in enumerate(fleet.match_ids):
        await asyncio.sleep(start + number / _RATE - time.perf_counter())
        sent[match_id] = time.perf_counter()
        calls.append(asyncio.create_task(fleet.caller.answered("SubmitMove", fleet.request(match_id, 0))))
    await asyncio.gather(*calls)
    return sent


def _show(what: str, figures: Figures) -> None:
    print(
        f"{what}: {figures.kib:.1f} KiB a stream (aim: {MOST_KIB:.0f}); processor time {figures.open_us:.0f} us "
        f"to open one, {figures.delivery_us:.0f} us a delivery and {figures.watcher_us:.0f} us to take it; "
        f"delivered after p50 {figures.p50_s:.3f} s, p99 {figures.p99_s:.3f} s (aim: {LATEST_S:.0f} s); "
        f"{figures.refused} refused at first; load average {figures.load:.1f}"
    )


@click.command()
@click.option("--watchers", default=10_000, show_default=True, help="Watchers of one match.")
@click.option("--matches", default=1_000, show_default=True, help="Matches with a watcher each, and streams of a seat.")
def main(watchers: int, matches: int) -> None:
    """Measures streams; exits with 1 if they miss an aim."""
    gc.disable()  # what it would look for in this process is time taken from the servers
    measured = dict[str, Figures]()
    for measure, count in ((of_one_match, watchers), (of_many_matches, matches), (of_one_seat, matches)):
        with replica("--streams-at-once", str(count + _WARM)) as one:
            for name, figures in uvloop.run(measure(one, count)).items():
                measured[name] = figures
                _show(f"{count:,} streams, {name}", figures)
    ours, floor = measured[ONE], measured[FLOOR]
    print(
        f"of the floor: {ours.delivery_us / floor.delivery_us:.2f} times the processor time of the server, "
        f"{ours.p50_s / floor.p50_s:.2f} times p50, {ours.p99_s / floor.p99_s:.2f} times p99"
    )
    file = results.write("streams", {name: asdict(figures) for name, figures in measured.items()})
    print(f"figures are in {file}")
    if not all(measured[name].met for name in (ONE, MANY, SEAT)):
        raise SystemExit(1)


if __name__ == "__main__":
    main()
