"""Reading requests: bytes to messages, and fields to values that the table can trust."""

import re
import unicodedata
from base64 import urlsafe_b64decode, urlsafe_b64encode
from binascii import Error as Base64Error
from collections.abc import Iterable, Iterator
from functools import lru_cache
from typing import Final, TypeVar

from google.protobuf.any_pb2 import Any
from google.protobuf.message import DecodeError, Message
from google.protobuf.unknown_fields import UnknownFieldSet

from artreferee.v1 import match_pb2, service_pb2
from referee.core.errors import InvalidOptionError, MalformedMoveError, Reason, RefereeError
from referee.core.game import Options
from referee.core.seeding import SEED_BYTES
from referee.table.clocks import Terms
from referee.table.deal import Creation
from referee.table.ids import MATCH_ID, REQUEST_ID, MatchId, Principal, bucket_of, principal_of
from referee.table.session import Move
from referee.table.snapshot import SeatHead, Visibility
from referee.table.store import Listed
from referee.table.transitions import ById, ByIndex, Choice, Malformed, Typed
from referee.wire import wire_of, wires

LONGEST_REQUEST: Final = 64 * 1024
MOST_SEATS: Final = 16
MOST_MOVES: Final = 16
MOST_RELEASES: Final = 100
MOST_PLAYED: Final = 64
MOST_UNFINISHED: Final = 1000
LONGEST_RULESET: Final = 64
LONGEST_TOKEN: Final = 100
LONGEST_PLUGIN: Final = 4096
MOST_ILLEGAL_MOVES: Final = 1000
LONGEST_LIMIT_MS: Final = 7 * 24 * 3600 * 1000
LONGEST_INCREMENT_MS: Final = 3600 * 1000
LONGEST_MARGIN_MS: Final = 10_000
_VISIBILITY: Final[dict[int, Visibility]] = {
    match_pb2.VISIBILITY_UNSPECIFIED: Visibility.PUBLIC,
    match_pb2.VISIBILITY_PUBLIC: Visibility.PUBLIC,
    match_pb2.VISIBILITY_UNLISTED: Visibility.UNLISTED,
    match_pb2.VISIBILITY_PRIVATE: Visibility.PRIVATE,
}
_DETAILS: Final = frozenset(match_pb2.Detail.values())
_BEARER: Final = re.compile("Bearer ([A-Za-z0-9_-]{42}[AEIMQUYcgkosw048])")
_LATEST_MS: Final = 2**53  # what the store's numbers hold exactly
_BIDIRECTIONAL: Final = frozenset({"LRE", "RLE", "LRO", "RLO", "PDF", "LRI", "RLI", "FSI", "PDI"})
_MARKS: Final = frozenset("\u200e\u200f\u061c")
_CONTROLS: Final = frozenset({"Cc", "Cs", "Zl", "Zp"})

MessageT = TypeVar("MessageT", bound=Message)
Seated = (
    service_pb2.GetMatchRequest
    | service_pb2.JoinMatchRequest
    | service_pb2.PlayMove
    | service_pb2.ResignRequest
    | service_pb2.SubmitMoveRequest
    | service_pb2.WatchMatchRequest
)
"""The requests that may name a seat."""


def parse(kind: type[MessageT], raw: bytes) -> MessageT:
    """Returns the message that `raw` holds.

    Raises:
        RefereeError: REQUEST_TOO_LARGE, MALFORMED_REQUEST or UNKNOWN_FIELD.
    """
    if len(raw) > LONGEST_REQUEST:
        raise RefereeError(Reason.REQUEST_TOO_LARGE, size=len(raw), limit=LONGEST_REQUEST)
    try:
        message = kind.FromString(raw)
    except DecodeError:
        raise RefereeError(Reason.MALFORMED_REQUEST, type=kind.DESCRIPTOR.full_name) from None
    size = message.ByteSize()
    message.DiscardUnknownFields()
    if message.ByteSize() != size:
        field, number = next(_unknown_fields(kind.FromString(raw), ""))
        raise RefereeError(Reason.UNKNOWN_FIELD, field=field or "the request", number=number)
    return message


def principal_from(metadata: Iterable[tuple[str, str | bytes]]) -> Principal:
    """Returns the caller's principal.

    Raises:
        RefereeError: PRINCIPAL_MISSING or PRINCIPAL_MALFORMED.
    """
    values = [value for key, value in metadata if key == "authorization"]
    if not values:
        raise RefereeError(Reason.PRINCIPAL_MISSING)
    principal = _principal_in(values[0]) if len(values) == 1 else None
    if principal is None:
        raise RefereeError(Reason.PRINCIPAL_MALFORMED)
    return principal


