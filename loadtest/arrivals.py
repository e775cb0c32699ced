"""Calls that come at a rate, whether or not those before have been answered, as from very many independent players."""

import asyncio
import random
import time
from collections import Counter, deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from statistics import quantiles
from typing import Final

import grpc

from loadtest.fleet import Fleet
from loadtest.http2 import Reply

_WAITED_S: Final = 60.0  # for the last answers
OK: Final = grpc.StatusCode.OK
Send = Callable[[], asyncio.Future[Reply] | None]


@dataclass(slots=True)
class Answers:
    """What became of calls.

    Attributes:
        codes: how many were answered how.
        took: of each that succeeded, how many seconds since it was due.
        most: how many were under way at once.
        unsent: calls for which there was nothing to send.
        lasted_s: from the first call to the last answer.
    """

    codes: Counter[grpc.StatusCode] = field(default_factory=Counter)
    took: list[float] = field(default_factory=list)
    most: int = 0
    unsent: int = 0
    lasted_s: float = 0.0

    def ms(self, percent: int) -> float:
        """Returns a percentile of the latencies."""
        return quantiles(self.took, n=100)[percent - 1] * 1_000


async def arrive(send: Send, rate: float, seconds: float, rng: random.Random) -> Answers:
    """Sends calls at random times, so many a second, and waits for their answers."""
    answers, pending = Answers(), set[asyncio.Future[Reply]]()
    start = time.perf_counter()
    due = start + rng.expovariate(rate)
    while due < start + seconds:
        await asyncio.sleep(due - time.perf_counter())  # also when it is late, or no answer would be read
        _send(send, due, pending, answers)
        due += rng.expovariate(rate)
    if pending:
        await asyncio.wait(pending, timeout=_WAITED_S)
    answers.lasted_s = time.perf_counter() - start
    return answers


def _send(send: Send, due: float, pending: set[asyncio.Future[Reply]], answers: Answers) -> None:
    reply = send()
    if reply is None:
        answers.unsent += 1
        return

    def note(done: asyncio.Future[Reply]) -> None:
        pending.discard(done)
        code = _code_of(done)
        answers.codes[code] += 1
        if code is OK:
            answers.took.append(time.perf_counter() - due)

    pending.add(reply)
    answers.most = max(answers.most, len(pending))
    reply.add_done_callback(note)


def _code_of(done: asyncio.Future[Reply]) -> grpc.StatusCode:
    if done.cancelled():
        return grpc.StatusCode.CANCELLED
    return grpc.StatusCode.UNAVAILABLE if done.exception() else done.result().code


class Hall:
    """Matches of which each plays its next move when its turn comes; a move that was refused is sent again."""

    def __init__(self, fleets: Sequence[Fleet]) -> None:
        self._free: Final = deque((fleet, match_id) for fleet in fleets for match_id in fleet.match_ids)
        self._played: Final = {match_id: 0 for fleet in fleets for match_id in fleet.match_ids}
        self._unclear: Final = set[str]()
        self._fleets: Final = fleets

    def send(self) -> asyncio.Future[Reply] | None:
        """Sends the next move of a match in which none is under way; None if there is no such match."""
        if not self._free:
            return None
        fleet, match_id = self._free.popleft()
        reply = fleet.caller.call("SubmitMove", fleet.request(match_id, self._played[match_id]))
        reply.add_done_callback(lambda done: self._note(fleet, match_id, done))
        return reply

    def _note(self, fleet: Fleet, match_id: str, done: asyncio.Future[Reply]) -> None:
        code = _code_of(done)
        self._unclear.discard(match_id)
        if code is OK:
            self._played[match_id] += 1
        elif code is not grpc.StatusCode.RESOURCE_EXHAUSTED:
            self._unclear.add(match_id)
        if self._played[match_id] < len(fleet.choices):
            self._free.append((fleet, match_id))

    async def harmed(self) -> list[str]:
        """Returns the matches in which other moves count than were acknowledged, or sent last and never answered."""
        found = list[str]()
        for fleet in self._fleets:
            versions = await fleet.versions()
            more = {each: versions[each] - self._played[each] for each in fleet.match_ids}
            found += [each for each, count in more.items() if count not in (0, int(each in self._unclear))]
        return found
