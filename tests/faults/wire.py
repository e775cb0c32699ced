"""Single calls over the wire: one attempt each, at a replica that the test chooses."""

from collections.abc import Sequence
from types import TracebackType
from typing import Any, Final, Self

import grpc
from google.protobuf.message import Message

from artreferee.v1.service_pb2_grpc import RefereeServiceStub
from clients.sdk import CallError, Principal

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
        metadata = (("authorization", f"Bearer {who.token}"),)
        try:
            return await getattr(self._stubs[at], method)(request, timeout=timeout_s, metadata=metadata)
        except grpc.aio.AioRpcError as error:
            raise CallError.of(error) from None
