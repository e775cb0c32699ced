"""Requests of every call that a client with a fault might send, and what may be answered to them."""

import random
from collections import Counter
from collections.abc import Awaitable, Callable, Iterator, Sequence
from typing import Any, Final

import grpc
from google.protobuf.descriptor import FieldDescriptor
from google.protobuf.message import Message
from google.rpc import code_pb2

from artreferee.v1 import error_pb2, match_pb2, service_pb2
from tests.api.calls import ABSENT, create
from tests.api.faults import DOCUMENTED, by_id, place, play, submission
from tests.api.harness import METHODS, Caller, Reply
from tests.games.classic_art.moves import PASS

FRESH: Final = 50
"""So many requests go to the same matches."""
TEXTS: Final = (
    "",
    "a",
    ABSENT,
    "classic_art",
    "\0",
    "\u202e",
    "e\u0301",
    "é" * 40,
    "a" * 700,
    "{0}",
    "%s",
    "\U0010ffff",
)
SHARES: Final = (0.05, 0.2, 0.4)
NUMBERS: Final = (0, 1, 2, 5, 15, 16, 55, 135, 136, 2**31 - 1, 2**32 - 1)
EXPECTED: Final = frozenset(
    {
        grpc.StatusCode.OK,
        grpc.StatusCode.INVALID_ARGUMENT,
        grpc.StatusCode.PERMISSION_DENIED,
        grpc.StatusCode.NOT_FOUND,
        grpc.StatusCode.FAILED_PRECONDITION,
        grpc.StatusCode.ABORTED,
    }
)

Answered = Counter[tuple[str, str]]
"""How often there was which answer, by call and reason."""
Fresh = Callable[[str], Awaitable[tuple[Caller, list[tuple[str, Message]]]]]
"""Makes matches with a name of their own; returns a player of them and good requests, from which others are made."""


def good_requests(match_id: str, open_id: str, ending_id: str) -> list[tuple[str, Message]]:
    """A request or two of every call, from which others are made, to matches that are theirs."""
    creation = create(request_id="fuzz", seed=bytes(32), deal_group="g")
    creation.options.classic_art.max_seasons = 2
    creation.seats[0].entrant.name = "bot"
    creation.seats[1].display_name = "Zoë"
    creation.seats[1].principal_hash = bytes(32)
    return [
        ("ListRulesets", service_pb2.ListRulesetsRequest()),
        ("CreateMatch", creation),
        ("JoinMatch", service_pb2.JoinMatchRequest(request_id="j", match_id=open_id, seat=1, display_name="n")),
        ("GetMatch", service_pb2.GetMatchRequest(match_id=match_id, seat=0, detail=match_pb2.DETAIL_FULL)),
        ("ListMatches", service_pb2.ListMatchesRequest(ruleset="classic_art", mine=True, page_size=3)),
        ("SubmitMove", submission(match_id, [by_id(PASS)], "s")),
        ("SubmitMove", submission(match_id, [play(1, 2), place(1, 1, 2), match_pb2.MoveChoice(index=3)], "t")),
        ("Resign", service_pb2.ResignRequest(request_id="r", match_id=ending_id, seat=0)),
        ("WatchMatch", service_pb2.WatchMatchRequest(match_id=match_id, seat=0, detail=match_pb2.DETAIL_IDS)),
        ("Play", conversation(match_id, ending_id)),
        ("GetRecord", service_pb2.GetRecordRequest(match_id=ending_id)),
        ("ReleaseRecords", service_pb2.ReleaseRecordsRequest(request_id="r", match_ids=[match_id, ABSENT])),
    ]


def conversation(match_id: str, ending_id: str) -> service_pb2.PlayRequest:
    """The first request of a stream, with moves of two matches."""
    return service_pb2.PlayRequest(
        detail=match_pb2.DETAIL_IDS,
        unfinished_match_ids=[match_id, ABSENT],
        moves=[
            service_pb2.PlayMove(match_id=match_id, request_id="p", seat=0, moves=[by_id(PASS)]),
            service_pb2.PlayMove(match_id=ending_id, request_id="p", moves=[play(1, 2), place(1, 1, 2)]),
            service_pb2.PlayMove(match_id=match_id, request_id="q", decision_number=1, moves=[by_id(PASS)]),
        ],
    )


