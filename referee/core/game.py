"""What a ruleset is: state is data without rules, rules are an object without data.

Seats are 0-based ints, moves are ids in [0, spec.num_actions) that mean the same in every match of the ruleset.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol, TypeVar

from referee.core.seeding import Random

Options = Mapping[str, int]


class Event(Protocol):
    """Something that happened. Its class is data: who may know of it, and whether it shows anybody something hidden."""

    @property
    def audience(self) -> int | None:
        """The only seat that may know of it; None if everybody may."""
        ...

    @property
    def reveals(self) -> bool:
        """Whether someone may learn from it what was hidden before."""
        ...


@dataclass(frozen=True, slots=True)
class Source:
    """Where a part of the component data comes from.

    Attributes:
        part: the part of the data.
        origin: "rule_book", "public_fact" or "reconstruction".
        note: the source in words.
    """

    part: str
    origin: str
    note: str


@dataclass(frozen=True, slots=True)
class Spec:
    """Facts of a ruleset.

    Attributes:
        name: the name on the wire, such as "classic_art".
        title: the name for people.
        rules_version: changes whenever an old record might replay differently.
        data_version: the version that the component data name.
        data_digest: SHA-256 of the component data.
        seats: the possible numbers of seats, ascending.
        num_actions: move ids are below it.
        max_legal_moves: no list of legal moves is longer.
        sources: where the component data come from.
    """

    name: str
    title: str
    rules_version: str
    data_version: str
    data_digest: bytes
    seats: tuple[int, ...]
    num_actions: int
    max_legal_moves: int
    sources: tuple[Source, ...]


@dataclass(frozen=True, slots=True)
class Outcome:
    """How a game ended by its rules.

    Attributes:
        scores: the final score of each seat.
        ranks: the place of each seat, from 1; equals share it and the next place is skipped.
        reason: "COMPLETED", or what cut the game short, such as "SEASON_CAP".
    """

    scores: tuple[int, ...]
    ranks: tuple[int, ...]
    reason: str


StateT = TypeVar("StateT")
ViewT = TypeVar("ViewT")
EventT = TypeVar("EventT", bound=Event)


class Game(Protocol[StateT, ViewT, EventT]):
    """The rules of one game. Has no mutable attributes; any number of matches share it."""

    @property
    def spec(self) -> Spec:
        """Facts of the ruleset."""
        ...

    def options(self, given: Options, seats: int) -> Options:
        """Checks options and fills in defaults.

        Raises:
            InvalidOptionError: an unknown option or a wrong value.
        """
        ...

    def setup(self, options: Options, seats: int, seed: bytes) -> StateT:
        """Deals a game from `options` as returned by `options()`, for a number in `spec.seats`, and 32 bytes."""
        ...

    def to_act(self, state: StateT) -> Sequence[int]:
        """Returns the seats that must choose now, ascending; empty if and only if the game is over."""
        ...

    def legal_moves(self, state: StateT, seat: int) -> Sequence[int]:
        """Returns the moves of a seat that is to act, in a fixed order, at least one, each once."""
        ...

    def check(self, state: StateT, seat: int, move: int) -> None:
        """Checks a move of a seat that is to act; shares no code with `legal_moves`, so that each tests the other.

        Raises:
            IllegalMoveError: the rules forbid it; names the rule.
        """
        ...

    def describe(self, move: int) -> str:
        """Returns a move in short English."""
        ...

    def play(self, state: StateT, seat: int, move: int) -> list[EventT]:
        """Plays a legal move in place and returns what happened, in order."""
        ...

    def result(self, state: StateT) -> Outcome | None:
        """Returns how the game ended; None while it goes on."""
        ...

    def view(self, state: StateT, viewer: int | None) -> ViewT:
        """Returns what a seat, or with None a spectator, may know."""
        ...

    def determinize(self, view: ViewT, rng: Random) -> StateT:
        """Returns a random state that the viewer cannot rule out, with a seed of its own."""
        ...

    def autopilot(self, view: ViewT, rng: Random) -> int:
        """Returns a passive legal move for the viewer's seat, which must be to act."""
        ...

    def copy(self, state: StateT) -> StateT:
        """Returns an independent copy."""
        ...

    def encode(self, state: StateT) -> bytes:
        """Packs a state."""
        ...

    def decode(self, packed: bytes) -> StateT:
        """Unpacks a state.

        Raises:
            ValueError: not a state that this version can read.
        """
        ...

    def encode_events(self, events: Sequence[EventT]) -> bytes:
        """Packs events for the log."""
        ...

    def decode_events(self, packed: bytes) -> list[EventT]:
        """Unpacks events.

        Raises:
            ValueError: not events that this version can read.
        """
        ...


AnyGame = Game[Any, Any, Any]
