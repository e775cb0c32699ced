"""A changing call that ends UNAVAILABLE was carried out or was not: repeated, it has one effect and its one outcome."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Coroutine
from dataclasses import dataclass
from functools import partial
from typing import Any

import grpc
import pytest

from artreferee.v1 import classic_art_pb2, error_pb2, match_pb2, ruleset_pb2, service_pb2
from clients.sdk import CallError, Principal, new_request_id
from referee.table.ids import MatchId, match_id_of
from referee.table.ids import Principal as PrincipalHash
from tests.faults.cluster import Cluster, Replica, cluster
from tests.faults.proxy import Fault, Trap
from tests.faults.truth import Truth, truth_of
from tests.faults.wire import Wire
from tests.servers import eventually

HOST, ALICE, BOB, CAROL = (Principal(name * 8) for name in (b"host", b"alic", b"bob!", b"caro"))
WITHIN_S = 20.0
Outcome = tuple[object, ...]
WRITE = b":expiry"  # the name of a key that every write of a match has, and no beat


@dataclass(frozen=True)
class Room:
    """Two replicas, connections to both, and what their store holds."""

    cluster: Cluster
    wire: Wire
    truth: Truth

    async def effect(self, match_id: MatchId) -> Outcome | None:
        """What there is of a match."""
        kept = await self.truth.kept(match_id)
        return None if kept is None else kept.effect()


@pytest.fixture(scope="module")
async def room(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Room]:
    """A room for all tests, each of which has a match of its own; its store knows the script of a write."""
    async with (
        cluster(tmp_path_factory.mktemp("replicas"), 2) as running,
        Wire([replica.front.address for replica in running.replicas]) as wire,
        truth_of(running.store) as truth,
    ):
        room = Room(running, wire, truth)
        for at in range(2):
            await created(room, ALICE, BOB, at=at)
        yield room


def creation(request_id: str, *seats: Principal | None, on_release: bool = False) -> service_pb2.CreateMatchRequest:
    """Asks for a match in which seat 0 begins."""
    return service_pb2.CreateMatchRequest(
        request_id=request_id,
        ruleset="classic_art",
        options=ruleset_pb2.Options(classic_art=classic_art_pb2.ClassicArtOptions(start_seat=0)),
        seats=[service_pb2.SeatRequest(principal_hash=seat.hash if seat else None) for seat in seats],
        disclosure=match_pb2.DISCLOSURE_ON_RELEASE if on_release else match_pb2.DISCLOSURE_AT_END,
    )


async def created(room: Room, *seats: Principal | None, on_release: bool = False, at: int = 0) -> MatchId:
    request = creation(new_request_id(), *seats, on_release=on_release)
    return MatchId((await room.wire.call(at, HOST, "CreateMatch", request, WITHIN_S)).match_id)


async def finished(room: Room, _: str) -> MatchId:
    match_id = await created(room, ALICE, BOB, on_release=True)
    request = service_pb2.ResignRequest(request_id=new_request_id(), match_id=match_id)
    await room.wire.call(0, ALICE, "Resign", request, WITHIN_S)
    return match_id


async def not_yet_created(_: Room, request_id: str) -> MatchId:
    return match_id_of(PrincipalHash(HOST.hash), request_id)


def open_to(*seats: Principal | None) -> Callable[[Room, str], Awaitable[MatchId]]:
    return lambda room, _: created(room, *seats)


async def create(wire: Wire, at: int, match_id: MatchId, request_id: str) -> Outcome:
    """Also tells whether the deal that was promised is the one that there is."""
    answer = await wire.call(at, HOST, "CreateMatch", creation(request_id, ALICE, BOB), WITHIN_S)
    found = await wire.call(at, HOST, "GetMatch", service_pb2.GetMatchRequest(match_id=match_id), WITHIN_S)
    return answer.match_id == match_id, answer.commitment == found.match.commitment


async def join(wire: Wire, at: int, match_id: MatchId, request_id: str) -> Outcome:
    request = service_pb2.JoinMatchRequest(request_id=request_id, match_id=match_id, display_name="Bob")
    answer = await wire.call(at, BOB, "JoinMatch", request, WITHIN_S)
    return answer.seat, answer.version


def submission(match_id: MatchId, request_id: str, move: int) -> service_pb2.SubmitMoveRequest:
    moves = [match_pb2.MoveChoice(id=move)]
    return service_pb2.SubmitMoveRequest(request_id=request_id, match_id=match_id, decision_number=0, moves=moves)


async def submit(wire: Wire, at: int, match_id: MatchId, request_id: str) -> Outcome:
    """Always the same move: seat 0 may begin with any prediction."""
    answer = await wire.call(at, ALICE, "SubmitMove", submission(match_id, request_id, A_PREDICTION), WITHIN_S)
    return answer.version, answer.decision_number


async def submit_over_a_stream(wire: Wire, at: int, match_id: MatchId, request_id: str) -> Outcome:
    moves = [match_pb2.MoveChoice(id=A_PREDICTION)]
    move = service_pb2.PlayMove(request_id=request_id, match_id=match_id, decision_number=0, moves=moves)
    accepted = await wire.play(at, ALICE, move, WITHIN_S)
    return accepted.version, accepted.decision_number


async def submit_illegally(wire: Wire, at: int, match_id: MatchId, request_id: str) -> Outcome:
    with pytest.raises(CallError) as refusal:
        await wire.call(at, ALICE, "SubmitMove", submission(match_id, request_id, CARDS), WITHIN_S)
    if refusal.value.retriable:
        raise refusal.value
    return refusal.value.reason, refusal.value.metadata["move"]


async def resign(wire: Wire, at: int, match_id: MatchId, request_id: str) -> Outcome:
    request = service_pb2.ResignRequest(request_id=request_id, match_id=match_id)
    return ((await wire.call(at, BOB, "Resign", request, WITHIN_S)).version,)


async def release(wire: Wire, at: int, match_id: MatchId, request_id: str) -> Outcome:
    request = service_pb2.ReleaseRecordsRequest(request_id=request_id, match_ids=[match_id])
    [result] = (await wire.call(at, HOST, "ReleaseRecords", request, WITHIN_S)).results
    return result.match_id == match_id, result.reason


@dataclass(frozen=True)
class Mutation:
    """A call that changes something.

    Attributes:
        prepare: makes the match that it is for, given the request id; returns the id that the match has, or will have.
        call: makes the call and returns what its caller hears.
        outcome: what that is.
        effect: what there is of the match afterwards, as `Kept.effect` tells it.
    """

    prepare: Callable[[Room, str], Awaitable[MatchId]]
    call: Callable[[Wire, int, MatchId, str], Coroutine[Any, Any, Outcome]]
    outcome: Outcome
    effect: Outcome


A_PREDICTION, CARDS = 55, 0  # ids of moves of classic_art
IN, OUT = (0, False), (0, True)
ILLEGAL = error_pb2.ERROR_REASON_ILLEGAL_MOVE
RELEASED = error_pb2.ERROR_REASON_UNSPECIFIED

MUTATIONS = {
    "create": Mutation(not_yet_created, create, (True, True), ("ACTIVE", False, 0, (IN, IN), [], {}, {})),
    "join": Mutation(
        open_to(ALICE, None, None), join, (1, 1), ("WAITING", False, 1, (IN, IN, IN), [("JOIN", 1)], {1: 1}, {})
    ),
    "join as the last": Mutation(
        open_to(ALICE, None), join, (1, 1), ("ACTIVE", False, 0, (IN, IN), [("JOIN", 1)], {1: 1}, {})
    ),
    "submit": Mutation(
        open_to(ALICE, BOB), submit, (1, 1), ("ACTIVE", False, 0, ((1, False), IN), [("MOVE", 0)], {0: 1}, {})
    ),
    "submit over a stream": Mutation(
        open_to(ALICE, BOB),
        submit_over_a_stream,
        (1, 1),
        ("ACTIVE", False, 0, ((1, False), IN), [("MOVE", 0)], {0: 1}, {}),
    ),
    "submit illegally": Mutation(
        open_to(ALICE, BOB),
        submit_illegally,
        (ILLEGAL, "0"),
        ("ACTIVE", False, 0, (IN, IN), [], {0: 1}, {0: {"ILLEGAL_MOVE": 1}}),
    ),
    "resign": Mutation(
        open_to(ALICE, BOB, CAROL), resign, (1,), ("ACTIVE", False, 0, (IN, OUT, IN), [("RESIGNATION", 1)], {1: 1}, {})
    ),
    "resign as the last but one": Mutation(
        open_to(ALICE, BOB), resign, (1,), ("FINISHED", False, 0, (IN, OUT), [("RESIGNATION", 1)], {1: 1}, {})
    ),
    "release": Mutation(
        finished, release, (True, RELEASED), ("FINISHED", True, 0, (OUT, IN), [("RESIGNATION", 0)], {-1: 1, 0: 1}, {})
    ),
}


@dataclass(frozen=True)
class Point:
    """Where a call fails.

    Attributes:
        lay: lays the trap for it at a replica.
        commits: whether it has its effect all the same.
    """

    lay: Callable[[Replica, bytes], Trap]
    commits: bool


POINTS = {
    "lost before the server": Point(lambda at, request: at.front.trap(Fault.CUT, request), commits=False),
    "lost before the store": Point(lambda at, _: at.back.trap(Fault.CUT, WRITE), commits=False),
    "the store's reply lost": Point(lambda at, _: at.back.trap(Fault.SWALLOW, WRITE), commits=True),
    "the server's answer lost": Point(lambda at, request: at.front.trap(Fault.SWALLOW, request), commits=True),
}


@pytest.mark.parametrize("mutation", MUTATIONS.values(), ids=MUTATIONS.keys())
@pytest.mark.parametrize("point", POINTS.values(), ids=POINTS.keys())
@pytest.mark.parametrize("retry_at", [0, 1], ids=["same replica", "other replica"])
async def test_a_call_repeated_after_unavailable_has_one_effect_and_its_outcome(
    room: Room, mutation: Mutation, point: Point, retry_at: int
) -> None:
    request_id = new_request_id()
    match_id = await mutation.prepare(room, request_id)
    before = await room.effect(match_id)

    trap = point.lay(room.cluster.replicas[0], request_id.encode())
    async with asyncio.timeout(WITHIN_S):
        failing = asyncio.create_task(mutation.call(room.wire, 0, match_id, request_id))
        await trap.sprung.wait()
        if point.commits:
            await eventually(lambda: has(room, match_id, mutation.effect))
            trap.cut()
        with pytest.raises(CallError) as failure:
            await failing
    assert failure.value.code == grpc.StatusCode.UNAVAILABLE
    assert await room.effect(match_id) == (mutation.effect if point.commits else before)

    for at in (retry_at, 1 - retry_at):
        repeated = partial(answered, partial(mutation.call, room.wire, at, match_id, request_id))
        assert await eventually(repeated) == [mutation.outcome]
        assert await room.effect(match_id) == mutation.effect


async def answered(call: Callable[[], Awaitable[Outcome]]) -> list[Outcome]:
    """Returns the outcome of a call; nothing if the connection was still on its way out."""
    try:
        return [await call()]
    except CallError as error:
        if error.code is not grpc.StatusCode.UNAVAILABLE:
            raise
        return []


async def has(room: Room, match_id: MatchId, effect: Outcome) -> bool:
    return await room.effect(match_id) == effect
