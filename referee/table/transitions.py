"""What a call does to a match: pure functions from a snapshot to a change."""

from collections.abc import Callable, Sequence
from hashlib import sha256
from typing import Any, NamedTuple

import msgspec
from msgspec.structs import replace

from referee.core.errors import IllegalMoveError, Reason, RefereeError
from referee.table.clocks import Deadline, Moment, earliest
from referee.table.course import Played, advance, asked, deadline_of, out, replace_course, seated, settled, with_seat
from referee.table.ids import Principal
from referee.table.snapshot import (
    HOST,
    ID_BYTES,
    Actor,
    Cause,
    Course,
    Entry,
    Receipt,
    Ring,
    SeatHead,
    Snapshot,
    Status,
    Step,
    pack,
    ring_field,
)

_ANY_TIME = Moment()
_FOUL = frozenset({Reason.ILLEGAL_MOVE, Reason.MALFORMED_MOVE})


class ByIndex(NamedTuple):
    """A choice by the place in the open prompt's list."""

    place: int


class ById(NamedTuple):
    """A choice by the move's id."""

    move: int


class Typed(NamedTuple):
    """A choice by the move itself: its ruleset, and the id that it has there."""

    ruleset: str
    move: int


class Malformed(NamedTuple):
    """A choice that is no move of the ruleset; raised when its turn in the order of checks comes."""

    problem: str


Choice = ByIndex | ById | Typed | Malformed


class Answer(NamedTuple):
    """What an accepted call brought about: the version and the seat's decision number after it, and the seat."""

    version: int
    decision: int
    seat: int


class Change(msgspec.Struct, frozen=True):
    """The outcome of a call.

    Attributes:
        snapshot: the match afterwards.
        fields: the stored fields that differ; none if nothing is to be written.
        entries: the new log entries; none unless the call was accepted just now.
        not_after_ms: the store's time until which the change is possible; None if always.
        absent: the principals who go out for being away, unless they have been seen since.
        answer: the answer, or the error to raise once the change is written.
    """

    snapshot: Snapshot
    fields: dict[str, bytes]
    entries: list[Entry]
    answer: Answer | RefereeError
    not_after_ms: int | None = None
    absent: frozenset[Principal] = frozenset()

    def deadline(self, moment: Moment) -> Deadline:
        """Returns when the match must be looked at, as far as known before the write."""
        snapshot, course, terms = self.snapshot, self.snapshot.course, self.snapshot.head.terms
        if not self.entries and snapshot.header:
            return Deadline(snapshot.next_deadline_ms(moment))
        if course.status == Status.WAITING and terms.join_ms:
            created_ms = snapshot.header.created_ms if snapshot.header else None
            return Deadline(moment.after(created_ms, terms.join_ms)) if created_ms else Deadline(None, terms.join_ms)
        return earliest(
            deadline_of(fares, terms, moment, snapshot.seen_ms(seat)) for seat, fares in enumerate(course.seats)
        )

    def summoned(self) -> list[Principal]:
        """Returns whom it concerns: those whom a move asks; all, if more than moves has happened or the match ended."""
        snapshot, course = self.snapshot, self.snapshot.course
        created = snapshot.header is None
        if created or any(entry.step != Step.MOVE or entry.ended for entry in self.entries):
            return snapshot.principals()
        if not self.entries:
            return []
        seats = zip(snapshot.head.seats, course.seats, strict=True)
        asked = [head.principal for head, fares in seats if fares.asked_ms == 0]
        return [Principal(principal) for principal in dict.fromkeys(asked) if principal is not None]


def seat_of(snapshot: Snapshot, principal: Principal, seat: int | None) -> int | None:
    """Returns the seat that a caller means; None if it names none and holds none.

    Raises:
        RefereeError: NOT_PERMITTED if it does not hold the seat it names, SEAT_REQUIRED if it must name one.
    """
    held = snapshot.seats_of(principal)
    if seat is not None:
        if seat not in held:
            raise RefereeError(Reason.NOT_PERMITTED)
        return seat
    if len(held) > 1:
        raise RefereeError(Reason.SEAT_REQUIRED, seats=", ".join(map(str, held)))
    return held[0] if held else None


