"""Random Swiss tournaments in which entrants come, leave and come back, judged by counting."""

from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import combinations
from random import Random

import pytest

from clients.tournament.formats import format_of
from clients.tournament.pairing import Pairing, Round
from clients.tournament.plan import FormatName
from clients.tournament.results import RoundResult
from tests.clients.tournament.formats.playing import plan, result_of

TOURNAMENTS = 250
"""Of each number of seats."""

MOST = {2: 8, 3: 8, 4: 9, 5: 10}
"""So many entrants that all draws can be gone through."""


class _Counted:
    """What happened in a tournament, counted anew."""

    def __init__(self) -> None:
        self.met = Counter[frozenset[str]]()
        self.byes = Counter[str]()

    def add(self, result: RoundResult) -> None:
        tables = {counted.group.entrants for counted in result.groups}
        self.met.update(frozenset(pair) for table in tables for pair in combinations(table, 2))
        everyone = {name for group in result.round.groups for name in group.entrants} | set(result.round.byes)
        self.byes.update(everyone.difference(*tables))

    def rematches(self, tables: Sequence[Sequence[str]], entrants: Sequence[str]) -> int:
        """Returns how often those who sit together have met, beyond what all have."""
        least = min(self.met[frozenset(pair)] for pair in combinations(entrants, 2))
        pairs = (frozenset(pair) for table in tables for pair in combinations(table, 2))
        return sum(self.met[pair] - least for pair in pairs)


def _draws(entrants: Sequence[str], seats: int) -> Iterator[list[tuple[str, ...]]]:
    """Yields all ways to fill tables."""
    if not entrants:
        yield []
        return
    for mates in combinations(entrants[1:], seats - 1):
        left = [name for name in entrants[1:] if name not in mates]
        yield from ([(entrants[0], *mates), *others] for others in _draws(left, seats))


def _tournament(seats: int, rng: Random) -> Iterator[tuple[Round, list[str], _Counted]]:
    """Yields each round with those who take part, and what was before."""
    names = [f"bot {number}" for number in range(MOST[seats])]
    form = format_of(plan(FormatName.SWISS, names, seats, rounds=rng.randint(1, 7)))
    skill = {name: rng.random() for name in names}
    counted = _Counted()
    past: list[RoundResult] = []
    present = rng.sample(names, rng.randint(seats, len(names)))

    def winners(pairing: Pairing) -> list[int]:
        luck = [skill[name] + rng.random() for name in pairing.entrants]
        return [luck.index(max(luck))] if rng.random() < 0.8 else list(range(seats))

    while drawn := form.next_round(present, past):
        yield drawn, present, counted
        leaving = rng.choice(present) if rng.random() < 0.3 else ""
        past.append(result_of(drawn, winners, without=leaving))
        counted.add(past[-1])
        present = [name for name in present if name != leaving]
        present += [name for name in names if name not in present and rng.random() < 0.2]


@pytest.mark.parametrize("seats", [2, 3, 4, 5])
def test_random_tournaments(seats: int) -> None:
    """Everyone plays or sits out; byes are taken in turn; nobody meets anybody again while that can be avoided."""
    rng = Random(seats)
    for drawn, present, before in (each for _ in range(TOURNAMENTS) for each in _tournament(seats, rng)):
        tables = [sorted(group.entrants) for group in drawn.groups]
        if len(present) < seats:
            assert all(table == sorted(present) for table in tables)
            continue
        assert sorted([*drawn.byes, *(name for table in tables for name in table)]) == sorted(present)
        assert len(drawn.byes) == len(present) % seats
        playing = [name for table in tables for name in table]
        assert not drawn.byes or max(before.byes[name] for name in drawn.byes) <= min(
            before.byes[name] for name in playing
        )
        assert before.rematches(tables, present) == _fewest(before, present, seats)


def _fewest(before: _Counted, present: Sequence[str], seats: int) -> int:
    count = len(present) % seats
    fewest_byes = sorted(before.byes[name] for name in present)[:count]
    return min(
        before.rematches(tables, present)
        for byes in combinations(present, count)
        if sorted(before.byes[name] for name in byes) == fewest_byes
        for tables in _draws([name for name in present if name not in byes], seats)
    )
