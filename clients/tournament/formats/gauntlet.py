"""Champions against all others."""

from collections.abc import Sequence
from typing import Final

from clients.tournament.formats.complete import missing_round
from clients.tournament.formats.tables import Pool
from clients.tournament.pairing import Round
from clients.tournament.plan import Plan
from clients.tournament.results import RoundResult


class Gauntlet:
    """Each table has one champion and otherwise others: every group of these, with copies where they are too few.

    So champions do not meet each other, but each meets the same groups, on the same deals; and at tables of more than
    two the others meet each other too, never without a champion.
    """

    def __init__(self, plan: Plan) -> None:
        self._plan: Final = plan

    def next_round(self, entrants: Sequence[str], past: Sequence[RoundResult]) -> Round | None:
        champions = tuple(name for name in entrants if name in self._plan.format.champions)
        others = tuple(name for name in entrants if name not in champions)
        if not champions or not others:
            return None
        return missing_round(self._plan, lambda seats: [Pool(champions, 1), Pool(others, seats - 1)], entrants, past)
