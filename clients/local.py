"""A referee of one's own: a process with an embedded store, for as long as a command runs."""

import asyncio
import os
import sys
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Final

from clients import child

_LISTENING: Final = "listening on "
_STOP_WITHIN_S: Final = 20.0
_KEPT_HOURS: Final = 10 * 365 * 24  # a match of one's own is there still whenever one comes back to it
_STEADY_S: Final = 5.0
_QUICK_ENDS: Final = 5  # in a row, each sooner than that after a start: it would end again


class LocalRefereeError(Exception):
    """The referee did not start, or would not stay; the text says why in one sentence."""


@asynccontextmanager
async def local_referee(data: Path, log: Path, listen: str = "127.0.0.1:0") -> AsyncIterator[str]:
    """Runs a referee that keeps its data in `data` and writes its log to `log`; yields its address.

    It listens on `listen`, with port 0 on a free port. One that is killed is started again at its address.

    Raises:
        LocalRefereeError: it did not start, or ended again and again.
    """
    referee = _Referee(data, log)
    await referee.start(listen)
    try:
        async with asyncio.TaskGroup() as group:
            keeping = group.create_task(referee.keep())
            yield referee.address
            keeping.cancel()
    finally:
        await referee.stop()


class _Referee:
    def __init__(self, data: Path, log: Path) -> None:
        self.address = ""
        self._data, self._log = data, log
        self._process: asyncio.subprocess.Process | None = None

    async def start(self, listen: str) -> None:
        for _ in range(_QUICK_ENDS):
            if await self._started(listen):
                return
        raise LocalRefereeError(f"the referee is killed whenever it starts: see {self._log}")

    async def _started(self, listen: str) -> bool:
        """Starts the process; returns whether it was not killed before it was there."""
        with self._log.open("ab") as messages:
            start = messages.tell()
            self._process = process = await asyncio.create_subprocess_exec(
                *(sys.executable, "-m", "referee", "serve", "--listen", listen, "--data", str(self._data)),
                *("--fsync", "always", "--stop-with-stdin", "--idle-hours", str(_KEPT_HOURS)),
                stdin=asyncio.subprocess.PIPE,
                stdout=asyncio.subprocess.PIPE,
                stderr=messages,
                start_new_session=True,  # Ctrl-C is for the command, which then stops the referee in order
                env={name: value for name, value in os.environ.items() if not name.startswith("REFEREE_")},
            )
        if process.stdout is None:
            raise AssertionError("the referee is started with pipes")
        line = (await process.stdout.readline()).decode().strip()
        if not line.startswith(_LISTENING):
            if await process.wait() < 0:
                return False
            raise LocalRefereeError(_last_line(self._log, start) or "the referee ended without a word")
        self.address = line.removeprefix(_LISTENING)
        return True

    async def keep(self) -> None:
        quick = 0
        while self._process is not None:
            since = time.monotonic()
            code = await self._process.wait()
            quick = quick + 1 if time.monotonic() - since < _STEADY_S else 0
            if quick == _QUICK_ENDS:
                raise LocalRefereeError(f"the referee ends again and again, at last with code {code}: see {self._log}")
            await self.start(self.address)

    async def stop(self) -> None:
        process = self._process
        if process is not None and process.returncode is None:
            await child.end(process, _STOP_WITHIN_S)


def _last_line(log: Path, start: int) -> str:
    with log.open("rb") as messages:
        messages.seek(start)
        lines = messages.read().decode(errors="replace").strip().splitlines()
    return lines[-1].removeprefix("Error: ") if lines else ""
