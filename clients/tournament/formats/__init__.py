"""Formats: who meets whom, where and on which deal, decided round by round."""

from collections.abc import Sequence
from typing import Protocol, assert_never

from clients.tournament.formats.ab import AB
from clients.tournament.formats.gauntlet import Gauntlet
from clients.tournament.formats.round_robin import RoundRobin
from clients.tournament.formats.swiss import Swiss
from clients.tournament.pairing import Round
from clients.tournament.plan import FormatName, Plan
from clients.tournament.results import RoundResult

__all__ = ["TournamentFormat", "format_of"]


class TournamentFormat(Protocol):
    """Decides what is played next; the same for the same arguments, in whatever order matches ended."""

    def next_round(self, entrants: Sequence[str], past: Sequence[RoundResult]) -> Round | None:
        """Returns the next round, or None when the tournament is over.

        Args:
            entrants: the names of those who take part now: no withdrawn ones, late ones at the end.
            past: all earlier rounds, each of them over.
        """


def format_of(plan: Plan) -> TournamentFormat:
    """Returns the format that a plan names."""
    match plan.format.name:
        case FormatName.ROUND_ROBIN:
            return RoundRobin(plan)
        case FormatName.GAUNTLET:
            return Gauntlet(plan)
        case FormatName.SWISS:
            return Swiss(plan)
        case FormatName.AB:
            return AB(plan)
        case _:
            assert_never(plan.format.name)
