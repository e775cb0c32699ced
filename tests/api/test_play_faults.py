"""What goes wrong around a Play stream: it breaks, is opened twice or by others, is not read, or carries a bad move."""

import asyncio
from collections.abc import Callable

import grpc
import pytest

from artreferee.v1 import classic_art_pb2 as pb
from artreferee.v1 import error_pb2, match_pb2, service_pb2
from referee.games.classic_art.state import Phase
from referee.table.matches import Limits
from referee.table.store import StoreUnavailableError
from tests.api.faults import assert_refused, by_id, nothing_changes, submission
from tests.api.harness import SEATS, SPECTATOR, Caller, Conversation, Planted, Referee, Reply, planted
from tests.games.classic_art.build import season
from tests.games.classic_art.moves import ETCHING, PASS, PORTRAIT, art, loans, pair

Told = service_pb2.PlayResponse


async def opened(caller: Caller) -> Conversation:
    """A stream whose first request is said."""
    stream = caller.play()
    await stream.say(service_pb2.PlayRequest(detail=match_pb2.DETAIL_FULL))
    return stream


async def told(stream: Conversation, enough: Callable[[Told], object]) -> Told:
    """All that is told until it is enough, as one message."""
    whole = Told()
    while not enough(whole):
        whole.MergeFrom(await stream.told())
    return whole


def all_of(reply: Reply) -> Told:
    """All that was told to the end, as one message."""
    together = Told()
    for message in reply.messages:
        together.MergeFrom(Told.FromString(message))
    return together


def asked(told: Told) -> object:
    return told.asked


def answered(told: Told) -> object:
    return told.outcomes


def move(match: Planted, *, request_id: str = "r", decision: int = 0, seat: int | None = None) -> service_pb2.PlayMove:
    """Passes."""
    return service_pb2.PlayMove(
        request_id=request_id, match_id=match.match_id, seat=seat, decision_number=decision, moves=[by_id(PASS)]
    )


async def got(caller: Caller, match: Planted) -> match_pb2.Match:
    response = await caller.ask("GetMatch", service_pb2.GetMatchRequest(match_id=match.match_id))
    found: match_pb2.Match = response.match
    return found


async def test_a_stranger_on_a_stream_hears_nothing_and_changes_nothing(referee: Referee, name: str) -> None:
    """Its moves are answered NOT_PERMITTED, nothing is stored, and the player's stream goes on."""
    match = planted(name, season(2))
    await referee.plant(match)
    player = await opened(referee.caller(SEATS[0]))
    await told(player, asked)
    stored = await referee.shelf.inner.load(match.match_id)
    stranger = await opened(referee.caller(SPECTATOR))
    for seat in (None, 0):
        await stranger.say(service_pb2.PlayRequest(moves=[move(match, seat=seat)]))
    await stranger.end()
    heard = all_of(await stranger.rest())
    assert [outcome.refused.reason for outcome in heard.outcomes] == [error_pb2.ERROR_REASON_NOT_PERMITTED] * 2
    assert [*heard.seated, *heard.asked, *heard.ended] == []
    assert referee.shelf.writes == []
    assert await referee.shelf.inner.load(match.match_id) == stored
    await player.say(service_pb2.PlayRequest(moves=[move(match)]))
    assert (await told(player, answered)).outcomes[0].accepted.version == 1
    player.cancel()


@pytest.mark.parametrize(
    ("metadata", "reason"),
    [((), "PRINCIPAL_MISSING"), ((("authorization", f"Bearer {SEATS[0].token[:-1]}"),), "PRINCIPAL_MALFORMED")],
)
async def test_a_stream_with_a_bad_principal_tells_nothing_and_does_not_supersede(
    referee: Referee, name: str, metadata: tuple[tuple[str, str], ...], reason: str
) -> None:
    match = planted(name, season(2))
    await referee.plant(match)
    early = referee.caller_with(*metadata).play()
    player = await opened(referee.caller(SEATS[0]))
    await told(player, asked)
    late = referee.caller_with(*metadata).play()
    await player.say(service_pb2.PlayRequest(moves=[move(match)]))
    assert (await told(player, answered)).outcomes[0].accepted.version == 1
    for stream in (early, late):
        assert_refused(await stream.rest(), reason)
    player.cancel()


