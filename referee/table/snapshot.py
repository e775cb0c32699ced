"""The stored truth of a match, and its bytes.

A match has an immutable deal (`Head`, rewritten only while open seats are taken), the course of play (`Course`), and a
ring of receipts for each seat and for the host; each is a field of its own, so that a write carries what it changes.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import IntEnum
from typing import Any, Final

import msgspec

from referee.core.errors import Reason, RefereeError
from referee.core.game import AnyGame
from referee.table.ids import MatchId, Principal
from referee.table.store import Header, HeaderFormatError, Stored

HOST: Final = -1  # the host's ring stands beside those of the seats
RING: Final = 8  # receipts that a ring holds


class Status(IntEnum):
    """The state of a match."""

    WAITING = 1
    ACTIVE = 2
    FINISHED = 3


class Cause(IntEnum):
    """Why a seat is out of the competition."""

    NONE = 0
    RESIGNED = 1


class Actor(IntEnum):
    """Who made a move."""

    PLAYER = 1
    AUTOPILOT = 2


class Step(IntEnum):
    """What a log entry tells of."""

    MOVE = 1
    JOIN = 2
    RESIGNATION = 3


class Visibility(IntEnum):
    """Who may find and see a match."""

    PUBLIC = 0
    UNLISTED = 1
    PRIVATE = 2


class SeatHead(msgspec.Struct, array_like=True, frozen=True):
    """Who sits where: `principal` is None while the seat is open, entrant names are empty where not stated."""

    principal: bytes | None
    display_name: str
    entrant_name: str
    entrant_version: str


class Head(msgspec.Struct, array_like=True, frozen=True):
    """What was decided at creation.

    Attributes:
        ruleset: its name; with rules_version, data_version and data_digest it says how to read the state.
        options: complete, with defaults.
        seats: one a seat.
        seed: 32 secret bytes; `seed_given` if the host gave them, `commitment` is the promise of them.
        host: the principal that created the match.
        on_release: whether the record waits for the host's release.
        deal_group: the host's name for the group of matches with this deal.
        request: digest of the creation's request.
        visibility: a `Visibility`.
    """

    ruleset: str
    rules_version: str
    data_version: str
    data_digest: bytes
    options: dict[str, int]
    seats: tuple[SeatHead, ...]
    seed: bytes
    seed_given: bool
    commitment: bytes
    host: bytes
    on_release: bool
    deal_group: str
    request: bytes
    visibility: int = Visibility.PUBLIC


class SeatCourse(msgspec.Struct, array_like=True, frozen=True):
    """How a seat fares.

    Attributes:
        decisions: how many moves it has made.
        cause: a `Cause`.
        out_version: the version that took it out of the competition; 0 if it is in.
        asked_ms: when it was asked what it has not answered yet; 0 stands for the header's commit time; None if it is
            not asked.
    """

    decisions: int = 0
    cause: int = Cause.NONE
    out_version: int = 0
    asked_ms: int | None = None


class End(msgspec.Struct, array_like=True, frozen=True):
    """How a match ended: `scores` is None if the game was not played to its end."""

    reason: str
    ranks: tuple[int, ...]
    scores: tuple[int, ...] | None


class Course(msgspec.Struct, array_like=True, frozen=True):
    """The course of play: `version` is the length of the log, `state` the ruleset's own bytes."""

    status: int
    version: int
    seats: tuple[SeatCourse, ...]
    released: bool
    end: End | None
    state: bytes


class Receipt(msgspec.Struct, array_like=True, frozen=True):
    """The answer to a request: numbers if it was accepted, else reason and metadata."""

    request_id: str
    request: bytes
    version: int
    decision: int
    reason: str = ""
    metadata: dict[str, str] = {}

    def refusal(self) -> RefereeError | None:
        """Returns the error that was answered, if one was."""
        return RefereeError(Reason[self.reason], **self.metadata) if self.reason else None


