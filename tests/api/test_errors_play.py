"""What the course of a match forbids: refused by the rule that is named, and nothing is changed by it."""

from collections.abc import Callable, Mapping, Sequence
from typing import Final

import pytest

from artreferee.v1 import error_pb2, match_pb2, ruleset_pb2, service_pb2
from referee.games.classic_art.state import State
from tests.api.calls import create, seat_calls, sized
from tests.api.faults import (
    assert_refused,
    by_id,
    by_index,
    empty_move,
    nothing,
    nothing_changes,
    place,
    play,
    plugin_move,
    submission,
)
from tests.api.harness import HOST, SEATS, SPECTATOR, Referee, planted
from tests.api.positions import ONE_LOAN, PORTRAITS, doubled, occupied, plant, setup_of, spent, turn_of
from tests.games.classic_art.build import put, season
from tests.games.classic_art.moves import ETCHING, LANDSCAPE, PASS, PORTRAIT, SCULPTURE, art, loans, pair, predict


async def test_a_seat_whose_turn_it_is_not(shared: Referee, name: str) -> None:
    match = await setup_of(shared, name)
    async with nothing_changes(shared, match.match_id):
        reply = await shared.caller(SEATS[1]).call("SubmitMove", submission(match.match_id, [nothing()]))
        assert_refused(reply, "NOT_TO_ACT", seat=1)


@pytest.mark.parametrize("decision", [1, 7, 2**32 - 1])
async def test_an_answer_to_another_decision(shared: Referee, name: str, decision: int) -> None:
    match = await setup_of(shared, name)
    async with nothing_changes(shared, match.match_id):
        request = submission(match.match_id, [nothing()], decision=decision)
        reply = await shared.caller(SEATS[0]).call("SubmitMove", request)
        assert_refused(reply, "STALE_DECISION", decision_number=decision, expected=0)


MALFORMED: Final[Mapping[str, tuple[Sequence[match_pb2.MoveChoice], int]]] = {
    "a choice of nothing": ([match_pb2.MoveChoice()], 0),
    "a move of no ruleset": ([match_pb2.MoveChoice(move=ruleset_pb2.Move())], 0),
    "a move of an unknown ruleset": ([plugin_move()], 0),
    "an empty move": ([empty_move()], 0),
    "no cards": ([play()], 0),
    "one card": ([play(7)], 0),
    "three cards": ([play(7, 7, 7)], 0),
    "card 0": ([play(7, 0)], 0),
    "card 11": ([play(11, 7)], 0),
    "card -1": ([play(-1, 7)], 0),
    "category 0": ([place(0, 1, 1)], 0),
    "category 6": ([place(6, 1, 1)], 0),
    "space 0": ([place(1, 0, 1)], 0),
    "space 9": ([place(1, 9, 1)], 0),
    "no tokens": ([place(1, 1, 0)], 0),
    "three tokens": ([place(1, 1, 3)], 0),
    "2^32 - 1 tokens": ([place(1, 1, 2**32 - 1)], 0),
    "id 136": ([by_id(136)], 0),
    "id 2^32 - 1": ([by_id(2**32 - 1)], 0),
    "index 81": ([by_index(81)], 0),
    "index 2^32 - 1": ([by_index(2**32 - 1)], 0),
    "an index in a call with two moves": ([by_index(0), by_id(0)], 0),
    "an index as the second of two": ([by_id(PASS), by_index(0)], 1),
    "a malformed move behind an illegal one": ([by_id(0), by_id(136)], 1),
}


@pytest.mark.parametrize("form", MALFORMED)
async def test_a_malformed_move(shared: Referee, name: str, form: str) -> None:
    """At the setup decision, where there are 81 legal moves."""
    match = await setup_of(shared, name)
    choices, culprit = MALFORMED[form]
    async with nothing_changes(shared, match.match_id):
        reply = await shared.caller(SEATS[0]).call("SubmitMove", submission(match.match_id, choices))
        assert_refused(reply, "MALFORMED_MOVE", move=culprit)


