"""Those who did as well meet: by points so far, with nobody they have met."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from clients.tournament.formats.draw import draw
from clients.tournament.formats.points import field, history, points
from clients.tournament.formats.tables import Pool, Table, round_of, shuffled_seatings, tables
from clients.tournament.pairing import Deal, Round
from clients.tournament.plan import Plan
from clients.tournament.results import RoundResult


class Swiss:
    """Each round seats everyone at a table, but for byes; each table plays the deals of the round, of every game.

    The ranking is by points; who has as many is ranked as in the list of entrants. A round that an entrant was not
    there for counts nothing. On a deal a table sits in one seating, in all rotations; on the next deal in another one.

    Games of different numbers of seats have tables of their own, drawn by the same ranking; the byes of a round are
    those who sit out of all of them. Fewer entrants than seats play at all tables that they can fill with copies.
    """

    def __init__(self, plan: Plan) -> None:
        self._plan: Final = plan
        self._sizes: Final = sorted({game.seats for game in plan.games})

    def next_round(self, entrants: Sequence[str], past: Sequence[RoundResult]) -> Round | None:
        ever = set(entrants).union(*(field(result.round) for result in past))
        enough = self._plan.format.rounds or enough_rounds(len(ever), self._sizes[0])
        if len(entrants) < 2 or len(past) >= enough:
            return None
        got = points(past, entrants, self._sizes)
        ranking = sorted(entrants, key=lambda name: -round(got.get(name, 0), 9))  # sums of thirds are not exact
        drawn = {seats: _drawn(ranking, seats, past) for seats in self._sizes}
        playing = {name for of_size in drawn.values() for table in of_size for name in table}
        byes = [name for name in ranking if name not in playing]
        return round_of(len(past), self._seated(len(past), drawn), byes)

    def _seated(self, number: int, drawn: Mapping[int, Sequence[Table]]) -> Iterator[tuple[Deal, Table]]:
        for deal in range(number * self._plan.deals, (number + 1) * self._plan.deals):
            for game in self._plan.games:
                for table in drawn[game.seats]:
                    orders = shuffled_seatings(table)
                    yield Deal(game, deal), orders[deal % len(orders)]


def enough_rounds(entrants: int, seats: int) -> int:
    """Returns after how many rounds at most one of so many entrants can have won everything.

    Of each table one at most goes on so, which makes it the logarithm to the base of the seats, rounded up.
    """
    rounds = 1
    while seats**rounds < entrants:
        rounds += 1
    return rounds


def _drawn(ranking: Sequence[str], seats: int, past: Sequence[RoundResult]) -> list[Table]:
    if len(ranking) < seats:
        return list(tables([Pool(tuple(ranking), seats)]))
    return draw(ranking, seats, history(past, seats))
