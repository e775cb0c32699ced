"""A player at all its matches at once: what its seats are asked, and what became of its moves."""

import asyncio
from collections.abc import AsyncIterator, Callable, Collection, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Final, NamedTuple

from referee.core.errors import Reason, RefereeError
from referee.table.ids import MatchId, Principal
from referee.table.observer import Span, Way, no_span
from referee.table.snapshot import Snapshot
from referee.table.store import StoreUnavailableError, Summons
from referee.table.table import Seen, Table
from referee.table.transitions import Answer, Choice

_MOVES_UNDER_WAY: Final = 256  # until their outcomes are told
_MATCHES_AT_ONCE: Final = 32  # in one answer, which has a size that every client takes
_GATHERED_S: Final = 0.1  # much less than whoever has come at a bad time is told to wait
_NEWEST: Final = 1 << 64  # above every version


class Move(NamedTuple):
    """A move as its player sends it; see `Table.submit`."""

    match_id: MatchId
    request_id: str
    seat: int | None
    decision: int
    choices: Sequence[Choice]


class Outcome(NamedTuple):
    """What became of a move: its answer, or the error that it met."""

    match_id: str
    request_id: str
    answer: Answer | Exception


@dataclass(frozen=True, slots=True)
class News:
    """What a player is told at once; matches are seen by the seat that it concerns."""

    outcomes: list[Outcome] = field(default_factory=list)
    seated: list[Seen] = field(default_factory=list)
    asked: list[Seen] = field(default_factory=list)
    ended: list[Seen] = field(default_factory=list)

    def __bool__(self) -> bool:
        return bool(self.outcomes or self.seated or self.asked or self.ended)


@dataclass(slots=True)
class _Told:
    """What was told of a match: the newest write, the seats, and the newest decision that each of them was asked."""

    revision: int = 0
    version: int = -1
    seated: list[int] = field(default_factory=list)
    asked: dict[int, int] = field(default_factory=dict)


_NOTHING: Final = _Told()


class Ledger:
    """What was told to a principal, for each of its unfinished matches."""

    def __init__(self, principal: Principal) -> None:
        self._principal: Final = principal
        self._missed: Final = set[MatchId]()
        self._told: Final = dict[MatchId, _Told]()

    def matches(self) -> set[MatchId]:
        """Returns the matches that are not known to have ended."""
        return self._missed | self._told.keys()

    def knows(self, match_id: MatchId) -> bool:
        """Whether a match is among them."""
        return match_id in self._told or match_id in self._missed

    def told(self, match_id: MatchId) -> tuple[int, int]:
        """Returns revision and version of the newest write that was told; 0 and -1 before the first."""
        told = self._told.get(match_id, _NOTHING)
        return told.revision, told.version

    def expect(self, missed: Collection[MatchId]) -> None:
        """Notes matches whose end the principal may have missed."""
        self._missed.update(missed)

    def forget(self, match_id: MatchId) -> None:
        """Notes that there is no such match any more."""
        self._missed.discard(match_id)
        self._told.pop(match_id, None)

    def look(self, snapshot: Snapshot, news: News, at_least: int = 0) -> None:
        """Adds to the news what a snapshot shows and was not told yet.

        A snapshot older than what was told is passed over, unless it was read when revision `at_least` was known
        already: then the store has lost the rest, and the player is asked again.
        """
        match_id, seats = snapshot.match_id, snapshot.seats_of(self._principal)
        if snapshot.over or not seats:
            if self.knows(match_id):
                news.ended.extend(Seen(snapshot, seat) for seat in seats)
                self.forget(match_id)
            return
        told = self._told.get(match_id)
        if told is None:
            told = self._told[match_id] = _Told()
        revision = _revision(snapshot)
        if revision < at_least:
            told.asked.clear()
        elif revision < told.revision:
            return
        told.revision, told.version = revision, snapshot.course.version
        if seats != told.seated:
            news.seated.extend(Seen(snapshot, seat) for seat in seats if seat not in told.seated)
            told.seated = seats
        for seat in set(seats).intersection(snapshot.to_act()):
            decision = snapshot.course.seats[seat].decisions
            if told.asked.get(seat) != decision:
                told.asked[seat] = decision
                news.asked.append(Seen(snapshot, seat))


