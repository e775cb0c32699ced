"""The one layer around every call: parse, authenticate, do, answer, and turn errors into statuses.

It is fused into the handlers, which take and give bytes: a chain of interceptors costs more, and a deserializer that
raises would send its text as UNKNOWN.
"""

from __future__ import annotations  # grpc's classes are generic in their stubs only

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import aclosing
from functools import partial
from typing import Any, Final, NoReturn, Self

import grpc
from google.protobuf.message import Message

from artreferee.v1 import service_pb2
from referee.api import requests
from referee.api.errors import to_status
from referee.api.journal import Call, Journal
from referee.api.markers import PEER
from referee.api.quotas import Caller, Gate, Quotas
from referee.api.servicer import Servicer
from referee.core.errors import Reason, RefereeError
from referee.table.ids import Principal
from referee.table.observer import Metadata

SERVICE: Final = service_pb2.DESCRIPTOR.services_by_name["RefereeService"]
_WITHOUT_PRINCIPAL: Final = frozenset({"ListRulesets"})
_COSTS: Final = {"ListMatches": 10, "GetRecord": 10, "ReleaseRecords": 10}  # as work, compared with other calls
_COUNTED: Final = {  # the costs of calls that count for who makes them
    f"/{SERVICE.full_name}/{method.name}": _COSTS.get(method.name, 1)
    for method in SERVICE.methods
    if method.name not in _WITHOUT_PRINCIPAL
}

Context = grpc.aio.ServicerContext[bytes, bytes]


class Handlers(grpc.GenericRpcHandler):
    """All calls of the service, ready to be given to a gRPC server."""

    def __init__(self, servicer: Servicer, journal: Journal | None = None, gate: Gate | None = None) -> None:
        self._journal: Final = journal or Journal()
        self._gate: Final = gate or Gate(Quotas())
        self._presence: Final = servicer.presence
        self._streams: Final = set[asyncio.Task[Any] | _Incoming]()
        self._draining = False
        self._methods: Final = {f"/{SERVICE.full_name}/{method.name}": method for method in SERVICE.methods}
        self._handlers: Final = {path: self._handler(servicer, method) for path, method in self._methods.items()}
        self._late: Final = self._gate.late()
        self._too_late: Final = _refusing(self._late)

    def service(self, handler_call_details: grpc.HandlerCallDetails) -> grpc.RpcMethodHandler[bytes, bytes] | None:
        """Returns the handler of a call; None if there is none."""
        path, metadata = handler_call_details.method, handler_call_details.invocation_metadata or ()
        backlog = self._gate.backlog
        if path == backlog.method:
            backlog.arrived()
            return _MARKED
        if backlog.late():
            return self._unread(path, metadata, self._late)
        if path in _COUNTED and (refusal := self._gate.floods.refusal(metadata, _COUNTED[path])):
            return self._unread(path, metadata, refusal)
        return self._handlers.get(path)

    def end_streams(self) -> None:
        """Ends all streams with DRAINING, so that their callers go to another replica."""
        self._draining = True
        for stream in list(self._streams):
            stream.cancel()

    def _handler(self, servicer: Servicer, method: Any) -> grpc.RpcMethodHandler[bytes, bytes]:
        act = getattr(servicer, _snake_case(method.name))
        kind = getattr(service_pb2, method.input_type.name)
        if method.client_streaming:
            return grpc.stream_stream_rpc_method_handler(self._conversation(method.name, kind, act))
        if method.server_streaming:
            return grpc.unary_stream_rpc_method_handler(self._stream(method.name, kind, act))
        return grpc.unary_unary_rpc_method_handler(self._unary(method.name, kind, act))

    def _unread(
        self, path: str, metadata: Metadata, refusal: RefereeError
    ) -> grpc.RpcMethodHandler[bytes, bytes] | None:
        """Returns what refuses a call of any kind at the least cost: nothing of it is read but who makes it."""
        method = self._methods.get(path)
        if method is None:
            return None
        principal: Principal | None = None
        if method.name not in _WITHOUT_PRINCIPAL:
            try:
                principal = requests.principal_from(metadata)
            except RefereeError:
                return self._handlers[path]  # which says that first
            self._presence.note(principal)
        self._journal.unread(method.name, principal, refusal, streams=method.server_streaming)
        return self._too_late if refusal is self._late else _refusing(refusal)

    def _unary(
        self, name: str, kind: type[Message], act: Callable[..., Awaitable[Message | bytes]]
    ) -> Callable[[bytes, Context], Awaitable[bytes]]:
        cost, creates = _COSTS.get(name, 1), name == "CreateMatch"

        async def handle(raw: bytes, context: Context) -> bytes:
            metadata = context.invocation_metadata() or ()  # made anew each time
            try:
                with self._journal.unary(name, metadata) as call:
                    caller = await self._welcomed(name, context.peer(), metadata, call)
                    with self._gate.call(caller, cost=cost, creates=creates):
                        request = requests.parse(kind, raw)
                        call.about(request)
                        who = () if caller.principal is None else (caller.principal,)
                        response = await act(*who, request)
                        call.about(response)
                        return response if isinstance(response, bytes) else response.SerializeToString()
            except RefereeError as refusal:
                self._gate.floods.note(metadata, refusal, cost)
                await _abort(context, refusal)

        return handle

    def _stream(
        self, name: str, kind: type[Message], act: Callable[..., AsyncIterator[bytes]]
    ) -> Callable[[bytes, Context], Awaitable[None]]:
        async def write(raw: bytes, context: Context, call: Call) -> None:
            caller = await self._welcomed(name, context.peer(), context.invocation_metadata() or (), call)
            with self._gate.stream(caller), self._presence.staying(caller.principal):
                request = requests.parse(kind, raw)
                call.about(request)
                await _write_all(context, act(caller.principal, request))

        async def handle(raw: bytes, context: Context) -> None:
            try:
                with self._journal.stream(name) as call:
                    await self._until_drained(lambda: write(raw, context, call))
            except RefereeError as refusal:
                await _abort(context, refusal)

        return handle

    def _conversation(
        self, name: str, kind: type[Message], act: Callable[..., AsyncIterator[bytes]]
    ) -> Callable[[AsyncIterator[bytes], Context], Awaitable[None]]:
        async def handle(_: AsyncIterator[bytes], context: Context) -> None:
            incoming = _Incoming(kind, context)
            self._streams.add(incoming)
            if self._draining:
                incoming.cancel()
            try:
                with self._journal.stream(name) as call:
                    metadata = context.invocation_metadata() or ()
                    caller = await self._welcomed(name, context.peer(), metadata, call)
                    with self._gate.stream(caller), self._presence.staying(caller.principal):
                        charge = partial(self._gate.move, caller)
                        await _write_all(context, act(caller.principal, incoming, charge))
            except RefereeError as refusal:
                await _abort(context, refusal)
            finally:
                self._streams.discard(incoming)

        return handle

    async def _until_drained(self, write: Callable[[], Awaitable[None]]) -> None:
        """Writes a stream, which a drain ends.

        Raises:
            RefereeError: DRAINING.
        """
        task = asyncio.current_task()
        if task is None:
            raise AssertionError("handlers run in tasks")
        if self._draining:
            raise RefereeError(Reason.DRAINING)
        self._streams.add(task)
        try:
            await write()
        except asyncio.CancelledError:
            if not self._draining:
                raise
            task.uncancel()
            raise RefereeError(Reason.DRAINING) from None
        finally:
            self._streams.discard(task)

    async def _welcomed(self, name: str, peer: str, metadata: Metadata, call: Call) -> Caller:
        """Returns who calls, once it is noted that it is there: whatever becomes of the call, it is a sign of life.

        Raises:
            RefereeError: as `_caller`.
            StoreUnavailableError: it cannot be noted.
        """
        caller = self._caller(name, peer, metadata, call)
        if caller.principal is not None:
            await self._presence.sign(caller.principal)
        return caller

    def _caller(self, name: str, peer: str, metadata: Metadata, call: Call) -> Caller:
        """Returns who calls; whoever should say so and does not is counted too.

        Raises:
            RefereeError: PRINCIPAL_MISSING, PRINCIPAL_MALFORMED, or RATE_LIMITED instead; NOT_PERMITTED at the
                socket of the markers.
        """
        if peer.startswith(PEER):
            raise RefereeError(Reason.NOT_PERMITTED)
        address = self._gate.address_of(peer, metadata)
        if name not in _WITHOUT_PRINCIPAL:
            try:
                call.principal = requests.principal_from(metadata)
            except RefereeError:
                self._gate.charge(Caller(None, address))
                raise
        return Caller(call.principal, address)


