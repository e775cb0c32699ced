"""The stored truth of a match, and its bytes.

A match has an immutable deal (`Head`, rewritten only while open seats are taken), the course of play (`Course`), and a
ring of receipts for each seat and for the host; each is a field of its own, so that a write carries what it changes.
None is in a cycle, so that the garbage collector, which stops everything, need not look at any (`gc=False`).
"""

from collections.abc import Mapping, Sequence
from enum import IntEnum
from typing import Any, Final

import msgspec

from referee.core.errors import Reason, RefereeError
from referee.core.game import AnyGame
from referee.table.clocks import Moment, Terms
from referee.table.formats import migrated
from referee.table.ids import MatchId, Principal
from referee.table.store import Header, Stored

HOST: Final = -1  # the host's ring stands beside those of the seats
RING: Final = 8  # receipts that a ring holds
ID_BYTES: Final = 8  # by which a ring tells its few requests apart, all of one principal
_REQUEST_BYTES: Final = 2 * ID_BYTES


class Status(IntEnum):
    """The state of a match."""

    WAITING = 1
    ACTIVE = 2
    FINISHED = 3
    ABORTED = 4


class Cause(IntEnum):
    """Why a seat is out of the competition."""

    NONE = 0
    RESIGNED = 1
    TIMED_OUT = 2
    ILLEGAL_MOVES = 3
    NEVER_JOINED = 4
    DISCONNECTED = 5


class Actor(IntEnum):
    """Who made a move."""

    PLAYER = 1
    AUTOPILOT = 2


class Step(IntEnum):
    """What a log entry tells of."""

    MOVE = 1
    JOIN = 2
    RESIGNATION = 3
    TIME_OUT = 4
    ILLEGAL_MOVES = 5
    NEVER_JOINED = 6
    ABORTION = 7
    DISCONNECTION = 8


class Visibility(IntEnum):
    """Who may find and see a match."""

    PUBLIC = 0
    UNLISTED = 1
    PRIVATE = 2


class SeatHead(msgspec.Struct, array_like=True, frozen=True, gc=False):
    """Who sits where: `principal` is None while the seat is open, entrant names are empty where not stated."""

    principal: bytes | None
    display_name: str
    entrant_name: str
    entrant_version: str


class Head(msgspec.Struct, array_like=True, frozen=True, gc=False):
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
        terms: what is asked of the seats.
        bot_seeds: secret randomness for the program on each seat, empty where the host gave none; or none at all.
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
    terms: Terms = Terms()
    bot_seeds: tuple[bytes, ...] = ()


class SeatCourse(msgspec.Struct, array_like=True, frozen=True, gc=False):
    """How a seat fares.

    Attributes:
        decisions: how many moves it has made.
        cause: a `Cause`.
        out_version: the version that took it out of the competition; 0 if it is in.
        asked_ms: when it was asked what it has not answered yet; 0 stands for the header's commit time; None if it is
            not asked.
        bank_ms: what is in its bank, before what is not charged yet.
        uncharged_ms: since when it thought about the answer that the newest write made; charged by the next one, which
            knows the commit time of this one. None if there is none.
        illegal_moves: how many it has tried.
    """

    decisions: int = 0
    cause: int = Cause.NONE
    out_version: int = 0
    asked_ms: int | None = None
    bank_ms: int = 0
    uncharged_ms: int | None = None
    illegal_moves: int = 0


class End(msgspec.Struct, array_like=True, frozen=True, gc=False):
    """How a match ended: `scores` is None if the game was not played to its end."""

    reason: str
    ranks: tuple[int, ...]
    scores: tuple[int, ...] | None


class Course(msgspec.Struct, array_like=True, frozen=True, gc=False):
    """The course of play: `version` is the length of the log, `state` the ruleset's own bytes."""

    status: int
    version: int
    seats: tuple[SeatCourse, ...]
    released: bool
    end: End | None
    state: bytes


class Receipt(msgspec.Struct, frozen=True, gc=False):
    """The answer to a request: numbers if it was accepted, else reason and metadata.

    Attributes:
        request: `ID_BYTES` of the hash of its id, and as many of the hash of what it asked.
    """

    request: bytes
    version: int
    decision: int
    reason: str = ""
    metadata: dict[str, str] = {}

    def refusal(self) -> RefereeError | None:
        """Returns the error that was answered, if one was."""
        return RefereeError(Reason[self.reason], **self.metadata) if self.reason else None


