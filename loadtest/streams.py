"""Spectators in number: `python -m loadtest.streams`.

Ten thousand watch one match, and a thousand matches have one watcher each. It tells what memory and processor time a
stream costs the referee, and how long after a move was sent the watchers have seen it. It exits with 1 if that misses
an aim.
"""

import asyncio
import os
import time
from dataclasses import asdict, dataclass
from statistics import quantiles
from typing import Final

import click
import uvloop

from loadtest import results
from loadtest.fleet import Caller, Fleet
from loadtest.http2 import connect
from loadtest.processes import Replica, cpu_seconds, replica, resident_bytes
from loadtest.watching import Crowd
from referee.games import registry

MOST_KIB: Final = 40.0  # for a stream
LATEST_S: Final = 1.0  # for 99 of 100 deliveries
_GAME: Final = registry()["classic_art"]
_SEATS: Final = 2
_WARM: Final = 200
_MOVES: Final = 5
_RATE: Final = 100.0  # moves a second where each match has a watcher


@dataclass(frozen=True, slots=True)
class Figures:
    """What streams cost: KiB for each, processor time in us for opening one and for a delivery; deliveries in s.

    `refused` is how often one was not let in at first, `message_bytes` the size of a delivery.
    """

    streams: int
    refused: int
    kib: float
    open_us: float
    delivery_us: float
    p50_s: float
    p99_s: float
    message_bytes: int
    load: float

    @property
    def met(self) -> bool:
        """Whether both aims are met."""
        return self.kib <= MOST_KIB and self.p99_s <= LATEST_S


async def measure(one: Replica, matches: int, watchers: int) -> Figures:
    """Lets spectators watch matches, as many each, while moves are played."""
    connection = await connect(one.address)
    fleet = await Fleet.create(Caller(connection, one.address), _GAME, _SEATS, matches)
    (await Crowd.gather(one.address, [fleet.match_ids[0]] * _WARM)).leave()
    memory, cpu = resident_bytes(one.pid), cpu_seconds(one.pid)
    crowd = await Crowd.gather(one.address, [*fleet.match_ids] * (watchers // matches))
    kib = (resident_bytes(one.pid) - memory) / 1024 / watchers
    open_us = (cpu_seconds(one.pid) - cpu) * 1e6 / watchers
    cpu, messages = cpu_seconds(one.pid), crowd.messages()
    took = await (_one_by_one(fleet, crowd) if matches == 1 else _at_a_rate(fleet, crowd))
    delivery_us = (cpu_seconds(one.pid) - cpu) * 1e6 / (crowd.messages() - messages)
    crowd.leave()
    connection.close()
    ordered, size = quantiles(took, n=100), crowd.watchers[0].size
    return Figures(
        watchers, crowd.refused, kib, open_us, delivery_us, ordered[49], ordered[98], size, os.getloadavg()[0]
    )


async def _one_by_one(fleet: Fleet, crowd: Crowd) -> list[float]:
    """Plays a match; returns how long after each move was sent its watchers have seen it."""
    took = list[float]()
    for place in range(_MOVES):
        sent = time.perf_counter()
        await fleet.caller.answered("SubmitMove", fleet.request(fleet.match_ids[0], place))
        took += [came - sent for came in await crowd.hear()]
    return took


async def _at_a_rate(fleet: Fleet, crowd: Crowd) -> list[float]:
    """Plays a move in each match, whether or not those before were answered; returns how long deliveries took."""
    sent, calls, start = dict[str, float](), list[asyncio.Task[object]](), time.perf_counter()
    for number, match_id in enumerate(fleet.match_ids):
        await asyncio.sleep(start + number / _RATE - time.perf_counter())
        sent[match_id] = time.perf_counter()
        calls.append(asyncio.create_task(fleet.caller.answered("SubmitMove", fleet.request(match_id, 0))))
    await asyncio.gather(*calls)
    came = zip(crowd.watchers, await crowd.hear(), strict=True)
    return [at - sent[watcher.match_id] for watcher, at in came]


def _tell(what: str, figures: Figures) -> None:
    print(
        f"{what}: {figures.kib:.1f} KiB a stream (aim: {MOST_KIB:.0f}); processor time {figures.open_us:.0f} us "
        f"to open one, {figures.delivery_us:.0f} us a delivery; delivered after p50 {figures.p50_s:.3f} s, "
        f"p99 {figures.p99_s:.3f} s (aim: {LATEST_S:.0f} s); {figures.refused} refused at first; "
        f"load average {figures.load:.1f}"
    )


@click.command()
@click.option("--watchers", default=10_000, show_default=True, help="Watchers of one match.")
@click.option("--matches", default=1_000, show_default=True, help="Matches with a watcher each.")
def main(watchers: int, matches: int) -> None:
    """Measures streams; exits with 1 if they miss an aim."""
    measured = dict[str, Figures]()
    for name, count, each in (("one match", 1, watchers), ("many matches", matches, matches)):
        with replica("--streams-at-once", str(watchers + _WARM)) as one:
            measured[name] = uvloop.run(measure(one, count, each))
        _tell(f"{each:,} watchers of {name}", measured[name])
    file = results.write("streams", {name: asdict(figures) for name, figures in measured.items()})
    print(f"figures are in {file}")
    if not all(figures.met for figures in measured.values()):
        raise SystemExit(1)


if __name__ == "__main__":
    main()
