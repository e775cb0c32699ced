"""Bot seeds: randomness for the program on a seat, told once, to whoever holds the seat, and to nobody else."""

from typing import Final

import pytest

from artreferee.v1 import match_pb2, service_pb2
from tests.api.faults import assert_refused, by_id, submission
from tests.api.harness import HOST, SEATS, SPECTATOR, Caller, Referee, Secret
from tests.api.test_operators import match_of, operators, record_of, to_move
from tests.api.test_play_faults import opened, told
from tests.games.classic_art.moves import PASS

SEEDS: Final = tuple(bytes((65 + seat,)) * 32 for seat in range(3))


async def created(referee: Referee, *holders: Secret | None) -> str:
    """A match with a bot seed for each seat."""
    request = service_pb2.CreateMatchRequest(request_id="c", ruleset="classic_art")
    for secret, bot_seed in zip(holders, SEEDS, strict=False):
        request.seats.add(principal_hash=secret and secret.hash, bot_seed=bot_seed)
    response: service_pb2.CreateMatchResponse = await referee.caller(HOST).ask("CreateMatch", request)
    return response.match_id


async def snapshot_of(caller: Caller, match_id: str) -> match_pb2.Match:
    stream = caller.watch(service_pb2.WatchMatchRequest(match_id=match_id))
    snapshot = (await stream.update()).snapshot
    stream.cancel()
    return snapshot


async def test_the_holder_of_a_seat_is_told_its_bot_seed_and_no_other(referee: Referee) -> None:
    """By GetMatch at any detail, and in a snapshot of WatchMatch."""
    match_id = await created(referee, *SEATS[:2])
    for seat, bot_seed in enumerate(SEEDS[:2]):
        player = referee.caller(SEATS[seat])
        for detail in match_pb2.Detail.values():
            get = service_pb2.GetMatchRequest(match_id=match_id, detail=detail)
            assert (await player.ask("GetMatch", get)).match.bot_seed == bot_seed
        assert (await snapshot_of(player, match_id)).bot_seed == bot_seed
    for stranger in (HOST, SPECTATOR):
        assert not (await match_of(referee.caller(stranger), match_id)).HasField("bot_seed")
        assert not (await snapshot_of(referee.caller(stranger), match_id)).HasField("bot_seed")


async def test_it_is_not_told_again_with_moves_and_updates(referee: Referee) -> None:
    match_id = await created(referee, SEATS[0], SEATS[0])
    player = referee.caller(SEATS[0])
    stream = player.watch(service_pb2.WatchMatchRequest(match_id=match_id, seat=0))
    await stream.read()
    move = submission(match_id, [by_id(PASS)])
    move.seat = await to_move(referee, match_id)
    response: service_pb2.SubmitMoveResponse = await player.ask("SubmitMove", move)
    listed = await player.ask("ListMatches", service_pb2.ListMatchesRequest(mine=True))
    update = (await stream.update()).update
    stream.cancel()
    assert [match.match_id for match in (response.match, update.match, *listed.matches)] == [match_id] * 3
    assert not any(match.HasField("bot_seed") for match in (response.match, update.match, *listed.matches))


async def test_a_player_on_a_stream_is_told_it_with_its_seat(referee: Referee) -> None:
    """Once for each seat, and not with what the seat is asked and how the match ends."""
    match_id = await created(referee, SEATS[0], SEATS[0])
    stream = await opened(referee.caller(SEATS[0]))
    news = await told(stream, lambda news: news.asked)
    assert [(match.viewer_seat, match.bot_seed) for match in news.seated] == list(enumerate(SEEDS[:2]))
    seat = news.asked[0].viewer_seat
    resignation = service_pb2.ResignRequest(request_id="resign", match_id=match_id, seat=seat)
    await referee.caller(SEATS[0]).ask("Resign", resignation)
    news.MergeFrom(await told(stream, lambda news: news.ended))
    assert (len(news.seated), len(news.ended)) == (2, 2)
    assert not any(match.HasField("bot_seed") for match in (*news.asked, *news.ended))


