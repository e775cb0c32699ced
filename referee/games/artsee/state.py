"""The state of a game of ArtSee: data without rules."""

from dataclasses import dataclass
from enum import IntEnum


class Phase(IntEnum):
    """The steps of a turn that wait for a choice."""

    PLAY = 1
    VISIT = 2
    CLAIM = 3
    DRAW = 4
    OVER = 5


@dataclass(slots=True)
class State:
    """All there is to know of a game. Cards are bytes, see `Parts`; those that are nowhere in it are out of the game.

    The lists have one entry a seat, except `piles`; their entries are immutable, so that copies and views share them.

    Attributes:
        seed: what everything is dealt from.
        seats: the number of seats.
        first: the start player.
        phase: a `Phase`.
        turn: the seat whose turn it is; -1 in OVER.
        column: where the card of this turn lies; -1 in PLAY and OVER.
        earned: the prestige earned this turn.
        piles: the face-down piles; the last card is the top.
        hands: the cards in hand, ascending.
        galleries: the columns from left to right, each with its cards from back to front.
        visitors: the visitors on the front of each column; in VISIT those on the column just played to still sit on
            the card that it covered.
        slots: the masterpiece plus 1 in each slot, 0 in an empty one; slot i lies left of column i [AS-R4].
        supplies: the visitors in supply.
        prestige: the prestige earned.
        asked: how many columns a seat may send visitors to in this turn.
        choices: what a seat has chosen in secret for the first of these columns: 1 to place a visitor, 0 to skip.
    """

    seed: bytes
    seats: int
    first: int
    phase: int
    turn: int
    column: int
    earned: int
    piles: list[bytes]
    hands: list[bytes]
    galleries: list[tuple[bytes, ...]]
    visitors: list[bytes]
    slots: list[bytes]
    supplies: bytearray
    prestige: list[int]
    asked: bytes
    choices: list[bytes]


def copy(state: State) -> State:
    """Returns an independent copy."""
    return State(
        state.seed,
        state.seats,
        state.first,
        state.phase,
        state.turn,
        state.column,
        state.earned,
        state.piles[:],
        state.hands[:],
        state.galleries[:],
        state.visitors[:],
        state.slots[:],
        state.supplies[:],
        state.prestige[:],
        state.asked,
        state.choices[:],
    )
