"""How fast the service is: prepared moves through gRPC and the store, beside the floor of the same run."""

import asyncio
import random
import secrets
import time
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from typing import Final

import grpc

from artreferee.v1 import match_pb2, service_pb2
from clients.sdk import Principal, RefereeClient
from loadtest import floor
from loadtest.processes import cpu_seconds
from referee.core.game import AnyGame

_SUBMIT: Final = "/artreferee.v1.RefereeService/SubmitMove"
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
    """A match that exists, and the requests that play its first moves."""

    match_id: str
    requests: tuple[bytes, ...]


async def measure_floor(address: str, pid: int, flight: int, calls: int) -> Sample:
    """Measures the floor with `flight` callers that each wait for their answer."""
    async with grpc.aio.insecure_channel(address) as channel:
        method: Callable[..., Awaitable[bytes]] = channel.unary_unary(floor.METHOD)
        slots = [secrets.token_bytes(4) + bytes(floor.REQUEST_BYTES - 4) for _ in range(flight)]
        await asyncio.gather(*(method(slot) for slot in slots))
        return await _drive(method, pid, [[slot] * (calls // flight) for slot in slots])


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

            sample = await _drive(call, pid, [script.requests for script in scripts])
        counted = [(await client.get_match(script.match_id, 0)).version for script in scripts]
    sent = [len(script.requests) for script in scripts]
    if counted != sent:
        raise RuntimeError(f"the referee counts {sum(counted)} moves, {sum(sent)} were sent")
    return sample


async def _drive(call: Call, pid: int, queues: Sequence[Sequence[bytes]]) -> Sample:
    took: list[float] = []

    async def play(requests: Sequence[bytes]) -> None:
        for request in requests:
            start = time.perf_counter()
            await call(request)
            took.append(time.perf_counter() - start)

    cpu, start = cpu_seconds(pid), time.perf_counter()
    await asyncio.gather(*(play(requests) for requests in queues))
    wall, cpu = time.perf_counter() - start, cpu_seconds(pid) - cpu
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
        choices = _random_moves(game, seats, seed, moves)
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
    requests = []
    for place, (seat, move) in enumerate(choices):
        request = service_pb2.SubmitMoveRequest(
            request_id=f"bench-{place}",
            match_id=match_id,
            seat=seat,
            decision_number=decisions[seat],
            moves=[match_pb2.MoveChoice(id=move)],
            detail=detail,
        )
        requests.append(request.SerializeToString())
        decisions[seat] += 1
    return Script(match_id, tuple(requests))


def _random_moves(game: AnyGame, seats: int, seed: bytes, most: int) -> list[tuple[int, int]]:
    rng = random.Random(seed)
    state = game.setup(game.options({}, seats), seats, seed)
    choices = list[tuple[int, int]]()
    while len(choices) < most and (due := game.to_act(state)):
        move = rng.choice(game.legal_moves(state, due[0]))
        choices.append((due[0], move))
        game.play(state, due[0], move)
    return choices
