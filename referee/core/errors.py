"""Errors of the domain: a closed set of reasons, each with a text made from its metadata alone."""

from enum import Enum
from typing import Final


class Reason(Enum):
    """Why a call was refused. The contract's `ErrorReason` has the same names."""

    MALFORMED_REQUEST = "the request cannot be read as {type}"
    REQUEST_TOO_LARGE = "the request has {size} bytes, at most {limit} are taken"
    UNKNOWN_FIELD = "{field} has an unknown field with number {number}"
    INVALID_FIELD = "{field} {problem}"
    UNKNOWN_RULESET = "there is no ruleset {ruleset!r}; known are {known}"
    SEAT_COUNT = "{ruleset} is for {min_seats} to {max_seats} seats, not {seats}"
    INVALID_OPTION = "option {option} {problem}"
    PRINCIPAL_MISSING = "the call carries no principal: send 'authorization: Bearer ' and 43 characters of base64url"
    PRINCIPAL_MALFORMED = "the principal is not 'Bearer ' and 43 characters of base64url"
    NOT_PERMITTED = "the principal does not hold this seat or match"
    MATCH_NOT_FOUND = "there is no match {match_id}"
    SEAT_REQUIRED = "the principal holds the seats {seats}: name one"
    SEAT_TAKEN = "seat {seat} is taken"
    REQUEST_ID_REUSED = "the request id was used for another request"
    MATCH_NOT_STARTED = "the match waits for {open} open seats"
    MATCH_OVER = "the match has ended"
    MATCH_NOT_OVER = "the match has not ended"
    SEAT_OUT = "the seat is out of the competition: {cause}"
    STALE_DECISION = "the move answers decision {decision_number}, but the seat's next decision is {expected}"
    NOT_TO_ACT = "seat {seat} is not to act now"
    MALFORMED_MOVE = "move {move} {problem}"
    ILLEGAL_MOVE = "move {move} is illegal: {problem} ({rule})"
    MOVE_AFTER_REVEAL = "move {move} must wait for the answer to the move before it"
    NOT_DISCLOSED = "the record of match {match_id} is not released yet"
    INVALID_PAGE_TOKEN = "the page token was not made by this service"  # noqa: S105 - a message, not a secret
    CONTENTION = "other calls kept writing this match; try again"
    STORE_UNAVAILABLE = "the store does not answer; try again with the same request id"
    DRAINING = "this replica is stopping; try again"
    SNAPSHOT_UNREADABLE = "match {match_id} cannot be read by this version of the service"
    INTERNAL = "a fault of the service; it was logged"
    NO_OPEN_SEAT = "no seat is open"
    SUPERSEDED = "the principal has opened a newer stream"
    CREATION_RESTRICTED = "only principals that the operator of this referee has named may create matches"
    RATE_LIMITED = "too many {what}: the {who} may make {limit} a second; try again in {retry_after_ms} ms"
    QUOTA_EXCEEDED = "the {who} has {limit} {what}, which is as many as it may have; try again in {retry_after_ms} ms"
    OVERLOADED = "this replica is at its limit of {limit} {what}; try again in {retry_after_ms} ms"


_LONGEST: Final = 100  # what a caller sent may be long, and an error travels in a header


def _short(text: str) -> str:
    return text if len(text) <= _LONGEST else f"{text[:_LONGEST]}..."


class RefereeError(Exception):
    """A refusal: a reason and the metadata from which its text follows.

    Metadata holds only what the caller may know, so that text and details are safe to send.
    """

    def __init__(self, reason: Reason, **metadata: object) -> None:
        self.reason: Final = reason
        self.metadata: Final = {key: _short(str(value)) for key, value in metadata.items()}
        super().__init__(reason.value.format(**self.metadata))


class IllegalMoveError(Exception):
    """A move that the rules forbid now.

    Args:
        rule: the violated rule's short name, such as "SPACE_OCCUPIED".
        problem: what was wrong and what was expected, in terms that the mover may know.
    """

    def __init__(self, rule: str, problem: str) -> None:
        self.rule: Final = rule
        self.problem: Final = problem
        super().__init__(f"{problem} ({rule})")


class MalformedMoveError(ValueError):
    """A choice that is no move of the ruleset in any position; the text says why."""


class InvalidOptionError(ValueError):
    """An option with a wrong value."""

    def __init__(self, option: str, problem: str) -> None:
        self.option: Final = option
        self.problem: Final = problem
        super().__init__(f"{option} {problem}")


class ComponentsError(ValueError):
    """Component data that cannot be played with.

    Args:
        faults: every fault found, in words.
    """

    def __init__(self, source: str, faults: list[str]) -> None:
        self.faults: Final = tuple(faults)
        super().__init__(f"{source}: " + "; ".join(faults))
