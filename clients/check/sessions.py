"""How a Play stream begins, goes on and ends."""

from collections.abc import Sequence
from typing import Any, Final

from artreferee.v1 import match_pb2, service_pb2
from clients.check import calls
from clients.check.calls import Caller
from clients.check.checks import alike, check, equal, expect
from clients.check.conversation import answer_to, conversing, refusal_of, refused_to
from clients.check.errors import ABSENT
from clients.check.foresight import Foresight, find_position
from clients.check.reasons import refused
from clients.check.subject import Subject, creation_of
from clients.sdk import new_request_id

_TURNS: Final = 4  # played by one principal for all seats


@check
async def open_prompts_are_told_again(subject: Subject) -> None:
    """A new Play stream tells again whatever is still asked, and that only."""
    sitting = await subject.sit(subject.simplest())
    seat, match = await sitting.one_asked()
    for _ in range(2):
        async with conversing(sitting.players[seat]) as conversation:
            await conversation.until(lambda heard: heard.asked, "an open prompt")
            alike("what Play asks", conversation.asked[0], match)
    (await sitting.submit(seat, sitting.move(match, [match_pb2.MoveChoice(index=0)]))).required()
    async with conversing(sitting.players[seat]) as conversation:
        await conversation.until(lambda heard: heard.seated, "a match at which the caller is seated")
        stale = answer_to(match, [match_pb2.MoveChoice(index=0)])
        await conversation.send(stale)
        await conversation.outcome_of(stale.request_id)
        old = [asked for asked in conversation.asked if asked.prompt.decision_number == match.prompt.decision_number]
        equal("how often Play asks what has been answered", len(old), 0)


@check
async def a_newer_stream_takes_over(subject: Subject) -> None:
    """A Play stream ends with SUPERSEDED when its principal opens a newer one, which is told all that is asked."""
    sitting = await subject.sit(subject.simplest())
    seat, _ = await sitting.one_asked()
    async with conversing(sitting.players[seat]) as older:
        await older.until(lambda heard: heard.asked, "an open prompt")
        async with conversing(sitting.players[seat]) as newer:
            refused("Play when a newer stream was opened", await older.ends(), "SUPERSEDED")
            await newer.until(lambda heard: heard.asked, "an open prompt")
            move = answer_to(newer.asked[0], [match_pb2.MoveChoice(index=0)])
            await newer.send(move)
            outcome = await newer.outcome_of(move.request_id)
            expect(outcome.HasField("accepted"), f"the newer stream's move is refused: {outcome.refused.text}")


@check
async def matches_joined_later_appear(subject: Subject) -> None:
    """A Play stream tells of matches at which its principal is seated later, by their creator or by JoinMatch."""
    ruleset = subject.simplest()
    player = subject.caller()
    async with conversing(player) as conversation:
        given = creation_of(ruleset, ruleset.min_seats)
        for seat in given.seats:
            seat.principal_hash = player.principal.hash
        given_id = (await subject.caller().ask(calls.CREATE_MATCH, given)).match_id
        await conversation.until(lambda heard: heard.asked_in(given_id), "a prompt of a match created later")
        sitting = await subject.sit(ruleset, open_seats=[0])
        join = service_pb2.JoinMatchRequest(request_id=new_request_id(), match_id=sitting.match_id, seat=0)
        await player.ask(calls.JOIN_MATCH, join)
        wanted = {given_id, sitting.match_id}
        await conversation.until(
            lambda heard: {match.match_id for match in heard.seated} == wanted, "the seat of a match joined later"
        )


