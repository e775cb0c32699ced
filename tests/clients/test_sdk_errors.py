"""Errors of calls, where what stands between has a word in them."""

import grpc

from artreferee.v1 import error_pb2
from clients.sdk import CallError
from referee.api.errors import to_status
from referee.core.errors import Reason, RefereeError


def test_what_a_referee_has_said_holds_though_the_call_was_cancelled_on_its_way_back() -> None:
    """As a proxy does that resets a stream right after its end: the code is another than the referee's then."""
    said = to_status(RefereeError(Reason.DRAINING))
    trailers = grpc.aio.Metadata(*said.trailing_metadata)
    error = CallError.of(grpc.aio.AioRpcError(grpc.StatusCode.CANCELLED, grpc.aio.Metadata(), trailers, "cancelled"))
    assert error.reason == error_pb2.ERROR_REASON_DRAINING
    assert error.retriable
