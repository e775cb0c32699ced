"""Spectators by the thousand, over a few connections."""

import asyncio
from collections.abc import Sequence
from contextlib import suppress
from itertools import cycle
from typing import Final

from artreferee.v1 import match_pb2, service_pb2
from clients.sdk import Principal
from loadtest.fleet import Caller, some_at_once
from loadtest.http2 import BrokenError, Reply, connect

_CONNECTIONS: Final = 10
_HEARTBEAT: Final = service_pb2.WatchMatchResponse(heartbeat=service_pb2.Heartbeat(version=1)).SerializeToString()[0]
"""How a sign of life begins, and nothing else."""


class EndedError(Exception):
    """A stream has ended before what was waited for; the text says how."""


class Watcher:
    """One stream of WatchMatch.

    Attributes:
        match_id: what is watched.
        arrivals: when messages have come since they were last counted, signs of life left out.
        messages: how many have come, signs of life among them.
        last: the last message but those.
    """

    def __init__(self, caller: Caller, match_id: str, seat: int | None = None) -> None:
        request = service_pb2.WatchMatchRequest(match_id=match_id, seat=seat, detail=match_pb2.DETAIL_FULL)
        self.match_id: Final = match_id
        self.arrivals: Final = list[float]()
        self.messages = 0
        self.last = b""
        self._came: Final = asyncio.Event()
        self._reply: Final = caller.call("WatchMatch", request.SerializeToString(), self._hear)
        self._reply.add_done_callback(lambda _: self._came.set())

    async def next(self, messages: int = 1) -> None:
        """Waits for so many messages.

        Raises:
            EndedError: the stream has ended before.
        """
        while len(self.arrivals) < messages:
            await self._came.wait()
            self._came.clear()
            if self._reply.done() and len(self.arrivals) < messages:
                raise EndedError(_end_of(self._reply))

    def _hear(self, message: bytes, now: float) -> None:
        self.messages += 1
        if message[0] == _HEARTBEAT:
            return
        self.last = message
        self.arrivals.append(now)
        self._came.set()


class Crowd:
    """Watchers that have their snapshots. Made by `gather`.

    Attributes:
        watchers: all of them.
        refused: how often one was refused, before it was let in.
    """

    def __init__(self, callers: Sequence[Caller]) -> None:
        self._callers: Final = callers
        self.watchers: Final = list[Watcher]()
        self.refused = 0

    @classmethod
    async def gather(
        cls, address: str, match_ids: Sequence[str], principal: Principal | None = None, seat: int | None = None
    ) -> "Crowd":
        """Lets spectators, or one principal from its seat, watch a match each, and waits until each of them sees it."""
        crowd = cls([Caller(await connect(address), address, principal) for _ in range(_CONNECTIONS)])
        callers = cycle(crowd._callers)

        async def watch(match_id: str) -> None:
            watcher = Watcher(next(callers), match_id, seat)
            try:
                await watcher.next()
                crowd.watchers.append(watcher)
            except EndedError:
                crowd.refused += 1
                if crowd.refused > len(match_ids):
                    raise
                await watch(match_id)

        await some_at_once(watch, match_ids)
        for watcher in crowd.watchers:
            watcher.arrivals.clear()
        return crowd

    async def hear(self) -> list[float]:
        """Waits for a message to each watcher, and returns when they came."""
        for watcher in self.watchers:  # one after the other, as a task for each would cost more than to read it
            await watcher.next()
        return [watcher.arrivals.pop(0) for watcher in self.watchers]

    def messages(self) -> int:
        """Returns how many messages have come to all."""
        return sum(watcher.messages for watcher in self.watchers)

    def leave(self) -> None:
        """Ends all streams."""
        for caller in self._callers:
            caller.leave()


def _end_of(reply: asyncio.Future[Reply]) -> str:
    with suppress(BrokenError):
        return reply.result().code.name
    return "the connection is broken"