@check
async def each_seat_of_a_principal_is_asked(subject: Subject) -> None:
    """Whoever holds several seats of a match is told of it and asked for each of them, and told its end for each."""
    ruleset = subject.simplest()
    seats = [*range(ruleset.min_seats)]
    sitting = await subject.sit(ruleset, holders=[0] * ruleset.min_seats)
    asked = set[int]()
    async with conversing(sitting.players[0]) as conversation:
        for turn in range(_TURNS):
            await conversation.until(lambda heard, turn=turn: len(heard.asked) > turn, "a prompt")  # type: ignore[misc]
            match = conversation.asked[turn]
            asked.add(match.viewer_seat)
            await conversation.send(answer_to(match, [match_pb2.MoveChoice(index=0)]))
        await sitting.end()
        await conversation.until(lambda heard: len(heard.ended) >= len(seats), "the end of a match, for each seat")
        for what, told in (("seated", conversation.seated), ("ended", conversation.ended)):
            equal(f"the seats that were told as {what}", sorted(match.viewer_seat for match in told), seats)
    equal("the seats that were asked", sorted(asked), seats)


@check
async def ends_that_were_missed_are_told(subject: Subject) -> None:
    """Of the unfinished_match_ids in a request, those that have ended meanwhile are told as ended."""
    ruleset = subject.simplest()
    over, open_ = [await subject.sit(ruleset) for _ in range(2)]
    await over.end()
    async with conversing(over.players[0]) as conversation:
        await conversation.send(unfinished_match_ids=[over.match_id])
        await conversation.until(lambda heard: heard.ended, "the end of a match that was missed")
        equal("the match told as ended", [match.match_id for match in conversation.ended], [over.match_id])
        expect(conversation.ended[0].HasField("result"), "a match told as ended has no result")
    seat, _ = await open_.one_asked()
    async with conversing(open_.players[seat], unfinished_match_ids=[open_.match_id]) as conversation:
        await conversation.until(lambda heard: heard.asked, "an open prompt")
        await open_.end()
        await conversation.until(lambda heard: heard.ended, "the end of a match")
        equal("how often the end of a match is told", len(conversation.ended), 1)


@check
async def refused_moves_leave_the_stream_open(subject: Subject) -> None:
    """A move that SubmitMove would refuse is refused with the same code, reason and metadata, and Play goes on."""
    ruleset = subject.simplest()
    sitting = await subject.sit(ruleset)
    seat, match = await sitting.one_asked()
    first = [match_pb2.MoveChoice(index=0)]
    illegal = next(m for m in range(ruleset.num_actions) if m not in {legal.id for legal in match.prompt.legal_moves})
    async with conversing(sitting.players[seat]) as conversation:
        for reason, move in (
            ("STALE_DECISION", answer_to(match, first, decision_number=7)),
            ("MALFORMED_MOVE", answer_to(match, [match_pb2.MoveChoice(id=ruleset.num_actions)])),
            ("ILLEGAL_MOVE", answer_to(match, [match_pb2.MoveChoice(id=illegal)])),
            ("NOT_PERMITTED", answer_to(match, first, seat=15)),
            ("NOT_PERMITTED", answer_to(match, first, match_id=ABSENT)),
            ("INVALID_FIELD", answer_to(match, [])),
            ("INVALID_FIELD", answer_to(match, first, match_id="x")),
        ):
            await conversation.send(move)
            outcome = await conversation.outcome_of(move.request_id)
            refused(f"a move over Play that is {reason}", refusal_of(outcome), reason)
            equal("the match of a refused move", outcome.match_id, move.match_id)
        move = answer_to(match, first)
        await conversation.send(move)
        outcome = await conversation.outcome_of(move.request_id)
        expect(outcome.HasField("accepted"), f"a legal move after refused ones is refused: {outcome.refused.text}")


@check
async def moves_of_one_request_are_played_in_order(subject: Subject) -> None:
    """Several moves of one match in one request are played in their order, each with its outcome."""
    position = await find_position(subject, Foresight.legal_pair)
    sitting, shown = position.sitting, position.shown
    moves = [
        answer_to(shown, [choice], decision_number=shown.prompt.decision_number + place)
        for place, choice in enumerate(position.choices())
    ]
    async with conversing(sitting.players[position.seat]) as conversation:
        await conversation.send(*moves)
        outcomes = [await conversation.outcome_of(move.request_id) for move in moves]
    told = [(outcome.accepted.version, outcome.accepted.decision_number) for outcome in outcomes]
    version, decision = shown.version, shown.prompt.decision_number
    equal("version and decision of two moves", told, [(version + 1, decision + 1), (version + 2, decision + 2)])


