"""What a tournament says: win shares with intervals over deals, from the results of its matches."""

import random
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final

from artreferee.v1 import match_pb2
from clients.tournament.schedule import Pairing

RESAMPLES: Final = 2000
_CONFIDENCE: Final = 0.95


@dataclass(frozen=True, slots=True)
class Played:
    """A match and how it ended; `began` and `ended` are in seconds of one clock."""

    pairing: Pairing
    match_id: str
    result: match_pb2.Result
    began: float
    ended: float


@dataclass(frozen=True, slots=True)
class Pace:
    """How fast a ruleset was played: from its first match's beginning to its last one's end."""

    ruleset: str
    matches: int
    seconds: float

    @property
    def per_minute(self) -> float:
        """Matches a minute."""
        return self.matches / self.seconds * 60


@dataclass(frozen=True, slots=True)
class Standing:
    """How an entrant fared with one ruleset and number of seats.

    Attributes:
        entrant: its name.
        seats_played: how often it sat at a table, copies counted.
        wins: matches won, a win shared by k counting 1/k.
        share: wins a seat played; 1/seats is what chance gives.
        low: the lower end of the bootstrap interval of `share`, at 95 %.
        high: the upper end.
        score: the mean of the final scores; None if no game was played to its end.
    """

    entrant: str
    seats_played: int
    wins: float
    share: float
    low: float
    high: float
    score: float | None


@dataclass(frozen=True, slots=True)
class Section:
    """The standings of one ruleset with one number of seats, best share first."""

    ruleset: str
    seats: int
    deals: int
    matches: int
    reasons: dict[str, int]
    standings: tuple[Standing, ...]


def win_shares(result: match_pb2.Result) -> list[float]:
    """Returns what each seat gets of the win: 1/k to each of k winners."""
    winners = [seat.rank == 1 for seat in result.seats]
    return [winner / sum(winners) for winner in winners]


def sections(played: Iterable[Played], entrants: Sequence[str]) -> list[Section]:
    """Returns the standings for each ruleset and number of seats."""
    grouped = defaultdict[tuple[str, int], list[Played]](list)
    for match in played:
        grouped[match.pairing.deal.ruleset, match.pairing.deal.seats].append(match)
    return [_section(ruleset, seats, grouped[ruleset, seats], entrants) for ruleset, seats in sorted(grouped)]


def paces(played: Sequence[Played]) -> list[Pace]:
    """Returns how fast each ruleset was played."""
    grouped = defaultdict[str, list[Played]](list)
    for match in played:
        grouped[match.pairing.deal.ruleset].append(match)
    return [
        Pace(ruleset, len(of), max(match.ended for match in of) - min(match.began for match in of))
        for ruleset, of in sorted(grouped.items())
    ]


def interval(deals: Sequence[tuple[float, int]], resamples: int = RESAMPLES) -> tuple[float, float]:
    """Returns the 95 % percentile bootstrap interval of sum(wins) / sum(seats played) over whole deals.

    A deal that several matches and groups share is drawn as one (Efron and Tibshirani, 1993, chapter 13).

    Args:
        deals: (wins, seats played) of each deal.
        resamples: how many to draw.
    """
    rng = random.Random(len(deals))  # the same results give the same interval
    drawn = []
    for _ in range(resamples):
        sample = rng.choices(deals, k=len(deals))
        drawn.append(sum(wins for wins, _ in sample) / sum(count for _, count in sample))
    drawn.sort()
    cut = round((1 - _CONFIDENCE) / 2 * resamples)
    return drawn[cut], drawn[resamples - 1 - cut]


def _section(ruleset: str, seats: int, played: list[Played], entrants: Sequence[str]) -> Section:
    reasons = defaultdict[str, int](int)
    for match in played:
        reasons[match.result.reason] += 1
    standings = (_standing(place, name, played) for place, name in enumerate(entrants))
    return Section(
        ruleset=ruleset,
        seats=seats,
        deals=len({match.pairing.deal for match in played}),
        matches=len(played),
        reasons=dict(sorted(reasons.items())),
        standings=tuple(sorted(standings, key=lambda standing: (-standing.share, standing.entrant))),
    )


def _standing(place: int, name: str, played: list[Played]) -> Standing:
    by_deal = defaultdict[int, list[float]](list)
    scores = []
    for match in played:
        shares = win_shares(match.result)
        for seat, entrant in enumerate(match.pairing.entrants):
            if entrant == place:
                by_deal[match.pairing.deal.number].append(shares[seat])
                if match.result.seats[seat].HasField("score"):
                    scores.append(match.result.seats[seat].score)
    deals = [(sum(shares), len(shares)) for _, shares in sorted(by_deal.items())]
    wins, count = sum(wins for wins, _ in deals), sum(count for _, count in deals)
    low, high = interval(deals)
    return Standing(name, count, wins, wins / count, low, high, sum(scores) / len(scores) if scores else None)
