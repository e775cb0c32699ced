"""What a plan comes to: the rounds and matches that can come, before any is played."""

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from math import ceil

from clients.tournament.formats import format_of
from clients.tournament.pairing import Game, Pairing, Round
from clients.tournament.plan import FormatName, Plan
from clients.tournament.results import Played, RoundResult, SeatResult, round_result


@dataclass(frozen=True, slots=True)
class Outline:
    """How much is to be played.

    Attributes:
        first: the first round.
        rounds: how many rounds there are at most.
        matches: how many matches there are at most, by game.
    """

    first: Round
    rounds: int
    matches: Mapping[Game, int]

    @property
    def total(self) -> int:
        """How many matches there are at most."""
        return sum(self.matches.values())

    @property
    def exact(self) -> bool:
        """Whether all is known already."""
        return self.total == sum(len(group.pairings) for group in self.first.groups)


def outline(plan: Plan) -> Outline:
    """Returns the outline of a plan if nobody comes or goes."""
    rounds = list(_rounds(plan))
    counts = Counter(pairing.deal.game for drawn in rounds for pairing in _pairings(drawn))
    if plan.format.name is FormatName.AB:  # it may be decided early, and may not
        dealt = max(Counter(deal.game for deal in {group.deal for group in rounds[0].groups}).values())
        first = Counter(pairing.deal.game for pairing in _pairings(rounds[0]))
        counts = Counter({game: count * plan.deals // dealt for game, count in first.items()})
        return Outline(rounds[0], ceil(plan.deals / dealt), counts)
    return Outline(rounds[0], len(rounds), counts)


def _rounds(plan: Plan) -> Iterable[Round]:
    """Yields the rounds of a tournament in which every match is drawn."""
    decides, names = format_of(plan), [entrant.name for entrant in plan.entrants]
    past = list[RoundResult]()
    while (drawn := decides.next_round(names, past)) is not None:
        yield drawn
        past.append(round_result(drawn, {pairing.name: _drawn(pairing) for pairing in _pairings(drawn)}))


def _pairings(drawn: Round) -> Iterable[Pairing]:
    return (pairing for group in drawn.groups for pairing in group.pairings)


def _drawn(pairing: Pairing) -> Played:
    return Played(pairing, "", (SeatResult(1),) * len(pairing.entrants), "COMPLETED", 0, 0)
