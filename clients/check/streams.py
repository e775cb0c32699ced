"""What WatchMatch tells: every entry once, in order, the same to all, and the end."""

from collections.abc import Sequence
from typing import Final

import grpc

from artreferee.v1 import match_pb2, service_pb2
from clients.check import calls
from clients.check.calls import Caller, Stream
from clients.check.checks import CheckFailedError, CheckSkippedError, alike, check, equal, expect, within
from clients.check.errors import ABSENT
from clients.check.played import Played, Watched, all_played, in_hindsight, who
from clients.check.reasons import refused
from clients.check.subject import Sitting, Subject

_LONGEST_HEARTBEAT_S: Final = 600.0
_RESUMED: Final = 12  # versions of each match from which a stream is resumed, about
_BEYOND: Final = 10**9

Watch = Stream[service_pb2.WatchMatchResponse]


@in_hindsight
async def each_version_is_told_once(subject: Subject) -> None:
    """A stream begins with a snapshot; then each version comes once, in order, or a newer snapshot instead of some."""
    for match in await all_played(subject):
        for viewer, watched in match.watched.items():
            where = f"WatchMatch of {match.name}, for {who(viewer)},"
            expect(bool(watched.messages), f"{where} told nothing {watched.fault or 'before it ended'}")
            begins = watched.messages[0].WhichOneof("message")
            equal(f"what {where} begins with", begins, "snapshot")
            _require_in_order(where, watched.messages, None)
            equal(f"the last version that {where} told", _version(watched.messages[-1]), match.final[None].version)


def _require_in_order(where: str, messages: Sequence[service_pb2.WatchMatchResponse], version: int | None) -> None:
    for message in messages:
        came = _version(message)
        if message.HasField("update"):
            equal(f"the version that {where} told after {version}", came, (version or 0) + 1)
        elif version is not None:
            expect(came > version, f"{where} told a snapshot of version {came} after {version}, expected a newer one")
        version = came


def _version(message: service_pb2.WatchMatchResponse) -> int:
    return message.snapshot.version if message.HasField("snapshot") else message.update.version


@in_hindsight
async def the_newest_update_shows_the_match(subject: Subject) -> None:
    """Of updates sent together the newest has the match as it is at its version."""
    for match in await all_played(subject):
        for viewer, watched in match.watched.items():
            for update in watched.updates:
                if update.HasField("match"):
                    where = f"the match in update {update.version} of {match.name} for {who(viewer)}"
                    equal(f"the version of {where}", update.match.version, update.version)
            last = watched.messages[-1] if watched.messages else service_pb2.WatchMatchResponse()
            shown = last.snapshot if last.HasField("snapshot") else last.update.match
            alike(f"the last match that WatchMatch of {match.name} shows {who(viewer)}", shown, match.final[viewer])


@in_hindsight
async def streams_agree_with_calls(subject: Subject) -> None:
    """At one version a viewer is shown the same match by GetMatch, SubmitMove and WatchMatch, to the byte."""
    for match in await all_played(subject):
        seen = dict[tuple[int | None, int], match_pb2.Match]()
        for sighting in match.shown():
            first = seen.setdefault((sighting.viewer, sighting.match.version), sighting.match)
            where = f"{match.name} at version {sighting.match.version}, for {who(sighting.viewer)}"
            alike(f"what {sighting.call} shows of {where}", sighting.match, first)


@in_hindsight
async def watchers_are_told_the_same(subject: Subject) -> None:
    """Of each version all watchers are told the same seat and actor, and whatever a spectator is told besides."""
    for match in await all_played(subject):
        public = {update.version: update for update in match.watched[None].updates}
        for viewer, watched in match.watched.items():
            for update in watched.updates:
                if (common := public.get(update.version)) is None:
                    continue
                where = f"entry {update.version} of {match.name}, told to {who(viewer)}"
                equal(f"seat and actor of {where}", (update.seat, update.actor), (common.seat, common.actor))
                rest = iter(update.events)
                told = all(any(event == other for other in rest) for event in common.events)
                expect(told, f"{where}, lacks an event that a spectator is told of, or has it elsewhere")


@in_hindsight
async def the_log_is_what_was_told(subject: Subject) -> None:
    """Updates tell of each entry of the record's log its seat and actor, and of joinings, resignations and the end."""
    for match in await all_played(subject):
        for update in match.watched[None].updates:
            entry = match.record.log[update.version - 1]
            where = f"update {update.version} of {match.name}"
            equal(f"seat and actor of {where}", (update.seat, update.actor), (entry.seat, entry.move.actor))
            kinds = {str(event.WhichOneof("event")) for event in update.events}
            for kind, expected in (
                ("seat_joined", entry.HasField("join")),
                ("seat_resigned", entry.HasField("resignation")),
                ("match_started", update.version == len(match.sitting.players) - 1),
                ("match_finished", update.version == len(match.record.log)),
            ):
                equal(f"whether {where} tells of {kind}", kind in kinds, expected)


@in_hindsight
async def streams_end_with_the_match(subject: Subject) -> None:
    """After the end of the match has been told a stream ends with OK."""
    for match in await all_played(subject):
        for viewer, watched in match.watched.items():
            _require_ok(f"WatchMatch of {match.name}, for {who(viewer)},", watched)


