"""What a report is of."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain

from clients.terminal.words import Words
from clients.tournament.formats.sequential import Outcome
from clients.tournament.formats.sequential import Verdict as Sequential
from clients.tournament.pairing import Pairing, Round
from clients.tournament.plan import Entrant, Kind, Plan
from clients.tournament.report.words import ENGLISH, deals_of
from clients.tournament.results import Played
from clients.tournament.statistics.standings import Standings


@dataclass(frozen=True, slots=True)
class Verdict:
    """What an A/B test has come to.

    Attributes:
        entrant: the one that is tested.
        opponent: whom it is tested against.
        outcome: of the test; its scores are the tested one's shares of the wins of whole deals.
        elo: the difference in Elo by the mean of the scores and the bounds of it; None where that has no bound.
    """

    entrant: str
    opponent: str
    outcome: Outcome
    elo: tuple[float | None, float | None, float | None]

    def told(self, words: Words = ENGLISH) -> str:
        """Tells the verdict in a sentence."""
        entrant, deals = self.entrant, deals_of(self.outcome.scores, words)
        match self.outcome.verdict:
            case Sequential.BETTER:
                return words.told("{entrant} is better, after {deals}.", entrant=entrant, deals=deals)
            case Sequential.NOT_SHOWN:
                return words.told(
                    "{entrant} is not better by what was looked for, after {deals}.", entrant=entrant, deals=deals
                )
            case Sequential.UNDECIDED:
                return words.told("undecided, after {deals}.", deals=deals)


@dataclass(frozen=True, slots=True)
class Subject:
    """A tournament, over or under way.

    Attributes:
        plan: what was wanted.
        programs: what played under each name, oldest first, in the order of the roster.
        standings: what it came to.
        rounds: those that were drawn.
        played: the matches that have a result, by the names of their pairings.
        cancelled: why pairings are not played, by their names.
        crashes: what was said of each end of an entrant's process before its time, by name.
        verdict: of an A/B test.
    """

    plan: Plan
    programs: Mapping[str, Sequence[Entrant]]
    standings: Standings
    rounds: Sequence[Round]
    played: Mapping[str, Played]
    cancelled: Mapping[str, str] = field(default_factory=dict)
    crashes: Mapping[str, Sequence[str]] = field(default_factory=dict)
    verdict: Verdict | None = None

    @property
    def pairings(self) -> list[Pairing]:
        """All that were drawn, in order."""
        groups = chain.from_iterable(drawn.groups for drawn in self.rounds)
        return list(chain.from_iterable(group.pairings for group in groups))

    @property
    def matches(self) -> list[Played]:
        """Those that have a result, in the order of their pairings."""
        return [self.played[pairing.name] for pairing in self.pairings if pairing.name in self.played]

    @property
    def from_outside(self) -> list[str]:
        """The names of entrants whose programs may keep a memory of their own between matches."""
        return [
            name
            for name, programs in self.programs.items()
            if any(program.kind is not Kind.BOT for program in programs)
        ]
