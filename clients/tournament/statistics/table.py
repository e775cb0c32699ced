"""A table: shares, ratings, meetings and seats of complete groups, from what their deals count."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import permutations
from typing import Final

from clients.tournament.statistics.bootstrap import Ratios, Samples
from clients.tournament.statistics.places import Merit, places
from clients.tournament.statistics.ratings import ratings
from clients.tournament.statistics.standings import Estimate, HeadToHead, SeatAdvantage, Standing, Table
from clients.tournament.statistics.tally import Count, Counts, Key, summed

_SHARES: Final = frozenset({Count.SEATS, Count.WINS, Count.SEAT, Count.SEAT_WINS})


def table(
    strata: Sequence[Sequence[Counts]],
    unit: int,
    times: int,
    faults: Mapping[str, int],
    scores: Mapping[str, float],
    seats: int,
) -> Table:
    """Returns the table.

    Args:
        strata: for each game what its deals count.
        unit: of what they count.
        times: how many samples lie behind intervals.
        faults: for everybody in the table, how often it was taken out of the competition.
        scores: the mean score of whoever has one.
        seats: how many seats to tell of.
    """
    counted = summed(deal for deals in strata for deal in deals)
    seated = sorted(name for name in faults if Key(Count.SEATS, (name,)) in counted)
    samples = Samples(strata, times)
    shares = Ratios(counted, [key for key in counted if key.kind in _SHARES], samples)
    rated = ratings(seated, counted, unit, samples) if seated else {}
    made = _Made(counted, unit, shares, rated)
    ranked = places((made.merit(name, faults[name]) for name in seated), counted)
    standings = [made.standing(place, name, faults[name], scores.get(name)) for place, name in ranked]
    standings += [_unseated(len(seated) + 1, name, faults[name]) for name in sorted(faults) if name not in rated]
    pairs = permutations((standing.entrant for standing in standings), 2)
    return Table(
        standings=tuple(standings),
        head_to_head=tuple(made.head_to_head(*pair) for pair in pairs if Key(Count.MATCHES, pair) in counted),
        seat_advantages=tuple(
            made.seat_advantage(seat) for seat in range(seats) if Key(Count.SEAT, number=seat) in counted
        ),
    )


@dataclass(frozen=True, slots=True)
class _Made:
    counted: Counts
    unit: int
    shares: Ratios
    rated: Mapping[str, Estimate]

    def merit(self, name: str, faults: int) -> Merit:
        """Returns what the place of an entrant depends on."""
        return Merit(
            entrant=name,
            above_chance=self.mean(Count.WINS, name) - self.mean(Count.EXPECTED, name),
            rating=self.rated[name].value,
            beaten=self.mean(Count.BEATEN, name),
            faults=faults,
        )

    def standing(self, place: int, name: str, faults: int, score: float | None) -> Standing:
        """Returns how an entrant that had a seat fared."""
        return Standing(
            entrant=name,
            place=place,
            seats=self.counted[Key(Count.SEATS, (name,))],
            wins=self.counted[Key(Count.WINS, (name,))] / self.unit,
            share=self.share(name),
            expected=float(self.mean(Count.EXPECTED, name)),
            rank=self.counted[Key(Count.RANKS, (name,))] / (2 * self.counted[Key(Count.SEATS, (name,))]),
            rating=self.rated[name],
            score=score,
            faults=faults,
        )

    def head_to_head(self, name: str, opponent: str) -> HeadToHead:
        """Returns how an entrant fared in the matches of another."""
        both = (name, opponent)
        return HeadToHead(
            entrant=name,
            opponent=opponent,
            matches=self.counted[Key(Count.MATCHES, both)],
            seats=self.counted[Key(Count.SEATS, both)],
            wins=self.counted[Key(Count.WINS, both)] / self.unit,
            share=self.share(*both),
            ahead=self.counted[Key(Count.AHEAD, both)] / self.counted[Key(Count.PAIRS, both)],
        )

    def seat_advantage(self, seat: int) -> SeatAdvantage:
        """Returns what a seat won."""
        part, whole = Key(Count.SEAT_WINS, number=seat), Key(Count.SEAT, number=seat)
        return SeatAdvantage(
            seat=seat,
            matches=self.counted[whole],
            wins=self.counted[part] / self.unit,
            share=self.shares.estimate(part, whole, self.unit),
        )

    def share(self, *names: str) -> Estimate:
        """Returns wins a seat of an entrant, or of one in the matches of another."""
        return self.shares.estimate(Key(Count.WINS, names), Key(Count.SEATS, names), self.unit)

    def mean(self, count: Count, name: str) -> Fraction:
        """Returns the mean a seat of what is counted in units."""
        return Fraction(self.counted[Key(count, (name,))], self.unit * self.counted[Key(Count.SEATS, (name,))])


def _unseated(place: int, name: str, faults: int) -> Standing:
    return Standing(name, place, 0, 0.0, None, None, None, None, None, faults)
