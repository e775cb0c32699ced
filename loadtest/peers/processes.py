"""The servers that are compared, and the processes that hold their players."""

import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from threading import Timer
from typing import Any, Final

from redis import Redis

from loadtest.processes import cpu_seconds, empty_store, replica_on, resident_bytes, store_seconds
from loadtest.topology import NOTHING_SHED

HERE: Final = Path(__file__).parent
_LONGEST_S: Final = 120.0  # that a driver may take for a word
_ENVIRONMENT: Final = os.environ | {"NODE_ENV": "production"}


class PeerError(Exception):
    """A server or its players failed; says how."""


@dataclass(frozen=True, slots=True)
class Server:
    """A server under measurement.

    Attributes:
        address: where it listens.
        pid: its process.
        store: the URL of the store that it needs beside it; "" if none.
    """

    address: str
    pid: int
    store: str = ""

    def used_s(self) -> tuple[float, float]:
        """Returns the processor time that server and store have used so far."""
        return cpu_seconds(self.pid), store_seconds(self.store) if self.store else 0.0

    def resident(self) -> tuple[int, int]:
        """Returns the bytes of memory that server and store have now."""
        return resident_bytes(self.pid), _store_bytes(self.store) if self.store else 0


@contextmanager
def referee(fsync: str) -> Iterator[Server]:
    """Runs a referee on a store of its own, which writes to disk as `fsync` says."""
    with empty_store(fsync) as store, replica_on(store, *NOTHING_SHED) as one:
        yield Server(one.address, one.pid, store)


@contextmanager
def peer(name: str, length: int, filed: bool = False) -> Iterator[Server]:
    """Runs a peer, which keeps matches of `length` moves in memory, or in files.

    Raises:
        PeerError: it does not start.
    """
    with tempfile.TemporaryDirectory(prefix="peers-") as folder:
        command = ("node", "serve.js", name, str(length), *([folder] if filed else []))
        process = subprocess.Popen(command, cwd=HERE, env=_ENVIRONMENT, stdout=subprocess.PIPE, text=True)
        try:
            line = process.stdout.readline().strip() if process.stdout else ""
            if not line.startswith("listening on "):
                raise PeerError(f"{name} does not start")
            yield Server(line.removeprefix("listening on "), process.pid)
        finally:
            process.kill()
            process.communicate()


@dataclass(frozen=True, slots=True)
class Played:
    """What a driver tells of matches that were played at once: how long all took, and how long each move."""

    seconds: float
    took_ms: Sequence[float]


class Driver:
    """A process that holds all players."""

    def __init__(self, command: Sequence[str]) -> None:
        pipe: Final = subprocess.PIPE
        self._process: Final = subprocess.Popen(
            command, env=_ENVIRONMENT, stdin=pipe, stdout=pipe, stderr=pipe, text=True
        )
        self.pid: Final = self._process.pid

    def seat(self, matches: int) -> None:
        """Has it make matches whose players are ready."""
        self._ask(f"seat {matches}")

    def play(self) -> Played:
        """Has it play them all at once.

        Raises:
            PeerError: they were not played to their end.
        """
        told: dict[str, Any] = json.loads(self._ask("play"))
        return Played(told["seconds"], told["took_ms"])

    def end(self) -> None:
        """Ends it."""
        self._process.kill()
        self._process.communicate()

    def _ask(self, words: str) -> str:
        alarm = Timer(_LONGEST_S, self._process.kill)
        alarm.start()
        try:
            self._pipe(self._process.stdin).write(f"{words}\n")
            self._pipe(self._process.stdin).flush()
            answer: str = self._pipe(self._process.stdout).readline()
        except BrokenPipeError:
            answer = ""
        finally:
            alarm.cancel()
        if not answer:
            said = self._process.communicate()[1].strip().splitlines()
            raise PeerError(said[-1] if said else f"nothing came for {_LONGEST_S:.0f} s")
        return answer

    @staticmethod
    def _pipe(pipe: Any) -> Any:
        if pipe is None:
            raise AssertionError("a driver is started with pipes")
        return pipe


def in_python(way: str, address: str, length: int) -> list[str]:
    """Returns what starts players of `players.py`."""
    return [sys.executable, "-m", "loadtest.peers.players", way, address, str(length)]


def in_javascript(peer: str, address: str, length: int, way: str = "") -> list[str]:
    """Returns what starts players in JavaScript."""
    return ["node", str(HERE / "drive.js"), peer, address, str(length), way]


def missing() -> str:
    """Returns in words what there is not of what the peers need."""
    if shutil.which("node") is None:
        return "there is no node: install nodejs and npm"
    if not (HERE / "node_modules").is_dir():
        return f"there is no {HERE / 'node_modules'}: run `make bench-peers`, which sets it up"
    return ""


def versions() -> dict[str, str]:
    """Returns the versions of node and of what the peers are made of."""
    node = subprocess.run(["node", "--version"], capture_output=True, text=True, check=True)  # noqa: S607
    pinned: dict[str, str] = json.loads((HERE / "package.json").read_text())["dependencies"]
    return {"node": node.stdout.strip(), **pinned}


def _store_bytes(url: str) -> int:
    with Redis.from_url(url) as redis:
        return int(redis.info("memory")["used_memory_rss"])
