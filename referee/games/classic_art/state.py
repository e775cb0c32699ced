"""The state of a game of Classic Art: data without rules."""

from dataclasses import dataclass
from enum import IntEnum


class Phase(IntEnum):
    """The steps of a season."""

    SETUP = 1
    PLAY = 2
    PREDICT = 3
    FINAL = 4
    OVER = 5


@dataclass(slots=True)
class State:
    """All there is to know of a game. Counts of cards are bytes, one a kind (`Parts.kinds`).

    Attributes:
        seed: what everything is dealt from.
        seats: the number of seats.
        max_seasons: after so many seasons the game ends as it stands.
        capped: whether it did.
        season: from 1.
        first: the seat with the First Player token.
        phase: a `Phase`.
        turn: the seat whose turn it is; -1 in FINAL and OVER.
        turns_left: turns of the season, this one included, before the final one.
        hands: seats x kinds.
        deck: kinds out of play this season.
        house: the face-down cards of the House; the last is revealed next.
        played: (seats + 1) x kinds seen face up this season; the last row is what deck and House revealed.
        net: Artworks less Loans a category; negative where Loans wait.
        board: what lies on each space, see `parts.HIGH_RISK`.
        available: Prediction tokens a seat.
        lost: lost Prediction tokens a seat.
        doubled: whether a seat has doubled down this season.
        prestige: seats x categories.
        chosen: the pair a seat has chosen in secret, plus 1; 0 for none.
    """

    seed: bytes
    seats: int
    max_seasons: int
    capped: bool
    season: int
    first: int
    phase: int
    turn: int
    turns_left: int
    hands: bytearray
    deck: bytearray
    house: bytes
    played: bytearray
    net: list[int]
    board: bytearray
    available: bytearray
    lost: bytearray
    doubled: bytearray
    prestige: bytearray
    chosen: bytearray


def copy(state: State) -> State:
    """Returns an independent copy."""
    return State(
        state.seed,
        state.seats,
        state.max_seasons,
        state.capped,
        state.season,
        state.first,
        state.phase,
        state.turn,
        state.turns_left,
        state.hands[:],
        state.deck[:],
        state.house,
        state.played[:],
        state.net[:],
        state.board[:],
        state.available[:],
        state.lost[:],
        state.doubled[:],
        state.prestige[:],
        state.chosen[:],
    )
