"""What one viewer may know of a game, built field by field from what is allowed."""

from dataclasses import dataclass

from referee.games.classic_art.parts import Parts
from referee.games.classic_art.state import State


@dataclass(slots=True)
class View:
    """What a seat, or a spectator, may know; fields that `State` has too mean the same.

    Attributes:
        seat: the viewer; None for a spectator.
        hand: the viewer's own cards, counted by kind; none for a spectator.
        chosen: the pair that the viewer has chosen in secret; -1 for none.
        hand_sizes: cards in each hand.
        committed: whether a seat has chosen its last cards.
        deck_size: cards out of play this season.
        house_size: face-down cards of the House.
    """

    seat: int | None
    hand: bytes
    chosen: int
    seats: int
    max_seasons: int
    capped: bool
    season: int
    first: int
    phase: int
    turn: int
    turns_left: int
    hand_sizes: bytes
    committed: bytes
    deck_size: int
    house_size: int
    played: bytes
    net: list[int]
    board: bytes
    available: bytes
    lost: bytes
    doubled: bytes
    prestige: bytes


def view(parts: Parts, state: State, viewer: int | None) -> View:
    """Returns what `viewer`, a seat or None for a spectator, may know."""
    kinds = parts.kinds
    return View(
        seat=viewer,
        hand=bytes(kinds) if viewer is None else bytes(state.hands[viewer * kinds : (viewer + 1) * kinds]),
        chosen=-1 if viewer is None else state.chosen[viewer] - 1,
        seats=state.seats,
        max_seasons=state.max_seasons,
        capped=state.capped,
        season=state.season,
        first=state.first,
        phase=state.phase,
        turn=state.turn,
        turns_left=state.turns_left,
        hand_sizes=bytes(sum(state.hands[seat * kinds : (seat + 1) * kinds]) for seat in range(state.seats)),
        committed=bytes(chosen > 0 for chosen in state.chosen),
        deck_size=sum(state.deck),
        house_size=len(state.house),
        played=bytes(state.played),
        net=state.net[:],
        board=bytes(state.board),
        available=bytes(state.available),
        lost=bytes(state.lost),
        doubled=bytes(state.doubled),
        prestige=bytes(state.prestige),
    )


def tally(parts: Parts, played: bytes | bytearray) -> bytes:
    """Returns all cards seen face up this season, counted by kind, those that annihilated each other too."""
    return bytes(sum(played[kind :: parts.kinds]) for kind in range(parts.kinds))
