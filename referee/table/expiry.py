"""What becomes of a match although nobody does anything: a pure function, as `transitions` has them for callers."""

from typing import Final

from msgspec.structs import replace

from referee.table.clocks import Moment
from referee.table.course import advance, out, replace_course, settled
from referee.table.ids import Principal
from referee.table.snapshot import HOST, Cause, Entry, Snapshot, Status, Step, pack
from referee.table.transitions import Answer, Change

_STEPS: Final = {Cause.TIMED_OUT: Step.TIME_OUT, Cause.DISCONNECTED: Step.DISCONNECTION}


def expire(snapshot: Snapshot, moment: Moment) -> Change | None:
    """Puts out the seats whose time was up before `moment`, or whose grace was over; None if there are none.

    Seats that nobody has taken in time go out too, and the match begins without them.
    """
    deadline_ms = snapshot.next_deadline_ms(moment)
    if deadline_ms is None or moment.now_ms <= deadline_ms:
        return None
    if snapshot.course.status == Status.WAITING:
        causes = dict.fromkeys(snapshot.open_seats(), Cause.NEVER_JOINED)
        entries = [Entry(Step.NEVER_JOINED, seat, started=seat == max(causes)) for seat in causes]
    else:
        causes = _overdue(snapshot, moment)
        entries = [Entry(_STEPS[cause], seat) for seat, cause in causes.items()]
    course = replace_course(settled(snapshot, moment), status=Status.ACTIVE)
    played = advance(snapshot, out(course, causes), snapshot.game.copy(snapshot.state), entries)
    after = replace(snapshot, course=played.course, state=played.state)
    away = {snapshot.head.seats[seat].principal for seat, cause in causes.items() if cause == Cause.DISCONNECTED}
    return Change(
        after,
        {"course": pack(played.course)},
        played.entries,
        Answer(played.version, 0, HOST),
        absent=frozenset(Principal(principal) for principal in away if principal is not None),
    )


def _overdue(snapshot: Snapshot, moment: Moment) -> dict[int, Cause]:
    """Returns which seats should have gone out before a moment, each for what came first."""
    firsts = (min(snapshot.perils(seat, moment), default=None) for seat in range(len(snapshot.course.seats)))
    return {seat: first[1] for seat, first in enumerate(firsts) if first is not None and first[0] < moment.now_ms}