@lru_cache(maxsize=4096)
def _principal_in(value: str | bytes) -> Principal | None:
    token = _BEARER.fullmatch(value) if isinstance(value, str) else None
    return token and principal_of(urlsafe_b64decode(token[1] + "="))


def request_id_of(request_id: str) -> str:
    """Returns a request id, checked."""
    if not REQUEST_ID.fullmatch(request_id):
        raise _invalid("request_id", f"is {request_id!r}, expected 1 to 64 characters A-Z a-z 0-9 . _ -")
    return request_id


def match_id_of(match_id: str, field: str = "match_id") -> MatchId:
    """Returns a match id, checked."""
    if not MATCH_ID.fullmatch(match_id):
        raise _invalid(field, f"is {match_id!r}, expected 26 characters of base32 as CreateMatch returned them")
    return MatchId(match_id)


def seat_of(request: Seated) -> int | None:
    """Returns the seat that a request names, checked against no match yet."""
    if not request.HasField("seat"):
        return None
    if request.seat >= MOST_SEATS:
        raise _invalid("seat", f"is {request.seat}, expected 0 to {MOST_SEATS - 1}")
    return request.seat


def detail_of(detail: int) -> int:
    """Returns how much to send, FULL where unspecified."""
    if detail not in _DETAILS:
        raise _invalid("detail", f"is {detail}, expected a value of Detail")
    return detail or match_pb2.DETAIL_FULL


def display_name_of(name: str, field: str, default: str) -> str:
    """Returns a name for people, checked; `default` if it is empty."""
    if not name:
        return default
    if len(name) > 32:
        raise _invalid(field, f"has {len(name)} characters, expected 1 to 32")
    if unicodedata.normalize("NFC", name) != name:
        raise _invalid(field, "is not in Unicode form NFC")
    for character in name:
        if unicodedata.category(character) in _CONTROLS:
            raise _invalid(field, f"has the control character U+{ord(character):04X}")
        if character in _MARKS or unicodedata.bidirectional(character) in _BIDIRECTIONAL:
            raise _invalid(field, f"has the bidirectional character U+{ord(character):04X}")
    if all(character.isspace() or unicodedata.category(character) == "Cf" for character in name):
        raise _invalid(field, "has nothing to be seen")
    return name


def entrant_of(request: service_pb2.SeatRequest | service_pb2.JoinMatchRequest, field: str) -> tuple[str, str]:
    """Returns (name, version) of the program that plays a seat, checked; empty where not stated."""
    if not request.HasField("entrant"):
        return "", ""
    entrant = request.entrant
    for part, text, longest in (("name", entrant.name, 64), ("version", entrant.version, 32)):
        if len(text) > longest:
            raise _invalid(f"{field}.{part}", f"has {len(text)} characters, expected at most {longest}")
        if not text.isprintable():
            raise _invalid(f"{field}.{part}", "has a character that cannot be printed")
    if not entrant.name:
        raise _invalid(f"{field}.name", "is empty, expected 1 to 64 characters")
    return entrant.name, entrant.version


def creation_of(request: service_pb2.CreateMatchRequest) -> Creation:
    """Returns what a host asks for, checked as far as no ruleset is needed, and its options read."""
    if len(request.seats) > MOST_SEATS:
        raise _invalid("seats", f"has {len(request.seats)} entries, expected at most {MOST_SEATS}")
    if request.HasField("seed") and len(request.seed) != SEED_BYTES:
        raise _invalid("seed", f"has {len(request.seed)} bytes, expected {SEED_BYTES}")
    if request.disclosure not in match_pb2.Disclosure.values():
        raise _invalid("disclosure", f"is {request.disclosure}, expected a value of Disclosure")
    if request.visibility not in match_pb2.Visibility.values():
        raise _invalid("visibility", f"is {request.visibility}, expected a value of Visibility")
    if len(request.deal_group) > 128 or not request.deal_group.isprintable():
        raise _invalid("deal_group", "is not made of at most 128 characters that can be printed")
    return Creation(
        ruleset=request.ruleset,
        options=_options(request),
        seats=tuple(_seat_head(seat, place) for place, seat in enumerate(request.seats)),
        seed=request.seed if request.HasField("seed") else None,
        on_release=request.disclosure == match_pb2.DISCLOSURE_ON_RELEASE,
        deal_group=request.deal_group,
        visibility=_VISIBILITY[request.visibility],
        terms=_terms(request),
        bot_seeds=_bot_seeds(request),
    )


