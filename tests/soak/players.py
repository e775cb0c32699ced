"""People who play a match at random, get in each other's way, and remember what they were told."""

import asyncio
from collections import Counter
from dataclasses import dataclass, field
from typing import NamedTuple

from artreferee.v1 import art_decko_pb2, classic_art_pb2, error_pb2, match_pb2, ruleset_pb2, service_pb2
from clients.sdk import Principal
from tests.soak.calls import Calls, Told

RIVAL_IN = 20  # turns that somebody makes twice at once, with other moves
EAGER_IN = 20  # turns in which a seat moves that was not asked
RESIGNATION_IN = 600
ON_RELEASE_IN = 8
RACED_SEAT_IN = 4

REFUSALS = frozenset(
    {
        error_pb2.ERROR_REASON_STALE_DECISION,
        error_pb2.ERROR_REASON_NOT_TO_ACT,
        error_pb2.ERROR_REASON_MATCH_OVER,
        error_pb2.ERROR_REASON_SEAT_OUT,
        error_pb2.ERROR_REASON_ILLEGAL_MOVE,
        error_pb2.ERROR_REASON_MALFORMED_MOVE,
    }
)  # what those may hear who race


class Kind(NamedTuple):
    """What is played: a ruleset, its options, and the number of seats."""

    ruleset: str
    options: ruleset_pb2.Options
    seats: int


class Span(NamedTuple):
    """A call as the rest of the world sees it: begin and end, the version that it told, and whether it made it."""

    started: float
    ended: float
    version: int
    change: bool


class Move(NamedTuple):
    """A move that was acknowledged, and when its answered attempt began if others had failed; see `Told`."""

    seat: int
    decision: int
    version: int
    move: int
    repeated_ms: int | None


@dataclass
class Played:
    """All that its players were told of a match.

    Attributes:
        match_id: the match.
        kind: what is played.
        host: who created it.
        on_release: whether its record waits for its host.
        holders: who holds each seat.
        joins: the seats that were taken after its creation, each with the version that was told.
        moves: what was acknowledged.
        resignations: the seats that resigned, each with the version that was told.
        refused: how often each seat heard which reason.
        spans: all calls that told a version.
    """

    kind: Kind
    host: Principal
    on_release: bool
    match_id: str = ""
    holders: list[Principal] = field(default_factory=list)
    joins: list[tuple[int, int]] = field(default_factory=list)
    moves: list[Move] = field(default_factory=list)
    resignations: list[tuple[int, int]] = field(default_factory=list)
    refused: Counter[tuple[int, error_pb2.ErrorReason.ValueType]] = field(default_factory=Counter)
    spans: list[Span] = field(default_factory=list)


def options_of(ruleset: str, length: int) -> ruleset_pb2.Options:
    """Returns options for a short match where the ruleset has them; `length` is 1 or more."""
    match ruleset:
        case "classic_art":
            return ruleset_pb2.Options(classic_art=classic_art_pb2.ClassicArtOptions(max_seasons=length))
        case "art_decko":
            return ruleset_pb2.Options(art_decko=art_decko_pb2.ArtDeckoOptions(max_rounds=2 * length))
        case _:
            return ruleset_pb2.Options()


