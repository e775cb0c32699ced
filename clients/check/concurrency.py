"""Calls that meet: exactly one wins, or all do."""

import asyncio
from typing import Final

from artreferee.v1 import match_pb2, service_pb2
from clients.check import calls
from clients.check.checks import CheckSkippedError, check, equal
from clients.check.reasons import refused
from clients.check.subject import Sitting, Subject
from clients.sdk import new_request_id

_RIVALS: Final = 8
_ROUNDS: Final = 3
_PLAYED_AT_MOST: Final = 60  # moves until several seats are asked at once


@check
async def moves_for_one_decision(subject: Subject) -> None:
    """Of moves sent at once for one decision, each under its own request id, one is played; the others are stale."""
    for ruleset in subject.rulesets:
        sitting = await subject.sit(ruleset)
        for _ in range(_ROUNDS):
            await _race(sitting)


async def _race(sitting: Sitting) -> None:
    seat, match = await sitting.one_asked()
    decision, name = match.prompt.decision_number, sitting.ruleset.name
    places = [number % match.prompt.legal_count for number in range(_RIVALS)]
    requests = [sitting.move(match, [match_pb2.MoveChoice(index=place)]) for place in places]
    replies = await asyncio.gather(*(sitting.submit(seat, request) for request in requests))
    accepted = [reply.answer for reply in replies if reply.answer is not None]
    equal(f"how many of {_RIVALS} moves for one decision of {name} were accepted", len(accepted), 1)
    for reply in replies:
        if reply.answer is None:
            what = "a move that came too late for its decision"
            refused(what, reply, "STALE_DECISION", decision_number=decision, expected=decision + 1)
    equal(f"the version of {name} after one of several moves", accepted[0].version, match.version + 1)
    after = await sitting.see(seat)
    made = (after.version, after.seats[seat].decision_number)
    equal(f"version and decision_number of {name} after one of several moves", made, (match.version + 1, decision + 1))


@check
async def seats_that_choose_at_the_same_time(subject: Subject) -> None:
    """When several seats are to act, none makes another's decision stale: all their moves are played."""
    for ruleset in subject.rulesets:
        sitting = await subject.sit(ruleset, ruleset.max_seats)
        for _ in range(_PLAYED_AT_MOST):
            asked = await sitting.asked()
            if len(asked) > 1:
                await _choose_at_once(sitting, asked)
                return
            await sitting.play()
    raise CheckSkippedError("no ruleset came to a decision of several seats")


async def _choose_at_once(sitting: Sitting, asked: dict[int, match_pb2.Match]) -> None:
    before = next(iter(asked.values()))
    moves = {seat: sitting.move(match, [match_pb2.MoveChoice(index=0)]) for seat, match in asked.items()}
    replies = await asyncio.gather(*(sitting.submit(seat, move) for seat, move in moves.items()))
    versions = sorted(reply.required().version for reply in replies)
    first = before.version + 1
    equal("the versions of moves made at the same time", versions, [*range(first, first + len(asked))])
    after = await sitting.see(None)
    for seat, match in asked.items():
        made = after.seats[seat].decision_number
        equal(f"the decision_number of seat {seat} after that", made, match.prompt.decision_number + 1)


@check
async def callers_who_want_one_seat(subject: Subject) -> None:
    """Of callers who join one seat at once one gets it, the others SEAT_TAKEN; who names none gets one of its own."""
    ruleset = subject.simplest()
    seats = ruleset.max_seats
    named = await subject.sit(ruleset, seats, open_seats=range(seats))
    request = service_pb2.JoinMatchRequest(request_id=new_request_id(), match_id=named.match_id, seat=0)
    replies = await asyncio.gather(*(player.call(calls.JOIN_MATCH, request) for player in named.players))
    equal("how many got one seat", sum(reply.answer is not None for reply in replies), 1)
    for reply in replies:
        if reply.answer is None:
            refused("JoinMatch of a seat that another got", reply, "SEAT_TAKEN", seat=0)
    free = await subject.sit(ruleset, seats, open_seats=range(seats))
    request = service_pb2.JoinMatchRequest(request_id=new_request_id(), match_id=free.match_id)
    answers = await asyncio.gather(*(player.ask(calls.JOIN_MATCH, request) for player in free.players))
    equal("the seats that callers got at once", sorted(answer.seat for answer in answers), [*range(seats)])
    equal("the versions they were told", sorted(answer.version for answer in answers), [*range(1, seats + 1)])


@check
async def a_move_and_a_resignation(subject: Subject) -> None:
    """A move and a resignation of one seat at once are both done or the move is SEAT_OUT; the log tells which."""
    ruleset = subject.simplest()
    sitting = await subject.sit(ruleset, ruleset.max_seats)
    seat, match = await sitting.one_asked()
    request = sitting.move(match, [match_pb2.MoveChoice(index=0)])
    reply, _ = await asyncio.gather(sitting.submit(seat, request), sitting.resign(seat))
    if reply.answer is None:
        refused("a move that came after its seat's resignation", reply, "SEAT_OUT")
    await sitting.end()
    get = service_pb2.GetRecordRequest(match_id=sitting.match_id)
    log = (await sitting.spectator.ask(calls.GET_RECORD, get)).record.log
    own = [entry for entry in log if entry.seat == seat and entry.move.actor == match_pb2.ACTOR_PLAYER]
    equal("whether the seat's own move is in the log", len(own), int(reply.answer is not None))
