"""What the organisers want, complete and without a fault: what a tournament file says, or flags."""

from dataclasses import dataclass, field
from enum import StrEnum

from clients.tournament.pairing import Game


class FormatName(StrEnum):
    """How it is decided who meets whom."""

    ROUND_ROBIN = "round-robin"
    GAUNTLET = "gauntlet"
    SWISS = "swiss"
    AB = "ab"


class Kind(StrEnum):
    """What plays for an entrant."""

    BOT = "bot"
    COMMAND = "command"
    REMOTE = "remote"


class Lasting(StrEnum):
    """How long a command's process lives."""

    TOURNAMENT = "tournament"
    MATCH = "match"


@dataclass(frozen=True, slots=True)
class Entrant:
    """Who takes part.

    Attributes:
        name: its name in results and records, different from all others'; 1 to 32 characters.
        version: its version in records.
        kind: which of the next three says how it plays.
        bot: of a BOT: "random", "greedy", or "FILE.py:CLASS".
        command: of a COMMAND: the program and its arguments.
        principal_hash: of a REMOTE: SHA-256 of its principal, 32 bytes in hexadecimal.
        lasting: of a COMMAND: whether one process plays the whole tournament, or a fresh one each match.
        environment: of a COMMAND: variables given to it besides.
        iterations: of a BOT: the budget of each move; None is without a limit.
        seconds: of a BOT: the same, in wall time.
    """

    name: str
    version: str = ""
    kind: Kind = Kind.BOT
    bot: str = ""
    command: tuple[str, ...] = ()
    principal_hash: str = ""
    lasting: Lasting = Lasting.TOURNAMENT
    environment: tuple[tuple[str, str], ...] = ()
    iterations: int | None = None
    seconds: float | None = None


@dataclass(frozen=True, slots=True)
class Format:
    """How it is decided who meets whom, and when it is over.

    Attributes:
        name: which.
        champions: of a GAUNTLET: the entrants that meet all others.
        rounds: of a SWISS: how many; 0 for as many as tell the entrants apart, by their number.
        groups: of a ROUND_ROBIN or GAUNTLET: at most so many groups a deal, a balanced sample; 0 for all.
        elo0: of an AB: the difference in Elo of the first hypothesis.
        elo1: of an AB: of the second.
        alpha: of an AB: how often the first may be refused although it holds.
        beta: of an AB: how often the second may be refused although it holds.
        batch: of an AB: after how many deals it is asked whether to stop.
    """

    name: FormatName = FormatName.ROUND_ROBIN
    champions: tuple[str, ...] = ()
    rounds: int = 0
    groups: int = 0
    elo0: float = 0.0
    elo1: float = 30.0
    alpha: float = 0.05
    beta: float = 0.05
    batch: int = 8


@dataclass(frozen=True, slots=True)
class Clocks:
    """Limits of time in ms, and of patience, as in the contract; 0 and None for no limit."""

    move_limit_ms: int = 0
    bank_ms: int = 0
    increment_ms: int = 0
    margin_ms: int = 0
    illegal_moves: int | None = None
    disconnect_grace_ms: int = 0


@dataclass(frozen=True, slots=True)
class Plan:
    """A tournament.

    Attributes:
        name: shown in the report.
        games: what is played.
        entrants: who takes part from the beginning.
        format: how it is decided who meets whom.
        deals: how many deals of each game a round has; of an AB at most so many in all.
        independent_deals: whether every match has a deal of its own: for entrants that are not trusted to forget.
        clocks: limits of time and patience.
        seed: a text from which the deals derive, which makes it practice; empty for a secret of its own.
        concurrency: how many matches are played at once.
    """

    games: tuple[Game, ...]
    entrants: tuple[Entrant, ...]
    name: str = "Tournament"
    format: Format = field(default_factory=Format)
    deals: int = 5
    independent_deals: bool = False
    clocks: Clocks = field(default_factory=Clocks)
    seed: str = ""
    concurrency: int = 16
