"""Replicas that come and go: `python -m loadtest.drains`.

Two replicas stand behind HAProxy, set up as `deploy/haproxy/haproxy.cfg` says. While bots play, by single calls and
over streams, and spectators watch, one replica after the other is asked to stop and started again. It exits with 1 if a
call fails for good, a match ends otherwise than by its rules, or a spectator is not told of it without a gap.
"""

import asyncio
import os
import random
import shutil
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import AsyncExitStack, contextmanager
from dataclasses import dataclass, field
from itertools import cycle
from pathlib import Path
from typing import Any, Final

import click
import uvloop

from artreferee.v1 import match_pb2, service_pb2
from clients.bots.random_bot import RandomBot
from clients.sdk import Budget, RefereeClient, Runner, play_seat
from loadtest import results
from loadtest.processes import empty_store

CONFIGURATION: Final = Path(__file__).parents[1] / "deploy" / "haproxy" / "haproxy.cfg"
HOSTS: Final = ("127.0.23.1", "127.0.23.2")
_BALANCER: Final = "127.0.23.3"
_RULESET: Final = "artsee"  # has the shortest matches
_LONGEST_MATCH_S: Final = 120.0
_AWAY_S: Final = 3.0


@dataclass(slots=True)
class Figures:
    """What was seen.

    Attributes:
        matches: played to their end.
        moves: of these.
        drains: replicas that were asked to stop.
        leaps: how often a spectator, who had been away for many moves, was told where the match was by then instead.
        rested_s: the longest time between two messages to a spectator.
        faults: by what they were.
        load: of the machine, at the end.
    """

    matches: int = 0
    moves: int = 0
    drains: int = 0
    leaps: int = 0
    rested_s: float = 0.0
    faults: Counter[str] = field(default_factory=Counter)
    load: float = 0.0

    def plain(self) -> dict[str, Any]:
        """Returns them as they are written to a file."""
        counts = {"matches": self.matches, "moves": self.moves, "drains": self.drains, "leaps": self.leaps}
        return {**counts, "rested_s": self.rested_s, "faults": dict(self.faults), "load": self.load}


class Replicas:
    """Two referees on one store, each on an address of its own."""

    def __init__(self, store: str) -> None:
        self._store: Final = store
        self._running: Final = dict[str, subprocess.Popen[str]]()

    def start(self, host: str) -> None:
        """Starts one and waits until it listens."""
        addresses = ("--listen", f"{host}:50051", "--metrics", f"{host}:9464")
        options = ("--trusted-proxies", "1", "--call-rate", "0", "--address-call-rate", "0", "--creation-rate", "0")
        others = ("--address-creation-rate", "0", "--redis", self._store, "--log-level", "warning")
        command = (sys.executable, "-m", "referee", "serve", *addresses, *options, *others)
        process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
        if process.stdout is None or not process.stdout.readline().startswith("listening on "):
            raise RuntimeError(f"the referee on {host} did not start")
        self._running[host] = process

    def stop(self, host: str) -> int:
        """Asks one to stop; returns its exit code."""
        process = self._running.pop(host)
        process.terminate()
        code = process.wait()
        if process.stdout is not None:
            process.stdout.close()
        return code

    def end(self) -> None:
        """Stops all."""
        for host in list(self._running):
            self.stop(host)


@contextmanager
def balancer() -> Iterator[str]:
    """Runs HAProxy in front of the replicas; yields where it listens.

    Raises:
        RuntimeError: there is no HAProxy.
    """
    program = shutil.which("haproxy", path=f"{os.environ.get('PATH', '')}:/usr/sbin")
    if program is None:
        raise RuntimeError("there is no haproxy: install it")
    place = {"LISTEN": f"{_BALANCER}:50051", "STATISTICS": f"{_BALANCER}:8405"}
    behind = {f"REFEREE_{number}": host for number, host in enumerate(HOSTS, 1)}
    process = subprocess.Popen(
        [program, "-f", CONFIGURATION], env=os.environ | place | behind, stdout=subprocess.DEVNULL
    )
    try:
        yield place["LISTEN"]
    finally:
        process.terminate()
        process.wait()


