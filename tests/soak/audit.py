"""What must be true after a soak: nothing lost, nothing doubled, everything in order."""

from collections import Counter
from collections.abc import Iterator, Sequence

from artreferee.v1 import error_pb2, match_pb2, record_pb2
from clients.replay import ReplayError, replay
from referee.table.snapshot import Actor, Entry, Status, Step
from tests.faults.truth import Kept, assert_consistent
from tests.soak.players import Move, Played, Span

KINDS = ("lost", "doubled", "out of order", "do not replay", "ends not counted once", "told otherwise")


def audit(
    played: Played, kept: Kept, record: record_pb2.MatchRecord, match: match_pb2.Match, listed: int
) -> Iterator[str]:
    """Yields what is wrong with a finished match: one of `KINDS`, a colon, and what.

    Args:
        played: what its players were told.
        kept: what the store holds of it.
        record: its record.
        match: what `GetMatch` tells of it.
        listed: how often it is among the finished matches of the listing.
    """
    wrong = [
        *lost(played, kept.log),
        *doubled(played, kept.log),
        *out_of_order(played.spans),
        *_not_replayed(kept, record),
        *_ends(kept, listed),
        *_told_otherwise(played, record, match),
    ]
    for text in wrong:
        yield f"{text} (match {played.match_id})"


def lost(played: Played, log: Sequence[Entry]) -> Iterator[str]:
    """What was acknowledged and is not in the log as it was told."""
    for move in played.moves:
        if not 0 < move.version <= len(log) or not _is(log[move.version - 1], move):
            yield f"lost: {move}"
    for step, told in ((Step.JOIN, played.joins), (Step.RESIGNATION, played.resignations)):
        for seat, version in told:
            if not 0 < version <= len(log) or (log[version - 1].step, log[version - 1].seat) != (step, seat):
                yield f"lost: {step.name} of seat {seat} as version {version}"


def _is(entry: Entry, move: Move) -> bool:
    told = (Step.MOVE, Actor.PLAYER, move.seat, move.decision, move.move)
    return (entry.step, entry.actor, entry.seat, entry.decision, entry.move) == told


def doubled(played: Played, log: Sequence[Entry]) -> Iterator[str]:
    """What is in the log more often than it was acknowledged, or was acknowledged twice."""
    logged = Counter((Step(entry.step).name, entry.seat) for entry in log if entry.actor == Actor.PLAYER)
    told = Counter(("MOVE", move.seat) for move in played.moves)
    told += Counter(("JOIN", seat) for seat, _ in played.joins)
    told += Counter(("RESIGNATION", seat) for seat, _ in played.resignations)
    for (step, seat), count in (logged - told).items():
        yield f"doubled: seat {seat} has {count} entries {step} more than it was told"
    answers = Counter((move.seat, move.decision) for move in played.moves)
    for (seat, decision), count in answers.items():
        if count > 1:
            yield f"doubled: decision {decision} of seat {seat} was accepted {count} times"


def out_of_order(spans: Sequence[Span]) -> Iterator[str]:
    """Where no order of the calls explains what they told: whoever began after another had ended must tell no less.

    A change must tell more, and no two changes the same.
    """
    ended, newest, place = sorted(spans, key=lambda span: span.ended), 0, 0
    for span in sorted(spans, key=lambda span: span.started):
        while ended[place].ended < span.started:
            newest = max(newest, ended[place].version)
            place += 1
        if span.version < newest + span.change:
            yield f"out of order: {span} began when version {newest} had been told"
    for version, count in Counter(span.version for span in spans if span.change).items():
        if count > 1:
            yield f"out of order: {count} changes were told version {version}"


def _not_replayed(kept: Kept, record: record_pb2.MatchRecord) -> Iterator[str]:
    try:
        assert_consistent(kept)
        for _ in replay(record):
            pass
    except (AssertionError, ReplayError) as error:
        yield f"do not replay: {error}"


def _ends(kept: Kept, listed: int) -> Iterator[str]:
    ends = sum(entry.ended for entry in kept.log)
    if (kept.snapshot.course.status, ends, listed) != (Status.FINISHED, 1, 1):
        yield f"ends not counted once: {ends} in the log, {listed} in the listing"


def _told_otherwise(played: Played, record: record_pb2.MatchRecord, match: match_pb2.Match) -> Iterator[str]:
    refused = {(refusal.seat, refusal.reason): refusal.count for refusal in record.refusals}
    told = {key: count for key, count in played.refused.items() if key[1] != error_pb2.ERROR_REASON_MATCH_OVER}
    if refused != told:
        yield f"told otherwise: the record has the refusals {refused}, the players heard {told}"
    if (match.status, match.version, match.result) != (
        match_pb2.MATCH_STATUS_FINISHED,
        len(record.log),
        record.result,
    ):
        yield f"told otherwise: the record has {len(record.log)} entries, the match has version {match.version}"
