"""Refusals of requests that are wrong by themselves, and the table of reasons: by the contract, to the letter."""

from base64 import b64encode, urlsafe_b64encode
from string import Formatter
from typing import Any, Final
from urllib.parse import quote

import grpc
import pytest
from google.protobuf.message import Message

from artreferee.v1 import error_pb2, service_pb2
from referee.api.errors import CODES, RETRIABLE
from referee.core.errors import Reason
from referee.games import registry
from tests.api.calls import (
    ABSENT,
    aimed,
    create,
    entered,
    hashed,
    identified,
    named,
    optioned,
    sized,
    with_plugin_options,
)
from tests.api.contract import PREFIX, documented_reasons, errors_of_calls
from tests.api.faults import assert_refused, by_id, submission
from tests.api.harness import HOST, METHODS, Referee, Reply

SMALLEST_LIMIT: Final = 8 * 1024  # of a trailer, in gRPC's libraries


def test_reasons_are_those_of_the_contract() -> None:
    unspecified, *values = error_pb2.DESCRIPTOR.enum_types_by_name["ErrorReason"].values
    in_contract = [value.name.removeprefix(PREFIX) for value in values]
    assert unspecified.name == f"{PREFIX}UNSPECIFIED"
    assert [reason.name for reason in Reason] == in_contract
    assert list(documented_reasons()) == in_contract


@pytest.mark.parametrize("reason", Reason, ids=lambda reason: reason.name)
def test_code_and_metadata_are_those_of_the_contract(reason: Reason) -> None:
    """The comment of each reason names its code, what its text is made of, and whether the call may be repeated."""
    said = documented_reasons()[reason.name]
    keys = {key for _, key, _, _ in Formatter().parse(reason.value) if key is not None}
    assert grpc.StatusCode[said.code].value[0] == CODES[reason]
    assert keys == said.metadata
    assert (reason in RETRIABLE) == said.with_retry_info


def test_the_contract_names_only_reasons_that_there_are_for_each_call() -> None:
    errors = errors_of_calls()
    assert errors.keys() == METHODS.keys()
    other_words = {"AT_END", "DISCLOSURE_ON_RELEASE"}
    for reasons in errors.values():
        assert reasons - other_words <= documented_reasons().keys()


@pytest.mark.parametrize("request_id", ["", "a" * 65, "two words", "ümlaut", "line\n", "a/b", "\0"])
async def test_a_bad_request_id_is_refused_by_every_call(shared: Referee, request_id: str) -> None:
    for method, request in identified(request_id):
        assert_refused(await shared.caller(HOST).call(method, request), "INVALID_FIELD", field="request_id")


@pytest.mark.parametrize("request_id", ["a", "Z" * 64, "0.9_-", "-"])
async def test_a_good_request_id_is_taken(shared: Referee, request_id: str) -> None:
    reply = await shared.caller(HOST).call("CreateMatch", create(request_id=request_id))
    assert reply.reason == "OK"


@pytest.mark.parametrize("match_id", ["", "abc", "A" * 26, "a" * 27, "a" * 25 + "1", "a" * 25 + "é", "a" * 25 + "\n"])
async def test_a_bad_match_id_is_refused_by_every_call(shared: Referee, match_id: str) -> None:
    for method, request in aimed(match_id):
        field = "match_ids[1]" if method == "ReleaseRecords" else "match_id"
        assert_refused(await shared.caller(HOST).call(method, request), "INVALID_FIELD", field=field)


UNTAKEN_SEATS: Final = [(sized(0), 0), (sized(1), 1), (sized(6), 6)]


@pytest.mark.parametrize(("request_", "seats"), UNTAKEN_SEATS, ids=["none", "one", "six"])
async def test_a_number_of_seats_that_the_ruleset_is_not_for(shared: Referee, request_: Message, seats: int) -> None:
    reply = await shared.caller(HOST).call("CreateMatch", request_)
    assert_refused(reply, "SEAT_COUNT", ruleset="classic_art", seats=seats, min_seats=2, max_seats=5)


