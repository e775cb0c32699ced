"""How fast the service is: prepared moves through gRPC and the store, beside the floor of the same run."""

import asyncio
import random
import secrets
import time
from collections import deque
from collections.abc import Awaitable, Callable, Iterable, Sequence
from contextlib import AsyncExitStack
from dataclasses import dataclass
from typing import Any, Final, Self

import grpc

from artreferee.v1 import match_pb2, service_pb2
from clients.sdk import Principal, RefereeClient
from loadtest import floor
from loadtest.processes import cpu_seconds
from referee.core.game import AnyGame

_SUBMIT: Final = "/artreferee.v1.RefereeService/SubmitMove"
_PLAY: Final = "/artreferee.v1.RefereeService/Play"
_STREAMS: Final = 4
Call = Callable[[bytes], Awaitable[bytes]]


@dataclass(frozen=True, slots=True)
class Sample:
    """One measurement: calls a second, latency in ms (closed loop), and the server's processor time a call in us."""

    calls_s: float
    p50_ms: float
    p99_ms: float
    cpu_us: float


@dataclass(frozen=True, slots=True)
class Script:
    """A match that exists, and the requests that play its first moves, as messages of SubmitMove."""

    match_id: str
    moves: tuple[service_pb2.SubmitMoveRequest, ...]


