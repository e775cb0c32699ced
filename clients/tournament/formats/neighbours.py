"""Tables of neighbours who have not met: by exchanges, then by a bounded search."""

from collections.abc import Callable, Iterator, Sequence
from itertools import combinations, product
from typing import Final

STEPS: Final = 3000
"""After so many steps the search for fewer rematches ends; among ten entrants it has seen everything before."""

Places = tuple[int, ...]
"""Places in a ranking, from 0, in order."""

Again = Callable[[int, int], int]
"""How much it matters that two meet again; 0 if they have not met."""


def neighbours(places: Sequence[int], seats: int, again: Again) -> tuple[int, list[Places]]:
    """Returns tables of so many seats, and how many rematches they have, weighed by `again`.

    Neighbours are seated together, then two of different tables change places as long as that makes fewer rematches or,
    with as many, brings neighbours closer: it lessens the squares of the distances at the tables. If rematches are
    left, a search for tables with fewer goes through all there are, but for its bound.
    """
    search = _Search(seats, again)
    tables = search.improved([tuple(places[at : at + seats]) for at in range(0, len(places), seats)])
    rematches = search.rematches(tables)
    if rematches:
        fewer = search.fewer(tuple(places), rematches)
        tables = search.improved(fewer) if fewer else tables
    return search.rematches(tables), tables


class _Search:
    def __init__(self, seats: int, again: Again) -> None:
        self._seats: Final = seats
        self._again: Final = again

    def rematches(self, tables: Sequence[Places]) -> int:
        """Returns how many there are."""
        return sum(self._again(*pair) for table in tables for pair in combinations(table, 2))

    def improved(self, tables: Sequence[Places]) -> list[Places]:
        """Returns the tables after all exchanges that are worth it, of each two tables the best one first."""
        now = list(tables)
        changed = True
        while changed:
            changed = False
            for one, other in combinations(range(len(now)), 2):
                best = min(_exchanges(now[one], now[other]), key=self._cost)
                if self._cost(best) < self._cost((now[one], now[other])):
                    now[one], now[other] = best
                    changed = True
        return now

    def fewer(self, places: Places, bound: int) -> Sequence[Places]:
        """Returns the tables with the fewest rematches below a bound; none if there are none, or not found in time."""
        best: Sequence[Places] = ()
        waiting: list[tuple[Sequence[Places], Places, Places, int]] = [((), places[:1], places[1:], 0)]
        for _ in range(STEPS):
            if not waiting:
                break
            tables, table, left, rematches = waiting.pop()
            if rematches >= bound:
                continue
            if len(table) < self._seats:
                waiting += reversed([(tables, *rest) for rest in self._seated(table, left, rematches)])
            elif left:
                waiting.append(((*tables, table), left[:1], left[1:], rematches))
            else:
                best, bound = (*tables, table), rematches
        return best

    def _seated(self, table: Places, left: Places, rematches: int) -> Iterator[tuple[Places, Places, int]]:
        """Yields the table with one more of those who are left, the nearest first."""
        for at, place in enumerate(left):
            if place > table[-1]:
                more = sum(self._again(mate, place) for mate in table)
                yield (*table, place), left[:at] + left[at + 1 :], rematches + more

    def _cost(self, tables: Sequence[Places]) -> tuple[int, int]:
        distances = sum((one - other) ** 2 for table in tables for one, other in combinations(table, 2))
        return self.rematches(tables), distances


def _exchanges(one: Places, other: Places) -> list[tuple[Places, Places]]:
    return [(_put(one, leaving, coming), _put(other, coming, leaving)) for leaving, coming in product(one, other)]


def _put(table: Places, leaving: int, coming: int) -> Places:
    return tuple(sorted(coming if place == leaving else place for place in table))
