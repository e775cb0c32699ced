"""Calls to a referee: with deadlines, and repeated under the same request id until they are answered."""

import asyncio
import uuid
from collections.abc import AsyncIterator, Callable, Sequence
from types import TracebackType
from typing import Any, Final, Self, TypeVar

import grpc
from google.protobuf.message import Message

from artreferee.v1 import match_pb2, record_pb2, ruleset_pb2, service_pb2
from artreferee.v1.service_pb2_grpc import RefereeServiceStub
from clients.sdk.errors import CallError, MatchAbortedError
from clients.sdk.play import PlayStream
from clients.sdk.principal import Principal
from clients.sdk.tls import Tls, open_channel
from clients.sdk.waits import Waits

ResponseT = TypeVar("ResponseT", bound=Message)
_OPTIONS: Final = (
    ("grpc.keepalive_time_ms", 30_000),
    ("grpc.keepalive_timeout_ms", 10_000),
    ("grpc.initial_reconnect_backoff_ms", 200),
    ("grpc.max_reconnect_backoff_ms", 2_000),  # a call is not repeated for longer than half a minute
    ("grpc.http2.ping_timeout_ms", 10_000),  # without it the answer may take a minute
    ("grpc.max_receive_message_length", 64 * 1024 * 1024),  # a record of a long match
)
_ATTEMPT_S: Final = 10.0
HEARTBEAT_S: Final = 15.0
"""How often a stream shows that it lives."""


def new_request_id() -> str:
    """Returns an id that no other request has."""
    return uuid.uuid4().hex


