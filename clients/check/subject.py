"""The referee that is checked, and the matches that are made there to check it; no others are touched."""

import asyncio
import random
from collections.abc import Coroutine, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from types import MappingProxyType, TracebackType
from typing import Any, Final, Self

from artreferee.v1 import art_decko_pb2, classic_art_pb2, match_pb2, ruleset_pb2, service_pb2
from clients.check import calls
from clients.check.calls import Caller, Connections, Metadata, Reply
from clients.check.checks import CheckFailedError, CheckSkippedError
from clients.sdk import Principal, Tls, new_request_id
from referee.wire import wires
from referee.wire.ruleset import RulesetWire

_SEEN_WITHIN_S: Final = 2.0
_LOOK_EVERY_S: Final = 0.02
_LEFT_WITHIN_S: Final = 10.0
_SHORT: Final[Mapping[str, ruleset_pb2.Options]] = MappingProxyType(
    {
        "classic_art": ruleset_pb2.Options(classic_art=classic_art_pb2.ClassicArtOptions(max_seasons=2)),
        "art_decko": ruleset_pb2.Options(art_decko=art_decko_pb2.ArtDeckoOptions(max_rounds=3)),
    }
)
"""Options that make matches short, where there are such."""
_SIMPLEST: Final = ("classic_art", "art_decko", "artsee")


class NoRefereeError(Exception):
    """Nothing at the address speaks artreferee.v1; the text says so in one sentence."""


@dataclass
class Sitting:
    """A match of ours, with all who sit around it.

    Attributes:
        ruleset: the facts of its ruleset, as listed.
        created: the answer to its creation.
        host: who created it.
        players: one a seat; nobody has taken the seats that were left open.
        spectator: one without a seat.
        acknowledged: the newest version that anybody was told.
    """

    ruleset: ruleset_pb2.Ruleset
    created: service_pb2.CreateMatchResponse
    host: Caller
    players: Sequence[Caller]
    spectator: Caller
    acknowledged: int = 0
    _rng: random.Random = field(default_factory=random.Random)

    @property
    def match_id(self) -> str:
        """The match."""
        return self.created.match_id

    @property
    def viewers(self) -> Sequence[int | None]:
        """All seats, and None for the spectator."""
        return (*range(len(self.players)), None)

    def caller(self, viewer: int | None) -> Caller:
        """Returns who looks on from a seat, or as a spectator."""
        return self.spectator if viewer is None else self.players[viewer]

    async def see(
        self, viewer: int | None, detail: match_pb2.Detail.ValueType = match_pb2.DETAIL_FULL
    ) -> match_pb2.Match:
        """Returns the match as a viewer is shown it, no older than has been acknowledged.

        Raises:
            CheckFailedError: it is not shown, or only an older one.
        """
        request = service_pb2.GetMatchRequest(match_id=self.match_id, detail=detail)
        wanted, deadline = self.acknowledged, asyncio.get_running_loop().time() + _SEEN_WITHIN_S
        while True:
            match = (await self.caller(viewer).ask(calls.GET_MATCH, request)).match
            if match.version >= wanted:
                return match
            if asyncio.get_running_loop().time() > deadline:
                raise CheckFailedError(f"GetMatch shows version {match.version} long after {wanted} was acknowledged")
            await asyncio.sleep(_LOOK_EVERY_S)

    async def asked(self) -> dict[int, match_pb2.Match]:
        """Returns what each seat that has a prompt is shown."""
        seen = await asyncio.gather(*(self.see(seat) for seat in range(len(self.players))))
        return {seat: match for seat, match in enumerate(seen) if match.HasField("prompt")}

    async def one_asked(self) -> tuple[int, match_pb2.Match]:
        """Returns a seat that has a prompt, and what it is shown.

        Raises:
            CheckFailedError: there is none.
        """
        for seat, match in (await self.asked()).items():
            return seat, match
        raise CheckFailedError(f"no seat of a match of {self.ruleset.name} is asked, expected one at least")

    def move(
        self, match: match_pb2.Match, choices: Iterable[match_pb2.MoveChoice], **changes: Any
    ) -> service_pb2.SubmitMoveRequest:
        """Returns the answer of a viewer's seat to its prompt."""
        fields: dict[str, Any] = {
            "request_id": new_request_id(),
            "match_id": self.match_id,
            "decision_number": match.prompt.decision_number,
            "moves": choices,
        }
        return service_pb2.SubmitMoveRequest(**{**fields, **changes})

    async def submit(self, seat: int, request: service_pb2.SubmitMoveRequest) -> Reply[service_pb2.SubmitMoveResponse]:
        """Sends an answer to a prompt, and notes what version is acknowledged."""
        reply = await self.players[seat].call(calls.SUBMIT_MOVE, request)
        if reply.answer is not None:
            self.acknowledged = max(self.acknowledged, reply.answer.version)
        return reply

    async def play(self, moves: int = 1) -> None:
        """Lets seats that are asked make so many moves, chosen at random."""
        for _ in range(moves):
            seat, match = await self.one_asked()
            choice = match_pb2.MoveChoice(id=self.some_legal(match).id)
            (await self.submit(seat, self.move(match, [choice]))).required()

    def some_legal(self, match: match_pb2.Match) -> match_pb2.LegalMove:
        """Returns one of the legal moves of a prompt, at random."""
        return self._rng.choice(match.prompt.legal_moves)

    async def resign(self, seat: int) -> service_pb2.ResignResponse:
        """Gives up a seat."""
        request = service_pb2.ResignRequest(request_id=new_request_id(), match_id=self.match_id, seat=seat)
        answer = await self.players[seat].ask(calls.RESIGN, request)
        self.acknowledged = max(self.acknowledged, answer.version)
        return answer

    async def end(self) -> None:
        """Ends the match in the shortest way: all seats but one resign."""
        live = [seat for seat, fares in enumerate((await self.see(None)).seats) if not fares.cause]
        for seat in live[:-1]:
            await self.resign(seat)


