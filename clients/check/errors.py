"""Requests that are wrong by themselves: each is refused with the reason, code and details that are documented."""

import random
from collections.abc import Iterator
from typing import Any, Final

from google.protobuf.message import Message

from artreferee.v1 import match_pb2, ruleset_pb2, service_pb2
from clients.check import calls
from clients.check.calls import WITH_PRINCIPAL, Caller, Method
from clients.check.checks import CheckFailedError, check, expect
from clients.check.reasons import DOCUMENTED, refused
from clients.check.subject import Subject, creation_of
from clients.sdk import Principal

ABSENT: Final = "a" * 26  # the id of a match that is not there
_UNKNOWN_FIELD: Final = b"\xba\x3e\x01x"  # number 999, a byte string
_UNKNOWN_NUMBER: Final = 999
_MALFORMED: Final = (b"\xff\xff", b"\x0a\x05ab", b"\x0a\x02\xff\xfe")  # no wire type, cut short, no UTF-8
_SIZES: Final = (128 * 1024, 1_000_000, 3_900_000)  # gRPC itself takes 4 MiB
_RANDOM_REQUESTS: Final = 30
_BAD_REQUEST_IDS: Final = ("", "a" * 65, "two words", "ümlaut", "line\n", "a/b")
_BAD_MATCH_IDS: Final = ("", "abc", "A" * 26, "a" * 27, "a" * 25 + "1")
_BAD_PAGE_TOKENS: Final = ("x", "!!!!", "é", "AAAA", "A" * 2000)


@check
async def a_principal_is_missing(subject: Subject) -> None:
    """Every call but ListRulesets is refused with PRINCIPAL_MISSING when it carries no principal."""
    for method in WITH_PRINCIPAL:
        refused(f"{method.name} without a principal", await subject.nobody().attempt(method, b""), "PRINCIPAL_MISSING")


@check
async def a_principal_is_malformed(subject: Subject) -> None:
    """Whatever is not "Bearer " and 43 characters of base64url is refused with PRINCIPAL_MALFORMED."""
    token = Principal.new().token
    for value in ("", token, "Bearer", f"Basic {token}", f"bearer {token}", f"Bearer {token}A", f"Bearer {token[:-1]}"):
        caller = subject.nobody((("authorization", value),))
        for method in (calls.LIST_MATCHES, calls.WATCH_MATCH):
            what = f"{method.name} with a principal of {len(value)} characters"
            refused(what, await caller.attempt(method, b""), "PRINCIPAL_MALFORMED")


@check
async def bytes_that_are_no_message(subject: Subject) -> None:
    """Bytes that are no message of the expected type are refused with MALFORMED_REQUEST."""
    caller = subject.caller()
    for method in WITH_PRINCIPAL:
        for raw in _MALFORMED:
            if method == calls.LIST_MATCHES and raw == _MALFORMED[-1]:
                continue  # which has no text in its first field
            reply = await caller.attempt(method, raw)
            refused(f"{method.name} with the bytes {raw.hex()}", reply, "MALFORMED_REQUEST", type=method.request_type)


@check
async def requests_that_are_too_large(subject: Subject) -> None:
    """A request above the service's limit is refused with REQUEST_TOO_LARGE, which tells size and limit."""
    host = subject.caller()
    for size in _SIZES:
        reply = await host.call(calls.CREATE_MATCH, _padded(size))
        if reply.refusal.reason == "INVALID_FIELD":
            continue
        refused(f"CreateMatch of {size} bytes", reply, "REQUEST_TOO_LARGE", size=size)
        limit = int(reply.refusal.metadata["limit"])
        expect(0 < limit < size, f"CreateMatch of {size} bytes is above a limit of {limit}, expected a smaller one")
        at_limit = await host.call(calls.CREATE_MATCH, _padded(limit))
        refused(f"CreateMatch of just the limit of {limit} bytes", at_limit, "INVALID_FIELD", field="deal_group")
        return
    raise CheckFailedError(f"CreateMatch of {_SIZES[-1]} bytes is not too large, expected REQUEST_TOO_LARGE")


def _padded(size: int) -> service_pb2.CreateMatchRequest:
    request = service_pb2.CreateMatchRequest(request_id="r", deal_group="d" * size)
    request.deal_group = "d" * (2 * size - request.ByteSize())
    return request


