"""Where things are drawn: positions are per cent of a chart's width."""

from collections.abc import Iterable
from dataclasses import dataclass
from math import ceil, floor, log10
from typing import Final

from clients.tournament.statistics.standings import Distribution, Estimate, Histogram

_TICKS: Final = 4
_NEAR: Final = 50.0


@dataclass(frozen=True, slots=True)
class Scale:
    """From `low` to `high`, by their logarithms if it is `logarithmic`."""

    low: float
    high: float
    ticks: tuple[float, ...]
    logarithmic: bool = False

    def at(self, value: float) -> float:
        """Returns where a value is; what is outside is drawn at the edge."""
        low, high, here = (self._stretched(number) for number in (self.low, self.high, value))
        return round(100 * min(max((here - low) / (high - low), 0.0), 1.0), 2)

    def _stretched(self, value: float) -> float:
        return log10(max(value, self.low)) if self.logarithmic else value


def round_scale(values: Iterable[float]) -> Scale:
    """Returns a scale that holds all values, its ends and about four ticks at round numbers."""
    known = list(values) or [0.0]
    low, high = min(known), max(known)
    step = _round_step((high - low) / _TICKS or 1.0)
    first, last = floor(low / step), ceil(high / step)
    last = max(last, first + 1)
    return Scale(first * step, last * step, tuple(number * step for number in range(first, last + 1)))


def decades(values: Iterable[float]) -> Scale:
    """Returns a logarithmic scale of whole decades that holds all values, those below 1 at its beginning."""
    first = floor(log10(max(min(values := list(values), default=1.0), 1.0)))
    last = max(ceil(log10(max(max(values, default=1.0), 1.0))), first + 1)
    return Scale(10.0**first, 10.0**last, tuple(10.0**power for power in range(first, last + 1)), logarithmic=True)


def share_scale(estimates: Iterable[Estimate | None], *others: float) -> Scale:
    """Returns a scale of shares from 0 that holds estimates with their intervals, and others."""
    needed = round_scale([0.0, *others, *_ends(estimates)])
    return needed if needed.high < 0.8 else Scale(0.0, 1.0, (0.0, 0.5, 1.0))


def rating_scale(estimates: Iterable[Estimate | None]) -> Scale:
    """Returns a scale that holds ratings with their intervals around their mean, 0; small differences look small."""
    return round_scale([-_NEAR, _NEAR, *_ends(estimates)])


def score_scale(distributions: Iterable[Distribution | None], histograms: Iterable[Histogram | None]) -> Scale:
    """Returns a scale that holds all scores, and the intervals in which they are counted."""
    scores = [float(value) for distribution in distributions if distribution for value in distribution.quantiles]
    ends = [
        float(end)
        for histogram in histograms
        if histogram
        for end in (histogram.start, histogram.start + histogram.width * len(histogram.counts))
    ]
    return round_scale([*scores, *ends])


@dataclass(frozen=True, slots=True)
class Bar:
    """A bar of a histogram: where it begins, how wide and how high it is, in per cent of width and height."""

    left: float
    width: float
    height: float


def bars(histogram: Histogram, scale: Scale) -> list[Bar]:
    """Returns the bars of a histogram, the highest of full height."""
    greatest = max(histogram.counts)
    return [
        Bar(
            left,
            round(scale.at(histogram.start + histogram.width * (place + 1)) - left, 2),
            round(100 * count / greatest),
        )
        for place, count in enumerate(histogram.counts)
        if count
        for left in (scale.at(histogram.start + histogram.width * place),)
    ]


def _ends(estimates: Iterable[Estimate | None]) -> list[float]:
    return [
        end
        for estimate in estimates
        if estimate
        for end in (estimate.value, estimate.low, estimate.high)
        if end is not None
    ]


def _round_step(least: float) -> float:
    """The smallest of 1, 2, 5, 10... that is at least so much."""
    power = 10.0 ** floor(log10(least))
    return next(step * power for step in (1, 2, 5, 10) if step * power >= least * (1 - 1e-9))
