"""Writing answers: what the table returns, as far as a viewer may know it. The one way out for views and events."""

from collections.abc import Callable, Iterable
from typing import Final

from artreferee.v1 import error_pb2, match_pb2, record_pb2, ruleset_pb2, service_pb2
from referee.api.errors import CODES, RETRIABLE
from referee.core.errors import Reason, RefereeError
from referee.core.game import Spec
from referee.table.clocks import Moment, Terms
from referee.table.ids import MatchId
from referee.table.session import News, Outcome
from referee.table.snapshot import HOST, Actor, Cause, Entry, SeatHead, Snapshot, Status, Step, Visibility
from referee.table.table import Seen, Tidings, Told
from referee.table.transitions import Answer
from referee.wire import wires
from referee.wire.fragments import fields, inner, kept, numbers
from referee.wire.record import RECORD_VERSION, checksum

_STATUS: Final[dict[int, match_pb2.MatchStatus.ValueType]] = {
    Status.WAITING: match_pb2.MATCH_STATUS_WAITING,
    Status.ACTIVE: match_pb2.MATCH_STATUS_ACTIVE,
    Status.FINISHED: match_pb2.MATCH_STATUS_FINISHED,
    Status.ABORTED: match_pb2.MATCH_STATUS_ABORTED,
}
_CAUSE: Final[dict[int, match_pb2.Cause.ValueType]] = {
    Cause.NONE: match_pb2.CAUSE_UNSPECIFIED,
    Cause.RESIGNED: match_pb2.CAUSE_RESIGNED,
    Cause.TIMED_OUT: match_pb2.CAUSE_TIMED_OUT,
    Cause.ILLEGAL_MOVES: match_pb2.CAUSE_ILLEGAL_MOVES,
    Cause.NEVER_JOINED: match_pb2.CAUSE_NEVER_JOINED,
    Cause.DISCONNECTED: match_pb2.CAUSE_DISCONNECTED,
}
_OUT: Final = {
    Step.TIME_OUT: match_pb2.CAUSE_TIMED_OUT,
    Step.ILLEGAL_MOVES: match_pb2.CAUSE_ILLEGAL_MOVES,
    Step.NEVER_JOINED: match_pb2.CAUSE_NEVER_JOINED,
    Step.DISCONNECTION: match_pb2.CAUSE_DISCONNECTED,
}
_VISIBILITY: Final = {
    Visibility.PUBLIC: match_pb2.VISIBILITY_PUBLIC,
    Visibility.UNLISTED: match_pb2.VISIBILITY_UNLISTED,
    Visibility.PRIVATE: match_pb2.VISIBILITY_PRIVATE,
}
_ACTOR: Final = {Actor.PLAYER: match_pb2.ACTOR_PLAYER, Actor.AUTOPILOT: match_pb2.ACTOR_AUTOPILOT}
_ORIGIN: Final = {
    "rule_book": ruleset_pb2.DATA_ORIGIN_RULE_BOOK,
    "public_fact": ruleset_pb2.DATA_ORIGIN_PUBLIC_FACT,
    "reconstruction": ruleset_pb2.DATA_ORIGIN_RECONSTRUCTION,
}
STATUSES: Final[dict[int, Status]] = {number: Status(status) for status, number in _STATUS.items()}
_SUBMITTED: Final = fields(service_pb2.SubmitMoveResponse, "version", "decision_number")
_SUBMITTED_MATCH: Final = inner(service_pb2.SubmitMoveResponse, "match")
_MATCH: Final = fields(match_pb2.Match, "status", "version", "viewer_seat")
_SEATS: Final = inner(match_pb2.Match, "seats")
_SEAT: Final = fields(match_pb2.Seat, "decision_number", "to_act", "cause", "bank_ms")
_VIEW: Final = inner(match_pb2.Match, "view")
_PROMPT: Final = inner(match_pb2.Match, "prompt")
_QUESTION: Final = fields(match_pb2.Prompt, "decision_number", "legal_count", "remaining_ms")
_LEGAL_IDS: Final = inner(match_pb2.Prompt, "legal_ids")
_LEGAL_MOVES: Final = inner(match_pb2.Prompt, "legal_moves")
_INDEX: Final = fields(match_pb2.LegalMove, "index")
_OUTCOMES: Final = inner(service_pb2.PlayResponse, "outcomes")
_SEATED: Final = inner(service_pb2.PlayResponse, "seated")
_ASKED: Final = inner(service_pb2.PlayResponse, "asked")
_ENDED: Final = inner(service_pb2.PlayResponse, "ended")
_REQUEST_ID: Final = inner(service_pb2.PlayOutcome, "request_id")
_MATCH_ID: Final = inner(service_pb2.PlayOutcome, "match_id")
_ACCEPTED: Final = inner(service_pb2.PlayOutcome, "accepted")
_REFUSED: Final = inner(service_pb2.PlayOutcome, "refused")
_SNAPSHOT: Final = inner(service_pb2.WatchMatchResponse, "snapshot")
_UPDATE: Final = inner(service_pb2.WatchMatchResponse, "update")
_UPDATED: Final = inner(match_pb2.Update, "match")
_PLAYED: Final = fields(service_pb2.PlayAccepted, "version", "decision_number")
Refusal = Callable[[str, Exception], RefereeError]
"""Takes a match id and the error that a move of that match met; returns what its player is told."""


