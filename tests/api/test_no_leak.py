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

from artreferee.v1 import classic_art_pb2 as pb
from artreferee.v1 import match_pb2, ruleset_pb2, service_pb2
from referee.games.classic_art.state import Phase
from tests.api.harness import SPECTATOR, Caller, Referee, Reply, Secret, Stream
from tests.api.worlds import Case, case_of, due, hand_of, pair_id, positions, quiet_move, waiting
from tests.games.classic_art.moves import PASS

PAIRS, MANY = 500, 2_000  # of a position and a viewer, for each number of seats
DETAILS: Final = (match_pb2.DETAIL_NONE, match_pb2.DETAIL_IDS, match_pb2.DETAIL_FULL)
MARKED_STALE: Final = 9

every_size = pytest.mark.parametrize("seats", [2, 3, 4, 5])


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


class Refused(NamedTuple):
    """A submission that is refused, and why."""

    why: str
    choice: match_pb2.MoveChoice
    decision: int = 0


@pytest.fixture
async def twins() -> AsyncIterator[Twins]:
    async with Referee() as first, Referee() as second:
        yield Twins(first, second)


@every_size
async def test_what_a_viewer_may_not_know_changes_no_byte(twins: Twins, seats: int) -> None:
    for case in islice(cases(seats, 0), PAIRS):
        await check(twins, case)
    assert_all_kinds_were_seen(twins.seen, seats)


@pytest.mark.long
@every_size
async def test_what_a_viewer_may_not_know_changes_no_byte_in_many_worlds(twins: Twins, seats: int) -> None:
    for case in islice(cases(seats, 1_000), MANY):
        await check(twins, case)
    assert_all_kinds_were_seen(twins.seen, seats)


@every_size
async def test_taking_a_seat_shows_nothing_but_the_seat(twins: Twins, seats: int) -> None:
    """Before it a newcomer has the public view; the answer, and what others hear, are the same in all worlds."""
    for number in range(20):
        position = next(positions(seats, number, often=20))
        case = waiting(case_of(position, None, number))
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


def cases(seats: int, first_match: int) -> Iterator[Case]:
    """Endless positions of random matches, each for every seat and for a spectator."""
    numbers = count()
    for match in count(first_match):
        for position in positions(seats, match):
            for viewer in (None, *range(seats)):
                yield case_of(position, viewer, next(numbers))


async def check(twins: Twins, case: Case) -> None:
    """Makes every kind of call in both worlds."""
    rng = random.Random(case.match_id)
    phase = Phase(case.states[0].phase)
    twins.seen[phase.name] += 1
    twins.seen["sealed"] += any(case.states[0].chosen)
    twins.seen["seat out"] += bool(case.out)
    await twins.plant(case)
    mine = twins.callers(case.secret)
    await asyncio.gather(*(_reads(twins, mine, *read) for read in _always_read(case)))
    await asyncio.gather(*(_reads(twins, mine, *read) for read in rng.sample(list(_also_read(case)), 3)))
    watchers = [await _watch(twins, case, rng)]
    try:
        if phase == Phase.OVER:
            await watchers[0].same_end()
        for refused in rng.sample(possible := list(_refused(case, rng)), min(2, len(possible))):
            await _is_refused(twins, case, mine, refused, rng)
        twins.used_their_stores_alike(how_often=True)
        if quiet := quiet_move(case, rng):
            watchers.append(_watch_publicly(twins, case))
            await watchers[1].same()
            await _plays_quietly(twins, case, *quiet)
            for watcher in watchers:
                while not (await watcher.same()).update.HasField("match"):
                    twins.seen["autopilot"] += 1
            twins.seen[f"quiet {phase.name} of {'the viewer' if quiet[0] == case.viewer else 'another'}"] += 1
    finally:
        for watcher in watchers:
            watcher.cancel()
    twins.used_their_stores_alike(how_often=False)


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
    over = case.states[0].phase == Phase.OVER
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
    state, viewer = case.states[0], case.viewer
    passed = match_pb2.MoveChoice(id=PASS)
    if viewer is None:
        yield Refused("NOT_PERMITTED", passed)
    elif state.phase == Phase.OVER:
        yield Refused("MATCH_OVER", passed)
    elif viewer in case.out:
        yield Refused("SEAT_OUT", passed)
    else:
        yield Refused("STALE_DECISION", passed, MARKED_STALE)
        if viewer not in due(state):
            yield Refused("NOT_TO_ACT", passed)
        else:
            yield Refused("MALFORMED_MOVE", match_pb2.MoveChoice(index=500))
            yield Refused("MALFORMED_MOVE", match_pb2.MoveChoice(id=136))
            yield Refused("MALFORMED_MOVE", match_pb2.MoveChoice(move=_three_tokens()))
            yield from _illegal(case, viewer, rng)


def _illegal(case: Case, viewer: int, rng: random.Random) -> Iterator[Refused]:
    state = case.states[0]
    if state.phase in (Phase.PLAY, Phase.FINAL):
        yield Refused("WRONG_STEP", match_pb2.MoveChoice(id=PASS))
        hand = hand_of(state, viewer)
        missing = rng.choice([kind for kind in range(10) if kind not in hand])
        yield Refused("CARDS_NOT_HELD", match_pb2.MoveChoice(id=pair_id([missing, rng.choice(hand)])))
        return
    yield Refused("WRONG_STEP", match_pb2.MoveChoice(id=pair_id([0, 2])))
    occupied = [space for space in range(40) if state.board[space]]
    if occupied:
        yield Refused("SPACE_OCCUPIED", match_pb2.MoveChoice(id=PASS + 1 + 2 * rng.choice(occupied)))


def _three_tokens() -> ruleset_pb2.Move:
    placed = pb.ClassicArtPlacePrediction(
        category=pb.CLASSIC_ART_CATEGORY_PORTRAIT, space=pb.CLASSIC_ART_SPACE_AT_LEAST_8, tokens=3
    )
    return ruleset_pb2.Move(classic_art=pb.ClassicArtMove(place_prediction=placed))


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


def assert_all_kinds_were_seen(seen: Counter[str], seats: int) -> None:
    """Requires that the sample left nothing out."""
    expected = {phase.name for phase in Phase} | {"sealed"}
    expected |= {"NOT_PERMITTED", "MATCH_OVER", "STALE_DECISION", "NOT_TO_ACT", "MALFORMED_MOVE", "WRONG_STEP"}
    expected |= {"CARDS_NOT_HELD", "SPACE_OCCUPIED"}
    expected |= {"GetMatch OK", "GetMatch NOT_PERMITTED", "ListMatches OK", "JoinMatch MATCH_OVER"}
    expected |= {"JoinMatch SEAT_TAKEN", "GetRecord NOT_DISCLOSED", "GetRecord MATCH_NOT_OVER", "Resign NOT_PERMITTED"}
    quiet = {"SETUP", "PREDICT", "FINAL"} | ({"PLAY"} if seats > 2 else set())
    expected |= {f"quiet {phase} of {whose}" for phase in quiet for whose in ("the viewer", "another")}
    if seats > 2:
        expected |= {"seat out", "SEAT_OUT", "autopilot"}
    assert not expected - set(+seen)
