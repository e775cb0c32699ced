"""What is counted of matches: whole numbers, so that no sum depends on its order.

A win shared by k counts `unit`/k, and what else is a part of something is in the same units.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from enum import StrEnum, auto
from itertools import permutations, product
from math import factorial, prod
from typing import NamedTuple

from clients.tournament.pairing import Pairing
from clients.tournament.results import Played


class Count(StrEnum):
    """What is counted, and of whom."""

    SEATS = auto()  # of an entrant, or of one in the matches of another
    WINS = auto()  # of the same, in units
    EXPECTED = auto()  # of an entrant: 1/seats, in units
    RANKS = auto()  # of an entrant: twice its ranks, equals sharing the mean of theirs
    BEATEN = auto()  # of an entrant: which part of the others ranked behind it, equal ranks counting 1/2, in units
    MATCHES = auto()  # of an entrant and another
    AHEAD = auto()  # of an entrant and another: twice the pairs of their seats in which its own ranked before
    PAIRS = auto()  # of an entrant and another: twice the pairs of their seats
    SEAT = auto()  # of a seat: matches
    SEAT_WINS = auto()  # of a seat, in units
    CHOSEN = auto()  # of an entrant, among so many chosen at a time: how often, in units
    TIE = auto()  # of so many: how often they were chosen at a time, in units
    SET = auto()  # of entrants: how often one or more were chosen from them, in units


class Key(NamedTuple):
    """A count, and of which entrants and which number it is."""

    kind: Count
    names: tuple[str, ...] = ()
    number: int = 0


Counts = Mapping[Key, int]


def unit(matches: Iterable[Pairing]) -> int:
    """Returns a number that all that is shared divides: a win, the others at a table, the ways to take copies."""
    return 2 * factorial(max((len(pairing.entrants) for pairing in matches), default=1))


def counts(match: Played, unit: int) -> Counter[Key]:
    """Returns what is counted of one match."""
    names, ranks = match.pairing.entrants, [seat.rank for seat in match.seats]
    winners = ranks.count(1)
    counted = Counter[Key]()
    for seat, (name, rank) in enumerate(zip(names, ranks, strict=True)):
        _count_seat(counted, name, ranks[:seat] + ranks[seat + 1 :], rank, unit)
        won = unit // winners if rank == 1 else 0
        counted[Key(Count.WINS, (name,))] += won
        counted[Key(Count.SEAT, number=seat)] += 1
        counted[Key(Count.SEAT_WINS, number=seat)] += won
    by_name = defaultdict[str, list[int]](list)
    for name, rank in zip(names, ranks, strict=True):
        by_name[name].append(rank)
    _count_meetings(counted, by_name)
    _count_choices(counted, by_name, unit)
    return counted


def summed(rows: Iterable[Counts]) -> Counter[Key]:
    """Returns what all of them count."""
    total = Counter[Key]()
    for row in rows:
        total.update(row)
    return total


def choices(ranking: Mapping[str, int]) -> Iterator[tuple[tuple[str, ...], tuple[str, ...]]]:
    """Yields from whom, and who of them was chosen at a time, as long as there is a choice; names are in order."""
    left = tuple(sorted(ranking))
    while len(left) > 1:
        best = min(ranking[name] for name in left)
        yield left, tuple(name for name in left if ranking[name] == best)
        left = tuple(name for name in left if ranking[name] != best)


def _count_seat(counted: Counter[Key], name: str, others: Sequence[int], rank: int, unit: int) -> None:
    behind = _ahead([rank], others)
    counted[Key(Count.SEATS, (name,))] += 1
    counted[Key(Count.EXPECTED, (name,))] += unit // (len(others) + 1)
    counted[Key(Count.RANKS, (name,))] += 2 * (len(others) + 1) - behind
    counted[Key(Count.BEATEN, (name,))] += behind * unit // (2 * len(others))


def _ahead(ranks: Iterable[int], others: Sequence[int]) -> int:
    """Returns twice the number of pairs in which the first is ahead, pairs of equals counting 1/2."""
    return sum(2 * (rank < other) + (rank == other) for rank in ranks for other in others)


def _count_meetings(counted: Counter[Key], ranks: Mapping[str, Sequence[int]]) -> None:
    for meeting in permutations(ranks, 2):
        one, other = (ranks[name] for name in meeting)
        counted[Key(Count.MATCHES, meeting)] += 1
        counted[Key(Count.SEATS, meeting)] += len(one)
        counted[Key(Count.WINS, meeting)] += counted[Key(Count.WINS, meeting[:1])]
        counted[Key(Count.AHEAD, meeting)] += _ahead(one, other)
        counted[Key(Count.PAIRS, meeting)] += 2 * len(one) * len(other)


def _count_choices(counted: Counter[Key], ranks: Mapping[str, Sequence[int]], unit: int) -> None:
    """Counts each way to take one copy of each entrant as its part of a ranking: copies do not meet each other."""
    part = unit // prod(map(len, ranks.values()))
    for taken in product(*ranks.values()):
        for among, chosen in choices(dict(zip(ranks, taken, strict=True))):
            counted[Key(Count.SET, among)] += part
            for name in chosen:
                counted[Key(Count.CHOSEN, (name,), len(chosen))] += part
            if len(chosen) > 1:
                counted[Key(Count.TIE, number=len(chosen))] += part
