"""What a search needs of a source of randomness."""

from typing import Protocol

from referee.core.seeding import Random


class Rng(Random, Protocol):
    """What the rules need, and random floats; `random.Random` is one."""

    def random(self) -> float:
        """Returns a uniform float in [0, 1)."""
        ...
