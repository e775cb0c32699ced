"""The law of hidden information, on the wire: what a viewer may not know changes no byte of what it is sent.

Two worlds that a viewer cannot tell apart are planted in two referees, and the same calls are made to both. The
commitment is a public fact and the same in both.
"""

import asyncio
import random
from collections import Counter
from collections.abc import AsyncIterator, Iterator, Sequence
from itertools import count, islice
from typing import Final, NamedTuple

import grpc
import pytest
from google.protobuf.message import Message

from artreferee.v1 import error_pb2, match_pb2, ruleset_pb2, service_pb2
from tests.api.harness import SPECTATOR, Caller, Conversation, Referee, Reply, Secret, Stream
from tests.api.worlds import Case, Position, Refused, Rules, case_of, waiting
from tests.api.worlds_art_decko import ArtDeckoRules
from tests.api.worlds_artsee import ArtSeeRules
from tests.api.worlds_classic_art import ClassicArtRules
from tests.games.playouts import dealt

PAIRS: Final = {"classic_art": 100, "artsee": 150, "art_decko": 200}  # of a position and a viewer, for each table
MANY: Final = 2_000
PLAYED: Final = 100
DETAILS: Final = (match_pb2.DETAIL_NONE, match_pb2.DETAIL_IDS, match_pb2.DETAIL_FULL)
MARKED_STALE: Final = 9
OPTIONS: Final = {
    "classic_art": {"max_seasons": 1, "start_seat": 1},
    "artsee": {"start_seat": 1},
    "art_decko": {"max_rounds": 1, "start_seat": 1},
}

every_table = pytest.mark.parametrize(
    ("rules", "seats"),
    [
        pytest.param(rules, seats, id=f"{rules.game.spec.name}-{seats}")
        for rules in (ClassicArtRules(), ArtSeeRules(), ArtDeckoRules())
        for seats in rules.game.spec.seats
    ],
)


class Twins:
    """Two referees, each with one of the worlds, and a count of what was seen."""

    def __init__(self, first: Referee, second: Referee) -> None:
        self.referees: Final = (first, second)
        self.seen: Final = Counter[str]()

    async def plant(self, case: Case) -> None:
        for referee, match in zip(self.referees, case.matches, strict=True):
            referee.shelf.renew()
            await referee.plant(match)

    def callers(self, *secrets: Secret) -> tuple[Caller, Caller]:
        """One who calls in both worlds, or another in each."""
        first, second = self.referees
        return first.caller(secrets[0]), second.caller(secrets[-1])

    async def same(self, callers: tuple[Caller, Caller], method: str, request: Message) -> Reply:
        """Makes a call in both worlds and requires the same answer to the byte."""
        first, second = await asyncio.gather(*(caller.call(method, request) for caller in callers))
        assert first == second, f"{method}: {first} is not {second}"
        return first

    def used_their_stores_alike(self, *, how_often: bool) -> None:
        """Requires that nothing hidden selects store calls; watchers that are told at the same time may share some."""
        first, second = (Counter(map(repr, referee.shelf.calls)) for referee in self.referees)
        assert first.keys() == second.keys()
        if how_often:
            assert first == second


class Watchers(NamedTuple):
    """The streams of one watcher in both worlds."""

    first: Stream
    second: Stream

    async def same(self) -> service_pb2.WatchMatchResponse:
        """Reads a message in both and requires the same bytes."""
        first, second = await asyncio.gather(self.first.read(), self.second.read())
        assert first == second
        return service_pb2.WatchMatchResponse.FromString(first)

    async def same_end(self) -> None:
        """Requires that both end in the same way, with OK."""
        first, second = await asyncio.gather(self.first.rest(), self.second.rest())
        assert first == second
        assert first.code == grpc.StatusCode.OK

    def cancel(self) -> None:
        self.first.cancel()
        self.second.cancel()


class Players(NamedTuple):
    """The Play streams of one principal in both worlds.

    What is told is put together before it is compared: how it is cut into messages depends on time alone.
    """

    first: Conversation
    second: Conversation

    async def say(self, request: service_pb2.PlayRequest) -> None:
        await asyncio.gather(self.first.say(request), self.second.say(request))

    async def same(self, field: str) -> service_pb2.PlayResponse:
        """Reads in both until something is in a field, and requires the same bytes."""
        first, second = await asyncio.gather(_told(self.first, field), _told(self.second, field))
        assert first.SerializeToString() == second.SerializeToString()
        return first

    async def same_end(self) -> None:
        """Requires that nothing more is told in either."""
        await asyncio.gather(self.first.end(), self.second.end())
        for end in await asyncio.gather(self.first.rest(), self.second.rest()):
            assert (end.code, b"".join(end.messages)) == (grpc.StatusCode.OK, b"")


