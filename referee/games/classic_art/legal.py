"""The list of legal moves, ascending by id. It follows from what the mover may know."""

from referee.games.classic_art.parts import Parts
from referee.games.classic_art.state import Phase, State
from referee.games.classic_art.view import View


def legal_moves(parts: Parts, state: State, seat: int) -> list[int]:
    """Returns the moves of a seat that is to act."""
    if state.phase == Phase.PLAY or state.phase == Phase.FINAL:
        return pairs_of(parts, state.hands[seat * parts.kinds : (seat + 1) * parts.kinds])
    return _predictions(parts, state.board, state.available[seat], state.doubled[seat])


def legal_in_view(parts: Parts, view: View) -> list[int]:
    """Returns the moves of the viewer's seat, which must be to act."""
    if view.seat is None:
        raise ValueError("a spectator has no moves")
    if view.phase == Phase.PLAY or view.phase == Phase.FINAL:
        return pairs_of(parts, view.hand)
    return _predictions(parts, view.board, view.available[view.seat], view.doubled[view.seat])


def pairs_of(parts: Parts, hand: bytes | bytearray) -> list[int]:
    """Returns the pairs that a hand, given as counts by kind, can play."""
    held = [kind for kind, count in enumerate(hand) if count]
    moves = []
    for place, kind in enumerate(held):
        row = parts.pair_ids[kind]
        if hand[kind] > 1:
            moves.append(row[kind])
        moves += [row[other] for other in held[place + 1 :]]
    return moves


def _predictions(parts: Parts, board: bytes | bytearray, available: int, doubled: int) -> list[int]:
    moves = [parts.pass_id]
    if available >= 2 and not doubled:
        for code, either in zip(board, parts.either_ids, strict=True):
            if not code:
                moves += either
    elif available:
        moves += [single for code, single in zip(board, parts.single_ids, strict=True) if not code]
    return moves
