"""One process that is kept running, however often it crashes."""

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import suppress
from typing import Final

from clients.sdk.waits import Waits
from clients.tournament.players.executor import Ending, Executor
from clients.tournament.players.launch import Launch
from clients.tournament.players.supervisor import Log

CRASHES: Final = 3
"""After so many crashes without the end of a match in between, the seats of a process are given up."""

PATIENCE_S: Final = 2.0
"""By how much a process may be before or behind the director in hearing that its match is over."""


class Player:
    """Keeps a process running until it is cancelled, or until its one match is over.

    Args:
        launch: what is started.
        executor: where.
        log: for what it says.
        lasts: whether it plays more than one match.
        crashed: called with how it ended whenever that was a crash.
        given_up: called after `CRASHES` crashes; then it waits until it is `wanted` again.
    """

    def __init__(
        self,
        launch: Launch,
        executor: Executor,
        log: Log,
        *,
        lasts: bool,
        crashed: Callable[[str], None],
        given_up: Callable[[], Awaitable[None]],
    ) -> None:
        self._launch: Final = launch
        self._executor: Final = executor
        self._log: Final = log
        self._lasts: Final = lasts
        self._crashed: Final = crashed
        self._given_up: Final = given_up
        self._wanted: Final = asyncio.Event()
        self._over: Final = asyncio.Event()
        self._crashes = 0
        self._waits = Waits()

    def want(self) -> None:
        """Tells of another match to be played."""
        self._wanted.set()

    def succeed(self) -> None:
        """Tells of a match that has ended."""
        self._crashes, self._waits = 0, Waits()

    def end(self) -> None:
        """Tells that its one match is over: it is not started again."""
        self._over.set()

    async def keep(self) -> None:
        """Keeps the process running; its end is waited for when this is cancelled."""
        while not self._over.is_set():
            ending = await self._run()
            if await self._is_over(ending):
                break
            self._crashes += 1
            self._say(f"ended with {ending.text}")
            self._crashed(ending.text)
            if self._crashes < CRASHES:
                await asyncio.sleep(self._waits.next())
            else:
                await self._give_up()

    async def _run(self) -> Ending:
        self._say("started")
        process = await self._executor.start(self._launch, self._log)
        try:
            return await process.wait()
        finally:
            await process.stop()

    async def _is_over(self, ending: Ending) -> bool:
        if ending.success and not self._lasts:
            with suppress(TimeoutError):
                async with asyncio.timeout(PATIENCE_S):
                    await self._over.wait()
        return self._over.is_set()

    async def _give_up(self) -> None:
        self._wanted.clear()
        await self._given_up()
        self.succeed()
        await self._wanted.wait()

    def _say(self, text: str) -> None:
        place = self._launch.variables.get("CURATOR_MATCH")
        of_match = f" for match {place}, seat {self._launch.variables['CURATOR_SEAT']}" if place else ""
        self._log.write(f"--- {text}{of_match} ---\n".encode())
