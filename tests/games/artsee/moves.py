"""The cards and moves of ArtSee in words, and the ids of the moves by the documented layout.

First each card on each spot: on a column from the left, as a new left column, as a new right one. Then each masterpiece
in each slot, declining, placing a visitor, skipping, and the two piles.
"""

from collections.abc import Sequence
from itertools import combinations, product
from typing import Final, Literal, NamedTuple

LEFT: Final = "LEFT"
RIGHT: Final = "RIGHT"
STARTING: Final = "STARTING"
MAIN: Final = "MAIN"
CATEGORIES: Final = ("ABSTRACT", "LANDSCAPE", "PORTRAIT", "STILL_LIFE")
ABSTRACT, LANDSCAPE, PORTRAIT, STILL_LIFE = CATEGORIES


class Card(NamedTuple):
    """A kind of exhibit card."""

    deck: str
    featured: str
    pieces: tuple[str, ...]
    arrow: str

    @property
    def back(self) -> tuple[str, str]:
        """What everybody sees of it."""
        return self.deck, self.featured


class Masterpiece(NamedTuple):
    """A masterpiece token."""

    category: str
    requirement: int


Spot = int | Literal["LEFT", "RIGHT"]
Play = tuple[Literal["play"], Card, Spot]
Claim = tuple[Literal["claim"], Masterpiece, int]
Draw = tuple[Literal["draw"], int]
Other = tuple[Literal["decline", "place", "skip"]]
Move = Play | Claim | Other | Draw


def layout(cards: Sequence[Card], most_covered: int, tokens: Sequence[Masterpiece], most_slots: int) -> list[Move]:
    """Returns all moves in the order of their ids."""
    sides: tuple[Spot, ...] = (LEFT, RIGHT)
    moves: list[Move] = [("play", card, spot) for card in cards for spot in (*range(most_covered), *sides)]
    moves += [("claim", token, slot) for token in tokens for slot in range(most_slots)]
    moves += [("decline",), ("place",), ("skip",), ("draw", 0), ("draw", 1)]
    return moves


KINDS: Final = tuple(
    Card(deck, featured, pieces, arrow)
    for deck, size in ((STARTING, 3), (MAIN, 2))
    for featured, pieces, arrow in product(CATEGORIES, combinations(CATEGORIES, size), (LEFT, RIGHT))
)
TOKENS: Final = tuple(Masterpiece(category, requirement) for category in CATEGORIES for requirement in range(5, 10))
MOVES: Final = tuple(layout(KINDS, 20, TOKENS, 22))
IDS: Final = {move: number for number, move in enumerate(MOVES)}
DECLINE: Final = IDS[("decline",)]
PLACE: Final = IDS[("place",)]
SKIP: Final = IDS[("skip",)]
FIRST_PILE: Final = IDS[("draw", 0)]
SECOND_PILE: Final = IDS[("draw", 1)]

_INITIALS: Final = {category[0]: category for category in CATEGORIES}
_ARROWS: Final = {"<": LEFT, ">": RIGHT}


def card(name: str) -> Card:
    """Returns the card with a name such as "P:AL>": it features PORTRAIT, with two pieces and arrow RIGHT."""
    featured, shown = name.split(":")
    pieces = tuple(_INITIALS[letter] for letter in shown[:-1])
    return Card(STARTING if len(pieces) == 3 else MAIN, _INITIALS[featured], pieces, _ARROWS[shown[-1]])


def kind(name: str) -> int:
    """Returns the number of the card with such a name."""
    return KINDS.index(card(name))


def play_of(name: str, spot: Spot) -> int:
    """Returns the id of playing the card with such a name."""
    return IDS[("play", card(name), spot)]


def claim_of(category: str, requirement: int, slot: int) -> int:
    """Returns the id of claiming a masterpiece."""
    return IDS[("claim", Masterpiece(category, requirement), slot)]
