"""Plays rounds without a referee: who wins is a function of the pairing."""

from collections.abc import Callable, Iterable, Sequence

from clients.tournament.formats import TournamentFormat
from clients.tournament.pairing import Game, Group, Pairing, Round
from clients.tournament.plan import Entrant, Format, FormatName, Plan
from clients.tournament.results import Played, RoundResult, SeatResult, round_result

Winners = Callable[[Pairing], Sequence[int]]
"""The seats that share the win of a match."""


def game(seats: int = 2) -> Game:
    """Returns a game for so many seats."""
    return Game("classic_art", seats)


def plan(name: FormatName, entrants: Iterable[str], seats: int = 2, deals: int = 1, **options: object) -> Plan:
    """Returns a plan with one game."""
    form = Format(name, **options)  # type: ignore[arg-type]
    return Plan((game(seats),), tuple(Entrant(entrant) for entrant in entrants), format=form, deals=deals)


def first_seat(_: Pairing) -> Sequence[int]:
    """The first seat wins: nobody is better than others."""
    return [0]


def alphabet(pairing: Pairing) -> Sequence[int]:
    """The first in the alphabet wins; its copies share the win."""
    return [seat for seat, name in enumerate(pairing.entrants) if name == min(pairing.entrants)]


def played(pairing: Pairing, winners: Sequence[int]) -> Played:
    """Returns a match that ended so."""
    seats = tuple(SeatResult(1 if seat in winners else 2) for seat in range(len(pairing.entrants)))
    return Played(pairing, pairing.name, seats, "COMPLETED", 0, 1)


def result_of(made: Round, winners: Winners = first_seat, without: str = "") -> RoundResult:
    """Plays a round; the matches of the one who left are not played."""
    matches = (pairing for group in made.groups for pairing in group.pairings if without not in pairing.entrants)
    return round_result(made, {pairing.name: played(pairing, winners(pairing)) for pairing in matches})


def play_on(
    form: TournamentFormat, entrants: Sequence[str], past: Iterable[RoundResult] = (), winners: Winners = first_seat
) -> list[RoundResult]:
    """Plays until it is over; returns all rounds."""
    rounds = list(past)
    while made := form.next_round(entrants, rounds):
        rounds.append(result_of(made, winners))
    return rounds


def seated(groups: Iterable[Group]) -> list[tuple[int, str]]:
    """Returns the deal's number and the first seating of each group, a letter a seat."""
    return [(group.deal.number, "".join(group.pairings[0].entrants)) for group in groups]


def made_round(form: TournamentFormat, entrants: Sequence[str], past: Sequence[RoundResult] = ()) -> Round:
    """Returns the next round of a tournament that is not over."""
    made = form.next_round(entrants, past)
    assert made is not None
    return made
