"""A request has one effect and one answer, however often it is sent."""

import asyncio
from collections.abc import Sequence
from typing import Any, Final

from google.protobuf.message import Message

from artreferee.v1 import match_pb2, service_pb2
from clients.check import calls
from clients.check.calls import Caller, Method, Reply
from clients.check.checks import CheckSkippedError, alike, check, equal, expect
from clients.check.reasons import refused
from clients.check.subject import Sitting, Subject, creation_of
from clients.sdk import new_request_id

_TIMES: Final = 6
_MOVES_LATER: Final = 3
_TURN_COMES_WITHIN: Final = 40  # moves of others


async def _repeated(caller: Caller, method: Method[Any], request: Message) -> Reply[Any]:
    """Sends a request several times at once and then once more; requires one answer or refusal to all of them."""
    replies: Sequence[Reply[Any]] = await asyncio.gather(*(caller.call(method, request) for _ in range(_TIMES)))
    replies = [*replies, await caller.call(method, request)]
    for reply in replies[1:]:
        _require_same(f"{method.name} that was repeated under its request id", reply, replies[0])
    return replies[0]


def _require_same(what: str, reply: Reply[Any], first: Reply[Any]) -> None:
    equal(f"the outcome of {what}", reply.told, first.told)
    equal(f"the refusal of {what}", (reply.text, reply.refusal), (first.text, first.refusal))
    equal(f"the answer of {what}", _numbers(reply), _numbers(first))


def _numbers(reply: Reply[Any]) -> list[object]:
    """What an answer says beside the match as it is now."""
    fields = reply.answer.ListFields() if reply.answer is not None else ()
    return [(field.name, value) for field, value in fields if field.name != "match"]


@check
async def creations(subject: Subject) -> None:
    """CreateMatch repeated under its request id finds the same match with the same commitment, also after play."""
    ruleset, host = subject.simplest(), subject.caller()
    holders = [subject.caller() for _ in range(ruleset.min_seats)]
    request = creation_of(ruleset, ruleset.min_seats)
    for seat, holder in zip(request.seats, holders, strict=True):
        seat.principal_hash = holder.principal.hash
    first = await _repeated(host, calls.CREATE_MATCH, request)
    match_id = first.required().match_id
    resign = service_pb2.ResignRequest(request_id=new_request_id(), match_id=match_id)
    await holders[0].ask(calls.RESIGN, resign)
    again = await host.call(calls.CREATE_MATCH, request)
    _require_same("CreateMatch that was repeated after a resignation", again, first)
    match = (await host.ask(calls.GET_MATCH, service_pb2.GetMatchRequest(match_id=match_id))).match
    expect(match.version > 0, "a repeated CreateMatch made the match anew, expected it to be found as it was")
    own = await subject.caller().ask(calls.CREATE_MATCH, request)
    expect(own.match_id != match_id, "two hosts get one match from one request id, expected a match each")


@check
async def joinings(subject: Subject) -> None:
    """JoinMatch repeated under its request id takes one seat and is answered alike."""
    ruleset = subject.simplest()
    sitting = await subject.sit(ruleset, ruleset.max_seats, open_seats=range(ruleset.max_seats))
    request = service_pb2.JoinMatchRequest(request_id=new_request_id(), match_id=sitting.match_id)
    first = (await _repeated(sitting.players[0], calls.JOIN_MATCH, request)).required()
    equal("seat and version of the first joining", (first.seat, first.version), (0, 1))
    match = await sitting.see(None)
    equal("the number of seats bound after it", sum(seat.bound for seat in match.seats), 1)
    equal("the version after it", match.version, 1)
    other = service_pb2.JoinMatchRequest(request_id=request.request_id, match_id=sitting.match_id, seat=1)
    reply = await sitting.players[0].call(calls.JOIN_MATCH, other)
    refused("JoinMatch of another seat under a used request id", reply, "REQUEST_ID_REUSED")


@check
async def moves(subject: Subject) -> None:
    """SubmitMove repeated under its request id plays once and is answered alike, also after others have moved."""
    for ruleset in subject.rulesets:
        sitting = await subject.sit(ruleset)
        seat, match = await sitting.one_asked()
        request = sitting.move(match, [match_pb2.MoveChoice(index=0)])
        first = await _repeated(sitting.players[seat], calls.SUBMIT_MOVE, request)
        answer = first.required()
        equal(f"the version of {ruleset.name} after a move sent often", answer.version, match.version + 1)
        sitting.acknowledged = answer.version
        after = await sitting.see(seat)
        made = (after.version, after.seats[seat].decision_number)
        wanted = (match.version + 1, match.prompt.decision_number + 1)
        equal(f"version and decision_number of {ruleset.name} after a move sent often", made, wanted)
        await sitting.play(_MOVES_LATER)
        again = await sitting.players[seat].call(calls.SUBMIT_MOVE, request)
        _require_same("SubmitMove that was repeated after other moves", again, first)
        shown = again.required().match.version
        equal("the version of the match in its answer", shown, match.version + 1 + _MOVES_LATER)


@check
async def another_request_under_a_used_id(subject: Subject) -> None:
    """Another payload or call under a used request id is refused with REQUEST_ID_REUSED and changes nothing."""
    ruleset = subject.simplest()
    sitting = await subject.sit(ruleset)
    seat, match = await sitting.one_asked()
    player, request = sitting.players[seat], sitting.move(match, [match_pb2.MoveChoice(index=0)])
    first = await sitting.submit(seat, request)
    first.required()
    before = await sitting.see(seat)
    used: dict[str, Any] = {"request_id": request.request_id}
    later = request.decision_number + 1
    for what, method, other in (
        ("another move", calls.SUBMIT_MOVE, sitting.move(match, [match_pb2.MoveChoice(index=1)], **used)),
        ("the move by its id", calls.SUBMIT_MOVE, _by_id(sitting.move(match, [], **used), match)),
        ("another decision", calls.SUBMIT_MOVE, sitting.move(match, request.moves, decision_number=later, **used)),
        ("a resignation", calls.RESIGN, service_pb2.ResignRequest(match_id=sitting.match_id, **used)),
    ):
        refused(f"{what} under a used request id", await player.call(method, other), "REQUEST_ID_REUSED")
    alike("the match after that", await sitting.see(seat), before)
    _require_same("the first request after that", await player.call(calls.SUBMIT_MOVE, request), first)