class Session:
    """What a player's stream does, message by message. Made by `session`, an `Attendant`.

    Its memory is bounded by the player's unfinished matches and a number of moves under way, however slowly the news
    are taken.
    """

    def __init__(self, table: Table, principal: Principal, summons: Summons, span: Callable[..., Span]) -> None:
        self._table: Final = table
        self._span: Final = span
        self._principal: Final = principal
        self._summons: Final = summons
        self._ledger: Final = Ledger(principal)
        self._unread: Final = dict[MatchId, int]()
        self._heard: Final = dict[MatchId, Snapshot]()
        self._reading = dict[MatchId, int]()
        self._outcomes = list[Outcome]()
        self._places: Final = asyncio.Semaphore(_MOVES_UNDER_WAY)
        self._under_way: Final = dict[MatchId, asyncio.Task[None]]()
        self._all_read: Final = asyncio.Event()
        self._all_read.set()
        self._ending: tuple[Exception | None] | None = None
        self._read_all_at = 0.0
        self._sign_due = False
        self._later: Final = list[Outcome]()

    async def submit(self, move: Move) -> None:
        """Plays a move, in turn with the others of its match; waits while very many are under way.

        What comes after the end is not played.
        """
        await self._places.acquire()
        if self._ending:
            return
        before = self._under_way.get(move.match_id)
        self._under_way[move.match_id] = asyncio.create_task(self._play(move, before))

    async def expect(self, missed: Collection[MatchId]) -> None:
        """Lets the news tell the ends of matches that the player may have missed; waits until all before are read."""
        if missed:
            await self._all_read.wait()
            self._all_read.clear()
            self._ledger.expect(missed)
            self._unread.update(dict.fromkeys(missed, _NEWEST))
            self._summons.wake()

    @property
    def present(self) -> bool:
        return not self._summons.superseded

    def hear(self, match_id: MatchId, snapshot: Snapshot | None) -> None:
        if snapshot is not None and self._ledger.knows(match_id):
            heard = self._heard.get(match_id)
            if heard is None or _revision(heard) < _revision(snapshot):
                self._heard[match_id] = snapshot
        elif snapshot is not None and snapshot.over and match_id not in self._reading:
            self._unread.pop(match_id, None)
        else:  # what is not known may be over already, and have been told: only the store knows
            self._unread[match_id] = _NEWEST
        self._summons.wake()

    async def refuse(self, match_id: str, request_id: str, error: RefereeError) -> None:
        """Answers a move that cannot be played at all.

        Whoever is told when to try again hears of it a little later, and of all such moves at once: where there are too
        many moves, most of what a refusal costs is the message.
        """
        await self._places.acquire()
        if self._ending:
            return
        outcome = Outcome(match_id, request_id, error)
        if "retry_after_ms" not in error.metadata:
            self._outcomes.append(outcome)
            self._summons.wake()
            return
        if not self._later:
            asyncio.get_running_loop().call_later(_GATHERED_S, self._tell_gathered)
        self._later.append(outcome)
        if self._places.locked():
            self._tell_gathered()

    def _tell_gathered(self) -> None:
        self._outcomes += self._later
        self._later.clear()
        self._summons.wake()

    def end(self, error: Exception | None) -> None:
        """Lets the news end, with an error or without one, after the outcomes of the moves under way."""
        self._ending = self._ending or (error,)
        self._tell_gathered()

    async def settle(self) -> None:
        """Waits for the moves under way."""
        if self._under_way:
            await asyncio.wait(self._under_way.values())  # they go on if whoever waits is cancelled

    async def news(self) -> News | None:
        """Waits for something new and returns it; nothing new is a sign of life, None the end.

        Raises:
            RefereeError: SUPERSEDED, or what `end` was given.
            StoreUnavailableError: the store does not answer.
        """
        while True:
            if self._summons.superseded:
                self.end(RefereeError(Reason.SUPERSEDED))
            if self._ending:
                return await self._last_news(*self._ending)
            news = News(self._take_outcomes())  # before looking, or what they have answered might be asked with them
            try:
                await self._hear()
                await self._look(news)
            except StoreUnavailableError as error:
                self.end(error)
                if news.outcomes:
                    return News(news.outcomes)
                continue
            if news or (self._sign_due and not self._unread):
                self._sign_due = False
                return news
            if not self._heard and not self._unread:
                await self._summons.wait(max(0.0, self._read_all_at - _now()))

    async def _play(self, move: Move, before: asyncio.Task[None] | None) -> None:
        if before is not None:
            await before
        with self._span("Play", ()) as span:
            answer = await self._answer(move)
            span.note(match_id=move.match_id, outcome=_name_of(answer))
        self._outcomes.append(Outcome(move.match_id, move.request_id, answer))
        if self._under_way[move.match_id] is asyncio.current_task():
            del self._under_way[move.match_id]
        self._summons.wake()

    async def _answer(self, move: Move) -> Answer | Exception:
        try:
            answer, snapshot = await self._table.submit(self._principal, *move, Way.PLAY)
            self.hear(move.match_id, snapshot)  # what it has answered is asked again if the store loses it
            return answer
        except Exception as error:  # whatever it is, it is the outcome
            return error

    async def _last_news(self, error: Exception | None) -> News | None:
        await self.settle()
        if self._outcomes:
            return News(self._take_outcomes())
        if error is not None:
            raise error
        return None

    async def _hear(self) -> None:
        """Notes which matches are to be read: those that others have told of, and now and then all of them."""
        calls = self._summons.take()
        if calls is None or _now() >= self._read_all_at:
            self._sign_due = True
            self._read_all_at = _now() + self._table.limits.heartbeat_s
            everything = self._ledger.matches().union(await self._table.unfinished(self._principal))
            calls = dict.fromkeys(everything, _NEWEST)
        for match_id, version in calls.items():
            self._unread[match_id] = max(version, self._unread.get(match_id, 0))

    async def _look(self, news: News) -> None:
        for match_id in list(self._heard)[:_MATCHES_AT_ONCE]:
            heard = self._heard.pop(match_id)
            if self._ledger.knows(match_id):
                self._ledger.look(heard, news)
        for match_id in list(self._unread)[:_MATCHES_AT_ONCE]:
            revision, version = self._ledger.told(match_id)
            if self._unread.pop(match_id) > version:
                self._reading[match_id] = revision
        snapshots = await asyncio.gather(*map(self._table.load, self._reading)) if self._reading else ()
        reading, self._reading = self._reading, {}
        for (match_id, revision), snapshot in zip(reading.items(), snapshots, strict=True):
            if snapshot is None:
                self._ledger.forget(match_id)
            else:
                self._ledger.look(snapshot, news, at_least=revision)
        if not self._unread:
            self._all_read.set()

    def _take_outcomes(self) -> list[Outcome]:
        taken, self._outcomes = self._outcomes, []
        for _ in taken:
            self._places.release()
        return taken


@asynccontextmanager
async def session(table: Table, principal: Principal, span: Callable[..., Span] = no_span) -> AsyncIterator[Session]:
    """Opens a session, which ends the principal's earlier ones; moves under way are played out when it ends.

    A session may last for days, so that each of its moves is a span, see `Observer`, and not the whole.
    """
    async with table.summons(principal) as summons:
        opened = Session(table, principal, summons, span)
        async with table.attending(principal, opened):
            try:
                yield opened
            finally:
                await opened.settle()


def _name_of(answer: Answer | Exception) -> str:
    match answer:
        case RefereeError():
            return answer.reason.name
        case Exception():
            return type(answer).__name__
        case _:
            return "OK"


def _revision(snapshot: Snapshot) -> int:
    return snapshot.header.revision if snapshot.header else 0


def _now() -> float:
    return asyncio.get_running_loop().time()
