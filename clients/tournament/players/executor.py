"""Where processes run: on this machine, or wherever another executor puts them."""

import asyncio
import signal
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Final, Protocol

from clients.tournament.players.launch import Launch
from clients.tournament.players.supervisor import Log

_STOP_WITHIN_S: Final = 10.0  # a supervisor takes half of it


@dataclass(frozen=True, slots=True)
class Ending:
    """How a process ended.

    Attributes:
        text: in English, such as "exit code 3".
        success: whether it ended by itself and calls that no failure.
    """

    text: str
    success: bool = False

    @classmethod
    def of(cls, code: int) -> "Ending":
        """Returns what an exit code means, or minus a signal."""
        if code >= 0:
            return cls(f"exit code {code}", success=code == 0)
        try:
            return cls(signal.Signals(-code).name)
        except ValueError:
            return cls(f"signal {-code}")


class NoExecutorError(Exception):
    """Processes cannot be run where they should be; the text says why in one sentence."""


class Process(Protocol):
    """A process that was started."""

    async def wait(self) -> Ending:
        """Waits for its end."""
        ...

    async def stop(self) -> None:
        """Ends it and all that it started, and waits until they are gone."""
        ...


class Executor(Protocol):
    """Starts processes.

    Attributes:
        workers: on how many processes the matches of an entrant are best spread.
        cores: how many the processes share that are elsewhere; None if they are on this machine.
    """

    workers: int
    cores: int | None

    async def start(self, launch: Launch, log: Log) -> Process:
        """Starts a process; what it says goes to `log`. It ends with the caller, however that ends."""
        ...


class LocalExecutor:
    """Starts processes on this machine."""

    workers = 1
    cores: int | None = None

    async def start(self, launch: Launch, log: Log) -> Process:
        return _LocalProcess(
            await asyncio.create_subprocess_exec(
                *launch.supervised(str(log.path)),
                stdin=asyncio.subprocess.PIPE,
                stdout=asyncio.subprocess.DEVNULL,
                env=launch.environment(),
                cwd=launch.directory,
                start_new_session=True,  # Ctrl-C is for the director, which then stops the players
            )
        )


class _LocalProcess:
    def __init__(self, supervisor: asyncio.subprocess.Process) -> None:
        self._supervisor: Final = supervisor

    async def wait(self) -> Ending:
        return Ending.of(await self._supervisor.wait())

    async def stop(self) -> None:
        if self._supervisor.stdin is None:
            raise AssertionError("a supervisor is started with a pipe")
        self._supervisor.stdin.close()
        try:
            async with asyncio.timeout(_STOP_WITHIN_S):
                await self._supervisor.wait()
        except TimeoutError:
            self._supervisor.kill()
            await self._supervisor.wait()


@asynccontextmanager
async def executor_at(dask: str | None) -> AsyncIterator[Executor]:
    """Yields what starts processes: on this machine, or on the cluster of the Dask scheduler at an address.

    Raises:
        NoExecutorError: there is no cluster, or no Dask.
    """
    if dask is None:
        yield LocalExecutor()
        return
    try:
        from clients.tournament.players.dask_executor import DaskExecutor
    except ModuleNotFoundError as error:
        raise NoExecutorError(f"Dask is not installed, {error.name} is missing: install artreferee[dask]") from None
    async with DaskExecutor(dask) as executor:
        yield executor