def move_of(move: service_pb2.PlayMove | service_pb2.SubmitMoveRequest) -> Move:
    """Returns a move, checked as far as no match is needed."""
    return Move(
        match_id_of(move.match_id),
        request_id_of(move.request_id),
        seat_of(move),
        move.decision_number,
        choices_of(move),
    )


def unfinished_of(request: service_pb2.PlayRequest) -> list[MatchId]:
    """Returns the matches whose end a player may have missed."""
    field, given = "unfinished_match_ids", request.unfinished_match_ids
    if len(given) > MOST_UNFINISHED:
        raise _invalid(field, f"has {len(given)} entries, expected at most {MOST_UNFINISHED}")
    return [match_id_of(match_id, f"{field}[{place}]") for place, match_id in enumerate(given)]


def check_played(request: service_pb2.PlayRequest, first: bool) -> None:
    """Checks a player's request but for its moves, each of which is answered for itself."""
    if len(request.moves) > MOST_PLAYED:
        raise _invalid("moves", f"has {len(request.moves)} entries, expected at most {MOST_PLAYED}")
    if request.detail and not first:
        raise _invalid("detail", "is given, which only the first request of a stream may do")
    unfinished_of(request)


def choices_of(request: service_pb2.PlayMove | service_pb2.SubmitMoveRequest) -> list[Choice]:
    """Returns the chosen moves."""
    if not 1 <= len(request.moves) <= MOST_MOVES:
        raise _invalid("moves", f"has {len(request.moves)} entries, expected 1 to {MOST_MOVES}")
    return [_choice(choice) for choice in request.moves]


def release_ids_of(request: service_pb2.ReleaseRecordsRequest) -> list[MatchId]:
    """Returns the matches to release."""
    if not 1 <= len(request.match_ids) <= MOST_RELEASES:
        raise _invalid("match_ids", f"has {len(request.match_ids)} entries, expected 1 to {MOST_RELEASES}")
    return [match_id_of(match_id, f"match_ids[{place}]") for place, match_id in enumerate(request.match_ids)]


def status_of(status: int) -> int:
    """Returns a status to look for, checked; 0 for any."""
    if status not in match_pb2.MatchStatus.values():
        raise _invalid("status", f"is {status}, expected a value of MatchStatus")
    return status


def ruleset_of(name: str) -> str:
    """Returns the name of a ruleset to look for, which need not be known; empty for any."""
    if len(name) > LONGEST_RULESET:
        raise _invalid("ruleset", f"has {len(name)} characters, expected at most {LONGEST_RULESET}")
    return name


def page_size_of(size: int) -> int:
    """Returns how many entries a page may have."""
    if size > 100:
        raise _invalid("page_size", f"is {size}, expected at most 100")
    return size or 50


def place_of(token: str) -> Listed | None:
    """Returns the place of the listing that a page token names.

    Raises:
        RefereeError: INVALID_PAGE_TOKEN.
    """
    if not token:
        return None
    if len(token) > LONGEST_TOKEN:
        raise RefereeError(Reason.INVALID_PAGE_TOKEN)
    try:
        bucket, created, match_id = urlsafe_b64decode(token).decode("ascii").split(" ")
        place = Listed(int(bucket), int(created), match_id_of(match_id))
        possible = place.bucket == bucket_of(place.match_id) and 0 <= place.created_ms <= _LATEST_MS
        if possible and token_of(place) == token:
            return place
    except (Base64Error, RefereeError, ValueError):
        pass
    raise RefereeError(Reason.INVALID_PAGE_TOKEN)


def token_of(place: Listed) -> str:
    """Returns a place of the listing as a page token."""
    return urlsafe_b64encode(" ".join(map(str, place)).encode()).decode()


def _choice(choice: match_pb2.MoveChoice) -> Choice:
    match choice.WhichOneof("choice"):
        case "index":
            return ByIndex(choice.index)
        case "id":
            return ById(choice.id)
        case "move":
            if problem := _overlong(choice.move.plugin):
                return Malformed(problem)
            wire = wire_of(choice.move)
            if wire is None:
                return Malformed("is not the move of a known ruleset")
            try:
                return Typed(wire.game.spec.name, wire.move_from(choice.move))
            except MalformedMoveError as error:
                return Malformed(str(error))
            except DecodeError:
                return Malformed("is not a message of its type")
        case _:
            return Malformed("is empty: set index, id or move")


