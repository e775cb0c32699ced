"""Who meets whom, where and on which deal: pure, and the same for the same plan."""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations, combinations_with_replacement, permutations


@dataclass(frozen=True, slots=True)
class Deal:
    """What is dealt: the number-th deal of a ruleset for a number of seats."""

    ruleset: str
    seats: int
    number: int

    @property
    def name(self) -> str:
        """The name from which the seed derives, and that records carry as their deal group."""
        return f"{self.ruleset}/{self.seats}/{self.number}"


@dataclass(frozen=True, slots=True)
class Pairing:
    """One match: `entrants` are places in the plan's list, one a seat; `rotation` counts from 0 within the seating."""

    deal: Deal
    seating: int
    rotation: int
    entrants: tuple[int, ...]

    @property
    def name(self) -> str:
        """A name that no other match of the tournament has."""
        return f"{self.deal.name}/{self.seating}/{self.rotation}"


def tables(entrants: int, seats: int) -> list[tuple[int, ...]]:
    """Returns the groups that meet: all choices of different entrants; too few are copied as evenly as can be."""
    if entrants >= seats:
        return list(combinations(range(entrants), seats))
    even = {seats // entrants, -(-seats // entrants)}
    return [
        group
        for group in combinations_with_replacement(range(entrants), seats)
        if len(set(group)) == entrants and set(Counter(group).values()) <= even
    ]


def seatings(group: Sequence[int]) -> list[tuple[int, ...]]:
    """Returns the orders around the table that differ by more than a rotation, each in its smallest rotation."""
    return sorted({min(_rotations(order)) for order in permutations(group)})


def round_robin(deals: Sequence[Deal], entrants: int) -> Iterator[list[Pairing]]:
    """Yields for each deal its matches: every group in every seating, in every rotation that differs."""
    for deal in deals:
        orders = [order for group in tables(entrants, deal.seats) for order in seatings(group)]
        yield [
            Pairing(deal, seating, rotation, order)
            for seating, first in enumerate(orders)
            for rotation, order in enumerate(dict.fromkeys(_rotations(first)))
        ]


def _rotations(order: Sequence[int]) -> list[tuple[int, ...]]:
    return [tuple(order[start:]) + tuple(order[:start]) for start in range(len(order))]