async def _told(stream: Conversation, field: str) -> service_pb2.PlayResponse:
    told = service_pb2.PlayResponse()
    while not getattr(told, field):
        told.MergeFrom(await stream.told())
    return told


@pytest.fixture
async def twins() -> AsyncIterator[Twins]:
    async with Referee() as first, Referee() as second:
        yield Twins(first, second)


@every_table
async def test_what_a_viewer_may_not_know_changes_no_byte(twins: Twins, rules: Rules, seats: int) -> None:
    for case in islice(cases(rules, seats, 0), PAIRS[rules.game.spec.name]):
        await check(twins, case)
    assert_all_kinds_were_seen(twins.seen, rules, seats)


@pytest.mark.long
@every_table
async def test_what_a_viewer_may_not_know_changes_no_byte_in_many_worlds(
    twins: Twins, rules: Rules, seats: int
) -> None:
    for case in islice(cases(rules, seats, 1_000), MANY):
        await check(twins, case)
    assert_all_kinds_were_seen(twins.seen, rules, seats, large=True)


@every_table
async def test_what_a_viewer_may_not_know_changes_nothing_on_its_play_stream(
    twins: Twins, rules: Rules, seats: int
) -> None:
    """What it is asked and told when it comes, how its moves are refused, and what it is told of the next move."""
    for case in islice(cases(rules, seats, 3_000), PLAYED):
        await twins.plant(case)
        await check_play(twins, case, random.Random(case.match_id))
    expected = {"asked", "ended", "asked again", "STALE_DECISION", "NOT_TO_ACT", "NOT_PERMITTED"}
    assert sorted(expected - set(+twins.seen)) == []


@every_table
async def test_a_fresh_deal_shows_each_viewer_its_own_part_alone(twins: Twins, rules: Rules, seats: int) -> None:
    """Before anything has happened, when the first message could carry everything."""
    for viewer in (None, *range(seats)):
        fresh = Position(dealt(rules.game, seats, seats, rules.options), ())
        await check(twins, case_of(rules, fresh, viewer, seats))


@every_table
async def test_no_option_shows_more(twins: Twins, rules: Rules, seats: int) -> None:
    options = OPTIONS[rules.game.spec.name]
    varied = type("Varied", (type(rules),), {"options": options})()
    for case in islice(cases(varied, seats, 2_000), 8):
        assert case.matches[0].head.options == options
        await check(twins, case)


def test_every_option_is_varied() -> None:
    """A new one fails here until it is known what it shows."""
    declared = {
        ruleset.name: [option.name for option in ruleset.message_type.fields]
        for ruleset in ruleset_pb2.Options.DESCRIPTOR.fields
        if ruleset.message_type and ruleset.name != "plugin"
    }
    assert declared == {name: list(options) for name, options in OPTIONS.items()}


@every_table
async def test_taking_a_seat_shows_nothing_but_the_seat(twins: Twins, rules: Rules, seats: int) -> None:
    """Before it a newcomer has the public view; the answer, and what others hear, are the same in all worlds."""
    for number in range(20):
        position = next(rules.positions(seats, number, often=20))
        case = waiting(case_of(rules, position, None, number))
        await twins.plant(case)
        newcomer = twins.callers(Secret("newcomer"))
        get = service_pb2.GetMatchRequest(match_id=case.match_id)
        assert (await twins.same(newcomer, "GetMatch", get)).reason == "OK"
        watchers = _watch_publicly(twins, case)
        await watchers.same()
        join = service_pb2.JoinMatchRequest(match_id=case.match_id, request_id="join")
        assert (await twins.same(newcomer, "JoinMatch", join)).reason == "OK"
        assert (await watchers.same()).update.match.status == match_pb2.MATCH_STATUS_ACTIVE
        watchers.cancel()


def cases(rules: Rules, seats: int, first_match: int) -> Iterator[Case]:
    """Endless positions of random matches, each for every seat and for a spectator."""
    numbers = count()
    for match in count(first_match):
        for position in rules.positions(seats, match):
            for viewer in (None, *range(seats)):
                yield case_of(rules, position, viewer, next(numbers))


