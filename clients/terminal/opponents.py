"""Bots that play while the terminal is open, each in a process of its own."""

import asyncio
import sys
import time
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Final

from clients import child
from clients.bots.connection import Connection
from clients.sdk import Tls
from clients.terminal.saved import Opponent
from clients.tournament.players import Launch

_STOP_WITHIN_S: Final = 5.0
_STEADY_S: Final = 5.0
_QUICK_ENDS: Final = 5  # in a row, each sooner than that after a start: it would end again


class OpponentError(Exception):
    """A bot that does not play; the text says where it told why."""


@asynccontextmanager
async def opponents_at(address: str, tls: Tls | None, opponents: Sequence[Opponent], log: Path) -> AsyncIterator[None]:
    """Has bots play for a block; what they say goes to `log`.

    Raises:
        OpponentError: one of them ends again and again.
    """
    async with asyncio.TaskGroup() as group:
        playing = [
            group.create_task(_keep_playing(each.bot, Connection(address, each.principal, tls), log))
            for each in opponents
        ]
        yield
        for task in playing:
            task.cancel()


async def _keep_playing(bot: str, connection: Connection, log: Path) -> None:
    launch = Launch(("-m", "clients.bots.worker", bot), connection.variables, python=True)
    quick = 0
    while quick < _QUICK_ENDS:
        since = time.monotonic()
        await _play(launch, log)
        quick = quick + 1 if time.monotonic() - since < _STEADY_S else 0
    raise OpponentError(f"the bot {bot} ends again and again: see {log}")


async def _play(launch: Launch, log: Path) -> None:
    with log.open("ab") as messages:
        process = await asyncio.create_subprocess_exec(
            sys.executable,
            *launch.command,
            stdin=asyncio.subprocess.PIPE,  # it ends with us, however we end
            stdout=messages,
            stderr=messages,
            start_new_session=True,
            cwd=launch.directory,
            env=launch.environment(),
        )
    try:
        await process.wait()
    finally:
        if process.returncode is None:
            await child.end(process, _STOP_WITHIN_S)
