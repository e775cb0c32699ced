"""How Play streams end: by callers, bad requests, newer ones, a drain, or faults; and that nothing is left of them."""

import asyncio
from collections.abc import Mapping
from itertools import islice
from typing import Final

import grpc
import pytest

from artreferee.v1 import match_pb2, service_pb2
from referee.api.metrics import Metrics
from referee.store.memory import MemoryStore
from referee.table.store import StoreUnavailableError
from tests.api.calls import ABSENT
from tests.api.faults import assert_refused, submission
from tests.api.harness import SEATS, SPECTATOR, Planted, Referee, planted
from tests.api.test_metrics import become
from tests.api.test_play_faults import all_of, answered, asked, got, move, opened, told
from tests.games.classic_art.build import season

LONG_S: Final = 60.0  # a drain that takes as long as it may shows that something was not ended
SOON_S: Final = 5.0
WITHIN_S: Final = 20.0
STUCK_S: Final = 0.5

BAD_REQUESTS: Final[Mapping[str, tuple[service_pb2.PlayRequest | bytes, str]]] = {
    "detail that there is not": (service_pb2.PlayRequest(detail=9), "INVALID_FIELD"),  # type: ignore[arg-type]
    "too many moves": (service_pb2.PlayRequest(moves=[service_pb2.PlayMove()] * 65), "INVALID_FIELD"),
    "too many matches": (service_pb2.PlayRequest(unfinished_match_ids=[ABSENT] * 1_001), "INVALID_FIELD"),
    "a match with no id": (service_pb2.PlayRequest(unfinished_match_ids=[ABSENT, "no id"]), "INVALID_FIELD"),
    "an unknown field": (b"\xba\x3e\x01x", "UNKNOWN_FIELD"),
    "no message": (b"\x0a\x05ab", "MALFORMED_REQUEST"),
    "too much": (bytes(64 * 1024 + 1), "REQUEST_TOO_LARGE"),
}
FIELDS: Final = {
    "detail that there is not": "detail",
    "too many moves": "moves",
    "too many matches": "unfinished_match_ids",
    "a match with no id": "unfinished_match_ids[1]",
}


@pytest.mark.parametrize("kind", BAD_REQUESTS)
@pytest.mark.parametrize("place", ["first", "later"])
async def test_a_bad_request_ends_the_stream_in_words(shared: Referee, name: str, kind: str, place: str) -> None:
    """Whether it is the first or a later one."""
    await shared.plant(planted(name, season(2)))
    request, reason = BAD_REQUESTS[kind]
    stream = shared.caller(SPECTATOR).play()
    if place == "later":
        await stream.say(service_pb2.PlayRequest())
        assert await stream.read() == b""
    await stream.say(request)
    end = await stream.rest()
    assert end.reason == reason
    assert end.code == grpc.StatusCode.INVALID_ARGUMENT
    if kind in FIELDS:
        assert end.info.metadata["field"] == FIELDS[kind]


@pytest.mark.parametrize("kind", BAD_REQUESTS)
async def test_a_stream_that_begins_with_a_bad_request_ends_no_other(referee: Referee, name: str, kind: str) -> None:
    match = planted(name, season(2))
    caller = referee.caller(SEATS[0])
    older, newer = caller.play(), caller.play()
    await older.say(service_pb2.PlayRequest())
    assert await older.read() == b""
    await newer.say(BAD_REQUESTS[kind][0])
    assert (await newer.rest()).reason == BAD_REQUESTS[kind][1]
    await referee.plant(match)
    await older.say(service_pb2.PlayRequest(unfinished_match_ids=[match.match_id]))
    assert [asked.match_id for asked in (await older.told()).asked] == [match.match_id]
    older.cancel()


async def test_only_the_first_request_may_say_how_much_is_told(shared: Referee) -> None:
    stream = shared.caller(SPECTATOR).play()
    for _ in range(2):
        await stream.say(service_pb2.PlayRequest(detail=match_pb2.DETAIL_IDS))
    end = await stream.rest()
    assert (end.reason, end.info.metadata["field"]) == ("INVALID_FIELD", "detail")


async def test_a_stream_on_which_nothing_is_said_ends_well(referee: Referee) -> None:
    """It has never been a player's: an older one of the same principal goes on."""
    older = await opened(referee.caller(SEATS[0]))
    silent = referee.caller(SEATS[0]).play()
    await silent.end()
    end = await silent.rest()
    assert (end.reason, end.messages) == ("OK", ())
    await older.end()
    assert (await older.rest()).reason == "OK"
    assert referee.shelf.followers == 0