def ruleset(spec: Spec) -> ruleset_pb2.Ruleset:
    """Returns the facts of a ruleset."""
    return ruleset_pb2.Ruleset(
        name=spec.name,
        title=spec.title,
        rules_version=spec.rules_version,
        data_version=spec.data_version,
        data_digest=spec.data_digest,
        min_seats=min(spec.seats),
        max_seats=max(spec.seats),
        num_actions=spec.num_actions,
        max_legal_moves=spec.max_legal_moves,
        data_sources=[
            ruleset_pb2.DataSource(part=source.part, origin=_ORIGIN[source.origin], note=source.note)
            for source in spec.sources
        ],
    )


def submitted(answer: Answer, snapshot: Snapshot, detail: int, moment: Moment) -> bytes:
    """Returns the packed answer to SubmitMove."""
    accepted = _SUBMITTED(answer.version, answer.decision)
    if detail == match_pb2.DETAIL_NONE:
        return accepted
    return accepted + _SUBMITTED_MATCH(packed_match(Seen(snapshot, answer.seat), detail, moment))


def match(seen: Seen, detail: int, moment: Moment) -> match_pb2.Match:
    """Returns a match as its viewer may know it at a moment."""
    return match_pb2.Match.FromString(packed_match(seen, detail, moment))


def packed_match(seen: Seen, detail: int, moment: Moment) -> bytes:
    """Returns the same packed, as it goes out with every move."""
    snapshot, viewer = seen.snapshot, seen.viewer
    head, course, due = snapshot.head, snapshot.course, snapshot.to_act()
    promises = head.commitment, head.on_release, head.seed_given
    parts = [_fixed(snapshot.match_id, head.ruleset, head.rules_version, *promises, head.visibility, head.terms)]
    parts.append(_MATCH(_STATUS[course.status], course.version, viewer))
    for seat, fares in enumerate(course.seats):
        bank_ms = snapshot.bank_ms(seat, moment) if head.terms.bank_ms else None
        parts.append(_SEATS(_who(head.seats[seat]) + _SEAT(fares.decisions, seat in due, _CAUSE[fares.cause], bank_ms)))
    if result := _result(snapshot):
        parts.append(match_pb2.Match(result=result).SerializeToString())
    if detail != match_pb2.DETAIL_NONE:
        parts.append(_VIEW(wires()[head.ruleset].packed_view(snapshot.game.view(snapshot.state, viewer))))
    if viewer is not None and viewer in due:
        parts.append(_PROMPT(_prompt(snapshot, viewer, detail, moment)))
    return b"".join(parts)


@kept
def _fixed(
    match_id: MatchId,
    ruleset: str,
    rules_version: str,
    commitment: bytes,
    on_release: bool,
    seed_given: bool,
    visibility: int,
    terms: Terms,
) -> match_pb2.Match:
    return match_pb2.Match(
        match_id=match_id,
        ruleset=ruleset,
        rules_version=rules_version,
        commitment=commitment,
        disclosure=match_pb2.DISCLOSURE_ON_RELEASE if on_release else match_pb2.DISCLOSURE_AT_END,
        seed_given=seed_given,
        visibility=_VISIBILITY[Visibility(visibility)],
        time_control=_time_control(terms),
        fault_policy=_fault_policy(terms),
    )


@kept
def _who(head: SeatHead) -> match_pb2.Seat:
    bound = head.principal is not None
    return match_pb2.Seat(bound=bound, display_name=head.display_name, entrant=_entrant(head))


def introduced(seen: Seen, detail: int, moment: Moment) -> match_pb2.Match:
    """Returns a match as `match` does, with what its viewer is told once."""
    message = match(seen, detail, moment)
    if seen.viewer is not None and (bot_seed := seen.snapshot.bot_seed(seen.viewer)):
        message.bot_seed = bot_seed
    return message


