"""Signs of life on the wire: every call is one, and every open stream; who stays away goes out, as all are told."""

from collections.abc import AsyncIterator
from typing import Any, Final

import grpc
import pytest
from google.protobuf.message import Message

from artreferee.v1 import match_pb2, record_pb2, service_pb2
from clients.replay import ReplayError, replay
from referee.api.quotas import Quotas
from tests.api.calls import ABSENT
from tests.api.faults import assert_refused, by_id, submission
from tests.api.harness import HOST, SEATS, SPECTATOR, Caller, Referee
from tests.api.test_clocks import (
    IN,
    NO_MOVE,
    TIMED_OUT,
    control,
    created,
    got,
    outs,
    played_to_the_end,
    policy,
    updates_to_the_end,
    watch,
)
from tests.games.classic_art.moves import PASS
from tests.servers import eventually
from tests.table.clock import Clock, machines_show

GRACE_MS: Final = 8_000
OVER_MS: Final = 10_000  # so long after the last sign of life it is noticed that somebody is away
LONG_MS: Final = 3_600_000
AWAY: Final = match_pb2.CAUSE_DISCONNECTED


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    """Of store and replica, in steps that a float holds exactly: eighths of a second."""
    clock = Clock()
    machines_show(monkeypatch, lambda: clock.now_ms / 1_000)
    return clock


@pytest.fixture
async def frozen(clock: Clock) -> AsyncIterator[Referee]:
    """A referee whose time passes when the test says so."""
    async with frozen_at(clock) as referee:
        yield referee


def frozen_at(clock: Clock, **settings: Any) -> Referee:
    referee = Referee(**settings)
    referee.shelf.now_ms = clock
    referee.shelf.renew()
    return referee


async def passes(clock: Clock, ms: int, referee: Referee) -> None:
    """Lets time pass, in which the replica is at work."""
    table = referee.server._table
    while ms > 0:
        await clock.goes_on(min(250, ms), table)
        await table.presence.keep()
        ms -= 250


async def cause_of(referee: Referee, match_id: str) -> int:
    """Why seat 0 is out, once somebody has looked."""
    await referee.server._table._matches.expire(match_id)  # type: ignore[arg-type]
    return (await got(referee.caller(SPECTATOR), match_id)).seats[0].cause


CALLS: Final[dict[str, tuple[str, Message | bytes]]] = {
    "about another match": ("GetMatch", service_pb2.GetMatchRequest(match_id=ABSENT)),
    "about no match": ("ListMatches", service_pb2.ListMatchesRequest()),
    "that creates one": ("CreateMatch", service_pb2.CreateMatchRequest(request_id="bad")),
    "that is no request": ("SubmitMove", b"\xff\xff"),
    "with a field that is unknown": ("GetRecord", b"\x9a\x3f\x00"),
    "that is refused": ("ReleaseRecords", service_pb2.ReleaseRecordsRequest(request_id="r", match_ids=[ABSENT])),
    "that opens a stream in vain": ("WatchMatch", service_pb2.WatchMatchRequest(match_id=ABSENT)),
    "that opens a stream and ends it": ("Play", service_pb2.PlayRequest()),
}


@pytest.mark.parametrize("what", CALLS)
async def test_every_call_is_a_sign_of_life(frozen: Referee, clock: Clock, what: str) -> None:
    match_id = await created(frozen, 2, fault_policy=policy(disconnect_grace_ms=GRACE_MS))
    await passes(clock, GRACE_MS, frozen)
    method, request = CALLS[what]
    await frozen.caller(SEATS[0]).call(method, request)
    await passes(clock, GRACE_MS, frozen)
    assert await cause_of(frozen, match_id) == IN
    await passes(clock, OVER_MS - GRACE_MS + 250, frozen)
    assert await cause_of(frozen, match_id) == AWAY


