"""Processes on the workers of a Dask cluster, which have this package and see the same files.

Whoever can reach the cluster can read what is sent to it, the tokens of players among it: it has to be trusted.
"""

import asyncio
import os
import select
import subprocess
import uuid
from concurrent.futures import CancelledError
from contextlib import suppress
from types import TracebackType
from typing import IO, Final, Self

from distributed import Client, Future, KilledWorker, Worker, get_worker, secede

from clients.tournament.players.executor import Ending, NoExecutorError
from clients.tournament.players.launch import Launch
from clients.tournament.players.supervisor import Log

_CONNECT_WITHIN_S: Final = 5.0
_STOP_WITHIN_S: Final = 10.0
_LOOK_EVERY_S: Final = 0.25
_PIECE: Final = 1 << 16
_MOST: Final = 1 << 20  # bytes of what one process says that go through the scheduler


class DaskExecutor:
    """Starts processes by tasks that last as long as they do; a task whose worker dies is run anew by another.

    Args:
        address: the cluster's scheduler.

    Attributes:
        workers: how many workers the cluster had when it was joined.
        cores: how many threads they had, by which Dask counts cores.

    Raises:
        NoExecutorError: when it is entered: there is no scheduler.
    """

    def __init__(self, address: str) -> None:
        self._address: Final = address
        self._client: Final = Client(address, timeout=_CONNECT_WITHIN_S, asynchronous=True, set_as_default=False)
        self.workers = 0
        self.cores: int | None = None

    async def __aenter__(self) -> Self:
        try:
            await self._client
        except OSError as error:
            raise NoExecutorError(f"there is no Dask scheduler at {self._address}: {error}") from None
        threads = (await self._client.nthreads()).values()
        self.workers, self.cores = len(threads), sum(threads)
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self._client.close()

    async def start(self, launch: Launch, log: Log) -> "_DaskProcess":
        return _DaskProcess(self._client, launch, log)


class _DaskProcess:
    def __init__(self, client: Client, launch: Launch, log: Log) -> None:
        self._client: Final = client
        self._log: Final = log
        self._topic: Final = f"player-{uuid.uuid4().hex}"
        self._gone: Final = asyncio.Event()
        client.subscribe_topic(self._topic, self._hear)
        self._future: Final[Future[int]] = client.submit(_run, launch, self._topic, key=self._topic, pure=False)

    async def wait(self) -> Ending:
        try:
            return Ending.of(await self._future)
        except KilledWorker:
            return Ending("the death of one Dask worker after the other")
        except CancelledError as error:
            return Ending(f"the loss of its Dask task: {error}")

    async def stop(self) -> None:
        if self._future.status == "pending":
            await self._future.cancel()
            with suppress(TimeoutError):  # it has not begun, or its worker died
                async with asyncio.timeout(_STOP_WITHIN_S):
                    await self._gone.wait()
        self._client.unsubscribe_topic(self._topic)

    def _hear(self, event: tuple[float, bytes | None]) -> None:
        if event[1] is None:
            self._gone.set()
        else:
            self._log.write(event[1])


def _run(launch: Launch, topic: str) -> int:
    """Runs a process on this worker until it ends or nobody wants it any more; returns its exit code."""
    worker = get_worker()
    secede()  # it takes no place of those that compute
    try:
        with subprocess.Popen(  # noqa: S603 - what the organisers want to run
            launch.supervised("-"),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            env=launch.environment(),
            cwd=launch.directory,
            start_new_session=True,
        ) as process:
            if process.stdin is None or process.stdout is None:
                raise AssertionError("the process is started with pipes")
            _attend(worker, topic, process.stdin, process.stdout)
            return process.wait()
    finally:
        worker.log_event(topic, None)


def _attend(worker: Worker, topic: str, stdin: IO[bytes], stdout: IO[bytes]) -> None:
    """Forwards what is said, until nobody is left who says anything."""
    room = _MOST
    while True:
        if _is_unwanted(worker, topic) and not stdin.closed:
            stdin.close()
        if select.select([stdout], [], [], _LOOK_EVERY_S)[0]:
            said = os.read(stdout.fileno(), _PIECE)
            if not said:
                return
            if 0 < room <= len(said):
                worker.log_event(topic, b"--- what it says from here on is not kept ---\n")
            if (room := room - len(said)) > 0:
                worker.log_event(topic, said)


def _is_unwanted(worker: Worker, key: str) -> bool:
    """Whether the task was cancelled, or its client has gone."""
    task = worker.state.tasks.get(key)
    return task is None or task.state == "cancelled"
