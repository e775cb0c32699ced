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

from artreferee.v1 import match_pb2, service_pb2
from loadtest.fleet import Fleet
from loadtest.http2 import Reply

_WAITED_S: Final = 60.0  # for the last answers
OK: Final = grpc.StatusCode.OK
CODES: Final = {code.value[0]: code for code in grpc.StatusCode}
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


Play = Callable[[str, int], asyncio.Future[Reply]]
"""Sends the move at a place of a match."""


async def by_unary(fleet: Fleet) -> Play:
    """Sends moves by SubmitMove."""
    return lambda match_id, place: fleet.caller.call("SubmitMove", fleet.request(match_id, place))


async def by_stream(fleet: Fleet) -> Play:
    """Sends moves over one Play stream, which is open by then."""
    under_way, opened = dict[str, tuple[asyncio.Future[Reply], float]](), asyncio.Event()

    def hear(message: bytes, now: float) -> None:
        opened.set()
        for outcome in service_pb2.PlayResponse.FromString(message).outcomes:
            reply, sent_s = under_way.pop(outcome.match_id)
            code = CODES[outcome.refused.code] if outcome.HasField("refused") else OK
            reply.set_result(Reply(code, b"", now - sent_s))

    def play(match_id: str, place: int) -> asyncio.Future[Reply]:
        reply = asyncio.get_running_loop().create_future()
        under_way[match_id] = reply, time.perf_counter()
        say(service_pb2.PlayRequest(moves=[fleet.move(match_id, place)]).SerializeToString())
        return reply

    say = fleet.caller.open("Play", hear)
    say(service_pb2.PlayRequest(detail=match_pb2.DETAIL_NONE).SerializeToString())
    async with asyncio.timeout(_WAITED_S):
        await opened.wait()
    return play


class Hall:
    """Matches of which each plays its next move when its turn comes; a move that was refused is sent again.

    Args:
        fleets: the matches.
        ways: how the moves of each are sent.
    """

    def __init__(self, fleets: Sequence[Fleet], ways: Sequence[Play]) -> None:
        self._ways: Final = {id(fleet): play for fleet, play in zip(fleets, ways, strict=True)}
        self._free: Final = deque((fleet, match_id) for fleet in fleets for match_id in fleet.match_ids)
        self._played: Final = {match_id: 0 for fleet in fleets for match_id in fleet.match_ids}
        self._unclear: Final = set[str]()
        self._fleets: Final = fleets

    def send(self) -> asyncio.Future[Reply] | None:
        """Sends the next move of a match in which none is under way; None if there is no such match."""
        if not self._free:
            return None
        fleet, match_id = self._free.popleft()
        reply = self._ways[id(fleet)](match_id, self._played[match_id])
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
