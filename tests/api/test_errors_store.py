"""Faults that are not the caller's: the store, what it holds, other writers, and the service itself."""

import asyncio
import logging
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Final

import msgspec
import pytest
from google.protobuf.message import Message

from artreferee.v1 import classic_art_pb2 as pb
from artreferee.v1 import error_pb2, match_pb2, service_pb2
from referee.games.classic_art.state import Phase
from referee.store.memory import MemoryStore
from referee.table.ids import MatchId
from referee.table.store import Stored, StoreUnavailableError
from tests.api.calls import create
from tests.api.faults import assert_refused, by_id, nothing_changes, submission
from tests.api.harness import HOST, SEATS, SPECTATOR, Planted, Referee, Secret, planted
from tests.games.classic_art.build import season
from tests.games.classic_art.moves import ETCHING, PASS, PORTRAIT, art, loans, pair

WORDS: Final = "a text that nobody may read"


def calls_to_the_store(match_id: str) -> Iterator[tuple[str, Message]]:
    """Every call but ListRulesets, made by seat 0 and well."""
    yield "CreateMatch", create(request_id="new")
    yield "JoinMatch", service_pb2.JoinMatchRequest(request_id="join", match_id=match_id)
    yield "GetMatch", service_pb2.GetMatchRequest(match_id=match_id)
    yield "ListMatches", service_pb2.ListMatchesRequest()
    yield "ListMatches", service_pb2.ListMatchesRequest(mine=True)
    yield "SubmitMove", submission(match_id, [by_id(PASS)], "move")
    yield "Resign", service_pb2.ResignRequest(request_id="resign", match_id=match_id)
    yield "WatchMatch", service_pb2.WatchMatchRequest(match_id=match_id)
    yield "Play", service_pb2.PlayRequest(unfinished_match_ids=[match_id])
    yield "GetRecord", service_pb2.GetRecordRequest(match_id=match_id)
    yield "ReleaseRecords", service_pb2.ReleaseRecordsRequest(request_id="release", match_ids=[match_id])


async def waiting(referee: Referee, name: str) -> Planted:
    """A match in which seat 0 decides, planted."""
    match = planted(name, season(2))
    await referee.plant(match)
    return match


async def test_a_store_that_does_not_answer(referee: Referee, name: str) -> None:
    """Every call that needs it is UNAVAILABLE and may be repeated; afterwards all goes on."""
    match = await waiting(referee, name)
    player = referee.caller(SEATS[0])
    async with nothing_changes(referee, match.match_id):
        referee.shelf.fault = StoreUnavailableError(WORDS)
        for method, request in calls_to_the_store(match.match_id):
            reply = await player.call(method, request)
            assert_refused(reply, "STORE_UNAVAILABLE")
            assert WORDS not in str(reply)
        assert (await player.call("ListRulesets", b"")).reason == "OK"
        referee.shelf.fault = None
    assert (await player.call("SubmitMove", submission(match.match_id, [by_id(PASS)], "move"))).reason == "OK"


async def test_a_store_that_fails_under_a_stream_ends_it(referee: Referee, name: str) -> None:
    match = await waiting(referee, name)
    stream = referee.caller(SPECTATOR).watch(service_pb2.WatchMatchRequest(match_id=match.match_id))
    await stream.read()
    referee.shelf.fault_after_writes = StoreUnavailableError(WORDS)
    await referee.caller(SEATS[0]).ask("SubmitMove", submission(match.match_id, [by_id(PASS)]))
    end = await stream.rest()
    assert_refused(replace(end, messages=()), "STORE_UNAVAILABLE")
    assert end.messages == ()


async def test_a_fault_of_the_service_is_logged_and_not_told(
    referee: Referee, name: str, caplog: pytest.LogCaptureFixture
) -> None:
    match = await waiting(referee, name)
    player = referee.caller(SEATS[0])
    async with nothing_changes(referee, match.match_id):
        referee.shelf.fault = RuntimeError(WORDS)
        for method, request in calls_to_the_store(match.match_id):
            caplog.clear()
            reply = await player.call(method, request)
            assert_refused(reply, "INTERNAL")
            assert WORDS not in str(reply)
            faults = [record for record in caplog.records if record.getMessage() == "a fault of the service"]
            [logged] = faults  # others may come from whatever keeps the time meanwhile
            assert logged.levelno == logging.ERROR
            assert logged.exc_info is not None
            assert str(logged.exc_info[1]) == WORDS
        referee.shelf.fault = None
    assert (await player.call("SubmitMove", submission(match.match_id, [by_id(PASS)], "move"))).reason == "OK"