async def measure_floor(address: str, pid: int, flight: int, calls: int) -> Sample:
    """Measures the floor with `flight` callers that each wait for their answer."""
    async with grpc.aio.insecure_channel(address) as channel:
        method: Callable[..., Awaitable[bytes]] = channel.unary_unary(floor.METHOD)
        slots = [secrets.token_bytes(4) + bytes(floor.REQUEST_BYTES - 4) for _ in range(flight)]
        await asyncio.gather(*(method(slot) for slot in slots))
        return await _drive(method, pid, [[slot] * (calls // flight) for slot in slots])


async def measure_stream_floor(address: str, pid: int, flight: int, calls: int) -> Sample:
    """Measures the floor over a few streams, with `flight` requests on their way."""
    async with AsyncExitStack() as stack:
        streams, took = min(flight, _STREAMS), list[float]()
        channels = [await stack.enter_async_context(grpc.aio.insecure_channel(address)) for _ in range(streams)]

        async def echo(channel: grpc.aio.Channel) -> None:
            stream: Any = channel.stream_stream(floor.STREAM)()
            slots = deque(secrets.token_bytes(4) + bytes(floor.REQUEST_BYTES - 4) for _ in range(flight // streams))
            began, left = deque[float](), calls // streams - len(slots)
            for slot in slots:
                began.append(time.perf_counter())
                await stream.write(slot)
            while began:
                await stream.read()
                took.append(time.perf_counter() - began.popleft())
                if left > 0:
                    left -= 1
                    began.append(time.perf_counter())
                    await stream.write(slots[0])
                    slots.rotate(-1)
            await stream.done_writing()

        method: Callable[..., Awaitable[bytes]] = channels[0].unary_unary(floor.METHOD)
        await method(bytes(floor.REQUEST_BYTES))  # the store knows the script from here
        cpu, start = cpu_seconds(pid), time.perf_counter()
        await asyncio.gather(*map(echo, channels))
        return _sample(took, time.perf_counter() - start, cpu_seconds(pid) - cpu)


async def measure_moves(
    address: str, pid: int, game: AnyGame, flight: int, moves: int, detail: match_pb2.Detail.ValueType
) -> Sample:
    """Measures `flight` matches at once, one SubmitMove a move.

    Raises:
        RuntimeError: the referee does not count as many moves as were sent.
    """
    async with RefereeClient(address) as client:
        scripts = await _prepare(client, game, flight, moves // flight, detail)
        metadata = (("authorization", f"Bearer {client.principal.token}"),)
        async with grpc.aio.insecure_channel(address) as channel:
            method: Callable[..., Awaitable[bytes]] = channel.unary_unary(_SUBMIT)

            def call(request: bytes) -> Awaitable[bytes]:
                return method(request, metadata=metadata)

            sample = await _drive(
                call, pid, [[move.SerializeToString() for move in script.moves] for script in scripts]
            )
        await _compare(client, scripts)
    return sample


async def measure_play(
    address: str, pid: int, game: AnyGame, flight: int, moves: int, detail: match_pb2.Detail.ValueType
) -> Sample:
    """Measures `flight` matches at once over a few Play streams, each match with one move on its way.

    Raises:
        RuntimeError: the referee does not count as many moves as were sent.
    """
    async with AsyncExitStack() as stack:
        clients = [await stack.enter_async_context(RefereeClient(address)) for _ in range(min(flight, _STREAMS))]
        shares = [await _prepare(client, game, flight // len(clients), moves // flight, detail) for client in clients]
        channels = [await stack.enter_async_context(grpc.aio.insecure_channel(address)) for _ in clients]
        conversations = [
            await _Conversation.open(channel, client.principal, detail, scripts)
            for channel, client, scripts in zip(channels, clients, shares, strict=True)
        ]
        cpu, start = cpu_seconds(pid), time.perf_counter()
        played = await asyncio.gather(*(conversation.play() for conversation in conversations))
        sample = _sample(
            [latency for took in played for latency in took], time.perf_counter() - start, cpu_seconds(pid) - cpu
        )
        for client, scripts in zip(clients, shares, strict=True):
            await _compare(client, scripts)
    return sample


class _Conversation:
    """A Play stream on which matches are played by their scripts."""

    def __init__(self, stream: Any, scripts: Sequence[Script]) -> None:
        self._stream: Final = stream
        self._moves: Final = {script.match_id: iter([_played(move) for move in script.moves]) for script in scripts}
        self._count: Final = sum(len(script.moves) for script in scripts)

    @classmethod
    async def open(
        cls,
        channel: grpc.aio.Channel,
        principal: Principal,
        detail: match_pb2.Detail.ValueType,
        scripts: Sequence[Script],
    ) -> Self:
        """Opens it and waits until it has told of all matches."""
        stream: Any = channel.stream_stream(_PLAY)(metadata=(("authorization", f"Bearer {principal.token}"),))
        await stream.write(service_pb2.PlayRequest(detail=detail).SerializeToString())
        conversation, asked = cls(stream, scripts), set[str]()
        while len(asked) < len(scripts):
            asked.update(match.match_id for match in (await conversation._told()).asked)
        return conversation

    async def play(self) -> list[float]:
        """Sends the next move of each match as soon as its last one is answered; returns the latencies in s."""
        took, began = list[float](), dict[str, float]()
        ready: Iterable[str] = self._moves
        while len(took) < self._count:
            moves = [move for match_id in ready if (move := next(self._moves[match_id], None)) is not None]
            if moves:
                now = time.perf_counter()
                began.update((move.match_id, now) for move in moves)
                await self._stream.write(service_pb2.PlayRequest(moves=moves).SerializeToString())
            ready = [outcome.match_id for outcome in (await self._told()).outcomes]
            now = time.perf_counter()
            took += [now - began[match_id] for match_id in ready]
        return took

    async def _told(self) -> service_pb2.PlayResponse:
        raw = await self._stream.read()
        if not isinstance(raw, bytes):
            raise RuntimeError("a stream has ended")  # noqa: TRY004 - it is no fault of a type
        return service_pb2.PlayResponse.FromString(raw)


def _played(move: service_pb2.SubmitMoveRequest) -> service_pb2.PlayMove:
    return service_pb2.PlayMove(
        request_id=move.request_id,
        match_id=move.match_id,
        seat=move.seat,
        decision_number=move.decision_number,
        moves=move.moves,
    )


async def _compare(client: RefereeClient, scripts: Sequence[Script]) -> None:
    counted = [(await client.get_match(script.match_id, 0)).version for script in scripts]
    sent = [len(script.moves) for script in scripts]
    if counted != sent:
        raise RuntimeError(f"the referee counts {sum(counted)} moves, {sum(sent)} were sent")


async def _drive(call: Call, pid: int, queues: Sequence[Sequence[bytes]]) -> Sample:
    took: list[float] = []

    async def play(requests: Sequence[bytes]) -> None:
        for request in requests:
            start = time.perf_counter()
            await call(request)
            took.append(time.perf_counter() - start)

    cpu, start = cpu_seconds(pid), time.perf_counter()
    await asyncio.gather(*(play(requests) for requests in queues))
    return _sample(took, time.perf_counter() - start, cpu_seconds(pid) - cpu)


def _sample(took: list[float], wall: float, cpu: float) -> Sample:
    took.sort()
    count = len(took)
    return Sample(count / wall, took[count // 2] * 1e3, took[count * 99 // 100] * 1e3, cpu / count * 1e6)


async def _prepare(
    client: RefereeClient, game: AnyGame, matches: int, moves: int, detail: match_pb2.Detail.ValueType
) -> list[Script]:
    return [
        await _script(client, game, game.spec.seats[number % len(game.spec.seats)], moves, detail)
        for number in range(matches)
    ]


async def _script(
    client: RefereeClient, game: AnyGame, seats: int, moves: int, detail: match_pb2.Detail.ValueType
) -> Script:
    """Creates a match from a known seed whose random play lasts long enough, and prepares its moves."""
    for number in range(1000):
        seed = number.to_bytes(32, "big")
        choices = random_moves(game, seats, seed, moves)
        if len(choices) == moves:
            break
    principal: Principal = client.principal
    creation = service_pb2.CreateMatchRequest(
        ruleset=game.spec.name,
        seed=seed,
        seats=[service_pb2.SeatRequest(principal_hash=principal.hash)] * seats,
    )
    match_id = (await client.create_match(creation)).match_id
    decisions = [0] * seats
    requests = list[service_pb2.SubmitMoveRequest]()
    for place, (seat, move) in enumerate(choices):
        request = service_pb2.SubmitMoveRequest(
            request_id=f"bench-{place}",
            match_id=match_id,
            seat=seat,
            decision_number=decisions[seat],
            moves=[match_pb2.MoveChoice(id=move)],
            detail=detail,
        )
        requests.append(request)
        decisions[seat] += 1
    return Script(match_id, tuple(requests))


def random_moves(game: AnyGame, seats: int, seed: bytes, most: int) -> list[tuple[int, int]]:
    """Returns seat and move of random play from its beginning, as many as there are or as wanted."""
    rng = random.Random(seed)
    state = game.setup(game.options({}, seats), seats, seed)
    choices = list[tuple[int, int]]()
    while len(choices) < most and (due := game.to_act(state)):
        move = rng.choice(game.legal_moves(state, due[0]))
        choices.append((due[0], move))
        game.play(state, due[0], move)
    return choices