def create(snapshot: Snapshot) -> Change:
    """Starts a new match if all its seats are taken, and packs all of it."""
    course = snapshot.course
    if not snapshot.open_seats():
        course = asked(snapshot, replace_course(course, status=Status.ACTIVE), snapshot.state)
    snapshot = replace(snapshot, course=course)
    fields = {"head": pack(snapshot.head), "course": pack(course)}
    return Change(snapshot, fields, [], Answer(0, 0, HOST))


def nothing(snapshot: Snapshot) -> Change:
    """Changes nothing but what goes with every write."""
    return Change(snapshot, {}, [], Answer(snapshot.course.version, 0, HOST))


def join(
    snapshot: Snapshot,
    principal: Principal,
    request_id: str,
    seat: int | None,
    display_name: str,
    entrant: tuple[str, str],
    moment: Moment = _ANY_TIME,
) -> Change:
    """Binds an open seat to the caller; with the last one play begins.

    Raises:
        RefereeError: INVALID_FIELD, SEAT_TAKEN, NO_OPEN_SEAT, MATCH_OVER, REQUEST_ID_REUSED, or MATCH_NOT_FOUND if the
            match is hidden from the caller, and no seat is open any more to those who know its id.
    """
    request = request_of(request_id, "join", seat, display_name, *entrant)
    for held in snapshot.seats_of(principal):
        if receipt := _receipt(snapshot.ring(held), request):
            return _replay(snapshot, held, receipt)
    vacant = snapshot.open_seats() if snapshot.course.status == Status.WAITING else []
    if not vacant and snapshot.is_hidden_from(principal):
        raise RefereeError(Reason.MATCH_NOT_FOUND, match_id=snapshot.match_id)
    if snapshot.over:
        raise RefereeError(Reason.MATCH_OVER)
    taken = _vacant_seat(snapshot, vacant, seat)
    name = display_name or snapshot.head.seats[taken].display_name
    joined, course, entry = seated(snapshot, taken, SeatHead(principal, name, *entrant), moment)
    receipt = Receipt(request, course.version, 0)
    change = _accepted(joined, taken, receipt, course, snapshot.state, [entry])
    fields = {**change.fields, "head": pack(joined.head)}
    return replace(change, fields=fields, not_after_ms=snapshot.next_deadline_ms(moment))


def submit(
    snapshot: Snapshot,
    principal: Principal,
    request_id: str,
    seat: int | None,
    decision: int,
    choices: Sequence[Choice],
    moment: Moment = _ANY_TIME,
) -> Change:
    """Plays one move or several; the order of the checks is part of the contract.

    Raises:
        RefereeError: NOT_PERMITTED, SEAT_REQUIRED, REQUEST_ID_REUSED, MATCH_OVER; other refusals are in the change.
    """
    asked = ((type(choice).__name__, choice) for choice in choices)
    request = request_of(request_id, "submit", seat, decision, *asked)
    return _mutate(
        snapshot,
        principal,
        seat,
        request,
        lambda course, mover: _play(snapshot, course, mover, decision, choices),
        moment,
    )


def resign(
    snapshot: Snapshot, principal: Principal, request_id: str, seat: int | None, moment: Moment = _ANY_TIME
) -> Change:
    """Takes a seat out of the competition.

    Raises:
        RefereeError: as `submit`.
    """
    request = request_of(request_id, "resign", seat)
    return _mutate(snapshot, principal, seat, request, lambda course, out: _resign(snapshot, course, out), moment)


