"""Commands that wait at the same time share a pipeline."""

import asyncio
import time
from typing import Any, Final

from redis.asyncio import Redis
from redis.exceptions import (
    AskError,
    BusyLoadingError,
    ClusterDownError,
    MasterDownError,
    NoPermissionError,
    NoScriptError,
    OutOfMemoryError,
    ReadOnlyError,
    ResponseError,
    TryAgainError,
)
from redis.exceptions import (
    ConnectionError as RedisConnectionError,
)
from redis.exceptions import (
    TimeoutError as RedisTimeoutError,
)

from referee.store.line import Line
from referee.table.observer import Observer
from referee.table.store import StoreUnavailableError

TIMEOUT_S: Final = 5.0
_LANES: Final = 2
_UNAVAILABLE: Final = (
    BusyLoadingError,
    ClusterDownError,
    MasterDownError,
    NoPermissionError,
    OutOfMemoryError,
    OSError,
    ReadOnlyError,
    RedisConnectionError,
    RedisTimeoutError,
    TryAgainError,
)
_REFUSING: Final = frozenset({"MISCONF", "NOREPLICAS"})  # the store, not the command, is at fault


class Pipelined:
    """Sends commands over few connections: what arrives while all are busy goes out together when one is free.

    A caller that goes away does not disturb the others, and its command is carried out all the same.
    """

    def __init__(self, redis: "Redis", observer: Observer | None = None) -> None:
        self._free: Final = [Line(redis.connection_pool, TIMEOUT_S) for _ in range(_LANES)]
        self._observer: Final = observer or Observer()
        self._queue: list[tuple[tuple[Any, ...], asyncio.Future[Any]]] = []
        self._lanes = 0
        self._tasks: Final = set[asyncio.Task[None]]()  # the loop itself keeps no strong reference

    async def __call__(self, *command: Any) -> Any:
        """Returns a command's reply.

        Raises:
            StoreUnavailableError: no reply; the command may have been carried out.
            redis.exceptions.ResponseError: the store refuses the command.
        """
        reply: asyncio.Future[Any] = asyncio.get_running_loop().create_future()
        self._queue.append((command, reply))
        if self._lanes < _LANES:
            self._lanes += 1
            lane = asyncio.create_task(self._drain())
            self._tasks.add(lane)
            lane.add_done_callback(self._tasks.discard)
        start, failed = time.perf_counter(), False
        try:
            return await reply
        except _UNAVAILABLE as error:
            failed = True
            raise StoreUnavailableError(str(error)) from error
        except AskError as error:  # MOVED is one too
            failed = True
            problem = f"the key is elsewhere ({error}); a cluster is named by redis+cluster://"
            raise StoreUnavailableError(problem) from error
        except ResponseError as error:
            failed = not isinstance(error, NoScriptError)
            if str(error).partition(" ")[0] in _REFUSING:
                raise StoreUnavailableError(str(error)) from error
            raise
        finally:
            self._observer.stored(command[0], time.perf_counter() - start, failed)

    async def _drain(self) -> None:
        while self._queue:
            batch, self._queue = self._queue, []
            try:
                replies = await self._execute([command for command, _ in batch])
            except Exception as error:
                replies = [error] * len(batch)
            for (_, reply), result in zip(batch, replies, strict=True):
                if reply.done():
                    continue
                if isinstance(result, Exception):
                    reply.set_exception(result)
                else:
                    reply.set_result(result)
        self._lanes -= 1

    async def _execute(self, commands: list[tuple[Any, ...]]) -> list[Any]:
        line = self._free.pop()
        try:
            return await line.ask(commands)
        finally:
            self._free.append(line)
