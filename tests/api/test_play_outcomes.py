"""A move over a stream comes to the same as one by SubmitMove, and has one effect, whichever way it is sent."""

import asyncio
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Final

import msgspec
import pytest
from google.rpc import error_details_pb2

from artreferee.v1 import error_pb2, match_pb2, service_pb2
from referee.games.classic_art.state import State
from referee.table.store import StoreUnavailableError
from tests.api.calls import ABSENT
from tests.api.faults import by_id, by_index, empty_move, place, play, plugin_move, submission
from tests.api.harness import SEATS, SPECTATOR, Caller, Planted, Referee, Reply, Secret, planted
from tests.api.positions import ONE_LOAN, PORTRAITS, doubled, occupied, spent
from tests.api.test_play_faults import all_of, answered, got, opened, told
from tests.games.classic_art.build import last_turn, season
from tests.games.classic_art.moves import ETCHING, PASS, PORTRAIT, art, loans, pair, predict

Choices = list[match_pb2.MoveChoice]


@dataclass(frozen=True)
class Refusal:
    """A move that is refused, as the caller sends it.

    Attributes:
        reason: why.
        choices: the moves.
        match: makes the match from the name of the test.
        who: the caller.
        changes: what is changed of the request.
    """

    reason: str
    choices: Choices
    match: Callable[[str], Planted] = lambda name: planted(name, season(2))
    who: Secret = SEATS[0]
    changes: Mapping[str, Any] = field(default_factory=dict)


def in_position(state: Callable[[], State]) -> Callable[[str], Planted]:
    return lambda name: planted(name, state())


def of_other_rules(name: str) -> Planted:
    match = planted(name, season(2))
    return replace(match, head=msgspec.structs.replace(match.head, rules_version="0"))


PASSES: Final = [by_id(PASS)]
REFUSALS: Final = {
    "no such match": Refusal("NOT_PERMITTED", PASSES, changes={"match_id": ABSENT}),
    "no seat": Refusal("NOT_PERMITTED", PASSES, who=SPECTATOR),
    "another's seat": Refusal("NOT_PERMITTED", PASSES, changes={"seat": 1}),
    "one of two seats": Refusal(
        "SEAT_REQUIRED", PASSES, lambda name: planted(name, season(3), holders=[SEATS[0], SEATS[1], SEATS[0]])
    ),
    "not begun": Refusal("MATCH_NOT_STARTED", PASSES, lambda name: planted(name, season(2), holders=[SEATS[0], None])),
    "out": Refusal("SEAT_OUT", PASSES, lambda name: planted(name, season(3), out={0})),
    "another decision": Refusal("STALE_DECISION", PASSES, changes={"decision_number": 7}),
    "not its turn": Refusal("NOT_TO_ACT", PASSES, who=SEATS[1]),
    "no choice": Refusal("MALFORMED_MOVE", [match_pb2.MoveChoice()]),
    "no move": Refusal("MALFORMED_MOVE", [empty_move()]),
    "of no ruleset": Refusal("MALFORMED_MOVE", [plugin_move()]),
    "no such card": Refusal("MALFORMED_MOVE", [play(7, 99)]),
    "no such space": Refusal("MALFORMED_MOVE", [place(1, 9, 1)]),
    "no such id": Refusal("MALFORMED_MOVE", [by_id(136)]),
    "no such index": Refusal("MALFORMED_MOVE", [by_index(81)]),
    "the second of two": Refusal("MALFORMED_MOVE", [by_id(PASS), by_id(136)]),
    "wrong step": Refusal("ILLEGAL_MOVE", [by_id(pair(*art(PORTRAIT, 2)))]),
    "cards not held": Refusal("ILLEGAL_MOVE", [by_id(pair(*loans(ETCHING, 2)))], in_position(ONE_LOAN)),
    "occupied": Refusal("ILLEGAL_MOVE", [by_id(predict(PORTRAIT, "3-"))], in_position(occupied)),
    "no tokens": Refusal("ILLEGAL_MOVE", [by_id(predict(PORTRAIT, "1-", 2))], in_position(spent)),
    "doubled twice": Refusal("ILLEGAL_MOVE", [by_id(predict(PORTRAIT, "1-", 2))], in_position(doubled)),
    "behind a reveal": Refusal(
        "MOVE_AFTER_REVEAL", [by_id(pair(*art(PORTRAIT, 2))), by_id(PASS)], in_position(PORTRAITS)
    ),
    "of another version": Refusal("SNAPSHOT_UNREADABLE", PASSES, of_other_rules),
    "a bad match id": Refusal("INVALID_FIELD", PASSES, changes={"match_id": "no id"}),
    "a long match id": Refusal("INVALID_FIELD", PASSES, changes={"match_id": "a" * 5_000}),
    "a bad request id": Refusal("INVALID_FIELD", PASSES, changes={"request_id": "a b"}),
    "a seat beyond all": Refusal("INVALID_FIELD", PASSES, changes={"seat": 99}),
    "nothing": Refusal("INVALID_FIELD", []),
    "too much": Refusal("INVALID_FIELD", PASSES * 17),
}


