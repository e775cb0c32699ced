"""Chances of winning from features: a conditional logit, each seat against the others by its own score."""

from collections.abc import Sequence
from math import exp


def chances(scores: Sequence[float]) -> list[float]:
    """Returns the softmax of the scores of the seats."""
    highest = max(scores)
    odds = [exp(score - highest) for score in scores]
    total = sum(odds)
    return [each / total for each in odds]
