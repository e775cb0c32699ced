"""Clocks on the wire: what a host may ask for, what players are told of the time, and how it is told who goes out."""

from collections.abc import AsyncIterator
from typing import Any, Final

import pytest

from artreferee.v1 import classic_art_pb2 as pb
from artreferee.v1 import error_pb2, match_pb2, record_pb2, ruleset_pb2, service_pb2
from clients.replay import ReplayError, replay
from clients.sdk import new_request_id
from tests.api.calls import create
from tests.api.faults import assert_refused, by_id, submission
from tests.api.harness import HOST, SEATS, SPECTATOR, Caller, Conversation, Referee, Stream
from tests.games.classic_art.moves import PASS
from tests.table.clock import Clock, machines_show

WEEK_MS: Final = 7 * 24 * 3_600 * 1_000
HOUR_MS: Final = 3_600 * 1_000
NO_MOVE: Final = 1_000_000
TIMED_OUT, FOUL, ABSENT, IN = (
    match_pb2.CAUSE_TIMED_OUT,
    match_pb2.CAUSE_ILLEGAL_MOVES,
    match_pb2.CAUSE_NEVER_JOINED,
    match_pb2.CAUSE_UNSPECIFIED,
)


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    """Of store and replica, in steps that a float holds exactly: eighths of a second."""
    clock = Clock()
    machines_show(monkeypatch, lambda: clock.now_ms / 1_000)
    return clock


@pytest.fixture
async def frozen(clock: Clock) -> AsyncIterator[Referee]:
    """A referee whose time passes when the test says so."""
    referee = Referee()
    referee.shelf.now_ms = clock
    referee.shelf.renew()
    async with referee:
        yield referee


def control(**times: int) -> match_pb2.TimeControl:
    return match_pb2.TimeControl(**times)


def policy(**limits: int) -> match_pb2.FaultPolicy:
    return match_pb2.FaultPolicy(**limits)


def creation(
    name: str, seats: int, *, open_seats: tuple[int, ...] = (), **terms: Any
) -> service_pb2.CreateMatchRequest:
    """Asks for a match in which seat 0 is asked first."""
    return service_pb2.CreateMatchRequest(
        request_id=name,
        ruleset="classic_art",
        options=ruleset_pb2.Options(classic_art=pb.ClassicArtOptions(start_seat=0, max_seasons=1)),
        seats=[
            service_pb2.SeatRequest(principal_hash=None if seat in open_seats else SEATS[seat].hash)
            for seat in range(seats)
        ],
        **terms,
    )


async def created(referee: Referee, seats: int, *, name: str = "create", **terms: Any) -> str:
    match_id: str = (await referee.caller(HOST).ask("CreateMatch", creation(name, seats, **terms))).match_id
    return match_id


async def got(caller: Caller, match_id: str) -> match_pb2.Match:
    response = await caller.ask("GetMatch", service_pb2.GetMatchRequest(match_id=match_id))
    found: match_pb2.Match = response.match
    return found


async def opened(referee: Referee, seat: int) -> Conversation:
    """A Play stream of a seat."""
    stream = referee.caller(SEATS[seat]).play()
    await stream.say(service_pb2.PlayRequest())
    return stream


async def told(stream: Conversation, field: str) -> service_pb2.PlayResponse:
    """All that is told until something is in a field."""
    whole = service_pb2.PlayResponse()
    while not getattr(whole, field):
        whole.MergeFrom(await stream.told())
    return whole


def watch(referee: Referee, match_id: str) -> Stream:
    return referee.caller(SPECTATOR).watch(service_pb2.WatchMatchRequest(match_id=match_id, after_version=0))


async def updates_to_the_end(stream: Stream) -> list[match_pb2.Update]:
    """All updates of a match, read until it is over."""
    messages = (service_pb2.WatchMatchResponse.FromString(message) for message in (await stream.rest()).messages)
    return [message.update for message in messages if message.HasField("update")]


def outs(updates: list[match_pb2.Update]) -> list[tuple[int, int]]:
    """Seat and cause of each that went out."""
    events = [event for update in updates for event in update.events]
    return [(event.seat_out.seat, event.seat_out.cause) for event in events if event.HasField("seat_out")]


# What a host may ask for


