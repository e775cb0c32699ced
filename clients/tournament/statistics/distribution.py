"""Values in short: quantiles and histograms."""

from collections import Counter
from collections.abc import Iterable, Mapping
from itertools import accumulate, count
from typing import Final

from clients.tournament.statistics.standings import Distribution, Histogram

_BARS: Final = 20


def distribution(values: Mapping[int, int]) -> Distribution | None:
    """Returns values in short, given how often each occurs; None if there is none.

    The quantile q is the least value that a share q of all does not exceed (Hyndman and Fan, 1996, definition 1).
    """
    if not values:
        return None
    ordered = sorted(values)
    below = list(accumulate(values[value] for value in ordered))
    total = below[-1]

    def quarter(number: int) -> int:
        return next(value for value, reached in zip(ordered, below, strict=True) if 4 * reached >= number * total)

    return Distribution(
        count=total,
        mean=sum(value * times for value, times in values.items()) / total,
        quantiles=(quarter(0), quarter(1), quarter(2), quarter(3), quarter(4)),
    )


def histograms(values: Mapping[str, Mapping[int, int]]) -> dict[str, Histogram]:
    """Returns a histogram for each name, all of the same at most twenty intervals, 1, 2, 5, 10, 20... wide."""
    every = [value for of in values.values() for value in of]
    if not every:
        return {}
    widths = (digit * 10**power for power in count() for digit in (1, 2, 5))
    width = next(width for width in widths if max(every) // width - min(every) // width < _BARS)
    bars = range(min(every) // width, max(every) // width + 1)
    return {name: Histogram(bars.start * width, width, _heights(of, width, bars)) for name, of in values.items()}


def _heights(values: Mapping[int, int], width: int, bars: Iterable[int]) -> tuple[int, ...]:
    heights = Counter[int]()
    for value, times in values.items():
        heights[value // width] += times
    return tuple(heights[bar] for bar in bars)