@pytest.mark.parametrize(
    ("state", "choice", "rule"),
    [
        (lambda: season(2), by_id(pair(*art(PORTRAIT, 2))), "WRONG_STEP"),
        (PORTRAITS, by_id(PASS), "WRONG_STEP"),
        (PORTRAITS, by_id(predict(PORTRAIT, "3-")), "WRONG_STEP"),
        (PORTRAITS, by_id(pair(*art(PORTRAIT), *art(SCULPTURE))), "CARDS_NOT_HELD"),
        (PORTRAITS, by_id(pair(*loans(LANDSCAPE, 2))), "CARDS_NOT_HELD"),
        (ONE_LOAN, by_id(pair(*loans(ETCHING, 2))), "CARDS_NOT_HELD"),
        (occupied, by_id(predict(PORTRAIT, "3-")), "SPACE_OCCUPIED"),
        (occupied, by_id(predict(PORTRAIT, "4-", 2)), "SPACE_OCCUPIED"),
        (spent, by_id(predict(PORTRAIT, "1-", 2)), "TOKENS_MISSING"),
        (doubled, by_id(predict(PORTRAIT, "1-", 2)), "DOUBLE_DOWN_ONCE"),
    ],
)
async def test_an_illegal_move_names_its_rule(
    shared: Referee, name: str, state: Callable[[], State], choice: match_pb2.MoveChoice, rule: str
) -> None:
    match = await plant(shared, name, state())
    async with nothing_changes(shared, match.match_id):
        reply = await shared.caller(SEATS[0]).call("SubmitMove", submission(match.match_id, [choice]))
        assert_refused(reply, "ILLEGAL_MOVE", move=0, rule=rule)


async def test_a_second_move_that_is_illegal_undoes_the_first(shared: Referee, name: str) -> None:
    """All of a call's moves are played or none; the error names the culprit's place."""
    state = season(3, hands=[art(PORTRAIT, 11)])
    put(state, 1, ETCHING, "1-")
    match = await turn_of(shared, name, state)
    choices = [by_id(pair(*art(PORTRAIT, 2))), by_id(predict(ETCHING, "1-"))]
    async with nothing_changes(shared, match.match_id):
        reply = await shared.caller(SEATS[0]).call("SubmitMove", submission(match.match_id, choices))
        assert_refused(reply, "ILLEGAL_MOVE", move=1, rule="SPACE_OCCUPIED")


async def test_no_move_may_follow_a_reveal_or_the_seats_last_one(shared: Referee, name: str) -> None:
    """With two players a House card follows the pair, so that the prediction must wait for it."""
    match = await turn_of(shared, name)
    async with nothing_changes(shared, match.match_id):
        choices = [by_id(pair(*art(PORTRAIT, 2))), by_id(PASS)]
        reply = await shared.caller(SEATS[0]).call("SubmitMove", submission(match.match_id, choices))
        assert_refused(reply, "MOVE_AFTER_REVEAL", move=1)
    match = await setup_of(shared, f"{name} again")
    async with nothing_changes(shared, match.match_id):
        reply = await shared.caller(SEATS[0]).call("SubmitMove", submission(match.match_id, [by_id(PASS)] * 2))
        assert_refused(reply, "MOVE_AFTER_REVEAL", move=1)


async def test_a_request_id_may_not_be_used_for_another_request(shared: Referee, name: str) -> None:
    match = await setup_of(shared, name)
    player = shared.caller(SEATS[0])
    move = submission(match.match_id, [by_id(PASS)], "once")
    accepted = await player.call("SubmitMove", move)
    async with nothing_changes(shared, match.match_id):
        assert_refused(
            await player.call("SubmitMove", submission(match.match_id, [by_id(PASS + 1)], "once")), "REQUEST_ID_REUSED"
        )
        resign = service_pb2.ResignRequest(match_id=match.match_id, request_id="once")
        assert_refused(await player.call("Resign", resign), "REQUEST_ID_REUSED")
        assert await player.call("SubmitMove", move) == accepted