@pytest.mark.parametrize(
    ("field", "request_"),
    [
        ("time_control.move_limit_ms", create(time_control=control(move_limit_ms=WEEK_MS + 1))),
        ("time_control.bank_ms", create(time_control=control(bank_ms=WEEK_MS + 1))),
        ("time_control.bank_ms", create(time_control=control(bank_ms=2**32 - 1))),
        ("time_control.increment_ms", create(time_control=control(bank_ms=1, increment_ms=HOUR_MS + 1))),
        ("time_control.increment_ms", create(time_control=control(move_limit_ms=1, increment_ms=1))),
        ("time_control.margin_ms", create(time_control=control(move_limit_ms=1, margin_ms=10_001))),
        ("time_control.margin_ms", create(time_control=control(margin_ms=1))),
        ("fault_policy.join_limit_ms", create(fault_policy=policy(join_limit_ms=WEEK_MS + 1))),
        ("fault_policy.illegal_moves", create(fault_policy=policy(illegal_moves=1_001))),
    ],
)
async def test_terms_that_cannot_be(shared: Referee, field: str, request_: service_pb2.CreateMatchRequest) -> None:
    assert_refused(await shared.caller(HOST).call("CreateMatch", request_), "INVALID_FIELD", field=field)


@pytest.mark.parametrize(
    ("time_control", "fault_policy"),
    [
        (control(move_limit_ms=1), None),
        (control(bank_ms=1), None),
        (
            control(move_limit_ms=WEEK_MS, bank_ms=WEEK_MS, increment_ms=HOUR_MS, margin_ms=10_000),
            policy(join_limit_ms=WEEK_MS, illegal_moves=1_000),
        ),
        (None, policy(illegal_moves=0)),
        (None, policy(join_limit_ms=1)),
        (None, None),
    ],
)
async def test_terms_are_shown_as_they_were_given(
    shared: Referee, time_control: match_pb2.TimeControl | None, fault_policy: match_pb2.FaultPolicy | None
) -> None:
    host = shared.caller(HOST)
    request = creation(new_request_id(), 2, time_control=time_control, fault_policy=fault_policy)
    match = await got(host, (await host.ask("CreateMatch", request)).match_id)
    assert (match.HasField("time_control"), match.HasField("fault_policy")) == (
        time_control is not None,
        fault_policy is not None,
    )
    assert match.time_control == (time_control or control())
    assert match.fault_policy == (fault_policy or policy())


async def test_terms_without_limits_are_none(shared: Referee) -> None:
    match_id = await created(shared, 2, name="no-limits", time_control=control(), fault_policy=policy())
    match = await got(shared.caller(HOST), match_id)
    assert (match.HasField("time_control"), match.HasField("fault_policy")) == (False, False)


async def test_a_creation_repeated_with_other_terms_is_another_request(shared: Referee) -> None:
    await created(shared, 2, name="repeated", time_control=control(move_limit_ms=1_000))
    other = creation("repeated", 2, time_control=control(move_limit_ms=1_001))
    assert_refused(await shared.caller(HOST).call("CreateMatch", other), "REQUEST_ID_REUSED")


# What players are told of the time


async def test_a_prompt_tells_how_much_of_the_limit_is_left_without_the_margin(frozen: Referee, clock: Clock) -> None:
    """The same wherever it is told; nothing is left in the margin, in which an answer is still taken."""
    match_id = await created(frozen, 2, time_control=control(move_limit_ms=1_500, margin_ms=500))
    caller = frozen.caller(SEATS[0])
    for passed_ms, left_ms in ((0, 1_500), (125, 1_375), (1_250, 125), (125, 0), (500, 0)):
        clock.now_ms += passed_ms
        match = await got(caller, match_id)
        assert match.prompt.remaining_ms == left_ms
        watched = caller.watch(service_pb2.WatchMatchRequest(match_id=match_id))
        assert (await watched.update()).snapshot == match
        watched.cancel()
        stream = await opened(frozen, 0)
        assert list((await told(stream, "asked")).asked) == [match]
        stream.cancel()
    await caller.ask("SubmitMove", submission(match_id, [by_id(PASS)]))


