"""What happens in a game of Art Decko. `kind`, `style`, `marker` and `rating` are indexes as in `Parts`."""

from typing import ClassVar

from msgspec import Struct


class _Public(Struct, array_like=True, frozen=True):
    audience: ClassVar[None] = None
    reveals: ClassVar[bool] = False


class TurnBegun(_Public, frozen=True, tag=1):
    """A seat's turn began."""

    seat: int
    round: int


class CardHaggled(_Public, frozen=True, tag=2):
    """A seat discarded a card to draw."""

    seat: int
    kind: int


class CardsDrawn(_Public, frozen=True, tag=3):
    """A seat drew cards."""

    seat: int
    cards: int


class CardsSeen(Struct, array_like=True, frozen=True, tag=4):
    """What a seat drew, in canonical order, told to itself alone."""

    reveals: ClassVar[bool] = True
    audience: int
    kinds: bytes


class DeckShuffled(_Public, frozen=True, tag=5):
    """A seat's discard pile became its deck."""

    seat: int
    cards: int


class PaintingChosen(_Public, frozen=True, tag=6):
    """A seat laid out a painting to exhibit."""

    seat: int
    style: int


class PurchaseBegun(_Public, frozen=True, tag=7):
    """A seat is to pay for an acquisition or an invitation, given as its move."""

    seat: int
    move: int
    cost: int


class CardPaid(_Public, frozen=True, tag=8):
    """A seat paid with a card of this value."""

    seat: int
    kind: int
    value: int


class CardAcquired(_Public, frozen=True, tag=9):
    """A seat acquired a card; `gallery` is -1 for gold."""

    seat: int
    kind: int
    gallery: int


class BankRefilled(_Public, frozen=True, tag=10):
    """A 3-gold was turned up."""

    reveals: ClassVar[bool] = True
    kind: int


class PaintingExhibited(_Public, frozen=True, tag=11):
    """A painting was hung in an exhibition, and its space scored."""

    seat: int
    style: int
    exhibition: int
    marker: int
    space: int
    vp: int


class RatingRaised(_Public, frozen=True, tag=12):
    """A rating rose to `value`."""

    rating: int
    value: int


class PowerPlayed(_Public, frozen=True, tag=13):
    """A seat used a 3-gold for its power; the card left the game."""

    seat: int
    power: int


class CardRemoved(_Public, frozen=True, tag=14):
    """A seat removed a card from the game."""

    seat: int
    kind: int


class CardDiscarded(_Public, frozen=True, tag=15):
    """A seat discarded a card at the end of its turn."""

    seat: int
    kind: int


class GalleriesFilled(_Public, frozen=True, tag=16):
    """Paintings were added to the galleries, in this order, one list a gallery; the cost tokens since then."""

    reveals: ClassVar[bool] = True
    added: list[bytes]
    costs: bytes


class LastRoundBegun(_Public, frozen=True, tag=17):
    """The game ends with this round, see `transition.Trigger`."""

    triggers: list[int]


class GameScored(_Public, frozen=True, tag=18):
    """The game ended; for each seat the VP (taken before, of paintings, of gold, of bonus tiles)."""

    points: list[tuple[int, int, int, int]]


ArtDeckoEvent = (
    TurnBegun
    | CardHaggled
    | CardsDrawn
    | CardsSeen
    | DeckShuffled
    | PaintingChosen
    | PurchaseBegun
    | CardPaid
    | CardAcquired
    | BankRefilled
    | PaintingExhibited
    | RatingRaised
    | PowerPlayed
    | CardRemoved
    | CardDiscarded
    | GalleriesFilled
    | LastRoundBegun
    | GameScored
)
