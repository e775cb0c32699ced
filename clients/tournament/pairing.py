"""What is played: games, their deals, and who sits where; each with a name that no other of the tournament has."""

from dataclasses import dataclass
from hashlib import sha256


@dataclass(frozen=True, slots=True)
class Game:
    """A ruleset for a number of seats.

    Attributes:
        ruleset: its name.
        seats: the number of seats.
        options: canonical JSON of the ruleset's options; empty for the defaults.
    """

    ruleset: str
    seats: int
    options: str = ""

    @property
    def name(self) -> str:
        """Ruleset, seats and, where there are options, eight characters that stand for them."""
        return "/".join([self.ruleset, str(self.seats), *([_digest(self.options)] if self.options else [])])


@dataclass(frozen=True, slots=True)
class Deal:
    """The number-th deal of a game."""

    game: Game
    number: int

    @property
    def name(self) -> str:
        """The name from which the seed derives, and that records carry as their deal group."""
        return f"{self.game.name}/{self.number}"


@dataclass(frozen=True, slots=True)
class Pairing:
    """One match.

    Attributes:
        deal: what is dealt.
        round: the number of the round, from 0.
        table: the number of the group of this deal in the round, from 0.
        rotation: the number of the match in the group, from 0.
        entrants: the name of the entrant at each seat; copies of one entrant share its name.
    """

    deal: Deal
    round: int
    table: int
    rotation: int
    entrants: tuple[str, ...]

    @property
    def name(self) -> str:
        """Keys the match: deal, round, table, rotation."""
        return f"{self.deal.name}/{self.round}.{self.table}/{self.rotation}"


@dataclass(frozen=True, slots=True)
class Group:
    """A deal in all rotations of one seating: it counts as a whole or not at all."""

    pairings: tuple[Pairing, ...]

    @property
    def deal(self) -> Deal:
        """What is dealt in all its matches."""
        return self.pairings[0].deal

    @property
    def entrants(self) -> frozenset[str]:
        """Who takes part."""
        return frozenset(self.pairings[0].entrants)


@dataclass(frozen=True, slots=True)
class Round:
    """What is played before the next decision on who meets whom.

    Attributes:
        number: from 0.
        groups: in the order of their tables.
        byes: who sits out.
    """

    number: int
    groups: tuple[Group, ...]
    byes: tuple[str, ...] = ()


def _digest(text: str) -> str:
    return sha256(text.encode()).hexdigest()[:8]
