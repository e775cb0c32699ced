"""What the course of a match forbids: refused with the documented reason, in the documented order, and to no effect."""

from collections.abc import Iterator, Sequence
from typing import Any, Final

from google.protobuf.message import Message

from artreferee.v1 import match_pb2, ruleset_pb2, service_pb2
from clients.check import calls
from clients.check.calls import Method
from clients.check.checks import CheckSkippedError, alike, check, equal, expect
from clients.check.errors import ABSENT
from clients.check.foresight import Foresight, find_position
from clients.check.reasons import refused
from clients.check.subject import Sitting, Subject
from clients.sdk import new_request_id

_HIGHEST: Final = 2**32 - 1
_POSITIONS: Final = 3  # of each ruleset
_TRIED: Final = 12  # illegal moves in each position, about


@check
async def a_seat_that_is_not_held(subject: Subject) -> None:
    """Whoever does not hold the seat is refused with NOT_PERMITTED, alike whether or not the match exists."""
    sitting = await subject.sit(subject.simplest())
    for caller in (sitting.spectator, sitting.host, sitting.players[1]):
        for seat in (0, 15):
            for there, absent in zip(_seat_calls(sitting.match_id, seat), _seat_calls(ABSENT, seat), strict=True):
                method = there[0]
                reply, other = await caller.attempt(*there), await caller.attempt(*absent)
                refused(f"{method.name} for another's seat", reply, "NOT_PERMITTED")
                equal(f"the text of {method.name} for a match that is not there", other.text, reply.text)
                equal(f"the refusal of {method.name} for a match that is not there", other.refusal, reply.refusal)
    for method, request in _seat_calls(sitting.match_id, None):
        if method in (calls.SUBMIT_MOVE, calls.RESIGN):
            refused(f"{method.name} by a spectator", await sitting.spectator.call(method, request), "NOT_PERMITTED")


def _seat_calls(match_id: str, seat: int | None) -> Iterator[tuple[Method[Any], Message]]:
    named: dict[str, Any] = {"match_id": match_id, "seat": seat}
    move = [match_pb2.MoveChoice(id=0)]
    yield calls.SUBMIT_MOVE, service_pb2.SubmitMoveRequest(request_id=new_request_id(), moves=move, **named)
    yield calls.RESIGN, service_pb2.ResignRequest(request_id=new_request_id(), **named)
    yield calls.GET_MATCH, service_pb2.GetMatchRequest(**named)
    yield calls.WATCH_MATCH, service_pb2.WatchMatchRequest(**named)


@check
async def a_seat_must_be_named(subject: Subject) -> None:
    """Whoever holds several seats and names none is refused with SEAT_REQUIRED, which tells them; one named is seen."""
    ruleset = subject.simplest()
    seats = ruleset.max_seats
    sitting = await subject.sit(ruleset, seats, holders=[0] * seats)
    held = ", ".join(map(str, range(seats)))
    for method, request in _seat_calls(sitting.match_id, None):
        reply = await sitting.players[0].attempt(method, request)
        refused(f"{method.name} without a seat", reply, "SEAT_REQUIRED", seats=held)
    for seat in range(seats):
        request = service_pb2.GetMatchRequest(match_id=sitting.match_id, seat=seat)
        match = (await sitting.players[0].ask(calls.GET_MATCH, request)).match
        equal("the viewer_seat of a seat that is named", match.viewer_seat, seat)


