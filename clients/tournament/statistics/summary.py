"""From the results of matches to standings."""

from collections import Counter, defaultdict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import astuple, dataclass, field
from operator import mul
from typing import Final

from clients.tournament.pairing import Game, Group
from clients.tournament.results import GroupResult, Played, RoundResult
from clients.tournament.statistics import tally
from clients.tournament.statistics.bootstrap import RESAMPLES
from clients.tournament.statistics.conduct import conducts, scores, seats_of
from clients.tournament.statistics.distribution import distribution
from clients.tournament.statistics.standings import Conduct, Counts, Participation, Section, Standings, Table
from clients.tournament.statistics.table import table
from clients.tournament.statistics.thinking import ThinkingTimes


@dataclass(frozen=True, slots=True, kw_only=True)
class Facts:
    """What standings are made of.

    Attributes:
        entrants: everybody who takes or took part.
        rounds: what counts of each round.
        played: all matches that have a result, by the names of their pairings.
        withdrawn: who has left.
        cancelled: the names of pairings that will not be played.
        thinking: how long entrants thought, as far as that is known.
        independent_deals: whether every match has a deal of its own.
    """

    entrants: Sequence[str]
    rounds: Sequence[RoundResult]
    played: Mapping[str, Played]
    withdrawn: Collection[str] = frozenset()
    cancelled: Collection[str] = frozenset()
    thinking: ThinkingTimes = field(default_factory=ThinkingTimes)
    independent_deals: bool = False


def standings(facts: Facts, resamples: int = RESAMPLES) -> Standings:
    """Returns the standings; the order in which matches ended or entrants came changes nothing but the order of names.

    Args:
        facts: what is known.
        resamples: how many bootstrap samples lie behind each interval; 0 for none, which is much faster.
    """
    return _Summary(facts, resamples).standings()


@dataclass(frozen=True, slots=True)
class _Part:
    """What there is of a game, or of all if it is None: what was drawn, what counts, the matches that have a result."""

    game: Game | None
    groups: Sequence[Group]
    counted: Sequence[GroupResult]
    ended: Sequence[Played]


class _Summary:
    def __init__(self, facts: Facts, resamples: int) -> None:
        groups = [group for result in facts.rounds for group in result.round.groups]
        strangers = frozenset[str]().union(*(group.entrants for group in groups)).difference(facts.entrants)
        if strangers:
            raise ValueError(f"{sorted(strangers)} are drawn, but the entrants are {list(facts.entrants)}")
        self._facts: Final = facts
        self._resamples: Final = resamples
        self._groups: Final = groups
        self._counted: Final = [group for result in facts.rounds for group in result.groups]
        self._faulty: Final = {name for match in facts.played.values() for name, seat in seats_of(match) if seat.cause}
        self._unit: Final = tally.unit(group.pairings[0] for group in groups)
        self._tallies: Final = {
            match.pairing.name: tally.counts(match, self._unit) for group in self._counted for match in group.played
        }

    def standings(self) -> Standings:
        """Returns all of it."""
        games = sorted({group.deal.game for group in self._groups}, key=astuple)
        return Standings(
            resamples=self._resamples,
            entrants=tuple(map(self._participation, self._facts.entrants)),
            games=tuple(self._section(self._part(game)) for game in games),
            overall=self._section(self._part(None)),
        )

    def _participation(self, name: str) -> Participation:
        return Participation(
            entrant=name,
            withdrawn=name in self._facts.withdrawn,
            faulty=name in self._faulty,
            byes=sum(name in result.round.byes for result in self._facts.rounds),
        )

    def _part(self, game: Game | None) -> _Part:
        groups = [group for group in self._groups if game in (None, group.deal.game)]
        names = (pairing.name for group in groups for pairing in group.pairings)
        return _Part(
            game=game,
            groups=groups,
            counted=[group for group in self._counted if game in (None, group.group.deal.game)],
            ended=[self._facts.played[name] for name in names if name in self._facts.played],
        )

    def _section(self, part: _Part) -> Section:
        behaved = conducts(self._facts.entrants, part.ended, self._facts.thinking, part.game)
        faultless = [conduct for conduct in behaved if conduct.entrant not in self._faulty]
        refereed = [match for match in part.ended if not match.adjudication]
        return Section(
            game=part.game,
            counts=self._counts(part),
            reasons=dict(sorted(Counter(match.reason for match in part.ended).items())),
            conducts=behaved,
            durations_ms=distribution(Counter(match.ended_ms - match.began_ms for match in refereed)),
            matches_per_minute=_per_minute(refereed),
            table=self._table(part, behaved),
            faultless=self._table(part, faultless) if self._faulty else None,
        )

    def _counts(self, part: _Part) -> Counts:
        pairings = [pairing for group in part.groups for pairing in group.pairings]
        adjudicated = sum(bool(match.adjudication) for match in part.ended)
        cancelled = sum(pairing.name in self._facts.cancelled for pairing in pairings)
        return Counts(
            planned=len(pairings),
            played=len(part.ended) - adjudicated,
            adjudicated=adjudicated,
            cancelled=cancelled,
            unplayed=len(pairings) - len(part.ended) - cancelled,
            groups=len(part.groups),
            counted_groups=len(part.counted),
            counted_matches=sum(len(group.played) for group in part.counted),
            counted_deals=len({group.group.deal for group in part.counted}),
        )

    def _table(self, part: _Part, admitted: Sequence[Conduct]) -> Table:
        names = {conduct.entrant for conduct in admitted}
        groups = [group for group in part.counted if group.group.entrants <= names]
        scored = scores(match for group in groups for match in group.played) if part.game else {}
        return table(
            strata=self._strata(groups),
            unit=self._unit,
            times=self._resamples,
            faults={conduct.entrant: conduct.faults for conduct in admitted},
            scores={name: sum(map(mul, of, of.values())) / of.total() for name, of in scored.items()},
            seats=part.game.seats if part.game else 0,
        )

    def _strata(self, groups: Sequence[GroupResult]) -> list[list[tally.Counts]]:
        """Returns what each deal counts, game by game, in order; independent matches have a deal each."""
        strata = defaultdict[Game, defaultdict[tuple[int, str], list[tally.Counts]]](lambda: defaultdict(list))
        for group in groups:
            deal = group.group.deal
            for match in group.played:
                own = match.pairing.name if self._facts.independent_deals else ""
                strata[deal.game][deal.number, own].append(self._tallies[match.pairing.name])
        ordered = (strata[game] for game in sorted(strata, key=astuple))
        return [[tally.summed(deals[deal]) for deal in sorted(deals)] for deals in ordered]


def _per_minute(matches: Sequence[Played]) -> float | None:
    if not matches:
        return None
    passed_ms = max(match.ended_ms for match in matches) - min(match.began_ms for match in matches)
    return len(matches) * 60_000 / passed_ms if passed_ms > 0 else None