@check
async def a_move_is_one_over_play_and_submit_move(subject: Subject) -> None:
    """A move repeated under its request id, over Play and by SubmitMove, is played once and answered alike."""
    sitting = await subject.sit(subject.simplest())
    seat, match = await sitting.one_asked()
    move = answer_to(match, [match_pb2.MoveChoice(index=0)])
    async with conversing(sitting.players[seat]) as conversation:
        await conversation.send(move, move)
        await conversation.until(
            lambda heard: len(heard.outcomes_of(move.request_id)) > 1, "both outcomes of a move sent twice"
        )
    first, again = conversation.outcomes_of(move.request_id)
    equal("the outcome of a move that was repeated", again, first)
    same = sitting.move(match, move.moves, request_id=move.request_id, seat=seat)
    answer = (await sitting.submit(seat, same)).required()
    told = (first.accepted.version, first.accepted.decision_number)
    equal("what SubmitMove answers to the same move", (answer.version, answer.decision_number), told)
    equal("the version after a move sent three times", (await sitting.see(seat)).version, match.version + 1)


@check
async def play_needs_its_principal(subject: Subject) -> None:
    """Without a good principal Play ends with its reason; another principal hears nothing of the match."""
    sitting = await subject.sit(subject.simplest())
    _, match = await sitting.one_asked()
    strangers: Sequence[tuple[str, Caller]] = (
        ("PRINCIPAL_MISSING", subject.nobody()),
        ("PRINCIPAL_MALFORMED", subject.nobody((("authorization", "Bearer x"),))),
    )
    for reason, stranger in strangers:
        conversation = await refused_to(stranger)
        refused("Play without a good principal", await conversation.ends(), reason)
        equal("the number of responses without a good principal", len(conversation.responses), 0)
    async with conversing(sitting.spectator) as conversation:
        move = answer_to(match, [match_pb2.MoveChoice(index=0)])
        await conversation.send(move)
        outcome = await conversation.outcome_of(move.request_id)
        refused("a spectator's move over Play", refusal_of(outcome), "NOT_PERMITTED")
        await sitting.play()
        await conversation.done()
        await conversation.ends()
        told = len(conversation.seated) + len(conversation.asked) + len(conversation.ended)
        equal("of how many matches Play told a spectator", told, 0)


@check
async def wrong_requests_end_the_stream(subject: Subject) -> None:
    """Play ends with INVALID_FIELD, MALFORMED_REQUEST or UNKNOWN_FIELD for a request that is wrong by itself."""
    caller = subject.caller()
    absent = [ABSENT] * 1001
    first: Sequence[tuple[str, dict[str, Any]]] = (
        ("detail", {"detail": 9}),
        ("unfinished_match_ids[0]", {"unfinished_match_ids": ["x"]}),
        ("unfinished_match_ids", {"unfinished_match_ids": absent}),
    )
    for name, fields in first:
        async with conversing(caller, **fields) as conversation:
            refused(f"Play with a wrong {name}", await conversation.ends(), "INVALID_FIELD", field=name)
    later: Sequence[tuple[str, dict[str, Any]]] = (
        ("detail", {"detail": match_pb2.DETAIL_IDS}),
        ("unfinished_match_ids", {"unfinished_match_ids": absent}),
        ("moves", {"moves": [service_pb2.PlayMove()] * 65}),
    )
    for name, fields in later:
        async with conversing(caller) as conversation:
            await conversation.send_raw(service_pb2.PlayRequest(**fields).SerializeToString())
            reply = await conversation.ends()
            refused(f"Play with {name} in its second request", reply, "INVALID_FIELD", field=name)
    for reason, raw in (("MALFORMED_REQUEST", b"\x1a\x05ab"), ("UNKNOWN_FIELD", b"\xba\x3e\x01x")):
        async with conversing(caller) as conversation:
            await conversation.send_raw(raw)
            refused(f"Play with the bytes {raw.hex()}", await conversation.ends(), reason)
