"""Requests of every kind, by what is wrong with them."""

from typing import Any, Final

from google.protobuf.message import Message

from artreferee.v1 import service_pb2
from tests.api.faults import by_id, submission
from tests.games.classic_art.moves import PASS

ABSENT: Final = "a" * 26  # the id of a match that is not there


def create(**changes: Any) -> service_pb2.CreateMatchRequest:
    request = service_pb2.CreateMatchRequest(request_id="r", ruleset="classic_art")
    for _ in range(2):
        request.seats.add()
    request.MergeFrom(service_pb2.CreateMatchRequest(**changes))
    return request


def sized(seats: int) -> service_pb2.CreateMatchRequest:
    request = service_pb2.CreateMatchRequest(request_id="r", ruleset="classic_art")
    for _ in range(seats):
        request.seats.add()
    return request


def optioned(**options: int) -> service_pb2.CreateMatchRequest:
    request = create()
    for option, value in options.items():
        setattr(request.options.classic_art, option, value)
    return request


def named(display_name: str) -> service_pb2.CreateMatchRequest:
    request = create()
    request.seats[1].display_name = display_name
    return request


def entered(name: str, version: str) -> service_pb2.CreateMatchRequest:
    request = create()
    request.seats[1].entrant.name = name
    request.seats[1].entrant.version = version
    return request


def hashed(length: int) -> service_pb2.CreateMatchRequest:
    request = create()
    request.seats[1].principal_hash = bytes(length)
    return request


def with_plugin_options() -> service_pb2.CreateMatchRequest:
    request = create()
    request.options.plugin.type_url = "example.org/chess.Options"
    return request


def identified(request_id: str) -> list[tuple[str, Message]]:
    """Every call that carries a request id, with this one."""
    return [
        ("CreateMatch", service_pb2.CreateMatchRequest(request_id=request_id, ruleset="classic_art")),
        ("JoinMatch", service_pb2.JoinMatchRequest(request_id=request_id, match_id=ABSENT)),
        ("SubmitMove", submission(ABSENT, [by_id(0)], request_id)),
        ("Resign", service_pb2.ResignRequest(request_id=request_id, match_id=ABSENT)),
        ("ReleaseRecords", service_pb2.ReleaseRecordsRequest(request_id=request_id, match_ids=[ABSENT])),
    ]


def aimed(match_id: str) -> list[tuple[str, Message]]:
    """Every call that carries a match id, with this one."""
    return [
        ("JoinMatch", service_pb2.JoinMatchRequest(request_id="r", match_id=match_id)),
        ("GetMatch", service_pb2.GetMatchRequest(match_id=match_id)),
        ("SubmitMove", submission(match_id, [by_id(0)])),
        ("Resign", service_pb2.ResignRequest(request_id="r", match_id=match_id)),
        ("WatchMatch", service_pb2.WatchMatchRequest(match_id=match_id)),
        ("GetRecord", service_pb2.GetRecordRequest(match_id=match_id)),
        ("ReleaseRecords", service_pb2.ReleaseRecordsRequest(request_id="r", match_ids=[ABSENT, match_id])),
    ]


def seat_calls(match_id: str, seat: int | None) -> list[tuple[str, Message]]:
    """Every call that only the holder of a seat may make."""
    move = submission(match_id, [by_id(PASS)])
    resign = service_pb2.ResignRequest(match_id=match_id, request_id="resign")
    if seat is None:
        return [("SubmitMove", move), ("Resign", resign)]
    move.seat = resign.seat = seat
    return [
        ("SubmitMove", move),
        ("Resign", resign),
        ("GetMatch", service_pb2.GetMatchRequest(match_id=match_id, seat=seat)),
        ("WatchMatch", service_pb2.WatchMatchRequest(match_id=match_id, seat=seat)),
    ]
