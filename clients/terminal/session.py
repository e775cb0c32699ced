"""One match as a terminal follows it: what the referee tells, as values, and what is answered."""

import asyncio
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final

from artreferee.v1 import error_pb2, match_pb2, service_pb2
from clients.sdk import CallError, RefereeClient, new_request_id
from clients.sdk.waits import Waits

_MOVES_AT_ONCE: Final = 16


@dataclass(frozen=True, slots=True)
class Position:
    """The match has changed.

    Attributes:
        match: the match as it is now.
        updates: the entries of its log that have led there since the position before, none after a gap.
        since: when it was told, by `time.monotonic`.
        lost: whether it is behind what was told before, since the store has lost the rest.
    """

    match: match_pb2.Match
    updates: tuple[match_pb2.Update, ...]
    since: float
    lost: bool = False


@dataclass(frozen=True, slots=True)
class Connection:
    """The connection to the referee is there, or lost."""

    there: bool


@dataclass(frozen=True, slots=True)
class Refused:
    """An answer to a question, or a resignation, was refused; the same question may be open still."""

    error: CallError


@dataclass(frozen=True, slots=True)
class Closed:
    """Nothing more is told: the match is over, or the referee refuses to tell more of it."""

    error: CallError | None


News = Position | Connection | Refused | Closed


class Session:
    """Follows a match from one seat, or as a spectator, over as many connections as it takes.

    Args:
        client: the connection; its principal holds the seat.
        match_id: the match.
        seat: the seat; None for a spectator.
        tell: is called with all that is news, in order.
    """

    def __init__(self, client: RefereeClient, match_id: str, seat: int | None, tell: Callable[[News], None]) -> None:
        self.match_id: Final = match_id
        self.seat: Final = seat
        self._client, self._tell = client, tell
        self._version = 0  # the newest that was told, also by answers

    async def run(self) -> None:
        """Follows the match to its end."""
        async with asyncio.TaskGroup() as group:
            watching = group.create_task(self._watch_connection())
            self._tell(Closed(await self._follow()))
            watching.cancel()

    async def answer(self, decision_number: int, moves: Sequence[int]) -> None:
        """Answers a question with moves in a row, however often the connection breaks meanwhile."""
        for start in range(0, len(moves), _MOVES_AT_ONCE):
            request = service_pb2.SubmitMoveRequest(
                request_id=new_request_id(),
                match_id=self.match_id,
                seat=self.seat,
                decision_number=decision_number + start,
                moves=[match_pb2.MoveChoice(id=move) for move in moves[start : start + _MOVES_AT_ONCE]],
                detail=match_pb2.DETAIL_NONE,
            )
            if (error := await self._submit(request)) is not None:
                self._tell(Refused(await self._cause(error)))
                return

    async def resign(self) -> None:
        """Gives up the seat, however often the connection breaks meanwhile."""
        waits = Waits()
        while True:
            try:
                self._version = (await self._client.resign(self.match_id, self.seat)).version
                return
            except CallError as error:
                if not error.retriable:
                    self._tell(Refused(await self._cause(error)))
                    return
                await asyncio.sleep(waits.next(error.retry_after_s))

    async def _submit(self, request: service_pb2.SubmitMoveRequest) -> CallError | None:
        """Sends the same request until it is answered; returns why it is refused, if it is."""
        waits = Waits()
        while True:
            try:
                self._version = (await self._client.submit_move(request)).version
                return None
            except CallError as error:
                if not error.retriable:
                    return error
                await asyncio.sleep(waits.next(error.retry_after_s))

    async def _follow(self) -> CallError | None:
        updates = list[match_pb2.Update]()
        try:
            async for message in self._client.watch_match(self.match_id, self.seat, told=lambda: self._version):
                lost = message.HasField("snapshot") and message.snapshot.version < self._version
                if message.HasField("update"):
                    updates.append(message.update)
                match = message.snapshot if message.HasField("snapshot") else message.update.match
                if match.match_id:
                    self._version = match.version if lost else max(self._version, match.version)
                    self._tell(Position(match, tuple(updates), time.monotonic(), lost))
                    updates.clear()
        except CallError as error:
            return await self._cause(error)
        return None

    async def _cause(self, error: CallError) -> CallError:
        """Returns why the seat is refused: to whoever names one a match that is deleted is not told of as such."""
        if error.reason == error_pb2.ERROR_REASON_NOT_PERMITTED:
            try:
                await self._client.get_match(self.match_id, detail=match_pb2.DETAIL_NONE)
            except CallError as other:
                if other.reason == error_pb2.ERROR_REASON_MATCH_NOT_FOUND:
                    return other
        return error

    async def _watch_connection(self) -> None:
        async for there in self._client.connections():
            self._tell(Connection(there))
