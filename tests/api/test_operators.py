"""What players and spectators hear when an operator, at another replica, aborts a match or gives a seat away."""

import asyncio

import pytest

from artreferee.v1 import match_pb2, record_pb2, service_pb2
from clients.replay import ReplayError, replay
from clients.sdk import MatchAbortedError, Principal, RefereeClient
from referee.games import registry
from referee.table.ids import MatchId
from referee.table.table import Table
from referee.wire.record import canonical_json, checksum, parse_record
from tests.api.faults import assert_refused, by_id, submission
from tests.api.harness import HOST, SEATS, SPECTATOR, Caller, Referee
from tests.api.test_play_faults import answered, asked, opened, told
from tests.games.classic_art.moves import PASS

ABORTED = match_pb2.MATCH_STATUS_ABORTED


def operators(referee: Referee) -> Table:
    """A table of another process."""
    return Table(referee.shelf, registry())


async def created(
    referee: Referee, disclosure: match_pb2.Disclosure.ValueType = match_pb2.DISCLOSURE_AT_END
) -> MatchId:
    request = service_pb2.CreateMatchRequest(request_id="c", ruleset="classic_art", disclosure=disclosure)
    for secret in SEATS[:2]:
        request.seats.add(principal_hash=secret.hash)
    return MatchId((await referee.caller(HOST).ask("CreateMatch", request)).match_id)


async def match_of(caller: Caller, match_id: str) -> match_pb2.Match:
    response: service_pb2.GetMatchResponse = await caller.ask(
        "GetMatch", service_pb2.GetMatchRequest(match_id=match_id)
    )
    return response.match


async def record_of(referee: Referee, match_id: str) -> record_pb2.MatchRecord:
    request = service_pb2.GetRecordRequest(match_id=match_id)
    response: service_pb2.GetRecordResponse = await referee.caller(SPECTATOR).ask("GetRecord", request)
    return response.record


async def to_move(referee: Referee, match_id: str) -> int:
    match = await match_of(referee.caller(SPECTATOR), match_id)
    [seat] = [place for place, seat in enumerate(match.seats) if seat.to_act]
    return seat


async def test_watchers_are_told_that_a_match_was_aborted(referee: Referee) -> None:
    """In one update of its own, after which the stream ends."""
    match_id = await created(referee)
    request = service_pb2.WatchMatchRequest(match_id=match_id)
    streams = [referee.caller(secret).watch(request) for secret in (SEATS[0], SPECTATOR)]
    for stream in streams:
        await stream.read()
    assert await operators(referee).abort(match_id) is True
    for stream in streams:
        reply = await stream.rest()
        [message] = [service_pb2.WatchMatchResponse.FromString(raw) for raw in reply.messages]
        [event] = message.update.events
        assert reply.reason == "OK"
        assert (message.update.version, event.WhichOneof("event")) == (1, "match_aborted")
        assert (message.update.match.status, message.update.match.HasField("result")) == (ABORTED, False)
        assert not message.update.match.HasField("prompt")


async def test_players_on_streams_are_told_that_a_match_was_aborted(referee: Referee) -> None:
    match_id = await created(referee)
    streams = [await opened(referee.caller(secret)) for secret in SEATS[:2]]
    seat = await to_move(referee, match_id)
    await told(streams[seat], asked)
    await operators(referee).abort(match_id)
    for stream in streams:
        [ended] = (await told(stream, lambda whole: whole.ended)).ended
        assert (ended.match_id, ended.status) == (match_id, ABORTED)


async def test_moves_in_an_aborted_match_are_refused(referee: Referee) -> None:
    match_id = await created(referee)
    seat = await to_move(referee, match_id)
    await operators(referee).abort(match_id)
    late = await referee.caller(SEATS[seat]).call("SubmitMove", submission(match_id, [by_id(PASS)]))
    assert_refused(late, "MATCH_OVER")


async def test_aborted_matches_are_listed_as_such(referee: Referee) -> None:
    match_id = await created(referee)
    await operators(referee).abort(match_id)
    for status, found in ((ABORTED, [match_id]), (match_pb2.MATCH_STATUS_FINISHED, [])):
        listed = await referee.caller(SPECTATOR).ask("ListMatches", service_pb2.ListMatchesRequest(status=status))
        assert [match.match_id for match in listed.matches] == found


async def test_aborting_twice_writes_once(referee: Referee) -> None:
    match_id = await created(referee)
    table = operators(referee)
    assert [await table.abort(match_id) for _ in range(2)] == [True, False]
    assert (await match_of(referee.caller(SPECTATOR), match_id)).version == 1


async def test_the_record_of_an_aborted_match_replays_and_has_no_result(referee: Referee) -> None:
    match_id = await created(referee)
    seat = await to_move(referee, match_id)
    await referee.caller(SEATS[seat]).ask("SubmitMove", submission(match_id, [by_id(PASS)]))
    await operators(referee).abort(match_id)
    record = await record_of(referee, match_id)
    assert [entry.WhichOneof("entry") for entry in record.log] == ["move", "abortion"]
    assert not record.HasField("result")
    assert parse_record(canonical_json(record)) == record
    steps = list(replay(record))
    assert [(step.version, step.seat) for step in steps] == [(1, seat), (2, None)]
    assert steps[-1].text == "the match is aborted"