@pytest.mark.parametrize("ruleset", ["", "chess", "Classic_Art", "classic_art ", "'{x}'"])
async def test_an_unknown_ruleset(shared: Referee, ruleset: str) -> None:
    request = create()
    request.ruleset = ruleset
    reply = await shared.caller(HOST).call("CreateMatch", request)
    assert_refused(reply, "UNKNOWN_RULESET", ruleset=ruleset, known=", ".join(sorted(registry())))


@pytest.mark.parametrize(
    ("request_", "option"),
    [
        (optioned(max_seasons=0), "max_seasons"),
        (optioned(max_seasons=1001), "max_seasons"),
        (optioned(max_seasons=2**32 - 1), "max_seasons"),
        (optioned(start_seat=2), "start_seat"),
        (optioned(max_seasons=5, start_seat=2**32 - 1), "start_seat"),
        (with_plugin_options(), "options"),
    ],
)
async def test_an_option_out_of_range_or_of_another_ruleset(shared: Referee, request_: Message, option: str) -> None:
    assert_refused(await shared.caller(HOST).call("CreateMatch", request_), "INVALID_OPTION", option=option)


@pytest.mark.parametrize(
    ("request_", "field"),
    [
        (sized(17), "seats"),
        (create(seed=b""), "seed"),
        (create(seed=bytes(31)), "seed"),
        (create(seed=bytes(33)), "seed"),
        (create(disclosure=3), "disclosure"),
        (create(disclosure=-1), "disclosure"),
        (create(deal_group="d" * 129), "deal_group"),
        (create(deal_group="a\nb"), "deal_group"),
        (hashed(0), "seats[1].principal_hash"),
        (hashed(31), "seats[1].principal_hash"),
        (hashed(33), "seats[1].principal_hash"),
        (named("x" * 33), "seats[1].display_name"),
        (named("a\tb"), "seats[1].display_name"),
        (named("\x7f"), "seats[1].display_name"),
        (named("line\u2028line"), "seats[1].display_name"),
        (named("\u202egnol"), "seats[1].display_name"),
        (named("a\u200fb"), "seats[1].display_name"),
        (named("a\u2066b"), "seats[1].display_name"),
        (named("e\u0301"), "seats[1].display_name"),
        (named("   "), "seats[1].display_name"),
        (entered("n" * 65, ""), "seats[1].entrant.name"),
        (entered("a\x00", ""), "seats[1].entrant.name"),
        (entered("", "1.0"), "seats[1].entrant.name"),
        (entered("n", "v" * 33), "seats[1].entrant.version"),
        (entered("n", "\u202e"), "seats[1].entrant.version"),
    ],
)
async def test_a_field_of_a_creation_with_a_wrong_value(shared: Referee, request_: Message, field: str) -> None:
    assert_refused(await shared.caller(HOST).call("CreateMatch", request_), "INVALID_FIELD", field=field)


@pytest.mark.parametrize("display_name", ["x" * 32, "Zoë", "名無し", "אבג", "a b", "🂡"])
async def test_names_in_any_script_are_taken(shared: Referee, display_name: str) -> None:
    request = named(display_name)
    request.request_id = urlsafe_b64encode(display_name.encode()).decode().rstrip("=")
    host = shared.caller(HOST)
    match_id = (await host.ask("CreateMatch", request)).match_id
    match = (await host.ask("GetMatch", service_pb2.GetMatchRequest(match_id=match_id))).match
    assert match.seats[1].display_name == display_name


def page_token(text: str) -> str:
    return urlsafe_b64encode(text.encode()).decode()


@pytest.mark.parametrize(
    "token",
    [
        "x",
        "!!!!",
        "é",
        "AAAA",
        page_token("0 5"),
        page_token("0 5 abc"),
        page_token(f"300 5 {ABSENT}"),
        page_token(f"-1 5 {ABSENT}"),
        page_token(f"00 5 {ABSENT}"),
        page_token(f"0 5 {ABSENT}") + "====",
        "A" * 10_000,
    ],
)
async def test_a_page_token_that_is_none(shared: Referee, token: str) -> None:
    request = service_pb2.ListMatchesRequest(page_token=token)
    assert_refused(await shared.caller(HOST).call("ListMatches", request), "INVALID_PAGE_TOKEN")