def release(snapshot: Snapshot, principal: Principal, request_id: str) -> Change:
    """Lets the record of a match that has ended be read.

    Raises:
        RefereeError: NOT_PERMITTED, MATCH_NOT_OVER or REQUEST_ID_REUSED.
    """
    if snapshot.head.host != principal:
        raise RefereeError(Reason.NOT_PERMITTED)
    request = request_of(request_id, "release")
    if receipt := _receipt(snapshot.ring(HOST), request):
        return _replay(snapshot, HOST, receipt)
    if not snapshot.over:
        raise RefereeError(Reason.MATCH_NOT_OVER)
    course = replace_course(snapshot.course, released=True)
    return _accepted(snapshot, HOST, Receipt(request, course.version, 0), course, snapshot.state, [])


def digest_of(*asked: Any) -> bytes:
    """Returns what tells two requests with one request id apart."""
    return sha256(pack(asked)).digest()[:16]


def request_of(request_id: str, *asked: Any) -> bytes:
    """Returns what a receipt keeps of a request."""
    return sha256(request_id.encode()).digest()[:ID_BYTES] + digest_of(*asked)[:ID_BYTES]


def require_seat(snapshot: Snapshot, seat: int) -> None:
    """Raises INVALID_FIELD if there is no such seat."""
    seats = len(snapshot.head.seats)
    if not 0 <= seat < seats:
        raise RefereeError(Reason.INVALID_FIELD, field="seat", problem=f"is {seat}, expected 0 to {seats - 1}")


def _vacant_seat(snapshot: Snapshot, vacant: list[int], seat: int | None) -> int:
    if seat is None:
        if not vacant:
            raise RefereeError(Reason.NO_OPEN_SEAT)
        return vacant[0]
    require_seat(snapshot, seat)
    if seat not in vacant:
        raise RefereeError(Reason.SEAT_TAKEN, seat=seat)
    return seat


def _mutate(
    snapshot: Snapshot,
    principal: Principal,
    seat: int | None,
    request: bytes,
    act: Callable[[Course, int], Played],
    moment: Moment,
) -> Change:
    mover = seat_of(snapshot, principal, seat)
    if mover is None:
        raise RefereeError(Reason.NOT_PERMITTED)
    if receipt := _receipt(snapshot.ring(mover), request):
        return _replay(snapshot, mover, receipt)
    if snapshot.over:
        raise RefereeError(Reason.MATCH_OVER)
    before, not_after_ms = snapshot.course.seats[mover].decisions, snapshot.deadline_ms(mover, moment)
    course = settled(snapshot, moment)
    try:
        _require_in_play(snapshot, mover)
        played = act(course, mover)
    except RefereeError as refusal:
        metadata = refusal.metadata
        receipt = Receipt(request, snapshot.course.version, before, refusal.reason.name, metadata)
        change = _refused(snapshot, course, mover, receipt, refusal)
    else:
        moves = sum(entry.step == Step.MOVE and entry.actor == Actor.PLAYER for entry in played.entries)
        receipt = Receipt(request, played.version, before + moves)
        change = _accepted(snapshot, mover, receipt, played.course, played.state, played.entries)
    return replace(change, not_after_ms=not_after_ms)


def _refused(snapshot: Snapshot, course: Course, seat: int, receipt: Receipt, refusal: RefereeError) -> Change:
    """Notes a refusal; an illegal move counts where they are counted, and one too many puts the seat out."""
    ring, borne = snapshot.ring(seat).add(receipt), snapshot.head.terms.illegal_moves
    refused = replace(snapshot, rings={**snapshot.rings, seat: ring})
    fields = {ring_field(seat): pack(ring)}
    if refusal.reason not in _FOUL or borne < 0:
        return Change(refused, fields, [], refusal)
    tried = snapshot.course.seats[seat].illegal_moves + 1
    if tried <= borne:
        course = with_seat(snapshot.course, seat, illegal_moves=tried)
        return Change(replace(refused, course=course), {**fields, "course": pack(course)}, [], refusal)
    course = out(with_seat(course, seat, illegal_moves=tried), {seat: Cause.ILLEGAL_MOVES})
    played = advance(snapshot, course, snapshot.game.copy(snapshot.state), [Entry(Step.ILLEGAL_MOVES, seat)])
    after = replace(refused, course=played.course, state=played.state)
    return Change(after, {**fields, "course": pack(played.course)}, played.entries, refusal)