async def test_a_creation_under_a_used_request_id(shared: Referee) -> None:
    host = shared.caller(HOST)
    first = await host.call("CreateMatch", create(request_id="twice"))
    assert await host.call("CreateMatch", create(request_id="twice")) == first
    for other in (create(request_id="twice", seed=bytes(32)), create(request_id="twice", deal_group="g")):
        assert_refused(await host.call("CreateMatch", other), "REQUEST_ID_REUSED")
    three = sized(3)
    three.request_id = "twice"
    assert_refused(await host.call("CreateMatch", three), "REQUEST_ID_REUSED")


async def test_a_repeated_refusal_is_the_same_to_the_byte(shared: Referee, name: str) -> None:
    match = await setup_of(shared, name)
    player = shared.caller(SEATS[0])
    for choices in ([by_id(0)], [by_id(136)], [by_id(PASS)] * 2):
        move = submission(match.match_id, choices, f"refused {len(choices)} {choices[0].id}".replace(" ", "-"))
        assert await player.call("SubmitMove", move) == await player.call("SubmitMove", move)


async def test_of_several_faults_the_first_in_the_contracts_order_is_told(shared: Referee, name: str) -> None:
    match = await setup_of(shared, name)
    wrong = [by_id(136), by_id(0)]
    stale = submission(match.match_id, wrong, "a", decision=3)
    idle = submission(match.match_id, wrong, "b")
    malformed = submission(match.match_id, [by_id(0), by_id(136)], "c")
    illegal = submission(match.match_id, [by_id(0), by_id(PASS)], "d")
    seats = [shared.caller(secret) for secret in SEATS[:2]]
    assert (await seats[1].call("SubmitMove", stale)).reason == "STALE_DECISION"
    assert (await seats[1].call("SubmitMove", idle)).reason == "NOT_TO_ACT"
    assert (await seats[0].call("SubmitMove", malformed)).reason == "MALFORMED_MOVE"
    assert (await seats[0].call("SubmitMove", illegal)).reason == "ILLEGAL_MOVE"


async def test_a_seat_that_has_resigned_and_a_match_that_is_over(shared: Referee, name: str) -> None:
    match = await plant(shared, name, season(3))
    players = [shared.caller(secret) for secret in SEATS[:3]]
    await players[2].ask("Resign", service_pb2.ResignRequest(match_id=match.match_id, request_id="a"))
    for method, request in seat_calls(match.match_id, None):
        assert_refused(await players[2].call(method, request), "SEAT_OUT", cause="RESIGNED")
    record = service_pb2.GetRecordRequest(match_id=match.match_id)
    assert_refused(await players[0].call("GetRecord", record), "MATCH_NOT_OVER")
    await players[1].ask("Resign", service_pb2.ResignRequest(match_id=match.match_id, request_id="a"))
    async with nothing_changes(shared, match.match_id):
        for method, request in seat_calls(match.match_id, None):
            assert_refused(await players[0].call(method, request), "MATCH_OVER")
        join = service_pb2.JoinMatchRequest(match_id=match.match_id, request_id="z")
        assert_refused(await shared.caller(SPECTATOR).call("JoinMatch", join), "MATCH_OVER")


async def test_a_record_that_waits_for_its_release(shared: Referee, name: str) -> None:
    match = planted(name, season(2), on_release=True)
    await shared.plant(match)
    await shared.caller(SEATS[0]).ask("Resign", service_pb2.ResignRequest(match_id=match.match_id, request_id="a"))
    record = service_pb2.GetRecordRequest(match_id=match.match_id)
    for secret in (HOST, SEATS[0], SPECTATOR):
        reply = await shared.caller(secret).call("GetRecord", record)
        assert_refused(reply, "NOT_DISCLOSED", match_id=match.match_id)
    release = service_pb2.ReleaseRecordsRequest(match_ids=[match.match_id], request_id="b")
    [result] = (await shared.caller(HOST).ask("ReleaseRecords", release)).results
    assert (result.reason, result.text) == (error_pb2.ERROR_REASON_UNSPECIFIED, "")
    assert (await shared.caller(SPECTATOR).call("GetRecord", record)).reason == "OK"