@pytest.mark.parametrize("text", [f"255 5 {ABSENT}", f"0 -5 {ABSENT}", f"0 {2**64} {ABSENT}"])
async def test_a_page_token_that_names_no_possible_place(shared: Referee, text: str) -> None:
    """Not the bucket of the id, or a time that no store's clock shows: this service made no such token."""
    request = service_pb2.ListMatchesRequest(page_token=page_token(text))
    assert_refused(await shared.caller(HOST).call("ListMatches", request), "INVALID_PAGE_TOKEN")


@pytest.mark.parametrize(
    ("request_", "field"),
    [
        (service_pb2.ListMatchesRequest(page_size=101), "page_size"),
        (service_pb2.ListMatchesRequest(page_size=2**32 - 1), "page_size"),
        (service_pb2.ListMatchesRequest(status=99), "status"),  # type: ignore[arg-type]
        (service_pb2.ListMatchesRequest(status=-1), "status"),  # type: ignore[arg-type]
    ],
)
async def test_a_field_of_a_listing_with_a_wrong_value(shared: Referee, request_: Message, field: str) -> None:
    assert_refused(await shared.caller(HOST).call("ListMatches", request_), "INVALID_FIELD", field=field)


@pytest.mark.parametrize("detail", [4, 99, -1])
async def test_a_detail_that_there_is_not(shared: Referee, detail: Any) -> None:
    for method, request in (
        ("GetMatch", service_pb2.GetMatchRequest(match_id=ABSENT, detail=detail)),
        ("WatchMatch", service_pb2.WatchMatchRequest(match_id=ABSENT, detail=detail)),
        ("SubmitMove", service_pb2.SubmitMoveRequest(match_id=ABSENT, request_id="r", detail=detail)),
    ):
        assert_refused(await shared.caller(HOST).call(method, request), "INVALID_FIELD", field="detail")


@pytest.mark.parametrize("number", [0, 17])
async def test_a_call_with_no_or_with_too_many_moves(shared: Referee, number: int) -> None:
    reply = await shared.caller(HOST).call("SubmitMove", submission(ABSENT, [by_id(0)] * number))
    assert_refused(reply, "INVALID_FIELD", field="moves")


@pytest.mark.parametrize("number", [0, 101])
async def test_a_release_of_no_or_of_too_many_records(shared: Referee, number: int) -> None:
    request = service_pb2.ReleaseRecordsRequest(request_id="r", match_ids=[ABSENT] * number)
    assert_refused(await shared.caller(HOST).call("ReleaseRecords", request), "INVALID_FIELD", field="match_ids")


@pytest.mark.parametrize("length", [200, 3_000, 20_000, 60_000])
@pytest.mark.parametrize("letter", ["a", "ä", "🂡", "\U000e0001"])
async def test_a_long_value_is_refused_with_its_reason(shared: Referee, letter: str, length: int) -> None:
    """An error stays small enough to reach its caller, however long the value that it speaks of."""
    host, text = shared.caller(HOST), letter * (length // len(letter.encode()))
    request = create()
    request.ruleset = text
    known = ", ".join(sorted(registry()))
    reply = await host.call("CreateMatch", request)
    assert (reply.code, reply.reason) == (grpc.StatusCode.INVALID_ARGUMENT, "UNKNOWN_RULESET")
    assert reply.info.metadata["known"] == known
    assert trailer_size(reply) < SMALLEST_LIMIT
    for method, refused in (*identified(text), *aimed(text)):
        reply = await host.call(method, refused)
        assert (reply.code, reply.reason) == (grpc.StatusCode.INVALID_ARGUMENT, "INVALID_FIELD"), method
        assert trailer_size(reply) < SMALLEST_LIMIT, method


def trailer_size(reply: Reply) -> int:
    """The bytes of the trailer, by the rules of gRPC over HTTP/2: text percent-encoded, binary values as base64."""
    text = quote(reply.text, safe=" " + "".join(map(chr, range(33, 127))).replace("%", ""))
    pairs = [("grpc-status", "16"), ("grpc-message", text)]
    for key, value in reply.trailing:
        pairs.append((key, b64encode(value).decode() if isinstance(value, bytes) else value))
    return sum(len(key) + len(value) + 32 for key, value in pairs)