def _options(request: service_pb2.CreateMatchRequest) -> Options:
    wire = wires().get(request.ruleset)
    if wire is None:
        return {}  # the table refuses the ruleset
    if problem := _overlong(request.options.plugin):
        raise RefereeError(Reason.INVALID_OPTION, option="options", problem=problem)
    try:
        return wire.options_from(request.options)
    except InvalidOptionError as error:
        raise RefereeError(Reason.INVALID_OPTION, option=error.option, problem=error.problem) from None
    except DecodeError:
        problem = "are not a message of their type"
        raise RefereeError(Reason.INVALID_OPTION, option="options", problem=problem) from None


def _overlong(plugin: Any) -> str:
    """Says what is wrong with the size of a message in `Any`; nothing if it is right."""
    size: int = len(plugin.type_url) + len(plugin.value)
    return f"has {size} bytes, expected at most {LONGEST_PLUGIN}" if size > LONGEST_PLUGIN else ""


def _terms(request: service_pb2.CreateMatchRequest) -> Terms:
    control, policy = request.time_control, request.fault_policy
    for field, value, most in (
        ("time_control.move_limit_ms", control.move_limit_ms, LONGEST_LIMIT_MS),
        ("time_control.bank_ms", control.bank_ms, LONGEST_LIMIT_MS),
        ("time_control.increment_ms", control.increment_ms, LONGEST_INCREMENT_MS),
        ("time_control.margin_ms", control.margin_ms, LONGEST_MARGIN_MS),
        ("fault_policy.join_limit_ms", policy.join_limit_ms, LONGEST_LIMIT_MS),
        ("fault_policy.illegal_moves", policy.illegal_moves, MOST_ILLEGAL_MOVES),
        ("fault_policy.disconnect_grace_ms", policy.disconnect_grace_ms, LONGEST_LIMIT_MS),
    ):
        if value > most:
            raise _invalid(field, f"is {value}, expected at most {most}")
    if control.increment_ms and not control.bank_ms:
        raise _invalid("time_control.increment_ms", "is given without bank_ms, to which it would be added")
    if control.margin_ms and not (control.move_limit_ms or control.bank_ms):
        raise _invalid("time_control.margin_ms", "is given without move_limit_ms or bank_ms")
    return Terms(
        move_ms=control.move_limit_ms,
        bank_ms=control.bank_ms,
        increment_ms=control.increment_ms,
        margin_ms=control.margin_ms,
        join_ms=policy.join_limit_ms,
        illegal_moves=policy.illegal_moves if policy.HasField("illegal_moves") else -1,
        grace_ms=policy.disconnect_grace_ms,
    )


def _seat_head(seat: service_pb2.SeatRequest, place: int) -> SeatHead:
    field = f"seats[{place}]"
    if seat.HasField("principal_hash") and len(seat.principal_hash) != 32:
        raise _invalid(f"{field}.principal_hash", f"has {len(seat.principal_hash)} bytes, expected 32")
    return SeatHead(
        seat.principal_hash if seat.HasField("principal_hash") else None,
        display_name_of(seat.display_name, f"{field}.display_name", f"Seat {place + 1}"),
        *entrant_of(seat, f"{field}.entrant"),
    )


def _bot_seeds(request: service_pb2.CreateMatchRequest) -> tuple[bytes, ...]:
    for place, seat in enumerate(request.seats):
        if seat.HasField("bot_seed") and len(seat.bot_seed) != SEED_BYTES:
            raise _invalid(f"seats[{place}].bot_seed", f"has {len(seat.bot_seed)} bytes, expected {SEED_BYTES}")
    seeds = tuple(seat.bot_seed for seat in request.seats)
    return seeds if any(seeds) else ()


def _unknown_fields(message: Message, path: str) -> Iterator[tuple[str, int]]:
    unknown = UnknownFieldSet(message)
    for place in range(len(unknown)):
        yield path, unknown[place].field_number
    for descriptor, value in message.ListFields():
        if descriptor.message_type is None:
            continue
        inner = f"{path}.{descriptor.name}" if path else descriptor.name
        if isinstance(value, Message):
            yield from _unknown_fields(value, inner)
        else:
            for number, item in enumerate(value):
                yield from _unknown_fields(item, f"{inner}[{number}]")


def _invalid(field: str, problem: str) -> RefereeError:
    return RefereeError(Reason.INVALID_FIELD, field=field, problem=problem)
