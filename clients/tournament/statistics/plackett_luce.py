"""The Plackett-Luce model of rankings with ties, fitted by Newton's method.

Turner, van Etten, Firth and Kosmidis (2020), "Modelling rankings in R: the PlackettLuce package", Computational
Statistics 35, 1027-1057. A ranking is a row of choices: the first from all items, each further one from those that are
left. A set S of d items is chosen at a time with a probability in proportion to

    tie_d * prod(worth_i for i in S) ** (1 / d),    tie_1 = 1,

over all sets of at most as many items as ever tied. So the likelihood depends on few counts (`Choices`), however many
rankings there are, and not on their order. Two items without ties give Bradley and Terry's model.

As in that package, a ghost of worth 1 that beats each item half a time and loses to it half a time keeps the worth of
whoever only wins finite, and joins items that never met. In the same way d ghosts tie half a time and do not half a
time, for each d up to the most that ever tied: where everything ties, the weight of ties is finite too.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import accumulate, combinations, pairwise
from math import exp, log, sqrt
from operator import add, mul
from typing import Final

Items = tuple[int, ...]
Vector = list[float]

_GHOST: Final = -1  # its place in every list of parameters is the last
_TIMES: Final = 0.5
_CLOSE: Final = 1e-9
_STRIDE: Final = 2.0
_STEPS: Final = 100


@dataclass(frozen=True, slots=True)
class Choices:
    """What the likelihood of rankings depends on.

    Attributes:
        chosen: for each item, how often it was chosen, a choice of d together counting 1/d.
        ties: for 2, 3... up to as many as ever tied, how often so many were chosen together.
        sets: how often there was a choice from each set of two or more items.
    """

    chosen: Sequence[float]
    ties: Sequence[float]
    sets: Mapping[Items, float]


@dataclass(frozen=True, slots=True)
class _Odds:
    """What is chosen from one set, in terms of the parameters: log worths, then log ties, then the ghost's log worth.

    The features of a choice of d items are 1/d for each of them and, with more than one, 1 for the tie of d.

    Attributes:
        log_total: the log of the sum of all weights.
        mean: (parameter, mean of its feature).
        covariance: (parameter, another one not above it, covariance of their features).
    """

    log_total: float
    mean: list[tuple[int, float]]
    covariance: list[tuple[int, int, float]]


@dataclass(frozen=True, slots=True)
class Fit:
    """The likeliest parameters, what is then chosen from each set, and how the ghosts pull at it."""

    log_worths: Vector
    log_ties: Vector
    odds: Mapping[Items, _Odds]
    ghosts: Vector

    def slope(self, choices: Choices) -> Vector:
        """Returns how choices from some of the same sets pull at this fit; the slopes of several add up.

        It is the first derivatives of their log-likelihood, and the lower triangle of the second ones, signs reversed.
        """
        return _flat(_slope(choices, self.odds))

    def after(self, slope: Vector) -> Vector:
        """Returns the log worths after one step of Newton's method, given the slope of all choices."""
        size = len(self.log_worths) + len(self.log_ties)
        pull = list(map(add, slope, self.ghosts))
        ends = accumulate(range(1, size + 1), initial=size)
        step = _solution([pull[start:end] for start, end in pairwise(ends)], pull[:size])
        return [worth + change for worth, change in zip(self.log_worths, step, strict=False)]


def fit(choices: Choices) -> Fit:
    """Returns the only maximum: with its ghosts the likelihood is strictly concave.

    Raises:
        ArithmeticError: it was not found in a hundred steps.
    """
    haunted = _haunted(choices)
    items = len(choices.chosen)
    here = [0.0] * (items + len(choices.ties))
    odds = _all_odds(haunted, here)
    for _ in range(_STEPS):
        gradient, information = _slope(haunted, odds)
        step = _solution(information, gradient)
        if max(map(abs, step), default=0.0) < _CLOSE:
            nothing = Choices([0.0] * items, [0.0] * len(choices.ties), {})
            return Fit(here[:items], here[items:], odds, _flat(_slope(_haunted(nothing), odds)))
        here, odds = _uphill(haunted, here, odds, step)
    raise ArithmeticError(f"no maximum for {items} items within {_STEPS} steps")


def _haunted(choices: Choices) -> Choices:
    """Returns the choices with those of the ghosts."""
    ghosts: list[Items] = [(_GHOST, item) for item in range(len(choices.chosen))]
    ghosts += [(_GHOST,) * order for order in range(2, len(choices.ties) + 2)]
    return Choices(
        chosen=[count + _TIMES for count in choices.chosen],
        ties=[count + _TIMES for count in choices.ties],
        sets={**choices.sets, **dict.fromkeys(ghosts, 2 * _TIMES)},
    )


