"""What happens in a game of ArtSee."""

from typing import ClassVar

from msgspec import Struct


class _Public(Struct, array_like=True, frozen=True):
    audience: ClassVar[None] = None
    reveals: ClassVar[bool] = False


class CardPlayed(_Public, frozen=True, tag=1):
    """A seat played a card on a spot, see `Parts`; it lies in `column` now."""

    seat: int
    card: int
    spot: int
    column: int


class VisitorChosen(Struct, array_like=True, frozen=True, tag=2):
    """What a seat has chosen in secret for one of its columns, told to itself alone."""

    reveals: ClassVar[bool] = False
    audience: int
    column: int
    placed: bool


class VisitorsCommitted(_Public, frozen=True, tag=3):
    """A seat has chosen for all its columns. How far the others have come is not told."""

    seat: int


class VisitorsPlaced(_Public, frozen=True, tag=4):
    """The columns on which a seat that was asked has placed a visitor."""

    reveals: ClassVar[bool] = True
    seat: int
    columns: list[int]


class PrestigeEarned(_Public, frozen=True, tag=5):
    """Prestige of a turn: from visitors, and from what the arrow pointed at in `column` of `gallery` and the slots."""

    seat: int
    visitors: int
    pieces: int
    masterpieces: int
    gallery: int
    column: int


class MasterpieceClaimed(_Public, frozen=True, tag=6):
    """A seat claimed a masterpiece."""

    seat: int
    masterpiece: int
    slot: int


class ClaimDeclined(_Public, frozen=True, tag=7):
    """A seat might have claimed a masterpiece and did not."""

    seat: int


class CardDrawn(_Public, frozen=True, tag=8):
    """A seat drew a card with this featured category from a pile, and the next card's back came to light."""

    reveals: ClassVar[bool] = True
    seat: int
    pile: int
    featured: int


class CardSeen(Struct, array_like=True, frozen=True, tag=9):
    """Which card a seat drew, told to itself alone."""

    reveals: ClassVar[bool] = True
    audience: int
    card: int


class CardMoved(_Public, frozen=True, tag=10):
    """The top card of one pile moved over to the other, which was empty."""

    reveals: ClassVar[bool] = True
    pile: int
    featured: int


class GameScored(_Public, frozen=True, tag=11):
    """The final scoring of all seats: prestige earned, value of masterpieces, bonus, visitors in the gallery."""

    prestige: list[int]
    masterpieces: list[int]
    bonus: list[int]
    visitors: list[int]


ArtSeeEvent = (
    CardPlayed
    | VisitorChosen
    | VisitorsCommitted
    | VisitorsPlaced
    | PrestigeEarned
    | MasterpieceClaimed
    | ClaimDeclined
    | CardDrawn
    | CardSeen
    | CardMoved
    | GameScored
)
