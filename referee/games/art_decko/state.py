"""The state of a game of Art Decko: data without rules."""

from dataclasses import dataclass
from enum import IntEnum
from typing import Final

NONE: Final = -1  # no move, no painting, no seat
UNPAID: Final = 255  # what `State.least` is before the first card of a payment: no card has so great a value


class Phase(IntEnum):
    """The steps of a turn: what its seat must choose."""

    ACTION = 1  # an action, or a power before it
    INVITATION = 2  # the exhibition and marker for a painting
    PAYMENT = 3  # the next card of a payment
    PROMOTE = 4  # the rating that a power raises
    DEACCESSION = 5  # the card that a power removes
    DISCARD = 6  # the first discard, none, or a power before it
    DISCARDING = 7  # the next discard, or no more
    OVER = 8


@dataclass(slots=True)
class State:
    """All there is to know of a game. Counts of cards are bytes, one a kind (`Parts.kinds`).

    Attributes:
        seed: what everything is dealt from.
        seats: the number of seats.
        max_rounds: after so many rounds the game ends as it stands.
        capped: whether it did.
        last_round: whether the game ends with this round.
        round: from 1.
        first: the seat that began the game.
        phase: a `Phase`.
        turn: the seat whose turn it is; NONE when the game is over.
        actions: what the turn still has, without the action being carried out.
        used: galleries used this turn, as a bit mask.
        discounts: DISCOUNTs that wait for the next cost.
        invited: whether the next Exhibit may use any marker.
        buying: the acquisition or invitation that is being paid, as its move; NONE if nothing is.
        painting: the style that is on its way from the hand to the museum; NONE if none is.
        due: what is still to be paid.
        least: the value of the least card of the payment; UNPAID before the first.
        floor: the next card of the payment or of the discards is of this kind or a later one.
        hands: seats x kinds.
        kept: seats x kinds: what all know to be in hand.
        pool: seats x kinds: what all know to be in the rest of the hand and the deck.
        decks: one a seat: the kinds in order, the last is drawn next.
        discards: seats x kinds.
        shuffles: how often each seat's deck has been shuffled.
        aside: what the turn's seat has paid, acquired or discarded in it; joins its discard pile at the turn's end.
        removed: cards that left the game.
        galleries: styles x galleries.
        costs: the cost token of each gallery.
        supply: the cost tokens to come, in order.
        paintings: the styles of the painting deck in order; the last is drawn next.
        bank: face-up 3-gold cards, one count a power.
        stack: the kinds of the face-down 3-gold cards in order; the last is turned up next.
        fives: 5-gold cards of the bank.
        market: the rating of each style, then of gold.
        museum: exhibitions x spaces, see `Parts.hung`; 0 is a free space.
        markers: exhibitions x (styles and wild): the invitation markers not used yet.
        tiles: the bonus tile of each exhibition, as its place in the data.
        vp: the VP that each seat has taken.
        ribbons: those left of each seat.
    """

    seed: bytes
    seats: int
    max_rounds: int
    capped: bool
    last_round: bool
    round: int
    first: int
    phase: int
    turn: int
    actions: int
    used: int
    discounts: int
    invited: bool
    buying: int
    painting: int
    due: int
    least: int
    floor: int
    hands: bytearray
    kept: bytearray
    pool: bytearray
    decks: list[bytes]
    discards: bytearray
    shuffles: list[int]
    aside: bytearray
    removed: bytearray
    galleries: bytearray
    costs: bytearray
    supply: bytes
    paintings: bytes
    bank: bytearray
    stack: bytes
    fives: int
    market: bytearray
    museum: bytearray
    markers: bytearray
    tiles: bytes
    vp: list[int]
    ribbons: bytearray


def copy(state: State) -> State:
    """Returns an independent copy."""
    return State(
        state.seed,
        state.seats,
        state.max_rounds,
        state.capped,
        state.last_round,
        state.round,
        state.first,
        state.phase,
        state.turn,
        state.actions,
        state.used,
        state.discounts,
        state.invited,
        state.buying,
        state.painting,
        state.due,
        state.least,
        state.floor,
        state.hands[:],
        state.kept[:],
        state.pool[:],
        state.decks[:],
        state.discards[:],
        state.shuffles[:],
        state.aside[:],
        state.removed[:],
        state.galleries[:],
        state.costs[:],
        state.supply,
        state.paintings,
        state.bank[:],
        state.stack,
        state.fives,
        state.market[:],
        state.museum[:],
        state.markers[:],
        state.tiles,
        state.vp[:],
        state.ribbons[:],
    )
