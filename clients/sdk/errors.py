"""Errors of calls, typed."""

from collections.abc import Iterable, Mapping
from typing import Final

import grpc
from google.protobuf.any_pb2 import Any
from google.rpc import error_details_pb2, status_pb2

from artreferee.v1 import error_pb2, service_pb2

_PREFIX: Final = "ERROR_REASON_"
_NAMES: Final = frozenset(error_pb2.ErrorReason.keys())
_DETAILS: Final = "grpc-status-details-bin"
_CODES: Final = {code.value[0]: code for code in grpc.StatusCode}
_RETRIABLE: Final = frozenset(
    {
        grpc.StatusCode.UNAVAILABLE,
        grpc.StatusCode.DEADLINE_EXCEEDED,
        grpc.StatusCode.CANCELLED,  # by the server, which stopped or had too much to do
    }
)


class MatchAbortedError(Exception):
    """A match that an operator ended without a result."""


class CallError(Exception):
    """A call that failed.

    Attributes:
        code: the gRPC code.
        reason: the contract's reason; UNSPECIFIED if the error did not come from a referee.
        metadata: what the reason's comment in the contract names.
        text: the error in English.
        retriable: whether the same call may succeed if it is repeated as it is.
        retry_after_s: how long the referee asks to wait before that.
    """

    def __init__(
        self,
        code: grpc.StatusCode,
        reason: error_pb2.ErrorReason.ValueType,
        metadata: Mapping[str, str],
        text: str,
        *,
        retriable: bool,
        retry_after_s: float = 0.0,
    ) -> None:
        self.code: Final = code
        self.reason: Final = reason
        self.metadata: Final = dict(metadata)
        self.text: Final = text
        self.retriable: Final = retriable
        self.retry_after_s: Final = retry_after_s
        name = error_pb2.ErrorReason.Name(reason).removeprefix(_PREFIX)
        super().__init__(f"{text} ({code.name}/{name})")

    @classmethod
    def in_answer(cls, refused: service_pb2.PlayRefused) -> "CallError":
        """Returns the typed error of a move that was refused."""
        metadata = {pair.key: pair.value for pair in refused.metadata}
        code = _CODES.get(refused.code, grpc.StatusCode.UNKNOWN)
        wait_s = int(metadata.get("retry_after_ms", 0)) / 1000
        return cls(code, refused.reason, metadata, refused.text, retriable=refused.retriable, retry_after_s=wait_s)

    @classmethod
    def of(cls, error: grpc.aio.AioRpcError) -> "CallError":
        """Returns the typed error of what gRPC raised."""
        code, text = error.code(), error.details() or ""
        reason = error_pb2.ERROR_REASON_UNSPECIFIED
        metadata: Mapping[str, str] = {}
        retriable, wait = code in _RETRIABLE, error_details_pb2.RetryInfo()
        for detail in _details_of(error):
            info = error_details_pb2.ErrorInfo()
            if detail.Unpack(info) and _PREFIX + info.reason in _NAMES:
                reason, metadata = error_pb2.ErrorReason.Value(_PREFIX + info.reason), info.metadata
            retriable |= detail.Unpack(wait)
        if code is grpc.StatusCode.INTERNAL and not reason:
            retriable = True  # not the referee's: the connection broke, or the call ended while it was being written
        wait_s = wait.retry_delay.ToTimedelta().total_seconds()
        return cls(code, reason, metadata, text, retriable=retriable, retry_after_s=wait_s)


def _details_of(error: grpc.aio.AioRpcError) -> Iterable[Any]:
    """Returns what a referee said besides the code; the code is another where a call was cancelled on its way back."""
    for key, value in error.trailing_metadata() or ():
        if key == _DETAILS and isinstance(value, bytes):
            details: Iterable[Any] = status_pb2.Status.FromString(value).details
            return details
    return ()
