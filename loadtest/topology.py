"""A whole service on this machine: a store, any number of referees, and HAProxy in front of them.

HAProxy is set up as `deploy/haproxy/haproxy.cfg` says, with as many referees as there are.
"""

import os
import random
import re
import shutil
import subprocess
import tempfile
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, closing, contextmanager
from dataclasses import dataclass
from http.client import HTTPConnection
from pathlib import Path
from socket import create_connection
from threading import Event, Thread
from typing import Final, Self

from redis import Redis

from loadtest.processes import cpu_seconds, empty_store, resident_bytes, server, store_seconds

CONFIGURATION: Final = Path(__file__).parents[1] / "deploy" / "haproxy" / "haproxy.cfg"
_SERVERS: Final = re.compile(r"( *server referee-\d+ .*\n)+")
_MOVES: Final = re.compile(r'^referee_moves_total\{.*way="(\w+)".*\} (\S+)$', re.MULTILINE)
NOTHING_SHED: Final = ("--longest-wait", "0")
"""Options for callers who wait for their answers, so that no more can wait than there are."""
_STARTS_S: Final = 10.0
_POLLED_S: Final = 0.02
_LOOKS_S: Final = 1.0


class MissingError(Exception):
    """A program is not installed; says which."""


@dataclass(frozen=True, slots=True)
class Referee:
    """One of the referees: its host, where it listens at the usual ports, and its process."""

    host: str
    pid: int

    @property
    def address(self) -> str:
        """Where it listens."""
        return f"{self.host}:50051"


@dataclass(frozen=True, slots=True)
class Service:
    """All of it, running.

    Attributes:
        address: where clients call, as gRPC names it.
        store: the URL of the store.
        referees: behind it.
    """

    address: str
    store: str
    referees: Sequence[Referee]

    def moves(self) -> Counter[str]:
        """Returns how many moves the referees have accepted, by their way: "unary" or "play"."""
        counted = Counter[str]()
        for referee in self.referees:
            for way, count in _MOVES.findall(_read(f"{referee.host}:9464", "/metrics")):
                counted[way] += int(float(count))
        return counted

    def used_s(self) -> tuple[float, float]:
        """Returns the processor time that referees and store have used so far."""
        return sum(cpu_seconds(referee.pid) for referee in self.referees), store_seconds(self.store)

    def resident(self) -> tuple[int, int]:
        """Returns the bytes of memory that referees and store have now."""
        with Redis.from_url(self.store) as redis:
            store = int(redis.info("memory")["used_memory_rss"])
        return sum(resident_bytes(referee.pid) for referee in self.referees), store


@contextmanager
def service(referees: int, balanced: bool, *options: str, fsync: str = "everysec") -> Iterator[Service]:
    """Runs it with options of the referees; without a balancer the address names all of them, to be called in turn.

    Raises:
        MissingError: there is no HAProxy.
    """
    program = haproxy() if balanced else ""
    with ExitStack() as stack:
        store = stack.enter_context(empty_store(fsync))
        running = [
            stack.enter_context(_referee(_any_host(), store, "--trusted-proxies", str(int(balanced)), *options))
            for _ in range(referees)
        ]
        address = f"ipv4:{','.join(each.address for each in running)}"
        if balanced:
            address = stack.enter_context(_balancer(program, _any_host(), [each.host for each in running]))
        yield Service(address, store, running)


def haproxy() -> str:
    """Returns the program.

    Raises:
        MissingError: there is none.
    """
    program = shutil.which("haproxy", path=f"{os.environ.get('PATH', '')}:/usr/sbin")
    if program is None:
        raise MissingError("there is no haproxy: install it, or use --direct")
    return program


@contextmanager
def _referee(host: str, store: str, *options: str) -> Iterator[Referee]:
    command = (
        "serve",
        "--listen",
        f"{host}:50051",
        "--metrics",
        f"{host}:9464",
        "--redis",
        store,
        "--log-level",
        "warning",
        *options,
    )
    with server("referee", *command) as (_, pid):
        yield Referee(host, pid)


@contextmanager
def _balancer(program: str, host: str, behind: Sequence[str]) -> Iterator[str]:
    """Runs HAProxy; yields where it listens."""
    place = {"LISTEN": f"{host}:50051", "STATISTICS": f"{host}:8405"}
    with tempfile.NamedTemporaryFile("w", suffix=".cfg") as file:
        file.write(configuration(behind))
        file.flush()
        process = subprocess.Popen([program, "-f", file.name], env=os.environ | place, stdout=subprocess.DEVNULL)
        try:
            _await_listening(place["LISTEN"], process)
            yield place["LISTEN"]
        finally:
            process.terminate()
            process.wait()


def configuration(behind: Sequence[str]) -> str:
    """Returns HAProxy's configuration with these referees instead of those that it names."""
    lines = "".join(f"    server referee-{number} {host}:50051\n" for number, host in enumerate(behind, 1))
    return _SERVERS.sub(lines, CONFIGURATION.read_text())


def _await_listening(address: str, process: subprocess.Popen[bytes]) -> None:
    host, _, port = address.rpartition(":")
    until = time.monotonic() + _STARTS_S
    while process.poll() is None and time.monotonic() < until:
        try:
            create_connection((host, int(port))).close()
            return
        except ConnectionRefusedError:
            time.sleep(_POLLED_S)
    raise RuntimeError(f"haproxy did not start at {address}")


def _any_host() -> str:
    """An address of this machine that nobody else has."""
    return ".".join(("127", *(str(random.randint(1, 254)) for _ in range(3))))


def _read(address: str, path: str) -> str:
    with closing(HTTPConnection(address)) as connection:
        connection.request("GET", path)
        return connection.getresponse().read().decode()


class Memory:
    """What referees and store need in the course of a run, seen once a second while it is entered."""

    def __init__(self, service: Service) -> None:
        self.seen: Final = list[tuple[int, int]]()
        self._service: Final = service
        self._end: Final = Event()
        self._thread: Final = Thread(target=self._look)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._end.set()
        self._thread.join()

    def _look(self) -> None:
        while not self._end.wait(_LOOKS_S):
            self.seen.append(self._service.resident())
