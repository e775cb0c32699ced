"""The standings of a tournament: what `dataclasses.asdict` makes of them is JSON.

A *share* is wins a seat, a win shared by k counting 1/k; copies of an entrant have a seat each. A `Table` is of
complete groups only; a `Conduct` is of every match that has a result.

A *rating* is in Elo: 400 / ln 10 times the log of a worth of the Plackett-Luce model with ties (`plackett_luce.py`),
with mean 0 over those who are rated in the same table.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from clients.tournament.pairing import Game

FINISHED: Final = "FINISHED"
ADJUDICATED: Final = "ADJUDICATED"


@dataclass(frozen=True, slots=True)
class Estimate:
    """A value and its 95 % bootstrap interval over deals; None where nothing was resampled or there is but one deal."""

    value: float
    low: float | None = None
    high: float | None = None


@dataclass(frozen=True, slots=True)
class Distribution:
    """Values in short.

    Attributes:
        count: how many.
        mean: their mean.
        quantiles: the least, the quartiles and the greatest; each is one of the values.
    """

    count: int
    mean: float
    quantiles: tuple[int, int, int, int, int]


@dataclass(frozen=True, slots=True)
class Histogram:
    """How many values are in each of the intervals of one width that follow each other from `start`."""

    start: int
    width: int
    counts: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Counts:
    """What became of what was planned: played + adjudicated + cancelled + unplayed == planned.

    Attributes:
        planned: matches that were drawn.
        played: those with the referee's result.
        adjudicated: those with a result that the organisers gave.
        cancelled: those that will never have one.
        unplayed: those that have none yet.
        groups: groups that were drawn.
        counted_groups: those of which every match has a result: only these count.
        counted_matches: the matches of these.
        counted_deals: the deals of these.
    """

    planned: int
    played: int
    adjudicated: int
    cancelled: int
    unplayed: int
    groups: int
    counted_groups: int
    counted_matches: int
    counted_deals: int


@dataclass(frozen=True, slots=True)
class Standing:
    """How an entrant fared. None where it has no seat in a complete group.

    Attributes:
        entrant: its name.
        place: from 1; equals share it and the next is skipped, by `places.py`.
        seats: seats it had.
        wins: what it won of these matches.
        share: wins a seat.
        expected: the share that chance gives: the mean of 1/seats.
        rank: the mean rank, equals sharing the mean of theirs: 1, 2.5, 2.5, 4.
        rating: in Elo.
        score: the mean of the final scores; None also if no game was played to its end, or over several games.
        faults: how often it was taken out of the competition, groups that do not count included.
    """

    entrant: str
    place: int
    seats: int
    wins: float
    share: Estimate | None
    expected: float | None
    rank: float | None
    rating: Estimate | None
    score: float | None
    faults: int


@dataclass(frozen=True, slots=True)
class HeadToHead:
    """An entrant in the matches in which another one sat too; there is one for each of the two, if they have met.

    Attributes:
        entrant: whose share it is.
        opponent: who sat there too.
        matches: how many.
        seats: seats that `entrant` had in them.
        wins: what it won of them, whoever else sat there.
        share: wins a seat.
        ahead: how often one of its seats ranked before one of the opponent's, equal ranks counting 1/2, as a share.
    """

    entrant: str
    opponent: str
    matches: int
    seats: int
    wins: float
    share: Estimate
    ahead: float


@dataclass(frozen=True, slots=True)
class SeatAdvantage:
    """What a seat won, whoever had it; chance gives 1/seats."""

    seat: int
    matches: int
    wins: float
    share: Estimate


@dataclass(frozen=True, slots=True)
class Table:
    """A ranking.

    Attributes:
        standings: best first.
        head_to_head: by the order of `standings`, of entrants and then of opponents.
        seat_advantages: seat by seat; empty over several games.
    """

    standings: tuple[Standing, ...]
    head_to_head: tuple[HeadToHead, ...]
    seat_advantages: tuple[SeatAdvantage, ...]


@dataclass(frozen=True, slots=True)
class Conduct:
    """How an entrant's seats ended, in all matches that have a result.

    Attributes:
        entrant: its name.
        seats: how many.
        endings: how often each way: FINISHED, ADJUDICATED (without a fault), or a cause such as "TIMED_OUT"; they add
            up to `seats`.
        thinking_ms: the times of its moves; None if none is known.
        scores: final scores; None if there is none, or over several games.
        histogram: the same in intervals that all entrants share; None with it.
    """

    entrant: str
    seats: int
    endings: Mapping[str, int]
    thinking_ms: Distribution | None
    scores: Distribution | None
    histogram: Histogram | None

    @property
    def faults(self) -> int:
        """How often it was taken out of the competition."""
        return self.seats - self.endings.get(FINISHED, 0) - self.endings.get(ADJUDICATED, 0)


@dataclass(frozen=True, slots=True)
class Section:
    """A game, or all games.

    Attributes:
        game: which; None for all.
        counts: what became of what was planned.
        reasons: how often each ended the matches that have a result.
        conducts: in the order of the roster.
        durations_ms: of the matches with the referee's result, by the director's clock; None if there is none.
        matches_per_minute: from their first beginning to their last end; None if there is none, or no time passed.
        table: everybody.
        faultless: only those who were never taken out of the competition, by the groups in which only such sat; None if
            all are.
    """

    game: Game | None
    counts: Counts
    reasons: Mapping[str, int]
    conducts: tuple[Conduct, ...]
    durations_ms: Distribution | None
    matches_per_minute: float | None
    table: Table
    faultless: Table | None


@dataclass(frozen=True, slots=True)
class Participation:
    """An entrant.

    Attributes:
        entrant: its name.
        withdrawn: whether it has left.
        faulty: whether it was taken out of the competition of any match.
        byes: in how many rounds it sat out.
    """

    entrant: str
    withdrawn: bool
    faulty: bool
    byes: int


@dataclass(frozen=True, slots=True)
class Standings:
    """All of it.

    Attributes:
        resamples: how many lie behind each interval; 0 if there are none.
        entrants: in the order of the roster.
        games: by ruleset, seats and options.
        overall: all games together.
    """

    resamples: int
    entrants: tuple[Participation, ...]
    games: tuple[Section, ...]
    overall: Section
