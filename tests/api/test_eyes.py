"""Through whose eyes a match is seen: each seat by itself, and in public by a player as by everybody."""

import asyncio
from contextlib import AsyncExitStack

import pytest

from artreferee.v1 import match_pb2, service_pb2
from tests.api.faults import by_id, submission
from tests.api.harness import HOST, SEATS, SPECTATOR, Caller, Referee, Secret, Stream, planted
from tests.games.classic_art.build import last_turn, season
from tests.games.classic_art.moves import PASS


async def seen(caller: Caller, match_id: str, seat: int | None = None) -> match_pb2.Match:
    """The match but for what tells two matches apart."""
    response = await caller.ask("GetMatch", service_pb2.GetMatchRequest(match_id=match_id, seat=seat))
    match: match_pb2.Match = response.match
    match.ClearField("match_id")
    match.ClearField("commitment")
    return match


@pytest.mark.parametrize("own", [0, 2])
async def test_who_holds_two_seats_sees_with_the_eyes_of_one_of_them(shared: Referee, name: str, own: int) -> None:
    """As somebody who holds that seat alone: the other own hand is not in it, nor the other own choice."""
    shared_by_one = planted(f"{name} one", last_turn(3), holders=[SEATS[0], SEATS[1], SEATS[0]])
    of_three = planted(f"{name} three", last_turn(3))
    for match in (shared_by_one, of_three):
        await shared.plant(match)
        for seat, secret in ((0, SEATS[0]), (2, SEATS[0] if match is shared_by_one else SEATS[2])):
            caller = shared.caller(secret)
            legal = (await seen(caller, match.match_id, seat)).prompt.legal_moves
            move = submission(match.match_id, [by_id(legal[0].id)], f"seat-{seat}")
            move.seat = seat
            await caller.ask("SubmitMove", move)
    alone = await seen(shared.caller(SEATS[own]), of_three.match_id, own)
    assert len(alone.view.classic_art.chosen) == 2
    assert await seen(shared.caller(SEATS[0]), shared_by_one.match_id, own) == alone


async def test_a_player_who_also_watches_in_public_sees_what_all_see(shared: Referee, name: str) -> None:
    """Under a second principal over the same connection, while the player's own stream is open and moves."""
    match = planted(name, season(2))
    await shared.plant(match)
    watch = service_pb2.WatchMatchRequest(match_id=match.match_id)
    player = shared.caller(SEATS[0])
    async with Referee() as elsewhere:
        elsewhere.shelf.inner = shared.shelf.inner
        own, second = player.watch(watch), shared.caller(Secret("the player's second")).watch(watch)
        stranger = elsewhere.caller(SPECTATOR).watch(watch)
        assert (await own.update()).snapshot.view.classic_art.hand
        assert await both(second, stranger)
        await player.ask("SubmitMove", submission(match.match_id, [by_id(PASS)]))
        assert (await own.update()).update.match.view.classic_art.hand
        assert await both(second, stranger)
        for stream in (own, second, stranger):
            stream.cancel()


@pytest.mark.parametrize("detail", [match_pb2.DETAIL_NONE, match_pb2.DETAIL_IDS, match_pb2.DETAIL_FULL])
async def test_all_who_watch_at_once_are_each_sent_what_it_would_be_sent_alone(
    shared: Referee, name: str, detail: match_pb2.Detail.ValueType
) -> None:
    """To the byte, though messages for those who may know the same are made once; a seat's are for nobody else."""
    match = planted(name, season(3))
    await shared.plant(match)
    watch = service_pb2.WatchMatchRequest(match_id=match.match_id, detail=detail)
    public = (SPECTATOR, Secret("another spectator"), HOST)
    async with AsyncExitStack() as stack:
        together, alone = list[Stream](), list[Stream]()
        for secret in (*SEATS[:3], *public):
            elsewhere = await stack.enter_async_context(Referee())
            elsewhere.shelf.inner = shared.shelf.inner
            alone.append(elsewhere.caller(secret).watch(watch))
            together.append(shared.caller(secret).watch(watch))
            assert await both(alone[-1], together[-1])
        for secret in SEATS[:3]:
            await shared.caller(secret).ask("SubmitMove", submission(match.match_id, [by_id(PASS)]))
            heard = [await both(*streams) for streams in zip(alone, together, strict=True)]
            assert len(set(heard[:3])) == 3
            assert set(heard[3:]).isdisjoint(heard[:3])
            assert len(set(heard[3:])) == 1
        for stream in (*alone, *together):
            stream.cancel()


async def both(second: Stream, stranger: Stream) -> bytes:
    """The next message of both, which is the same."""
    first, other = await asyncio.gather(second.read(), stranger.read())
    assert first == other
    return first


async def test_who_takes_a_seat_is_shown_all_of_it_from_the_next_answer_on(shared: Referee, name: str) -> None:
    """Not only what changes from then on."""
    match = planted(name, season(2), holders=[SEATS[0], None])
    await shared.plant(match)
    newcomer = shared.caller(SEATS[1])
    assert not (await seen(newcomer, match.match_id)).view.classic_art.hand
    await newcomer.ask("JoinMatch", service_pb2.JoinMatchRequest(match_id=match.match_id, request_id="join"))
    joined = await seen(newcomer, match.match_id)
    assert (joined.viewer_seat, len(joined.view.classic_art.hand)) == (1, 11)
    again = newcomer.watch(service_pb2.WatchMatchRequest(match_id=match.match_id, after_version=1))
    await shared.caller(SEATS[0]).ask("SubmitMove", submission(match.match_id, [by_id(PASS)]))
    update = (await again.update()).update
    assert (update.match.viewer_seat, len(update.match.view.classic_art.hand)) == (1, 11)
    assert update.match.HasField("prompt")
    again.cancel()