class RefereeClient:
    """One principal's connection to a referee.

    Args:
        address: HOST:PORT.
        principal: who calls; a new one if None.
        timeout_s: how long a call may take, its repetitions included.
        silence_s: after this long without a sign of life a stream is taken for dead and opened anew.
        tls: how TLS is spoken; None speaks in the clear.

    Every method raises `CallError`.
    """

    def __init__(
        self,
        address: str,
        principal: Principal | None = None,
        *,
        timeout_s: float = 30.0,
        silence_s: float = 3 * HEARTBEAT_S,
        tls: Tls | None = None,
    ) -> None:
        self.principal: Final = principal or Principal.new()
        self._timeout_s: Final = timeout_s
        self._silence_s: Final = silence_s
        self._metadata: Final = (("authorization", f"Bearer {self.principal.token}"),)
        self._channel: Final = open_channel(address, tls, _OPTIONS)
        self._stub: Final = RefereeServiceStub(self._channel)

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.close()

    async def close(self) -> None:
        """Ends the connection."""
        await self._channel.close()

    async def connections(self) -> AsyncIterator[bool]:
        """Yields whether there is a connection to the referee, at once and whenever that has changed, for ever."""
        told, state = None, self._channel.get_state(try_to_connect=True)
        while True:
            there = state is grpc.ChannelConnectivity.READY
            if there is not told:
                told = there
                yield there
            await self._channel.wait_for_state_change(state)
            state = self._channel.get_state(try_to_connect=True)

    async def list_rulesets(self) -> Sequence[ruleset_pb2.Ruleset]:
        """Returns the rulesets that the referee can run."""
        return (await self._call(self._stub.ListRulesets, service_pb2.ListRulesetsRequest())).rulesets

    async def create_match(self, request: service_pb2.CreateMatchRequest) -> service_pb2.CreateMatchResponse:
        """Creates a match; makes a request id if there is none."""
        return await self._call(self._stub.CreateMatch, _identified(request))

    async def join_match(self, request: service_pb2.JoinMatchRequest) -> service_pb2.JoinMatchResponse:
        """Takes an open seat; makes a request id if there is none."""
        return await self._call(self._stub.JoinMatch, _identified(request))

    async def get_match(
        self,
        match_id: str,
        seat: int | None = None,
        detail: match_pb2.Detail.ValueType = match_pb2.DETAIL_FULL,
    ) -> match_pb2.Match:
        """Returns a match as the caller may know it."""
        request = service_pb2.GetMatchRequest(match_id=match_id, seat=seat, detail=detail)
        return (await self._call(self._stub.GetMatch, request)).match

    async def list_matches(
        self,
        *,
        ruleset: str = "",
        status: match_pb2.MatchStatus.ValueType = match_pb2.MATCH_STATUS_UNSPECIFIED,
        mine: bool = False,
    ) -> AsyncIterator[match_pb2.Match]:
        """Yields all matches of the listing, page by page."""
        request = service_pb2.ListMatchesRequest(ruleset=ruleset, status=status, mine=mine, page_size=100)
        while True:
            page = await self._call(self._stub.ListMatches, request)
            for match in page.matches:
                yield match
            if not page.next_page_token:
                return
            request.page_token = page.next_page_token

    async def submit_move(self, request: service_pb2.SubmitMoveRequest) -> service_pb2.SubmitMoveResponse:
        """Answers a prompt; makes a request id if there is none."""
        return await self._call(self._stub.SubmitMove, _identified(request))

    async def resign(self, match_id: str, seat: int | None = None) -> service_pb2.ResignResponse:
        """Gives up a seat."""
        request = service_pb2.ResignRequest(match_id=match_id, seat=seat)
        return await self._call(self._stub.Resign, _identified(request))

    async def get_record(self, match_id: str) -> record_pb2.MatchRecord:
        """Returns the record of a finished match."""
        return (await self._call(self._stub.GetRecord, service_pb2.GetRecordRequest(match_id=match_id))).record

    async def release_records(self, match_ids: Sequence[str]) -> Sequence[service_pb2.ReleaseResult]:
        """Releases the records of matches that the caller hosts; tells what became of each."""
        request = service_pb2.ReleaseRecordsRequest(match_ids=match_ids)
        return (await self._call(self._stub.ReleaseRecords, _identified(request))).results

    async def watch_match(
        self,
        match_id: str,
        seat: int | None = None,
        detail: match_pb2.Detail.ValueType = match_pb2.DETAIL_FULL,
        told: Callable[[], int] = lambda: 0,
    ) -> AsyncIterator[service_pb2.WatchMatchResponse]:
        """Yields snapshot and updates to the end of the match, over as many connections as it takes.

        Args:
            match_id: the match.
            seat: whose view; see the contract.
            detail: how much of it.
            told: returns the newest version that the caller was told, also by answers. When the match turns out to be
                behind that, since the store has lost the rest, there is a snapshot again.
        """
        request = service_pb2.WatchMatchRequest(match_id=match_id, seat=seat, detail=detail)
        waits = Waits()
        while True:
            asked_s, call = 0.0, self._stub.WatchMatch(request, metadata=self._metadata, wait_for_ready=True)
            try:
                while True:
                    async with asyncio.timeout(self._silence_s):
                        message = await call.read()
                    if not isinstance(message, service_pb2.WatchMatchResponse):
                        return
                    waits = Waits()
                    kind = message.WhichOneof("message")
                    if kind != "heartbeat":
                        request.after_version = getattr(message, str(kind)).version
                        yield message
                    elif message.heartbeat.version < told():
                        request.ClearField("after_version")
                        break
            except TimeoutError:
                pass  # it went silent
            except grpc.aio.AioRpcError as error:
                failure = CallError.of(error)
                if not failure.retriable:
                    raise failure from None
                asked_s = failure.retry_after_s
            finally:
                call.cancel()
            await asyncio.sleep(waits.next(asked_s))

    async def follow(
        self,
        match_id: str,
        seat: int | None = None,
        detail: match_pb2.Detail.ValueType = match_pb2.DETAIL_FULL,
    ) -> AsyncIterator[match_pb2.Match]:
        """Yields the match whenever it has changed, to its end."""
        async for message in self.watch_match(match_id, seat, detail):
            if message.HasField("snapshot"):
                yield message.snapshot
            elif message.update.HasField("match"):
                yield message.update.match

    def play(self, detail: match_pb2.Detail.ValueType = match_pb2.DETAIL_FULL) -> PlayStream:
        """Opens a stream for all seats of the principal, which ends an earlier one."""
        return PlayStream(
            lambda: self._stub.Play(metadata=self._metadata, wait_for_ready=True), detail, self._silence_s
        )

    async def result_of(self, match_id: str) -> match_pb2.Result:
        """Waits for the end of a match and returns its result.

        Raises:
            MatchAbortedError: it has none.
        """
        async for match in self.follow(match_id, detail=match_pb2.DETAIL_NONE):
            if match.HasField("result"):
                return match.result
            if match.status == match_pb2.MATCH_STATUS_ABORTED:
                raise MatchAbortedError(f"match {match_id} was aborted")
        raise AssertionError("a followed match ends with its result")

    async def _call(self, method: grpc.aio.UnaryUnaryMultiCallable[Any, ResponseT], request: Message) -> ResponseT:
        waits, deadline = Waits(), asyncio.get_running_loop().time() + self._timeout_s
        while True:
            left = max(0.001, min(_ATTEMPT_S, deadline - asyncio.get_running_loop().time()))
            try:
                return await method(request, timeout=left, metadata=self._metadata)
            except grpc.aio.AioRpcError as error:
                failure = CallError.of(error)
                wait = waits.next(failure.retry_after_s)
                if not failure.retriable or asyncio.get_running_loop().time() + wait >= deadline:
                    raise failure from None
            await asyncio.sleep(wait)


RequestT = TypeVar(
    "RequestT",
    service_pb2.CreateMatchRequest,
    service_pb2.JoinMatchRequest,
    service_pb2.SubmitMoveRequest,
    service_pb2.ResignRequest,
    service_pb2.ReleaseRecordsRequest,
)


def _identified(request: RequestT) -> RequestT:
    if not request.request_id:
        request.request_id = new_request_id()
    return request
