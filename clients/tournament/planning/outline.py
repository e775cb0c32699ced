"""What a plan comes to: the rounds and matches that can come, before any is played."""

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

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
        seats: how many seats an entrant has in these, by game and name.
        exact: whether all of it is played; an A/B test may be decided early.
    """

    first: Round
    rounds: int
    matches: Mapping[Game, int]
    seats: Mapping[tuple[Game, str], int]
    exact: bool

    @property
    def total(self) -> int:
        """How many matches there are at most."""
        return sum(self.matches.values())


def outline(plan: Plan) -> Outline:
    """Returns the outline of a plan if nobody comes or goes."""
    exact = plan.format.name is not FormatName.AB
    rounds = list(_rounds(plan, counting=exact))  # a test of which nothing counts is never decided
    matches, seats = Counter[Game](), Counter[tuple[Game, str]]()
    for pairing in (pairing for drawn in rounds for pairing in _pairings(drawn)):
        matches[pairing.deal.game] += 1
        seats.update((pairing.deal.game, name) for name in pairing.entrants)
    return Outline(rounds[0], len(rounds), matches, seats, exact)


def _rounds(plan: Plan, *, counting: bool) -> Iterable[Round]:
    """Yields the rounds if all matches are drawn, and count or do not."""
    decides, names = format_of(plan), [entrant.name for entrant in plan.entrants]
    past = list[RoundResult]()
    while (drawn := decides.next_round(names, past)) is not None:
        yield drawn
        played = {pairing.name: _drawn(pairing) for pairing in _pairings(drawn)} if counting else {}
        past.append(round_result(drawn, played))


def _pairings(drawn: Round) -> Iterable[Pairing]:
    return (pairing for group in drawn.groups for pairing in group.pairings)


def _drawn(pairing: Pairing) -> Played:
    return Played(pairing, "", (SeatResult(1),) * len(pairing.entrants), "COMPLETED", 0, 0)