async def test_the_record_of_an_aborted_match_waits_for_its_release(referee: Referee) -> None:
    """Aborting tells nothing of a deal that is to stay unknown."""
    match_id = await created(referee, disclosure=match_pb2.DISCLOSURE_ON_RELEASE)
    await operators(referee).abort(match_id)
    request = service_pb2.GetRecordRequest(match_id=match_id)
    assert_refused(await referee.caller(SPECTATOR).call("GetRecord", request), "NOT_DISCLOSED", match_id=match_id)
    release = service_pb2.ReleaseRecordsRequest(request_id="r", match_ids=[match_id])
    await referee.caller(HOST).ask("ReleaseRecords", release)
    assert (await record_of(referee, match_id)).match_id == match_id


@pytest.mark.parametrize(
    ("spoil", "problem"),
    [
        (lambda record: record.log.append(record.log[0]), "entry 1: the match goes on after it was aborted"),
        (lambda record: record.result.SetInParent(), "it was aborted and has a result"),
        (lambda record: record.log.pop(), "the game is not over after its last entry"),
    ],
    ids=["goes on", "has a result", "just stops"],
)
async def test_a_record_that_is_aborted_in_another_way_does_not_replay(
    referee: Referee, spoil: object, problem: str
) -> None:
    match_id = await created(referee)
    await operators(referee).abort(match_id)
    record = await record_of(referee, match_id)
    assert callable(spoil)
    spoil(record)
    record.checksum = checksum(record)
    with pytest.raises(ReplayError, match=problem):
        list(replay(record))


async def test_a_client_that_waits_for_the_result_is_told_that_there_is_none(referee: Referee) -> None:
    match_id = await created(referee)
    async with RefereeClient(f"127.0.0.1:{referee.server.port}", Principal(SPECTATOR.bytes)) as client:
        waiting = asyncio.create_task(client.result_of(match_id))
        await operators(referee).abort(match_id)
        with pytest.raises(MatchAbortedError, match=f"match {match_id} was aborted"):
            await waiting


async def test_who_loses_a_seat_sees_no_more_of_it(referee: Referee) -> None:
    """Its stream ends; it may watch as anybody, and is refused where it names the seat."""
    match_id = await created(referee)
    loser = referee.caller(SEATS[0])
    stream = loser.watch(service_pb2.WatchMatchRequest(match_id=match_id, seat=0))
    await stream.read()
    assert await operators(referee).reseat(match_id, 0, SEATS[4].hash) is True
    reply = await stream.rest()
    assert_refused(reply, "NOT_PERMITTED")
    assert reply.messages == ()
    assert not (await match_of(loser, match_id)).HasField("viewer_seat")
    named = service_pb2.GetMatchRequest(match_id=match_id, seat=0)
    assert_refused(await loser.call("GetMatch", named), "NOT_PERMITTED")


async def test_who_is_given_a_seat_on_a_stream_is_asked_and_who_loses_it_is_not_heard(referee: Referee) -> None:
    """The move of the one who has lost it is refused, the other's is played."""
    match_id = await created(referee)
    seat = await to_move(referee, match_id)
    loser, winner = await opened(referee.caller(SEATS[seat])), await opened(referee.caller(SEATS[4]))
    await told(loser, asked)
    await operators(referee).reseat(match_id, seat, SEATS[4].hash)
    news = await told(winner, asked)
    assert [match.viewer_seat for match in (*news.seated, *news.asked)] == [seat, seat]
    move = service_pb2.PlayMove(request_id="r", match_id=match_id, seat=seat, moves=[by_id(PASS)])
    outcomes = []
    for stream in (loser, winner):
        await stream.say(service_pb2.PlayRequest(moves=[move]))
        outcomes += [outcome.WhichOneof("outcome") for outcome in (await told(stream, answered)).outcomes]
    assert outcomes == ["refused", "accepted"]


async def test_spectators_are_told_that_somebody_takes_the_seat(referee: Referee) -> None:
    """As when a seat is joined; not who it is."""
    match_id = await created(referee)
    stream = referee.caller(SPECTATOR).watch(service_pb2.WatchMatchRequest(match_id=match_id))
    await stream.read()
    await operators(referee).reseat(match_id, 1, SEATS[4].hash)
    update = (await stream.update()).update
    assert [event.WhichOneof("event") for event in update.events] == ["seat_joined"]
    assert (update.seat, update.version) == (1, 1)
    stream.cancel()


async def test_a_match_whose_seat_was_given_away_replays(referee: Referee) -> None:
    match_id = await created(referee)
    seat = await to_move(referee, match_id)
    await operators(referee).reseat(match_id, seat, SEATS[4].hash)
    await referee.caller(SEATS[4]).ask("SubmitMove", submission(match_id, [by_id(PASS)]))
    await referee.caller(SEATS[4]).ask("Resign", service_pb2.ResignRequest(request_id="resign", match_id=match_id))
    record = await record_of(referee, match_id)
    assert [entry.WhichOneof("entry") for entry in record.log] == ["join", "move", "resignation"]
    assert next(step.text for step in replay(record)) == "takes the seat"
