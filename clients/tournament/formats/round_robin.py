"""Everyone meets everyone."""

from collections.abc import Sequence
from typing import Final

from clients.tournament.formats.complete import missing_round
from clients.tournament.formats.tables import Pool
from clients.tournament.pairing import Round
from clients.tournament.plan import Plan
from clients.tournament.results import RoundResult


class RoundRobin:
    """Every group of entrants meets in every seating, on every deal in all rotations."""

    def __init__(self, plan: Plan) -> None:
        self._plan: Final = plan

    def next_round(self, entrants: Sequence[str], past: Sequence[RoundResult]) -> Round | None:
        if len(entrants) < 2:
            return None
        return missing_round(self._plan, lambda seats: [Pool(tuple(entrants), seats)], entrants, past)
