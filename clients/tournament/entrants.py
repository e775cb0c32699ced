"""The processes that play: one for each entrant, with a principal of its own and nothing of the store."""

import asyncio
import os
import sys
from dataclasses import dataclass
from typing import Final, Never

from clients.bots.connection import Connection
from clients.bots.load import load_bot
from clients.sdk import Principal, Tls

_KEPT_VARIABLES: Final = ("HOME", "LANG", "LC_ALL", "PATH", "PYTHONPATH", "TMPDIR", "VIRTUAL_ENV")


class EntrantError(Exception):
    """An entrant's process ended before its time."""


@dataclass(frozen=True, slots=True)
class Entrant:
    """A bot that takes part: how it is named on the command line, and what it calls itself."""

    spec: str
    name: str
    version: str


def entrants(specs: list[str]) -> list[Entrant]:
    """Returns the entrants that `specs` name; who has the name of an earlier one gets a number.

    Raises:
        BotNotFoundError: one of them is no bot.
    """
    found: list[Entrant] = []
    for spec in specs:
        bot = load_bot(spec)()
        taken = {entrant.name for entrant in found}
        names = [bot.name, *(f"{bot.name} {number}" for number in range(2, len(specs) + 1))]
        found.append(Entrant(spec, next(name for name in names if name not in taken), bot.version))
    return found


class Player:
    """A running process that plays all seats of an entrant's principal."""

    def __init__(self, entrant: Entrant, address: str, tls: Tls | None) -> None:
        self.principal: Final = Principal.new()
        self._entrant: Final = entrant
        self._address: Final = address
        self._tls: Final = tls
        self._process: asyncio.subprocess.Process | None = None

    async def start(self) -> None:
        """Starts the process."""
        environment = {name: os.environ[name] for name in _KEPT_VARIABLES if name in os.environ}
        self._process = await asyncio.create_subprocess_exec(
            *(sys.executable, "-m", "clients.bots.worker", self._entrant.spec),
            stdin=asyncio.subprocess.PIPE,
            env={**environment, **Connection(self._address, self.principal, self._tls).variables},
            start_new_session=True,
        )

    async def fail(self) -> Never:
        """Waits for the process, which should not end.

        Raises:
            EntrantError: it ended.
        """
        code = await self._running().wait()
        raise EntrantError(f"the process of {self._entrant.name} ended with exit code {code}")

    async def stop(self) -> None:
        """Ends the process."""
        process = self._process
        if process is not None and process.stdin is not None:
            process.stdin.close()
            await process.wait()

    def _running(self) -> asyncio.subprocess.Process:
        if self._process is None:
            raise AssertionError("the process was started")
        return self._process
