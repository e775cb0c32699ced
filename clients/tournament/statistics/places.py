"""Who comes before whom: a chain of comparisons.

1. The share above chance: wins a seat less the mean of 1/seats. In one game this is the order of shares.
2. Of those who are equal so far: how often each one's seats ranked before another's, the sum over these others. It
   tells something only if each of them has met all the others. Where it sets some apart, those who are still equal are
   compared by it once more, now by their own meetings only.
3. The rating.
4. Which part of the others at its tables ranked behind it.
5. Fewer faults.

Whoever is equal in all of that shares a place, and is listed in the order of names.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import groupby, permutations
from typing import Final

from clients.tournament.statistics.tally import Count, Counts, Key


@dataclass(frozen=True, slots=True)
class Merit:
    """What is compared of an entrant besides its meetings."""

    entrant: str
    above_chance: Fraction
    rating: float
    beaten: Fraction
    faults: int


Score = Fraction | float
Comparison = Callable[[Sequence[Merit], Counts], Sequence[Score]]


def places(merits: Iterable[Merit], counted: Counts) -> Iterator[tuple[int, str]]:
    """Yields place and entrant, best first; equals share a place and the next is skipped.

    Args:
        merits: of those to be ranked.
        counted: their meetings.
    """
    place = 1
    for equals in _apart(sorted(merits, key=lambda merit: merit.entrant), counted, _CHAIN):
        yield from ((place, merit.entrant) for merit in equals)
        place += len(equals)


def _apart(tied: Sequence[Merit], counted: Counts, chain: Sequence[Comparison]) -> Iterator[Sequence[Merit]]:
    """Yields those who are equal in the whole chain, best first."""
    if len(tied) < 2 or not chain:
        yield tied
        return
    parts = _parts(tied, chain[0](tied, counted))
    again = chain[0] is _meetings and len(parts) > 1
    for part in parts:
        yield from _apart(part, counted, chain if again else chain[1:])


def _parts(merits: Sequence[Merit], scores: Sequence[Score]) -> list[list[Merit]]:
    """Returns those of equal score together, the highest first."""
    scored = sorted(zip(scores, merits, strict=True), key=lambda pair: pair[0], reverse=True)
    return [[merit for _, merit in equals] for _, equals in groupby(scored, key=lambda pair: pair[0])]


def _above_chance(tied: Sequence[Merit], _: Counts) -> list[Score]:
    return [merit.above_chance for merit in tied]


def _meetings(tied: Sequence[Merit], counted: Counts) -> list[Score]:
    names = [merit.entrant for merit in tied]
    if not all(Key(Count.PAIRS, meeting) in counted for meeting in permutations(names, 2)):
        return [0.0] * len(names)
    return [sum((_ahead(name, other, counted) for other in names if other != name), Fraction()) for name in names]


def _ahead(name: str, other: str, counted: Counts) -> Fraction:
    return Fraction(counted[Key(Count.AHEAD, (name, other))], counted[Key(Count.PAIRS, (name, other))])


def _rating(tied: Sequence[Merit], _: Counts) -> list[Score]:
    return [merit.rating for merit in tied]


def _beaten(tied: Sequence[Merit], _: Counts) -> list[Score]:
    return [merit.beaten for merit in tied]


def _faultlessness(tied: Sequence[Merit], _: Counts) -> list[Score]:
    return [-merit.faults for merit in tied]


_CHAIN: Final[Sequence[Comparison]] = (_above_chance, _meetings, _rating, _beaten, _faultlessness)
