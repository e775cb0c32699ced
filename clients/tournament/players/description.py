"""What a bot calls itself, asked of a process of its own: loading it runs what its author wrote."""

import asyncio
import json
import os
import signal
import sys
from contextlib import suppress
from dataclasses import dataclass
from typing import Final

from clients.tournament.players.executor import Ending
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
        stderr=asyncio.subprocess.DEVNULL,
        env=launch.environment(),
        start_new_session=True,
    )
    try:
        async with asyncio.timeout(_WITHIN_S):
            output, _ = await process.communicate()
            code = await process.wait()
    except TimeoutError:
        raise NoBotError(f"{bot} is not loaded within {_WITHIN_S:.0f} s") from None
    finally:
        if process.returncode is None:
            with suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
            await process.wait()
    if not output:
        raise NoBotError(f"{bot} ends with {Ending.of(code).text} while it is loaded")
    described = json.loads(output)
    if "error" in described:
        raise NoBotError(described["error"])
    return Description(**described)
