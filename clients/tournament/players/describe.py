"""What a bot calls itself, asked of a process of its own: loading it runs what its author wrote."""

import asyncio
import json
import os
import signal
import sys
from dataclasses import dataclass
from typing import Final

from clients.tournament.players.launch import Launch

_WITHIN_S: Final = 60.0


class NoBotError(ValueError):
    """What is no bot, or cannot be loaded; the text says why."""


@dataclass(frozen=True, slots=True)
class Description:
    """What a bot calls itself."""

    name: str
    version: str


async def describe(bot: str) -> Description:
    """Returns what the bot calls itself that `bot` names as in `plan.Entrant`.

    Raises:
        NoBotError: there is none.
    """
    launch = Launch(("-m", "clients.bots.worker", "--describe", bot), {}, python=True)
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, *launch.command),
        stdin=asyncio.subprocess.DEVNULL,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
        env=launch.environment(),
        start_new_session=True,
    )
    try:
        async with asyncio.timeout(_WITHIN_S):
            output, said = await process.communicate()
    except TimeoutError:
        raise NoBotError(f"{bot} is not loaded within {_WITHIN_S:.0f} s") from None
    finally:
        if process.returncode is None:
            os.killpg(process.pid, signal.SIGKILL)
            await process.wait()
    if process.returncode != 0:
        lines = said.decode(errors="replace").strip().splitlines()
        raise NoBotError(lines[-1] if lines else f"{bot} ends with exit code {process.returncode} while it is loaded")
    return Description(**json.loads(output))
