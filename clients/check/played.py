"""Matches played to their end, with everything that anybody was sent meanwhile: what many checks look at."""

import asyncio
import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Final

from artreferee.v1 import match_pb2, record_pb2, ruleset_pb2, service_pb2
from clients.check import calls
from clients.check.calls import Reply
from clients.check.checks import CheckFailedError, within
from clients.check.subject import Sitting, Subject
from clients.sdk import new_request_id

_MOST_MOVES: Final = 2000
_LOOKED_AT_EVERY: Final = 4  # moves; those who watch see the rest
_RESIGNS_AT: Final = 6  # decisions of the last seat
_TOLD_WITHIN_S: Final = 20.0  # longer than heartbeats are apart
_ENDED_WITHIN_S: Final = 10.0
WAYS: Final = ("index", "id", "move")
in_hindsight: Final = within(120.0)
"""Makes a check that looks at played matches; the first one waits until they are, which takes long over a long way."""


@dataclass(frozen=True, slots=True)
class Sighting:
    """A match as a viewer was shown it by a call."""

    viewer: int | None
    call: str
    match: match_pb2.Match


@dataclass(frozen=True, slots=True)
class Accepted:
    """An accepted move: whose, how it was chosen, what it answered, and the answer."""

    seat: int
    way: str
    prompt: match_pb2.Prompt
    chosen: match_pb2.LegalMove
    answer: service_pb2.SubmitMoveResponse


@dataclass
class Watched:
    """What one viewer was told by WatchMatch, and how that ended; None if it did not in time."""

    messages: list[service_pb2.WatchMatchResponse] = field(default_factory=list)
    end: Reply[service_pb2.WatchMatchResponse] | None = None
    fault: str = ""

    @property
    def updates(self) -> list[match_pb2.Update]:
        """The updates among them."""
        return [message.update for message in self.messages if message.HasField("update")]

    @property
    def results(self) -> list[match_pb2.Result]:
        """The results that were told: by an update, or by a snapshot that took its place."""
        told = [event.match_finished.result for update in self.updates for event in update.events]
        return [result for result in (*told, *(m.snapshot.result for m in self.messages)) if result.seats]

    @property
    def matches(self) -> Iterator[match_pb2.Match]:
        """The match as it was shown, time after time."""
        for message in self.messages:
            if message.HasField("snapshot"):
                yield message.snapshot
            elif message.update.HasField("match"):
                yield message.update.match


@dataclass
class Played:
    """A match from its first joining to its record.

    Attributes:
        sitting: who sits around it.
        sightings: what was shown, in the order of the answers.
        accepted: the moves of the players.
        resigned: the version that took the last seat out; 0 if it stayed.
        watched: what each viewer was told.
        heard: all that reached anybody before the record was read, as bytes.
        final: the match at its end, as each viewer was shown it.
        reply: the answer to GetRecord.
    """

    sitting: Sitting
    sightings: list[Sighting] = field(default_factory=list)
    accepted: list[Accepted] = field(default_factory=list)
    resigned: int = 0
    watched: dict[int | None, Watched] = field(default_factory=dict)
    heard: list[bytes] = field(default_factory=list)
    final: dict[int | None, match_pb2.Match] = field(default_factory=dict)
    reply: Reply[service_pb2.GetRecordResponse] | None = None

    @property
    def name(self) -> str:
        """Ruleset and seats, to be told in a sentence."""
        return f"{self.sitting.ruleset.name} with {len(self.sitting.players)} seats"

    @property
    def record(self) -> record_pb2.MatchRecord:
        """The record.

        Raises:
            CheckFailedError: it cannot be read.
        """
        if self.reply is None:
            raise CheckFailedError(f"the record of {self.name} was not asked for")
        return self.reply.required().record

    def shown(self) -> Iterator[Sighting]:
        """Yields every match that anybody was shown, also by WatchMatch."""
        yield from self.sightings
        for viewer, watched in self.watched.items():
            for match in watched.matches:
                yield Sighting(viewer, "WatchMatch", match)


async def all_played(subject: Subject) -> Sequence[Played]:
    """Returns matches of every listed ruleset, with few seats and with many; the same ones at each call."""
    tables = [
        (ruleset, seats) for ruleset in subject.rulesets for seats in sorted({ruleset.min_seats, ruleset.max_seats})
    ]
    matches: list[Played] = await asyncio.gather(
        *(subject.shared((ruleset.name, seats), _Playing(subject, ruleset, seats).play()) for ruleset, seats in tables)
    )
    return matches


def who(viewer: int | None) -> str:
    """Returns a viewer, to be told in a sentence."""
    return "a spectator" if viewer is None else f"seat {viewer}"