def watched(tidings: Tidings, detail: int, moment: Moment) -> Iterable[bytes]:
    """Returns what a watcher is told, message by message, packed."""
    seen = tidings.seen
    if tidings.anew:
        yield _SNAPSHOT(introduced(seen, detail, moment).SerializeToString())
    elif not tidings.entries:
        heartbeat = service_pb2.Heartbeat(version=seen.snapshot.course.version)
        yield service_pb2.WatchMatchResponse(heartbeat=heartbeat).SerializeToString()
    for told in tidings.entries:
        update = _update(seen, told).SerializeToString()
        if told is tidings.entries[-1]:
            update += _UPDATED(packed_match(seen, detail, moment))
        yield _UPDATE(update)


def played(news: News, detail: int, moment: Moment, refusal: Refusal) -> bytes:
    """Returns what a player is told, packed."""
    parts = [_OUTCOMES(_outcome(outcome, refusal)) for outcome in news.outcomes]
    for seen in news.seated:
        message = introduced(seen, match_pb2.DETAIL_NONE, moment)
        message.ClearField("prompt")  # it follows among those that are asked
        parts.append(_SEATED(message.SerializeToString()))
    parts += [_ASKED(packed_match(seen, detail, moment)) for seen in news.asked]
    parts += [_ENDED(packed_match(seen, detail, moment)) for seen in news.ended]
    return b"".join(parts)


def record(snapshot: Snapshot, log: list[Told], moment: Moment) -> record_pb2.MatchRecord:
    """Returns a match that has ended with everything in it; the caller has seen that it may be disclosed."""
    head, wire = snapshot.head, wires()[snapshot.head.ruleset]
    message = record_pb2.MatchRecord(
        record_version=RECORD_VERSION,
        match_id=snapshot.match_id,
        ruleset=head.ruleset,
        rules_version=head.rules_version,
        data_version=head.data_version,
        data_digest=head.data_digest,
        options=wire.options(head.options),
        seats=[
            record_pb2.RecordSeat(
                display_name=seat.display_name, entrant=_entrant(seat), bot_seed=snapshot.bot_seed(place)
            )
            for place, seat in enumerate(head.seats)
        ],
        seed=head.seed,
        seed_given=head.seed_given,
        commitment=head.commitment,
        deal_group=head.deal_group,
        create_time_ms=snapshot.header.created_ms if snapshot.header else 0,
        end_time_ms=log[-1].time_ms,
        log=[_log_entry(snapshot, told, moment) for told in log],
        refusals=[
            record_pb2.Refusal(seat=seat, reason=error_pb2.ErrorReason.Value(f"ERROR_REASON_{reason}"), count=count)
            for seat, ring in sorted(snapshot.rings.items())
            if seat != HOST
            for reason, count in sorted(ring.refused.items())
        ],
        result=_result(snapshot),
        time_control=_time_control(head.terms),
        fault_policy=_fault_policy(head.terms),
    )
    for start_ms, end_ms in moment.outages:
        if end_ms > message.create_time_ms and start_ms < message.end_time_ms:
            message.outages.add(start_time_ms=start_ms, end_time_ms=end_ms)
    message.checksum = checksum(message)
    return message


def _outcome(outcome: Outcome, refusal: Refusal) -> bytes:
    named = _REQUEST_ID(outcome.request_id.encode()) + _MATCH_ID(outcome.match_id.encode())
    if isinstance(outcome.answer, Answer):
        return named + _ACCEPTED(_PLAYED(outcome.answer.version, outcome.answer.decision))
    error = refusal(outcome.match_id, outcome.answer)
    return named + _REFUSED(_refused(error.reason, tuple(sorted(error.metadata.items())), str(error)))


@kept
def _refused(reason: Reason, metadata: tuple[tuple[str, str], ...], text: str) -> service_pb2.PlayRefused:
    return service_pb2.PlayRefused(
        code=CODES[reason],
        reason=error_pb2.ErrorReason.Value(f"ERROR_REASON_{reason.name}"),
        metadata=[service_pb2.ErrorMetadata(key=key, value=value) for key, value in metadata],
        text=text,
        retriable=reason in RETRIABLE,
    )


