"""Callers that do not give up: they repeat, call twice at once, and go from replica to replica."""

import asyncio
import random
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from google.protobuf.message import Message

from artreferee.v1 import error_pb2
from clients.sdk import CallError, Principal, new_request_id
from tests.faults.wire import Wire

MARK = b"soak-"  # every changing call holds it, no other does
TWICE_IN = 10
ATTEMPT_S = 2.0
ANSWERED_WITHIN_S = 90.0
_LONGEST_WAIT_S = 0.5


@dataclass(frozen=True)
class Told:
    """What a caller was told in the end, and when.

    Attributes:
        answer: the answer; None if the call was refused.
        refusal: the reason then.
        started: when the first attempt began, by this process's clock.
        ended: when the first answer was there.
        repeated_ms: when the attempt began that was answered, in ms since 1970, if others had failed before.
    """

    answer: Any
    refusal: error_pb2.ErrorReason.ValueType
    started: float
    ended: float
    repeated_ms: int | None


@dataclass
class Calls:
    """Makes calls until they are answered.

    Attributes:
        wire: connections to all replicas.
        rng: decides about replicas and waits.
        figures: counts moves, calls, retries, duplicates, and failed attempts by code.
        after_move: called with the number of moves whenever one was acknowledged.
        twice_in: one of so many changing calls is made at two replicas at once; 0 for none.
    """

    wire: Wire
    rng: random.Random
    figures: Counter[str]
    after_move: Callable[[int], None] = lambda _: None
    twice_in: int = TWICE_IN

    def count_move(self) -> None:
        """Counts an acknowledged move."""
        self.figures["moves"] += 1
        self.after_move(self.figures["moves"])

    async def read(self, who: Principal, method: str, request: Message) -> Told:
        """Makes a call that changes nothing."""
        self.figures["calls"] += 1
        async with asyncio.timeout(ANSWERED_WITHIN_S):
            return await self._told(self.rng.randrange(self.wire.count), who, method, request)

    async def change(self, who: Principal, method: str, request: Any) -> Told:
        """Makes a call that changes something under a new request id, sometimes at two replicas at once.

        Raises:
            AssertionError: the two answers differ.
        """
        request.request_id = MARK.decode() + new_request_id()
        self.figures["calls"] += 1
        copies = 2 if self.twice_in and self.figures["calls"] % self.twice_in == 0 else 1
        self.figures["duplicates"] += copies - 1
        places = self.rng.sample(range(self.wire.count), copies)
        async with asyncio.timeout(ANSWERED_WITHIN_S):
            told = await asyncio.gather(*(self._told(at, who, method, request) for at in places))
        assert len({(_essence(each.answer), each.refusal) for each in told}) == 1, (
            f"{method} was answered twice: {told}"
        )
        first = min(told, key=lambda each: each.ended)
        return first if copies == 1 else Told(first.answer, first.refusal, first.started, first.ended, None)

    async def _told(self, at: int, who: Principal, method: str, request: Message) -> Told:
        started, repeated_ms, wait_s = time.monotonic(), None, 0.02
        while True:
            try:
                answer = await self.wire.call(at, who, method, request, ATTEMPT_S)
                return Told(answer, error_pb2.ERROR_REASON_UNSPECIFIED, started, time.monotonic(), repeated_ms)
            except CallError as error:
                if not error.retriable:
                    return Told(None, error.reason, started, time.monotonic(), repeated_ms)
                self.figures["retries"] += 1
                self.figures[f"attempts that ended {error.code.name}"] += 1
            await asyncio.sleep(self.rng.uniform(0.0, wait_s))
            at, wait_s = self.rng.randrange(self.wire.count), min(2 * wait_s, _LONGEST_WAIT_S)
            repeated_ms = time.time_ns() // 1_000_000


def _essence(answer: Any) -> bytes | None:
    """An answer without the match as it is now, which a repeated call may find further on."""
    if answer is None:
        return None
    if "match" in answer.DESCRIPTOR.fields_by_name:
        answer = type(answer).FromString(answer.SerializeToString())
        answer.ClearField("match")
    packed: bytes = answer.SerializeToString()
    return packed