class Subject:
    """A referee, known by its address alone.

    Args:
        address: HOST:PORT.
        heartbeat_s: how long a heartbeat may be waited for; None if not at all.
        tls: how TLS is spoken with it; None speaks in the clear.

    Matches that the checks leave unfinished are ended when it is left: a referee may bear only so many.

    Raises:
        NoRefereeError: on entering, if nothing there speaks artreferee.v1.
    """

    def __init__(self, address: str, heartbeat_s: float | None = None, tls: Tls | None = None) -> None:
        self.heartbeat_s: Final = heartbeat_s
        self.rulesets: Sequence[ruleset_pb2.Ruleset] = ()
        self._address: Final = address
        self._connections: Final = Connections(address, tls)
        self._shared: Final = dict[object, asyncio.Task[Any]]()
        self._sittings: Final = list[Sitting]()

    async def __aenter__(self) -> Self:
        try:
            answer = await self.nobody().ask(calls.LIST_RULESETS, service_pb2.ListRulesetsRequest())
        except CheckFailedError as error:
            await self._connections.close()
            raise NoRefereeError(f"no referee answers at {self._address}: {error}") from None
        self.rulesets = answer.rulesets
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        for task in self._shared.values():
            task.cancel()
        await asyncio.gather(*self._shared.values(), return_exceptions=True)
        with suppress(TimeoutError):
            async with asyncio.timeout(_LEFT_WITHIN_S):
                await asyncio.gather(*(sitting.end() for sitting in self._sittings), return_exceptions=True)
        await self._connections.close()

    def caller(self) -> Caller:
        """Returns a caller whom nobody knows."""
        return Caller(self._connections, Principal.new())

    def nobody(self, metadata: Metadata = ()) -> Caller:
        """Returns a caller without a principal, who sends this metadata."""
        return Caller(self._connections, None, metadata)

    def simplest(self) -> ruleset_pb2.Ruleset:
        """Returns the ruleset for claims that hold in any.

        Raises:
            CheckSkippedError: none is listed.
        """
        if not self.rulesets:
            raise CheckSkippedError("the referee lists no ruleset")
        by_name = {ruleset.name: ruleset for ruleset in self.rulesets}
        return next((by_name[name] for name in _SIMPLEST if name in by_name), self.rulesets[0])

    async def sit(
        self,
        ruleset: ruleset_pb2.Ruleset,
        seats: int | None = None,
        *,
        open_seats: Iterable[int] = (),
        holders: Sequence[int] | None = None,
        bot_seeds: Sequence[bytes] = (),
        **creation: Any,
    ) -> Sitting:
        """Creates a match of ours.

        Args:
            ruleset: of which ruleset.
            seats: how many; the smallest number if None.
            open_seats: which are left open.
            holders: which player holds which seat, if one shall hold several.
            bot_seeds: those of the first seats.
            creation: other fields of the request.
        """
        host, count = self.caller(), seats or ruleset.min_seats
        different = [self.caller() for _ in range(count)]
        players = [different[holder] for holder in holders or range(count)]
        request = creation_of(ruleset, count, **creation)
        for seat, player in enumerate(players):
            if seat not in set(open_seats):
                request.seats[seat].principal_hash = player.principal.hash
        for seat, bot_seed in enumerate(bot_seeds):
            request.seats[seat].bot_seed = bot_seed
        created = await host.ask(calls.CREATE_MATCH, request)
        sitting = Sitting(ruleset, created, host, players, self.caller())
        self._sittings.append(sitting)
        return sitting

    async def shared(self, key: object, make: Coroutine[Any, Any, Any]) -> Any:
        """Returns what several checks look at, made once; a check that runs out of time leaves it to the others."""
        if key in self._shared:
            make.close()
        else:
            self._shared[key] = asyncio.create_task(make)
        return await asyncio.shield(self._shared[key])


def creation_of(ruleset: ruleset_pb2.Ruleset, count: int, **changes: Any) -> service_pb2.CreateMatchRequest:
    """Returns a request to create a short match with open seats, which is in nobody's way."""
    fields: dict[str, Any] = {
        "request_id": new_request_id(),
        "visibility": match_pb2.VISIBILITY_UNLISTED,
        "ruleset": ruleset.name,
        "options": _SHORT.get(ruleset.name),
        "seats": [service_pb2.SeatRequest() for _ in range(count)],
    }
    return service_pb2.CreateMatchRequest(**{**fields, **changes})


def can_be_read(ruleset: ruleset_pb2.Ruleset) -> bool:
    """Returns whether the messages of a ruleset are known here; without them there is no JSON of a record."""
    return ruleset.name in wires()


def rules_of(ruleset: ruleset_pb2.Ruleset) -> RulesetWire | None:
    """Returns our own rules of a listed ruleset; None if there are none of its version and components."""
    wire = wires().get(ruleset.name)
    if wire is None:
        return None
    spec = wire.game.spec
    known = (spec.rules_version, spec.data_digest) == (ruleset.rules_version, ruleset.data_digest)
    return wire if known else None
