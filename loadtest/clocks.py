"""Clocks under load: `python -m loadtest.clocks`.

Seats that never answer are put out, without any traffic, by three replicas and by one; it prints how late that is. Then
bots on Play streams answer within a limit of 50 ms (and a margin as long) at 60 % of the rate at which the service is
saturated, which a short ramp finds first. It prints how many of them were put out although they had answered within
their limit by their own clocks, and how long they took by the referee's; and how often the machine stood still.
"""

from __future__ import annotations  # grpc's classes are generic in their stubs only

import asyncio
import random
import tempfile
import time
from collections.abc import AsyncIterator, Callable, Iterable, Sequence
from contextlib import AsyncExitStack, ExitStack, asynccontextmanager, suppress
from itertools import cycle, islice
from pathlib import Path
from typing import Any, Final

import click
import grpc
import uvloop

from artreferee.v1 import classic_art_pb2, error_pb2, match_pb2, record_pb2, ruleset_pb2, service_pb2
from artreferee.v1.service_pb2_grpc import RefereeServiceStub
from clients.sdk import Principal, RefereeClient, new_request_id
from loadtest.processes import server
from referee.store import embedded

LIMIT_MS: Final = 50
MARGIN_MS: Final = 50
SHARE_OF_KNEE: Final = 0.6
MOST_FALSE: Final = 0.0005
LATEST_MS: Final = 100
_RAMP: Final = (2, 4, 8, 16, 32, 64)  # matches at once
_STREAMS: Final = 4
_SEATS: Final = 4
_THINK_S: Final = 0.02  # on average; at most not quite twice as long
_LATENCY_S: Final = 0.004  # about; by it follows how many matches make a rate
_LONG_MS: Final = 600_000
_TICK_S: Final = 0.005
_STILL_S: Final = 0.03
_OUT: Final = frozenset({error_pb2.ERROR_REASON_SEAT_OUT, error_pb2.ERROR_REASON_MATCH_OVER})
Think = Callable[[], float]


class Tally:
    """What bots saw.

    Attributes:
        moves: how many were taken.
        out: how long, in s and by their own clocks, those took that found their seat out.
        ended: the matches that were played to their end.
    """

    def __init__(self) -> None:
        self.moves = 0
        self.out: Final = list[float]()
        self.ended: Final = list[str]()
        self._goal, self._reached = 0, asyncio.Event()

    def note_move(self) -> None:
        """Counts a move."""
        self.moves += 1
        if self.moves >= self._goal:
            self._reached.set()

    def false(self) -> list[float]:
        """Returns those of `out` that had answered within their limit."""
        return [took for took in self.out if took * 1_000 <= LIMIT_MS]

    async def rate_of(self, moves: int) -> float:
        """Waits for so many moves more; returns how many there were a second."""
        before, start = self.moves, time.perf_counter()
        self._goal = before + moves
        self._reached.clear()
        await self._reached.wait()
        return (self.moves - before) / (time.perf_counter() - start)


class Player:
    """Plays all seats of some matches over one stream, and a new match for each that ends."""

    def __init__(self, client: RefereeClient, limit_ms: int, think: Think, tally: Tally) -> None:
        self._client, self._limit_ms, self._think, self._tally = client, limit_ms, think, tally
        self._rng: Final = random.Random(client.principal.hash)
        self._ready: list[tuple[service_pb2.PlayMove, float]] = []
        self._due: Final = asyncio.Event()
        self._took: Final = dict[str, float]()

    async def play(self, stream: Any, matches: int) -> None:
        """Plays until it is cancelled."""
        async with asyncio.TaskGroup() as group:
            for _ in range(matches):
                group.create_task(self._create())
            group.create_task(self._send(stream))
            while True:
                response = await stream.read()
                came = time.perf_counter()
                for match in response.asked:
                    asyncio.get_running_loop().call_later(self._think(), self._choose, match, came)
                self._count(response.outcomes)
                for match_id in {match.match_id for match in response.ended}:
                    self._tally.ended.append(match_id)
                    group.create_task(self._create())

    async def _create(self) -> None:
        seat = service_pb2.SeatRequest(principal_hash=self._client.principal.hash)
        control = match_pb2.TimeControl(move_limit_ms=self._limit_ms, margin_ms=MARGIN_MS)
        request = service_pb2.CreateMatchRequest(ruleset="classic_art", seats=[seat] * _SEATS, time_control=control)
        await self._client.create_match(request)

    def _choose(self, match: match_pb2.Match, came: float) -> None:
        move = service_pb2.PlayMove(
            request_id=new_request_id(),
            match_id=match.match_id,
            seat=match.viewer_seat,
            decision_number=match.prompt.decision_number,
            moves=[match_pb2.MoveChoice(id=self._rng.choice(match.prompt.legal_ids))],
        )
        self._ready.append((move, came))
        self._due.set()

    async def _send(self, stream: Any) -> None:
        while True:
            await self._due.wait()
            self._due.clear()
            ready, self._ready = self._ready, []
            await stream.write(service_pb2.PlayRequest(moves=[move for move, _ in ready]))
            sent = time.perf_counter()
            self._took.update((move.request_id, sent - came) for move, came in ready)

    def _count(self, outcomes: Iterable[service_pb2.PlayOutcome]) -> None:
        for outcome in outcomes:
            took = self._took.pop(outcome.request_id, 0.0)  # answered before its write has returned
            if not outcome.HasField("refused"):
                self._tally.note_move()
            elif outcome.refused.reason in _OUT:
                self._tally.out.append(took)
            else:
                raise RuntimeError(f"a move was refused: {outcome.refused.text}")


