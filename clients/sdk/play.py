"""A player's stream, over as many connections as it takes: moves are repeated until they are answered."""

from __future__ import annotations  # grpc's classes are generic in their stubs only

import asyncio
from collections.abc import AsyncIterator, Callable, Sequence
from types import TracebackType
from typing import TYPE_CHECKING, Final, Self, TypeVar

import grpc

from artreferee.v1 import match_pb2, service_pb2
from clients.sdk.errors import CallError
from clients.sdk.waits import Waits

_MOVES_AT_ONCE: Final = 64
_MATCHES_AT_ONCE: Final = 1000

ItemT = TypeVar("ItemT")
if TYPE_CHECKING:
    Call = grpc.aio.StreamStreamCall[service_pb2.PlayRequest, service_pb2.PlayResponse]


class PlayStream:
    """What all seats of a principal are asked and told, response by response, for ever. Made by `RefereeClient.play`.

    Heartbeats and broken connections are dealt with inside; after a new connection what is still asked is told again. A
    move is repeated until there is an outcome that repetition does not change.

    Raises:
        CallError: when it is iterated: the referee refuses for good, such as with SUPERSEDED.
    """

    def __init__(self, connect: Callable[[], Call], detail: match_pb2.Detail.ValueType, silence_s: float) -> None:
        self._connect: Final = connect
        self._detail: Final = detail
        self._silence_s: Final = silence_s
        self._pending: Final = dict[str, service_pb2.PlayMove]()
        self._unfinished: Final = dict[str, None]()
        self._repeating: Final = set[asyncio.Task[None]]()
        self._sending: Final = asyncio.Lock()
        self._waits = Waits()
        self._call: Call | None = None

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        for task in self._repeating:
            task.cancel()
        await asyncio.gather(*self._repeating, return_exceptions=True)
        if self._call is not None:
            self._call.cancel()

    def awaits(self, match_id: str, seat: int, decision_number: int) -> bool:
        """Whether an answer to a prompt is on its way."""
        prompt = match_id, seat, decision_number
        return any(prompt == (move.match_id, move.seat, move.decision_number) for move in self._pending.values())

    async def submit(self, *moves: service_pb2.PlayMove) -> None:
        """Answers prompts, each by a move with a request id of its own; the outcomes are among the responses."""
        self._pending.update((move.request_id, move) for move in moves)
        await self._send(moves)

    async def __aiter__(self) -> AsyncIterator[service_pb2.PlayResponse]:
        while True:
            call, asked_s = self._connect(), 0.0
            try:
                await self._greet(call)
                while True:
                    async with asyncio.timeout(self._silence_s):
                        response = await call.read()
                    if not isinstance(response, service_pb2.PlayResponse):
                        break
                    self._waits = Waits()
                    self._note(response)
                    if response.ListFields():
                        yield response
            except (TimeoutError, asyncio.InvalidStateError):
                pass  # it went silent, or ended while it was greeted
            except grpc.aio.AioRpcError as error:
                failure = CallError.of(error)
                if not failure.retriable:
                    raise failure from None
                asked_s = failure.retry_after_s
            finally:
                self._call = None
                call.cancel()
            await asyncio.sleep(self._waits.next(asked_s))

    async def _greet(self, call: Call) -> None:
        async with self._sending:
            await call.write(service_pb2.PlayRequest(detail=self._detail))
            for match_ids in _portions(list(self._unfinished), _MATCHES_AT_ONCE):
                await call.write(service_pb2.PlayRequest(unfinished_match_ids=match_ids))
            self._call = call
        await self._send(list(self._pending.values()))

    async def _send(self, moves: Sequence[service_pb2.PlayMove]) -> None:
        async with self._sending:
            for portion in _portions(moves, _MOVES_AT_ONCE):
                if self._call is None:
                    return  # they go out with the next connection
                try:
                    await self._call.write(service_pb2.PlayRequest(moves=portion))
                except (grpc.aio.AioRpcError, asyncio.InvalidStateError):
                    return  # likewise; whoever reads notices

    def _note(self, response: service_pb2.PlayResponse) -> None:
        """Keeps what a next connection needs, and takes away the outcomes that are not final."""
        for match in (*response.seated, *response.asked):
            self._unfinished[match.match_id] = None
        for match in response.ended:
            self._unfinished.pop(match.match_id, None)
        outcomes = [outcome for outcome in response.outcomes if outcome.request_id in self._pending]
        final = [outcome for outcome in outcomes if not outcome.refused.retriable]
        for outcome in outcomes:
            if outcome.refused.retriable:
                self._repeat(self._pending[outcome.request_id], CallError.in_answer(outcome.refused).retry_after_s)
        for outcome in final:
            del self._pending[outcome.request_id]
        del response.outcomes[:]
        response.outcomes.extend(final)

    def _repeat(self, move: service_pb2.PlayMove, asked_s: float) -> None:
        task = asyncio.create_task(self._send_later(move, self._waits.next(asked_s)))
        self._repeating.add(task)
        task.add_done_callback(self._repeating.discard)

    async def _send_later(self, move: service_pb2.PlayMove, wait_s: float) -> None:
        await asyncio.sleep(wait_s)
        await self._send([move])


def _portions(items: Sequence[ItemT], size: int) -> list[Sequence[ItemT]]:
    return [items[start : start + size] for start in range(0, len(items), size)]
