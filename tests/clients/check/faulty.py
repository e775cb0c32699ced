"""Referees with one planted fault each, served in this process."""

from __future__ import annotations  # grpc's classes are generic in their stubs only

import asyncio
import secrets
from collections.abc import AsyncIterator, Iterator, Mapping, Sequence
from contextlib import asynccontextmanager
from typing import Any, Final, TypeVar

import grpc
from google.protobuf.message import Message

from artreferee.v1 import match_pb2, service_pb2
from referee.api import requests, responses
from referee.api.interceptor import Handlers
from referee.api.servicer import Servicer
from referee.core.errors import Reason, RefereeError
from referee.core.game import AnyGame
from referee.games import registry
from referee.store.memory import MemoryStore
from referee.store.notices import Called
from referee.table.clocks import Moment
from referee.table.deal import Creation
from referee.table.ids import REQUEST_ID, MatchId, Principal
from referee.table.observer import Way
from referee.table.presence import Presence
from referee.table.session import Ledger, News
from referee.table.snapshot import Entry, Receipt, Ring, Snapshot
from referee.table.table import Seen, Table, Told
from referee.table.transitions import Answer, Choice, seat_of
from referee.wire import wires

GAMES: Final[Mapping[str, AnyGame]] = {"classic_art": registry()["classic_art"]}
MessageT = TypeVar("MessageT", bound=Message)


@asynccontextmanager
async def serving(*servicers: Servicer) -> AsyncIterator[str]:
    """Serves; of several replicas each takes a call in turn."""
    tables = [servicer._table for servicer in servicers]
    keeping = [asyncio.create_task(table.keep_time()) for table in tables]
    try:
        async with listening(Balancer([Handlers(servicer) for servicer in servicers])) as address:
            yield address
    finally:
        for task in keeping:
            task.cancel()
        await asyncio.gather(*keeping, return_exceptions=True)
        for table in tables:
            table.time.cancel()


@asynccontextmanager
async def listening(*handlers: grpc.GenericRpcHandler) -> AsyncIterator[str]:
    """Runs a gRPC server with these handlers; yields its address."""
    server = grpc.aio.server(options=(("grpc.so_reuseport", 0),))
    server.add_generic_rpc_handlers(handlers)
    port = server.add_insecure_port("127.0.0.1:0")
    await server.start()
    try:
        yield f"127.0.0.1:{port}"
    finally:
        await server.stop(0)


class Balancer(grpc.GenericRpcHandler):
    """Sends each call to the next replica."""

    def __init__(self, replicas: Sequence[Handlers]) -> None:
        self._replicas: Final = replicas
        self._calls = 0

    def service(self, handler_call_details: grpc.HandlerCallDetails) -> grpc.RpcMethodHandler[bytes, bytes] | None:
        self._calls += 1
        return self._replicas[self._calls % len(self._replicas)].service(handler_call_details)


class PlaysRepeatedMovesTwice(Table):
    """Has no receipts of moves: a repeated one is a new one, whatever decision it answers."""

    seen: Final = set[str]()

    async def submit(
        self,
        principal: Principal,
        match_id: MatchId,
        request_id: str,
        seat: int | None,
        decision: int,
        choices: Sequence[Choice],
        way: Way = Way.UNARY,
    ) -> tuple[Answer, Snapshot]:
        if request_id in self.seen:
            decision = await current_decision(self, principal, match_id, seat, decision)
        self.seen.add(request_id)
        return await super().submit(principal, match_id, secrets.token_hex(16), seat, decision, choices, way)


class TakesStaleDecisions(Table):
    """Plays a move whatever decision it answers."""

    async def submit(
        self,
        principal: Principal,
        match_id: MatchId,
        request_id: str,
        seat: int | None,
        decision: int,
        choices: Sequence[Choice],
        way: Way = Way.UNARY,
    ) -> tuple[Answer, Snapshot]:
        decision = await current_decision(self, principal, match_id, seat, decision)
        return await super().submit(principal, match_id, request_id, seat, decision, choices, way)


async def current_decision(table: Table, principal: Principal, match_id: MatchId, seat: int | None, sent: int) -> int:
    """The decision that a move would have to answer."""
    try:
        seen = await table.get(principal, match_id, seat)
    except RefereeError:
        return sent
    return sent if seen.viewer is None else seen.snapshot.course.seats[seen.viewer].decisions


