"""How much a referee can do at most: `python -m loadtest.ceiling`.

Prepared moves come over a few connections, as fast as they are answered; the referee's own count of them must agree. A
generator in Python may itself be what is slow: so it also makes a call that can be repeated, which reads a match, and
where Debian's h2load is installed that makes the same calls in turn.
"""

import asyncio
import re
import shutil
import subprocess
import tempfile
import time
from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextlib import AsyncExitStack
from dataclasses import asdict, dataclass
from pathlib import Path
from statistics import median
from typing import Final

import click
import uvloop

from artreferee.v1 import match_pb2, service_pb2
from loadtest import results
from loadtest.fleet import Caller, Fleet
from loadtest.http2 import Connection, connect, head_of
from loadtest.processes import children_seconds, cpu_seconds
from loadtest.topology import NOTHING_SHED, Service, service
from referee.games import registry

MOVES: Final = "SubmitMove, prepared"
READS: Final = "GetMatch"
BY_H2LOAD: Final = "GetMatch, by h2load"
CONNECTIONS: Final = 8
STREAMS: Final = 8  # at once over each of them
_GAME: Final = registry()["artsee"]
_SEATS: Final = 2
_READ: Final = "/artreferee.v1.RefereeService/GetMatch"
_FINISHED: Final = re.compile(r"([\d.]+) req/s")
_DATA: Final = re.compile(r"\((\d+)\) data")
_LONGEST_S: Final = 120.0


