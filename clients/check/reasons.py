"""What the contract says of each reason for an error, and how a refusal is held against it."""

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, Final

import grpc

from clients.check.calls import DOMAIN, Reply
from clients.check.checks import equal, expect

_INVALID: Final = grpc.StatusCode.INVALID_ARGUMENT
_PRECONDITION: Final = grpc.StatusCode.FAILED_PRECONDITION
_UNAUTHENTICATED: Final = grpc.StatusCode.UNAUTHENTICATED


@dataclass(frozen=True, slots=True)
class Documented:
    """What the comment of a reason in error.proto says."""

    code: grpc.StatusCode
    metadata: frozenset[str] = frozenset()
    with_bad_request: bool = False


def _said(code: grpc.StatusCode, *metadata: str, with_bad_request: bool = False) -> Documented:
    return Documented(code, frozenset(metadata), with_bad_request)


DOCUMENTED: Final[Mapping[str, Documented]] = MappingProxyType(
    {
        "MALFORMED_REQUEST": _said(_INVALID, "type"),
        "REQUEST_TOO_LARGE": _said(_INVALID, "size", "limit"),
        "UNKNOWN_FIELD": _said(_INVALID, "field", "number", with_bad_request=True),
        "INVALID_FIELD": _said(_INVALID, "field", "problem", with_bad_request=True),
        "UNKNOWN_RULESET": _said(_INVALID, "ruleset", "known"),
        "SEAT_COUNT": _said(_INVALID, "ruleset", "seats", "min_seats", "max_seats"),
        "INVALID_OPTION": _said(_INVALID, "option", "problem"),
        "PRINCIPAL_MISSING": _said(_UNAUTHENTICATED),
        "PRINCIPAL_MALFORMED": _said(_UNAUTHENTICATED),
        "NOT_PERMITTED": _said(grpc.StatusCode.PERMISSION_DENIED),
        "MATCH_NOT_FOUND": _said(grpc.StatusCode.NOT_FOUND, "match_id"),
        "SEAT_REQUIRED": _said(_INVALID, "seats"),
        "SEAT_TAKEN": _said(_PRECONDITION, "seat"),
        "NO_OPEN_SEAT": _said(_PRECONDITION),
        "REQUEST_ID_REUSED": _said(_PRECONDITION),
        "MATCH_NOT_STARTED": _said(_PRECONDITION, "open"),
        "MATCH_OVER": _said(_PRECONDITION),
        "MATCH_NOT_OVER": _said(_PRECONDITION),
        "SEAT_OUT": _said(_PRECONDITION, "cause"),
        "STALE_DECISION": _said(grpc.StatusCode.ABORTED, "decision_number", "expected"),
        "NOT_TO_ACT": _said(_PRECONDITION, "seat"),
        "MALFORMED_MOVE": _said(_INVALID, "move", "problem"),
        "ILLEGAL_MOVE": _said(_PRECONDITION, "move", "rule", "problem"),
        "MOVE_AFTER_REVEAL": _said(_PRECONDITION, "move"),
        "NOT_DISCLOSED": _said(_PRECONDITION, "match_id"),
        "INVALID_PAGE_TOKEN": _said(_INVALID),
        "SUPERSEDED": _said(grpc.StatusCode.ABORTED),
    }
)
"""The reasons that can be provoked from outside, by their names without the prefix."""


def refused(what: str, reply: Reply[Any], reason: str, **metadata: object) -> None:
    """Requires that a call was refused for a reason with all that the contract says of it.

    `what` names the call in a sentence; of the reason's metadata those given are required.

    Raises:
        CheckFailedError: it was not.
    """
    said, refusal = DOCUMENTED[reason], reply.refusal
    expect(
        (reply.code, refusal.reason) == (said.code, reason),
        f"{what} is answered with {reply.told}, expected {said.code.name}/{reason}",
    )
    where = f"the {reason} of {what}"
    equal(f"the domain of {where}", refusal.domain, DOMAIN)
    equal(f"the metadata of {where}", sorted(refusal.metadata), sorted(said.metadata))
    for key, value in metadata.items():
        equal(f"the {key} of {where}", refusal.metadata[key], str(value))
    expect(bool(reply.text), f"{where} has no text, expected one in English")
    fields = [refusal.metadata["field"]] if said.with_bad_request else []
    equal(f"the BadRequest of {where}", list(refusal.fields), fields)