class PlaysHalfOfACall(Table):
    """Plays the moves of a call one by one, until one is refused."""

    async def submit(
        self,
        principal: Principal,
        match_id: MatchId,
        request_id: str,
        seat: int | None,
        decision: int,
        choices: Sequence[Choice],
        way: Way = Way.UNARY,
    ) -> tuple[Answer, Snapshot]:
        submit = super().submit
        for place, choice in enumerate(choices[:-1]):
            await submit(principal, match_id, f"{request_id[:60]}.{place}", seat, decision + place, [choice], way)
        return await submit(principal, match_id, request_id, seat, decision + len(choices) - 1, choices[-1:], way)


class CreatesAnew(Table):
    """Makes another match for each creation, also for a repeated one."""

    async def create(self, host: Principal, request_id: str, creation: Creation) -> Snapshot:
        return await super().create(host, secrets.token_hex(16), creation)


class ReadsRecordsEarly(Table):
    """Discloses a record that was not released."""

    async def record(self, principal: Principal, match_id: MatchId) -> tuple[Snapshot, list[Told]]:
        snapshot = await self._shown(principal, match_id)
        if snapshot is None or snapshot.course.end is None:
            return await super().record(principal, match_id)
        return snapshot, await self._log(match_id, 0, snapshot.course.version)


class ShowsWhatItRemembers(Servicer):
    """Shows what this replica wrote or read last, although another may have written since."""

    async def get_match(
        self, principal: Principal, request: service_pb2.GetMatchRequest
    ) -> service_pb2.GetMatchResponse:
        remembered = self._table._matches._cache.get(MatchId(request.match_id))
        if remembered is None:
            return await super().get_match(principal, request)
        seat = seat_of(remembered, principal, requests.seat_of(request))
        match = responses.match(Seen(remembered, seat), requests.detail_of(request.detail), await self._moment())
        return service_pb2.GetMatchResponse(match=match)


async def notes_nothing(_: Presence, principal: Principal) -> None:
    """Is told that somebody is there, in vain."""


class ShowsAHand(Servicer):
    """Shows spectators the hand of seat 0."""

    async def get_match(
        self, principal: Principal, request: service_pb2.GetMatchRequest
    ) -> service_pb2.GetMatchResponse:
        response = await super().get_match(principal, request)
        match = response.match
        if match.HasField("view") and not match.HasField("viewer_seat"):
            seen = await self._table.load(MatchId(match.match_id))
            assert seen is not None
            view = responses.match(Seen(seen, 0), match_pb2.DETAIL_IDS, await self._moment()).view
            match.view.classic_art.hand.extend(view.classic_art.hand)
        return response


class ShowsTheNextHand(Servicer):
    """Shows whoever moves the hand of its neighbour instead of its own."""

    async def submit_move(self, principal: Principal, request: service_pb2.SubmitMoveRequest) -> bytes:
        response = service_pb2.SubmitMoveResponse.FromString(await super().submit_move(principal, request))
        match = response.match
        seen = await self._table.load(MatchId(request.match_id))
        if match.HasField("view") and seen is not None:
            neighbour = (match.viewer_seat + 1) % len(match.seats)
            view = responses.match(Seen(seen, neighbour), match_pb2.DETAIL_IDS, await self._moment()).view
            match.view.classic_art.ClearField("hand")
            match.view.classic_art.hand.extend(view.classic_art.hand)
        return response.SerializeToString()


class ShowsTheSeed(Servicer):
    """Has the seed in the rules version."""

    async def get_match(
        self, principal: Principal, request: service_pb2.GetMatchRequest
    ) -> service_pb2.GetMatchResponse:
        response = await super().get_match(principal, request)
        snapshot = await self._table.load(MatchId(request.match_id))
        assert snapshot is not None
        response.match.rules_version += f"+{snapshot.head.seed.hex()}"
        return response


class SkipsUpdates(Servicer):
    """Keeps every fifth entry but the last from its watchers."""

    async def watch_match(self, principal: Principal, request: service_pb2.WatchMatchRequest) -> AsyncIterator[bytes]:
        async for packed in super().watch_match(principal, request):
            response = service_pb2.WatchMatchResponse.FromString(packed)
            if response.update.version % 5 != 4 or response.update.match.HasField("result"):
                yield packed


