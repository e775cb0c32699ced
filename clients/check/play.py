"""What a Play stream tells of whole matches: every prompt, every outcome, every end, once."""

import asyncio
import random
from collections import Counter
from contextlib import AsyncExitStack
from dataclasses import dataclass, field

from artreferee.v1 import match_pb2, ruleset_pb2, service_pb2
from clients.check import calls
from clients.check.checks import CheckSkippedError, alike, equal, expect
from clients.check.conversation import Conversation, answer_to, conversing
from clients.check.played import in_hindsight
from clients.check.subject import Subject, creation_of, rules_of
from clients.check.truth import Truth


@dataclass
class _Evening:
    """Matches of all rulesets, played over one stream a player.

    Attributes:
        matches: their ids, and the rulesets.
        conversations: what each player was told; player i has seat i of every match that has one.
        sent: the answers, and the prompts that they answered, by request id.
        records: the records, by match id.
    """

    matches: dict[str, ruleset_pb2.Ruleset] = field(default_factory=dict)
    conversations: list[Conversation] = field(default_factory=list)
    sent: dict[str, tuple[match_pb2.Match, service_pb2.PlayMove]] = field(default_factory=dict)
    records: dict[str, service_pb2.GetRecordResponse] = field(default_factory=dict)

    def of(self, player: int) -> list[str]:
        """Returns the matches at which a player is seated."""
        return [match_id for match_id, ruleset in self.matches.items() if player < ruleset.min_seats]


async def _evening(subject: Subject) -> _Evening:
    evening: _Evening = await subject.shared(_Evening, _play_an_evening(subject))
    return evening


async def _play_an_evening(subject: Subject) -> _Evening:
    evening, host = _Evening(), subject.caller()
    players = [subject.caller() for _ in range(max(ruleset.min_seats for ruleset in subject.rulesets))]
    for ruleset in subject.rulesets:
        request = creation_of(ruleset, ruleset.min_seats)
        for seat, player in zip(request.seats, players, strict=False):
            seat.principal_hash = player.principal.hash
        evening.matches[(await host.ask(calls.CREATE_MATCH, request)).match_id] = ruleset
    async with AsyncExitStack() as stack:
        evening.conversations = [await stack.enter_async_context(conversing(player)) for player in players]
        await asyncio.gather(*(_answer_all(evening, player) for player in range(len(players))))
    for match_id in evening.matches:
        get = service_pb2.GetRecordRequest(match_id=match_id)
        evening.records[match_id] = await host.ask(calls.GET_RECORD, get)
    return evening


async def _answer_all(evening: _Evening, player: int) -> None:
    conversation, rng = evening.conversations[player], random.Random(player)
    wanted, read, answered = set(evening.of(player)), 0, set[tuple[str, int]]()
    while {match.match_id for match in conversation.ended} != wanted:
        await conversation.until(lambda heard, read=read: len(heard.responses) > read, "a prompt or an end")  # type: ignore[misc]
        news, read = conversation.responses[read:], len(conversation.responses)
        moves = []
        for match in [match for response in news for match in response.asked]:
            question = (match.match_id, match.prompt.decision_number)
            if question in answered:
                continue
            answered.add(question)
            choice = match_pb2.MoveChoice(index=rng.randrange(match.prompt.legal_count))
            move = answer_to(match, [choice])
            evening.sent[move.request_id] = match, move
            moves.append(move)
        if moves:
            await conversation.send(*moves)
    await conversation.done()
    await conversation.ends()


@in_hindsight
async def each_prompt_is_told_once(subject: Subject) -> None:
    """A Play stream tells each prompt of its principal's seats once, with its legal moves."""
    evening = await _evening(subject)
    for player, conversation in enumerate(evening.conversations):
        for match_id in evening.of(player):
            told = [match.prompt.decision_number for match in conversation.asked_in(match_id)]
            log = evening.records[match_id].record.log
            made = sum(entry.seat == player and entry.HasField("move") for entry in log)
            name = evening.matches[match_id].name
            equal(f"the decisions of {name} that Play told seat {player}", told, [*range(made)])
        for match in conversation.asked:
            equal("the viewer_seat of a match that Play asks about", match.viewer_seat, player)
            listed = len(match.prompt.legal_moves)
            equal("the number of moves in a prompt by Play", listed, match.prompt.legal_count)


