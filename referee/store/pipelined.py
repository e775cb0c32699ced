"""Commands that wait at the same time share a pipeline."""

import asyncio
import time
from collections.abc import Sequence
from functools import partial
from typing import Any, Final

from redis.asyncio import Redis
from redis.exceptions import (
    AskError,
    BusyLoadingError,
    ClusterDownError,
    MasterDownError,
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
from referee.store.rights import RightsError, tells_of_rights
from referee.table.observer import Observer
from referee.table.store import StoreUnavailableError

TIMEOUT_S: Final = 5.0
_LANES: Final = 2
_UNAVAILABLE: Final = (
    BusyLoadingError,
    ClusterDownError,
    MasterDownError,
    OutOfMemoryError,
    OSError,
    ReadOnlyError,
    RedisConnectionError,
    RedisTimeoutError,
    TryAgainError,
)
_Batch = list[tuple[tuple[Any, ...], asyncio.Future[Any]]]
_REFUSING: Final = frozenset({"MISCONF", "NOREPLICAS"})  # the store, not the command, is at fault


class Pipelined:
    """Sends commands over few connections: what arrives while all are busy goes out together when one is free.

    A caller that goes away does not disturb the others, and its command is carried out all the same.
    """

    def __init__(self, redis: "Redis", observer: Observer | None = None) -> None:
        self._free: Final = [Line(redis.connection_pool, TIMEOUT_S) for _ in range(_LANES)]
        self._observer: Final = observer or Observer()
        self._queue: _Batch = []
        self._to_send = False

    async def __call__(self, *command: Any) -> Any:
        """Returns a command's reply.

        Raises:
            StoreUnavailableError: no reply; the command may have been carried out.
            redis.exceptions.ResponseError: the store refuses the command.
        """
        loop = asyncio.get_running_loop()
        reply: asyncio.Future[Any] = loop.create_future()
        self._queue.append((command, reply))
        if self._free and not self._to_send:
            self._to_send = True
            loop.call_soon(self._send)
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
            if tells_of_rights(error):
                raise RightsError(str(error)) from error
            if str(error).partition(" ")[0] in _REFUSING:
                raise StoreUnavailableError(str(error)) from error
            raise
        finally:
            self._observer.stored(command[0], time.perf_counter() - start, failed)

    def _send(self) -> None:
        self._to_send = False
        if not self._queue or not self._free:
            return
        batch, self._queue = self._queue, []
        line = self._free.pop()
        try:
            asked = line.ask(self._to_be_sent([command for command, _ in batch]))
        except Exception as error:  # whatever it is, those whose commands it holds up hear of it
            self._free.append(line)
            _tell(batch, [error] * len(batch))
        else:
            asked.add_done_callback(partial(self._take, line, batch))

    def _take(self, line: Line, batch: _Batch, asked: asyncio.Future[list[Any]]) -> None:
        self._free.append(line)
        if asked.cancelled():  # the loop ends
            return
        error = asked.exception()
        _tell(batch, self._replies_in(asked.result(), len(batch)) if error is None else [error] * len(batch))
        self._send()

    def _to_be_sent(self, commands: list[tuple[Any, ...]]) -> list[tuple[Any, ...]]:
        """Returns what goes out for commands that go out together."""
        return commands

    def _replies_in(self, replies: list[Any], commands: int) -> list[Any]:
        """Returns the replies to so many commands among those to what went out for them."""
        return replies


def _tell(batch: _Batch, replies: Sequence[Any]) -> None:
    for (_, reply), result in zip(batch, replies, strict=True):
        if reply.done():  # its caller has gone away
            continue
        if isinstance(result, Exception):
            reply.set_exception(result)
        else:
            reply.set_result(result)