async def test_a_player_who_comes_back_is_told_everything_again(referee: Referee, name: str) -> None:
    """The whole view and prompt as GetMatch has them; the older stream ends in words, the newer one plays."""
    match = planted(name, season(2))
    await referee.plant(match)
    caller = referee.caller(SEATS[0])
    old = await opened(caller)
    first = await told(old, asked)
    new = await opened(caller)
    again = await told(new, asked)
    assert (list(again.seated), list(again.asked)) == (list(first.seated), [await got(caller, match)])
    assert first.asked == again.asked
    assert (await old.rest()).reason == "SUPERSEDED"
    await new.say(service_pb2.PlayRequest(moves=[move(match)]))
    assert (await told(new, answered)).outcomes[0].accepted.version == 1
    new.cancel()


async def test_who_takes_a_seat_is_asked_with_its_whole_view(referee: Referee, name: str) -> None:
    """On the stream that was open before."""
    match = planted(name, season(2), holders=[None, SEATS[1]])
    await referee.plant(match)
    caller = referee.caller(SEATS[0])
    stream = await opened(caller)
    await caller.ask("JoinMatch", service_pb2.JoinMatchRequest(match_id=match.match_id, request_id="join"))
    [seen] = (await told(stream, asked)).asked
    assert seen == await got(caller, match)
    assert (seen.viewer_seat, len(seen.view.classic_art.hand), seen.prompt.legal_count) == (0, 11, 81)
    stream.cancel()


async def test_a_quiet_stream_shows_that_it_lives(name: str) -> None:
    """With a match in which another is to act, and without any."""
    async with Referee(Limits(heartbeat_s=0.01)) as referee:
        await referee.plant(planted(name, season(2)))
        for secret in (SEATS[1], SPECTATOR):
            stream = await opened(referee.caller(secret))
            signs = 0
            while signs < 3:
                signs += not await stream.read()
            stream.cancel()


async def test_a_bad_move_takes_no_other_with_it(referee: Referee, name: str) -> None:
    """Neither one for another match nor one that comes with it for the same."""
    first, second = planted(f"{name} 1", season(2)), planted(f"{name} 2", season(2))
    for match in (first, second):
        await referee.plant(match)
    stream = await opened(referee.caller(SEATS[0]))
    bad = [move(first, request_id="a b"), move(first, request_id="stale", decision=7), service_pb2.PlayMove()]
    await stream.say(service_pb2.PlayRequest(moves=[*bad, move(first), move(second)]))
    outcomes = (await told(stream, lambda so_far: len(so_far.outcomes) == 5)).outcomes
    accepted = [outcome.match_id for outcome in outcomes if outcome.HasField("accepted")]
    assert sorted(accepted) == sorted([first.match_id, second.match_id])
    stream.cancel()


async def test_a_bad_request_ends_the_stream_after_the_answers_to_the_moves_before_it(
    referee: Referee, name: str
) -> None:
    match = planted(name, season(2))
    await referee.plant(match)
    shelf = referee.shelf
    shelf.writing, shelf.may_write = asyncio.Event(), asyncio.Event()
    stream = await opened(referee.caller(SEATS[0]))
    await stream.say(service_pb2.PlayRequest(moves=[move(match)]))
    await shelf.writing.wait()
    await stream.say(service_pb2.PlayRequest(moves=[move(match)] * 65))
    shelf.may_write.set()
    end = await stream.rest()
    assert [outcome.accepted.version for outcome in all_of(end).outcomes] == [1]
    assert (end.code, end.reason) == (grpc.StatusCode.INVALID_ARGUMENT, "INVALID_FIELD")


