"""Calls as bytes: whatever a referee answers, whoever asks, becomes a value to be judged."""

import asyncio
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from itertools import cycle
from typing import Any, Final, Generic, TypeVar

import grpc
from google.protobuf.message import DecodeError, Message
from google.rpc import error_details_pb2, status_pb2

from artreferee.v1 import service_pb2
from clients.check.checks import CheckFailedError
from clients.sdk import Principal, Tls
from clients.sdk.tls import open_channel

ResponseT = TypeVar("ResponseT", bound=Message)
ANSWERED_WITHIN_S: Final = 10.0
DOMAIN: Final = "artreferee"
_SERVICE: Final = service_pb2.DESCRIPTOR.services_by_name["RefereeService"]
_CONNECTIONS: Final = 4
_WAITS_S: Final = (0.05, 0.1, 0.2, 0.4, 0.8)
_LONGEST_WAIT_S: Final = 5.0
_OPTIONS: Final = (
    ("grpc.use_local_subchannel_pool", 1),  # else all channels would share one connection
    ("grpc.max_receive_message_length", 64 * 1024 * 1024),
)
Metadata = tuple[tuple[str, str | bytes], ...]


@dataclass(frozen=True, slots=True)
class Method(Generic[ResponseT]):
    """A call of the contract, and what it is answered with."""

    name: str
    response: type[ResponseT]

    @property
    def path(self) -> str:
        """Where it is sent."""
        return f"/{_SERVICE.full_name}/{self.name}"

    @property
    def request_type(self) -> str:
        """The full name of its request message."""
        return str(_SERVICE.methods_by_name[self.name].input_type.full_name)


LIST_RULESETS: Final = Method("ListRulesets", service_pb2.ListRulesetsResponse)
CREATE_MATCH: Final = Method("CreateMatch", service_pb2.CreateMatchResponse)
JOIN_MATCH: Final = Method("JoinMatch", service_pb2.JoinMatchResponse)
GET_MATCH: Final = Method("GetMatch", service_pb2.GetMatchResponse)
LIST_MATCHES: Final = Method("ListMatches", service_pb2.ListMatchesResponse)
SUBMIT_MOVE: Final = Method("SubmitMove", service_pb2.SubmitMoveResponse)
RESIGN: Final = Method("Resign", service_pb2.ResignResponse)
WATCH_MATCH: Final = Method("WatchMatch", service_pb2.WatchMatchResponse)
GET_RECORD: Final = Method("GetRecord", service_pb2.GetRecordResponse)
RELEASE_RECORDS: Final = Method("ReleaseRecords", service_pb2.ReleaseRecordsResponse)
PLAY: Final = Method("Play", service_pb2.PlayResponse)
WITH_PRINCIPAL: Final[Sequence[Method[Any]]] = (
    *(CREATE_MATCH, JOIN_MATCH, GET_MATCH, LIST_MATCHES, SUBMIT_MOVE),
    *(RESIGN, WATCH_MATCH, GET_RECORD, RELEASE_RECORDS),
)


@dataclass(frozen=True, slots=True)
class Refusal:
    """What an error says beside its code: the parts that the contract promises.

    Attributes:
        domain, reason, metadata: of its ErrorInfo; empty if there is not exactly one.
        fields: those that its BadRequest names.
        retry_after_s: the delay of its RetryInfo; None without one.
    """

    domain: str = ""
    reason: str = ""
    metadata: Mapping[str, str] = field(default_factory=dict)
    fields: Sequence[str] = ()
    retry_after_s: float | None = None


@dataclass(frozen=True, slots=True)
class Reply(Generic[ResponseT]):
    """How a call ended: the answer if its code is OK, else the refusal."""

    method: Method[ResponseT]
    code: grpc.StatusCode
    text: str
    answer: ResponseT | None
    refusal: Refusal

    @property
    def told(self) -> str:
        """The outcome in words, such as "ABORTED/STALE_DECISION"."""
        return self.code.name + (f"/{self.refusal.reason}" if self.refusal.reason else "")

    def required(self) -> ResponseT:
        """Returns the answer.

        Raises:
            CheckFailedError: the call was refused.
        """
        if self.answer is None:
            raise CheckFailedError(f"{self.method.name} is refused with {self.told} ({self.text}), expected an answer")
        return self.answer


class Stream(Generic[ResponseT]):
    """A stream of answers that is being read."""

    def __init__(self, method: Method[ResponseT], call: Any, heard: list[bytes]) -> None:
        self._method: Final = method
        self._call: Final = call
        self._heard: Final = heard

    async def next(self, within_s: float | None = None) -> ResponseT | None:
        """Returns the next message; None if the stream has ended with whatever status.

        Raises:
            CheckFailedError: nothing came in time, or no message of the expected type.
        """
        within_s = within_s or ANSWERED_WITHIN_S
        try:
            async with asyncio.timeout(within_s):
                raw = await self._call.read()
        except TimeoutError:
            raise CheckFailedError(f"{self._method.name} sent nothing within {within_s:g} s") from None
        except grpc.aio.AioRpcError:
            return None
        if not isinstance(raw, bytes):
            return None
        self._heard.append(raw)
        return _parsed(self._method, raw)

    async def rest(self) -> AsyncIterator[ResponseT]:
        """Yields what comes up to the end."""
        while (message := await self.next()) is not None:
            yield message

    async def send(self, request: Message | bytes) -> None:
        """Sends one more request, on a stream in both directions; into nothing if it has ended."""
        with suppress(grpc.aio.AioRpcError, asyncio.InvalidStateError):  # its end is told to whoever reads
            await self._call.write(_packed(request))

    async def done(self) -> None:
        """Ends the caller's side of a stream in both directions."""
        await self._call.done_writing()

    async def end(self) -> Reply[ResponseT]:
        """Returns how the stream has ended."""
        return await _reply(self._method, self._call, None)

    def cancel(self) -> None:
        """Goes away without a word."""
        self._call.cancel()


