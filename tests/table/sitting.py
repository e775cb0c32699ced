"""A match for tests of pure transitions: each change is packed, kept and unpacked, at a time that the test says."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import count
from secrets import token_hex
from types import MappingProxyType

from referee.core.errors import RefereeError
from referee.core.game import AnyGame
from referee.store.memory import MemoryStore
from referee.table import transitions
from referee.table.clocks import NO_TERMS, Moment, Outage, Terms
from referee.table.deal import Creation
from referee.table.expiry import expire
from referee.table.formats import FORMAT
from referee.table.ids import MatchId, Principal, principal_of
from referee.table.snapshot import Entry, SeatHead, Snapshot, pack, seen_field, unpack, unpack_entry
from referee.table.store import Header, Stored
from referee.table.table import Table
from referee.table.transitions import Answer, ById, Change, Choice
from tests.table.pebbles import Pebbles

GAMES: Mapping[str, AnyGame] = MappingProxyType({"pebbles": Pebbles()})
START_MS = 1_000_000
Outcome = Answer | RefereeError

_RUN = token_hex(4)  # matches that earlier runs have left hold their request ids
_numbers = count()


def new_id() -> str:
    """Returns a request id that no other request of this run has."""
    return f"{_RUN}-{next(_numbers)}"


def somebody(name: str) -> Principal:
    """Returns the principal of a person."""
    return principal_of(name.encode().ljust(32, b"."))


ALICE, BOB, CAROL, DAVE, STRANGER, HOST = map(somebody, ("alice", "bob", "carol", "dave", "stranger", "host"))
PEOPLE = (ALICE, BOB, CAROL, DAVE)


def seat_of(principal: Principal | None, place: int = 0) -> SeatHead:
    """Returns a seat as a host asks for it; None leaves it open."""
    return SeatHead(principal, f"Seat {place + 1}", "", "")


def creation_of(
    principals: Sequence[Principal | None],
    *,
    rounds: int = 2,
    seed: bytes | None = None,
    on_release: bool = False,
    deal_group: str = "",
    terms: Terms = NO_TERMS,
    bot_seeds: tuple[bytes, ...] = (),
) -> Creation:
    """Returns a host's wish for a match of pebbles."""
    seats = tuple(seat_of(principal, place) for place, principal in enumerate(principals))
    return Creation(
        "pebbles", {"rounds": rounds}, seats, seed, on_release, deal_group, terms=terms, bot_seeds=bot_seeds
    )


@dataclass
class Sitting:
    """A match, its bytes and its log.

    Attributes:
        now_ms: the time at which the next change is written.
        outages: those that there were.
    """

    match_id: MatchId
    header: Header
    fields: dict[str, bytes]
    log: list[Entry] = field(default_factory=list)
    now_ms: int = START_MS
    outages: tuple[Outage, ...] = ()

    @property
    def moment(self) -> Moment:
        """The time, as a replica knows it."""
        return Moment(self.now_ms, self.outages)

    @property
    def snapshot(self) -> Snapshot:
        """The match as it is read from the store."""
        return unpack(self.match_id, Stored(self.header.encode(), self.fields), GAMES)

    @property
    def version(self) -> int:
        """How long the log is, by the snapshot."""
        return self.snapshot.course.version

    @property
    def to_act(self) -> list[int]:
        """The seats that must choose now."""
        return self.snapshot.to_act()

    def decision(self, seat: int) -> int:
        """How many moves a seat has made."""
        return self.snapshot.course.seats[seat].decisions

    def change(self, transition: Callable[[Snapshot], Change]) -> Change | RefereeError:
        """Does what a call does, and returns all of it; an error that was raised has changed nothing.

        If it comes too late, whoever is late goes out before.
        """
        try:
            change = transition(self.snapshot)
        except RefereeError as error:
            return error
        if change.fields and change.not_after_ms is not None and change.not_after_ms < self.now_ms:
            assert self.expire(), "it comes too late, but nobody is late"
            return self.change(transition)
        self._write(change)
        return change

    def expire(self) -> list[Entry]:
        """Looks whose time is up; returns what was written of it."""
        change = expire(self.snapshot, self.moment)
        if change is None:
            return []
        self._write(change)
        return change.entries

    def _write(self, change: Change) -> None:
        if change.fields:
            commit_ms = self.now_ms if change.entries else self.header.commit_ms
            fields = change.fields if self.header.format == FORMAT else change.snapshot.packed()
            revision = self.header.revision + 1
            self.header = self.header._replace(revision=revision, commit_ms=commit_ms, format=FORMAT)
            self.fields = {**self.fields, **fields}
            self.log += [unpack_entry(pack(entry)) for entry in change.entries]
        assert self.version == len(self.log)
        assert self.snapshot.course == change.snapshot.course

    def outcome(self, transition: Callable[[Snapshot], Change]) -> Outcome:
        """Does what a call does, and returns what its caller hears."""
        change = self.change(transition)
        return change if isinstance(change, RefereeError) else change.answer

    def submit(
        self,
        who: Principal,
        *moves: int | Choice,
        seat: int | None = None,
        request_id: str | None = None,
        decision: int | None = None,
    ) -> Outcome:
        """Plays moves; where not stated otherwise with a new request id and the seat's own decision number."""
        choices = [ById(move) if isinstance(move, int) else move for move in moves]
        held = self.snapshot.seats_of(who)
        mover = seat if seat is not None else held[0] if held else None
        own = self.decision(mover) if mover is not None and mover in held else 0
        answers = own if decision is None else decision
        request = request_id or new_id()
        return self.outcome(lambda match: transitions.submit(match, who, request, seat, answers, choices, self.moment))

    def resign(self, who: Principal, *, seat: int | None = None, request_id: str | None = None) -> Outcome:
        """Gives up a seat."""
        request = request_id or new_id()
        return self.outcome(lambda match: transitions.resign(match, who, request, seat, self.moment))

    def join(
        self, who: Principal, *, seat: int | None = None, request_id: str | None = None, name: str = ""
    ) -> Outcome:
        """Takes a seat."""
        request = request_id or new_id()
        return self.outcome(lambda match: transitions.join(match, who, request, seat, name, ("", ""), self.moment))

    def release(self, who: Principal, *, request_id: str | None = None) -> Outcome:
        """Releases the record."""
        request = request_id or new_id()
        return self.outcome(lambda match: transitions.release(match, who, request))


async def sitting_of(
    *principals: Principal | None,
    rounds: int = 2,
    on_release: bool = False,
    terms: Terms = NO_TERMS,
    bot_seeds: tuple[bytes, ...] = (),
) -> Sitting:
    """Creates a match at `START_MS`."""
    store = MemoryStore()
    table = Table(store, GAMES)
    creation = creation_of(principals, rounds=rounds, on_release=on_release, terms=terms, bot_seeds=bot_seeds)
    match_id = (await table.create(HOST, new_id(), creation)).match_id
    stored = await store.load(match_id)
    assert stored is not None
    header = Header.decode(stored.header)._replace(created_ms=START_MS, commit_ms=START_MS)
    begun = dict.fromkeys(map(seen_field, unpack(match_id, stored, GAMES).seen), str(START_MS).encode())
    return Sitting(match_id, header, {**stored.fields, **begun})


def accepted(outcome: Outcome) -> Answer:
    """Returns the answer of a call that must have been accepted."""
    assert isinstance(outcome, Answer), f"refused: {outcome}"
    return outcome


def refused(outcome: Outcome) -> RefereeError:
    """Returns the error of a call that must have been refused."""
    assert isinstance(outcome, RefereeError), f"accepted: {outcome}"
    return outcome
