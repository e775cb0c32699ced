"""How a match goes on: its course after what somebody did, or did not do. Pure functions."""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from msgspec.structs import replace

from referee.core.ranking import ranks
from referee.core.seeding import Stream
from referee.table.clocks import Deadline, Moment, Terms, earliest
from referee.table.snapshot import Actor, Cause, Course, End, Entry, SeatCourse, SeatHead, Snapshot, Status, Step


class Played(NamedTuple):
    """What was played: course and state afterwards, the log entries, and the version that the caller is told."""

    course: Course
    state: Any
    entries: list[Entry]
    version: int  # after the caller's own part; autopilot moves may follow


def replace_course(course: Course, **changes: Any) -> Course:
    """Returns the course with some fields changed."""
    return replace(course, **changes)


def with_seat(course: Course, seat: int, **changes: Any) -> Course:
    """Returns the course with some fields of a seat changed."""
    seats = list(course.seats)
    seats[seat] = replace(seats[seat], **changes)
    return replace_course(course, seats=tuple(seats))


def out(course: Course, causes: Mapping[int, Cause]) -> Course:
    """Takes seats out of the competition; those that go together are equals."""
    for seat, cause in causes.items():
        course = with_seat(course, seat, cause=cause, out_version=course.version + 1)
    return course


def settled(snapshot: Snapshot, moment: Moment) -> Course:
    """Charges the banks for the answers that the newest write made."""
    course = snapshot.course
    for seat, fares in enumerate(course.seats):
        if fares.uncharged_ms is not None:
            course = with_seat(course, seat, bank_ms=snapshot.bank_ms(seat, moment), uncharged_ms=None)
    return course


def deadline_of(fares: SeatCourse, terms: Terms, moment: Moment, seen_ms: int) -> Deadline:
    """Returns when a seat goes out if nothing happens, as far as known before the write that asks it."""
    if fares.asked_ms is None:
        return Deadline()
    time_up = _time_up(fares, fares.asked_ms, terms, moment) if terms.timed else Deadline()
    if not terms.grace_ms:
        return time_up
    since_ms = max(fares.asked_ms, seen_ms)
    away = Deadline(moment.after(since_ms, terms.absence_ms)) if fares.asked_ms else Deadline(None, terms.absence_ms)
    return earliest((time_up, away))


def _time_up(fares: SeatCourse, asked_ms: int, terms: Terms, moment: Moment) -> Deadline:
    bank_ms = fares.bank_ms
    if fares.uncharged_ms is not None:
        bank_ms = terms.charged(bank_ms, moment.between(fares.uncharged_ms, moment.now_ms))
    allowance_ms = terms.allowance_ms(bank_ms)
    return Deadline(moment.after(asked_ms, allowance_ms)) if asked_ms else Deadline(None, allowance_ms)


def advance(snapshot: Snapshot, course: Course, state: Any, entries: list[Entry]) -> Played:
    """Lets the autopilot play seats that are out and due, ends the match when it is over, and brings numbers up."""
    own = course.version + len(entries)
    game, seed = snapshot.game, snapshot.head.seed
    decisions = [seat.decisions for seat in course.seats]
    for entry in entries:
        decisions[entry.seat] += entry.step == Step.MOVE
    live = [seat for seat, fares in enumerate(course.seats) if not fares.cause]
    while 1 < len(live) < len(course.seats):
        due = next((seat for seat in game.to_act(state) if course.seats[seat].cause), None)
        if due is None:
            break
        move = game.autopilot(game.view(state, due), Stream(seed, "autopilot", due, decisions[due]))
        events = game.encode_events(game.play(state, due, move))
        entries.append(Entry(Step.MOVE, due, False, False, events, decisions[due], move, Actor.AUTOPILOT))
        decisions[due] += 1
    end = _end(snapshot, course, state, live)
    if end:
        entries[-1] = replace(entries[-1], ended=True)
    seats = tuple(
        fares if fares.decisions == made else replace(fares, decisions=made)
        for fares, made in zip(course.seats, decisions, strict=True)
    )
    status = Status.FINISHED if end else course.status
    course = replace_course(
        course,
        status=status,
        version=course.version + len(entries),
        seats=_asked(snapshot, status, seats, state),
        end=end,
        state=game.encode(state),
    )
    return Played(course, state, entries, own)


def asked(snapshot: Snapshot, course: Course, state: Any) -> Course:
    """Notes for each seat since when it has been asked; 0, the time of this very write, where a question is new."""
    return replace_course(course, seats=_asked(snapshot, course.status, course.seats, state))


def seated(snapshot: Snapshot, seat: int, sitter: SeatHead, moment: Moment) -> tuple[Snapshot, Course, Entry]:
    """Puts somebody on a seat; with the last open one play begins."""
    seats = list(snapshot.head.seats)
    seats[seat] = sitter
    sitting = replace(snapshot, head=replace(snapshot.head, seats=tuple(seats)))
    started = snapshot.course.status == Status.WAITING and not sitting.open_seats()
    course = replace_course(settled(snapshot, moment), version=snapshot.course.version + 1)
    if started:
        course = replace_course(course, status=Status.ACTIVE)
    return sitting, asked(snapshot, course, snapshot.state), Entry(Step.JOIN, seat, started=started)


def _asked(snapshot: Snapshot, status: int, seats: Sequence[SeatCourse], state: Any) -> tuple[SeatCourse, ...]:
    due = snapshot.game.to_act(state) if status == Status.ACTIVE else ()
    asked = []
    for seat, (fares, before) in enumerate(zip(seats, snapshot.course.seats, strict=True)):
        asked_ms = None
        if seat in due and not fares.cause:
            kept = before.asked_ms is not None and before.decisions == fares.decisions
            asked_ms = snapshot.asked_ms(seat) if kept else 0
        asked.append(fares if fares.asked_ms == asked_ms else replace(fares, asked_ms=asked_ms))
    return tuple(asked)


def _end(snapshot: Snapshot, course: Course, state: Any, live: list[int]) -> End | None:
    outcome = snapshot.game.result(state)
    if outcome is None and len(live) > 1:
        return None
    standings = [
        (0, fares.out_version) if fares.cause else (1, -outcome.ranks[seat] if outcome else 0)
        for seat, fares in enumerate(course.seats)
    ]
    if outcome is None:
        return End("LAST_SEAT" if live else "NO_SEAT", ranks(standings), None)
    return End(outcome.reason, ranks(standings), outcome.scores)