@asynccontextmanager
async def playing(address: str, matches: int, limit_ms: int, think: Think) -> AsyncIterator[Tally]:
    """Lets bots play so many matches at once, over a few streams."""
    tally = Tally()
    async with AsyncExitStack() as stack:
        tasks = []
        for number in range(min(_STREAMS, matches)):
            client = await stack.enter_async_context(RefereeClient(address))
            stream = await stack.enter_async_context(_stream(address, client.principal))
            share = len(range(number, matches, _STREAMS))
            tasks.append(asyncio.create_task(Player(client, limit_ms, think, tally).play(stream, share)))
        yield tally
        for task in tasks:
            task.cancel()
        await asyncio.wait(tasks)


@asynccontextmanager
async def _stream(address: str, principal: Principal) -> AsyncIterator[Any]:
    options = (("grpc.use_local_subchannel_pool", 1),)
    async with grpc.aio.insecure_channel(address, options=options) as channel:
        stream = RefereeServiceStub(channel).Play(metadata=(("authorization", f"Bearer {principal.token}"),))
        await stream.write(service_pb2.PlayRequest(detail=match_pb2.DETAIL_IDS))
        yield stream
        stream.cancel()


async def find_knee(address: str) -> float:
    """Returns the moves a second at which more matches at once do not bring more."""
    rates = []
    for matches in _RAMP:
        async with playing(address, matches, _LONG_MS, lambda: 0.0) as tally:
            await tally.rate_of(200)
            rates.append(await tally.rate_of(2_000))
        click.echo(f"  {matches:3d} matches at once: {rates[-1]:7,.0f} moves/s")
    return max(rates)


async def measure_false(address: str, knee: float, moves: int) -> bool:
    """Plays at a share of the knee and tells of it; returns whether few enough were put out wrongly."""
    target = knee * SHARE_OF_KNEE
    matches = max(1, round(target * (_THINK_S + _LATENCY_S)))
    rng = random.Random(1)
    async with playing(address, matches, LIMIT_MS, lambda: _THINK_S * rng.uniform(0.2, 1.8)) as tally:
        still = asyncio.create_task(_stands_still())
        rate = await tally.rate_of(moves)
        still.cancel()
    false = len(tally.false())
    click.echo(f"  {matches} matches at once, {tally.moves:,} moves, {rate:,.0f}/s (knee {knee:,.0f}/s)")
    click.echo(
        f"  out although in time: {false} = {false / tally.moves:.4%} (aim: at most {MOST_FALSE:.2%}); "
        f"out because late by their own clocks: {len(tally.out) - false}"
    )
    click.echo(f"  the bots' process itself stood still {_words(await still)}")
    async with RefereeClient(address) as client:
        records = [await client.get_record(match_id) for match_id in tally.ended]
    took = [entry.move.thinking_ms for record in records for entry in record.log if _by_player(entry)]
    click.echo(f"  thinking time by the referee, {len(took):,} moves: {_distribution(took)}")
    return false <= MOST_FALSE * tally.moves


