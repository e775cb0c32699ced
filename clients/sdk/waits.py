"""Waits between repetitions of a call."""

import random
from typing import Final

_FIRST_WAIT_S: Final = 0.05
_LONGEST_WAIT_S: Final = 2.0


class Waits:
    """Growing waits, each at random between half and all of its length."""

    def __init__(self) -> None:
        self._wait_s = _FIRST_WAIT_S

    def next(self) -> float:
        """Returns how many seconds to wait now."""
        wait, self._wait_s = self._wait_s, min(2 * self._wait_s, _LONGEST_WAIT_S)
        return wait * random.uniform(0.5, 1.0)
