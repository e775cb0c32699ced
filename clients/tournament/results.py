"""How matches ended, and what of it counts."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from clients.tournament.pairing import Group, Pairing, Round


@dataclass(frozen=True, slots=True)
class SeatResult:
    """How a match ended for one seat.

    Attributes:
        rank: the place, from 1; equals share it.
        score: the final score, where the game was played to its end.
        cause: why the seat was out of the competition, such as "TIMED_OUT"; empty if it was not.
    """

    rank: int
    score: int | None = None
    cause: str = ""


@dataclass(frozen=True, slots=True)
class Played:
    """A match that has ended; times in ms since 1970 by the director's clock.

    Attributes:
        pairing: which.
        match_id: its id at the referee.
        seats: one entry a seat.
        reason: what ended it, as in the record, such as "COMPLETED" or "LAST_SEAT".
        began_ms: when it was asked for.
        ended_ms: when its end was heard of.
        adjudication: why the organisers gave it this result in place of the referee's; empty if they did not.
    """

    pairing: Pairing
    match_id: str
    seats: tuple[SeatResult, ...]
    reason: str
    began_ms: int
    ended_ms: int
    adjudication: str = ""

    @property
    def shares(self) -> list[float]:
        """What each seat gets of the win: 1/k to each of the k that share the first place."""
        first = [seat.rank == 1 for seat in self.seats]
        return [won / sum(first) for won in first]


@dataclass(frozen=True, slots=True)
class GroupResult:
    """A group of which every match has ended; `played` is in the order of its rotations."""

    group: Group
    played: tuple[Played, ...]

    def share(self, entrant: str) -> float:
        """Returns the mean win share of an entrant over all seats that it or its copies had."""
        shares = [
            share
            for match in self.played
            for name, share in zip(match.pairing.entrants, match.shares, strict=True)
            if name == entrant
        ]
        return sum(shares) / len(shares)


@dataclass(frozen=True, slots=True)
class RoundResult:
    """A round that is over. `groups` are those of which every match has ended; the others do not count."""

    round: Round
    groups: tuple[GroupResult, ...]


def round_result(played_round: Round, played: Mapping[str, Played]) -> RoundResult:
    """Returns what of a round counts; `played` has the matches by the names of their pairings."""
    return RoundResult(played_round, tuple(_whole(played_round.groups, played)))


def _whole(groups: Iterable[Group], played: Mapping[str, Played]) -> Iterator[GroupResult]:
    for group in groups:
        if all(pairing.name in played for pairing in group.pairings):
            yield GroupResult(group, tuple(played[pairing.name] for pairing in group.pairings))
