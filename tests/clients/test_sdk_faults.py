"""The client library where answers are lost: it repeats a call as it was, and its caller notices nothing."""

from collections.abc import AsyncIterator, Awaitable, Callable
from dataclasses import dataclass
from typing import Final

import pytest

from artreferee.v1 import error_pb2, service_pb2
from clients.sdk import CallError, Principal, RefereeClient
from tests.api.faults import by_id, submission
from tests.api.harness import HOST, SEATS, Planted, Referee, Secret, planted
from tests.games.classic_art.build import season
from tests.games.classic_art.moves import PASS, PORTRAIT, art, pair

Mutation = Callable[[RefereeClient, Planted], Awaitable[object]]


@dataclass(frozen=True)
class Lost:
    """A changing call whose answer is lost.

    Attributes:
        who: makes it.
        call: makes it.
        versions: how many log entries it brings about.
        matches: how many matches there are afterwards.
    """

    who: Secret
    call: Mutation
    versions: int
    matches: int = 1


LOST: Final = {
    "create": Lost(HOST, lambda client, _: client.create_match(creation()), 0, matches=2),
    "join": Lost(
        SEATS[3], lambda client, match: client.join_match(service_pb2.JoinMatchRequest(match_id=match.match_id)), 1
    ),
    "submit": Lost(SEATS[0], lambda client, match: client.submit_move(passing(match)), 1),
    "resign": Lost(SEATS[1], lambda client, match: client.resign(match.match_id), 1),
}


def creation() -> service_pb2.CreateMatchRequest:
    return service_pb2.CreateMatchRequest(ruleset="classic_art", seats=[service_pb2.SeatRequest()] * 2)


def passing(match: Planted) -> service_pb2.SubmitMoveRequest:
    return submission(match.match_id, [by_id(PASS)], "")


@pytest.fixture
async def referee() -> AsyncIterator[Referee]:
    """A referee with an empty store."""
    async with Referee() as running:
        yield running


def client_of(referee: Referee, secret: Secret) -> RefereeClient:
    return RefereeClient(f"127.0.0.1:{referee.server.port}", Principal(secret.bytes))


@pytest.mark.parametrize("kind", LOST)
async def test_a_call_whose_answer_was_lost_is_repeated_with_one_effect(referee: Referee, kind: str) -> None:
    """The library made the request id itself, and made one for all attempts."""
    lost = LOST[kind]
    match = planted("match", season(3), holders=[*SEATS[:2], None] if kind == "join" else None)
    await referee.plant(match)
    referee.shelf.answer_lost = True
    async with client_of(referee, lost.who) as client:
        await lost.call(client, match)
    assert not referee.shelf.answer_lost
    assert len(await referee.shelf.inner.log(match.match_id, 0, 9)) == lost.versions
    assert len((await referee.shelf.inner.listing(None, 9))[0]) == lost.matches


async def test_a_release_whose_answer_was_lost_is_repeated(referee: Referee) -> None:
    match = planted("match", season(2), on_release=True)
    await referee.plant(match)
    async with client_of(referee, SEATS[0]) as loser, client_of(referee, HOST) as host:
        await loser.resign(match.match_id)
        referee.shelf.answer_lost = True
        [released] = await host.release_records([match.match_id])
        assert released.reason == error_pb2.ERROR_REASON_UNSPECIFIED
        assert len((await host.get_record(match.match_id)).log) == 1


async def test_a_move_on_a_stream_whose_answer_was_lost_is_repeated_with_one_effect(referee: Referee) -> None:
    """The player hears of one outcome."""
    match = planted("match", season(3))
    await referee.plant(match)
    move = service_pb2.PlayMove(request_id="move", match_id=match.match_id, seat=0, moves=[by_id(PASS)])
    outcomes = list[service_pb2.PlayOutcome]()
    async with client_of(referee, SEATS[0]) as client, client.play() as stream:
        referee.shelf.answer_lost = True
        await stream.submit(move)
        async for response in stream:
            outcomes.extend(response.outcomes)
            if outcomes:
                break
    assert not referee.shelf.answer_lost
    assert [(outcome.request_id, outcome.accepted.version) for outcome in outcomes] == [("move", 1)]
    assert len(await referee.shelf.inner.log(match.match_id, 0, 9)) == 1


async def test_two_calls_with_the_same_content_are_two_requests(referee: Referee) -> None:
    """A call made anew is no repetition: the second answer to a decision is late, and a second match is another."""
    match = planted("match", season(2))
    await referee.plant(match)
    async with client_of(referee, SEATS[0]) as player, client_of(referee, HOST) as host:
        assert (await player.submit_move(passing(match))).version == 1
        with pytest.raises(CallError) as refusal:
            await player.submit_move(passing(match))
        assert refusal.value.reason == error_pb2.ERROR_REASON_STALE_DECISION
        created = [await host.create_match(creation()) for _ in range(2)]
        assert created[0].match_id != created[1].match_id


async def test_a_refused_call_is_not_repeated(referee: Referee) -> None:
    """The store is asked to keep one receipt, not one an attempt."""
    match = planted("match", season(2))
    await referee.plant(match)
    async with client_of(referee, SEATS[0]) as client:
        with pytest.raises(CallError) as refusal:
            await client.submit_move(submission(match.match_id, [by_id(pair(*art(PORTRAIT, 2)))], ""))
    assert refusal.value.reason == error_pb2.ERROR_REASON_ILLEGAL_MOVE
    assert len(referee.shelf.writes) == 1