def mutated(raw: bytes, rng: random.Random) -> bytes:
    """The bytes of a request with a few random faults."""
    bytes_ = bytearray(raw)
    for _ in range(rng.randint(1, 3)):
        place_ = rng.randrange(len(bytes_) + 1)
        match rng.randrange(5):
            case 0:
                del bytes_[place_:]
            case 1:
                bytes_[place_:place_] = rng.randbytes(rng.randint(1, 4))
            case 2:
                del bytes_[place_ : place_ + rng.randint(1, 4)]
            case 3 if place_ < len(bytes_):
                bytes_[place_] ^= 1 << rng.randrange(8)
            case _:
                bytes_ += bytes_[place_ : place_ + rng.randint(1, 20)]
    return bytes(bytes_)


def filled(message: Message, rng: random.Random, share: float) -> Message:
    """The message with a share of its fields set to values of their types that are at the edge or beyond."""
    for field in message.DESCRIPTOR.fields:
        if rng.random() > share:
            continue
        if not field.is_repeated:
            _set(message, field, rng, share)
            continue
        values = getattr(message, field.name)
        for _ in range(rng.choice([0, 1, 2, 17])):
            if field.message_type is None:
                values.append(_value(field, rng))
            else:
                filled(values.add(), rng, share)
    return message


def _set(message: Message, field: Any, rng: random.Random, share: float) -> None:
    if field.message_type is None:
        setattr(message, field.name, _value(field, rng))
    else:
        inner = getattr(message, field.name)
        inner.SetInParent()
        filled(inner, rng, share)


def _value(field: Any, rng: random.Random) -> Any:
    match field.cpp_type:
        case FieldDescriptor.CPPTYPE_STRING if field.type == FieldDescriptor.TYPE_BYTES:
            return rng.randbytes(rng.choice([0, 1, 31, 32, 33]))
        case FieldDescriptor.CPPTYPE_STRING:
            return rng.choice(TEXTS)
        case FieldDescriptor.CPPTYPE_BOOL:
            return rng.random() < 0.5
        case FieldDescriptor.CPPTYPE_ENUM:
            return rng.choice([-1, 0, 1, 2, 3, 9, 99])
        case _:
            return rng.choice(NUMBERS)


def requests(good: Sequence[tuple[str, Message]], count: int, rng: random.Random) -> Iterator[tuple[str, bytes]]:
    """Noise, good requests with faults, and well-formed ones with odd values."""
    for _ in range(count):
        method, request = rng.choice(good)
        match rng.randrange(5):
            case 0:
                yield method, rng.randbytes(rng.choice([0, 1, 2, 5, 20, 200]))
            case 1 | 2:
                yield method, mutated(request.SerializeToString(), rng)
            case _:
                changed = type(request)()
                changed.CopyFrom(request)
                yield method, filled(changed, rng, rng.choice(SHARES)).SerializeToString()


async def fuzz(fresh: Fresh, name: str, count: int, answered: Answered) -> None:
    """Sends requests one after another, all of whose answers must be of the contract, and counts these."""
    rng = random.Random(name)
    for start in range(0, count, FRESH):
        caller, good = await fresh(f"{name} {start}")
        for method, raw in requests(good, FRESH, rng):
            reply = await answer_to(caller, method, raw)
            if reply is None:
                answered[method, "OK"] += 1
                continue
            assert reply.code in EXPECTED, (method, raw, reply)
            assert reply.reason == "OK" or reply.code.name == DOCUMENTED[reply.reason].code, (method, raw, reply)
            answered[method, reply.reason] += 1
            if method == "Play":
                answered.update(("a move", outcome) for outcome in outcomes_in(reply))


def assert_various(answered: Answered) -> None:
    """Requires that every call was also answered well, and that answers were of many kinds."""
    assert {method for method, reason in answered if reason == "OK"} >= METHODS.keys() | {"a move"}
    assert len(answered) > 60


async def answer_to(caller: Caller, method: str, raw: bytes) -> Reply | None:
    """The answer; None if a stream begins well."""
    if method != "WatchMatch":
        return await caller.call(method, raw)
    stream = caller.watch(raw)
    try:
        return None if await stream.begins() else await stream.rest()
    finally:
        stream.cancel()


def outcomes_in(reply: Reply) -> Iterator[str]:
    """What became of the moves of a stream: the reasons, whose codes must be those of the contract, or OK."""
    for raw in reply.messages:
        for outcome in service_pb2.PlayResponse.FromString(raw).outcomes:
            if outcome.HasField("accepted"):
                yield "OK"
                continue
            reason = error_pb2.ErrorReason.Name(outcome.refused.reason).removeprefix("ERROR_REASON_")
            code = code_pb2.Code.Name(outcome.refused.code)
            assert code == DOCUMENTED[reason].code, outcome
            assert {pair.key for pair in outcome.refused.metadata} == DOCUMENTED[reason].metadata, outcome
            assert code in {expected.name for expected in EXPECTED}, outcome
            yield reason