def over_a_stream(request: service_pb2.SubmitMoveRequest) -> service_pb2.PlayMove:
    """The same move for a stream."""
    move = service_pb2.PlayMove.FromString(request.SerializeToString())
    move.DiscardUnknownFields()
    return move


async def outcome_of(caller: Caller, *moves: service_pb2.PlayMove) -> list[service_pb2.PlayOutcome]:
    """Sends moves over a stream of their own, which then ends."""
    stream = caller.play()
    await stream.say(service_pb2.PlayRequest(moves=moves))
    await stream.end()
    reply = await stream.rest()
    assert reply.reason == "OK"
    return list(all_of(reply).outcomes)


def assert_the_same(refused: service_pb2.PlayRefused, reply: Reply) -> None:
    """Requires that a refusal over a stream is that of a call."""
    assert error_pb2.ErrorReason.Name(refused.reason) == f"ERROR_REASON_{reply.info.reason}"
    assert refused.code == reply.code.value[0] == reply.status.code
    assert [(pair.key, pair.value) for pair in refused.metadata] == sorted(reply.info.metadata.items())
    assert refused.text == reply.text != ""
    assert refused.retriable == bool(reply.details(error_details_pb2.RetryInfo))


@pytest.mark.parametrize("kind", REFUSALS)
async def test_a_move_is_refused_as_submit_move_refuses_it(shared: Referee, name: str, kind: str) -> None:
    """Under another request id, and again under the same one whichever way."""
    refusal = REFUSALS[kind]
    match = refusal.match(name)
    await shared.plant(match)
    request = submission(match.match_id, refusal.choices, "r")
    request.MergeFrom(service_pb2.SubmitMoveRequest(**refusal.changes))
    caller = shared.caller(refusal.who)
    [outcome] = await outcome_of(caller, over_a_stream(request))
    assert (outcome.request_id, outcome.match_id) == (request.request_id, request.match_id)
    reply = await caller.call("SubmitMove", request)
    assert reply.reason == refusal.reason
    assert_the_same(outcome.refused, reply)
    assert await outcome_of(caller, over_a_stream(request)) == [outcome]
    request.request_id += "" if kind == "a bad request id" else "-again"
    assert_the_same(outcome.refused, await caller.call("SubmitMove", request))


async def test_a_move_in_a_match_that_is_over(shared: Referee, name: str) -> None:
    match = planted(name, season(2))
    await shared.plant(match)
    await shared.caller(SEATS[1]).ask("Resign", service_pb2.ResignRequest(match_id=match.match_id, request_id="a"))
    request = submission(match.match_id, PASSES)
    [outcome] = await outcome_of(shared.caller(SEATS[0]), over_a_stream(request))
    reply = await shared.caller(SEATS[0]).call("SubmitMove", request)
    assert reply.reason == "MATCH_OVER"
    assert_the_same(outcome.refused, reply)


async def test_a_request_id_that_was_used_for_another_move(shared: Referee, name: str) -> None:
    match = planted(name, season(2))
    await shared.plant(match)
    caller = shared.caller(SEATS[0])
    await caller.ask("SubmitMove", submission(match.match_id, PASSES, "once"))
    request = submission(match.match_id, [by_id(PASS + 1)], "once")
    [outcome] = await outcome_of(caller, over_a_stream(request))
    reply = await caller.call("SubmitMove", request)
    assert reply.reason == "REQUEST_ID_REUSED"
    assert_the_same(outcome.refused, reply)


