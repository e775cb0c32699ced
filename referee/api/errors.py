"""The one table from the reasons of the domain to gRPC, and the rich status of each error."""

from functools import lru_cache
from types import MappingProxyType
from typing import Final

import grpc
from google.protobuf.duration_pb2 import Duration
from google.rpc import code_pb2, error_details_pb2, status_pb2
from grpc_status import rpc_status

from referee.core.errors import Reason, RefereeError

DOMAIN: Final = "artreferee"
_RETRY_AFTER_MS: Final = 200  # of errors that do not say it themselves

CODES: Final = MappingProxyType(
    {
        Reason.MALFORMED_REQUEST: code_pb2.INVALID_ARGUMENT,
        Reason.REQUEST_TOO_LARGE: code_pb2.INVALID_ARGUMENT,
        Reason.UNKNOWN_FIELD: code_pb2.INVALID_ARGUMENT,
        Reason.INVALID_FIELD: code_pb2.INVALID_ARGUMENT,
        Reason.UNKNOWN_RULESET: code_pb2.INVALID_ARGUMENT,
        Reason.SEAT_COUNT: code_pb2.INVALID_ARGUMENT,
        Reason.INVALID_OPTION: code_pb2.INVALID_ARGUMENT,
        Reason.PRINCIPAL_MISSING: code_pb2.UNAUTHENTICATED,
        Reason.PRINCIPAL_MALFORMED: code_pb2.UNAUTHENTICATED,
        Reason.NOT_PERMITTED: code_pb2.PERMISSION_DENIED,
        Reason.MATCH_NOT_FOUND: code_pb2.NOT_FOUND,
        Reason.SEAT_REQUIRED: code_pb2.INVALID_ARGUMENT,
        Reason.SEAT_TAKEN: code_pb2.FAILED_PRECONDITION,
        Reason.NO_OPEN_SEAT: code_pb2.FAILED_PRECONDITION,
        Reason.REQUEST_ID_REUSED: code_pb2.FAILED_PRECONDITION,
        Reason.MATCH_NOT_STARTED: code_pb2.FAILED_PRECONDITION,
        Reason.MATCH_OVER: code_pb2.FAILED_PRECONDITION,
        Reason.MATCH_NOT_OVER: code_pb2.FAILED_PRECONDITION,
        Reason.SEAT_OUT: code_pb2.FAILED_PRECONDITION,
        Reason.STALE_DECISION: code_pb2.ABORTED,
        Reason.NOT_TO_ACT: code_pb2.FAILED_PRECONDITION,
        Reason.MALFORMED_MOVE: code_pb2.INVALID_ARGUMENT,
        Reason.ILLEGAL_MOVE: code_pb2.FAILED_PRECONDITION,
        Reason.MOVE_AFTER_REVEAL: code_pb2.FAILED_PRECONDITION,
        Reason.NOT_DISCLOSED: code_pb2.FAILED_PRECONDITION,
        Reason.INVALID_PAGE_TOKEN: code_pb2.INVALID_ARGUMENT,
        Reason.CONTENTION: code_pb2.ABORTED,
        Reason.SUPERSEDED: code_pb2.ABORTED,
        Reason.CREATION_RESTRICTED: code_pb2.PERMISSION_DENIED,
        Reason.RATE_LIMITED: code_pb2.RESOURCE_EXHAUSTED,
        Reason.QUOTA_EXCEEDED: code_pb2.RESOURCE_EXHAUSTED,
        Reason.OVERLOADED: code_pb2.RESOURCE_EXHAUSTED,
        Reason.STORE_UNAVAILABLE: code_pb2.UNAVAILABLE,
        Reason.DRAINING: code_pb2.UNAVAILABLE,
        Reason.SNAPSHOT_UNREADABLE: code_pb2.DATA_LOSS,
        Reason.INTERNAL: code_pb2.INTERNAL,
    }
)
RETRIABLE: Final = frozenset(
    {
        Reason.CONTENTION,
        Reason.STORE_UNAVAILABLE,
        Reason.DRAINING,
        Reason.RATE_LIMITED,
        Reason.QUOTA_EXCEEDED,
        Reason.OVERLOADED,
    }
)


def to_status(error: RefereeError) -> grpc.Status:
    """Returns what a call that ends with `error` sends: code, text, ErrorInfo and what else the contract names."""
    return _status(CODES[error.reason], error.reason, str(error), tuple(error.metadata.items()))


@lru_cache(maxsize=1024)  # whoever floods is refused in the same few words, which shall not cost the others much
def _status(code: int, reason: Reason, text: str, metadata: tuple[tuple[str, str], ...]) -> grpc.Status:
    said = dict(metadata)
    status = status_pb2.Status(code=code, message=text)
    info = error_details_pb2.ErrorInfo(reason=reason.name, domain=DOMAIN, metadata=said)
    status.details.add().Pack(info, deterministic=True)
    if reason in (Reason.INVALID_FIELD, Reason.UNKNOWN_FIELD):
        violation = error_details_pb2.BadRequest.FieldViolation(field=said["field"], description=text)
        status.details.add().Pack(error_details_pb2.BadRequest(field_violations=[violation]), deterministic=True)
    if reason in RETRIABLE:
        delay = Duration()
        delay.FromMilliseconds(int(said.get("retry_after_ms", _RETRY_AFTER_MS)))
        status.details.add().Pack(error_details_pb2.RetryInfo(retry_delay=delay), deterministic=True)
    grpc_status: grpc.Status = rpc_status.to_status(status)
    return grpc_status