def _by_id(request: service_pb2.SubmitMoveRequest, match: match_pb2.Match) -> service_pb2.SubmitMoveRequest:
    request.moves.add(id=match.prompt.legal_moves[0].id)
    return request


@check
async def another_creation_under_a_used_id(subject: Subject) -> None:
    """CreateMatch with anything changed under a used request id is refused with REQUEST_ID_REUSED."""
    ruleset, host = subject.simplest(), subject.caller()
    request = creation_of(ruleset, ruleset.min_seats)
    await host.ask(calls.CREATE_MATCH, request)
    changed: Sequence[tuple[str, dict[str, Any]]] = (
        ("a seed", {"seed": bytes(32)}),
        ("a deal group", {"deal_group": "g"}),
        ("a release", {"disclosure": match_pb2.DISCLOSURE_ON_RELEASE}),
        ("a name", {"seats": [service_pb2.SeatRequest(display_name="n"), *request.seats[1:]]}),
        ("one seat bound", {"seats": [service_pb2.SeatRequest(principal_hash=bytes(32)), *request.seats[1:]]}),
    )
    for what, changes in changed:
        fields = {"request_id": request.request_id, "seats": request.seats, **changes}
        other = creation_of(ruleset, ruleset.min_seats, **fields)
        reply = await host.call(calls.CREATE_MATCH, other)
        refused(f"CreateMatch with {what} under a used request id", reply, "REQUEST_ID_REUSED")


@check
async def refusals(subject: Subject) -> None:
    """A refused SubmitMove repeated under its request id is refused alike, also when the move would be legal by now."""
    for ruleset in subject.rulesets:
        sitting = await subject.sit(ruleset)
        asked = await sitting.asked()
        for seat in range(len(sitting.players)):
            if seat not in asked:
                await _require_refused_for_ever(sitting, seat)
                return
    raise CheckSkippedError("in every ruleset all seats are to act at first")


async def _require_refused_for_ever(sitting: Sitting, seat: int) -> None:
    shown, player = await sitting.see(seat), sitting.players[seat]
    early = sitting.move(shown, [match_pb2.MoveChoice(index=0)])
    malformed = sitting.move(shown, [match_pb2.MoveChoice()])
    refusals = [await _repeated(player, calls.SUBMIT_MOVE, request) for request in (early, malformed)]
    refused("a move of a seat that is not to act", refusals[0], "NOT_TO_ACT")
    equal("the version after refusals", (await sitting.see(seat)).version, shown.version)
    for _ in range(_TURN_COMES_WITHIN):
        if seat in await sitting.asked():
            break
        await sitting.play()
    for request, first in zip((early, malformed), refusals, strict=True):
        again = await player.call(calls.SUBMIT_MOVE, request)
        _require_same("a refused SubmitMove that was repeated later", again, first)
    early.request_id = new_request_id()
    (await sitting.submit(seat, early)).required()


@check
async def resignations(subject: Subject) -> None:
    """Resign repeated under its request id is one resignation, answered alike."""
    ruleset = subject.simplest()
    sitting = await subject.sit(ruleset, ruleset.max_seats)
    seat = len(sitting.players) - 1
    request = service_pb2.ResignRequest(request_id=new_request_id(), match_id=sitting.match_id)
    first = (await _repeated(sitting.players[seat], calls.RESIGN, request)).required()
    await sitting.end()
    get = service_pb2.GetRecordRequest(match_id=sitting.match_id)
    log = (await sitting.spectator.ask(calls.GET_RECORD, get)).record.log
    versions = [entry.version for entry in log if entry.seat == seat and entry.HasField("resignation")]
    equal("the entries of a resignation that was sent often", versions, [first.version])


@check
async def releases(subject: Subject) -> None:
    """ReleaseRecords repeated under its request id is answered alike."""
    sitting = await subject.sit(subject.simplest(), disclosure=match_pb2.DISCLOSURE_ON_RELEASE)
    early = service_pb2.ReleaseRecordsRequest(request_id=new_request_id(), match_ids=[sitting.match_id])
    await _repeated(sitting.host, calls.RELEASE_RECORDS, early)
    await sitting.end()
    request = service_pb2.ReleaseRecordsRequest(request_id=new_request_id(), match_ids=[sitting.match_id])
    first = (await _repeated(sitting.host, calls.RELEASE_RECORDS, request)).required()
    equal("the reasons of a release", [result.reason for result in first.results], [0])


@check
async def request_ids_are_their_callers_own(subject: Subject) -> None:
    """One request id of two players is two requests."""
    sitting = await subject.sit(subject.simplest())
    first, match = await sitting.one_asked()
    own = {"request_id": new_request_id()}
    (await sitting.submit(first, sitting.move(match, [match_pb2.MoveChoice(index=0)], **own))).required()
    for _ in range(_TURN_COMES_WITHIN):
        for seat, shown in (await sitting.asked()).items():
            if seat != first:
                request = sitting.move(shown, [match_pb2.MoveChoice(index=0)], **own)
                (await sitting.submit(seat, request)).required()
                return
        await sitting.play()
    raise CheckSkippedError(f"in a match of {sitting.ruleset.name} only one seat was asked")
