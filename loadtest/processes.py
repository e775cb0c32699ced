"""Servers under measurement, as processes of their own."""

import asyncio
import os
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from redis import Redis

from referee.store import embedded

_SCHEDULED: Final = (
    2  # the clock of a process that Linux' scheduler keeps; clock_getcpuclockid makes its number like this
)


@dataclass(frozen=True, slots=True)
class Replica:
    """A referee under measurement.

    Attributes:
        store: the URL of its store.
        address: where it listens.
        pid: its process.
    """

    store: str
    address: str
    pid: int

    async def idle(self, seconds: float) -> float:
        """Returns the processor time in ms a second that it uses while nobody calls."""
        before = cpu_seconds(self.pid)
        await asyncio.sleep(seconds)
        return (cpu_seconds(self.pid) - before) * 1_000 / seconds


@contextmanager
def server(*command: str) -> Iterator[tuple[str, int]]:
    """Runs a Python module that prints "listening on HOST:PORT"; yields the address and the process id."""
    process = subprocess.Popen([sys.executable, "-m", *command], stdout=subprocess.PIPE, text=True)
    try:
        line = process.stdout.readline().strip() if process.stdout else ""
        if not line.startswith("listening on "):
            raise RuntimeError(f"{command[0]} did not start: {line}")
        yield line.removeprefix("listening on "), process.pid
    finally:
        process.terminate()
        process.wait()
        if process.stdout:
            process.stdout.close()


@contextmanager
def empty_store(fsync: str = "no") -> Iterator[str]:
    """Runs a store, which writes to disk as `fsync` says, and forgets all in the end; yields its URL."""
    with tempfile.TemporaryDirectory(prefix="load-") as folder:
        store = embedded.start(Path(folder), fsync)
        try:
            yield store.url
        finally:
            store.stop()


@contextmanager
def replica(*options: str) -> Iterator[Replica]:
    """Runs a referee on an empty store of its own."""
    with empty_store() as url, replica_on(url, *options) as started:
        yield started


@contextmanager
def replica_on(url: str, *options: str) -> Iterator[Replica]:
    """Runs a referee on a store."""
    command = ("serve", "--listen", "127.0.0.1:0", "--redis", url, "--log-level", "warning", *options)
    with server("referee", *command) as (address, pid):
        yield Replica(url, address, pid)


def cpu_seconds(pid: int) -> float:
    """Returns the processor time that a process has used so far, all its threads together, to the microsecond."""
    return time.clock_gettime(~pid << 3 | _SCHEDULED)


def children_seconds() -> float:
    """Returns the processor time of the processes that were started here and have ended."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def store_seconds(url: str) -> float:
    """Returns the processor time that a store has used so far."""
    with Redis.from_url(url) as redis:
        used: dict[str, float] = redis.info("cpu")
    return used["used_cpu_user"] + used["used_cpu_sys"]


def resident_bytes(pid: int) -> int:
    """Returns the memory that a process has now."""
    return int(Path(f"/proc/{pid}/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")