def _require_in_play(snapshot: Snapshot, seat: int) -> None:
    if snapshot.course.status == Status.WAITING:
        raise RefereeError(Reason.MATCH_NOT_STARTED, open=len(snapshot.open_seats()))
    if cause := snapshot.course.seats[seat].cause:
        raise RefereeError(Reason.SEAT_OUT, cause=Cause(cause).name)


def _play(snapshot: Snapshot, course: Course, seat: int, decision: int, choices: Sequence[Choice]) -> Played:
    game, expected = snapshot.game, snapshot.course.seats[seat].decisions
    if decision != expected:
        raise RefereeError(Reason.STALE_DECISION, decision_number=decision, expected=expected)
    if seat not in game.to_act(snapshot.state):
        raise RefereeError(Reason.NOT_TO_ACT, seat=seat)
    moves = [_well_formed(snapshot, seat, place, choice, len(choices)) for place, choice in enumerate(choices)]
    state, asked_ms = game.copy(snapshot.state), snapshot.asked_ms(seat) or 0
    entries, revealed = list[Entry](), False
    for place, move in enumerate(moves):
        if revealed or (place and seat not in game.to_act(state)):
            raise RefereeError(Reason.MOVE_AFTER_REVEAL, move=place)
        try:
            game.check(state, seat, move)
        except IllegalMoveError as error:
            raise RefereeError(Reason.ILLEGAL_MOVE, move=place, rule=error.rule, problem=error.problem) from None
        events = game.play(state, seat, move)
        revealed = any(event.reveals for event in events)
        packed = game.encode_events(events)
        entries.append(
            Entry(Step.MOVE, seat, False, False, packed, expected + place, move, Actor.PLAYER, 0 if place else asked_ms)
        )
    if snapshot.head.terms.bank_ms:
        course = with_seat(course, seat, uncharged_ms=asked_ms)
    return advance(snapshot, course, state, entries)


def _well_formed(snapshot: Snapshot, seat: int, place: int, choice: Choice, count: int) -> int:
    spec = snapshot.game.spec
    match choice:
        case Malformed(problem):
            pass
        case Typed(ruleset, move):
            if ruleset == spec.name:
                return move
            problem = f"is one of {ruleset}, expected one of {spec.name}"
        case ById(move):
            if move < spec.num_actions:
                return move
            problem = f"has id {move}, expected 0 to {spec.num_actions - 1}"
        case ByIndex(index):
            legal = snapshot.game.legal_moves(snapshot.state, seat)
            if count == 1 and index < len(legal):
                return legal[index]
            problem = f"has index {index}, expected 0 to {len(legal) - 1}"
            if count > 1:
                problem = "is chosen by index, which only a call with a single move may do"
    raise RefereeError(Reason.MALFORMED_MOVE, move=place, problem=problem)


def _resign(snapshot: Snapshot, course: Course, seat: int) -> Played:
    entries = [Entry(Step.RESIGNATION, seat)]
    return advance(snapshot, out(course, {seat: Cause.RESIGNED}), snapshot.game.copy(snapshot.state), entries)


def _receipt(ring: Ring, request: bytes) -> Receipt | None:
    receipt = ring.find(request)
    if receipt is not None and receipt.request != request:
        raise RefereeError(Reason.REQUEST_ID_REUSED)
    return receipt


def _replay(snapshot: Snapshot, seat: int, receipt: Receipt) -> Change:
    return Change(snapshot, {}, [], receipt.refusal() or Answer(receipt.version, receipt.decision, seat))


def _accepted(
    snapshot: Snapshot, seat: int, receipt: Receipt, course: Course, state: Any, entries: list[Entry]
) -> Change:
    ring = snapshot.ring(seat).add(receipt)
    after = replace(snapshot, course=course, rings={**snapshot.rings, seat: ring}, state=state)
    fields = {"course": pack(course), ring_field(seat): pack(ring)}
    return Change(after, fields, entries, Answer(receipt.version, receipt.decision, seat))