class _Playing:
    def __init__(self, subject: Subject, ruleset: ruleset_pb2.Ruleset, seats: int) -> None:
        self._subject: Final = subject
        self._ruleset: Final = ruleset
        self._seats: Final = seats
        self._rng: Final = random.Random(ruleset.name)
        self._watchers: Final = list[asyncio.Task[None]]()

    async def play(self) -> Played:
        open_seats = range(1, self._seats)
        match = Played(await self._subject.sit(self._ruleset, self._seats, open_seats=open_seats))
        try:
            await self._gather(match)
            await self._play_on(match)
            await asyncio.wait(self._watchers, timeout=_ENDED_WITHIN_S)
        finally:
            for watcher in self._watchers:
                watcher.cancel()
            await asyncio.gather(*self._watchers, return_exceptions=True)
        match.heard = [raw for viewer in match.sitting.viewers for raw in match.sitting.caller(viewer).heard]
        request = service_pb2.GetRecordRequest(match_id=match.sitting.match_id)
        match.reply = await match.sitting.spectator.call(calls.GET_RECORD, request)
        return match

    async def _gather(self, match: Played) -> None:
        sitting = match.sitting
        await self._begin_to_watch(match, None)
        await self._begin_to_watch(match, 0)
        for seat in range(1, len(sitting.players)):
            request = service_pb2.JoinMatchRequest(request_id=new_request_id(), match_id=sitting.match_id, seat=seat)
            sitting.acknowledged = (await sitting.players[seat].ask(calls.JOIN_MATCH, request)).version
            await self._begin_to_watch(match, seat)

    async def _begin_to_watch(self, match: Played, viewer: int | None) -> None:
        begun = asyncio.Event()
        self._watchers.append(asyncio.create_task(self._watch(match, viewer, begun)))
        await begun.wait()

    async def _watch(self, match: Played, viewer: int | None, begun: asyncio.Event) -> None:
        watched = match.watched[viewer] = Watched()
        request = service_pb2.WatchMatchRequest(match_id=match.sitting.match_id)
        stream = match.sitting.caller(viewer).stream(calls.WATCH_MATCH, request)
        try:
            while (message := await stream.next(_TOLD_WITHIN_S)) is not None:
                begun.set()
                if not message.HasField("heartbeat"):
                    watched.messages.append(message)
            watched.end = await stream.end()
        except CheckFailedError as error:
            watched.fault = str(error)
        finally:
            begun.set()
            stream.cancel()

    async def _play_on(self, match: Played) -> None:
        sitting = match.sitting
        for turn in range(_MOST_MOVES):
            public = await self._look(match, None)
            if public.status == match_pb2.MATCH_STATUS_FINISHED:
                match.final = dict(zip(sitting.viewers, await self._look_all(match), strict=True))
                return
            if turn % _LOOKED_AT_EVERY == 0:
                await self._look_all(match)
            asked = [seat for seat, fares in enumerate(public.seats) if fares.to_act]
            if not asked:
                raise CheckFailedError(f"no seat of {match.name} is to act at version {public.version}")
            await self._move(match, self._rng.choice(asked))
        raise CheckFailedError(f"a match of {match.name} is not over after {_MOST_MOVES} moves")

    async def _look(self, match: Played, viewer: int | None) -> match_pb2.Match:
        shown = await match.sitting.see(viewer)
        match.sightings.append(Sighting(viewer, "GetMatch", shown))
        return shown

    async def _look_all(self, match: Played) -> list[match_pb2.Match]:
        return await asyncio.gather(*(self._look(match, viewer) for viewer in match.sitting.viewers))

    async def _move(self, match: Played, seat: int) -> None:
        sitting, shown = match.sitting, await self._look(match, seat)
        if not shown.HasField("prompt"):
            raise CheckFailedError(
                f"seat {seat} of {match.name} is to act at version {shown.version}, but has no prompt"
            )
        last = len(sitting.players) - 1
        if seat == last >= 2 and shown.prompt.decision_number == _RESIGNS_AT:
            match.resigned = (await sitting.resign(seat)).version
            return
        chosen = self._rng.choice(shown.prompt.legal_moves)
        way = WAYS[len(match.accepted) % len(WAYS)]
        reply = await sitting.submit(seat, sitting.move(shown, [_choice(way, chosen)]))
        if reply.answer is None:
            raise CheckFailedError(
                f"the legal move {chosen.text!r} of {match.name}, chosen by {way}, is refused with {reply.told} "
                f"({reply.text})"
            )
        match.accepted.append(Accepted(seat, way, shown.prompt, chosen, reply.answer))
        match.sightings.append(Sighting(seat, "SubmitMove", reply.answer.match))


def _choice(way: str, chosen: match_pb2.LegalMove) -> match_pb2.MoveChoice:
    match way:
        case "index":
            return match_pb2.MoveChoice(index=chosen.index)
        case "id":
            return match_pb2.MoveChoice(id=chosen.id)
        case _:
            return match_pb2.MoveChoice(move=chosen.move)