class Connections:
    """A few connections to one address, taken in turn, so that behind a balancer calls reach different replicas."""

    def __init__(self, address: str, tls: Tls | None) -> None:
        self._channels: Final = [open_channel(address, tls, _OPTIONS) for _ in range(_CONNECTIONS)]
        self._turns: Final = cycle(self._channels)

    def next(self) -> grpc.aio.Channel:
        """Returns the connection whose turn it is."""
        return next(self._turns)

    async def close(self) -> None:
        """Ends them all."""
        for channel in self._channels:
            await channel.close()


class Caller:
    """Whoever calls.

    Args:
        connections: where to.
        principal: who; None is nobody.
        metadata: what is sent with each call instead of the principal.

    Attributes:
        heard: every message that reached it, as bytes.
    """

    def __init__(self, connections: Connections, principal: Principal | None, metadata: Metadata | None = None) -> None:
        self._connections: Final = connections
        self._principal: Final = principal
        self._metadata: Final = metadata if metadata is not None else _authorization(principal)
        self.heard: Final = list[bytes]()

    @property
    def principal(self) -> Principal:
        """Who it is."""
        if self._principal is None:
            raise ValueError("this caller is nobody")
        return self._principal

    async def ask(self, method: Method[ResponseT], request: Message) -> ResponseT:
        """Calls and returns the answer.

        Raises:
            CheckFailedError: the call was refused.
        """
        return (await self.call(method, request)).required()

    async def call(self, method: Method[ResponseT], request: Message | bytes) -> Reply[ResponseT]:
        """Calls; repeats a call that may succeed as it is, such as one at a replica that stops."""
        for wait_s in _WAITS_S:
            reply = await self._once(method, request)
            asked_s = reply.refusal.retry_after_s
            if reply.code != grpc.StatusCode.UNAVAILABLE and asked_s is None:
                return reply
            await asyncio.sleep(max(wait_s, min(asked_s or 0.0, _LONGEST_WAIT_S)))
        return await self._once(method, request)

    async def attempt(self, method: Method[ResponseT], request: Message | bytes) -> Reply[ResponseT]:
        """Calls; of a stream of answers only the first is waited for."""
        if method.name != WATCH_MATCH.name:
            return await self.call(method, request)
        stream = self.stream(method, request)
        first = await stream.next()
        if first is None:
            return await stream.end()
        stream.cancel()
        return Reply(method, grpc.StatusCode.OK, "", first, Refusal())

    def stream(self, method: Method[ResponseT], request: Message | bytes) -> Stream[ResponseT]:
        """Begins to read a stream of answers."""
        begin: Any = self._connections.next().unary_stream(method.path)
        call = begin(_packed(request), metadata=self._metadata)
        return Stream(method, call, self.heard)

    def converse(self, method: Method[ResponseT]) -> Stream[ResponseT]:
        """Begins a stream in both directions."""
        begin: Any = self._connections.next().stream_stream(method.path)
        call = begin(metadata=self._metadata)
        return Stream(method, call, self.heard)

    async def _once(self, method: Method[ResponseT], request: Message | bytes) -> Reply[ResponseT]:
        invoke: Any = self._connections.next().unary_unary(method.path)
        call = invoke(_packed(request), metadata=self._metadata, timeout=ANSWERED_WITHIN_S)
        try:
            raw = await call
        except grpc.aio.AioRpcError:
            raw = None
        if isinstance(raw, bytes):
            self.heard.append(raw)
        return await _reply(method, call, raw)


def _authorization(principal: Principal | None) -> Metadata:
    return () if principal is None else (("authorization", f"Bearer {principal.token}"),)


def _packed(request: Message | bytes) -> bytes:
    return request if isinstance(request, bytes) else request.SerializeToString()


def _parsed(method: Method[ResponseT], raw: bytes) -> ResponseT:
    try:
        return method.response.FromString(raw)
    except DecodeError:
        kind = method.response.DESCRIPTOR.full_name
        raise CheckFailedError(f"{method.name} is answered with bytes that are not a {kind}") from None


async def _reply(method: Method[ResponseT], call: Any, raw: object) -> Reply[ResponseT]:
    code, text, trailing = await call.code(), await call.details(), await call.trailing_metadata()
    answer = _parsed(method, raw) if isinstance(raw, bytes) and code == grpc.StatusCode.OK else None
    return Reply(method, code, text or "", answer, _refusal(trailing or ()))


def _refusal(trailing: Any) -> Refusal:
    packed = [value for key, value in trailing if key == "grpc-status-details-bin"]
    try:
        status = status_pb2.Status.FromString(packed[0]) if packed else status_pb2.Status()
        infos = [_unpacked(detail, error_details_pb2.ErrorInfo()) for detail in status.details]
        requests = [_unpacked(detail, error_details_pb2.BadRequest()) for detail in status.details]
        retries = [_unpacked(detail, error_details_pb2.RetryInfo()) for detail in status.details]
    except DecodeError:
        return Refusal()
    found = [info for info in infos if info is not None]
    info = found[0] if len(found) == 1 else error_details_pb2.ErrorInfo()
    fields = [violation.field for request in requests if request is not None for violation in request.field_violations]
    delays = [retry.retry_delay.ToTimedelta().total_seconds() for retry in retries if retry is not None]
    return Refusal(info.domain, info.reason, dict(info.metadata), fields, max(delays, default=None))


def _unpacked(detail: Any, message: Any) -> Any:
    return message if detail.Unpack(message) else None