@check
async def seats_that_are_taken(subject: Subject) -> None:
    """JoinMatch is refused with SEAT_TAKEN, NO_OPEN_SEAT or INVALID_FIELD; play with MATCH_NOT_STARTED before."""
    ruleset = subject.simplest()
    last = ruleset.min_seats - 1
    sitting = await subject.sit(ruleset, open_seats=[last])
    joiner = sitting.players[last]
    refused("JoinMatch of a taken seat", await joiner.call(calls.JOIN_MATCH, _join(sitting, 0)), "SEAT_TAKEN", seat=0)
    reply = await joiner.call(calls.JOIN_MATCH, _join(sitting, ruleset.min_seats))
    refused("JoinMatch of a seat that there is not", reply, "INVALID_FIELD", field="seat")
    for method, request in _seat_calls(sitting.match_id, None):
        if method in (calls.SUBMIT_MOVE, calls.RESIGN):
            reply = await sitting.players[0].call(method, request)
            refused(f"{method.name} while a seat is open", reply, "MATCH_NOT_STARTED", open=1)
    await joiner.ask(calls.JOIN_MATCH, _join(sitting, last))
    for seat in (None, 0, last):
        reply = await sitting.spectator.call(calls.JOIN_MATCH, _join(sitting, seat))
        what = f"JoinMatch of {'any seat' if seat is None else f'seat {seat}'} of a full match"
        refused(what, reply, "NO_OPEN_SEAT" if seat is None else "SEAT_TAKEN")
    equal("the version after those", (await sitting.see(None)).version, 1)


def _join(sitting: Sitting, seat: int | None) -> service_pb2.JoinMatchRequest:
    return service_pb2.JoinMatchRequest(request_id=new_request_id(), match_id=sitting.match_id, seat=seat)


@check
async def answers_to_another_decision(subject: Subject) -> None:
    """A move with another decision_number than the open one is refused with STALE_DECISION, which tells both."""
    sitting = await subject.sit(subject.simplest())
    seat, match = await sitting.one_asked()
    chosen = [match_pb2.MoveChoice(id=match.prompt.legal_moves[0].id)]
    expected = match.prompt.decision_number
    for decision in (expected + 1, _HIGHEST):
        reply = await sitting.submit(seat, sitting.move(match, chosen, decision_number=decision))
        what = f"a move that answers decision {decision} instead of {expected}"
        refused(what, reply, "STALE_DECISION", decision_number=decision, expected=expected)
    (await sitting.submit(seat, sitting.move(match, chosen))).required()
    reply = await sitting.submit(seat, sitting.move(match, chosen))
    what = f"a second move that answers decision {expected}"
    refused(what, reply, "STALE_DECISION", decision_number=expected, expected=expected + 1)
    equal("the version after those", (await sitting.see(None)).version, match.version + 1)


@check
async def moves_out_of_turn(subject: Subject) -> None:
    """A move of a seat that is not to act is refused with NOT_TO_ACT, which tells the seat."""
    sitting, seat, match = await _idle(subject)
    reply = await sitting.submit(seat, sitting.move(match, [match_pb2.MoveChoice(id=0)]))
    refused("a move of a seat that is not to act", reply, "NOT_TO_ACT", seat=seat)
    alike("the match after that", await sitting.see(seat), match)


async def _idle(subject: Subject) -> tuple[Sitting, int, match_pb2.Match]:
    for ruleset in subject.rulesets:
        sitting = await subject.sit(ruleset)
        for seat in range(len(sitting.players)):
            match = await sitting.see(seat)
            if not match.HasField("prompt"):
                return sitting, seat, match
    raise CheckSkippedError("in every ruleset all seats are to act at first")


@check
async def moves_that_are_none(subject: Subject) -> None:
    """What is no move of the ruleset, or an index beyond the list, is refused with MALFORMED_MOVE and its place."""
    for ruleset in subject.rulesets:
        sitting = await subject.sit(ruleset)
        seat, match = await sitting.one_asked()
        legal = match_pb2.MoveChoice(id=match.prompt.legal_moves[0].id)
        indexed = match_pb2.MoveChoice(index=0)
        for what, choices, place in (
            ("a choice of nothing", [match_pb2.MoveChoice()], 0),
            ("an empty move", [match_pb2.MoveChoice(move=ruleset_pb2.Move())], 0),
            ("a move of an unknown plug-in", [_plugin_move()], 0),
            ("an id that is num_actions", [match_pb2.MoveChoice(id=ruleset.num_actions)], 0),
            ("the highest id", [match_pb2.MoveChoice(id=_HIGHEST)], 0),
            ("an index that is legal_count", [match_pb2.MoveChoice(index=match.prompt.legal_count)], 0),
            ("an index in a call with two moves", [indexed, legal], 0),
            ("an index as the second of two moves", [legal, indexed], 1),
        ):
            reply = await sitting.submit(seat, sitting.move(match, choices))
            refused(f"{what} in {ruleset.name}", reply, "MALFORMED_MOVE", move=place)
        alike(f"the match of {ruleset.name} after those", await sitting.see(seat), match)


