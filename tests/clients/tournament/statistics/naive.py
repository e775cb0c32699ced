"""The likelihood of rankings, written as in the paper and maximised by trying."""

from collections.abc import Callable, Sequence
from itertools import combinations
from math import exp, log, prod

Ranking = Sequence[Sequence[int]]  # equals together, best first


def likelihood(rankings: Sequence[Ranking], worths: Sequence[float], ties: Sequence[float]) -> float:
    """The log-likelihood: the formula of the paper for each choice, ghosts of worth 1 with half a choice each way."""
    weights = [1.0, *ties]
    ghost = -1

    def weight(chosen: Sequence[int]) -> float:
        of_each = [1.0 if item == ghost else worths[item] for item in chosen]
        return float(weights[len(chosen) - 1] * prod(of_each) ** (1 / len(chosen)))

    def choice(among: Sequence[int], chosen: Sequence[int]) -> float:
        sizes = range(1, min(len(weights), len(among)) + 1)
        return log(weight(chosen) / sum(weight(some) for size in sizes for some in combinations(among, size)))

    total = 0.0
    for ranking in rankings:
        for place, equals in enumerate(ranking):
            left = [item for others in ranking[place:] for item in others]
            total += choice(left, equals)
    for item in range(len(worths)):
        total += 0.5 * choice([ghost, item], [item]) + 0.5 * choice([ghost, item], [ghost])
    for order in range(2, len(weights) + 1):
        ghosts = [ghost] * order
        total += 0.5 * choice(ghosts, ghosts) + 0.5 * choice(ghosts, [ghost])
    return total


def climbed(value: Callable[[Sequence[float]], float], size: int) -> list[float]:
    """Returns where a function of logs is greatest: one of them after the other is moved, by ever smaller strides."""
    here, stride = [0.0] * size, 1.0
    best = value([exp(number) for number in here])
    while stride > 1e-7:
        better = False
        for place in range(size):
            for change in (stride, -stride):
                there = here.copy()
                there[place] += change
                reached = value([exp(number) for number in there])
                if reached > best:
                    here, best, better = there, reached, True
        stride = stride if better else stride / 2
    return here
