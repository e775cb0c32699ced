"""Single calls over the wire: one attempt each, at a replica that the test chooses."""

from __future__ import annotations  # grpc's classes are generic in their stubs only

from collections.abc import Sequence
from types import TracebackType
from typing import TYPE_CHECKING, Any, Final, Self

import grpc
from google.protobuf.message import Message

from artreferee.v1 import service_pb2
from artreferee.v1.service_pb2_grpc import RefereeServiceStub
from clients.sdk import CallError, Principal

if TYPE_CHECKING:
    PlayCall = grpc.aio.StreamStreamCall[service_pb2.PlayRequest, service_pb2.PlayResponse]

# Channels of one process share connections unless they are told not to, and wait long before they connect again.
_OPTIONS: Final = (
    ("grpc.use_local_subchannel_pool", 1),
    ("grpc.initial_reconnect_backoff_ms", 50),
    ("grpc.min_reconnect_backoff_ms", 50),
    ("grpc.max_reconnect_backoff_ms", 500),
)


class Wire:
    """Connections to some addresses."""

    def __init__(self, addresses: Sequence[str]) -> None:
        self._channels: Final = [grpc.aio.insecure_channel(address, options=_OPTIONS) for address in addresses]
        self._stubs: Final = [RefereeServiceStub(channel) for channel in self._channels]

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        for channel in self._channels:
            await channel.close()

    @property
    def count(self) -> int:
        """How many addresses there are."""
        return len(self._stubs)

    async def call(self, at: int, who: Principal, method: str, request: Message, timeout_s: float) -> Any:
        """Calls once, at the address with that number.

        Raises:
            CallError: no answer, or a refusal.
        """
        try:
            return await getattr(self._stubs[at], method)(request, timeout=timeout_s, metadata=_metadata(who))
        except grpc.aio.AioRpcError as error:
            raise CallError.of(error) from None

    def stream(self, at: int, who: Principal, timeout_s: float) -> PlayCall:
        """Opens a `Play` stream, to which nothing is written yet."""
        return self._stubs[at].Play(timeout=timeout_s, metadata=_metadata(who))

    async def play(
        self, at: int, who: Principal, move: service_pb2.PlayMove, timeout_s: float
    ) -> service_pb2.PlayAccepted:
        """Makes a move over a stream of its own.

        Raises:
            CallError: no answer, or a refusal.
        """
        stream = self.stream(at, who, timeout_s)
        try:
            await stream.write(service_pb2.PlayRequest(moves=[move]))
            while isinstance(response := await stream.read(), service_pb2.PlayResponse):
                for outcome in response.outcomes:
                    return _accepted(outcome)
            raise AssertionError("the stream ends without an outcome")
        except grpc.aio.AioRpcError as error:
            raise CallError.of(error) from None
        finally:
            stream.cancel()


def _metadata(who: Principal) -> tuple[tuple[str, str], ...]:
    return (("authorization", f"Bearer {who.token}"),)


def _accepted(outcome: service_pb2.PlayOutcome) -> service_pb2.PlayAccepted:
    if outcome.HasField("accepted"):
        return outcome.accepted
    refused = outcome.refused
    [code] = [code for code in grpc.StatusCode if code.value[0] == refused.code]
    metadata = {pair.key: pair.value for pair in refused.metadata}
    raise CallError(code, refused.reason, metadata, refused.text, retriable=refused.retriable)
