"""Intervals by the bootstrap over deals.

All matches of a deal share its luck, so a deal is drawn as one, however many matches and pairings it was played in
(Davison and Hinkley, "Bootstrap methods and their application", 1997, section 3.8). The ends are percentiles (Efron and
Tibshirani, "An introduction to the bootstrap", 1993, chapter 13); of few deals, say ten, they are too narrow.
"""

import sys
from array import array
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import chain, repeat
from random import Random
from typing import Final

from clients.tournament.statistics.standings import Estimate
from clients.tournament.statistics.tally import Counts, Key, summed

RESAMPLES: Final = 1000

_LOTS: Final = 500
_CONFIDENCE: Final = 0.95
_MIDDLE: Final = 1 << 63

Row = Sequence[int]


class Samples:
    """Deals drawn with replacement; the same for the same deals.

    Args:
        strata: for each game what its deals count; as many as it has are drawn of each. More than five hundred are
            drawn in five hundred about equal lots, whose sums spread alike.
        times: how many samples to draw; none are where no game has two deals.
    """

    def __init__(self, strata: Sequence[Sequence[Counts]], times: int) -> None:
        self._lots: Final = [list(_lots(deals)) for deals in strata]
        self._varied: Final = frozenset(chain.from_iterable(map(_varied, self._lots)))
        self._times: Final = times if self._varied else 0

    def varied(self, key: Key) -> bool:
        """Returns whether two deals of a game count something."""
        return key in self._varied

    def sums(self, row: Callable[[Counts], Row]) -> list[Row]:
        """Returns for each sample the sum of the rows of what it draws, each number of it below 2**63."""
        rows = [list(map(row, lots)) for lots in self._lots]
        columns = max((len(row) for row in chain.from_iterable(rows)), default=0)
        return list(_sums([list(map(_packed, lots)) for lots in rows], columns, self._times))


class Ratios:
    """Ratios of two counts, with their intervals.

    Args:
        counted: the counts of all deals.
        columns: those of which there will be ratios.
        samples: where intervals come from.
    """

    def __init__(self, counted: Counts, columns: Iterable[Key], samples: Samples) -> None:
        self._counted: Final = counted
        self._samples: Final = samples
        self._places: Final = {column: place for place, column in enumerate(columns)}
        self._drawn: Final = samples.sums(lambda deal: [deal.get(column, 0) for column in self._places])

    def estimate(self, part: Key, whole: Key, unit: int) -> Estimate:
        """Returns a ratio, the part being in units; samples without any of the whole are left out."""
        value = self._counted[part] / (self._counted[whole] * unit)
        if not self._samples.varied(whole):
            return Estimate(value)
        above, below = self._places[part], self._places[whole]
        return interval(value, [drawn[above] / (drawn[below] * unit) for drawn in self._drawn if drawn[below]])


def interval(value: float, drawn: Iterable[float]) -> Estimate:
    """Returns a value with the interval that holds 95 % of what was drawn."""
    ordered = sorted(drawn)
    if not ordered:
        return Estimate(value)
    cut = round((1 - _CONFIDENCE) / 2 * len(ordered))
    return Estimate(value, ordered[cut], ordered[-1 - cut])


def _lots(deals: Sequence[Counts]) -> Iterator[Counts]:
    for lot in range(min(len(deals), _LOTS)):
        yield summed(deals[lot::_LOTS])


def _varied(deals: Sequence[Counts]) -> Iterator[Key]:
    among = Counter(chain.from_iterable(deals))
    return (key for key, with_it in among.items() if with_it > 1)


def _sums(strata: Sequence[Sequence[int]], columns: int, times: int) -> Iterator[Row]:
    """Yields sums of rows, each of which is one whole number: one addition adds all of its columns."""
    rng = Random(0)
    for _ in range(times):
        yield _row(sum(sum(rng.choices(rows, k=len(rows))) for rows in strata), columns)


def _packed(row: Row) -> int:
    """Returns numbers as the digits of one to the base of 2**64; they may be negative."""
    return _digits(number + _MIDDLE for number in row) - _digits(_MIDDLE for _ in row)


def _row(packed: int, columns: int) -> Row:
    digits = array("Q")
    size = columns * digits.itemsize
    digits.frombytes((packed + _digits(repeat(_MIDDLE, columns))).to_bytes(size, sys.byteorder))
    return [digit - _MIDDLE for digit in digits]


def _digits(digits: Iterable[int]) -> int:
    return int.from_bytes(array("Q", digits).tobytes(), sys.byteorder)
