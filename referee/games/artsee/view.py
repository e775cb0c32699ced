"""What one viewer may know of a game, built field by field from what is allowed."""

from dataclasses import dataclass

from referee.games.artsee.parts import Parts
from referee.games.artsee.state import State


@dataclass(slots=True)
class View:
    """What a seat, or a spectator, may know; fields that `State` has too mean the same.

    Attributes:
        seat: the viewer; None for a spectator.
        hand: the viewer's own cards, ascending; none for a spectator.
        choices: what the viewer has chosen in secret in this turn.
        pile_sizes: cards in each pile.
        tops: the featured category of the top card of each pile; -1 for an empty one.
        backs: the backs of each hand, ascending [AS-R10].
        committed: whether a seat has chosen for all its columns; how far others have come is hidden.
    """

    seat: int | None
    hand: bytes
    choices: bytes
    seats: int
    first: int
    phase: int
    turn: int
    column: int
    earned: int
    pile_sizes: bytes
    tops: list[int]
    backs: list[bytes]
    galleries: list[tuple[bytes, ...]]
    visitors: list[bytes]
    slots: list[bytes]
    supplies: bytes
    prestige: list[int]
    asked: bytes
    committed: bytes


def view(parts: Parts, state: State, viewer: int | None) -> View:
    """Returns what `viewer`, a seat or None for a spectator, may know."""
    return View(
        seat=viewer,
        hand=b"" if viewer is None else state.hands[viewer],
        choices=b"" if viewer is None else state.choices[viewer],
        seats=state.seats,
        first=state.first,
        phase=state.phase,
        turn=state.turn,
        column=state.column,
        earned=state.earned,
        pile_sizes=bytes(map(len, state.piles)),
        tops=[parts.featured[pile[-1]] if pile else -1 for pile in state.piles],
        backs=[hand.translate(parts.backs) for hand in state.hands],
        galleries=state.galleries[:],
        visitors=state.visitors[:],
        slots=state.slots[:],
        supplies=bytes(state.supplies),
        prestige=state.prestige[:],
        asked=state.asked,
        committed=bytes(
            asked > 0 and len(chosen) == asked for asked, chosen in zip(state.asked, state.choices, strict=True)
        ),
    )