async def test_a_stream_whose_caller_has_ended_ends_after_the_outcomes(referee: Referee, name: str) -> None:
    """The last of them may take as long as it takes."""
    match = planted(name, season(2))
    await referee.plant(match)
    shelf = referee.shelf
    shelf.writing, shelf.may_write = asyncio.Event(), asyncio.Event()
    stream = await opened(referee.caller(SEATS[0]))
    await stream.say(service_pb2.PlayRequest(moves=[move(match)]))
    await stream.end()
    await shelf.writing.wait()
    ending = asyncio.create_task(stream.rest())
    shelf.may_write.set()
    end = await ending
    assert (end.reason, [outcome.accepted.version for outcome in all_of(end).outcomes]) == ("OK", [1])


@pytest.mark.parametrize("replicas", [1, 2])
async def test_a_newer_stream_wins_and_the_older_tells_its_outcomes(name: str, replicas: int) -> None:
    """The newer one is told of the move that the older one made, and plays on."""
    store, match = MemoryStore(), planted(name, season(2), holders=[SEATS[0]] * 2)
    async with Referee() as here, Referee() as there:
        here.shelf.inner = there.shelf.inner = store
        await here.plant(match)
        shelf = here.shelf
        shelf.writing, shelf.may_write = asyncio.Event(), asyncio.Event()
        older = await opened(here.caller(SEATS[0]))
        await told(older, asked)
        await older.say(service_pb2.PlayRequest(moves=[move(match, seat=0)]))
        await shelf.writing.wait()
        newer = await opened((here, there)[replicas - 1].caller(SEATS[0]))
        await told(newer, asked)
        ending = asyncio.create_task(older.rest())
        shelf.may_write.set()
        end = await ending
        assert [outcome.accepted.version for outcome in all_of(end).outcomes] == [1]
        assert (end.code, end.reason) == (grpc.StatusCode.ABORTED, "SUPERSEDED")
        async with asyncio.timeout(SOON_S):
            [prompted] = (await told(newer, asked)).asked
        assert (prompted.viewer_seat, prompted.version) == (1, 1)
        await newer.say(service_pb2.PlayRequest(moves=[move(match, seat=1)]))
        assert (await told(newer, answered)).outcomes[0].accepted.version == 2
        newer.cancel()


async def test_many_streams_at_once_leave_exactly_one(referee: Referee, name: str) -> None:
    match = planted(name, season(2))
    await referee.plant(match)
    caller = referee.caller(SEATS[0])
    streams = [caller.play() for _ in range(20)]
    await asyncio.gather(*(stream.say(service_pb2.PlayRequest()) for stream in streams))
    ending = [asyncio.create_task(stream.rest()) for stream in streams]
    for ended in islice(asyncio.as_completed(ending, timeout=WITHIN_S), 19):
        assert (await ended).reason == "SUPERSEDED"
    [place] = [place for place, task in enumerate(ending) if not task.done()]
    await streams[place].end()
    assert (await ending[place]).reason == "OK"


async def test_a_drain_lets_the_move_under_way_finish_and_sends_the_player_elsewhere(name: str) -> None:
    """First its outcome, then the word that the replica goes, then the end; and nothing more is asked."""
    async with Referee(drain_s=LONG_S) as referee:
        match = planted(name, season(2), holders=[SEATS[0]] * 2)
        await referee.plant(match)
        shelf = referee.shelf
        stream, idle = await opened(referee.caller(SEATS[0])), await opened(referee.caller(SPECTATOR))
        await told(stream, asked)
        await idle.read()
        shelf.writing, shelf.may_write = asyncio.Event(), asyncio.Event()
        await stream.say(service_pb2.PlayRequest(moves=[move(match, seat=0)]))
        await shelf.writing.wait()
        stopping = asyncio.create_task(referee.server.stop())
        assert (await idle.rest()).reason == "DRAINING"
        assert not stopping.done()
        ending = asyncio.create_task(stream.rest())
        shelf.may_write.set()
        async with asyncio.timeout(SOON_S):
            end = await ending
            await stopping
        responses = [service_pb2.PlayResponse.FromString(raw) for raw in end.messages]
        assert [outcome.accepted.version for outcome in responses[0].outcomes] == [1]
        assert [response.going_away for response in responses] == [False, True]
        assert [*responses[0].asked, *responses[1].ListFields()[1:]] == []
        assert (end.code, end.reason) == (grpc.StatusCode.UNAVAILABLE, "DRAINING")
        assert shelf.followers == 0


