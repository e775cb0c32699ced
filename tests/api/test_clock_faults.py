"""Clocks and absence: who must choose and does not is out, whoever is connected; who has chosen may go."""

import pytest

from artreferee.v1 import match_pb2, ruleset_pb2, service_pb2
from artreferee.v1.classic_art_pb2 import ClassicArtOptions
from referee.table.matches import Limits
from tests.api.faults import by_id, submission
from tests.api.harness import HOST, SEATS, SPECTATOR, Caller, Referee, Secret, Stream
from tests.games.classic_art.moves import PASS

BRIEF_MS = 150
ENOUGH_MS = 1_000  # for what a test does before it
LONG_MS = 3_600_000
TIMED_OUT, IN = match_pb2.CAUSE_TIMED_OUT, match_pb2.CAUSE_UNSPECIFIED


async def created(referee: Referee, seats: int, limit_ms: int) -> str:
    """A match in which seat 0 is asked first, and nobody is there yet."""
    request = service_pb2.CreateMatchRequest(
        request_id="create",
        ruleset="classic_art",
        options=ruleset_pb2.Options(classic_art=ClassicArtOptions(start_seat=0)),
        seats=[service_pb2.SeatRequest(principal_hash=secret.hash) for secret in SEATS[:seats]],
        time_control=match_pb2.TimeControl(move_limit_ms=limit_ms),
    )
    match_id: str = (await referee.caller(HOST).ask("CreateMatch", request)).match_id
    return match_id


async def result_of(stream: Stream) -> match_pb2.Result:
    """Reads a stream to the end of its match."""
    *_, last = (await stream.rest()).messages
    return service_pb2.WatchMatchResponse.FromString(last).update.match.result


def watch(referee: Referee, match_id: str, secret: Secret = SPECTATOR) -> Stream:
    return referee.caller(secret).watch(service_pb2.WatchMatchRequest(match_id=match_id, after_version=0))


def fares(result: match_pb2.Result) -> list[tuple[int, int]]:
    """Rank and cause of each seat."""
    return [(seat.rank, seat.cause) for seat in result.seats]


async def test_a_match_whose_players_are_all_gone_comes_to_an_end(referee: Referee) -> None:
    """One after another goes out as it is asked, the earlier the lower; with the last one left it is over."""
    result = await result_of(watch(referee, await created(referee, 3, BRIEF_MS)))
    assert fares(result) == [(3, TIMED_OUT), (2, TIMED_OUT), (1, IN)]
    assert result.reason == "LAST_SEAT"


@pytest.mark.parametrize("connected", [0, 1], ids=["who must choose is there", "the other is there"])
async def test_who_must_choose_and_does_not_loses_whoever_is_connected(referee: Referee, connected: int) -> None:
    """Neither does a stream save the one nor its absence harm the other, and it is no draw."""
    match_id = await created(referee, 2, ENOUGH_MS)
    player = referee.caller(SEATS[connected]).play()
    await player.say(service_pb2.PlayRequest())
    assert (await player.told()).seated
    assert fares(await result_of(watch(referee, match_id))) == [(2, TIMED_OUT), (1, IN)]
    assert (await player.told()).ended
    player.cancel()


async def test_who_has_chosen_may_go(referee: Referee) -> None:
    """The time of its question ends with its answer: the alarm that was set for it puts nobody out."""
    match_id = await created(referee, 2, ENOUGH_MS)
    early = watch(referee, match_id, SEATS[0])
    early.cancel()
    player = referee.caller(SEATS[0]).play()
    await player.say(service_pb2.PlayRequest())
    assert (await player.told()).asked
    await referee.caller(SEATS[0]).ask("SubmitMove", submission(match_id, [by_id(PASS)]))
    player.cancel()
    assert fares(await result_of(watch(referee, match_id))) == [(1, IN), (2, TIMED_OUT)]


async def test_a_match_outlives_its_clocks() -> None:
    """Also where they give more time than a match without clocks may be idle."""
    async with Referee(Limits(idle_ms=BRIEF_MS // 3, heartbeat_s=0.05)) as referee:
        result = await result_of(watch(referee, await created(referee, 2, BRIEF_MS)))
    assert fares(result) == [(2, TIMED_OUT), (1, IN)]


async def test_coming_back_gives_no_time_and_takes_none(referee: Referee) -> None:
    """The clock began with the question, and goes on at the same pace however often the player comes."""
    match_id, caller = await created(referee, 2, LONG_MS), referee.caller(SEATS[0])
    remaining = [LONG_MS]
    for _ in range(3):
        remaining.append((await got(caller, match_id)).prompt.remaining_ms)
        stream = caller.play()
        await stream.say(service_pb2.PlayRequest())
        [asked] = (await stream.told()).asked
        remaining.append(asked.prompt.remaining_ms)
        stream.cancel()
    assert remaining == sorted(remaining, reverse=True)
    assert remaining[-1] > LONG_MS - 60_000


async def got(caller: Caller, match_id: str) -> match_pb2.Match:
    response = await caller.ask("GetMatch", service_pb2.GetMatchRequest(match_id=match_id))
    found: match_pb2.Match = response.match
    return found
