"""The one layer around every call: parse, authenticate, do, answer, and turn errors into statuses.

It is fused into the handlers, which take and give bytes: a chain of interceptors costs more, and a deserializer that
raises would send its text as UNKNOWN.
"""

from __future__ import annotations  # grpc's classes are generic in their stubs only

import asyncio
import logging
from collections.abc import AsyncIterator, Awaitable, Callable
from typing import Any, Final, NoReturn

import grpc
from google.protobuf.message import Message

from artreferee.v1 import service_pb2
from referee.api import requests
from referee.api.errors import to_status
from referee.api.servicer import Servicer
from referee.core.errors import Reason, RefereeError
from referee.table.store import StoreUnavailableError

SERVICE: Final = service_pb2.DESCRIPTOR.services_by_name["RefereeService"]
_WITHOUT_PRINCIPAL: Final = frozenset({"ListRulesets"})
_log: Final = logging.getLogger("referee")

Context = grpc.aio.ServicerContext[bytes, bytes]


class Handlers(grpc.GenericRpcHandler):
    """All calls of the service, ready to be given to a gRPC server."""

    def __init__(self, servicer: Servicer) -> None:
        self._streams: Final = set[asyncio.Task[Any]]()
        self._draining = False
        self._handlers: Final = {
            f"/{SERVICE.full_name}/{method.name}": self._handler(servicer, method) for method in SERVICE.methods
        }

    def service(self, handler_call_details: grpc.HandlerCallDetails) -> grpc.RpcMethodHandler[bytes, bytes] | None:
        """Returns the handler of a method; None if there is none."""
        return self._handlers.get(handler_call_details.method)

    def end_streams(self) -> None:
        """Ends all streams with DRAINING, so that their callers go to another replica."""
        self._draining = True
        for stream in self._streams:
            stream.cancel()

    def _handler(self, servicer: Servicer, method: Any) -> grpc.RpcMethodHandler[bytes, bytes]:
        act = getattr(servicer, _snake_case(method.name))
        kind = getattr(service_pb2, method.input_type.name)
        if method.server_streaming:
            return grpc.unary_stream_rpc_method_handler(self._stream(kind, act))
        return grpc.unary_unary_rpc_method_handler(_unary(kind, act, method.name not in _WITHOUT_PRINCIPAL))

    def _stream(
        self, kind: type[Message], act: Callable[..., AsyncIterator[Message]]
    ) -> Callable[[bytes, Context], Awaitable[None]]:
        async def handle(raw: bytes, context: Context) -> None:
            task = asyncio.current_task()
            if task is None:
                raise AssertionError("handlers run in tasks")
            if self._draining:
                await _abort(context, RefereeError(Reason.DRAINING))
            self._streams.add(task)
            try:
                principal = requests.principal_from(context.invocation_metadata() or ())
                async for response in act(principal, requests.parse(kind, raw)):
                    await context.write(response.SerializeToString())
            except asyncio.CancelledError:
                if not self._draining:
                    raise
                task.uncancel()
                await _abort(context, RefereeError(Reason.DRAINING))
            except Exception as error:
                await _abort(context, error)
            finally:
                self._streams.discard(task)

        return handle


def _unary(
    kind: type[Message], act: Callable[..., Awaitable[Message]], authenticated: bool
) -> Callable[[bytes, Context], Awaitable[bytes]]:
    async def handle(raw: bytes, context: Context) -> bytes:
        try:
            if authenticated:
                principal = requests.principal_from(context.invocation_metadata() or ())
                response = await act(principal, requests.parse(kind, raw))
            else:
                response = await act(requests.parse(kind, raw))
        except Exception as error:
            await _abort(context, error)
        return response.SerializeToString()

    return handle


async def _abort(context: Context, error: Exception) -> NoReturn:
    if isinstance(error, StoreUnavailableError):
        _log.warning("the store does not answer: %s", error)
        error = RefereeError(Reason.STORE_UNAVAILABLE)
    elif not isinstance(error, RefereeError):
        _log.error("a fault of the service", exc_info=error)
        error = RefereeError(Reason.INTERNAL)
    await context.abort_with_status(to_status(error))
    raise AssertionError("abort raises")


def _snake_case(name: str) -> str:
    return "".join(f"_{letter.lower()}" if letter.isupper() else letter for letter in name).lstrip("_")