@in_hindsight
async def each_move_has_one_outcome(subject: Subject) -> None:
    """Each move sent over Play is answered once, with the version of its entry and the next decision_number."""
    evening = await _evening(subject)
    for player, conversation in enumerate(evening.conversations):
        count = Counter(outcome.request_id for outcome in conversation.outcomes)
        sent = {request_id for request_id, (match, _) in evening.sent.items() if match.viewer_seat == player}
        equal(f"for how many moves seat {player} was told an outcome", len(count), len(sent))
        equal("how often the outcome of a move was told", max(count.values(), default=1), 1)
        for outcome in conversation.outcomes:
            match, move = evening.sent[outcome.request_id]
            name = evening.matches[match.match_id].name
            equal(f"the match of an outcome of {name}", outcome.match_id, match.match_id)
            expect(outcome.HasField("accepted"), f"a legal move of {name} is refused by Play: {outcome.refused.text}")
            equal(f"the decision after a move of {name}", outcome.accepted.decision_number, move.decision_number + 1)
            log = evening.records[match.match_id].record.log
            entry = log[outcome.accepted.version - 1]
            chosen = match.prompt.legal_moves[move.moves[0].index].id
            found = (entry.seat, entry.move.id, entry.move.decision_number)
            equal(f"the entry of a move of {name}", found, (player, chosen, move.decision_number))


@in_hindsight
async def matches_are_told_from_seating_to_end(subject: Subject) -> None:
    """A Play stream tells each match once when its principal is seated, without a view, and once when it has ended."""
    evening = await _evening(subject)
    for player, conversation in enumerate(evening.conversations):
        mine = sorted(evening.of(player))
        for what, told in (("seated", conversation.seated), ("ended", conversation.ended)):
            equal(f"the matches that Play told seat {player} as {what}", sorted(m.match_id for m in told), mine)
            equal(f"the viewers of those that are {what}", {match.viewer_seat for match in told}, {player})
        expect(
            not any(m.HasField("view") or m.HasField("prompt") for m in conversation.seated),
            "a seated match has a view",
        )
        for match in conversation.ended:
            result = evening.records[match.match_id].record.result
            equal("the result of a match that Play told as ended", match.result, result)


@in_hindsight
async def play_ends_when_its_caller_ends(subject: Subject) -> None:
    """When the caller has ended its side, a Play stream ends with OK after the last outcome."""
    for conversation in (await _evening(subject)).conversations:
        equal("how Play ended", conversation.end.told if conversation.end else "not at all", "OK")
    sitting = await subject.sit(subject.simplest())
    seat, _ = await sitting.one_asked()
    async with conversing(sitting.players[seat]) as conversation:
        await conversation.until(lambda heard: heard.asked, "an open prompt")
        move = answer_to(conversation.asked[0], [match_pb2.MoveChoice(index=0)])
        await conversation.send(move)
        await conversation.done()
        equal("how Play ended", (await conversation.ends()).told, "OK")
        told = [outcome.WhichOneof("outcome") for outcome in conversation.outcomes_of(move.request_id)]
        equal("what Play told of a move before it ended", told, ["accepted"])


@in_hindsight
async def play_shows_what_the_rules_allow(subject: Subject) -> None:
    """Every view in a Play stream is, to the byte, what the rules show its viewer, and every prompt is theirs."""
    evening, known = await _evening(subject), 0
    for match_id, ruleset in evening.matches.items():
        if (wire := rules_of(ruleset)) is None:
            continue
        known += 1
        truth = Truth(evening.records[match_id].record, wire)
        for conversation in evening.conversations:
            for match in (*conversation.asked_in(match_id), *conversation.ended):
                if match.match_id == match_id:
                    _require_true(truth, match, ruleset.name)
    if not known:
        raise CheckSkippedError("no listed ruleset is known here in the version that the referee plays")


def _require_true(truth: Truth, match: match_pb2.Match, name: str) -> None:
    seat, where = match.viewer_seat, f"of {name} at version {match.version}, told by Play,"
    expect(match.version <= truth.version, f"a match {where} is of a version beyond the log's {truth.version}")
    alike(f"the view {where}", match.view, truth.view(match.version, seat))
    legal = [(move.index, move.id) for move in truth.legal_moves(match.version, seat)]
    equal(f"the prompt {where}", [(move.index, move.id) for move in match.prompt.legal_moves], legal)
