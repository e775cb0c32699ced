"""What several want to read at the same time is read once."""

import asyncio
from collections.abc import Callable, Coroutine
from functools import partial
from typing import Any, Final, TypeVar

ReadT = TypeVar("ReadT")
Key = tuple[str | int, ...]


class Readings:
    """Those that are under way. `asyncio.shield` would do it too, at several times the cost for each who waits."""

    def __init__(self) -> None:
        self._waiting: Final = dict[Key, list[asyncio.Future[Any]]]()
        self._tasks: Final = set[asyncio.Task[Any]]()  # the loop itself keeps no strong reference

    async def shared(self, key: Key, read: Callable[[], Coroutine[Any, Any, ReadT]]) -> ReadT:
        """Reads something, which the key names, once for all who ask for it meanwhile, whoever of them goes away."""
        waiting = self._waiting.get(key)
        if waiting is None:
            waiting = self._waiting[key] = []
            task = asyncio.create_task(read())
            self._tasks.add(task)
            task.add_done_callback(partial(self._hand_out, key))
        mine: asyncio.Future[ReadT] = asyncio.get_running_loop().create_future()
        waiting.append(mine)
        return await mine

    def _hand_out(self, key: Key, task: asyncio.Task[Any]) -> None:
        self._tasks.discard(task)
        waiting = [mine for mine in self._waiting.pop(key) if not mine.done()]
        if task.cancelled():
            for mine in waiting:
                mine.cancel()
        elif (error := task.exception()) is not None:
            for mine in waiting:
                mine.set_exception(error)
        else:
            for mine in waiting:
                mine.set_result(task.result())