class RepeatsUpdates(Servicer):
    """Tells its watchers every fifth entry but the last twice."""

    async def watch_match(self, principal: Principal, request: service_pb2.WatchMatchRequest) -> AsyncIterator[bytes]:
        async for packed in super().watch_match(principal, request):
            yield packed
            response = service_pb2.WatchMatchResponse.FromString(packed)
            if response.update.version % 5 == 4 and not response.update.match.HasField("result"):
                yield packed


class Lenient:
    """Rules under which every move is legal, though the lists are what they were."""

    def __init__(self, game: AnyGame) -> None:
        self._game: Final = game

    def __getattr__(self, name: str) -> Any:
        return getattr(self._game, name)

    def check(self, state: Any, seat: int, move: int) -> None:
        """Finds nothing."""


FIND: Final = Ring.find


def forgets_refusals(ring: Ring, request: bytes) -> Receipt | None:
    """Finds receipts of accepted requests only."""
    receipt = FIND(ring, request)
    return None if receipt is None or receipt.reason else receipt


def tells_a_bot_seed(seen: Seen, detail: int, moment: Moment) -> match_pb2.Match:
    """Tells everybody that of the first seat."""
    message = responses.match(seen, detail, moment)
    if bot_seed := seen.snapshot.bot_seed(0):
        message.bot_seed = bot_seed
    return message


PARSE: Final = requests.parse


def takes_unknown_fields(kind: type[MessageT], raw: bytes) -> MessageT:
    """Overlooks fields that the contract does not know."""
    try:
        return PARSE(kind, raw)
    except RefereeError as error:
        if error.reason is not Reason.UNKNOWN_FIELD:
            raise
        return kind.FromString(raw)


def breaks_at_bad_request_ids(request_id: str) -> str:
    """Has no error for a bad request id."""
    if not REQUEST_ID.fullmatch(request_id):
        raise ValueError("a bad request id")
    return request_id


def tells_everything(snapshot: Snapshot, entry: Entry, viewer: int | None) -> Iterator[match_pb2.Event]:
    """Tells every viewer every event."""
    for event in snapshot.game.decode_events(entry.events):
        yield match_pb2.Event(game=wires()[snapshot.head.ruleset].event(event))


def asks_twice(ledger: Ledger, snapshot: Snapshot, news: News, at_least: int = 0) -> None:
    """Tells each prompt twice."""
    before = len(news.asked)
    LOOK(ledger, snapshot, news, at_least)
    news.asked.extend(news.asked[before:])


LOOK: Final = Ledger.look


HEAR: Final = Called.hear


def goes_on(called: Called, content: bytes) -> None:
    """Does not end when the same principal begins again."""
    HEAR(called, content)
    called.superseded = False


class RemembersPlayers(Ledger):
    """Does not tell a new stream what an older one was told."""

    told_ever: Final = dict[Principal, Any]()

    def __init__(self, principal: Principal) -> None:
        super().__init__(principal)
        self._told = self.told_ever.setdefault(principal, self._told)  # type: ignore[misc]


class Nonsense(grpc.GenericRpcHandler):
    """Lists the rulesets, and answers everything else with the same bytes.

    Args:
        answer: those bytes.
    """

    def __init__(self, answer: bytes) -> None:
        self._rulesets: Final = Handlers(Servicer(Table(MemoryStore(), GAMES)))
        self._answer: Final = answer

    def service(self, handler_call_details: grpc.HandlerCallDetails) -> grpc.RpcMethodHandler[bytes, bytes] | None:
        name = str(handler_call_details.method).rpartition("/")[2]
        if name == "ListRulesets":
            return self._rulesets.service(handler_call_details)
        method = service_pb2.DESCRIPTOR.services_by_name["RefereeService"].methods_by_name[name]
        if method.client_streaming:
            return grpc.stream_stream_rpc_method_handler(self._stream)
        if method.server_streaming:
            return grpc.unary_stream_rpc_method_handler(self._stream)
        return grpc.unary_unary_rpc_method_handler(self._call)

    async def _call(self, request: bytes, context: object) -> bytes:
        return self._answer

    async def _stream(self, requests: object, context: object) -> AsyncIterator[bytes]:
        yield self._answer