async def test_a_call_that_is_refused_for_its_rate_is_a_sign_of_life(clock: Clock) -> None:
    async with frozen_at(clock, quotas=Quotas(call_rate=0.1)) as referee:
        match_id = await created(referee, 2, fault_policy=policy(disconnect_grace_ms=GRACE_MS))
        caller, request = referee.caller(SEATS[0]), service_pb2.GetMatchRequest(match_id=ABSENT)
        while (await caller.call("GetMatch", request)).reason != "RATE_LIMITED":
            pass
        await passes(clock, GRACE_MS, referee)
        assert (await caller.call("GetMatch", request)).reason == "RATE_LIMITED"
        await passes(clock, GRACE_MS, referee)
        assert await cause_of(referee, match_id) == IN


async def test_calls_of_others_and_without_a_principal_are_none(frozen: Referee, clock: Clock) -> None:
    match_id = await created(frozen, 2, fault_policy=policy(disconnect_grace_ms=GRACE_MS))
    await passes(clock, GRACE_MS, frozen)
    for who in (frozen.caller(SEATS[1]), frozen.caller(SPECTATOR), frozen.caller(HOST), frozen.caller(None)):
        await who.call("GetMatch", service_pb2.GetMatchRequest(match_id=match_id))
    await passes(clock, OVER_MS - GRACE_MS + 125, frozen)
    assert await cause_of(frozen, match_id) == AWAY


@pytest.mark.parametrize("method", ["WatchMatch", "Play"])
async def test_an_open_stream_is_a_sign_of_life_although_nothing_is_said_on_it(
    frozen: Referee, clock: Clock, method: str
) -> None:
    """While it is open the seat has what its clock gives it; then its grace."""
    match_id = await created(frozen, 2, fault_policy=policy(disconnect_grace_ms=GRACE_MS))
    async with grpc.aio.insecure_channel(f"127.0.0.1:{frozen.server.port}") as channel:
        caller = Referee.caller_on(channel, SEATS[0])
        if method == "Play":
            stream = caller.play()
            await stream.say(service_pb2.PlayRequest())
        else:
            stream = caller.watch(service_pb2.WatchMatchRequest(match_id=match_id))  # type: ignore[assignment]
        await stream.read()
        await passes(clock, 3 * OVER_MS, frozen)
        assert await cause_of(frozen, match_id) == IN
    await eventually(lambda: is_gone(frozen))
    await passes(clock, OVER_MS + 500, frozen)
    assert await cause_of(frozen, match_id) == AWAY


async def is_gone(referee: Referee) -> bool:
    return not referee.server._table.presence._there


async def test_who_is_there_and_does_not_answer_is_late_and_not_away(frozen: Referee, clock: Clock) -> None:
    match_id = await created(
        frozen,
        2,
        time_control=control(move_limit_ms=3 * OVER_MS),
        fault_policy=policy(disconnect_grace_ms=GRACE_MS),
    )
    stream = frozen.caller(SEATS[0]).play()
    await stream.say(service_pb2.PlayRequest())
    await stream.told()
    await passes(clock, 3 * OVER_MS + 125, frozen)
    assert await cause_of(frozen, match_id) == TIMED_OUT
    stream.cancel()


async def test_watchers_are_told_who_is_away_without_any_traffic(referee: Referee) -> None:
    match_id = await created(referee, 3, fault_policy=policy(disconnect_grace_ms=100))
    updates = await updates_to_the_end(watch(referee, match_id))
    assert outs(updates) == [(0, AWAY), (1, AWAY)]
    [finished] = [event.match_finished for event in updates[-1].events if event.HasField("match_finished")]
    assert [(seat.rank, seat.cause) for seat in finished.result.seats] == [(3, AWAY), (2, AWAY), (1, IN)]


async def test_who_is_out_is_told_why(frozen: Referee, clock: Clock) -> None:
    match_id = await created(frozen, 3, fault_policy=policy(disconnect_grace_ms=GRACE_MS))
    await passes(clock, OVER_MS + 125, frozen)
    assert await cause_of(frozen, match_id) == AWAY
    reply = await frozen.caller(SEATS[0]).call("SubmitMove", submission(match_id, [by_id(PASS)]))
    assert_refused(reply, "SEAT_OUT", cause="DISCONNECTED")