@check
async def unknown_fields(subject: Subject) -> None:
    """A field that the contract does not know is refused with UNKNOWN_FIELD by every call, also inside a message."""
    caller = subject.caller()
    for method in (calls.LIST_RULESETS, *WITH_PRINCIPAL):
        reply = await caller.attempt(method, _UNKNOWN_FIELD)
        refused(f"{method.name} with field {_UNKNOWN_NUMBER}", reply, "UNKNOWN_FIELD", number=_UNKNOWN_NUMBER)
    for method, field, number in (
        (calls.CREATE_MATCH, "options", 3),
        (calls.CREATE_MATCH, "seats[0]", 4),
        (calls.JOIN_MATCH, "entrant", 5),
        (calls.SUBMIT_MOVE, "moves[0]", 5),
    ):
        raw = bytes((number << 3 | 2, len(_UNKNOWN_FIELD))) + _UNKNOWN_FIELD
        what = f"{method.name} with field {_UNKNOWN_NUMBER} in {field}"
        refused(what, await caller.call(method, raw), "UNKNOWN_FIELD", field=field, number=_UNKNOWN_NUMBER)


@check
async def request_ids(subject: Subject) -> None:
    """A request id that is not 1 to 64 characters A-Z a-z 0-9 . _ - is refused with INVALID_FIELD by every call."""
    for request_id in _BAD_REQUEST_IDS:
        for method, request in _identified(request_id):
            reply = await subject.caller().call(method, request)
            refused(f"{method.name} with request id {request_id!r}", reply, "INVALID_FIELD", field="request_id")
    for request_id in ("a", "Z" * 64, "0.9_-"):
        request = creation_of(subject.simplest(), subject.simplest().min_seats, request_id=request_id)
        await subject.caller().ask(calls.CREATE_MATCH, request)


def _identified(request_id: str) -> Iterator[tuple[Method[Any], Message]]:
    yield calls.CREATE_MATCH, service_pb2.CreateMatchRequest(request_id=request_id, ruleset="x")
    yield calls.JOIN_MATCH, service_pb2.JoinMatchRequest(request_id=request_id, match_id=ABSENT)
    move = [match_pb2.MoveChoice(id=0)]
    yield calls.SUBMIT_MOVE, service_pb2.SubmitMoveRequest(request_id=request_id, match_id=ABSENT, moves=move)
    yield calls.RESIGN, service_pb2.ResignRequest(request_id=request_id, match_id=ABSENT)
    yield calls.RELEASE_RECORDS, service_pb2.ReleaseRecordsRequest(request_id=request_id, match_ids=[ABSENT])


@check
async def match_ids(subject: Subject) -> None:
    """What cannot be a match id is refused with INVALID_FIELD, one that nobody made with MATCH_NOT_FOUND."""
    caller = subject.caller()
    for match_id in _BAD_MATCH_IDS:
        for method, request in _aimed(match_id):
            reply = await caller.attempt(method, request)
            refused(f"{method.name} with match id {match_id!r}", reply, "INVALID_FIELD", field="match_id")
    for method, request in _aimed(ABSENT):
        reply = await caller.attempt(method, request)
        refused(f"{method.name} of a match that is not there", reply, "MATCH_NOT_FOUND", match_id=ABSENT)


def _aimed(match_id: str) -> Iterator[tuple[Method[Any], Message]]:
    yield calls.JOIN_MATCH, service_pb2.JoinMatchRequest(request_id="r", match_id=match_id)
    yield calls.GET_MATCH, service_pb2.GetMatchRequest(match_id=match_id)
    yield calls.WATCH_MATCH, service_pb2.WatchMatchRequest(match_id=match_id)
    yield calls.GET_RECORD, service_pb2.GetRecordRequest(match_id=match_id)


@check
async def rulesets_and_seat_counts(subject: Subject) -> None:
    """CreateMatch is refused with UNKNOWN_RULESET, which tells the known ones, or with SEAT_COUNT and the range."""
    host, known = subject.caller(), ", ".join(ruleset.name for ruleset in subject.rulesets)
    for name in ("", "no such ruleset"):
        request = service_pb2.CreateMatchRequest(request_id="r", ruleset=name)
        reply = await host.call(calls.CREATE_MATCH, request)
        refused(f"CreateMatch of the ruleset {name!r}", reply, "UNKNOWN_RULESET", ruleset=name, known=known)
    for ruleset in subject.rulesets:
        for seats in (ruleset.min_seats - 1, ruleset.max_seats + 1):
            reply = await host.call(calls.CREATE_MATCH, creation_of(ruleset, seats))
            least, most = ruleset.min_seats, ruleset.max_seats
            what = f"CreateMatch of {ruleset.name} with {seats} seats"
            refused(what, reply, "SEAT_COUNT", ruleset=ruleset.name, seats=seats, min_seats=least, max_seats=most)


@check
async def options(subject: Subject) -> None:
    """CreateMatch is refused with INVALID_OPTION for an option out of its range, or options of another ruleset."""
    host = subject.caller()
    for ruleset in subject.rulesets:
        own = ruleset_pb2.Options.DESCRIPTOR.fields_by_name.get(ruleset.name)
        if own is None:
            continue
        wrong = creation_of(ruleset, ruleset.min_seats, options=None)
        getattr(wrong.options, ruleset.name).start_seat = ruleset.max_seats
        reply = await host.call(calls.CREATE_MATCH, wrong)
        refused(
            f"CreateMatch of {ruleset.name} with a start_seat too high", reply, "INVALID_OPTION", option="start_seat"
        )
        other = creation_of(ruleset, ruleset.min_seats, options=None)
        other.options.plugin.type_url = "example.org/other.Options"
        reply = await host.call(calls.CREATE_MATCH, other)
        refused(f"CreateMatch of {ruleset.name} with options of another ruleset", reply, "INVALID_OPTION")


