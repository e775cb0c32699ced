"""Who sits with whom in a round of a Swiss, and who sits out."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations, islice
from typing import Final

from clients.tournament.formats.neighbours import Places, neighbours
from clients.tournament.formats.tables import Table

_CHOICES: Final = 130
"""Of so many choices of byes the first one without rematches is taken, or else one with the fewest."""


@dataclass(frozen=True, slots=True)
class History:
    """What happened in earlier rounds at tables of some size.

    Attributes:
        met: in how many rounds two have met.
        sat_out: in how many rounds one had nobody to play.
    """

    met: Mapping[frozenset[str], int]
    sat_out: Mapping[str, int]


def draw(ranking: Sequence[str], seats: int, history: History) -> list[Table]:
    """Returns the tables; who is at none has a bye.

    First of all, byes go to those who had fewest. Then, nobody meets anybody again while that can be avoided. Then,
    byes go to the lowest, and those who sit together are neighbours in the ranking.

    Args:
        ranking: who takes part, best first.
        seats: of a table; no more than there are entrants.
        history: what is to be avoided.
    """
    often = {frozenset(pair): history.met.get(frozenset(pair), 0) for pair in combinations(ranking, 2)}
    least = min(often.values())

    def again(one: int, other: int) -> int:
        return often[frozenset((ranking[one], ranking[other]))] - least

    drawn = []
    for byes in islice(_byes(ranking, len(ranking) % seats, history.sat_out), _CHOICES):
        drawn.append(neighbours([place for place in range(len(ranking)) if place not in byes], seats, again))
        if drawn[-1][0] == 0:
            break
    _, tables = min(drawn, key=lambda choice: choice[0])
    return [tuple(ranking[place] for place in table) for table in sorted(tables)]


def _byes(ranking: Sequence[str], count: int, sat_out: Mapping[str, int]) -> Iterator[Places]:
    """Yields the choices of those who sat out least often, those with the lowest first."""
    had = [sat_out.get(name, 0) for name in ranking]
    most = sorted(had)[count - 1] if count else 0
    due = [place for place, byes in enumerate(had) if byes < most]
    others = [place for place in reversed(range(len(ranking))) if had[place] == most]
    for chosen in combinations(others, count - len(due)):
        yield (*due, *chosen)
