"""Many matches of one deal, and the requests that play them, so that one preparation serves them all."""

import asyncio
import sys
from collections.abc import Awaitable, Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Final, Self, TypeVar

import grpc

from artreferee.v1 import match_pb2, service_pb2
from clients.sdk import Principal
from loadtest.http2 import Connection, Reply, Told, head_of
from loadtest.processes import cpu_seconds
from loadtest.service import random_moves
from referee.core.game import AnyGame

ItemT = TypeVar("ItemT")
_SERVICE: Final = "/artreferee.v1.RefereeService"
_AT_ONCE: Final = 64
_ASKS_AGAIN_S: Final = 1.0
_SEEDS: Final = [number.to_bytes(32, "big") for number in range(8)]


class Caller:
    """A principal that calls over one connection."""

    def __init__(self, connection: Connection, address: str, principal: Principal | None = None) -> None:
        self.principal: Final = principal or Principal.new()
        self._connection: Final = connection
        self._heads: Final = {
            method: head_of(f"{_SERVICE}/{method}", address, self.principal.token)
            for method in ("CreateMatch", "GetMatch", "SubmitMove", "WatchMatch", "Play")
        }

    def call(self, method: str, request: bytes, told: Told | None = None) -> asyncio.Future[Reply]:
        """Sends a call; `told` gets its messages."""
        return self._connection.call(self._heads[method], request, told)

    def open(self, method: str, told: Told) -> Callable[[bytes], None]:
        """Opens a call whose requests come one by one; returns what sends them."""
        return self._connection.open(self._heads[method], told)

    async def answered(self, method: str, request: bytes) -> Reply:
        """Sends a call and waits for its answer; asks again while the referee has too much to do.

        Raises:
            RuntimeError: it is an error.
        """
        reply = await self.call(method, request)
        while reply.code is grpc.StatusCode.RESOURCE_EXHAUSTED:
            await asyncio.sleep(_ASKS_AGAIN_S)
            reply = await self.call(method, request)
        if reply.code is not grpc.StatusCode.OK:
            raise RuntimeError(f"{method} was answered by {reply.code.name}")
        return reply

    def leave(self) -> None:
        """Ends the connection."""
        self._connection.close()


@dataclass(frozen=True, slots=True)
class Fleet:
    """Matches that are all dealt and played alike; all seats are the caller's.

    Attributes:
        caller: who has created them.
        match_ids: the matches.
        choices: seat, decision and move, from first to last.
        detail: how much of the match each answer shows.
    """

    caller: Caller
    match_ids: Sequence[str]
    choices: Sequence[tuple[int, int, int]]
    detail: match_pb2.Detail.ValueType

    @classmethod
    async def create(
        cls,
        caller: Caller,
        game: AnyGame,
        seats: int,
        matches: int,
        detail: match_pb2.Detail.ValueType = match_pb2.DETAIL_IDS,
    ) -> Self:
        """Creates the matches."""
        seat = service_pb2.SeatRequest(principal_hash=caller.principal.hash)
        seed, choices = short_play(game, seats)
        creation = service_pb2.CreateMatchRequest(ruleset=game.spec.name, seed=seed, seats=[seat] * seats)
        match_ids = list[str]()

        async def create(number: int) -> None:
            request = service_pb2.CreateMatchRequest(request_id=f"{game.spec.name}-{number}")
            request.MergeFrom(creation)
            reply = await caller.answered("CreateMatch", request.SerializeToString())
            match_ids.append(service_pb2.CreateMatchResponse.FromString(reply.message).match_id)

        await some_at_once(create, range(matches))
        return cls(caller, match_ids, choices, detail)

    def request(self, match_id: str, place: int) -> bytes:
        """Returns the request that plays a move."""
        seat, decision, move = self.choices[place]
        return service_pb2.SubmitMoveRequest(
            request_id=f"load-{place}",
            match_id=match_id,
            seat=seat,
            decision_number=decision,
            moves=[match_pb2.MoveChoice(id=move)],
            detail=self.detail,
        ).SerializeToString()

    def move(self, match_id: str, place: int) -> service_pb2.PlayMove:
        """Returns the move for a Play stream."""
        seat, decision, move = self.choices[place]
        return service_pb2.PlayMove(
            request_id=f"load-{place}",
            match_id=match_id,
            seat=seat,
            decision_number=decision,
            moves=[match_pb2.MoveChoice(id=move)],
        )

    async def play(self, start: int, stop: int, at_once: int = 16) -> None:
        """Plays the moves from `start` to before `stop` in each match, in so many at once.

        Raises:
            RuntimeError: one was refused.
        """

        async def play(match_id: str) -> None:
            for place in range(start, stop):
                await self.caller.answered("SubmitMove", self.request(match_id, place))

        await some_at_once(play, self.match_ids, at_once)

    async def cost(self, pid: int, start: int, stop: int, at_once: int = 16) -> float:
        """Plays moves; returns the processor time in us that a process used for each."""
        before = cpu_seconds(pid)
        await self.play(start, stop, at_once)
        return (cpu_seconds(pid) - before) * 1e6 / (len(self.match_ids) * (stop - start))

    async def versions(self) -> dict[str, int]:
        """Returns how many moves the referee counts in each match."""
        versions = dict[str, int]()

        async def read(match_id: str) -> None:
            request = service_pb2.GetMatchRequest(match_id=match_id, seat=0, detail=match_pb2.DETAIL_NONE)
            reply = await self.caller.answered("GetMatch", request.SerializeToString())
            versions[match_id] = service_pb2.GetMatchResponse.FromString(reply.message).match.version

        await some_at_once(read, self.match_ids)
        return versions


def short_play(game: AnyGame, seats: int) -> tuple[bytes, list[tuple[int, int, int]]]:
    """Returns a seed, and seat, decision and move of a whole match of it, played at random; the shortest of some."""
    seed, moves = min(
        ((seed, random_moves(game, seats, seed, sys.maxsize)) for seed in _SEEDS), key=lambda it: len(it[1])
    )
    decisions, choices = [0] * seats, list[tuple[int, int, int]]()
    for seat, move in moves:
        choices.append((seat, decisions[seat], move))
        decisions[seat] += 1
    return seed, choices


async def some_at_once(act: Callable[[ItemT], Awaitable[None]], items: Iterable[ItemT], most: int = _AT_ONCE) -> None:
    """Does something with each item, with so many at the same time."""
    queue = iter(items)

    async def worker() -> None:
        for item in queue:
            await act(item)

    await asyncio.gather(*(worker() for _ in range(most)))