async def check(twins: Twins, case: Case) -> None:
    """Makes every kind of call in both worlds."""
    rng = random.Random(case.match_id)
    twins.seen[case.phase] += 1
    twins.seen["sealed"] += case.rules.sealed(case.states[0])
    twins.seen["seat out"] += bool(case.out)
    await twins.plant(case)
    mine = twins.callers(case.secret)
    await asyncio.gather(*(_reads(twins, mine, *read) for read in _always_read(case)))
    await asyncio.gather(*(_reads(twins, mine, *read) for read in rng.sample(list(_also_read(case)), 3)))
    watchers = [await _watch(twins, case, rng)]
    try:
        if case.phase == "OVER":
            await watchers[0].same_end()
        for refused in rng.sample(possible := list(_refused(case, rng)), min(3, len(possible))):
            await _is_refused(twins, case, mine, refused, rng)
        twins.used_their_stores_alike(how_often=True)
        if quiet := case.rules.quiet_move(case, rng):
            watchers.append(_watch_publicly(twins, case))
            await watchers[1].same()
            await _plays_quietly(twins, case, *quiet)
            for watcher in watchers:
                while not (await watcher.same()).update.HasField("match"):
                    twins.seen["autopilot"] += 1
            twins.seen[f"quiet {case.phase} of {'the viewer' if quiet[0] == case.viewer else 'another'}"] += 1
    finally:
        for watcher in watchers:
            watcher.cancel()
    twins.used_their_stores_alike(how_often=False)


async def check_play(twins: Twins, case: Case, rng: random.Random) -> None:
    """Plays in both worlds over streams."""
    players = Players(*(caller.play() for caller in twins.callers(case.secret)))
    await players.say(service_pb2.PlayRequest(unfinished_match_ids=[case.match_id]))
    due = case.viewer in case.due
    if case.viewer is not None:
        first = "ended" if case.phase == "OVER" else "asked" if due else "seated"
        await players.same(first)
        twins.seen[first] += 1
    for refused in _refused(case, rng):
        await players.say(service_pb2.PlayRequest(moves=[_played(case, refused)]))
        [outcome] = (await players.same("outcomes")).outcomes
        reason = error_pb2.ErrorReason.Name(outcome.refused.reason).removeprefix("ERROR_REASON_")
        assert refused.why in (reason, *(pair.value for pair in outcome.refused.metadata))
        twins.seen[refused.why] += 1
    if quiet := case.rules.quiet_move(case, rng):
        await _plays_quietly(twins, case, *quiet)
        get = service_pb2.GetMatchRequest(match_id=case.match_id)
        seen = await twins.same(twins.callers(case.secret), "GetMatch", get)
        match = service_pb2.GetMatchResponse.FromString(seen.messages[0]).match
        match.ClearField("bot_seed")  # told with the seat, not with what it is asked
        if match.HasField("prompt") and (not due or quiet[0] == case.viewer):
            assert list((await players.same("asked")).asked) == [match]
            twins.seen["asked again"] += 1
    await players.same_end()


def _played(case: Case, refused: Refused) -> service_pb2.PlayMove:
    request_id = f"{refused.why}-{refused.choice.SerializeToString().hex()}"[:64]
    return service_pb2.PlayMove(
        match_id=case.match_id, request_id=request_id, decision_number=refused.decision, moves=[refused.choice]
    )


class Read(NamedTuple):
    """A call that changes nothing, and how it is answered."""

    method: str
    request: Message
    reason: str


def _always_read(case: Case) -> Iterator[Read]:
    for detail in DETAILS:
        yield Read("GetMatch", service_pb2.GetMatchRequest(match_id=case.match_id, detail=detail), "OK")


def _also_read(case: Case) -> Iterator[Read]:
    match_id, another = case.match_id, next(seat for seat in range(5) if seat != case.viewer)
    over = case.phase == "OVER"
    join = service_pb2.JoinMatchRequest(match_id=match_id, request_id="join", seat=another)
    resign = service_pb2.ResignRequest(match_id=match_id, request_id="resign", seat=another)
    record = service_pb2.GetRecordRequest(match_id=match_id)
    yield Read("GetMatch", service_pb2.GetMatchRequest(match_id=match_id, seat=another), "NOT_PERMITTED")
    yield Read("ListMatches", service_pb2.ListMatchesRequest(), "OK")
    yield Read("ListMatches", service_pb2.ListMatchesRequest(mine=True), "OK")
    yield Read("JoinMatch", join, "MATCH_OVER" if over else "SEAT_TAKEN")
    yield Read("GetRecord", record, "NOT_DISCLOSED" if over else "MATCH_NOT_OVER")
    yield Read("Resign", resign, "NOT_PERMITTED")