async def test_never_more_is_left_than_the_limit(
    frozen: Referee, clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Although the replica, whose machine's clock is slow, takes it for a little earlier than the question."""
    machines_show(monkeypatch, lambda: Clock.now_ms / 1_000)
    clock.now_ms += 250
    match_id = await created(frozen, 2, time_control=control(move_limit_ms=1_500))
    match = await got(frozen.caller(SEATS[0]), match_id)
    assert match.prompt.remaining_ms == 1_500


async def test_only_who_is_asked_is_told_how_much_is_left(frozen: Referee) -> None:
    match_id = await created(frozen, 2, time_control=control(move_limit_ms=1_500))
    for secret in (SEATS[1], SPECTATOR):
        assert not (await got(frozen.caller(secret), match_id)).HasField("prompt")


async def test_without_a_limit_nothing_is_told_of_time(frozen: Referee) -> None:
    match_id = await created(frozen, 2, fault_policy=policy(illegal_moves=3))
    match = await got(frozen.caller(SEATS[0]), match_id)
    assert not match.prompt.HasField("remaining_ms")
    assert [seat.HasField("bank_ms") for seat in match.seats] == [False, False]


async def test_banks_are_public_and_a_prompt_tells_the_lesser_of_limit_and_bank(frozen: Referee, clock: Clock) -> None:
    """By the terms: an answer costs what it took beyond the margin, and earns the increment."""
    terms = control(move_limit_ms=4_000, bank_ms=2_000, increment_ms=125, margin_ms=250)
    match_id = await created(frozen, 2, time_control=terms)
    caller = frozen.caller(SEATS[0])
    assert (await got(caller, match_id)).prompt.remaining_ms == 2_000
    clock.now_ms += 1_000
    response = await caller.ask("SubmitMove", submission(match_id, [by_id(PASS)]))
    for viewer in (frozen.caller(secret) for secret in (*SEATS[:2], SPECTATOR)):
        match = await got(viewer, match_id)
        assert [seat.bank_ms for seat in match.seats] == [2_000 - 750 + 125, 2_000]
    assert [seat.bank_ms for seat in response.match.seats] == [1_375, 2_000]
    second = await got(frozen.caller(SEATS[1]), match_id)
    assert second.prompt.remaining_ms == 2_000


async def test_while_it_thinks_a_seats_bank_is_shown_as_it_was(frozen: Referee, clock: Clock) -> None:
    match_id = await created(frozen, 2, time_control=control(bank_ms=2_000))
    clock.now_ms += 500
    match = await got(frozen.caller(SEATS[0]), match_id)
    assert ([seat.bank_ms for seat in match.seats], match.prompt.remaining_ms) == ([2_000, 2_000], 1_500)


# How it is told who goes out


async def test_watchers_are_told_of_a_time_out_without_any_traffic(referee: Referee) -> None:
    """It is an entry of its own, and the autopilot's moves follow it, marked as such."""
    match_id = await created(referee, 3, time_control=control(move_limit_ms=60))
    updates = await updates_to_the_end(watch(referee, match_id))
    assert outs(updates) == [(0, TIMED_OUT), (1, TIMED_OUT)]
    assert [update.version for update in updates] == list(range(1, len(updates) + 1))
    assert {(update.seat, update.actor) for update in updates[1:-1]} == {(0, match_pb2.ACTOR_AUTOPILOT)}
    [finished] = [event.match_finished for event in updates[-1].events if event.HasField("match_finished")]
    assert [(seat.rank, seat.cause) for seat in finished.result.seats] == [(3, TIMED_OUT), (2, TIMED_OUT), (1, IN)]


async def test_players_at_another_replica_are_told_of_a_time_out_without_any_traffic() -> None:
    """The next one is asked, with its whole time; at the end all are told, who is out too."""
    async with Referee() as one, Referee() as other:
        other.shelf.inner = one.shelf.inner
        streams = [await opened(other, seat) for seat in range(3)]
        await created(one, 3, time_control=control(move_limit_ms=500))
        [asked] = (await told(streams[1], "asked")).asked
        assert [seat.cause for seat in asked.seats] == [TIMED_OUT, IN, IN]
        assert asked.prompt.remaining_ms <= 500
        for stream in streams:
            [ended] = (await told(stream, "ended")).ended
            assert [seat.cause for seat in ended.result.seats] == [TIMED_OUT, TIMED_OUT, IN]
            stream.cancel()


async def test_seats_that_nobody_took_are_told_in_one_moment_with_the_beginning(referee: Referee) -> None:
    match_id = await created(referee, 3, open_seats=(1,), fault_policy=policy(join_limit_ms=60))
    stream = watch(referee, match_id)
    update = (await stream.update()).update
    assert [event.WhichOneof("event") for event in update.events] == ["seat_out", "match_started"]
    assert outs([update]) == [(1, ABSENT)]
    stream.cancel()
    match = await got(referee.caller(SEATS[0]), match_id)
    assert (match.status, match.seats[1].cause, match.prompt.decision_number) == (
        match_pb2.MATCH_STATUS_ACTIVE,
        ABSENT,
        0,
    )


async def test_a_late_answer_is_told_that_its_seat_is_out(frozen: Referee, clock: Clock) -> None:
    """By SubmitMove and over a stream, with the cause; the resignation of a seat that is late is refused alike."""
    terms = control(move_limit_ms=1_000, margin_ms=250)
    match_ids = [await created(frozen, 3, name=f"m{number}", time_control=terms) for number in range(3)]
    stream = await opened(frozen, 0)
    await told(stream, "asked")
    clock.now_ms += 1_375
    caller = frozen.caller(SEATS[0])
    moved = await caller.call("SubmitMove", submission(match_ids[0], [by_id(PASS)]))
    resigned = await caller.call("Resign", service_pb2.ResignRequest(match_id=match_ids[1], request_id="resign"))
    for reply in (moved, resigned):
        assert_refused(reply, "SEAT_OUT", cause="TIMED_OUT")
    move = service_pb2.PlayMove(match_id=match_ids[2], request_id="move", moves=[by_id(PASS)])
    await stream.say(service_pb2.PlayRequest(moves=[move]))
    [outcome] = (await told(stream, "outcomes")).outcomes
    assert outcome.refused.reason == error_pb2.ERROR_REASON_SEAT_OUT
    assert [(pair.key, pair.value) for pair in outcome.refused.metadata] == [("cause", "TIMED_OUT")]
    stream.cancel()


async def test_an_illegal_move_too_many_is_refused_as_such_and_told_to_all(referee: Referee) -> None:
    match_id = await created(referee, 2, fault_policy=policy(illegal_moves=1))
    caller = referee.caller(SEATS[0])
    for number in range(2):
        reply = await caller.call("SubmitMove", submission(match_id, [by_id(NO_MOVE)], f"r{number}"))
        assert_refused(reply, "MALFORMED_MOVE", move=0)
    assert outs(await updates_to_the_end(watch(referee, match_id))) == [(0, FOUL)]


async def test_what_is_counted_as_a_fault_in_a_cached_match_is_what_the_store_holds() -> None:
    """Illegal moves of one seat through two replicas, each of which remembers the match as it was."""
    async with Referee() as one, Referee() as other:
        other.shelf.inner = one.shelf.inner
        match_id = await created(one, 2, fault_policy=policy(illegal_moves=2))
        for number in range(3):
            caller = (one, other)[number % 2].caller(SEATS[0])
            seen = await got(caller, match_id)
            assert seen.seats[0].cause == IN
            await caller.call("SubmitMove", submission(match_id, [by_id(NO_MOVE)], f"r{number}"))
        assert (await got(one.caller(SEATS[0]), match_id)).seats[0].cause == FOUL


# Records


async def played_to_the_end(referee: Referee, match_id: str, seats: tuple[int, ...]) -> None:
    """Lets some seats answer every prompt with its first move."""
    callers = {seat: referee.caller(SEATS[seat]) for seat in seats}
    while True:
        for caller in callers.values():
            match = await got(caller, match_id)
            if match.status == match_pb2.MATCH_STATUS_FINISHED:
                return
            if match.HasField("prompt"):
                number = match.prompt.decision_number
                choice = by_id(match.prompt.legal_moves[0].id)
                await caller.ask("SubmitMove", submission(match_id, [choice], f"r{number}", number))


async def test_a_record_with_every_cause_can_be_replayed(frozen: Referee, clock: Clock) -> None:
    """Seat 4 is never taken, 0 answers late, 1 chooses illegally, and the other two play to the end."""
    times = control(move_limit_ms=1_000, bank_ms=60_000, margin_ms=125)
    limits = policy(join_limit_ms=500, illegal_moves=0)
    match_id = await created(frozen, 5, open_seats=(4,), time_control=times, fault_policy=limits)
    clock.now_ms += 625
    late_join = await frozen.caller(SEATS[4]).call(
        "JoinMatch", service_pb2.JoinMatchRequest(match_id=match_id, request_id="join")
    )
    assert_refused(late_join, "NO_OPEN_SEAT")
    clock.now_ms += 1_250
    reply = await frozen.caller(SEATS[0]).call("SubmitMove", submission(match_id, [by_id(PASS)]))
    assert_refused(reply, "SEAT_OUT", cause="TIMED_OUT")
    clock.now_ms += 250
    reply = await frozen.caller(SEATS[1]).call("SubmitMove", submission(match_id, [by_id(NO_MOVE)]))
    assert_refused(reply, "MALFORMED_MOVE", move=0)
    clock.now_ms += 375
    await played_to_the_end(frozen, match_id, (2, 3))
    record = (await frozen.caller(HOST).ask("GetRecord", service_pb2.GetRecordRequest(match_id=match_id))).record
    assert len(list(replay(record))) == len(record.log)
    assert [seat.cause for seat in record.result.seats] == [TIMED_OUT, FOUL, IN, IN, ABSENT]
    assert [record.result.seats[seat].rank for seat in (4, 0, 1)] == [5, 4, 3]
    assert (record.time_control, record.fault_policy) == (times, limits)
    out = [(entry.seat, entry.out.cause) for entry in record.log if entry.HasField("out")]
    assert out == [(4, ABSENT), (0, TIMED_OUT), (1, FOUL)]
    assert [refusal.seat for refusal in record.refusals] == [0, 1]
    first = next(entry.move for entry in record.log if entry.seat == 2 and entry.HasField("move"))
    assert (first.thinking_ms, first.actor) == (375, match_pb2.ACTOR_PLAYER)
    autopilot = [entry.move for entry in record.log if entry.move.actor == match_pb2.ACTOR_AUTOPILOT]
    assert {move.thinking_ms for move in autopilot} == {0}


async def test_a_record_that_lies_of_who_went_out_is_found_out(frozen: Referee, clock: Clock) -> None:
    """Seats 1 and 2 are never taken and equals, then 0 is late."""
    limits = policy(join_limit_ms=500)
    match_id = await created(
        frozen, 4, open_seats=(1, 2), time_control=control(move_limit_ms=1_000), fault_policy=limits
    )
    clock.now_ms += 625
    join = service_pb2.JoinMatchRequest(match_id=match_id, request_id="late")
    assert_refused(await frozen.caller(SEATS[4]).call("JoinMatch", join), "NO_OPEN_SEAT")
    clock.now_ms += 1_125
    resign = service_pb2.ResignRequest(match_id=match_id, request_id="late")
    assert_refused(await frozen.caller(SEATS[0]).call("Resign", resign), "MATCH_OVER")
    truth = (await frozen.caller(HOST).ask("GetRecord", service_pb2.GetRecordRequest(match_id=match_id))).record
    assert [seat.rank for seat in truth.result.seats] == [2, 3, 3, 1]
    assert [entry.version for entry in truth.log if entry.HasField("out")] == [1, 2, 3]
    assert list(replay(truth))
    for number, changed in (
        (1, {"out_version": 2}),  # later than the one that it went out with
        (2, {"out_version": 1}),  # together with those before
        (2, {"out_version": 7}),
        (2, {"cause": FOUL}),
    ):
        lie = record_pb2.MatchRecord.FromString(truth.SerializeToString())
        lie.log[number].out.MergeFrom(record_pb2.LoggedOut(**changed))
        with pytest.raises(ReplayError):
            list(replay(lie))
    for cause in (IN, match_pb2.CAUSE_RESIGNED):
        lie = record_pb2.MatchRecord.FromString(truth.SerializeToString())
        lie.result.seats[0].cause = cause
        with pytest.raises(ReplayError, match="tells other causes than the log"):
            list(replay(lie))


async def test_a_record_tells_the_outages_and_thinking_times_without_them(frozen: Referee, clock: Clock) -> None:
    """An outage lasts until clients have had five seconds to come back."""
    begun_ms = clock.now_ms
    match_id = await created(frozen, 2, time_control=control(bank_ms=60_000))
    clock.now_ms += 20_000
    await frozen.caller(SEATS[0]).ask("SubmitMove", submission(match_id, [by_id(PASS)]))
    clock.now_ms += 500
    await frozen.caller(SEATS[1]).ask("Resign", service_pb2.ResignRequest(match_id=match_id, request_id="resign"))
    record = (await frozen.caller(HOST).ask("GetRecord", service_pb2.GetRecordRequest(match_id=match_id))).record
    outage = record_pb2.Outage(start_time_ms=begun_ms, end_time_ms=begun_ms + 25_000)
    assert list(record.outages) == [outage]
    assert record.log[0].move.thinking_ms == 0
    assert list(replay(record))
