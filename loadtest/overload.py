"""Up to the knee and beyond: `python -m loadtest.overload`.

Moves come at a rate, whether or not those before have been answered. At half the rate that the service can bear it
compares latencies with the floor's at the same rate, in turn. Then moves come twice as fast as can be borne, by unary
calls and, to other matches, over Play streams: it tells what becomes of them, how soon the service is itself again, and
whether each match holds the moves that were acknowledged and no others. Exits with 1 if it misses an aim.
"""

import asyncio
import os
import random
import secrets
import time
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from itertools import cycle
from statistics import median
from typing import Final

import click
import grpc
import uvloop

from loadtest import floor, results
from loadtest.arrivals import OK, Answers, Hall, arrive, by_stream, by_unary
from loadtest.fleet import Caller, Fleet
from loadtest.http2 import Connection, Reply, connect, head_of
from loadtest.processes import Replica, empty_store, replica, server
from referee.games import registry

MOST_TIMES: Final = 3.0  # the floor's p99
RECOVERS_S: Final = 5.0
_GAME: Final = registry()["classic_art"]
_SEATS: Final = 2
_CONNECTIONS: Final = 8
_STREAMS: Final = 400
_AT_ONCE: Final = 64  # callers that wait for their answers, to find the knee
_KNEE_MOVES: Final = 4_000
_OVERLOAD: Final = 2.0  # times the knee
_PROBES: Final = 50.0  # a second, while it recovers
_CALM_TIMES: Final = 5.0  # as long as in peace a call may take that counts as answered in peace
_WINDOW_S: Final = 0.5
_GIVES_UP_S: Final = 60.0
_SHED: Final = frozenset({OK, grpc.StatusCode.RESOURCE_EXHAUSTED})


@dataclass(frozen=True, slots=True)
class Overload:
    """What became of too many moves.

    Attributes:
        offered_s: moves a second that came.
        played_s: moves a second that were played, until the last that came was answered.
        codes: how they were answered.
        p99_ms: of those that were played.
        most: calls under way at once.
        recovered_s: until calls took as long again as before.
        harmed: matches that do not hold the moves that were acknowledged.
    """

    offered_s: float
    played_s: float
    codes: dict[str, int]
    p99_ms: float
    most: int
    recovered_s: float
    harmed: int

    @property
    def met(self) -> bool:
        """Whether all aims are met."""
        shed = set(self.codes) <= {code.name for code in _SHED}
        return shed and self.recovered_s <= RECOVERS_S and not self.harmed