class Ring(msgspec.Struct, array_like=True, frozen=True, gc=False):
    """The newest receipts, oldest first, part by part: most of what is stored of a match is rings.

    Attributes:
        requests: one behind the other.
        versions: one a receipt.
        decisions: one a receipt.
        refusals: reason and metadata by request, of the receipts that have them.
        refused: how often which reason was given, ever.
    """

    requests: bytes = b""
    versions: tuple[int, ...] = ()
    decisions: tuple[int, ...] = ()
    refusals: dict[bytes, tuple[str, dict[str, str]]] = {}
    refused: dict[str, int] = {}

    @property
    def receipts(self) -> tuple[Receipt, ...]:
        """All of them."""
        return tuple(self._receipt(place) for place in range(len(self.versions)))

    def find(self, request: bytes) -> Receipt | None:
        """Returns the receipt of a request with the same id, whatever it asked."""
        at = self.requests.find(request[:ID_BYTES])
        while at >= 0 and at % _REQUEST_BYTES:  # by chance it is in the middle of others
            at = self.requests.find(request[:ID_BYTES], at + 1)
        return self._receipt(at // _REQUEST_BYTES) if at >= 0 else None

    def add(self, receipt: Receipt) -> "Ring":
        """Returns the ring with one receipt more."""
        requests = (self.requests + receipt.request)[-RING * _REQUEST_BYTES :]
        refusals = {request: refusal for request, refusal in self.refusals.items() if request in requests}
        refused = self.refused
        if receipt.reason:
            refusals[receipt.request] = receipt.reason, receipt.metadata
            refused = {**refused, receipt.reason: refused.get(receipt.reason, 0) + 1}
        versions = (*self.versions[1 - RING :], receipt.version)
        return Ring(requests, versions, (*self.decisions[1 - RING :], receipt.decision), refusals, refused)

    def _request(self, place: int) -> bytes:
        return self.requests[place * _REQUEST_BYTES : (place + 1) * _REQUEST_BYTES]

    def _receipt(self, place: int) -> Receipt:
        request = self._request(place)
        return Receipt(request, self.versions[place], self.decisions[place], *self.refusals.get(request, ()))


class Entry(msgspec.Struct, array_like=True, frozen=True, gc=False):
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


class Snapshot(msgspec.Struct, frozen=True, gc=False):
    """A match, unpacked. Never changed in place: whoever plays on copies `state` first.

    Attributes:
        seen: in a match with a grace that is being played, when each holder of a seat that is in was last seen.
        entries: what the newest write has added to the log, if this replica has written it.
    """

    match_id: MatchId
    header: Header | None
    head: Head
    course: Course
    rings: Mapping[int, Ring]
    game: AnyGame
    state: Any
    seen: Mapping[Principal, int] = {}
    entries: Sequence[Entry] = ()

    def seats_of(self, principal: Principal) -> list[int]:
        """Returns the seats that a principal holds."""
        return [seat for seat, head in enumerate(self.head.seats) if head.principal == principal]

    def bot_seed(self, seat: int) -> bytes | None:
        """Returns the randomness for the program on a seat, if the host gave any."""
        return (self.head.bot_seeds[seat] or None) if self.head.bot_seeds else None

    def is_hidden_from(self, principal: Principal) -> bool:
        """Whether a principal may not know that there is such a match."""
        if self.head.visibility != Visibility.PRIVATE:
            return False
        return principal != self.head.host and not self.seats_of(principal)

    def principals(self) -> list[Principal]:
        """Returns all who hold seats, each once."""
        held = (Principal(head.principal) for head in self.head.seats if head.principal is not None)
        return list(dict.fromkeys(held))

    def open_seats(self) -> list[int]:
        """Returns the seats that nobody holds."""
        return [seat for seat, head in enumerate(self.head.seats) if head.principal is None]

    @property
    def over(self) -> bool:
        """Whether the match has ended, with a result or without one."""
        return self.course.status in _OVER

    @property
    def disclosed(self) -> bool:
        """Whether its record may be read: everything that was hidden."""
        return self.over and (self.course.released or not self.head.on_release)

    def to_act(self) -> list[int]:
        """Returns the seats that must choose now."""
        return list(self.game.to_act(self.state)) if self.course.status == Status.ACTIVE else []

    def asked_ms(self, seat: int) -> int | None:
        """Returns when a seat was asked what it has not answered yet; None if it is not asked."""
        asked_ms = self.course.seats[seat].asked_ms
        return (asked_ms or self.commit_ms) if asked_ms is not None else None

    @property
    def commit_ms(self) -> int:
        """When the newest log entry was written; 0 before the first write."""
        return self.header.commit_ms if self.header else 0

    def bank_ms(self, seat: int, moment: Moment) -> int:
        """Returns what is in a seat's bank when it is asked."""
        fares = self.course.seats[seat]
        if fares.uncharged_ms is None:
            return fares.bank_ms
        return self.head.terms.charged(fares.bank_ms, moment.between(fares.uncharged_ms, self.commit_ms))

    def deadline_ms(self, seat: int, moment: Moment) -> int | None:
        """Returns when a seat's time for its open question is up; None if it has all the time."""
        asked_ms, terms = self.asked_ms(seat), self.head.terms
        if asked_ms is None or not terms.timed:
            return None
        return moment.after(asked_ms, terms.allowance_ms(self.bank_ms(seat, moment)))

    def grace_ends_ms(self, seat: int, moment: Moment) -> int | None:
        """Returns when a seat that is asked has been without its holder for too long; None if it may be so for ever."""
        asked_ms, terms = self.asked_ms(seat), self.head.terms
        if asked_ms is None or not terms.grace_ms:
            return None
        return moment.after(max(asked_ms, self.seen_ms(seat)), terms.absence_ms)

    def seen_ms(self, seat: int) -> int:
        """Returns when the holder of a seat was last seen; 0 if that is not known."""
        principal = self.head.seats[seat].principal
        return 0 if principal is None else self.seen.get(Principal(principal), 0)

    def left_ms(self, seat: int, moment: Moment) -> int | None:
        """Returns how much of a seat's time for its open question is left, without the margin; None if it has all."""
        asked_ms, terms = self.asked_ms(seat), self.head.terms
        if asked_ms is None or not terms.timed:
            return None
        taken_ms = max(0, moment.between(asked_ms, moment.now_ms))  # the moment is only about right
        return max(0, terms.allowance_ms(self.bank_ms(seat, moment)) - terms.margin_ms - taken_ms)

    def next_deadline_ms(self, moment: Moment) -> int | None:
        """Returns when the first seat goes out if nothing happens, or open ones do; None if none does."""
        join_ms = self.head.terms.join_ms
        if self.course.status == Status.WAITING and self.header and join_ms:
            return moment.after(self.header.created_ms, join_ms)
        deadlines = (at_ms for seat in range(len(self.course.seats)) for at_ms, _ in self.perils(seat, moment))
        return min(deadlines, default=None)

    def perils(self, seat: int, moment: Moment) -> list[tuple[int, Cause]]:
        """Returns when a seat goes out if nothing happens, and why; of several the first counts."""
        found = (
            (self.deadline_ms(seat, moment), Cause.TIMED_OUT),
            (self.grace_ends_ms(seat, moment), Cause.DISCONNECTED),
        )
        return [(at_ms, cause) for at_ms, cause in found if at_ms is not None]

    def packed(self) -> dict[str, bytes]:
        """Returns all stored fields."""
        rings = {ring_field(seat): pack(ring) for seat, ring in self.rings.items()}
        return {"head": pack(self.head), "course": pack(self.course), **rings}

    def ring(self, seat: int) -> Ring:
        """Returns the receipts of a seat, or of the `HOST`."""
        return self.rings.get(seat, _EMPTY_RING)


_EMPTY_RING = Ring()
_encoder = msgspec.msgpack.Encoder()
_heads = msgspec.msgpack.Decoder(Head)
_courses = msgspec.msgpack.Decoder(Course)
_rings = msgspec.msgpack.Decoder(Ring)
_entries = msgspec.msgpack.Decoder(Entry)
_OVER: Final = frozenset((Status.FINISHED, Status.ABORTED))
_SEEN: Final = "seen "
_RING_FIELDS: Final = {f"r{seat}": seat for seat in range(HOST, 16)}

pack = _encoder.encode


def ring_field(seat: int) -> str:
    """Returns the name of the field that holds a ring."""
    return f"r{seat}"


def seen_field(principal: Principal) -> str:
    """Returns the name of the field that holds when a principal was last seen: ms in decimal, empty when over."""
    return f"{_SEEN}{principal.hex()}"


def seen_of(fields: Mapping[str, bytes]) -> dict[Principal, int]:
    """Returns when principals were last seen."""
    return {
        Principal(bytes.fromhex(name.removeprefix(_SEEN))): int(packed)
        for name, packed in fields.items()
        if packed and name.startswith(_SEEN)
    }


def unpack_entry(packed: bytes) -> Entry:
    """Returns a log entry."""
    return _entries.decode(packed)


def unpack(match_id: MatchId, stored: Stored, games: Mapping[str, AnyGame]) -> Snapshot:
    """Returns a match.

    Raises:
        RefereeError: SNAPSHOT_UNREADABLE if the bytes are not of this version, or the ruleset is not of theirs.
    """
    try:
        header = Header.decode(stored.header)
        fields = migrated(stored.fields, header.format)
        head = _heads.decode(fields["head"])
        course = _courses.decode(fields["course"])
        game = games[head.ruleset]
        if (game.spec.rules_version, game.spec.data_digest) != (head.rules_version, head.data_digest):
            raise RefereeError(Reason.SNAPSHOT_UNREADABLE, match_id=match_id)
        rings = {_RING_FIELDS[name]: _rings.decode(packed) for name, packed in fields.items() if name in _RING_FIELDS}
        seen = seen_of(fields) if head.terms.grace_ms else {}
        return Snapshot(match_id, header, head, course, rings, game, game.decode(course.state), seen)
    except (ValueError, KeyError) as error:
        raise RefereeError(Reason.SNAPSHOT_UNREADABLE, match_id=match_id) from error