@dataclass(frozen=True, slots=True)
class Sample:
    """Calls a second, latencies in ms, processor time a call in us: of the server, and of what makes the calls."""

    calls_s: float
    p50_ms: float
    p99_ms: float
    server_us: float
    generator_us: float

    @classmethod
    def of(cls, took_s: list[float], wall_s: float, server_s: float, generator_s: float) -> "Sample":
        """Returns it for calls that took so long."""
        took_s.sort()
        count = len(took_s)
        costs = server_s / count * 1e6, generator_s / count * 1e6
        return cls(count / wall_s, took_s[count // 2] * 1e3, took_s[count * 99 // 100] * 1e3, *costs)


@dataclass(frozen=True, slots=True)
class Target:
    """A call that is the same each time: who answers it, how it is made, and how large its answers are.

    Attributes:
        token: of a principal that is good for nothing else, for it may be read where h2load is told.
    """

    address: str
    pid: int
    token: str
    request: bytes
    answer_bytes: int

    @property
    def head(self) -> bytes:
        """The head of the call."""
        return head_of(_READ, self.address, self.token)


async def _together(acts: Sequence[Callable[[], Awaitable[list[float]]]], pid: int) -> Sample:
    """Does all at once; each returns how long its calls took."""
    used, own, start = cpu_seconds(pid), time.process_time(), time.perf_counter()
    took = await asyncio.gather(*(act() for act in acts))
    wall = time.perf_counter() - start
    return Sample.of([s for each in took for s in each], wall, cpu_seconds(pid) - used, time.process_time() - own)


async def moves(running: Service, length: int) -> Sample:
    """Plays matches.

    Raises:
        RuntimeError: a move was refused, or the referee counts others.
    """
    address, pid = running.referees[0].address, running.referees[0].pid
    counted = running.moves()["unary"]
    async with AsyncExitStack() as stack:
        acts = list[Callable[[], Awaitable[list[float]]]]()
        for _ in range(CONNECTIONS):
            caller = Caller(await connect(address), address)
            stack.callback(caller.leave)
            fleet = await Fleet.create(caller, _GAME, _SEATS, STREAMS)
            acts += [_script(fleet, match_id, length) for match_id in fleet.match_ids]
        sample = await _together(acts, pid)
    counted, sent = running.moves()["unary"] - counted, len(acts) * length
    if counted != sent:
        raise RuntimeError(f"the referee counts {counted} moves, {sent} were answered")
    return sample


def _script(fleet: Fleet, match_id: str, length: int) -> Callable[[], Awaitable[list[float]]]:
    requests = [fleet.request(match_id, place) for place in range(length)]

    async def play() -> list[float]:
        return [(await fleet.caller.answered("SubmitMove", request)).seconds for request in requests]

    return play


async def repeated(target: Target, calls: int) -> Sample:
    """Makes a call again and again.

    Raises:
        RuntimeError: an answer has another size.
    """
    head = target.head
    async with AsyncExitStack() as stack:
        connections = [await connect(target.address) for _ in range(CONNECTIONS)]
        for connection in connections:
            stack.callback(connection.close)

        def caller(connection: Connection) -> Callable[[], Awaitable[list[float]]]:
            async def call() -> list[float]:
                took = list[float]()
                for _ in range(calls // (CONNECTIONS * STREAMS)):
                    reply = await connection.call(head, target.request)
                    if len(reply.message) != target.answer_bytes:
                        raise RuntimeError(f"{READS} was answered by {reply.code.name}")
                    took.append(reply.seconds)
                return took

            return call

        return await _together([caller(each) for each in connections for _ in range(STREAMS)], target.pid)


def by_h2load(target: Target, calls: int) -> Sample:
    """Has h2load make the same calls. It looks at no status of gRPC; whether answers are whole is told by their size.

    Raises:
        RuntimeError: they are not.
    """
    with tempfile.TemporaryDirectory(prefix="ceiling-") as folder:
        body, log = Path(folder) / "body", Path(folder) / "log"
        body.write_bytes(b"\0" + len(target.request).to_bytes(4, "big") + target.request)
        fields = {"te": "trailers", "content-type": "application/grpc", "authorization": f"Bearer {target.token}"}
        headers = [word for name, value in fields.items() for word in ("-H", f"{name}: {value}")]
        sizes = ("-n", str(calls), "-c", str(CONNECTIONS), "-m", str(STREAMS), "-t", "1", "-d", str(body))
        command = ("h2load", *sizes, *headers, f"--log-file={log}", f"http://{target.address}{_READ}")
        used, own = cpu_seconds(target.pid), children_seconds()
        said = subprocess.run(command, capture_output=True, text=True, check=True, timeout=_LONGEST_S).stdout
        used, own = cpu_seconds(target.pid) - used, children_seconds() - own
        took_s = [int(line.split("\t")[2]) / 1e6 for line in log.read_text().splitlines()]
    rate, data = _FINISHED.search(said), _DATA.search(said)
    if rate is None or data is None or int(data[1]) != calls * (target.answer_bytes + 5):
        raise RuntimeError(f"answers are missing:\n{said}")
    return Sample.of(took_s, calls / float(rate[1]), used, own)


async def read_of(running: Service) -> Target:
    """Returns the call that reads a new match as anybody may see it."""
    address = running.referees[0].address
    connection = await connect(address)
    fleet = await Fleet.create(Caller(connection, address), _GAME, _SEATS, 1)
    request = service_pb2.GetMatchRequest(match_id=fleet.match_ids[0], detail=match_pb2.DETAIL_NONE).SerializeToString()
    stranger = Caller(connection, address)
    reply = await stranger.answered("GetMatch", request)
    stranger.leave()
    token = stranger.principal.token
    return Target(address, running.referees[0].pid, token, request, len(reply.message))


async def measure(running: Service, length: int, rounds: int) -> dict[str, list[Sample]]:
    """Measures all in turn, round by round; the first round warms up."""
    samples, calls, target = dict[str, list[Sample]](), CONNECTIONS * STREAMS * length, await read_of(running)
    for number in range(rounds + 1):
        taken = {MOVES: await moves(running, length), READS: await repeated(target, calls)}
        if shutil.which("h2load"):
            taken[BY_H2LOAD] = await asyncio.to_thread(by_h2load, target, calls)
        if number:
            for name, sample in taken.items():
                samples.setdefault(name, []).append(sample)
    return samples


def summary(samples: Mapping[str, Sequence[Sample]]) -> dict[str, dict[str, float]]:
    """Returns the medians of each."""
    keys = Sample.__slots__
    return {
        name: {key: median(getattr(each, key) for each in taken) for key in keys} for name, taken in samples.items()
    }


@click.command()
@click.option("--length", default=60, show_default=True, help="Moves of each match.")
@click.option("--rounds", default=5, show_default=True, help="Rounds, in each of which all calls have their turn.")
@click.option("--out", default=results.FOLDER, show_default=True, type=click.Path(path_type=Path), help="The results.")
def main(length: int, rounds: int, out: Path) -> None:
    """Measures ceilings."""
    if not shutil.which("h2load"):
        print("there is no h2load, for a second opinion: install nghttp2-client")
    with service(1, False, *NOTHING_SHED) as running:
        samples = uvloop.run(measure(running, length, rounds))
    rows = summary(samples)
    for name, row in rows.items():
        speed = f"{row['calls_s']:>8,.0f} a second, p50 {row['p50_ms']:.1f} ms, p99 {row['p99_ms']:.1f} ms"
        print(f"{name:<22}{speed}, server {row['server_us']:.0f} us, generator {row['generator_us']:.0f} us")
    if BY_H2LOAD in samples:
        pairs = zip(samples[BY_H2LOAD], samples[READS], strict=True)
        print(f"h2load reaches {median(other.calls_s / mine.calls_s for other, mine in pairs):.2f} times as many reads")
    every = {name: [asdict(sample) for sample in taken] for name, taken in samples.items()}
    print(f"figures are in {results.write('ceiling', {'rows': rows, 'samples': every}, out)}")


if __name__ == "__main__":
    main()