async def record_of(caller: Caller, match_id: str) -> record_pb2.MatchRecord:
    record: record_pb2.MatchRecord = (
        await caller.ask("GetRecord", service_pb2.GetRecordRequest(match_id=match_id))
    ).record
    return record


async def test_a_record_of_one_who_stayed_away_can_be_replayed(frozen: Referee, clock: Clock) -> None:
    limits = policy(disconnect_grace_ms=GRACE_MS)
    match_id = await created(frozen, 3, fault_policy=limits)
    await passes(clock, OVER_MS + 125, frozen)
    assert await cause_of(frozen, match_id) == AWAY
    await played_to_the_end(frozen, match_id, (1, 2))
    record = await record_of(frozen.caller(HOST), match_id)
    steps = list(replay(record))
    assert steps[0].text == "goes out: disconnected"
    assert record.fault_policy == limits
    assert [(seat.cause, seat.rank == 3) for seat in record.result.seats] == [(AWAY, True), (IN, False), (IN, False)]
    lie = record_pb2.MatchRecord.FromString(record.SerializeToString())
    lie.log[0].out.cause = TIMED_OUT
    with pytest.raises(ReplayError, match="tells other causes than the log"):
        list(replay(lie))


async def test_a_record_of_some_who_went_out_together_for_different_causes_can_be_replayed(
    frozen: Referee, clock: Clock
) -> None:
    """In the sealed last turn, in which all are asked at once: 0 is away, 1 is there and late, 2 has chosen."""
    match_id = await created(
        frozen,
        3,
        time_control=control(move_limit_ms=OVER_MS + 1_000),
        fault_policy=policy(disconnect_grace_ms=GRACE_MS),
    )
    await played_until_all_are_asked(frozen, match_id)
    match = await got(frozen.caller(SEATS[2]), match_id)
    while match.HasField("prompt"):
        number, move = match.prompt.decision_number, match.prompt.legal_moves[0].id
        await frozen.caller(SEATS[2]).ask("SubmitMove", submission(match_id, [by_id(move)], f"r{number}", number))
        match = await got(frozen.caller(SEATS[2]), match_id)
    await passes(clock, 2_000, frozen)
    await frozen.caller(SEATS[1]).call("GetMatch", service_pb2.GetMatchRequest(match_id=match_id))
    clock.now_ms += 2_000
    await passes(clock, OVER_MS - 2_000, frozen)
    await cause_of(frozen, match_id)
    record = await record_of(frozen.caller(HOST), match_id)
    gone = [(entry.seat, entry.out.cause) for entry in record.log if entry.HasField("out")]
    assert gone == [(0, AWAY), (1, TIMED_OUT)]
    assert [seat.rank for seat in record.result.seats] == [2, 2, 1]
    assert list(replay(record))


async def played_until_all_are_asked(referee: Referee, match_id: str) -> None:
    """Lets whoever is asked alone choose the first move."""
    while True:
        seen = await got(referee.caller(SPECTATOR), match_id)
        due = [seat for seat in range(3) if seen.seats[seat].to_act]
        if len(due) == 3:
            return
        caller = referee.caller(SEATS[due[0]])
        prompt = (await got(caller, match_id)).prompt
        request = submission(
            match_id, [by_id(prompt.legal_moves[0].id)], f"a{prompt.decision_number}", prompt.decision_number
        )
        await caller.ask("SubmitMove", request)


async def test_illegal_moves_are_signs_of_life(frozen: Referee, clock: Clock) -> None:
    match_id = await created(frozen, 2, fault_policy=policy(disconnect_grace_ms=GRACE_MS))
    for number in range(4):
        await passes(clock, GRACE_MS - 1_000, frozen)
        reply = await frozen.caller(SEATS[0]).call("SubmitMove", submission(match_id, [by_id(NO_MOVE)], f"r{number}"))
        assert_refused(reply, "MALFORMED_MOVE", move=0)
    assert await cause_of(frozen, match_id) == IN