@check
async def fields_of_a_creation(subject: Subject) -> None:
    """CreateMatch is refused with INVALID_FIELD, which names the field, for each value that the contract excludes."""
    host, ruleset = subject.caller(), subject.simplest()
    for field, changes, seat in (
        ("seed", {"seed": bytes(31)}, {}),
        ("seed", {"seed": bytes(33)}, {}),
        ("disclosure", {"disclosure": 9}, {}),
        ("deal_group", {"deal_group": "d" * 129}, {}),
        ("seats[0].principal_hash", {}, {"principal_hash": bytes(31)}),
        ("seats[0].display_name", {}, {"display_name": "x" * 33}),
        ("seats[0].display_name", {}, {"display_name": "a\tb"}),
        ("seats[0].display_name", {}, {"display_name": "\u202egnol"}),
        ("seats[0].display_name", {}, {"display_name": "e\u0301"}),
        ("seats[0].entrant.name", {}, {"entrant": match_pb2.Entrant(version="1")}),
        ("seats[0].entrant.name", {}, {"entrant": match_pb2.Entrant(name="n" * 65)}),
        ("seats[0].entrant.version", {}, {"entrant": match_pb2.Entrant(name="n", version="v" * 33)}),
    ):
        request = creation_of(ruleset, ruleset.min_seats, **changes)
        request.seats[0].MergeFrom(service_pb2.SeatRequest(**seat))
        reply = await host.call(calls.CREATE_MATCH, request)
        refused(f"CreateMatch with a wrong {field}", reply, "INVALID_FIELD", field=field)


@check
async def fields_of_other_calls(subject: Subject) -> None:
    """INVALID_FIELD names a wrong detail, number of moves or matches, page_size or status; page tokens are checked."""
    caller, move = subject.caller(), match_pb2.MoveChoice(id=0)
    wrong: Any = 9
    submit: dict[str, Any] = {"request_id": "r", "match_id": ABSENT}
    for field, method, request in (
        ("detail", calls.GET_MATCH, service_pb2.GetMatchRequest(match_id=ABSENT, detail=wrong)),
        ("detail", calls.WATCH_MATCH, service_pb2.WatchMatchRequest(match_id=ABSENT, detail=wrong)),
        ("detail", calls.SUBMIT_MOVE, service_pb2.SubmitMoveRequest(**submit, moves=[move], detail=wrong)),
        ("moves", calls.SUBMIT_MOVE, service_pb2.SubmitMoveRequest(**submit)),
        ("moves", calls.SUBMIT_MOVE, service_pb2.SubmitMoveRequest(**submit, moves=[move] * 17)),
        ("match_ids", calls.RELEASE_RECORDS, service_pb2.ReleaseRecordsRequest(request_id="r")),
        (
            "match_ids",
            calls.RELEASE_RECORDS,
            service_pb2.ReleaseRecordsRequest(request_id="r", match_ids=[ABSENT] * 101),
        ),
        ("page_size", calls.LIST_MATCHES, service_pb2.ListMatchesRequest(page_size=101)),
        ("status", calls.LIST_MATCHES, service_pb2.ListMatchesRequest(status=wrong)),
    ):
        await _require_invalid(caller, method, request, field)
    for token in _BAD_PAGE_TOKENS:
        reply = await caller.call(calls.LIST_MATCHES, service_pb2.ListMatchesRequest(page_token=token))
        refused(f"ListMatches with the page token {token[:8]!r}", reply, "INVALID_PAGE_TOKEN")


async def _require_invalid(caller: Caller, method: Method[Any], request: Message, field: str) -> None:
    reply = await caller.attempt(method, request)
    refused(f"{method.name} with a wrong {field}", reply, "INVALID_FIELD", field=field)


@check
async def errors_never_look_like_faults(subject: Subject) -> None:
    """Random bytes are answered, or refused with a documented reason and its code, never with INTERNAL or UNKNOWN."""
    caller, rng = subject.caller(), random.Random(1)
    for _ in range(_RANDOM_REQUESTS):
        raw = rng.randbytes(rng.randrange(1, 40))
        for method in WITH_PRINCIPAL:
            reply = await caller.attempt(method, raw)
            what = f"{method.name} with the bytes {raw.hex()}"
            if reply.answer is None:
                expect(reply.refusal.reason in DOCUMENTED, f"{what} is answered with {reply.told}, expected a reason")
                refused(what, reply, reply.refusal.reason)
