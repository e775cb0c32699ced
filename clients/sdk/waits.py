"""Waits between repetitions of a call."""

import random
from typing import Final

_FIRST_WAIT_S: Final = 0.05
_LONGEST_WAIT_S: Final = 2.0


class Waits:
    """Growing waits, each at random between half and all of its length."""

    def __init__(self) -> None:
        self._wait_s = _FIRST_WAIT_S

    def next(self, at_least_s: float = 0.0) -> float:
        """Returns how many seconds to wait now, at least what the referee asks for; never the same for two callers."""
        wait, self._wait_s = self._wait_s, min(2 * self._wait_s, _LONGEST_WAIT_S)
        return at_least_s + wait * random.uniform(0.5, 1.0)
