"""A seed is told by the record of a match that is over and released, and by nothing else."""

import asyncio
from collections.abc import Iterator
from typing import Any, Final

import grpc
import pytest
from google.protobuf.message import Message

from artreferee.v1 import match_pb2, service_pb2
from tests.api.calls import create, seat_calls, sized
from tests.api.harness import HOST, SEATS, SPECTATOR, Referee
from tests.api.recorded import NO_SEED, SEED, found

CANARY: Final = {"seed": SEED}


def after_the_end(match_id: str) -> Iterator[tuple[str, Message]]:
    """Every call that speaks of a match."""
    for detail in match_pb2.Detail.values():
        yield "GetMatch", service_pb2.GetMatchRequest(match_id=match_id, detail=detail)
        yield "WatchMatch", service_pb2.WatchMatchRequest(match_id=match_id, detail=detail)
    yield "WatchMatch", service_pb2.WatchMatchRequest(match_id=match_id, after_version=0)
    yield "ListMatches", service_pb2.ListMatchesRequest()
    yield "ListMatches", service_pb2.ListMatchesRequest(mine=True)
    yield "JoinMatch", service_pb2.JoinMatchRequest(match_id=match_id, request_id="join")
    yield "GetRecord", service_pb2.GetRecordRequest(match_id=match_id)
    yield from seat_calls(match_id, None)


async def test_a_seed_that_waits_for_release_is_told_by_the_released_record_alone(referee: Referee) -> None:
    """Not to the host who gave it either, nor in the words that end the match."""
    request = create(seed=SEED, disclosure=match_pb2.DISCLOSURE_ON_RELEASE)
    for seat, secret in zip(request.seats, SEATS, strict=False):
        seat.principal_hash = secret.hash
    host, first, second, spectator = callers = [referee.caller(secret) for secret in (HOST, *SEATS[:2], SPECTATOR)]
    match_id = (await host.ask("CreateMatch", request)).match_id
    watch = service_pb2.WatchMatchRequest(match_id=match_id)
    listening = [asyncio.create_task(caller.watch(watch).rest()) for caller in callers]
    await first.ask("Resign", service_pb2.ResignRequest(match_id=match_id, request_id="resign"))
    for caller in callers:
        for method, question in after_the_end(match_id):
            await caller.call(method, question)
    release = service_pb2.ReleaseRecordsRequest(match_ids=[match_id], request_id="release")
    for caller in (first, second, spectator, host):
        await caller.ask("ReleaseRecords", release)
    assert [end.code for end in await asyncio.gather(*listening)] == [grpc.StatusCode.OK] * 4
    assert found(CANARY, b"\n".join(part for caller in callers for part in caller.heard)) == []
    record = await spectator.call("GetRecord", service_pb2.GetRecordRequest(match_id=match_id))
    assert found(CANARY, record.messages[0]) == ["seed"]


REFUSED: Final[dict[str, dict[str, Any]]] = {
    "a short seed": {"seed": SEED[:-1]},
    "a long seed": {"seed": SEED + b"!"},
    "no such ruleset": {"ruleset": "-chess"},
    "a bad name": {"deal_group": "a\nb"},
    "no such disclosure": {"disclosure": 9},
}


@pytest.mark.parametrize("changes", REFUSED.values(), ids=REFUSED.keys())
async def test_a_refused_creation_does_not_repeat_its_seed(shared: Referee, changes: dict[str, Any]) -> None:
    request = create(**{"seed": SEED, **changes})
    reply = await shared.caller(HOST).call("CreateMatch", request)
    assert reply.code == grpc.StatusCode.INVALID_ARGUMENT
    assert found({"seed": request.seed}, b"\n".join(reply.heard())) == []


async def test_a_creation_under_a_used_request_id_tells_neither_seed(shared: Referee) -> None:
    first, second = sized(2), sized(2)
    first.seed, second.seed = SEED, NO_SEED
    host = shared.caller(HOST)
    await host.ask("CreateMatch", first)
    assert (await host.call("CreateMatch", second)).reason == "REQUEST_ID_REUSED"
    assert found({"first": SEED, "second": NO_SEED}, b"\n".join(host.heard)) == []
