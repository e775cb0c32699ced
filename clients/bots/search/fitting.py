"""Fitting in plain Python: least squares, and a conditional logit by Newton's method."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import log
from operator import mul

from clients.bots.search.logit import chances

_STEPS = 25
_SMALL = 1e-7


@dataclass(frozen=True, slots=True)
class Sample:
    """A position: the features of each seat, and what became of it.

    Attributes:
        rows: the features of each seat.
        late: how much of the match was over.
        scored: what each seat scored in the end.
        won: the share of the win that it had.
    """

    rows: Sequence[Sequence[float]]
    late: float
    scored: Sequence[float]
    won: Sequence[float]


def least_squares(samples: Sequence[Sample], guesses: Sequence[float], ridge: float) -> list[float]:
    """Returns the weights by which the features tell best by how much each seat will outscore the mean of all.

    The square of how far a weight is from its guess costs `ridge` times the variance of its feature.
    """
    rows, outcome = list[list[float]](), list[float]()
    for sample in samples:
        seats = len(sample.rows)
        middle = [sum(column) / seats for column in zip(*sample.rows, strict=True)]
        mean = sum(sample.scored) / seats
        for row, scored in zip(sample.rows, sample.scored, strict=True):
            rows.append([value - mid for value, mid in zip(row, middle, strict=True)])
            outcome.append(scored - mean - sum(map(mul, guesses, rows[-1])))
    features = list(zip(*rows, strict=True))
    matrix = [[sum(map(mul, one, other)) for other in features] for one in features]
    for place, row in enumerate(matrix):
        row[place] = row[place] * (1 + ridge) + _SMALL
    changes = _solved(matrix, [sum(map(mul, feature, outcome)) for feature in features])
    return [guess + change for guess, change in zip(guesses, changes, strict=True)]


def loss(samples: Sequence[Sample], weights: Sequence[float]) -> float:
    """Returns the mean cross entropy, in nats."""
    total = 0.0
    for sample in samples:
        odds = chances([sum(map(mul, weights, row)) for row in sample.rows])
        total -= sum(won * log(chance) for won, chance in zip(sample.won, odds, strict=True))
    return total / len(samples)


def fitted(samples: Sequence[Sample], ridge: float) -> list[float]:
    """Returns the weights of least mean loss plus `ridge` / 2 times their sum of squares."""
    weights = [0.0] * len(samples[0].rows[0])
    best = _penalized(samples, weights, ridge)
    for _ in range(_STEPS):
        step = _solved(*_curvature(samples, weights, ridge))
        scale, after = 1.0, best
        while scale > _SMALL:
            tried = [weight - scale * change for weight, change in zip(weights, step, strict=True)]
            after = _penalized(samples, tried, ridge)
            if after < best:
                break
            scale /= 2
        if best - after < _SMALL:
            return weights
        weights, best = tried, after
    return weights


def _penalized(samples: Sequence[Sample], weights: Sequence[float], ridge: float) -> float:
    squares: float = sum(map(mul, weights, weights))
    return loss(samples, weights) + ridge / 2 * squares


def _curvature(
    samples: Sequence[Sample], weights: Sequence[float], ridge: float
) -> tuple[list[list[float]], list[float]]:
    """Returns the second derivatives and the first."""
    size, number = len(weights), len(samples)
    slope = [ridge * weight for weight in weights]
    columns: list[list[float]] = [[] for _ in range(size)]
    importance = list[float]()
    for sample in samples:
        odds = chances([sum(map(mul, weights, row)) for row in sample.rows])
        middle = [sum(map(mul, odds, column)) for column in zip(*sample.rows, strict=True)]
        for row, chance, won in zip(sample.rows, odds, sample.won, strict=True):
            importance.append(chance / number)
            for place, value in enumerate(row):
                columns[place].append(value - middle[place])
                slope[place] += (chance - won) * value / number
    curve = [[0.0] * size for _ in range(size)]
    for one in range(size):
        weighted = list(map(mul, importance, columns[one]))
        for other in range(one + 1):
            curve[one][other] = curve[other][one] = sum(map(mul, weighted, columns[other]))
        curve[one][one] += ridge
    return curve, slope


def _solved(matrix: list[list[float]], right: list[float]) -> list[float]:
    """Solves a positive definite system, by elimination."""
    rows = [[*row, value] for row, value in zip(matrix, right, strict=True)]
    size = len(rows)
    for pivot in range(size):
        head = rows[pivot]
        for row in rows[pivot + 1 :]:
            factor = row[pivot] / head[pivot]
            if factor:
                row[pivot:] = [value - factor * above for value, above in zip(row[pivot:], head[pivot:], strict=True)]
    solution = [0.0] * size
    for pivot in reversed(range(size)):
        known = sum(map(mul, rows[pivot][pivot + 1 : size], solution[pivot + 1 :]))
        solution[pivot] = (rows[pivot][size] - known) / rows[pivot][pivot]
    return solution
