"""Intervals by the bootstrap over deals.

All matches of a deal share its luck, so a deal is drawn as one, however many matches and pairings it was played in
(Davison and Hinkley, "Bootstrap methods and their application", 1997, section 3.8). The ends are percentiles (Efron and
Tibshirani, "An introduction to the bootstrap", 1993, chapter 13); of few deals, say ten, they are too narrow.
"""

import sys
from array import array
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Sequence
from itertools import chain
from random import Random
from typing import Final

from clients.tournament.statistics.standings import Estimate
from clients.tournament.statistics.tally import Counts, Key, summed

RESAMPLES: Final = 500

_LOTS: Final = 500
_CONFIDENCE: Final = 0.95


class Samples:
    """What deals drawn with replacement count in sum; the same for the same deals.

    Args:
        strata: for each game the counts of its deals; as many as it has are drawn of each.
        columns: which counts are wanted.
        times: how many samples to draw; none are where no game has two deals.
    """

    def __init__(self, strata: Sequence[Sequence[Counts]], columns: Collection[Key], times: int) -> None:
        lots = [list(_lots(deals)) for deals in strata]
        self._varied: Final = frozenset(chain.from_iterable(map(_varied, lots)))
        self._places: Final = {column: place for place, column in enumerate(columns)}
        self._drawn: Final = list(_drawn(lots, columns, times if self._varied else 0))

    def __iter__(self) -> Iterator[dict[Key, int]]:
        """Yields the counts of each sample."""
        for drawn in self._drawn:
            yield dict(zip(self._places, drawn, strict=True))

    def estimate(self, counted: Counts, part: Key, whole: Key, unit: int = 1) -> Estimate:
        """Returns a ratio of two counts in all deals; samples without any of the whole are left out."""
        value = counted[part] / (counted[whole] * unit)
        if whole not in self._varied:
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


def _varied(deals: Sequence[Counts]) -> Iterator[Key]:
    """Returns what more than one deal counts."""
    among = Counter(chain.from_iterable(deals))
    return (key for key, deals_with_it in among.items() if deals_with_it > 1)


def _lots(deals: Sequence[Counts]) -> Iterator[Counts]:
    """Yields the deals themselves, or, where they are very many, five hundred equal lots: their sums spread alike."""
    for lot in range(min(len(deals), _LOTS)):
        yield summed(deals[lot::_LOTS])


def _drawn(strata: Sequence[Sequence[Counts]], columns: Collection[Key], times: int) -> Iterator[Sequence[int]]:
    """Yields sums of all columns; a row is packed into one whole number, so that one addition adds them all."""
    rng = Random(0)
    packed = [[_packed(deal, columns) for deal in deals] for deals in strata]
    for _ in range(times):
        total = sum(sum(rng.choices(deals, k=len(deals))) for deals in packed)
        yield _unpacked(total, len(columns))


def _packed(deal: Counts, columns: Iterable[Key]) -> int:
    return int.from_bytes(array("Q", (deal[column] for column in columns)).tobytes(), sys.byteorder)


def _unpacked(total: int, columns: int) -> Sequence[int]:
    sums = array("Q")
    sums.frombytes(total.to_bytes(columns * sums.itemsize, sys.byteorder))
    return sums