class Scene:
    """A referee, matches that are ready for it, and the floor beside it."""

    def __init__(self, hall: Hall, floors: Sequence[Connection], address: str) -> None:
        self._hall: Final = hall
        self._floors: Final = cycle(floors)
        self._slots: Final = cycle([secrets.token_bytes(4) + bytes(floor.REQUEST_BYTES - 4) for _ in range(4_096)])
        self._floor_head: Final = head_of(floor.METHOD, address)
        self._rng: Final = random.Random(1)

    @classmethod
    async def set(cls, one: Replica, floor_address: str, matches: int, streams: int = 0) -> "Scene":
        """Creates the matches, for callers of unary calls, or for so many streams."""
        connections = [await connect(one.address) for _ in range(_CONNECTIONS)]
        callers = [Caller(connections[place % _CONNECTIONS], one.address) for place in range(streams or _CONNECTIONS)]
        fleets = [await Fleet.create(caller, _GAME, _SEATS, matches // len(callers)) for caller in callers]
        floors = [await connect(floor_address) for _ in range(_CONNECTIONS)]
        way = by_stream if streams else by_unary
        return cls(Hall(fleets, [await way(fleet) for fleet in fleets]), floors, floor_address)

    async def knee(self) -> float:
        """Returns the moves a second that callers get who each wait for their answers."""

        async def play(moves: int) -> None:
            for _ in range(moves):
                if (reply := self._hall.send()) is not None:
                    await reply

        start = time.perf_counter()
        await asyncio.gather(*(play(_KNEE_MOVES // _AT_ONCE) for _ in range(_AT_ONCE)))
        return _KNEE_MOVES / (time.perf_counter() - start)

    async def moves(self, rate: float, seconds: float) -> Answers:
        """Lets moves come."""
        return await arrive(self._hall.send, rate, seconds, self._rng)

    async def floor(self, rate: float, seconds: float) -> Answers:
        """Lets calls of the floor come."""

        def send() -> asyncio.Future[Reply]:
            return next(self._floors).call(self._floor_head, next(self._slots))

        return await arrive(send, rate, seconds, self._rng)

    async def overload(self, knee: float, seconds: float, calm_ms: float) -> Overload:
        """Lets too many moves come, and watches the service recover."""
        coming = asyncio.create_task(self.moves(_OVERLOAD * knee, seconds))
        await asyncio.sleep(seconds)
        recovered_s = await self._recovered(calm_ms)
        answers = await coming
        return Overload(
            _OVERLOAD * knee,
            answers.codes[OK] / answers.lasted_s,
            {code.name: count for code, count in answers.codes.items()},
            answers.ms(99),
            answers.most,
            recovered_s,
            len(await self._hall.harmed()),
        )

    async def _recovered(self, calm_ms: float) -> float:
        """Returns after how many seconds all moves are played, and about as soon as in peace."""
        start = time.perf_counter()
        while True:
            began = time.perf_counter()
            answers = await self.moves(_PROBES, _WINDOW_S)
            if set(answers.codes) == {OK} and max(answers.took) * 1_000 <= _CALM_TIMES * calm_ms:
                return began - start
            if began > start + _GIVES_UP_S:
                raise RuntimeError(f"not itself again within {_GIVES_UP_S:.0f} s: {dict(answers.codes)}")


@dataclass(frozen=True, slots=True)
class Figures:
    """What was measured.

    Attributes:
        knee_s: moves a second that callers get who each wait for their answers, by unary calls.
        half_p50_ms: latencies at half of it, round by round.
        half_p99_ms: likewise.
        floor_p50_ms: the floor's at the same rate.
        floor_p99_ms: likewise.
        overload: what became of too many.
        play_knee_s: moves a second over streams.
        play_overload: what became of too many over streams.
        load: the load average of the machine.
    """

    knee_s: float
    half_p50_ms: list[float]
    half_p99_ms: list[float]
    floor_p50_ms: list[float]
    floor_p99_ms: list[float]
    overload: Overload
    play_knee_s: float
    play_overload: Overload
    load: float

    @property
    def times(self) -> float:
        """How many times as long as the floor's the p99 is, in the median of the rounds."""
        return median(one / other for one, other in zip(self.half_p99_ms, self.floor_p99_ms, strict=True))

    @property
    def met(self) -> bool:
        """Whether all aims are met."""
        return self.times <= MOST_TIMES and self.overload.met and self.play_overload.met


async def measure(one: Replica, floor_address: str, matches: int, rounds: int, seconds: float) -> Figures:
    """Finds the knee, compares at half of it, and goes beyond it."""
    scene = await Scene.set(one, floor_address, matches)
    await scene.knee()  # warms up
    knee = await scene.knee()
    halves, floors = list[Answers](), list[Answers]()
    for _ in range(rounds):
        halves.append(await scene.moves(knee / 2, seconds))
        floors.append(await scene.floor(knee / 2, seconds))
    p50, p99 = ([each.ms(percent) for each in halves] for percent in (50, 99))
    floor_p50, floor_p99 = ([each.ms(percent) for each in floors] for percent in (50, 99))
    overload = await scene.overload(knee, seconds, median(p99))
    play_knee, play_overload = await _stream(one, floor_address, matches, seconds)
    return Figures(knee, p50, p99, floor_p50, floor_p99, overload, play_knee, play_overload, os.getloadavg()[0])


async def _stream(one: Replica, floor_address: str, matches: int, seconds: float) -> tuple[float, Overload]:
    """Finds the knee of streams, and goes beyond it."""
    scene = await Scene.set(one, floor_address, matches, _STREAMS)
    await scene.knee()
    knee = await scene.knee()
    calm = await scene.moves(knee / 2, seconds)
    return knee, await scene.overload(knee, seconds, calm.ms(99))


def _tell(figures: Figures) -> None:
    print(f"knee: {figures.knee_s:,.0f} moves/s; load average {figures.load:.1f}")
    print(
        f"at half of it: p50 {median(figures.half_p50_ms):.1f} ms, p99 {median(figures.half_p99_ms):.1f} ms; "
        f"the floor's {median(figures.floor_p50_ms):.1f} and {median(figures.floor_p99_ms):.1f} ms; "
        f"p99 {figures.times:.1f} times the floor's (aim: {MOST_TIMES:.0f})"
    )
    _tell_overload(figures.overload)
    print(f"over {_STREAMS} streams: knee {figures.play_knee_s:,.0f} moves/s")
    _tell_overload(figures.play_overload)


def _tell_overload(over: Overload) -> None:
    print(
        f"at {over.offered_s:,.0f} moves/s: {over.played_s:,.0f}/s played, p99 {over.p99_ms:,.0f} ms, "
        f"at most {over.most:,} calls under way; {over.codes}; recovered after {over.recovered_s:.1f} s "
        f"(aim: {RECOVERS_S:.0f} s); {over.harmed} matches harmed"
    )


@click.command()
@click.option("--matches", default=8_000, show_default=True, help="Matches in which a move may be under way.")
@click.option("--rounds", default=5, show_default=True, help="Rounds at half the knee.")
@click.option("--seconds", default=8.0, show_default=True, help="Length of each.")
def main(matches: int, rounds: int, seconds: float) -> None:
    """Measures the knee and what is beyond; exits with 1 if an aim is missed."""
    with empty_store() as url, server("loadtest.floor", url) as (address, _), replica() as one:
        figures = uvloop.run(measure(one, address, matches, rounds, seconds))
    _tell(figures)
    file = results.write("overload", asdict(figures) | {"times": figures.times})
    print(f"figures are in {file}")
    if not figures.met:
        raise SystemExit(1)


if __name__ == "__main__":
    main()
