"""Ratings in Elo, from counts of choices."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import log
from typing import Final

from clients.tournament.statistics.bootstrap import Samples, interval
from clients.tournament.statistics.plackett_luce import Choices, Items, Vector, fit
from clients.tournament.statistics.standings import Estimate
from clients.tournament.statistics.tally import Count, Counts, Key

_ELO: Final = 400 / log(10)
_DIGITS: Final = 2  # a fit is far more exact, so that equals are equal
_GRAIN: Final = 1 << 32


def ratings(entrants: Sequence[str], counted: Counts, unit: int, samples: Samples) -> dict[str, Estimate]:
    """Returns the rating of each entrant.

    A sample's ratings are one step of Newton's method away from those of all deals.

    Args:
        entrants: whoever had a seat.
        counted: what was counted.
        unit: the unit of it.
        samples: where intervals come from.
    """
    columns = _columns(entrants, counted, unit)
    fitted = fit(columns.choices(counted))
    slopes = samples.sums(lambda deal: [round(_GRAIN * value) for value in fitted.slope(columns.choices(deal))])
    drawn = [_elo(fitted.after([value / _GRAIN for value in slope])) for slope in slopes]
    return {
        name: interval(value, [rated[item] for rated in drawn])
        for item, (name, value) in enumerate(zip(entrants, _elo(fitted.log_worths), strict=True))
    }


@dataclass(frozen=True, slots=True)
class _Columns:
    """Which counts are of the choices of which items."""

    unit: int
    chosen: list[list[Key]]
    ties: list[Key]
    sets: list[tuple[Items, Key]]

    def choices(self, counted: Counts) -> Choices:
        """Returns choices as they were counted."""
        return Choices(
            [sum(counted.get(key, 0) / (key.number * self.unit) for key in keys) for keys in self.chosen],
            [counted.get(key, 0) / self.unit for key in self.ties],
            {items: counted[key] / self.unit for items, key in self.sets if key in counted},
        )


def _columns(entrants: Sequence[str], counted: Counts, unit: int) -> _Columns:
    items = {name: item for item, name in enumerate(entrants)}
    chosen: list[list[Key]] = [[] for _ in entrants]
    for key in counted:
        if key.kind is Count.CHOSEN:
            chosen[items[key.names[0]]].append(key)
    return _Columns(
        unit=unit,
        chosen=[sorted(keys) for keys in chosen],
        ties=[Key(Count.TIE, number=order) for order in range(2, _most_tied(counted) + 1)],
        sets=sorted((tuple(items[name] for name in key.names), key) for key in counted if key.kind is Count.SET),
    )


def _most_tied(counted: Counts) -> int:
    return max((key.number for key in counted if key.kind is Count.TIE), default=1)


def _elo(log_worths: Vector) -> Vector:
    mean = sum(log_worths) / len(log_worths)
    return [round(_ELO * (worth - mean), _DIGITS) + 0.0 for worth in log_worths]  # no negative zero
