"""What lies on the table in the naive Art Decko: words in lists."""

import tomllib
from dataclasses import dataclass, field
from importlib.resources import files
from typing import Any, Final

from tests.games.art_decko.moves import FIVE, ONE, POWERS, TWO, Card, Move

BOX: Final[dict[str, Any]] = tomllib.loads(
    files("referee.games.art_decko").joinpath("components.toml").read_text(encoding="utf-8")
)
NUMBERS: Final = {ONE: 1, TWO: 2, FIVE: 5, **dict.fromkeys(POWERS, 3)}


@dataclass
class Player:
    """A player's cards and points; `kept` and `pool` are what all know of the hand and the deck."""

    hand: list[Card] = field(default_factory=list)
    deck: list[Card] = field(default_factory=list)
    discard: list[Card] = field(default_factory=list)
    kept: list[Card] = field(default_factory=list)
    pool: list[Card] = field(default_factory=list)
    shuffles: int = 0
    vp: int = 0
    ribbons: int = 0

    def own(self) -> list[Card]:
        return self.hand + self.deck + self.discard


@dataclass
class Gallery:
    """The paintings that a gallery shows, its cost token, and what it raises a rating by."""

    rise: int
    token: int = 0
    paintings: list[Card] = field(default_factory=list)


@dataclass
class Painting:
    """A painting in the museum."""

    owner: int
    style: str
    marker: str


@dataclass
class Exhibition:
    """The paintings hang in the order of the spaces; the first space is the highest."""

    cost: int
    spaces: list[int]
    tile: dict[str, Any]
    markers: list[str]
    paintings: list[Painting] = field(default_factory=list)


@dataclass
class Turn:
    """What lasts for one turn. `step` is what is to be chosen next."""

    actions: int = 2
    step: str = "action"
    used: set[int] = field(default_factory=set)
    discounts: int = 0
    invited: bool = False
    aside: list[Card] = field(default_factory=list)
    painting: Card | None = None
    buying: Move | None = None
    cost: int = 0
    paid: list[Card] = field(default_factory=list)
    payments: list[tuple[Card, ...]] = field(default_factory=list)
    discarded: list[Card] = field(default_factory=list)
