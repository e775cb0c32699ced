"""Following a match: a snapshot, then one update for each entry of the log, to the end."""

import asyncio
from typing import Final

import pytest

from artreferee.v1 import match_pb2, service_pb2
from referee.games.classic_art.state import Phase
from referee.table.matches import Limits
from referee.table.snapshot import unpack_entry
from tests.api.faults import by_id, submission
from tests.api.harness import SEATS, SPECTATOR, Caller, Referee, Secret, Stream, planted
from tests.games.classic_art.build import last_turn, put, season
from tests.games.classic_art.moves import ETCHING, PASS, PORTRAIT, art, pair, predict

VIEWERS: Final = (*SEATS[:3], SPECTATOR)


def watch(caller: Caller, match_id: str, after: int | None = None) -> Stream:
    return caller.watch(service_pb2.WatchMatchRequest(match_id=match_id, after_version=after))


async def updates_of(stream: Stream, count: int) -> list[match_pb2.Update]:
    messages = [await stream.update() for _ in range(count)]
    assert all(message.HasField("update") for message in messages)
    return [message.update for message in messages]


async def passes(referee: Referee, match_id: str, secret: Secret, decision: int = 0) -> None:
    request = submission(match_id, [by_id(PASS)], f"r{decision}", decision)
    await referee.caller(secret).ask("SubmitMove", request)


def kinds(update: match_pb2.Update) -> list[str]:
    """The events of an update by their names in the contract."""
    return [
        str(event.game.classic_art.WhichOneof("event") if event.HasField("game") else event.WhichOneof("event"))
        for event in update.events
    ]


async def test_a_stream_begins_with_the_match_as_it_is(shared: Referee, name: str) -> None:
    match = planted(name, season(3))
    await shared.plant(match)
    for secret in VIEWERS:
        caller = shared.caller(secret)
        stream = watch(caller, match.match_id)
        seen = await caller.ask("GetMatch", service_pb2.GetMatchRequest(match_id=match.match_id))
        assert (await stream.update()).snapshot == seen.match
        stream.cancel()


@pytest.mark.parametrize("detail", [match_pb2.DETAIL_NONE, match_pb2.DETAIL_IDS, match_pb2.DETAIL_FULL])
async def test_detail_holds_for_snapshot_and_updates(
    shared: Referee, name: str, detail: match_pb2.Detail.ValueType
) -> None:
    match = planted(name, season(2))
    await shared.plant(match)
    caller = shared.caller(SEATS[1])
    stream = caller.watch(service_pb2.WatchMatchRequest(match_id=match.match_id, detail=detail))
    get = service_pb2.GetMatchRequest(match_id=match.match_id, detail=detail)
    assert (await stream.update()).snapshot == (await caller.ask("GetMatch", get)).match
    await passes(shared, match.match_id, SEATS[0])
    [update] = await updates_of(stream, 1)
    assert update.match == (await caller.ask("GetMatch", get)).match
    assert update.match.HasField("prompt")
    stream.cancel()


async def test_every_viewer_gets_one_update_a_version(shared: Referee, name: str) -> None:
    """The same numbers for all; only events and views differ, and a seat's updates carry its prompt."""
    match = planted(name, last_turn(3))
    await shared.plant(match)
    streams = [watch(shared.caller(secret), match.match_id) for secret in VIEWERS]
    for stream in streams:
        await stream.read()
    order = (1, 0, 2)
    for version, seat in enumerate(order, 1):
        legal = await shared.caller(SEATS[seat]).ask("GetMatch", service_pb2.GetMatchRequest(match_id=match.match_id))
        move = submission(match.match_id, [by_id(legal.match.prompt.legal_moves[0].id)])
        await shared.caller(SEATS[seat]).ask("SubmitMove", move)
        for viewer, (secret, stream) in enumerate(zip(VIEWERS, streams, strict=True)):
            [update] = await updates_of(stream, 1)
            assert (update.version, update.seat, update.actor) == (version, seat, match_pb2.ACTOR_PLAYER)
            sealed = [kind for kind in kinds(update) if kind in ("cards_committed", "cards_chosen")]
            assert sealed == ["cards_committed", "cards_chosen"][: 2 if viewer == seat else 1]
            seen = await shared.caller(secret).ask("GetMatch", service_pb2.GetMatchRequest(match_id=match.match_id))
            assert update.match == seen.match
            revealed = ["cards_played"] * 3 + ["season_scored", "season_dealt"] if version == 3 else []
            assert [kind for kind in kinds(update) if kind not in ("cards_committed", "cards_chosen")] == revealed
    for stream in streams:
        stream.cancel()