async def _reads(twins: Twins, mine: tuple[Caller, Caller], method: str, request: Message, reason: str) -> None:
    assert (await twins.same(mine, method, request)).reason == reason
    twins.seen[f"{method} {reason}"] += 1


async def _watch(twins: Twins, case: Case, rng: random.Random) -> Watchers:
    """Follows the match as the viewer, from a snapshot or from an earlier version, and reads all that has been told."""
    request = service_pb2.WatchMatchRequest(match_id=case.match_id)
    messages = 1
    if case.log_length and rng.random() < 0.5:
        request.after_version = rng.randrange(case.log_length)
        messages = case.log_length - request.after_version
    watchers = Watchers(*(caller.watch(request) for caller in twins.callers(case.secret)))
    for _ in range(messages):
        await watchers.same()
    return watchers


def _watch_publicly(twins: Twins, case: Case) -> Watchers:
    request = service_pb2.WatchMatchRequest(match_id=case.match_id)
    return Watchers(*(caller.watch(request) for caller in twins.callers(SPECTATOR)))


def _refused(case: Case, rng: random.Random) -> Iterator[Refused]:
    """What the viewer may not do, by the rule text and the contract's order of checks."""
    rules, viewer = case.rules, case.viewer
    some_move = match_pb2.MoveChoice(id=rules.some_move)
    if viewer is None:
        yield Refused("NOT_PERMITTED", some_move)
    elif case.phase == "OVER":
        yield Refused("MATCH_OVER", some_move)
    elif viewer in case.out:
        yield Refused("SEAT_OUT", some_move)
    else:
        yield Refused("STALE_DECISION", some_move, MARKED_STALE)
        if viewer not in case.due:
            yield Refused("NOT_TO_ACT", some_move)
        else:
            yield Refused("MALFORMED_MOVE", match_pb2.MoveChoice(index=500))
            yield Refused("MALFORMED_MOVE", match_pb2.MoveChoice(id=rules.game.spec.num_actions))
            yield Refused("MALFORMED_MOVE", match_pb2.MoveChoice(move=rules.malformed()))
            yield from rules.illegal(case.states[0], viewer, rng)


async def _is_refused(
    twins: Twins, case: Case, mine: tuple[Caller, Caller], refused: Refused, rng: random.Random
) -> None:
    request = service_pb2.SubmitMoveRequest(
        match_id=case.match_id,
        request_id=f"{refused.why}{rng.random()}",
        decision_number=refused.decision,
        moves=[refused.choice],
    )
    reply = await twins.same(mine, "SubmitMove", request)
    assert refused.why in (reply.reason, reply.info.metadata["rule"])
    twins.seen[refused.why] += 1


async def _plays_quietly(twins: Twins, case: Case, seat: int, moves: Sequence[int]) -> None:
    requests = [
        service_pb2.SubmitMoveRequest(
            match_id=case.match_id,
            request_id="quiet",
            seat=seat,
            moves=[match_pb2.MoveChoice(id=move)],
        )
        for move in moves
    ]
    movers = twins.callers(*case.holders(seat))
    replies = await asyncio.gather(
        *(mover.call("SubmitMove", request) for mover, request in zip(movers, requests, strict=True))
    )
    assert [reply.code for reply in replies] == [grpc.StatusCode.OK] * 2
    if seat == case.viewer:
        assert replies[0] == replies[1]


def assert_all_kinds_were_seen(seen: Counter[str], rules: Rules, seats: int, *, large: bool = False) -> None:
    """Requires that the sample left nothing out."""
    expected = {phase.name for phase in rules.phases} | ({"sealed"} if rules.seals else set())
    expected |= {"NOT_PERMITTED", "MATCH_OVER", "STALE_DECISION", "NOT_TO_ACT", "MALFORMED_MOVE"}
    expected |= rules.illegal_rules | (rules.rare if large else set())
    expected |= {"GetMatch OK", "GetMatch NOT_PERMITTED", "ListMatches OK", "JoinMatch MATCH_OVER"}
    expected |= {"JoinMatch SEAT_TAKEN", "GetRecord NOT_DISCLOSED", "GetRecord MATCH_NOT_OVER", "Resign NOT_PERMITTED"}
    quiet = rules.quiet_phases(seats)
    expected |= {f"quiet {phase} of {whose}" for phase in quiet for whose in ("the viewer", "another")}
    if seats > 2:
        expected |= {"seat out", "SEAT_OUT"} | ({"autopilot"} if rules.seals and (large or seats > 3) else set())
    assert sorted(expected - set(+seen)) == []