async def test_a_drain_ends_streams_on_which_nothing_was_said_yet() -> None:
    metrics = Metrics()
    async with Referee(drain_s=LONG_S, observer=metrics) as referee:
        streams = [referee.caller(secret).play() for secret in SEATS]
        await become(metrics, "streams_open", {("Play",): len(streams)})
        async with asyncio.timeout(SOON_S):
            await referee.server.stop()
        for stream in streams:
            assert_refused(await stream.rest(), "DRAINING")


@pytest.mark.parametrize("fault", [StoreUnavailableError("away"), RuntimeError("odd")], ids=["away", "odd"])
async def test_a_store_that_fails_under_a_stream_ends_it_in_words(
    referee: Referee, name: str, fault: Exception, caplog: pytest.LogCaptureFixture
) -> None:
    """The player comes back when it answers again, and is asked."""
    match = planted(name, season(2))
    await referee.plant(match)
    caller = referee.caller(SEATS[0])
    stream = await opened(caller)
    await told(stream, asked)
    await referee.shelf.inner.remind(SEATS[0].hash)
    referee.shelf.fault = fault
    end = await stream.rest()
    referee.shelf.fault = None
    assert end.reason == ("STORE_UNAVAILABLE" if isinstance(fault, StoreUnavailableError) else "INTERNAL")
    assert str(fault) not in str(end)
    again = await opened(caller)
    assert (await told(again, asked)).asked == [await got(caller, match)]
    again.cancel()


async def test_a_fault_of_the_service_in_a_request_ends_the_stream(
    referee: Referee, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """It is logged and not told, and the player is not left without an answer."""
    monkeypatch.setattr("referee.api.requests.move_of", lambda _: 1 / 0)
    stream = await opened(referee.caller(SEATS[0]))
    await stream.say(service_pb2.PlayRequest(moves=[service_pb2.PlayMove(request_id="r")]))
    end = await stream.rest()
    assert (end.code, end.reason) == (grpc.StatusCode.INTERNAL, "INTERNAL")
    assert "ZeroDivisionError" in caplog.text
    assert "division" not in str(end)


def passes(match: Planted, number: int) -> service_pb2.PlayMove:
    """A move for another decision than the open one, which is noted in the store."""
    return move(match, request_id=f"r{number}", decision=7)


async def test_a_player_who_does_not_read_is_not_read_any_more(referee: Referee, name: str) -> None:
    """As many of its moves are played as fit on the way; others play on; the rest is played when it reads."""
    mine, others = planted(f"{name} mine", season(2)), planted(f"{name} others'", season(2), holders=SEATS[1:3])
    for match in (mine, others):
        await referee.plant(match)
    idle, sent = await opened(referee.caller(SEATS[0])), 0
    while True:
        bulky = [service_pb2.PlayMove(request_id="?" * 900)] * 63
        request = service_pb2.PlayRequest(moves=[*bulky, passes(mine, sent)])
        saying = asyncio.create_task(idle.say(request))
        sent += 1
        await asyncio.wait([saying], timeout=STUCK_S)
        if not saying.done():
            break
        assert sent < 1_000
    read = len(referee.shelf.writes)
    assert read < sent
    request_of_another = submission(others.match_id, [match_pb2.MoveChoice(index=0)])
    await referee.caller(SEATS[1]).ask("SubmitMove", request_of_another)
    assert len(referee.shelf.writes) == read + 1
    ending = asyncio.create_task(idle.rest())
    await saying
    await idle.end()
    end = await ending
    outcomes = [outcome for raw in end.messages for outcome in service_pb2.PlayResponse.FromString(raw).outcomes]
    assert (end.reason, len(outcomes)) == ("OK", 64 * sent)
    assert len(referee.shelf.writes) == sent + 1


async def test_nothing_is_left_of_streams_whose_callers_vanished(referee: Referee, name: str) -> None:
    """Wherever they were: before their first request, after it, with moves under way, or with much unread."""
    matches = [planted(f"{name} {number}", season(2), holders=[SEATS[0]] * 2) for number in range(40)]
    for match in matches:
        await referee.plant(match)
    for secret in (SEATS[0], SEATS[0], SEATS[0], SPECTATOR):
        caller = referee.caller(secret)
        streams = [caller.play(), await opened(caller), await opened(caller)]
        await streams[2].say(service_pb2.PlayRequest(moves=[passes(match, 0) for match in matches]))
        for stream in streams:
            stream.cancel()
    async with asyncio.timeout(WITHIN_S):
        await referee.shelf.deserted.wait()