async def test_joining_starting_resigning_and_the_end_are_told(shared: Referee, name: str) -> None:
    match = planted(name, season(3), holders=[SEATS[0], None, None])
    await shared.plant(match)
    stream = watch(shared.caller(SPECTATOR), match.match_id)
    await stream.read()
    for seat in (2, 1):
        join = service_pb2.JoinMatchRequest(match_id=match.match_id, request_id="j", seat=seat)
        await shared.caller(SEATS[seat]).ask("JoinMatch", join)
    joined, started = await updates_of(stream, 2)
    assert (joined.seat, kinds(joined), joined.actor) == (2, ["seat_joined"], match_pb2.ACTOR_UNSPECIFIED)
    assert (started.seat, kinds(started)) == (1, ["seat_joined", "match_started"])
    for seat in (1, 0):
        resign = service_pb2.ResignRequest(match_id=match.match_id, request_id="r")
        await shared.caller(SEATS[seat]).ask("Resign", resign)
    told = [service_pb2.WatchMatchResponse.FromString(raw) for raw in (await stream.rest()).messages]
    assert told[0].update.seat == 1
    assert kinds(told[0].update)[0] == "seat_resigned"
    last = told[-1].update
    assert kinds(last) == ["seat_resigned", "match_finished"]
    assert last.events[-1].match_finished.result == last.match.result
    assert last.match.status == match_pb2.MATCH_STATUS_FINISHED


async def test_the_autopilots_moves_are_marked(shared: Referee, name: str) -> None:
    """Three seats, the one to act resigns: it passes by itself, in the same write."""
    match = planted(name, season(3))
    await shared.plant(match)
    stream = watch(shared.caller(SPECTATOR), match.match_id)
    await stream.read()
    resign = service_pb2.ResignRequest(match_id=match.match_id, request_id="r")
    assert (await shared.caller(SEATS[0]).ask("Resign", resign)).version == 1
    resigned, passed = await updates_of(stream, 2)
    assert (resigned.version, kinds(resigned), resigned.actor) == (1, ["seat_resigned"], match_pb2.ACTOR_UNSPECIFIED)
    assert (passed.version, passed.seat, kinds(passed)) == (2, 0, ["passed"])
    assert passed.actor == match_pb2.ACTOR_AUTOPILOT
    assert passed.match.seats[0].cause == match_pb2.CAUSE_RESIGNED
    stream.cancel()


async def test_a_stream_keeps_the_eyes_that_it_began_with(shared: Referee, name: str) -> None:
    """Whoever takes a seat sees its hand in a new stream; the one that was opened in public stays public."""
    match = planted(name, season(2), holders=[SEATS[0], None])
    await shared.plant(match)
    newcomer = shared.caller(SEATS[4])
    public = watch(newcomer, match.match_id)
    await public.read()
    await newcomer.ask("JoinMatch", service_pb2.JoinMatchRequest(match_id=match.match_id, request_id="j"))
    [update] = await updates_of(public, 1)
    assert not update.match.HasField("viewer_seat")
    assert not update.match.view.classic_art.hand
    own = watch(newcomer, match.match_id)
    snapshot = (await own.update()).snapshot
    assert snapshot.viewer_seat == 1
    assert len(snapshot.view.classic_art.hand) == 11
    for stream in (public, own):
        stream.cancel()


async def test_a_stream_resumes_after_a_version(shared: Referee, name: str) -> None:
    """What was missed comes update by update, the newest with the match; then it goes on."""
    match = planted(name, season(3))
    await shared.plant(match)
    for secret in SEATS[:2]:
        await passes(shared, match.match_id, secret)
    for after in (0, 1, 2):
        stream = watch(shared.caller(SPECTATOR), match.match_id, after)
        updates = await updates_of(stream, 2 - after)
        assert [update.version for update in updates] == list(range(after + 1, 3))
        assert [update.HasField("match") for update in updates] == [False, True][after:]
        stream.cancel()
    stream = watch(shared.caller(SPECTATOR), match.match_id, 2)
    await passes(shared, match.match_id, SEATS[2])
    [update] = await updates_of(stream, 1)
    assert update.version == 3
    stream.cancel()


@pytest.mark.parametrize("after", [4, 2**64 - 1])
async def test_a_version_that_is_not_reached_yet_gives_a_snapshot(shared: Referee, name: str, after: int) -> None:
    """The watcher may have talked to a store that lost the rest."""
    match = planted(name, season(3))
    await shared.plant(match)
    await passes(shared, match.match_id, SEATS[0])
    stream = watch(shared.caller(SPECTATOR), match.match_id, after)
    assert (await stream.update()).snapshot.version == 1
    stream.cancel()


async def test_whoever_missed_very_much_gets_a_snapshot(shared: Referee, name: str) -> None:
    """A log of a thousand entries is not told one by one."""
    template = planted(name, season(3))
    await shared.plant(template)
    await passes(shared, template.match_id, SEATS[0])
    [logged] = await shared.shelf.inner.log(template.match_id, 0, 1)
    long = planted(f"{name} long", season(3), entries=[unpack_entry(logged.entry)] * 1_000)
    await shared.plant(long)
    stream = watch(shared.caller(SPECTATOR), long.match_id, 0)
    assert (await stream.update()).snapshot.version == 1_000
    stream.cancel()


