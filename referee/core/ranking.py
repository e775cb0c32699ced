"""Ranking of equals: they share a place and the next place is skipped."""

from collections.abc import Sequence
from typing import Any


def ranks(standings: Sequence[Any]) -> tuple[int, ...]:
    """Returns the place, from 1, of each standing; the greatest is first."""
    return tuple(1 + sum(other > standing for other in standings) for standing in standings)