def _prompt(snapshot: Snapshot, seat: int, detail: int, moment: Moment) -> bytes:
    legal, ruleset = snapshot.game.legal_moves(snapshot.state, seat), snapshot.head.ruleset
    asked = _QUESTION(snapshot.course.seats[seat].decisions, len(legal), snapshot.left_ms(seat, moment))
    if detail == match_pb2.DETAIL_IDS:
        return asked + _LEGAL_IDS(numbers(legal))
    if detail == match_pb2.DETAIL_FULL:
        moves = (_LEGAL_MOVES(_INDEX(index) + _described(ruleset, move)) for index, move in enumerate(legal))
        return asked + b"".join(moves)
    return asked


@kept
def _described(ruleset: str, move: int) -> match_pb2.LegalMove:
    wire = wires()[ruleset]
    return match_pb2.LegalMove(id=move, move=wire.move(move), text=wire.game.describe(move))


def _update(seen: Seen, told: Told) -> match_pb2.Update:
    snapshot, entry = seen.snapshot, told.entry
    update = match_pb2.Update(version=told.version, seat=entry.seat)
    match entry.step:
        case Step.JOIN:
            update.events.add(seat_joined=match_pb2.SeatJoined(seat=entry.seat))
        case Step.RESIGNATION:
            update.events.add(seat_resigned=match_pb2.SeatResigned(seat=entry.seat))
        case Step.MOVE:
            update.actor = _ACTOR[Actor(entry.actor)]
            update.events.extend(_game_events(snapshot, entry, seen.viewer))
        case Step.ABORTION:
            update.events.add(match_aborted=match_pb2.MatchAborted())
        case step:
            update.events.add(seat_out=match_pb2.SeatOut(seat=entry.seat, cause=_OUT[Step(step)]))
    if entry.started:
        update.events.add(match_started=match_pb2.MatchStarted())
    if entry.ended and (result := _result(snapshot)):
        update.events.add(match_finished=match_pb2.MatchFinished(result=result))
    return update


def _game_events(snapshot: Snapshot, entry: Entry, viewer: int | None) -> Iterable[match_pb2.Event]:
    wire = wires()[snapshot.head.ruleset]
    for event in snapshot.game.decode_events(entry.events):
        if event.audience is None or event.audience == viewer:
            yield match_pb2.Event(game=wire.event(event))


def _log_entry(snapshot: Snapshot, told: Told, moment: Moment) -> record_pb2.LogEntry:
    entry = told.entry
    message = record_pb2.LogEntry(version=told.version, seat=entry.seat, time_ms=told.time_ms)
    match entry.step:
        case Step.JOIN:
            message.join.SetInParent()
        case Step.RESIGNATION:
            message.resignation.SetInParent()
        case Step.ABORTION:
            message.abortion.SetInParent()
        case Step.MOVE:
            message.move.CopyFrom(
                record_pb2.LoggedMove(
                    decision_number=entry.decision,
                    id=entry.move,
                    move=wires()[snapshot.head.ruleset].move(entry.move),
                    actor=_ACTOR[Actor(entry.actor)],
                    thinking_ms=max(0, moment.between(entry.asked_ms, told.time_ms)) if entry.asked_ms else 0,
                )
            )
        case step:
            fares = snapshot.course.seats[entry.seat]
            message.out.CopyFrom(record_pb2.LoggedOut(cause=_OUT[Step(step)], out_version=fares.out_version))
    return message


def _result(snapshot: Snapshot) -> match_pb2.Result | None:
    end = snapshot.course.end
    if end is None:
        return None
    return match_pb2.Result(
        seats=[
            match_pb2.SeatResult(
                rank=rank,
                score=end.scores[seat] if end.scores is not None else None,
                cause=_CAUSE[snapshot.course.seats[seat].cause],
            )
            for seat, rank in enumerate(end.ranks)
        ],
        reason=end.reason,
    )


def _time_control(terms: Terms) -> match_pb2.TimeControl | None:
    if not terms.timed:
        return None
    return match_pb2.TimeControl(
        move_limit_ms=terms.move_ms,
        bank_ms=terms.bank_ms,
        increment_ms=terms.increment_ms,
        margin_ms=terms.margin_ms,
    )


def _fault_policy(terms: Terms) -> match_pb2.FaultPolicy | None:
    illegal_moves = terms.illegal_moves if terms.illegal_moves >= 0 else None
    if illegal_moves is None and not terms.join_ms and not terms.grace_ms:
        return None
    return match_pb2.FaultPolicy(
        join_limit_ms=terms.join_ms, illegal_moves=illegal_moves, disconnect_grace_ms=terms.grace_ms
    )


def _entrant(seat: SeatHead) -> match_pb2.Entrant | None:
    return match_pb2.Entrant(name=seat.entrant_name, version=seat.entrant_version) if seat.entrant_name else None