@pytest.mark.parametrize(
    ("reason", "fault"),
    [("STORE_UNAVAILABLE", StoreUnavailableError("away")), ("INTERNAL", RuntimeError("odd")), ("CONTENTION", None)],
)
async def test_a_fault_that_is_not_the_callers(
    referee: Referee, name: str, reason: str, fault: Exception | None
) -> None:
    """The stream goes on, and the same move is played when the fault has passed."""
    match = planted(name, season(2))
    await referee.plant(match)
    caller = referee.caller(SEATS[0])
    stream = await opened(caller)
    await told(stream, lambda so_far: so_far.asked)
    request = submission(match.match_id, PASSES)
    referee.shelf.fault, referee.shelf.contended = fault, fault is None
    await stream.say(service_pb2.PlayRequest(moves=[over_a_stream(request)]))
    [outcome] = (await told(stream, answered)).outcomes
    reply = await caller.call("SubmitMove", request)
    assert reply.reason == reason
    assert_the_same(outcome.refused, reply)
    referee.shelf.fault, referee.shelf.contended = None, False
    await stream.say(service_pb2.PlayRequest(moves=[over_a_stream(request)]))
    assert (await told(stream, answered)).outcomes[0].accepted.version == 1
    stream.cancel()


async def test_a_move_that_is_sent_every_way_is_played_once(referee: Referee, name: str) -> None:
    """By stream and by call, at once and again, and over a newer stream: one answer."""
    match = planted(name, season(2))
    await referee.plant(match)
    caller = referee.caller(SEATS[0])
    request = submission(match.match_id, PASSES, "once")
    stream = await opened(caller)
    await stream.say(service_pb2.PlayRequest(moves=[over_a_stream(request)] * 3))
    responses = await asyncio.gather(*(caller.ask("SubmitMove", request) for _ in range(3)))
    outcomes = list((await told(stream, lambda so_far: len(so_far.outcomes) == 3)).outcomes)
    outcomes += await outcome_of(caller, over_a_stream(request))
    assert [(each.version, each.decision_number) for each in responses] == [(1, 1)] * 3
    assert [(each.accepted.version, each.accepted.decision_number) for each in outcomes] == [(1, 1)] * 4
    assert len(await referee.shelf.inner.log(match.match_id, 0, 9)) == 1
    stream.cancel()


async def test_moves_of_one_request_are_played_in_their_order(referee: Referee, name: str) -> None:
    """Two decisions of a seat in a row, one of them of two steps, while other matches' moves are among them."""
    state = season(3, hands=[art(PORTRAIT, 11)])
    first, other = planted(f"{name} first", state, holders=[SEATS[0]] * 3), planted(f"{name} other", season(2))
    for match in (first, other):
        await referee.plant(match)
    caller = referee.caller(SEATS[0])
    moves = [
        service_pb2.PlayMove(match_id=first.match_id, request_id=f"m{place}", seat=seat, moves=PASSES)
        for place, seat in enumerate((0, 1, 2))
    ]
    two_steps = [by_id(pair(*art(PORTRAIT, 2))), by_id(PASS)]
    moves += [
        service_pb2.PlayMove(match_id=other.match_id, request_id="o", moves=PASSES),
        service_pb2.PlayMove(match_id=first.match_id, request_id="t", seat=0, decision_number=1, moves=two_steps),
    ]
    outcomes = {outcome.request_id: outcome.accepted for outcome in await outcome_of(caller, *moves)}
    of_first = [outcomes[request_id] for request_id in ("m0", "m1", "m2", "t")]
    assert [each.version for each in of_first] == [1, 2, 3, 5]
    assert [each.decision_number for each in of_first] == [1, 1, 1, 3]
    assert outcomes["o"].version == 1
    assert (await got(caller, other)).version == 1


async def test_who_chooses_twice_at_the_same_time_may_say_so_at_once(referee: Referee, name: str) -> None:
    """The last turn is secret: both seats of one principal choose in one request."""
    match = planted(name, last_turn(2), holders=[SEATS[0]] * 2)
    await referee.plant(match)
    stream = await opened(referee.caller(SEATS[0]))
    prompts = (await told(stream, lambda so_far: len(so_far.asked) == 2)).asked
    moves = [
        service_pb2.PlayMove(
            match_id=match.match_id,
            request_id=f"seat-{seen.viewer_seat}",
            seat=seen.viewer_seat,
            decision_number=seen.prompt.decision_number,
            moves=[by_index(0)],
        )
        for seen in prompts
    ]
    await stream.say(service_pb2.PlayRequest(moves=moves))
    outcomes = (await told(stream, lambda so_far: len(so_far.outcomes) == 2)).outcomes
    assert [outcome.accepted.version for outcome in outcomes] == [1, 2]
    stream.cancel()
