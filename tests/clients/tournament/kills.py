"""A tournament in a process of its own, of which parts are killed."""

import asyncio
import os
import random
import signal
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Final

from tests.clients.tournament.accounts import require_consistent
from tests.servers import wait_until

VICTIMS: Final = ("director", "referee", "store")
_STORES: Final = ("valkey-server", "redis-server")


class Tournament:
    """`curator tournament` on a plan file, begun again with --resume whenever it was killed.

    Attributes:
        kills: how often each part was killed.
    """

    def __init__(self, plan: Path, folder: Path) -> None:
        self.kills: Final = dict.fromkeys(VICTIMS, 0)
        self._plan: Final = plan
        self._folder: Final = folder
        self._process: asyncio.subprocess.Process | None = None

    async def start(self) -> None:
        """Begins or resumes it."""
        resume = ["--resume"] if (self._folder / "journal.jsonl").exists() else []
        with self._folder.with_suffix(".said").open("ab") as said:
            self._process = await asyncio.create_subprocess_exec(
                *(sys.executable, "-m", "clients.curator", "tournament", str(self._plan)),
                *("--out", str(self._folder), *resume),
                stdin=asyncio.subprocess.DEVNULL,
                stdout=said,
                stderr=said,
            )

    async def end(self) -> None:
        """Waits for its end, which is to be a good one."""
        code = await self._running.wait()
        assert code == 0, self._folder.with_suffix(".said").read_text()[-2000:]

    async def kill(self, victim: str, entries: int, rng: random.Random) -> None:
        """Kills a part when the journal has so many more entries, and a little later, unless all is over by then.

        A director that was killed is begun again, after a look at what it left.
        """
        due = _entries(self._folder) + entries
        await self._until(lambda: _entries(self._folder) >= due, f"{due} entries")
        await asyncio.sleep(rng.uniform(0, 0.2))  # so that it strikes anywhere between two entries
        await self._until(lambda: self._pid_of(victim) is not None, f"a {victim}")
        pid = self._pid_of(victim)
        if self._over or pid is None:
            return
        os.kill(pid, signal.SIGKILL)
        self.kills[victim] += 1
        if victim == "director":
            await self._running.wait()
            require_consistent(self._folder)
            await self.start()

    async def _until(self, probe: Callable[[], bool], what: str) -> None:
        await asyncio.to_thread(wait_until, lambda: probe() or self._over, what, 120)

    def _pid_of(self, victim: str) -> int | None:
        return self._running.pid if victim == "director" else _descendant(self._running.pid, victim)

    @property
    def _running(self) -> asyncio.subprocess.Process:
        assert self._process is not None
        return self._process

    @property
    def _over(self) -> bool:
        return self._running.returncode is not None


def _entries(folder: Path) -> int:
    journal = folder / "journal.jsonl"
    return journal.read_bytes().count(b"\n") if journal.exists() else 0


def _descendant(pid: int, victim: str) -> int | None:
    for child, words in _descendants(pid):
        is_store = any(f"/{name} " in f"{words[0]} " for name in _STORES)  # it tells its socket in its own name
        if is_store if victim == "store" else words[1:4] == ["-m", "referee", "serve"]:
            return child
    return None


def _descendants(pid: int) -> Iterator[tuple[int, list[str]]]:
    try:
        children = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
        for child in map(int, children):
            yield child, Path(f"/proc/{child}/cmdline").read_text().split("\0")
            yield from _descendants(child)
    except FileNotFoundError:
        return  # it has ended meanwhile