class Sitting:
    """Plays one match.

    Args:
        calls: makes the calls.
        people: who may be host or hold seats; one may hold several.
        kind: what is played.

    Attributes:
        played: what its players are told.
        created: set when there is such a match.
    """

    def __init__(self, calls: Calls, people: list[Principal], kind: Kind) -> None:
        self._calls, self._rng, self._people = calls, calls.rng, people
        self.played = Played(kind, self._rng.choice(people), self._one_in(ON_RELEASE_IN))
        self.created = asyncio.Event()

    async def play(self) -> None:
        """Plays from the creation to the end."""
        await self._create()
        match = await self._read(0)
        while match.status == match_pb2.MATCH_STATUS_ACTIVE:
            due = [seat for seat, fares in enumerate(match.seats) if fares.to_act]
            told = await asyncio.gather(*(self._turn(seat, match) for seat in due))
            match = max(told, key=lambda match: match.version)
        assert match.status == match_pb2.MATCH_STATUS_FINISHED
        if self.played.on_release:
            await self._release()

    async def _create(self) -> None:
        played = self.played
        seats = played.kind.seats
        played.holders = self._rng.choices(self._people, k=seats)
        bound = self._rng.randrange(seats + 1)
        request = service_pb2.CreateMatchRequest(
            ruleset=played.kind.ruleset,
            options=played.kind.options,
            disclosure=match_pb2.DISCLOSURE_ON_RELEASE if played.on_release else match_pb2.DISCLOSURE_AT_END,
            seats=[
                service_pb2.SeatRequest(principal_hash=holder.hash if seat < bound else None)
                for seat, holder in enumerate(played.holders)
            ],
        )
        told = await self._calls.change(played.host, "CreateMatch", request)
        played.match_id = told.answer.match_id
        self.created.set()
        await asyncio.gather(*(self._take(seat) for seat in range(bound, seats)))

    async def _take(self, seat: int) -> None:
        """Lets a seat be taken, sometimes by the quicker of two."""
        rivals = self._rng.sample(self._people, 2 if self._one_in(RACED_SEAT_IN) else 1)
        told = await asyncio.gather(*(self._join(seat, who) for who in rivals))
        [winner] = [place for place, each in enumerate(told) if each.answer]
        losers = {each.refusal for each in told if not each.answer}
        assert losers <= {error_pb2.ERROR_REASON_SEAT_TAKEN}
        self.played.holders[seat] = rivals[winner]
        self.played.joins.append((seat, told[winner].answer.version))

    async def _join(self, seat: int, who: Principal) -> Told:
        request = service_pb2.JoinMatchRequest(match_id=self.played.match_id, seat=seat)
        return self._noted(await self._calls.change(who, "JoinMatch", request))

    async def _turn(self, seat: int, match: match_pb2.Match) -> match_pb2.Match:
        """Makes a random legal move, if the seat is still to act; returns the match as it was told then."""
        if match.viewer_seat != seat or not match.HasField("prompt"):
            match = await self._read(seat)
        if not match.HasField("prompt"):
            return match
        if self._one_in(RESIGNATION_IN):
            await self._resign(seat)
            return await self._read(seat)
        prompt, others = match.prompt, [other for other, fares in enumerate(match.seats) if not fares.to_act]
        moves = self._rng.choices(prompt.legal_ids, k=2 if self._one_in(RIVAL_IN) else 1)
        calls = [self._submit(seat, prompt.decision_number, move) for move in moves]
        if others and self._one_in(EAGER_IN):
            eager = self._rng.choice(others)
            calls.append(self._submit(eager, match.seats[eager].decision_number, moves[0]))
        own = [told for told in (await asyncio.gather(*calls))[: len(moves)] if told.answer]
        return own[0].answer.match if own else await self._read(seat)

    async def _submit(self, seat: int, decision: int, move: int) -> Told:
        request = service_pb2.SubmitMoveRequest(
            match_id=self.played.match_id,
            seat=seat,
            decision_number=decision,
            moves=[match_pb2.MoveChoice(id=move)],
            detail=match_pb2.DETAIL_IDS,
        )
        told = self._noted(await self._calls.change(self.played.holders[seat], "SubmitMove", request), seat)
        if told.answer:
            self._calls.count_move()
            assert told.answer.decision_number == decision + 1
            self.played.moves.append(Move(seat, decision, told.answer.version, move, told.repeated_ms))
        return told

    async def _resign(self, seat: int) -> None:
        request = service_pb2.ResignRequest(match_id=self.played.match_id, seat=seat)
        told = self._noted(await self._calls.change(self.played.holders[seat], "Resign", request), seat)
        if told.answer:
            self._calls.figures["resignations"] += 1
            self.played.resignations.append((seat, told.answer.version))

    async def _release(self) -> None:
        request = service_pb2.ReleaseRecordsRequest(match_ids=[self.played.match_id])
        told = await self._calls.change(self.played.host, "ReleaseRecords", request)
        assert [result.reason for result in told.answer.results] == [error_pb2.ERROR_REASON_UNSPECIFIED]

    async def _read(self, seat: int) -> match_pb2.Match:
        request = service_pb2.GetMatchRequest(match_id=self.played.match_id, seat=seat, detail=match_pb2.DETAIL_IDS)
        told = await self._calls.read(self.played.holders[seat], "GetMatch", request)
        assert told.answer, f"{self.played.match_id}: {error_pb2.ErrorReason.Name(told.refusal)}"
        match: match_pb2.Match = told.answer.match
        self.played.spans.append(Span(told.started, told.ended, match.version, change=False))
        return match

    def _noted(self, told: Told, seat: int | None = None) -> Told:
        if told.answer:
            self.played.spans.append(Span(told.started, told.ended, told.answer.version, change=True))
        elif seat is not None:
            assert told.refusal in REFUSALS, error_pb2.ErrorReason.Name(told.refusal)
            self._calls.figures["refusals"] += 1
            self.played.refused[seat, told.refusal] += 1
        return told

    def _one_in(self, number: int) -> bool:
        return self._rng.randrange(number) == 0
