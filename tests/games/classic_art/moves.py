"""The cards and moves of Classic Art in words, and the ids of the moves by the documented layout.

First each unordered pair of the ten kinds, in lexicographic order; then no prediction; then each space with one and two
tokens.
"""

from itertools import combinations_with_replacement
from typing import Final, Literal

Card = tuple[str, str]
Play = tuple[Literal["play"], Card, Card]
Pass = tuple[Literal["pass"]]
Predict = tuple[Literal["predict"], str, str, int]
Move = Play | Pass | Predict

CATEGORIES: Final = ("ETCHING", "STILL_LIFE", "SCULPTURE", "PORTRAIT", "LANDSCAPE")
ETCHING, STILL_LIFE, SCULPTURE, PORTRAIT, LANDSCAPE = CATEGORIES
SPACES: Final = ("1-", "2-", "3-", "4-", "5+", "6+", "7+", "8+")
ARTWORK: Final = "Artwork"
LOAN: Final = "Loan"
KINDS: Final[tuple[Card, ...]] = tuple((category, sort) for category in CATEGORIES for sort in (ARTWORK, LOAN))


def _layout() -> list[Move]:
    moves: list[Move] = [("play", first, second) for first, second in combinations_with_replacement(KINDS, 2)]
    moves.append(("pass",))
    moves += [("predict", category, space, tokens) for category in CATEGORIES for space in SPACES for tokens in (1, 2)]
    return moves


MOVES: Final = tuple(_layout())
IDS: Final = {move: number for number, move in enumerate(MOVES)}
PASS: Final = IDS[("pass",)]


def pair(first: Card, second: Card) -> int:
    """Returns the id of playing two cards, named in any order, as in `pair(*art(PORTRAIT), *loans(ETCHING))`."""
    one, other = sorted((first, second), key=KINDS.index)
    return IDS[("play", one, other)]


def predict(category: str, space: str, tokens: int = 1) -> int:
    """Returns the id of placing tokens on a space."""
    return IDS[("predict", category, space, tokens)]


def art(category: str, count: int = 1) -> list[Card]:
    """Returns so many Artworks."""
    return [(category, ARTWORK)] * count


def loans(category: str, count: int = 1) -> list[Card]:
    """Returns so many Loans."""
    return [(category, LOAN)] * count


def cards_of_play(move: int) -> list[Card]:
    """Returns the two cards that a move plays."""
    match MOVES[move]:
        case ("play", first, second):
            return [first, second]
    raise ValueError(f"move {move} plays no cards")