async def test_writers_that_are_always_faster(referee: Referee, name: str) -> None:
    """Retried a bounded number of times, then ABORTED; the same call goes through when the others have stopped."""
    match = await waiting(referee, name)
    player = referee.caller(SEATS[0])
    move = submission(match.match_id, [by_id(PASS)], "move")
    referee.shelf.contended = True
    async with nothing_changes(referee, match.match_id):
        assert_refused(await player.call("SubmitMove", move), "CONTENTION")
        resign = service_pb2.ResignRequest(request_id="resign", match_id=match.match_id)
        assert_refused(await player.call("Resign", resign), "CONTENTION")
    assert len(referee.shelf.writes) <= 2 * 20
    referee.shelf.contended = False
    assert (await player.ask("SubmitMove", move)).version == 1


def other_rules(match: Planted) -> Planted:
    return replace(match, head=msgspec.structs.replace(match.head, rules_version="0"))


def other_components(match: Planted) -> Planted:
    return replace(match, head=msgspec.structs.replace(match.head, data_digest=bytes(32)))


def unknown_ruleset(match: Planted) -> Planted:
    return replace(match, head=msgspec.structs.replace(match.head, ruleset="chess"))


def with_state(state: bytes) -> Callable[[Planted], Planted]:
    return lambda match: replace(match, course=msgspec.structs.replace(match.course, state=state))


def other_layout(match: Planted) -> Planted:
    """The state as a version would pack it that has another field in it."""
    first, *values = msgspec.msgpack.decode(match.course.state)
    return with_state(msgspec.msgpack.encode([first + 1, *values, 0]))(match)


def renumbered_layout(match: Planted) -> Planted:
    first, *values = msgspec.msgpack.decode(match.course.state)
    return with_state(msgspec.msgpack.encode([first + 1, *values]))(match)


def odd_ring(match: Planted) -> Planted:
    return replace(match, rings={"r0": b"\xc0"})


class OldHeaders(MemoryStore):
    """A store in which headers are of another format."""

    async def load(self, match_id: MatchId) -> Stored | None:
        stored = await super().load(match_id)
        return stored and Stored(b"\x00" + stored.header[1:], stored.fields)


UNREADABLE: Final = [
    other_rules,
    other_components,
    unknown_ruleset,
    with_state(b""),
    with_state(b"\xc1"),
    with_state(msgspec.msgpack.encode({"seed": b""})),
    other_layout,
    renumbered_layout,
    odd_ring,
]


async def assert_unreadable(referee: Referee, match_id: str) -> None:
    for method, request in calls_to_the_store(match_id):
        reply = await referee.caller(SEATS[0]).call(method, request)
        if method in ("CreateMatch", "ListMatches", "Play", "ReleaseRecords"):
            assert reply.reason == "OK"
            assert method != "Play" or not any(reply.messages)
        else:
            assert_refused(reply, "SNAPSHOT_UNREADABLE", match_id=match_id)
    listed = await referee.caller(SEATS[0]).ask("ListMatches", service_pb2.ListMatchesRequest())
    assert match_id not in [match.match_id for match in listed.matches]
    release = service_pb2.ReleaseRecordsRequest(request_id="release", match_ids=[match_id])
    [result] = (await referee.caller(HOST).ask("ReleaseRecords", release)).results
    assert result.reason == error_pb2.ERROR_REASON_SNAPSHOT_UNREADABLE


@pytest.mark.parametrize("spoil", UNREADABLE)
async def test_a_match_of_another_version_is_data_loss(
    referee: Referee, name: str, spoil: Callable[[Planted], Planted]
) -> None:
    """It is said of each call that needs the match, and left out of the listing and of what players are asked."""
    match = spoil(planted(name, season(2)))
    await referee.plant(match)
    await assert_unreadable(referee, match.match_id)


