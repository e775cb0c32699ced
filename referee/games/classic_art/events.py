"""What happens in a game of Classic Art."""

from typing import ClassVar

from msgspec import Struct


class _Public(Struct, array_like=True, frozen=True):
    audience: ClassVar[None] = None
    reveals: ClassVar[bool] = False


class SeasonDealt(_Public, frozen=True, tag=1):
    """A season was dealt: `revealed` kinds came from the deck, in order."""

    reveals: ClassVar[bool] = True
    season: int
    first: int
    revealed: bytes


class PredictionPlaced(_Public, frozen=True, tag=2):
    """A seat placed tokens on a space; `code` as in `State.board`."""

    space: int
    code: int


class Passed(_Public, frozen=True, tag=3):
    """A seat placed no prediction."""

    seat: int


class CardsPlayed(_Public, frozen=True, tag=4):
    """A seat played a pair, in its turn or in the last reveal."""

    seat: int
    pair: int


class HouseRevealed(_Public, frozen=True, tag=5):
    """A card of the House was revealed."""

    reveals: ClassVar[bool] = True
    kind: int


class CardsCommitted(_Public, frozen=True, tag=6):
    """A seat has chosen its last cards."""

    seat: int


class CardsChosen(Struct, array_like=True, frozen=True, tag=7):
    """What a seat has chosen in secret, told to itself alone."""

    reveals: ClassVar[bool] = False
    audience: int
    pair: int
    discarded: int


class SeasonScored(_Public, frozen=True, tag=8):
    """A season was scored: the counts, and each (space, code, prestige)."""

    reveals: ClassVar[bool] = True
    season: int
    counts: list[int]
    predictions: list[tuple[int, int, int]]


ClassicArtEvent = (
    SeasonDealt | PredictionPlaced | Passed | CardsPlayed | HouseRevealed | CardsCommitted | CardsChosen | SeasonScored
)
