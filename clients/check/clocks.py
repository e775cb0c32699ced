"""Limited time and limited patience: who goes out, when, and how it is told."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any, Final

from artreferee.v1 import match_pb2, record_pb2, service_pb2
from clients.check import calls
from clients.check.calls import Stream
from clients.check.checks import CheckFailedError, CheckSkippedError, check, equal, expect
from clients.check.reasons import refused
from clients.check.subject import Sitting, Subject, creation_of

_SOON_MS: Final = 300
_LONG_MS: Final = 600_000
_INCREMENT_MS: Final = 5_000
_SLACK_MS: Final = 10_000  # for calls on a slow way, or an outage that is left out
_SEATS: Final = 3
_BORNE: Final = 2  # illegal moves
_NOTICED_S: Final = 3.0  # more than a grace of that and the second in which absence is noticed
_AWAY: Final = match_pb2.CAUSE_DISCONNECTED

Watch = Stream[service_pb2.WatchMatchResponse]


@check
async def time_is_shown_as_given(subject: Subject) -> None:
    """A match shows its time_control and fault_policy as given; a prompt tells remaining_ms where time is limited."""
    control = match_pb2.TimeControl(move_limit_ms=_LONG_MS, bank_ms=2 * _LONG_MS, increment_ms=7, margin_ms=11)
    policy = match_pb2.FaultPolicy(join_limit_ms=_LONG_MS, illegal_moves=3, disconnect_grace_ms=_LONG_MS)
    sitting = await subject.sit(subject.simplest(), time_control=control, fault_policy=policy)
    _, match = await sitting.one_asked()
    equal("the time_control", match.time_control, control)
    equal("the fault_policy", match.fault_policy, policy)
    left = match.prompt.remaining_ms
    most = _LONG_MS + _SLACK_MS
    expect(0 < left <= most, f"the remaining_ms of a prompt is {left}, expected about the limit of {_LONG_MS}")
    equal("the banks at first", [seat.bank_ms for seat in match.seats], [2 * _LONG_MS] * len(match.seats))
    _, untimed = await (await subject.sit(subject.simplest())).one_asked()
    expect(not untimed.HasField("time_control"), "a match without limits shows a time_control, expected none")
    expect(not untimed.prompt.HasField("remaining_ms"), "a prompt without a limit tells remaining_ms, expected none")


@check
async def wrong_limits(subject: Subject) -> None:
    """CreateMatch is refused with INVALID_FIELD, which names the limit, for one above what the contract allows."""
    week, hour, longest_margin = 7 * 24 * 3600 * 1000, 3600 * 1000, 10_000
    ruleset, host = subject.simplest(), subject.caller()
    for field, changes in (
        ("time_control.move_limit_ms", _control(move_limit_ms=week + 1)),
        ("time_control.bank_ms", _control(bank_ms=week + 1)),
        ("time_control.increment_ms", _control(bank_ms=1000, increment_ms=hour + 1)),
        ("time_control.margin_ms", _control(bank_ms=1000, margin_ms=longest_margin + 1)),
        ("fault_policy.join_limit_ms", _policy(join_limit_ms=week + 1)),
        ("fault_policy.disconnect_grace_ms", _policy(disconnect_grace_ms=week + 1)),
    ):
        reply = await host.call(calls.CREATE_MATCH, creation_of(ruleset, ruleset.min_seats, **changes))
        refused(f"CreateMatch with a {field} above its limit", reply, "INVALID_FIELD", field=field)


def _control(**limits: int) -> dict[str, Any]:
    return {"time_control": match_pb2.TimeControl(**limits)}


def _policy(**limits: int) -> dict[str, Any]:
    return {"fault_policy": match_pb2.FaultPolicy(**limits)}


@check
async def a_bank_pays_for_thinking(subject: Subject) -> None:
    """An answer takes its time from the seat's bank and adds the increment; the others' banks stay as they are."""
    control = match_pb2.TimeControl(bank_ms=_LONG_MS, increment_ms=_INCREMENT_MS)
    sitting = await subject.sit(subject.simplest(), time_control=control)
    began = asyncio.get_running_loop().time()
    mover, _ = await sitting.one_asked()
    await sitting.play()
    taken_ms = (asyncio.get_running_loop().time() - began) * 1000 + _SLACK_MS
    after = [seat.bank_ms for seat in (await sitting.see(None)).seats]
    for seat, bank in enumerate(after):
        if seat != mover:
            equal("the bank of a seat that was not asked", bank, _LONG_MS)
    most = _LONG_MS + _INCREMENT_MS
    expect(
        most - taken_ms <= after[mover] <= most,
        f"the bank after a quick answer is {after[mover]}, expected up to {most}",
    )


@check
async def who_is_late_goes_out(subject: Subject) -> None:
    """A seat that does not answer in time goes out, TIMED_OUT; the autopilot plays it on until one seat is left."""
    sitting = await _seated(subject, **_control(move_limit_ms=_SOON_MS))
    outs = await _told_to_the_end(sitting)
    causes = {seat: cause for _, seat, cause in outs}
    equal("the causes of seats that were late", {*causes.values()}, {match_pb2.CAUSE_TIMED_OUT})
    equal("how many seats went out", len(outs), len(sitting.players) - 1)
    record = await _record(sitting)
    logged = [(entry.version, entry.seat, entry.out.cause) for entry in record.log if entry.HasField("out")]
    equal("the seats that went out by the record", logged, outs)
    for entry in record.log:
        if entry.HasField("move"):
            out = any(version < entry.version and seat == entry.seat for version, seat, _ in outs)
            expect(
                out and entry.move.actor == match_pb2.ACTOR_AUTOPILOT,
                "a seat that never answered has a move of its own",
            )
    equal("the reason when all but one were late", record.result.reason, "LAST_SEAT")
    for seat, result in enumerate(record.result.seats):
        cause = causes.get(seat, match_pb2.CAUSE_UNSPECIFIED)
        equal(f"the cause of seat {seat} in the result", result.cause, cause)
    reply = await sitting.submit(outs[0][1], sitting.move(match_pb2.Match(), [match_pb2.MoveChoice(index=0)]))
    refused("a move that comes too late", reply, "MATCH_OVER")


@check
async def seats_that_nobody_takes_go_out(subject: Subject) -> None:
    """A seat that nobody has taken when join_limit_ms is over goes out, NEVER_JOINED, and play begins without it."""
    policy = match_pb2.FaultPolicy(join_limit_ms=_SOON_MS)
    sitting = await _seated(subject, open_seats=[0], fault_policy=policy)
    stream = _watch(sitting)
    update = await _next_update(stream)
    stream.cancel()
    told = [(event.seat_out.seat, event.seat_out.cause) for event in update.events if event.HasField("seat_out")]
    equal("the seat_out that is told when the time to join is over", told, [(0, match_pb2.CAUSE_NEVER_JOINED)])
    expect(any(event.HasField("match_started") for event in update.events), "play has not begun without a seat")
    expect((await sitting.see(None)).status != match_pb2.MATCH_STATUS_WAITING, "a match waits although it has begun")


@check
async def illegal_moves_are_borne_so_often(subject: Subject) -> None:
    """As many illegal moves as the match bears are just refused; the next one puts the seat out, ILLEGAL_MOVES."""
    policy = match_pb2.FaultPolicy(illegal_moves=_BORNE)
    sitting = await _seated(subject, fault_policy=policy)
    seat, match = await sitting.one_asked()
    nonsense = [match_pb2.MoveChoice(id=sitting.ruleset.num_actions)]
    for _ in range(_BORNE):
        move = sitting.move(match, nonsense)
        for _ in range(_BORNE + 1):
            refused("a malformed move that is borne", await sitting.submit(seat, move), "MALFORMED_MOVE")
    equal("the version after moves that are borne", (await sitting.see(None)).version, match.version)
    refused("a malformed move too many", await sitting.submit(seat, sitting.move(match, nonsense)), "MALFORMED_MOVE")
    reply = await sitting.submit(seat, sitting.move(match, [match_pb2.MoveChoice(index=0)]))
    refused("a move after a malformed one too many", reply, "SEAT_OUT", cause="ILLEGAL_MOVES")


@check
async def who_stays_away_goes_out(subject: Subject) -> None:
    """A seat that is asked, and whose holder is away for longer than disconnect_grace_ms, goes out, DISCONNECTED."""
    sitting = await _seated(subject, **_policy(disconnect_grace_ms=_SOON_MS))
    outs = await _told_to_the_end(sitting)
    equal("the causes of seats that stayed away", [cause for _, _, cause in outs], [_AWAY] * (len(sitting.players) - 1))
    logged = [(entry.version, entry.seat, entry.out.cause) for entry in (await _record(sitting)).log]
    equal("the seats that went out by the record", [entry for entry in logged if entry[2]], outs)


@check
async def who_shows_a_sign_of_life_stays(subject: Subject) -> None:
    """A seat that is asked, and whose holder calls about another match, or has no more than a stream open, stays in."""
    sitting = await _seated(subject, **_policy(disconnect_grace_ms=_SOON_MS))
    seat, _ = await sitting.one_asked()
    other = await subject.sit(subject.simplest())
    await _while_it_is_noticed(lambda: sitting.players[seat].call(calls.GET_MATCH, _read(other.match_id)))
    _require_in(await sitting.see(None), seat, "whose holder calls about another match")
    stream = sitting.players[seat].stream(calls.WATCH_MATCH, service_pb2.WatchMatchRequest(match_id=sitting.match_id))
    await _while_it_is_noticed(lambda: sitting.spectator.call(calls.GET_MATCH, _read(sitting.match_id)))
    stream.cancel()
    _require_in(await sitting.see(None), seat, "whose holder has a stream open")


async def _while_it_is_noticed(call: Callable[[], Awaitable[object]]) -> None:
    """Calls again and again, until it would have been noticed that somebody is away."""
    until = asyncio.get_running_loop().time() + _NOTICED_S
    while asyncio.get_running_loop().time() < until:
        await call()
        await asyncio.sleep(_SOON_MS / 4_000)


def _read(match_id: str) -> service_pb2.GetMatchRequest:
    return service_pb2.GetMatchRequest(match_id=match_id, detail=match_pb2.DETAIL_NONE)


def _require_in(match: match_pb2.Match, seat: int, who: str) -> None:
    equal(f"the cause of a seat {who}", match.seats[seat].cause, match_pb2.CAUSE_UNSPECIFIED)


async def _seated(subject: Subject, **creation: Any) -> Sitting:
    ruleset = subject.simplest()
    if ruleset.max_seats < _SEATS:
        raise CheckSkippedError(f"{ruleset.name} is for two seats at most, of which one that goes out ends a match")
    return await subject.sit(ruleset, max(_SEATS, ruleset.min_seats), **creation)


async def _told_to_the_end(sitting: Sitting) -> list[tuple[int, int, int]]:
    """What a spectator is told of seats that go out: the version, the seat and its cause."""
    outs = list[tuple[int, int, int]]()
    async for message in _watch(sitting).rest():
        for event in message.update.events:
            if event.HasField("seat_out"):
                equal("the seat of an update that tells of a seat_out", message.update.seat, event.seat_out.seat)
                outs.append((message.update.version, event.seat_out.seat, event.seat_out.cause))
    return outs


def _watch(sitting: Sitting) -> Watch:
    request = service_pb2.WatchMatchRequest(match_id=sitting.match_id, after_version=0)
    return sitting.spectator.stream(calls.WATCH_MATCH, request)


async def _next_update(stream: Watch) -> match_pb2.Update:
    async for message in stream.rest():
        if message.HasField("update"):
            return message.update
    raise CheckFailedError(f"WatchMatch ended with {(await stream.end()).told}, expected an update")


async def _record(sitting: Sitting) -> record_pb2.MatchRecord:
    request = service_pb2.GetRecordRequest(match_id=sitting.match_id)
    return (await sitting.spectator.ask(calls.GET_RECORD, request)).record
