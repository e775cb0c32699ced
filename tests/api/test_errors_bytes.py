"""Bytes that are no request: refused with words, and never a fault of the service."""

from typing import Final

import grpc
import pytest

from artreferee.v1 import service_pb2
from tests.api.calls import create
from tests.api.faults import assert_refused
from tests.api.harness import HOST, METHODS, Referee

LIMIT: Final = 64 * 1024


@pytest.mark.parametrize("raw", [b"\xff\xff", b"\x0a\x05ab", b"\x0a", b"\x0a\x02\xff\xfe", b"\x00"])
async def test_bytes_that_are_no_message(shared: Referee, raw: bytes) -> None:
    """Cut short, of no wire type, or text that is not UTF-8."""
    for method in METHODS.keys() - {"ListRulesets", "ListMatches", "Play"}:
        expected = METHODS[method].input_type.full_name
        assert_refused(await shared.caller(HOST).call(method, raw), "MALFORMED_REQUEST", type=expected)


@pytest.mark.parametrize("raw", [b"\xff\xff", b"\x12\x05ab", b"\x12", b"\x12\x02\xff\xfe", b"\x00"])
async def test_bytes_that_are_no_message_end_a_conversation(shared: Referee, raw: bytes) -> None:
    reply = await shared.caller(HOST).call("Play", raw)
    assert_refused(reply, "MALFORMED_REQUEST", type="artreferee.v1.PlayRequest")


async def test_bytes_that_are_no_message_of_the_simplest_call(shared: Referee) -> None:
    reply = await shared.caller(None).call("ListRulesets", b"\x0a\x05ab")
    assert_refused(reply, "MALFORMED_REQUEST", type="artreferee.v1.ListRulesetsRequest")


def within(*tags: int, raw: bytes) -> bytes:
    """Wraps a message into fields, the outermost first."""
    for tag in reversed(tags):
        raw = bytes((tag << 3 | 2, len(raw))) + raw
    return raw


UNKNOWN: Final = b"\xba\x3e\x01x"  # field 999, a byte string
UNKNOWN_NUMBER: Final = b"\xb8\x3e\x01"  # field 999, a number


@pytest.mark.parametrize("raw", [UNKNOWN, UNKNOWN_NUMBER])
@pytest.mark.parametrize("method", METHODS)
async def test_an_unknown_field_is_refused_by_every_call(shared: Referee, method: str, raw: bytes) -> None:
    reply = await shared.caller(HOST).call(method, raw)
    assert reply.reason == "UNKNOWN_FIELD"
    assert_refused(reply, "UNKNOWN_FIELD", field=reply.info.metadata["field"], number=999)
    assert reply.info.metadata["field"]


@pytest.mark.parametrize(
    ("method", "raw", "field"),
    [
        ("CreateMatch", within(3, raw=UNKNOWN), "options"),
        ("CreateMatch", within(3, 1, raw=UNKNOWN_NUMBER), "options.classic_art"),
        ("CreateMatch", within(4, raw=b"") + within(4, raw=UNKNOWN), "seats[1]"),
        ("CreateMatch", within(4, 3, raw=UNKNOWN), "seats[0].entrant"),
        ("JoinMatch", within(5, raw=UNKNOWN), "entrant"),
        ("SubmitMove", within(5, raw=UNKNOWN_NUMBER), "moves[0]"),
        ("SubmitMove", within(5, 3, raw=UNKNOWN), "moves[0].move"),
        ("SubmitMove", within(5, raw=b"") + within(5, 3, 1, raw=UNKNOWN), "moves[1].move.classic_art"),
        ("SubmitMove", within(5, 3, 1, 1, raw=UNKNOWN), "moves[0].move.classic_art.play_cards"),
        ("SubmitMove", within(5, 3, 1, 3, raw=UNKNOWN), "moves[0].move.classic_art.pass_prediction"),
    ],
)
async def test_an_unknown_field_is_named_with_its_path(shared: Referee, method: str, raw: bytes, field: str) -> None:
    reply = await shared.caller(HOST).call(method, raw)
    assert_refused(reply, "UNKNOWN_FIELD", field=field, number=999)


def padded(size: int) -> service_pb2.CreateMatchRequest:
    """A creation of so many bytes, with a group name that is much too long."""
    request = create(deal_group="d" * size)
    request.deal_group = "d" * (2 * size - request.ByteSize())
    assert request.ByteSize() == size
    return request


async def test_a_request_above_the_limit_is_refused_with_both_sizes(shared: Referee) -> None:
    host = shared.caller(HOST)
    assert_refused(await host.call("CreateMatch", padded(LIMIT)), "INVALID_FIELD", field="deal_group")
    refused = await host.call("CreateMatch", padded(LIMIT + 1))
    assert_refused(refused, "REQUEST_TOO_LARGE", size=LIMIT + 1, limit=LIMIT)
    assert_refused(await host.call("CreateMatch", bytes(500_000)), "REQUEST_TOO_LARGE", size=500_000, limit=LIMIT)


async def test_a_request_above_the_hard_limit_ends_in_the_transport(shared: Referee) -> None:
    """The library itself refuses it, before our code has seen it."""
    reply = await shared.caller(HOST).call("CreateMatch", bytes(8 * 1024 * 1024))
    assert reply.code == grpc.StatusCode.RESOURCE_EXHAUSTED
    assert (await shared.caller(HOST).call("ListMatches", b"")).reason == "OK"