def _plugin_move() -> match_pb2.MoveChoice:
    move = ruleset_pb2.Move()
    move.plugin.type_url = "example.org/no.such.Move"
    return match_pb2.MoveChoice(move=move)


@check
async def moves_that_are_illegal(subject: Subject) -> None:
    """A move that its prompt does not list is refused with ILLEGAL_MOVE, its place and a rule, and changes nothing."""
    for ruleset in subject.rulesets:
        sitting = await subject.sit(ruleset)
        for _ in range(_POSITIONS):
            seat, match = await sitting.one_asked()
            legal = {move.id for move in match.prompt.legal_moves}
            illegal = [move for move in range(ruleset.num_actions) if move not in legal]
            for move in illegal[:: max(1, len(illegal) // _TRIED)]:
                reply = await sitting.submit(seat, sitting.move(match, [match_pb2.MoveChoice(id=move)]))
                refused(f"the move {move} of {ruleset.name}, which is not listed,", reply, "ILLEGAL_MOVE", move=0)
                expect(bool(reply.refusal.metadata["rule"]), f"an ILLEGAL_MOVE of {ruleset.name} names no rule")
            alike(f"the match of {ruleset.name} after illegal moves", await sitting.see(seat), match)
            await sitting.play()


@check
async def a_refused_call_changes_nothing(subject: Subject) -> None:
    """If one of several moves in a call is refused none is played: version, decision and view stay as they were."""
    position = await find_position(subject, Foresight.pair_with_an_illegal_end)
    sitting, shown = position.sitting, position.shown
    reply = await sitting.submit(position.seat, sitting.move(shown, position.choices()))
    refused("a legal move with an illegal one behind it", reply, "ILLEGAL_MOVE", move=1)
    alike("the match after that", await sitting.see(position.seat), shown)
    first = sitting.move(shown, position.choices()[:1])
    answer = (await sitting.submit(position.seat, first)).required()
    equal("the version after the legal one alone", answer.version, shown.version + 1)


@check
async def moves_after_a_reveal(subject: Subject) -> None:
    """A move behind one that reveals something or ends the seat's turn is refused with MOVE_AFTER_REVEAL."""
    position = await find_position(subject, Foresight.pair_across_a_reveal)
    sitting, shown = position.sitting, position.shown
    reply = await sitting.submit(position.seat, sitting.move(shown, position.choices()))
    refused("a move behind one that reveals something", reply, "MOVE_AFTER_REVEAL", move=1)
    alike("the match after that", await sitting.see(position.seat), shown)


@check
async def seats_that_are_out_and_matches_that_are_over(subject: Subject) -> None:
    """After a resignation the seat is refused with SEAT_OUT, after the end everyone with MATCH_OVER."""
    ruleset = subject.simplest()
    sitting = await subject.sit(ruleset, ruleset.max_seats)
    last = len(sitting.players) - 1
    if last < 2:
        raise CheckSkippedError(f"{ruleset.name} is for two seats at most, of which one resignation ends a match")
    await sitting.resign(last)
    await _require_refused(sitting, last, "SEAT_OUT", cause="RESIGNED")
    await sitting.end()
    for seat in (0, last):
        await _require_refused(sitting, seat, "MATCH_OVER")
    reply = await sitting.spectator.call(calls.JOIN_MATCH, _join(sitting, None))
    refused("JoinMatch of a match that is over", reply, "MATCH_OVER")


async def _require_refused(sitting: Sitting, seat: int, reason: str, **metadata: str) -> None:
    for method, request in _seat_calls(sitting.match_id, None):
        if method in (calls.SUBMIT_MOVE, calls.RESIGN):
            reply = await sitting.players[seat].call(method, request)
            refused(f"{method.name} when it should be {reason}", reply, reason, **metadata)


@check
async def the_order_of_checks(subject: Subject) -> None:
    """Of several faults SubmitMove tells the first in the contract's order, from NOT_PERMITTED to ILLEGAL_MOVE."""
    ruleset = subject.simplest()
    wrong = [match_pb2.MoveChoice(id=ruleset.num_actions), match_pb2.MoveChoice(index=0)]
    waiting = await subject.sit(ruleset, open_seats=[0])
    await _require_order(waiting, 1, wrong, 7, "MATCH_NOT_STARTED")
    sitting = await subject.sit(ruleset, ruleset.max_seats)
    seat, match = await sitting.one_asked()
    idle = (seat + 1) % len(sitting.players)
    illegal = _unlisted(ruleset, match)
    await _require_order(sitting, None, wrong, 7, "NOT_PERMITTED")
    await _require_order(sitting, idle, wrong, 7, "STALE_DECISION")
    await _require_order(sitting, idle, wrong, 0, "NOT_TO_ACT")
    await _require_order(sitting, seat, [illegal, wrong[0]], 0, "MALFORMED_MOVE")
    await _require_order(sitting, seat, [illegal, illegal], 0, "ILLEGAL_MOVE")
    await sitting.resign(idle)
    await _require_order(sitting, idle, wrong, 7, "SEAT_OUT")
    for other in range(len(sitting.players)):
        if other not in (seat, idle):
            await sitting.resign(other)
    await _require_order(sitting, idle, wrong, 7, "MATCH_OVER")
    await _require_order(sitting, None, wrong, 7, "NOT_PERMITTED")


@check
async def the_order_of_checks_with_a_used_request_id(subject: Subject) -> None:
    """SubmitMove tells SEAT_REQUIRED before REQUEST_ID_REUSED, and that before MATCH_OVER and STALE_DECISION."""
    ruleset = subject.simplest()
    sitting = await subject.sit(ruleset, holders=[0] * ruleset.min_seats)
    player = sitting.players[0]
    seat = next(seat for seat, held in enumerate((await _of_seat(sitting, 0)).seats) if held.to_act)
    match = await _of_seat(sitting, seat)
    move = sitting.move(match, [match_pb2.MoveChoice(index=0)], seat=seat)
    await player.ask(calls.SUBMIT_MOVE, move)
    other = sitting.move(match, [match_pb2.MoveChoice(id=ruleset.num_actions)], request_id=move.request_id)
    reply = await player.call(calls.SUBMIT_MOVE, other)
    refused("another request under a used id, without a seat,", reply, "SEAT_REQUIRED")
    other.seat = seat
    what = "another request under a used id"
    refused(what, await player.call(calls.SUBMIT_MOVE, other), "REQUEST_ID_REUSED")
    for out in range(ruleset.min_seats - 1):
        resign = service_pb2.ResignRequest(request_id=new_request_id(), match_id=sitting.match_id, seat=out)
        await player.ask(calls.RESIGN, resign)
    refused(f"{what} after the end", await player.call(calls.SUBMIT_MOVE, other), "REQUEST_ID_REUSED")


async def _of_seat(sitting: Sitting, seat: int) -> match_pb2.Match:
    request = service_pb2.GetMatchRequest(match_id=sitting.match_id, seat=seat)
    return (await sitting.players[0].ask(calls.GET_MATCH, request)).match


def _unlisted(ruleset: ruleset_pb2.Ruleset, match: match_pb2.Match) -> match_pb2.MoveChoice:
    legal = {move.id for move in match.prompt.legal_moves}
    for move in range(ruleset.num_actions):
        if move not in legal:
            return match_pb2.MoveChoice(id=move)
    raise CheckSkippedError(f"every move of {ruleset.name} is legal at first")


async def _require_order(
    sitting: Sitting, seat: int | None, choices: Sequence[match_pb2.MoveChoice], decision: int, reason: str
) -> None:
    request = sitting.move(match_pb2.Match(), choices, decision_number=decision)
    reply = await sitting.caller(seat).call(calls.SUBMIT_MOVE, request)
    refused("a move with several faults", reply, reason)