class Ring(msgspec.Struct, array_like=True, frozen=True):
    """The newest receipts, oldest first, and how often which reason was given."""

    receipts: tuple[Receipt, ...] = ()
    refused: dict[str, int] = {}

    def find(self, request_id: str) -> Receipt | None:
        """Returns the receipt of a request."""
        return next((receipt for receipt in self.receipts if receipt.request_id == request_id), None)

    def add(self, receipt: Receipt) -> "Ring":
        """Returns the ring with one receipt more."""
        refused = self.refused
        if receipt.reason:
            refused = {**refused, receipt.reason: refused.get(receipt.reason, 0) + 1}
        return Ring((*self.receipts[1 - RING :], receipt), refused)


class Entry(msgspec.Struct, array_like=True, frozen=True):
    """A log entry; the fields from `decision` to `asked_ms` are for moves only.

    Attributes:
        step: a `Step`.
        seat: whose.
        started: whether play began with it.
        ended: whether the match ended with it.
        events: the ruleset's own bytes.
        decision: how many moves the seat had made before.
        move: the move's id.
        actor: an `Actor`.
        asked_ms: when the seat was asked; 0 if in the same write.
    """

    step: int
    seat: int
    started: bool = False
    ended: bool = False
    events: bytes = b""
    decision: int = 0
    move: int = 0
    actor: int = Actor.PLAYER
    asked_ms: int = 0


@dataclass(frozen=True, slots=True)
class Snapshot:
    """A match, unpacked. Never changed in place: whoever plays on copies `state` first."""

    match_id: MatchId
    header: Header | None
    head: Head
    course: Course
    rings: Mapping[int, Ring]
    game: AnyGame
    state: Any

    def seats_of(self, principal: Principal) -> list[int]:
        """Returns the seats that a principal holds."""
        return [seat for seat, head in enumerate(self.head.seats) if head.principal == principal]

    def principals(self) -> list[Principal]:
        """Returns all who hold seats, each once."""
        held = (Principal(head.principal) for head in self.head.seats if head.principal is not None)
        return list(dict.fromkeys(held))

    def open_seats(self) -> list[int]:
        """Returns the seats that nobody holds."""
        return [seat for seat, head in enumerate(self.head.seats) if head.principal is None]

    def to_act(self) -> list[int]:
        """Returns the seats that must choose now."""
        return list(self.game.to_act(self.state)) if self.course.status == Status.ACTIVE else []

    def ring(self, seat: int) -> Ring:
        """Returns the receipts of a seat, or of the `HOST`."""
        return self.rings.get(seat, _EMPTY_RING)


_EMPTY_RING = Ring()
_encoder = msgspec.msgpack.Encoder()
_heads = msgspec.msgpack.Decoder(Head)
_courses = msgspec.msgpack.Decoder(Course)
_rings = msgspec.msgpack.Decoder(Ring)
_entries = msgspec.msgpack.Decoder(Entry)
_RING_FIELDS: Final = {f"r{seat}": seat for seat in range(HOST, 16)}

pack = _encoder.encode


def ring_field(seat: int) -> str:
    """Returns the name of the field that holds a ring."""
    return f"r{seat}"


def unpack_entry(packed: bytes) -> Entry:
    """Returns a log entry."""
    return _entries.decode(packed)


def unpack(match_id: MatchId, stored: Stored, games: Mapping[str, AnyGame]) -> Snapshot:
    """Returns a match.

    Raises:
        RefereeError: SNAPSHOT_UNREADABLE if the bytes are not of this version, or the ruleset is not of theirs.
    """
    try:
        head = _heads.decode(stored.fields["head"])
        course = _courses.decode(stored.fields["course"])
        game = games[head.ruleset]
        if (game.spec.rules_version, game.spec.data_digest) != (head.rules_version, head.data_digest):
            raise RefereeError(Reason.SNAPSHOT_UNREADABLE, match_id=match_id)
        rings = {
            _RING_FIELDS[name]: _rings.decode(packed) for name, packed in stored.fields.items() if name in _RING_FIELDS
        }
        header = Header.decode(stored.header)
        return Snapshot(match_id, header, head, course, rings, game, game.decode(course.state))
    except (ValueError, KeyError, HeaderFormatError) as error:
        raise RefereeError(Reason.SNAPSHOT_UNREADABLE, match_id=match_id) from error