async def test_a_header_of_another_format_is_data_loss(referee: Referee, name: str) -> None:
    referee.shelf.inner = OldHeaders()
    match = await waiting(referee, name)
    await assert_unreadable(referee, match.match_id)


async def test_a_match_that_expires_under_a_stream(referee: Referee, name: str) -> None:
    """The stream ends with NOT_FOUND as soon as something would be told."""
    match = await waiting(referee, name)
    request = service_pb2.WatchMatchRequest(match_id=match.match_id, detail=match_pb2.DETAIL_NONE)
    stream = referee.caller(SPECTATOR).watch(request)
    await stream.read()
    referee.shelf.forget_after_writes = True
    await referee.caller(SEATS[0]).call("SubmitMove", submission(match.match_id, [by_id(PASS)]))
    assert_refused(await stream.rest(), "MATCH_NOT_FOUND", match_id=match.match_id)


async def test_nothing_hidden_is_shown_before_it_is_written(referee: Referee, name: str) -> None:
    """A House card is seen only after the write; where the write fails nobody has seen it, and it comes again."""
    state = season(2, hands=[art(PORTRAIT, 11)], house=loans(ETCHING))
    state.phase = Phase.PLAY
    match = planted(name, state)
    await referee.plant(match)
    move = submission(match.match_id, [by_id(pair(*art(PORTRAIT, 2)))], "move")
    stream = referee.caller(SPECTATOR).watch(service_pb2.WatchMatchRequest(match_id=match.match_id))
    await stream.read()
    shelf = referee.shelf
    async with nothing_changes(referee, match.match_id):
        shelf.writing, shelf.may_write = asyncio.Event(), asyncio.Event()
        player = referee.caller(SEATS[0])
        under_way = asyncio.create_task(player.call("SubmitMove", move))
        await shelf.writing.wait()
        async with nothing_changes(referee, match.match_id):
            pass
        shelf.fault = StoreUnavailableError(WORDS)
        shelf.may_write.set()
        assert_refused(await under_way, "STORE_UNAVAILABLE")
        shelf.fault = shelf.writing = shelf.may_write = None
    assert (await player.ask("SubmitMove", move)).version == 1
    update = (await stream.update()).update
    assert update.version == 1
    assert [event.game.classic_art.WhichOneof("event") for event in update.events] == ["cards_played", "house_revealed"]
    assert update.events[1].game.classic_art.house_revealed.card == pb.CLASSIC_ART_CARD_ETCHING_LOAN
    stream.cancel()


async def test_a_call_whose_answer_was_lost_is_done_once(referee: Referee, name: str) -> None:
    """UNAVAILABLE may come after the write; the same request again is answered, and nothing happens twice."""
    match = planted(name, season(3), holders=[SEATS[0], SEATS[1], None], on_release=True)
    await referee.plant(match)
    play = submission(match.match_id, [by_id(PASS)], "play")
    resign = service_pb2.ResignRequest(match_id=match.match_id, request_id="resign")
    steps: list[tuple[Secret, str, Message]] = [
        (HOST, "CreateMatch", create(request_id="new")),
        (SEATS[2], "JoinMatch", service_pb2.JoinMatchRequest(match_id=match.match_id, request_id="join")),
        (SEATS[0], "SubmitMove", play),
        (SEATS[0], "Resign", resign),
        (SEATS[1], "Resign", resign),
        (HOST, "ReleaseRecords", service_pb2.ReleaseRecordsRequest(match_ids=[match.match_id], request_id="free")),
    ]
    for secret, method, request in steps:
        caller = referee.caller(secret)
        referee.shelf.answer_lost = True
        assert_refused(await caller.call(method, request), "STORE_UNAVAILABLE")
        reply = await caller.call(method, request)
        assert reply.reason == "OK"
        assert await caller.call(method, request) == reply
    record = (await referee.caller(HOST).ask("GetRecord", service_pb2.GetRecordRequest(match_id=match.match_id))).record
    told = [entry.WhichOneof("entry") for entry in record.log if entry.move.actor != match_pb2.ACTOR_AUTOPILOT]
    assert told == ["join", "move", "resignation", "resignation"]
