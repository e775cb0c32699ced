"""Rounds of everything, or of a sample: the tables of some pools on each deal, at once, and what is missing later."""

from collections.abc import Callable, Iterator, Sequence

from clients.tournament.formats.sample import sampled_seatings
from clients.tournament.formats.tables import Pool, Table, round_of, seatings, smallest_rotation, tables
from clients.tournament.pairing import Deal, Game, Group, Round
from clients.tournament.plan import Plan
from clients.tournament.results import RoundResult

Pools = Callable[[int], Sequence[Pool]]
"""The pools that fill a table of so many seats."""


def missing_round(plan: Plan, pools: Pools, entrants: Sequence[str], past: Sequence[RoundResult]) -> Round | None:
    """Returns what should have been played by now and does not count: at first everything, in the end None.

    Missing are groups of which a match was not played, if all that sat there take part again; and groups of entrants
    that never took part at the same time. Those who stay when others withdraw have met, with copies or without. Of a
    sample, groups of those who were not there before are missing: those of a sample of all who take part now.
    """
    scheduled = {_key(group): group for earlier in past for group in earlier.round.groups}
    counted = {_key(result.group) for earlier in past for result in earlier.groups}
    fields = [{name for group in earlier.round.groups for name in group.entrants} for earlier in past]
    if plan.format.groups:
        fields = [set[str]().union(*fields)]
    present = set(entrants)
    again = [key for key, group in scheduled.items() if key not in counted and group.entrants <= present]
    new = [
        (deal, seating)
        for deal, seating in _everything(plan, pools)
        if (deal, seating) not in scheduled and not any(field.issuperset(seating) for field in fields)
    ]
    return round_of(len(past), [*again, *new]) if again or new else None


def _key(group: Group) -> tuple[Deal, Table]:
    return group.deal, smallest_rotation(group.pairings[0].entrants)


def _everything(plan: Plan, pools: Pools) -> Iterator[tuple[Deal, Table]]:
    played = {game: _played(plan, game, pools(game.seats)) for game in plan.games}
    for number in range(plan.deals):
        for game in plan.games:
            yield from ((Deal(game, number), seating) for seating in played[game][number])


def _played(plan: Plan, game: Game, pools: Sequence[Pool]) -> Sequence[Sequence[Table]]:
    """Returns the seatings of each deal."""
    if plan.format.groups:
        return sampled_seatings(tuple(pools), plan.format.groups, plan.deals, game.name)
    return [[seating for table in tables(pools) for seating in seatings(table)]] * plan.deals