async def _stands_still() -> list[float]:
    """Notes, until it is cancelled, for how long this process could not do anything."""
    stalls = list[float]()
    with suppress(asyncio.CancelledError):
        while True:
            before = time.perf_counter()
            await asyncio.sleep(_TICK_S)
            if (away := time.perf_counter() - before) > _STILL_S:
                stalls.append(away)
    return stalls


def _words(stalls: list[float]) -> str:
    longest = f", at most {max(stalls) * 1_000:.0f} ms" if stalls else ""
    return f"{len(stalls)} times for over {_STILL_S * 1_000:.0f} ms{longest}"


async def measure_silent(addresses: Sequence[str], matches: int) -> bool:
    """Lets seats run out of time and tells of it; returns whether all went out once and soon enough."""
    async with AsyncExitStack() as stack:
        clients = [await stack.enter_async_context(RefereeClient(address)) for address in addresses]
        match_ids = list[str]()
        for client in islice(cycle(clients), matches):
            match_ids.append((await client.create_match(_silent())).match_id)
            await asyncio.sleep(0.02)
        await asyncio.sleep(2.0)
        records = [await clients[0].get_record(match_id) for match_id in match_ids]
    outs = [[entry for entry in record.log if entry.HasField("out")] for record in records]
    once = all(len(entries) == 1 and entries[0].seat == 0 for entries in outs)
    late = [
        entries[0].time_ms - record.create_time_ms - LIMIT_MS - MARGIN_MS
        for entries, record in zip(outs, records, strict=True)
    ]
    click.echo(
        f"  {len(addresses)} replica{'s' * (len(addresses) > 1)}, {matches} expiries, "
        f"{'each happened once' if once else 'NOT each happened once'}, late by {_distribution(late)}"
    )
    return once and max(late) <= LATEST_MS


def _silent() -> service_pb2.CreateMatchRequest:
    return service_pb2.CreateMatchRequest(
        ruleset="classic_art",
        options=ruleset_pb2.Options(classic_art=classic_art_pb2.ClassicArtOptions(start_seat=0)),
        seats=[service_pb2.SeatRequest(principal_hash=Principal.new().hash) for _ in range(2)],
        time_control=match_pb2.TimeControl(move_limit_ms=LIMIT_MS, margin_ms=MARGIN_MS),
    )


def _by_player(entry: record_pb2.LogEntry) -> bool:
    return entry.HasField("move") and entry.move.actor == match_pb2.ACTOR_PLAYER


def _distribution(times: list[int]) -> str:
    """The quantiles of times in ms, in words."""
    ordered, last = sorted(times), len(times) - 1
    names = {"p50": 0.5, "p90": 0.9, "p99": 0.99, "p99.9": 0.999, "most": 1.0}
    return ", ".join(f"{name} {ordered[round(last * share)]}" for name, share in names.items()) + " ms"


async def _measure(url: str, moves: int, expiries: int) -> bool:
    command = ("referee", "serve", "--listen", "127.0.0.1:0", "--redis", url)
    with server(*command) as (first, _):
        with ExitStack() as others:
            addresses = [first, *(others.enter_context(server(*command))[0] for _ in range(2))]
            click.echo("The knee:")
            knee = await find_knee(first)
            click.echo(f"Seats that never answer (aim: out within limit + margin + {LATEST_MS} ms):")
            met = await measure_silent(addresses, expiries)
        met &= await measure_silent([first], expiries)
        click.echo(f"A limit of {LIMIT_MS} ms and a margin of {MARGIN_MS} ms at {SHARE_OF_KNEE:.0%} of the knee:")
        return met & await measure_false(first, knee, moves)


@click.command()
@click.option("--moves", default=20_000, show_default=True, help="Moves under the limit.")
@click.option(
    "--expiries", default=240, show_default=True, help="Seats that never answer, for each number of replicas."
)
def main(moves: int, expiries: int) -> None:
    """Measures clocks; exits with 1 if they miss an aim."""
    with tempfile.TemporaryDirectory(prefix="clocks-") as folder:
        store = embedded.start(Path(folder))
        try:
            met = uvloop.run(_measure(store.url, moves, expiries))
        finally:
            store.stop()
    if not met:
        raise SystemExit(1)


if __name__ == "__main__":
    main()
