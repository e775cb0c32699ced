"""Whether one of two entrants is better than the other."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from math import log10
from statistics import fmean
from typing import Final

from clients.tournament.formats.sequential import Hypotheses, Outcome, Verdict, sequential_test
from clients.tournament.formats.tables import Pool, Table, round_of, seatings, tables
from clients.tournament.pairing import Deal, Game, Round
from clients.tournament.plan import Plan
from clients.tournament.results import GroupResult, RoundResult


class AB:
    """The first entrant of a plan is tested against the second, batch by batch, until there is a verdict or no deal.

    A round is a batch of deals of every game, at every table that the two can fill, with copies where there are more
    seats, in every seating. It is looked at as a whole, in the order of the schedule: which matches were over first,
    those that are quickly lost perhaps, has no influence.
    """

    def __init__(self, plan: Plan) -> None:
        self._plan: Final = plan

    def next_round(self, entrants: Sequence[str], past: Sequence[RoundResult]) -> Round | None:
        numbers = self._numbers(len(past))
        if not numbers or not set(_names(self._plan)).issubset(entrants):
            return None
        if outcome(self._plan, past).verdict is not Verdict.UNDECIDED:
            return None
        return round_of(len(past), self._seated(numbers))

    def _numbers(self, batch: int) -> range:
        start = batch * self._plan.format.batch
        return range(start, min(start + self._plan.format.batch, self._plan.deals))

    def _seated(self, numbers: range) -> Iterator[tuple[Deal, Table]]:
        for number in numbers:
            for game in self._plan.games:
                for table in tables([Pool(_names(self._plan), game.seats)]):
                    yield from ((Deal(game, number), seating) for seating in seatings(table))


def outcome(plan: Plan, past: Sequence[RoundResult]) -> Outcome:
    """Returns what the rounds of an A/B test come to so far.

    A score is the first entrant's share of the wins of all matches of a deal number, the mean over the games. Over all
    seatings both have as many seats, so that equals have 1/2. A deal number counts only if all its matches do.
    """
    stated = plan.format
    hypotheses = Hypotheses(share_of(stated.elo0), share_of(stated.elo1), stated.alpha, stated.beta)
    tested, _ = _names(plan)
    return sequential_test((_scores(tested, result) for result in past), hypotheses)


def share_of(elo: float) -> float:
    """Returns the share of the wins that is expected of a side that is better by so much."""
    return 1 / (1 + 10 ** (-elo / 400))


def elo_of(share: float) -> float | None:
    """Returns by how much a side is better that has this share of the wins; None for none or all of them."""
    return 400 * log10(share / (1 - share)) if 0 < share < 1 else None


def _names(plan: Plan) -> tuple[str, str]:
    first, second = plan.entrants
    return first.name, second.name


def _scores(tested: str, result: RoundResult) -> list[float]:
    counted = {each.group.pairings[0].name: each for each in result.groups}
    drawn = defaultdict[int, list[GroupResult | None]](list)
    for group in result.round.groups:
        drawn[group.deal.number].append(counted.get(group.pairings[0].name))
    return [_score(tested, whole) for groups in drawn.values() if (whole := _whole(groups))]


def _whole(groups: Sequence[GroupResult | None]) -> list[GroupResult]:
    """Returns the groups, if all of them count."""
    counted = [group for group in groups if group]
    return counted if len(counted) == len(groups) else []


def _score(tested: str, groups: Iterable[GroupResult]) -> float:
    shares = defaultdict[Game, list[float]](list)
    for group in groups:
        for match in group.played:
            seats = zip(match.pairing.entrants, match.shares, strict=True)
            shares[group.group.deal.game].append(sum(share for name, share in seats if name == tested))
    return fmean(fmean(of_game) for of_game in shares.values())