def _uphill(
    choices: Choices, here: Vector, odds: Mapping[Items, _Odds], step: Vector
) -> tuple[Vector, dict[Items, _Odds]]:
    """Goes along a step, as far as it leads up."""
    least = _log_likelihood(choices, here, odds)
    least -= _CLOSE * abs(least)  # what rounding may take
    stride = min(1.0, _STRIDE / max(map(abs, step)))
    while True:
        there = [value + stride * change for value, change in zip(here, step, strict=True)]
        odds_there = _all_odds(choices, there)
        if _log_likelihood(choices, there, odds_there) >= least:
            return there, odds_there
        stride /= 2


def _log_likelihood(choices: Choices, parameters: Vector, odds: Mapping[Items, _Odds]) -> float:
    seen = sum(count * value for count, value in zip([*choices.chosen, *choices.ties], parameters, strict=True))
    return seen - sum(count * odds[members].log_total for members, count in choices.sets.items())


def _slope(choices: Choices, odds: Mapping[Items, _Odds]) -> tuple[Vector, list[Vector]]:
    """Returns the gradient and the lower triangle of the information where the odds hold."""
    gradient = [*choices.chosen, *choices.ties, 0.0]
    information = [[0.0] * len(gradient) for _ in gradient]
    for members, count in choices.sets.items():
        expected = odds[members]
        for parameter, mean in expected.mean:
            gradient[parameter] -= count * mean
        for parameter, other, covariance in expected.covariance:
            information[parameter][other] += count * covariance
    return gradient[:_GHOST], information[:_GHOST]


def _flat(slope: tuple[Vector, list[Vector]]) -> Vector:
    gradient, information = slope
    return [*gradient, *(value for row, line in enumerate(information) for value in line[: row + 1])]


def _all_odds(choices: Choices, parameters: Vector) -> dict[Items, _Odds]:
    items = len(choices.chosen)
    worths = [*parameters[:items], 0.0]
    roots = [[exp(worth / order) for worth in worths] for order in range(1, len(choices.ties) + 2)]
    ties = [1.0, *map(exp, parameters[items:])]
    return {members: _odds(members, items, roots, ties) for members in choices.sets}


def _odds(members: Items, items: int, roots: Sequence[Vector], ties: Vector) -> _Odds:
    orders = min(len(members), len(ties))
    parameters = [*members, *range(items, items + orders - 1)]
    total, first = 0.0, [0.0] * len(parameters)
    second = [[0.0] * len(parameters) for _ in parameters]
    for chosen, features in _subsets(len(members), orders):
        weight, root = ties[len(chosen) - 1], roots[len(chosen) - 1]
        for place in chosen:
            weight *= root[members[place]]
        total += weight
        for row, value in features:
            weighted = weight * value
            first[row] += weighted
            line = second[row]
            for column, other in features:
                line[column] += weighted * other
    mean = [value / total for value in first]
    covariance = [
        (parameter, parameters[column], second[row][column] / total - mean[row] * mean[column])
        for row, parameter in enumerate(parameters)
        if parameter != _GHOST
        for column in range(len(parameters))
        if _GHOST < parameters[column] <= parameter
    ]
    return _Odds(log(total), list(zip(parameters, mean, strict=True)), covariance)


@cache
def _subsets(size: int, orders: int) -> list[tuple[Items, list[tuple[int, float]]]]:
    """Returns each choice of places from a set, and its features by their places after which come the ties."""
    return [
        (chosen, [*((place, 1 / order) for place in chosen), *([(size + order - 2, 1.0)] if order > 1 else [])])
        for order in range(1, orders + 1)
        for chosen in combinations(range(size), order)
    ]


def _solution(lower: Sequence[Vector], right: Vector) -> Vector:
    """Solves a positive definite system, of which the lower triangle is given, by Cholesky's decomposition."""
    root, solution = list[Vector](), Vector()
    for row, line in enumerate(lower):
        made = Vector()
        for above in root:
            made.append((line[len(made)] - sum(map(mul, made, above))) / above[-1])
        solution.append(right[row] - sum(map(mul, made, solution)))
        made.append(sqrt(line[row] - sum(map(mul, made, made))))
        solution[row] /= made[row]
        root.append(made)
    for row in reversed(range(len(solution))):
        solution[row] /= root[row][row]
        for column in range(row):
            solution[column] -= root[row][column] * solution[row]
    return solution