class _Incoming:
    """The requests of a stream, parsed; when the replica stops they end with DRAINING."""

    def __init__(self, kind: type[Message], context: Context) -> None:
        self._kind: Final = kind
        self._context: Final = context
        self._reader: asyncio.Task[Any] | None = None
        self._draining = False

    def __aiter__(self) -> Self:
        return self

    async def __anext__(self) -> Message:
        if self._draining:
            raise RefereeError(Reason.DRAINING)
        self._reader = asyncio.current_task()
        try:
            raw = await self._context.read()
        except asyncio.CancelledError:
            if not self._draining or self._reader is None:
                raise
            self._reader.uncancel()
            raise RefereeError(Reason.DRAINING) from None
        finally:
            self._reader = None
        if not isinstance(raw, bytes):
            raise StopAsyncIteration
        return requests.parse(self._kind, raw)

    def cancel(self) -> None:
        """Ends the requests."""
        self._draining = True
        if self._reader is not None:
            self._reader.cancel()


async def _write_all(context: Context, responses: AsyncIterator[bytes]) -> None:
    async with aclosing(responses):  # type: ignore[type-var]
        async for response in responses:
            await context.write(response)


def _refusing(refusal: RefereeError) -> grpc.RpcMethodHandler[bytes, bytes]:
    """Returns a handler of calls of any kind, which waits for none of their messages, and raises nothing."""
    status = to_status(refusal)

    async def refuse(_: AsyncIterator[bytes], context: Context) -> None:
        context.set_code(status.code)
        context.set_details(status.details)
        context.set_trailing_metadata(status.trailing_metadata)

    return grpc.stream_stream_rpc_method_handler(refuse)


async def _mark(raw: bytes, _: Context) -> bytes:
    return raw


async def _abort(context: Context, refusal: RefereeError) -> NoReturn:
    await context.abort_with_status(to_status(refusal))
    raise AssertionError("abort raises")


_MARKED: Final[grpc.RpcMethodHandler[bytes, bytes]] = grpc.unary_unary_rpc_method_handler(_mark)


def _snake_case(name: str) -> str:
    return "".join(f"_{letter.lower()}" if letter.isupper() else letter for letter in name).lstrip("_")
