"""A balanced sample of tables, where all of them would be too many."""

from collections import Counter
from collections.abc import Hashable, Iterator, Sequence
from functools import lru_cache
from itertools import combinations, cycle
from math import comb, prod
from random import Random
from typing import Final

from clients.tournament.formats.tables import Pool, Table, seatings, shuffled_seatings, tables

_EXCHANGES: Final = 150
"""How many exchanges are tried for each table."""

_MOST_EXCHANGES: Final = 200_000
"""How many are tried at most, in a few seconds: among so many tables chance does the rest."""


@lru_cache(maxsize=8)  # a tournament asks again whenever a round is over
def sampled_seatings(pools: tuple[Pool, ...], count: int, deals: int, lot: str) -> Sequence[Sequence[Table]]:
    """Returns for each deal at most `count` seatings that differ, the same for the same pools and lot.

    On each deal, and over all deals, the entrants of a pool sit as often as each other, give or take one. Any two meet
    as equally often as was found, and so is each table played. A table takes its seatings in turn, deal by deal.
    """
    pools = tuple(Pool(tuple(sorted(pool.entrants)), pool.seats) for pool in pools)
    choices = prod(comb(len(pool.entrants), pool.free) for pool in pools)
    each, more = divmod(min(count, choices * len(seatings(next(tables(pools))))), choices)
    every = list(tables(pools)) if count > choices // 2 else []
    turns: dict[Table, Iterator[Table]] = {}

    def seat(table: Table) -> Table:
        if table not in turns:
            turns[table] = cycle(shuffled_seatings(table))
        return next(turns[table])

    sample = _Sample(pools, min(more, choices - more), deals, lot).deals()
    if more > choices - more:  # who is left out is chosen more easily
        sample = ([table for table in every if table not in left_out] for left_out in sample)
    return tuple(tuple(seat(table) for table in [*every * each, *some]) for some in sample)


class _Tally:
    """Counts, and the sum of their squares: the less, the more even."""

    def __init__(self) -> None:
        self.uneven = 0
        self._counts: Final = Counter[Hashable]()

    def add(self, key: Hashable, step: int) -> None:
        """Counts one more or, with a step of -1, one less."""
        self.uneven += 2 * step * self._counts[key] + 1
        self._counts[key] += step


class _Sample:
    """Tables: dealt out evenly, then two of them exchange entrants while that makes them no less even.

    A hill climb that also walks on the level, as for one-factorizations (Dinitz and Stinson, 1987).
    """

    def __init__(self, pools: Sequence[Pool], size: int, deals: int, lot: str) -> None:
        self._rng: Final = Random(lot)
        self._pools: Final = pools
        self._size: Final = size
        self._deals: Final = deals
        self._tables: Final[list[list[str]]] = [[] for _ in range(size * deals)]
        self._sits: Final = Counter[tuple[int, str]]()
        self._seats: Final[list[range]] = []
        self._repeated, self._met, self._used = _Tally(), _Tally(), _Tally()
        for pool in pools:
            self._deal_out(pool)
        for table, names in enumerate(self._tables):
            self._count_table(table, 1)
            for pair in combinations(names, 2):
                self._met.add(frozenset(pair), 1)
        for _ in range(min(_EXCHANGES * len(self._tables), _MOST_EXCHANGES) if self._seats else 0):
            self._try_exchange()

    def deals(self) -> Iterator[list[Table]]:
        """Yields the tables of each deal."""
        copies = [name for pool in self._pools for name in pool.copies]
        for deal in range(self._deals):
            chosen = self._tables[deal * self._size : (deal + 1) * self._size]
            yield [tuple(sorted([*copies, *names])) for names in chosen]

    def _deal_out(self, pool: Pool) -> None:
        """Fills the pool's seats on each deal; where it does not come out even, who sat least often sits once more."""
        self._seats.extend([range(len(self._seats), len(self._seats) + pool.free)] * pool.free)
        sat = Counter[str]()
        for deal in range(self._deals):
            order = sorted(pool.entrants, key=lambda name: (sat[name], self._rng.random()))
            often, more = divmod(self._size * pool.free, len(order))
            names = [name for place, name in enumerate(order) for _ in range(often + (place < more))]
            for place, name in enumerate(names):
                self._tables[deal * self._size + place % self._size].append(name)
            sat.update(names)
            self._sits.update((deal, name) for name in names)

    def _try_exchange(self) -> None:
        one = self._below(len(self._tables))
        deal = one // self._size
        other = self._below(len(self._tables)) if self._below(2) else deal * self._size + self._below(self._size)
        seat = self._below(len(self._seats))
        pool = self._seats[seat]
        exchange = one, seat, other, pool[self._below(len(pool))]
        if self._may_exchange(*exchange):
            before = self._unevenness
            self._exchange(*exchange)
            if self._unevenness > before:
                self._exchange(*exchange)

    def _may_exchange(self, one: int, seat: int, other: int, other_seat: int) -> bool:
        """Says whether two tables stay tables of different entrants, and their deals as even as they are."""
        name, other_name = self._tables[one][seat], self._tables[other][other_seat]
        if name in self._tables[other] or other_name in self._tables[one]:
            return False
        deal, other_deal = one // self._size, other // self._size
        return deal == other_deal or (
            self._sits[deal, name] > self._sits[deal, other_name]
            and self._sits[other_deal, other_name] > self._sits[other_deal, name]
        )

    def _exchange(self, one: int, seat: int, other: int, other_seat: int) -> None:
        name, other_name = self._tables[one][seat], self._tables[other][other_seat]
        self._put(one, seat, other_name)
        self._put(other, other_seat, name)

    def _put(self, table: int, seat: int, name: str) -> None:
        names, deal = self._tables[table], table // self._size
        self._count_table(table, -1)
        for sits, step in ((names[seat], -1), (name, 1)):
            self._sits[deal, sits] += step
            for mate in (*names[:seat], *names[seat + 1 :]):
                self._met.add(frozenset((sits, mate)), step)
        names[seat] = name
        self._count_table(table, 1)

    def _count_table(self, table: int, step: int) -> None:
        names = frozenset(self._tables[table])
        self._repeated.add((table // self._size, names), step)
        self._used.add(names, step)

    @property
    def _unevenness(self) -> tuple[int, int, int]:
        return self._repeated.uneven, self._met.uneven, self._used.uneven

    def _below(self, bound: int) -> int:
        return int(self._rng.random() * bound)  # the same on all versions of Python, unlike randrange
