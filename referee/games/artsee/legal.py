"""The list of legal moves, ascending by id. It follows from what the mover may know."""

from collections.abc import Sequence

from referee.games.artsee.parts import Parts
from referee.games.artsee.state import Phase, State
from referee.games.artsee.view import View


def legal_moves(parts: Parts, state: State, seat: int) -> Sequence[int]:
    """Returns the moves of a seat that is to act."""
    if state.phase == Phase.PLAY:
        return plays_of(parts, state.hands[seat], len(state.galleries[seat]))
    return _after_play(parts, state, seat, state.choices[seat])


def legal_in_view(parts: Parts, view: View) -> Sequence[int]:
    """Returns the moves of the viewer's seat, which must be to act."""
    if view.seat is None:
        raise ValueError("a spectator has no moves")
    if view.phase == Phase.PLAY:
        return plays_of(parts, view.hand, len(view.galleries[view.seat]))
    return _after_play(parts, view, view.seat, view.choices)


def plays_of(parts: Parts, hand: bytes, columns: int) -> list[int]:
    """Returns every card of an ascending hand on every spot of a gallery with so many columns."""
    moves: list[int] = []
    before = -1
    for card in hand:
        if card != before:
            start = card * parts.spots
            moves += range(start, start + columns)
            moves += (start + parts.new_left, start + parts.new_right)
            before = card
    return moves


def claims_of(parts: Parts, slots: Sequence[bytes], seat: int, category: int, earned: int) -> list[int]:
    """Returns every masterpiece of a category that a seat may claim, with every empty slot; none if it may not."""
    own, first = slots[seat], category * parts.levels
    codes = range(first + 1, first + 1 + parts.levels)
    if any(code in codes for code in own):
        return []
    taken = b"".join(slots)
    moves: list[int] = []
    for code in codes:
        if code not in taken and parts.masterpieces[code - 1].requirement <= earned:
            start = parts.claims + (code - 1) * parts.slots
            moves += [start + slot for slot, holds in enumerate(own) if not holds]
    return moves


def _after_play(parts: Parts, known: State | View, seat: int, choices: bytes) -> Sequence[int]:
    if known.phase == Phase.VISIT:
        if sum(choices) < known.supplies[seat]:
            return (parts.place_id, parts.skip_id)
        return (parts.skip_id,)  # [AS-R5]
    if known.phase == Phase.DRAW:
        return parts.pile_ids
    category = parts.featured[known.galleries[seat][known.column][-1]]
    return [*claims_of(parts, known.slots, seat, category, known.earned), parts.decline_id]
