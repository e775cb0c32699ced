"""A match as operators are shown it, in the types of JSON."""

from datetime import UTC, datetime
from typing import Any

import msgspec

from referee.table.snapshot import Cause, Snapshot, Status, Visibility


def facts(snapshot: Snapshot) -> dict[str, Any]:
    """Returns what there is to know of a match but its state; the seed only once the record may be read."""
    head, course, header = snapshot.head, snapshot.course, snapshot.header
    known = {
        "match_id": snapshot.match_id,
        "ruleset": head.ruleset,
        "rules_version": head.rules_version,
        "data_version": head.data_version,
        "options": dict(head.options),
        "status": _word(Status(course.status)),
        "version": course.version,
        "revision": header.revision if header else 0,
        "created": time_of(header.created_ms if header else 0),
        "last_entry": time_of(snapshot.commit_ms),
        "visibility": _word(Visibility(head.visibility)),
        "disclosure": "on release" if head.on_release else "at end",
        "released": course.released,
        "seed_given": head.seed_given,
        "deal_group": head.deal_group,
        "commitment": head.commitment.hex(),
        "terms": msgspec.structs.asdict(head.terms),
        "seats": [_seat(snapshot, seat) for seat in range(len(head.seats))],
        "end": course.end.reason if course.end else None,
    }
    if snapshot.disclosed:
        known["seed"] = head.seed.hex()
    return known


def time_of(time_ms: int) -> str:
    """Returns a time (ms since 1970) as people write it."""
    return datetime.fromtimestamp(time_ms / 1000, UTC).isoformat(timespec="milliseconds")


def _seat(snapshot: Snapshot, seat: int) -> dict[str, Any]:
    head, course = snapshot.head.seats[seat], snapshot.course.seats[seat]
    asked_ms = snapshot.asked_ms(seat)
    return {
        "seat": seat,
        "name": head.display_name,
        "entrant": f"{head.entrant_name} {head.entrant_version}".strip(),
        "bound": head.principal is not None,
        "decisions": course.decisions,
        "cause": _word(Cause(course.cause)),
        "asked": None if asked_ms is None else time_of(asked_ms),
        "rank": snapshot.course.end.ranks[seat] if snapshot.course.end else None,
    }


def _word(member: Status | Cause | Visibility) -> str:
    return member.name.lower().replace("_", " ")