async def test_who_takes_an_open_seat_is_told_its_bot_seed(referee: Referee) -> None:
    """Also on a stream that knows the match already, by another seat."""
    match_id = await created(referee, SEATS[0], None, None)
    stream = await opened(referee.caller(SEATS[0]))
    first = await told(stream, lambda news: news.seated)
    for secret, seat in ((SEATS[1], 1), (SEATS[0], 2)):
        join = service_pb2.JoinMatchRequest(request_id=f"join-{seat}", match_id=match_id, seat=seat)
        assert not (await match_of(referee.caller(SPECTATOR), match_id)).HasField("bot_seed")
        await referee.caller(secret).ask("JoinMatch", join)
    assert (await match_of(referee.caller(SEATS[1]), match_id)).bot_seed == SEEDS[1]
    second = await told(stream, lambda news: news.seated)
    seated = [(match.viewer_seat, match.bot_seed) for match in (*first.seated, *second.seated)]
    assert seated == [(0, SEEDS[0]), (2, SEEDS[2])]


async def test_it_stays_with_the_seat_when_an_operator_gives_the_seat_away(referee: Referee) -> None:
    match_id = await created(referee, *SEATS[:2])
    stream = await opened(referee.caller(SEATS[4]))
    await operators(referee).reseat(match_id, 1, SEATS[4].hash)  # type: ignore[arg-type]
    assert [match.bot_seed for match in (await told(stream, lambda news: news.seated)).seated] == [SEEDS[1]]
    assert (await match_of(referee.caller(SEATS[4]), match_id)).bot_seed == SEEDS[1]
    assert not (await match_of(referee.caller(SEATS[1]), match_id)).HasField("bot_seed")


async def test_the_record_tells_all_of_them(referee: Referee) -> None:
    match_id = await created(referee, *SEATS[:2])
    resignation = service_pb2.ResignRequest(request_id="resign", match_id=match_id)
    await referee.caller(SEATS[0]).ask("Resign", resignation)
    record = await record_of(referee, match_id)
    assert [seat.bot_seed for seat in record.seats] == list(SEEDS[:2])


async def test_a_seat_may_have_one_where_others_have_none(referee: Referee) -> None:
    request = service_pb2.CreateMatchRequest(request_id="c", ruleset="classic_art")
    request.seats.add(principal_hash=SEATS[0].hash)
    request.seats.add(principal_hash=SEATS[1].hash, bot_seed=SEEDS[1])
    match_id = (await referee.caller(HOST).ask("CreateMatch", request)).match_id
    matches = [await match_of(referee.caller(secret), match_id) for secret in SEATS[:2]]
    assert [match.HasField("bot_seed") for match in matches] == [False, True]
    await referee.caller(SEATS[0]).ask("Resign", service_pb2.ResignRequest(request_id="resign", match_id=match_id))
    record = await record_of(referee, match_id)
    assert [seat.HasField("bot_seed") for seat in record.seats] == [False, True]


@pytest.mark.parametrize("length", [0, 31, 33])
async def test_one_of_another_length_is_refused(referee: Referee, length: int) -> None:
    request = service_pb2.CreateMatchRequest(request_id="c", ruleset="classic_art")
    request.seats.add()
    request.seats.add(bot_seed=bytes(length))
    reply = await referee.caller(HOST).call("CreateMatch", request)
    problem = f"has {length} bytes, expected 32"
    assert_refused(reply, "INVALID_FIELD", field="seats[1].bot_seed", problem=problem)


async def test_a_creation_repeated_with_other_bot_seeds_is_another_request(referee: Referee) -> None:
    """With the same ones it finds the same match."""
    match_id = await created(referee, *SEATS[:2])
    assert await created(referee, *SEATS[:2]) == match_id
    bare = service_pb2.CreateMatchRequest(request_id="c", ruleset="classic_art")
    for secret in SEATS[:2]:
        bare.seats.add(principal_hash=secret.hash)
    assert_refused(await referee.caller(HOST).call("CreateMatch", bare), "REQUEST_ID_REUSED")
