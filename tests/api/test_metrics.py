"""What is counted, and what is documented of it."""

import re
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Final

import grpc
import pytest

from artreferee.v1 import match_pb2, service_pb2
from referee.api.metrics import Metrics
from referee.table.store import StoreUnavailableError
from tests.api.exposition import Series, label_values, values_of
from tests.api.faults import by_id, submission
from tests.api.harness import HOST, SEATS, SPECTATOR, Planted, Referee, planted
from tests.games.classic_art.build import season
from tests.games.classic_art.moves import PASS
from tests.servers import eventually

DOCUMENT: Final = Path(__file__).parents[2] / "deploy" / "metrics.md"


@pytest.fixture
def metrics() -> Metrics:
    return Metrics()


@pytest.fixture
async def counting(metrics: Metrics) -> AsyncIterator[Referee]:
    """A referee that counts."""
    async with Referee(observer=metrics) as running:
        yield running


def values(metrics: Metrics, name: str) -> Series:
    return values_of(metrics.exposition().decode(), f"referee_{name}")


async def become(metrics: Metrics, name: str, expected: Series) -> None:
    """Waits until that is counted: the end of a stream whose caller goes away."""

    async def are_so() -> bool:
        return values(metrics, name) == expected

    await eventually(are_so)


async def plant(referee: Referee, name: str) -> Planted:
    match = planted(name, season(2))
    await referee.plant(match)
    return match


def documented() -> dict[str, frozenset[str]]:
    rows = re.findall(r"^\| `(\w+)` \| ([\w`, ]*)\|", DOCUMENT.read_text(), re.MULTILINE)
    return {name: frozenset(re.findall(r"`(\w+)`", labels)) for name, labels in rows}


async def test_calls_are_counted_by_method_and_code(counting: Referee, metrics: Metrics, name: str) -> None:
    match = await plant(counting, name)
    seen = service_pb2.GetMatchRequest(match_id=match.match_id)
    for _ in range(2):
        await counting.caller(SPECTATOR).ask("GetMatch", seen)
    await counting.caller(None).call("GetMatch", seen)
    await counting.caller(SPECTATOR).call("GetRecord", service_pb2.GetRecordRequest(match_id=match.match_id))
    counts = {
        ("OK", "GetMatch"): 2,
        ("UNAUTHENTICATED", "GetMatch"): 1,
        ("FAILED_PRECONDITION", "GetRecord"): 1,
    }
    assert values(metrics, "calls_total") == counts
    assert values(metrics, "call_duration_seconds_count") == {("GetMatch",): 3, ("GetRecord",): 1}
    assert values(metrics, "refusals_total") == {("PRINCIPAL_MISSING",): 1, ("MATCH_NOT_OVER",): 1}


async def test_a_move_is_counted_once_however_often_it_is_sent(counting: Referee, metrics: Metrics, name: str) -> None:
    """By the way in which it came first; what was refused is not among the moves."""
    match = await plant(counting, name)
    for _ in range(3):
        await counting.caller(SEATS[0]).ask("SubmitMove", submission(match.match_id, [by_id(PASS)]))
    await counting.caller(SEATS[0]).call("SubmitMove", submission(match.match_id, [by_id(PASS)], request_id="late"))
    stream = counting.caller(SEATS[1]).play()
    move = service_pb2.PlayMove(request_id="r", match_id=match.match_id, moves=[by_id(PASS)])
    stale = service_pb2.PlayMove(request_id="s", match_id=match.match_id, decision_number=7, moves=[by_id(PASS)])
    await stream.say(service_pb2.PlayRequest(moves=[move, move, stale]))
    await stream.end()
    await stream.rest()
    assert values(metrics, "moves_total") == {("classic_art", "unary"): 1, ("classic_art", "play"): 1}
    assert values(metrics, "refusals_total") == {("STALE_DECISION",): 2}


async def test_open_streams_are_counted_until_they_end(counting: Referee, metrics: Metrics, name: str) -> None:
    """A stream whose caller goes away has ended too."""
    match = await plant(counting, name)
    request = service_pb2.WatchMatchRequest(match_id=match.match_id)
    streams = [counting.caller(SPECTATOR).watch(request) for _ in range(2)]
    for stream in streams:
        await stream.read()
    assert values(metrics, "streams_open") == {("WatchMatch",): 2}
    for stream in streams:
        stream.cancel()
    await become(metrics, "streams_open", {("WatchMatch",): 0})
    await become(metrics, "calls_total", {("CANCELLED", "WatchMatch"): 2})


async def test_matches_are_counted_when_they_are_created_and_when_they_end(counting: Referee, metrics: Metrics) -> None:
    """Once each, although the calls are repeated."""
    creation = service_pb2.CreateMatchRequest(request_id="c", ruleset="artsee")
    for secret in SEATS[:2]:
        creation.seats.add(principal_hash=secret.hash)
    for _ in range(2):
        match_id = (await counting.caller(HOST).ask("CreateMatch", creation)).match_id
        resignation = service_pb2.ResignRequest(request_id="r", match_id=match_id)
        await counting.caller(SEATS[0]).ask("Resign", resignation)
    assert values(metrics, "matches_created_total") == {("artsee",): 1}
    assert values(metrics, "matches_finished_total") == {("LAST_SEAT", "artsee"): 1}


async def test_conflicts_and_what_the_cache_was_good_for(counting: Referee, metrics: Metrics, name: str) -> None:
    """A write that another one came before is a conflict each time that it is tried."""
    match = await plant(counting, name)
    counting.shelf.contended = True
    reply = await counting.caller(SEATS[0]).call("SubmitMove", submission(match.match_id, [by_id(PASS)]))
    assert reply.reason == "CONTENTION"
    assert values(metrics, "write_conflicts_total") == {(): 16}
    assert values(metrics, "cache_lookups_total") == {("miss",): 1}
    counting.shelf.contended = False
    await counting.caller(SEATS[0]).ask("SubmitMove", submission(match.match_id, [by_id(PASS)]))
    assert values(metrics, "cache_lookups_total") == {("miss",): 1, ("hit",): 1}


async def test_a_store_that_does_not_answer_is_a_refusal(counting: Referee, metrics: Metrics, name: str) -> None:
    match = await plant(counting, name)
    counting.shelf.fault = StoreUnavailableError("away")
    seen = service_pb2.GetMatchRequest(match_id=match.match_id)
    assert (await counting.caller(SPECTATOR).call("GetMatch", seen)).code == grpc.StatusCode.UNAVAILABLE
    assert values(metrics, "calls_total") == {("UNAVAILABLE", "GetMatch"): 1}
    assert values(metrics, "refusals_total") == {("STORE_UNAVAILABLE",): 1}


async def test_whoever_sends_nonsense_makes_no_series(counting: Referee, metrics: Metrics) -> None:
    """Labels come from the contract alone."""
    caller = counting.caller(SPECTATOR)
    await caller.call("CreateMatch", service_pb2.CreateMatchRequest(request_id="c", ruleset="chess"))
    await caller.call("GetMatch", service_pb2.GetMatchRequest(match_id="no such match", detail=match_pb2.DETAIL_NONE))
    await caller.call("GetMatch", b"\xff")
    words = label_values(metrics.exposition().decode())
    assert {word for word in words if "chess" in word or "such" in word} == set()
    assert values(metrics, "refusals_total") == {
        ("UNKNOWN_RULESET",): 1,
        ("INVALID_FIELD",): 1,
        ("MALFORMED_REQUEST",): 1,
    }
