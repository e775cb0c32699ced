"""What operators do to a match: pure functions, as `transitions` has them for callers."""

from msgspec.structs import replace

from referee.core.errors import Reason, RefereeError
from referee.table.clocks import Moment
from referee.table.course import asked, replace_course, seated, settled
from referee.table.ids import Principal
from referee.table.snapshot import HOST, Entry, Snapshot, Status, Step, pack
from referee.table.transitions import Answer, Change, nothing, require_seat

_ANY_TIME = Moment()


def reseat(snapshot: Snapshot, seat: int, holder: Principal, moment: Moment = _ANY_TIME) -> Change:
    """Gives a seat to a principal, whoever holds it; what the seat is asked, and since when, stays.

    Raises:
        RefereeError: INVALID_FIELD if there is no such seat, MATCH_OVER.
    """
    require_seat(snapshot, seat)
    if snapshot.over:
        raise RefereeError(Reason.MATCH_OVER)
    held = snapshot.head.seats[seat]
    if held.principal == holder:
        return nothing(snapshot)
    given, course, entry = seated(snapshot, seat, replace(held, principal=holder), moment)
    fields = {"head": pack(given.head), "course": pack(course)}
    return Change(replace(given, course=course), fields, [entry], Answer(course.version, 0, HOST))


def abort(snapshot: Snapshot, moment: Moment = _ANY_TIME) -> Change:
    """Ends a match without a result; changes nothing if that was done before.

    Raises:
        RefereeError: MATCH_OVER if it has a result.
    """
    if snapshot.course.status == Status.ABORTED:
        return nothing(snapshot)
    if snapshot.over:
        raise RefereeError(Reason.MATCH_OVER)
    course = replace_course(settled(snapshot, moment), status=Status.ABORTED, version=snapshot.course.version + 1)
    course = asked(snapshot, course, snapshot.state)
    aborted = replace(snapshot, course=course)
    return Change(
        aborted, {"course": pack(course)}, [Entry(Step.ABORTION, 0, ended=True)], Answer(course.version, 0, HOST)
    )