async def test_a_move_whose_stream_breaks_is_played_once(referee: Referee, name: str) -> None:
    """The player does not know whether it got through, sends it again over a new stream, and is answered."""
    match = planted(name, season(3))
    await referee.plant(match)
    shelf, caller = referee.shelf, referee.caller(SEATS[0])
    shelf.writing, shelf.may_write = asyncio.Event(), asyncio.Event()
    broken = await opened(caller)
    await broken.say(service_pb2.PlayRequest(moves=[move(match)]))
    await shelf.writing.wait()
    broken.cancel()
    shelf.may_write.set()
    stream = await opened(caller)
    await stream.say(service_pb2.PlayRequest(moves=[move(match)]))
    [outcome] = (await told(stream, answered)).outcomes
    assert (outcome.accepted.version, outcome.accepted.decision_number) == (1, 1)
    assert len(await shelf.inner.log(match.match_id, 0, 9)) == 1
    stream.cancel()


async def test_a_player_who_does_not_read_delays_nobody(referee: Referee, name: str) -> None:
    """Its stream fills up while the match goes on; when it reads again it comes to the end of the match."""
    match = planted(name, season(2, max_seasons=4))
    await referee.plant(match)
    idle = await opened(referee.caller(SEATS[0]))
    await told(idle, asked)
    callers = [referee.caller(secret) for secret in SEATS[:2]]
    while (seen := await got(callers[0], match)).status == match_pb2.MATCH_STATUS_ACTIVE:
        seat = next(seat for seat, fares in enumerate(seen.seats) if fares.to_act)
        prompt = (await got(callers[seat], match)).prompt
        choice = by_id(prompt.legal_moves[0].id)
        request = submission(match.match_id, [choice], f"r{prompt.decision_number}", prompt.decision_number)
        await callers[seat].ask("SubmitMove", request)
    heard = await told(idle, lambda so_far: so_far.ended)
    versions = [prompted.version for prompted in heard.asked]
    assert versions == sorted(set(versions))
    assert heard.ended[0] == seen
    idle.cancel()


async def test_a_stream_that_breaks_changes_nothing(referee: Referee, name: str) -> None:
    match = planted(name, season(2))
    await referee.plant(match)
    stored = await referee.shelf.inner.load(match.match_id)
    streams = [await opened(referee.caller(secret)) for secret in SEATS[:2]]
    for stream in streams:
        await told(stream, lambda so_far: so_far.seated)
        stream.cancel()
    async with asyncio.timeout(10):
        await referee.shelf.deserted.wait()
    assert await referee.shelf.inner.load(match.match_id) == stored
    assert (await got(referee.caller(SPECTATOR), match)).status == match_pb2.MATCH_STATUS_ACTIVE


async def test_nothing_hidden_is_told_before_it_is_written(referee: Referee, name: str) -> None:
    """The write that turns up a House card fails: nobody has seen it, and it comes again when the move does."""
    state = season(2, hands=[art(PORTRAIT, 11)], house=loans(ETCHING))
    state.phase = Phase.PLAY
    match = planted(name, state)
    await referee.plant(match)
    shelf, player = referee.shelf, referee.caller(SEATS[0])
    stream = await opened(player)
    [before] = (await told(stream, asked)).asked
    played = move(match)
    played.moves[0].id = pair(*art(PORTRAIT, 2))
    async with nothing_changes(referee, match.match_id):
        shelf.writing, shelf.may_write = asyncio.Event(), asyncio.Event()
        await stream.say(service_pb2.PlayRequest(moves=[played]))
        await shelf.writing.wait()
        async with nothing_changes(referee, match.match_id):
            pass
        await stream.end()
        shelf.fault = StoreUnavailableError("away")
        shelf.may_write.set()
        heard = all_of(await stream.rest())
        shelf.fault = shelf.writing = shelf.may_write = None
    assert not heard.asked
    assert not any(outcome.HasField("accepted") for outcome in heard.outcomes)
    stream = await opened(player)
    await told(stream, asked)
    await stream.say(service_pb2.PlayRequest(moves=[played]))
    [seen] = (await told(stream, asked)).asked
    assert seen == await got(player, match)
    loan = pb.CLASSIC_ART_CARD_ETCHING_LOAN - 1
    assert seen.view.classic_art.revealed[loan] == before.view.classic_art.revealed[loan] + 1
    stream.cancel()
