"""What a journal comes to: pure, and the same for the same entries."""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Final, assert_never

from clients.tournament import entries as journal
from clients.tournament import orders
from clients.tournament.formats import format_of
from clients.tournament.pairing import Pairing, Round
from clients.tournament.plan import Entrant
from clients.tournament.results import Played, RoundResult, SeatResult, round_result

ADJUDICATED: Final = "ADJUDICATED"
"""What ended a match that the organisers ended."""


@dataclass(frozen=True, slots=True)
class RosterEntry:
    """An entrant and what became of it.

    Attributes:
        entrant: as it plays now.
        entered: the number of the first round that it can be drawn for.
        withdrawn: whether it has left.
        earlier: what played under its name before, oldest first.
        crashes: what was said of each end of its process before its time.
    """

    entrant: Entrant
    entered: int = 0
    withdrawn: bool = False
    earlier: tuple[Entrant, ...] = ()
    crashes: tuple[str, ...] = ()


class State:
    """A tournament as far as it has come.

    Attributes:
        tournament: its id.
        plan: what is wanted.
        processes: how many processes share the matches of an entrant.
        roster: everybody who takes or took part, by name, in the order of their coming.
        rounds: those that are drawn; the last one may be under way.
        played: the matches that have ended, by the names of their pairings.
        cancelled: why pairings are not played, by their names.
        voided: how many matches of a pairing came to nothing, by its name.
        recorded: round and deal whose records are in the file.
        records_size: how long the records file is with them, in bytes.
        ordered: how many orders were dealt with.
        paused: whether no new match may begin.
        closed: whether nothing is left to be played.
    """

    def __init__(self, begun: journal.Begun) -> None:
        self.tournament: Final = begun.tournament
        self.plan: Final = begun.plan
        self.processes: Final = begun.processes
        self.roster: Final = {entrant.name: RosterEntry(entrant) for entrant in begun.plan.entrants}
        self.rounds: Final = list[Round]()
        self.played: Final = dict[str, Played]()
        self.cancelled: Final = dict[str, str]()
        self.voided: Final = Counter[str]()
        self.recorded: Final = set[tuple[int, str]]()
        self.records_size = 0
        self.ordered = 0
        self.paused = False
        self.closed = False
        self._format: Final = format_of(begun.plan)
        self._pairings: Final = dict[str, Pairing]()

    def add(self, entry: journal.Entry) -> None:
        """Takes the next entry of the journal in."""
        match entry:
            case journal.Drawn(round=drawn):
                self.rounds.append(drawn)
                self.closed = False
                self._pairings.update((pairing.name, pairing) for pairing in pairings_of(drawn))
            case journal.Ended():
                self._ended(entry)
            case journal.Voided(pairing=name):
                self.voided[name] += 1
                self.played.pop(name, None)
            case journal.Cancelled(pairing=name, why=why):
                self.cancelled[name] = why
            case journal.Recorded(round=number, deal=deal, size=size):
                self.recorded.add((number, deal))
                self.records_size = size
            case journal.Ordered():
                self.ordered += 1
                if not entry.refusal:
                    self._heed(entry.order, entry.match_id)
            case journal.Crashed(entrant=name, text=text):
                known = self.roster[name]
                self.roster[name] = replace(known, crashes=(*known.crashes, text))
            case journal.Closed():
                self.closed = True
            case journal.Begun() | journal.Resumed():
                pass
            case _:
                assert_never(entry)

    def pairing(self, name: str) -> Pairing | None:
        """Returns the drawn pairing of a name."""
        return self._pairings.get(name)

    def settled(self, pairing: Pairing) -> bool:
        """Returns whether nothing is left to be done for a pairing but to record it."""
        return pairing.name in self.played or pairing.name in self.cancelled

    def under_way(self) -> Round | None:
        """Returns the last round, unless all of it is settled and recorded."""
        if not self.rounds:
            return None
        last = self.rounds[-1]
        done = all(
            self.settled(pairing) and (last.number, pairing.deal.name) in self.recorded for pairing in pairings_of(last)
        )
        return None if done else last

    def next_round(self) -> Round | None:
        """Draws the next round; None if the tournament is over."""
        return self._format.next_round(self.active(), self.results())

    def active(self) -> list[str]:
        """Returns the names of those who take part now."""
        return [name for name, entry in self.roster.items() if not entry.withdrawn]

    def results(self) -> list[RoundResult]:
        """Returns what counts of the rounds so far."""
        return [round_result(drawn, self.played) for drawn in self.rounds]

    def _ended(self, entry: journal.Ended) -> None:
        self.played[entry.pairing] = Played(
            pairing=self._pairings[entry.pairing],
            match_id=entry.match_id,
            seats=entry.seats,
            reason=entry.reason,
            began_ms=entry.began_ms,
            ended_ms=entry.ended_ms,
        )

    def _heed(self, order: orders.Order, match_id: str) -> None:
        match order:
            case orders.Pause():
                self.paused = True
            case orders.Resume():
                self.paused = False
            case orders.Withdraw(entrant=name):
                self.roster[name] = replace(self.roster[name], withdrawn=True)
            case orders.Enter(entrant=entrant):
                self._enter(entrant)
            case orders.Replace(entrant=entrant):
                known = self.roster[entrant.name]
                self.roster[entrant.name] = replace(known, entrant=entrant, earlier=(*known.earlier, known.entrant))
            case orders.Adjudicate():
                self._adjudicate(order, match_id)
            case _:
                assert_never(order)

    def _adjudicate(self, order: orders.Adjudicate, match_id: str) -> None:
        self.cancelled.pop(order.match, None)
        known = self.played.get(order.match)
        played = known or Played(
            pairing=self._pairings[order.match],
            match_id=match_id,
            seats=tuple(SeatResult(rank) for rank in order.ranks),
            reason=ADJUDICATED,
            began_ms=order.given_ms,
            ended_ms=order.given_ms,
        )
        seats = tuple(replace(seat, rank=rank) for seat, rank in zip(played.seats, order.ranks, strict=True))
        self.played[order.match] = replace(played, seats=seats, adjudication=order.reason)

    def _enter(self, entrant: Entrant) -> None:
        known = self.roster.get(entrant.name)
        if known is None:
            self.roster[entrant.name] = RosterEntry(entrant, entered=len(self.rounds))
        else:
            self.roster[entrant.name] = replace(
                known, entrant=entrant, withdrawn=False, earlier=(*known.earlier, known.entrant)
            )
        self.closed = False


def restored(entries: Sequence[journal.Entry]) -> State:
    """Returns the state after all entries, of which the first is `Begun`."""
    begun = entries[0]
    if not isinstance(begun, journal.Begun):
        raise TypeError(f"a journal begins with {journal.Begun.__name__}, not {type(begun).__name__}")
    state = State(begun)
    for entry in entries[1:]:
        state.add(entry)
    return state


def pairings_of(drawn: Round) -> Iterator[Pairing]:
    """Yields the pairings of a round, table by table."""
    for group in drawn.groups:
        yield from group.pairings


def by_deal(pairings: Iterable[Pairing]) -> dict[str, list[Pairing]]:
    """Returns pairings by the names of their deals."""
    found = dict[str, list[Pairing]]()
    for pairing in pairings:
        found.setdefault(pairing.deal.name, []).append(pairing)
    return found