class Table:
    """A pair of bots and a spectator, who begin a new match whenever one has ended."""

    def __init__(self, clients: tuple[RefereeClient, RefereeClient, RefereeClient], figures: Figures) -> None:
        self._caller, self._streamer, self._spectator = clients
        self._figures: Final = figures

    async def play(self, until: float) -> None:
        """Plays until a moment, and the last match to its end."""
        runner = asyncio.create_task(Runner(self._streamer, RandomBot, Budget(), self._fail).run())
        while time.monotonic() < until and not runner.done():
            try:
                async with asyncio.timeout(_LONGEST_MATCH_S):
                    await self._play_match()
            except Exception as error:
                self._figures.faults[repr(error)] += 1
        runner.cancel()
        for ending in await asyncio.gather(runner, return_exceptions=True):
            if not isinstance(ending, asyncio.CancelledError):
                self._figures.faults[repr(ending)] += 1

    async def _play_match(self) -> None:
        players = (self._caller, self._streamer)
        seats = [service_pb2.SeatRequest(principal_hash=player.principal.hash) for player in players]
        request = service_pb2.CreateMatchRequest(ruleset=_RULESET, seats=seats)
        match_id = (await self._caller.create_match(request)).match_id
        watching = asyncio.create_task(self._watch(match_id))
        match = await play_seat(self._caller, match_id, 0, RandomBot(), Budget(), random.Random(match_id))
        if {seat.cause for seat in match.result.seats} != {match_pb2.CAUSE_UNSPECIFIED}:
            self._figures.faults[f"a seat went out: {match.result.reason}"] += 1
        seen = await watching
        if seen != match.version:
            self._figures.faults[f"a spectator was told {seen} of {match.version} moves"] += 1
        self._figures.matches += 1
        self._figures.moves += match.version

    async def _watch(self, match_id: str) -> int:
        """Returns the version that was told last; each update has to follow what was told before it."""
        version, heard_s = None, time.monotonic()
        async for message in self._spectator.watch_match(match_id, detail=match_pb2.DETAIL_IDS):
            before, anew, now_s = version, message.HasField("snapshot"), time.monotonic()
            version = message.snapshot.version if anew else message.update.version
            self._figures.leaps += anew and before is not None
            self._figures.rested_s, heard_s = max(self._figures.rested_s, now_s - heard_s), now_s
            if before is not None and (version <= before if anew else version != before + 1):
                self._figures.faults["a spectator was told moves twice, or not all of them"] += 1
        return version or 0

    def _fail(self, match_id: str, seat: int, error: Exception) -> None:
        self._figures.faults[f"seat {seat} of {match_id} failed: {error!r}"] += 1


async def _drain_in_turn(replicas: Replicas, figures: Figures, every_s: float, until: float) -> None:
    for host in cycle(HOSTS):
        await asyncio.sleep(every_s - _AWAY_S)
        if time.monotonic() > until - _AWAY_S:
            return
        code = await asyncio.to_thread(replicas.stop, host)
        if code:
            figures.faults[f"a referee ended with exit code {code}"] += 1
        figures.drains += 1
        await asyncio.sleep(_AWAY_S)
        await asyncio.to_thread(replicas.start, host)


async def measure(store: str, tables: int, seconds: float, every_s: float) -> Figures:
    """Plays at so many tables while replicas come and go."""
    figures, replicas = Figures(), Replicas(store)
    try:
        for host in HOSTS:
            replicas.start(host)
        with balancer() as address:
            until = time.monotonic() + seconds
            async with AsyncExitStack() as stack:
                clients = [await stack.enter_async_context(RefereeClient(address)) for _ in range(3 * tables)]
                places = [Table((clients[n], clients[n + 1], clients[n + 2]), figures) for n in range(0, 3 * tables, 3)]
                draining = asyncio.create_task(_drain_in_turn(replicas, figures, every_s, until))
                await asyncio.gather(*(table.play(until) for table in places))
                await draining
    finally:
        replicas.end()
    figures.load = os.getloadavg()[0]
    return figures


@click.command()
@click.option("--tables", default=8, show_default=True, help="Matches at once.")
@click.option("--seconds", default=150.0, show_default=True, help="How long new matches begin.")
@click.option("--every", default=30.0, show_default=True, help="Seconds from one drain to the next.")
def main(tables: int, seconds: float, every: float) -> None:
    """Measures drains; exits with 1 if anybody has noticed one."""
    with empty_store() as store:
        figures = uvloop.run(measure(store, tables, seconds, every))
    print(
        f"{figures.matches:,} matches, {figures.moves:,} moves, {figures.drains} drains, "
        f"{figures.faults.total()} faults; load average {figures.load:.1f}; "
        f"spectators leapt {figures.leaps} times and heard nothing for {figures.rested_s:.1f} s at most"
    )
    for fault, count in figures.faults.most_common(10):
        print(f"  {count} x {fault}")
    file = results.write("drains", figures.plain())
    print(f"figures are in {file}")
    if figures.faults or not figures.drains:
        raise SystemExit(1)


if __name__ == "__main__":
    main()
