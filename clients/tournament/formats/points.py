"""What earlier rounds of a Swiss come to: points, who has met whom, who sat out."""

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from itertools import combinations
from statistics import fmean

from clients.tournament.formats.draw import History
from clients.tournament.pairing import Group, Round
from clients.tournament.results import RoundResult


def field(drawn: Round) -> set[str]:
    """Returns who took part in a round, byes included."""
    return {name for group in drawn.groups for name in group.entrants}.union(drawn.byes)


def points(past: Sequence[RoundResult], present: Collection[str], sizes: Sequence[int]) -> Mapping[str, float]:
    """Returns the points of all rounds: for the tables of each size the mean win share of an entrant's groups.

    A bye counts as its fair share, 1 / seats. So does a group that was not played to its end because another left: one
    for which the entrant stayed, that is, took part in the next round too. Of one that left it counts nothing.

    Args:
        past: all rounds so far.
        present: who takes part in the next one.
        sizes: the numbers of seats that games of the tournament have.
    """
    total = defaultdict[str, float](float)
    fields = [*(field(result.round) for result in past), present]
    for result, stayed in zip(past, fields[1:], strict=True):
        for seats in sizes:
            for name, share in _points(result, stayed, seats):
                total[name] += share
    return total


def history(past: Iterable[RoundResult], seats: int) -> History:
    """Returns what happened at tables of some size; groups that do not count did not happen."""
    met, sat_out = Counter[frozenset[str]](), Counter[str]()
    for result in past:
        groups = [counted.group for counted in result.groups if counted.group.deal.game.seats == seats]
        met.update({frozenset(pair) for group in groups for pair in combinations(group.entrants, 2)})
        sat_out.update(field(result.round).difference(*(group.entrants for group in groups)))
    return History(met, sat_out)


def _points(result: RoundResult, stayed: Collection[str], seats: int) -> Iterator[tuple[str, float]]:
    counted = {_key(each.group): each for each in result.groups}
    shares = defaultdict[str, list[float]](list)
    for group in result.round.groups:
        if group.deal.game.seats == seats:
            for name in group.entrants:
                whole = counted.get(_key(group))
                shares[name].append(whole.share(name) if whole else (name in stayed) / seats)
    for name in field(result.round):
        yield name, fmean(shares[name]) if name in shares else 1 / seats


def _key(group: Group) -> str:
    return group.pairings[0].name
