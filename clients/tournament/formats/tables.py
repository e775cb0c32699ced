"""Who can sit at a table, and where: over names of entrants, whatever the order in which these are listed."""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from hashlib import sha256
from itertools import combinations, permutations, product

from clients.tournament.pairing import Deal, Group, Pairing, Round

Table = tuple[str, ...]
"""Names, one a seat; copies of an entrant have its name."""


@dataclass(frozen=True, slots=True)
class Pool:
    """Entrants that share some seats of a table as evenly as can be: with copies where they are fewer than the seats.

    Attributes:
        entrants: at least one.
        seats: how many seats are theirs.
    """

    entrants: tuple[str, ...]
    seats: int

    @property
    def copies(self) -> Table:
        """Who sits at every table."""
        return self.entrants * (self.seats // len(self.entrants))

    @property
    def free(self) -> int:
        """How many seats are left for a choice of different entrants."""
        return self.seats % len(self.entrants)


def tables(pools: Iterable[Pool]) -> Iterator[Table]:
    """Yields each table that the pools can fill, its names sorted."""
    fillings = ([(*pool.copies, *chosen) for chosen in combinations(pool.entrants, pool.free)] for pool in pools)
    for filling in product(*fillings):
        yield tuple(sorted(name for part in filling for name in part))


def seatings(table: Table) -> list[Table]:
    """Returns the orders around the table that differ by more than a rotation, each in its smallest rotation."""
    first, *others = sorted(table)
    return sorted({smallest_rotation((first, *order)) for order in permutations(others)})


def shuffled_seatings(table: Table) -> list[Table]:
    """Returns the seatings in an order in which those that follow each other are no more alike than others."""
    return sorted(seatings(table), key=lambda seating: sha256("\0".join(seating).encode()).digest())


def rotations(seating: Table) -> list[Table]:
    """Returns the rotations that differ, beginning with the seating itself: in all of them each has every seat once."""
    return list(dict.fromkeys(seating[start:] + seating[:start] for start in range(len(seating))))


def smallest_rotation(seating: Table) -> Table:
    """Returns what stands for all rotations of a seating."""
    return min(rotations(seating))


def round_of(number: int, seated: Iterable[tuple[Deal, Table]], byes: Sequence[str] = ()) -> Round:
    """Returns the round in which each of these deals is played in all rotations of its seating."""
    seen = Counter[Deal]()
    groups = []
    for deal, seating in seated:
        orders = enumerate(rotations(seating))
        groups.append(Group(tuple(Pairing(deal, number, seen[deal], rotation, order) for rotation, order in orders)))
        seen[deal] += 1
    return Round(number, tuple(groups), tuple(byes))
