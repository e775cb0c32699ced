"""What is compared, and how a server is measured: started, warmed up, and played at by ever more matches at once."""

from collections.abc import Callable, Iterable
from contextlib import AbstractContextManager
from dataclasses import dataclass
from functools import partial
from typing import Final

from loadtest.peers.processes import Driver, Server, in_javascript, in_python, peer, referee
from loadtest.processes import cpu_seconds

LENGTH: Final = 60  # moves of a match
MEMORY: Final = "boardgame.io, in memory"
FILES: Final = "boardgame.io, in files"
COLYSEUS: Final = "Colyseus"
_WARM_UP: Final = 25  # matches


@dataclass(frozen=True, slots=True)
class Entry:
    """What is compared: what runs its server, and what starts its players."""

    serve: Callable[[], AbstractContextManager[Server]]
    command: Callable[[str], list[str]]


@dataclass(frozen=True, slots=True)
class Sample:
    """Moves a second; latencies in ms; processor time a move in us; memory in MiB at the end."""

    moves_s: float
    p50_ms: float
    p99_ms: float
    server_us: float
    store_us: float
    driver_us: float
    server_mib: float
    store_mib: float

    @property
    def cost_us(self) -> float:
        """Processor time of server and store a move."""
        return self.server_us + self.store_us


def _peer(name: str, filed: bool = False) -> Entry:
    return Entry(partial(peer, name, LENGTH, filed), lambda address: in_javascript(name, address, LENGTH))


def _own(way: str, fsync: str = "everysec") -> Entry:
    return Entry(partial(referee, fsync), lambda address: in_python(way, address, LENGTH))


def _own_by_javascript(way: str) -> Entry:
    return Entry(partial(referee, "everysec"), lambda address: in_javascript("referee", address, LENGTH, way))


ENTRIES: Final = {
    MEMORY: _peer("boardgame"),
    FILES: _peer("boardgame", filed=True),
    COLYSEUS: _peer("colyseus"),
    "unary": _own("unary"),
    "unary, moves alone": _own("script"),
    "Play, a stream a seat": _own("play"),
    "Play, two bots": _own("bots"),
    "unary, moves alone, fsync always": _own("script", "always"),
    "Play, two bots, fsync always": _own("bots", "always"),
    "unary, grpc-js": _own_by_javascript("unary"),
    "Play, a stream a seat, grpc-js": _own_by_javascript("play"),
}


def turn(entry: Entry, flights: Iterable[int], seconds: float) -> dict[int, Sample]:
    """Runs a server and measures it with so many matches at once, for so long each.

    Raises:
        PeerError: it failed.
    """
    with entry.serve() as server:
        driver = Driver(entry.command(server.address))
        try:
            driver.seat(_WARM_UP)
            driver.play()
            return {matches: _measure(server, driver, matches, seconds) for matches in flights}
        finally:
            driver.end()


def _measure(server: Server, driver: Driver, matches: int, seconds: float) -> Sample:
    took, played_s, spent = list[float](), 0.0, [0.0, 0.0, 0.0]
    while played_s < seconds:
        driver.seat(matches)
        before = _used_s(server, driver)
        played = driver.play()
        spent = [total + now - then for total, now, then in zip(spent, _used_s(server, driver), before, strict=True)]
        took += played.took_ms
        played_s += played.seconds
    took.sort()
    count = len(took)
    us, mib = (each / count * 1e6 for each in spent), (size / 2**20 for size in server.resident())
    return Sample(count / played_s, took[count // 2], took[count * 99 // 100], *us, *mib)


def _used_s(server: Server, driver: Driver) -> tuple[float, float, float]:
    return *server.used_s(), cpu_seconds(driver.pid)