async def test_a_stream_ends_with_ok_after_the_end(shared: Referee, name: str) -> None:
    """For those who follow it, who come later, and who come back."""
    match = planted(name, season(2))
    await shared.plant(match)
    follower = watch(shared.caller(SEATS[1]), match.match_id)
    await follower.read()
    resign = service_pb2.ResignRequest(match_id=match.match_id, request_id="r")
    await shared.caller(SEATS[0]).ask("Resign", resign)
    ends = [
        await stream.rest()
        for stream in (
            follower,
            watch(shared.caller(SEATS[1]), match.match_id),
            watch(shared.caller(SEATS[1]), match.match_id, 0),
            watch(shared.caller(SEATS[1]), match.match_id, 1),
        )
    ]
    assert [end.reason for end in ends] == ["OK"] * 4
    told = [[service_pb2.WatchMatchResponse.FromString(raw) for raw in end.messages] for end in ends]
    assert [[message.WhichOneof("message") for message in messages] for messages in told] == [
        ["update"],
        ["snapshot"],
        ["update"],
        [],
    ]
    assert told[0] == told[2]
    assert told[1][0].snapshot == told[0][0].update.match


async def test_a_quiet_stream_shows_that_it_lives(name: str) -> None:
    async with Referee(Limits(heartbeat_s=0.01)) as referee:
        match = planted(name, season(2))
        await referee.plant(match)
        stream = watch(referee.caller(SPECTATOR), match.match_id)
        await stream.read()
        assert [(await stream.update()).heartbeat.version for _ in range(3)] == [0, 0, 0]
        await passes(referee, match.match_id, SEATS[0])
        while (message := await stream.update()).HasField("heartbeat"):
            assert message.heartbeat.version == 0
        assert message.update.version == 1
        assert (await stream.update()).heartbeat.version == 1
        stream.cancel()


async def test_refused_calls_are_not_told(shared: Referee, name: str) -> None:
    """The next thing that a watcher hears of is the next accepted move."""
    match = planted(name, season(2))
    await shared.plant(match)
    streams = [watch(shared.caller(secret), match.match_id) for secret in (SEATS[0], SEATS[1], SPECTATOR)]
    for stream in streams:
        await stream.read()
    for number in range(5):
        refused = submission(match.match_id, [by_id(pair(*art(PORTRAIT, 2)))], f"refused{number}")
        assert (await shared.caller(SEATS[0]).call("SubmitMove", refused)).reason == "ILLEGAL_MOVE"
    await passes(shared, match.match_id, SEATS[0])
    for stream in streams:
        [update] = await updates_of(stream, 1)
        assert (update.version, kinds(update)) == (1, ["passed"])
        stream.cancel()


async def test_no_step_of_a_refused_call_is_told(shared: Referee, name: str) -> None:
    """Of two moves the second is illegal: the cards of the first are seen by nobody, and may be others next time."""
    state = season(3, hands=[art(PORTRAIT, 11)])
    state.phase = Phase.PLAY
    put(state, 1, ETCHING, "1-")
    match = planted(name, state)
    await shared.plant(match)
    streams = [watch(shared.caller(secret), match.match_id) for secret in VIEWERS]
    for stream in streams:
        await stream.read()
    player, cards = shared.caller(SEATS[0]), by_id(pair(*art(PORTRAIT, 2)))
    refused = submission(match.match_id, [cards, by_id(predict(ETCHING, "1-"))], "refused")
    assert (await player.call("SubmitMove", refused)).reason == "ILLEGAL_MOVE"
    await player.ask("SubmitMove", submission(match.match_id, [cards, by_id(PASS)], "played"))
    for stream in streams:
        assert [kinds(update) for update in await updates_of(stream, 2)] == [["cards_played"], ["passed"]]
        stream.cancel()


async def test_watchers_that_went_away_are_forgotten(referee: Referee, name: str) -> None:
    match = planted(name, season(2))
    await referee.plant(match)
    streams = [watch(referee.caller(SPECTATOR), match.match_id) for _ in range(50)]
    for stream in streams:
        await stream.read()
    assert referee.shelf.followers == 50
    for stream in streams:
        stream.cancel()
    async with asyncio.timeout(10):
        await referee.shelf.deserted.wait()
    await passes(referee, match.match_id, SEATS[0])


async def test_a_watcher_that_does_not_read_delays_nobody(referee: Referee, name: str) -> None:
    """It is told of the rest, or of the match as it is, when it reads again."""
    match = planted(name, season(2))
    await referee.plant(match)
    idle = watch(referee.caller(SPECTATOR), match.match_id)
    await idle.read()
    callers = [referee.caller(secret) for secret in SEATS[:2]]
    get = service_pb2.GetMatchRequest(match_id=match.match_id)
    for number in range(300):
        seen = [(await caller.ask("GetMatch", get)).match for caller in callers]
        if seen[0].status == match_pb2.MATCH_STATUS_FINISHED:
            break
        seat = next(seat for seat in (0, 1) if seen[seat].HasField("prompt"))
        prompt = seen[seat].prompt
        move = submission(match.match_id, [by_id(prompt.legal_moves[0].id)], f"r{number}", prompt.decision_number)
        await callers[seat].ask("SubmitMove", move)
    version, told = (await callers[0].ask("GetMatch", get)).match.version, 0
    while told < version:
        message = await idle.update()
        told = message.snapshot.version or message.update.version
    assert told == version
    idle.cancel()