def _require_ok(where: str, watched: Watched) -> None:
    expect(watched.end is not None, f"{where} did not end with the match: {watched.fault or 'it went on'}")
    if watched.end is not None:
        equal(f"how {where} ended", watched.end.told, grpc.StatusCode.OK.name)


@in_hindsight
async def streams_resume_after_any_version(subject: Subject) -> None:
    """With after_version, WatchMatch tells the versions behind it as it told them before, or a snapshot instead."""
    for match in await all_played(subject):
        last = match.final[None].version
        for viewer in (0, None):
            told = {update.version: update for update in match.watched[viewer].updates}
            for after in [*range(0, last, max(1, last // _RESUMED)), last - 1]:
                messages = await _resumed(match, viewer, after)
                where = f"WatchMatch of {match.name} resumed after {after}, for {who(viewer)},"
                _require_in_order(where, messages, after)
                equal(f"the last version that {where} told", _version(messages[-1]) if messages else after, last)
                for message in messages:
                    _require_as_before(where, message.update, told)


async def _resumed(match: Played, viewer: int | None, after: int) -> list[service_pb2.WatchMatchResponse]:
    request = service_pb2.WatchMatchRequest(match_id=match.sitting.match_id, after_version=after)
    stream = match.sitting.caller(viewer).stream(calls.WATCH_MATCH, request)
    messages = [message async for message in stream.rest() if not message.HasField("heartbeat")]
    equal(f"how WatchMatch of {match.name}, resumed after {after}, ended", (await stream.end()).told, "OK")
    return messages


def _require_as_before(where: str, update: match_pb2.Update, told: dict[int, match_pb2.Update]) -> None:
    before = told.get(update.version)
    if before is None:
        return
    equal(f"seat and actor that {where} told", (update.seat, update.actor), (before.seat, before.actor))
    equal(f"the events of version {update.version} that {where} told", list(update.events), list(before.events))


@check
async def streams_resume_while_the_match_goes_on(subject: Subject) -> None:
    """A stream resumed at the newest version tells nothing until the next entry; one resumed beyond it, a snapshot."""
    sitting = await subject.sit(subject.simplest())
    await sitting.play(2)
    now = (await sitting.see(0)).version
    current, behind, beyond = [_watch(sitting, 0, after) for after in (now, now - 1, _BEYOND)]
    equal("the version after the one that a stream was resumed at", (await _told(behind)).update.version, now)
    equal("what a stream resumed beyond the newest version tells", (await _told(beyond)).snapshot.version, now)
    await sitting.play()
    for stream in (current, behind, beyond):
        equal("the version that a resumed stream tells of the next move", (await _told(stream)).update.version, now + 1)
        stream.cancel()


@check
async def strangers_are_not_shown_a_seat(subject: Subject) -> None:
    """WatchMatch without a good principal, or for a seat not held, ends with its reason and has told nothing."""
    sitting = await subject.sit(subject.simplest())
    request = service_pb2.WatchMatchRequest(match_id=sitting.match_id, seat=0)
    player = _watch(sitting, 0, None)
    await _told(player)
    strangers: Sequence[tuple[str, Caller]] = (
        ("PRINCIPAL_MISSING", subject.nobody()),
        ("PRINCIPAL_MALFORMED", subject.nobody((("authorization", "Bearer x"),))),
        ("NOT_PERMITTED", sitting.spectator),
        ("NOT_PERMITTED", sitting.players[1]),
    )
    streams = [(reason, stranger.stream(calls.WATCH_MATCH, request)) for reason, stranger in strangers]
    await sitting.play()
    await _told(player)
    player.cancel()
    for reason, stream in streams:
        told = [message async for message in stream.rest()]
        equal(f"the number of messages to whoever is refused with {reason}", len(told), 0)
        refused("WatchMatch of another's seat", await stream.end(), reason)
    absent = service_pb2.WatchMatchRequest(match_id=ABSENT, seat=0)
    stream = sitting.spectator.stream(calls.WATCH_MATCH, absent)
    expect(await stream.next() is None, "WatchMatch of a seat in a match that is not there tells something")
    refused("WatchMatch of a seat in a match that is not there", await stream.end(), "NOT_PERMITTED")


@within(_LONGEST_HEARTBEAT_S)
async def silent_streams_live(subject: Subject) -> None:
    """A stream to which nothing happens sends a heartbeat with the version of the match."""
    if subject.heartbeat_s is None:
        raise CheckSkippedError("it takes long: ask for it with --heartbeat SECONDS")
    sitting = await subject.sit(subject.simplest())
    stream = _watch(sitting, 0, 0)
    message = await stream.next(subject.heartbeat_s)
    stream.cancel()
    if message is None:
        raise CheckFailedError(f"WatchMatch ended with {(await stream.end()).told}, expected a heartbeat")
    equal("what comes when nothing happens", message.WhichOneof("message"), "heartbeat")
    equal("the version of a heartbeat", message.heartbeat.version, 0)


def _watch(sitting: Sitting, seat: int, after: int | None) -> Watch:
    request = service_pb2.WatchMatchRequest(match_id=sitting.match_id, after_version=after)
    return sitting.players[seat].stream(calls.WATCH_MATCH, request)


async def _told(stream: Watch) -> service_pb2.WatchMatchResponse:
    while (message := await stream.next()) is not None:
        if not message.HasField("heartbeat"):
            return message
    raise CheckFailedError(f"WatchMatch ended with {(await stream.end()).told}, expected it to go on")
