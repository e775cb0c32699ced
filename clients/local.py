"""A referee of one's own: a process with an embedded store, for as long as a command runs."""

import asyncio
import os
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Final

_LISTENING: Final = "listening on "
_STOP_WITHIN_S: Final = 20.0


class LocalRefereeError(Exception):
    """The referee did not start; the text says why in one sentence."""


@asynccontextmanager
async def local_referee(data: Path, log: Path) -> AsyncIterator[str]:
    """Runs a referee that keeps its data in `data` and writes its log to `log`; yields its address.

    Raises:
        LocalRefereeError: it did not start.
    """
    with log.open("ab") as messages:
        start = messages.tell()
        referee = await asyncio.create_subprocess_exec(
            *(sys.executable, "-m", "referee", "serve", "--listen", "127.0.0.1:0", "--data", str(data)),
            *("--fsync", "always", "--stop-with-stdin"),
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            stderr=messages,
            start_new_session=True,  # Ctrl-C is for the command, which then stops the referee in order
            env={name: value for name, value in os.environ.items() if not name.startswith("REFEREE_")},
        )
    if referee.stdin is None or referee.stdout is None:
        raise AssertionError("the referee is started with pipes")
    line = (await referee.stdout.readline()).decode().strip()
    if not line.startswith(_LISTENING):
        await referee.wait()
        raise LocalRefereeError(_last_line(log, start) or "the referee ended without a word")
    try:
        yield line.removeprefix(_LISTENING)
    finally:
        referee.stdin.close()
        try:
            async with asyncio.timeout(_STOP_WITHIN_S):
                await referee.wait()
        except TimeoutError:
            referee.kill()
            await referee.wait()


def _last_line(log: Path, start: int) -> str:
    with log.open("rb") as messages:
        messages.seek(start)
        lines = messages.read().decode(errors="replace").strip().splitlines()
    return lines[-1].removeprefix("Error: ") if lines else ""
