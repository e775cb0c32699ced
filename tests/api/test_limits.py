"""Every field of a request that may grow has a limit, which the contract names and the service keeps."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

import pytest
from google.protobuf.any_pb2 import Any as AnyMessage
from google.protobuf.descriptor import Descriptor, FieldDescriptor
from google.protobuf.message import Message
from google.protobuf.message_factory import GetMessageClass

from artreferee.v1 import error_pb2, service_pb2
from tests.api.calls import ABSENT, create
from tests.api.contract import comments_of_fields
from tests.api.faults import by_id, submission
from tests.api.harness import METHODS, SEATS, Caller, Referee, planted
from tests.games.classic_art.build import season

COMMENTS: Final = comments_of_fields()
DEEPEST: Final = 8
GROWS: Final = (FieldDescriptor.TYPE_STRING, FieldDescriptor.TYPE_BYTES)
SAME: Final = {"match_id": "Match.match_id", "JoinMatchRequest.display_name": "SeatRequest.display_name"}


@dataclass(frozen=True)
class Growing:
    """A field that may grow.

    Attributes:
        method: the call.
        path: the fields on the way to it, itself the last.
    """

    method: str
    path: tuple[FieldDescriptor, ...]

    @property
    def field(self) -> FieldDescriptor:
        return self.path[-1]

    @property
    def name(self) -> str:
        """Its message and its own name."""
        return f"{self.field.full_name.split('.')[-2]}.{self.field.name}"

    @property
    def most(self) -> int:
        """The limit that the contract names in its comment: the largest number there."""
        comment = COMMENTS[SAME.get(self.field.name, SAME.get(self.name, self.name))]
        found = re.search(r"(?:[Aa]t most|[Ee]xactly|\d+ to) ([\d,]+)|\(?(\d+) (?:bytes|characters)", comment)
        assert found, f"{self.name} may grow without a limit: {comment}"
        return int((found[1] or found[2]).replace(",", ""))

    def __str__(self) -> str:
        return ".".join([self.method, *(field.name for field in self.path)])


def growing(method: str, message: Descriptor, path: tuple[FieldDescriptor, ...] = ()) -> Iterator[Growing]:
    """Every string, byte string, list and message from outside in a message, however deep."""
    assert len(path) < DEEPEST, f"messages in messages without an end: {path[0].name}"
    for field in message.fields:
        inner = (*path, field)
        foreign = field.message_type is not None and field.message_type.file.package != "artreferee.v1"
        if field.type in GROWS or field.is_repeated or foreign:
            yield Growing(method, inner)
        if field.message_type is not None and not foreign:
            yield from growing(method, field.message_type, inner)


FIELDS: Final = [field for name, method in METHODS.items() for field in growing(name, method.input_type)]
every_field = pytest.mark.parametrize("field", FIELDS, ids=str)


def request_of(method: str, match_id: str) -> Message:
    """A request with which nothing is wrong but what a test changes."""
    move = submission(match_id, [])
    requests: Mapping[str, Message] = {
        "CreateMatch": create(),
        "JoinMatch": service_pb2.JoinMatchRequest(request_id="r", match_id=match_id),
        "GetMatch": service_pb2.GetMatchRequest(match_id=match_id),
        "SubmitMove": move,
        "Resign": service_pb2.ResignRequest(request_id="r", match_id=match_id),
        "WatchMatch": service_pb2.WatchMatchRequest(match_id=match_id),
        "GetRecord": service_pb2.GetRecordRequest(match_id=match_id),
        "ReleaseRecords": service_pb2.ReleaseRecordsRequest(request_id="r"),
    }
    return requests.get(method) or getattr(service_pb2, METHODS[method].input_type.name)()


def put(message: Any, path: Sequence[FieldDescriptor], size: int) -> None:
    """Gives the field at the end of a path a size; what is needed on the way to it is made."""
    field, *rest = path
    if field.is_repeated and rest:
        put(getattr(message, field.name).add(), rest, size)
        return
    if rest:
        inner = getattr(message, field.name)
        inner.SetInParent()
        put(inner, rest, size)
        return
    if field.is_repeated:
        del getattr(message, field.name)[:]
        getattr(message, field.name).extend([_item(field) for _ in range(size)])
    elif field.message_type is not None:
        assert field.message_type is AnyMessage.DESCRIPTOR
        getattr(message, field.name).value = bytes(size)
    else:
        setattr(message, field.name, _text(field, size))


def _item(field: FieldDescriptor) -> Any:
    if field.message_type is not None:
        item: Any = GetMessageClass(field.message_type)()
        if field.message_type.name == "PlayMove":
            item.MergeFrom(service_pb2.PlayMove(request_id="r", match_id=ABSENT, moves=[by_id(0)]))
        elif field.message_type.name == "MoveChoice":
            item.MergeFrom(by_id(0))
        return item
    return ABSENT if field.type == FieldDescriptor.TYPE_STRING else 1


def _text(field: FieldDescriptor, size: int) -> str | bytes:
    return bytes(size) if field.type == FieldDescriptor.TYPE_BYTES else "a" * size


async def refusal(caller: Caller, method: str, request: Message) -> tuple[str, dict[str, str]]:
    """Why a call, or a move of a stream, is refused, and what is said of it; OK if it is not."""
    if isinstance(request, service_pb2.PlayRequest) and request.moves:
        stream = caller.play()
        await stream.say(request)
        await stream.end()
        reply = await stream.rest()
        outcomes = [outcome for raw in reply.messages for outcome in service_pb2.PlayResponse.FromString(raw).outcomes]
        for refused in (outcome.refused for outcome in outcomes if outcome.HasField("refused")):
            metadata = {pair.key: pair.value for pair in refused.metadata}
            return error_pb2.ErrorReason.Name(refused.reason).removeprefix("ERROR_REASON_"), metadata
    else:
        reply = await caller.call(method, request)
    return reply.reason, {} if reply.reason == "OK" else dict(reply.info.metadata)


async def refused_with(shared: Referee, name: str, field: Growing, size: int) -> tuple[str, dict[str, str]]:
    match = planted(name, season(2))
    await shared.plant(match)
    request: Any = request_of(field.method, match.match_id)
    put(request, field.path, size)
    for move in request.moves if field.method == "Play" else ():
        move.request_id, move.match_id = move.request_id or "r", move.match_id or match.match_id
    return await refusal(shared.caller(SEATS[0]), field.method, request)


def named_in(said: Mapping[str, str]) -> str:
    """The name of the field that a refusal names, without its path."""
    return re.sub(r"\[\d+\]", "", said.get("field", "").rpartition(".")[2])


OTHERWISE: Final = {
    "CreateMatchRequest.ruleset": "UNKNOWN_RULESET",
    "ListMatchesRequest.page_token": "INVALID_PAGE_TOKEN",
    "Options.plugin": "INVALID_OPTION",
    "Move.plugin": "MALFORMED_MOVE",
    "ClassicArtPlayCards.cards": "MALFORMED_MOVE",
    "ArtSeeCard.pieces": "MALFORMED_MOVE",
}
"""How fields are refused that are not refused as such."""


@every_field
async def test_a_field_above_its_limit_is_refused(shared: Referee, name: str, field: Growing) -> None:
    """And named, or if it is a message from outside its size."""
    reason, said = await refused_with(shared, name, field, field.most + 1)
    assert reason == OTHERWISE.get(field.name, "INVALID_FIELD")
    if reason == "INVALID_FIELD":
        assert named_in(said) == field.field.name
    if field.field.name == "plugin":
        assert said["problem"] == f"has {field.most + 1} bytes, expected at most {field.most}"


@every_field
async def test_a_field_at_its_limit_is_not_refused_for_its_size(shared: Referee, name: str, field: Growing) -> None:
    _, said = await refused_with(shared, name, field, field.most)
    assert named_in(said) != field.field.name
    assert "bytes" not in said.get("problem", "")
