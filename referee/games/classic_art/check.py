"""The independent legality check: each rule by itself, from the move outwards."""

from referee.core.errors import IllegalMoveError
from referee.games.classic_art.parts import Parts
from referee.games.classic_art.state import Phase, State


def check(parts: Parts, state: State, seat: int, move: int) -> None:
    """Checks a move of a seat that is to act.

    Raises:
        IllegalMoveError: with the rule WRONG_STEP, CARDS_NOT_HELD, SPACE_OCCUPIED, TOKENS_MISSING or
            DOUBLE_DOWN_ONCE.
    """
    if move < parts.pass_id:
        _check_pair(parts, state, seat, *parts.pairs[move])
        return
    if state.phase == Phase.PLAY or state.phase == Phase.FINAL:
        raise IllegalMoveError("WRONG_STEP", "two cards must be played now, predictions come later")
    if move > parts.pass_id:
        _check_prediction(parts, state, seat, *parts.prediction(move))


def _check_pair(parts: Parts, state: State, seat: int, first: int, second: int) -> None:
    if state.phase == Phase.SETUP or state.phase == Phase.PREDICT:
        raise IllegalMoveError("WRONG_STEP", "a prediction or none must be placed now, no cards played")
    for kind in (first, second):
        needed = (first == kind) + (second == kind)
        held = state.hands[seat * parts.kinds + kind]
        if held < needed:
            problem = f"the hand holds {held} {parts.kind_name(kind)}, the move needs {needed}"
            raise IllegalMoveError("CARDS_NOT_HELD", problem)


def _check_prediction(parts: Parts, state: State, seat: int, space: int, tokens: int) -> None:
    if state.board[space] != 0:
        raise IllegalMoveError("SPACE_OCCUPIED", f"there are tokens on {parts.space_name(space)} already")
    if tokens > state.available[seat]:
        problem = f"{tokens} tokens are needed, {state.available[seat]} are available"
        raise IllegalMoveError("TOKENS_MISSING", problem)
    if tokens == 2 and state.doubled[seat]:
        raise IllegalMoveError("DOUBLE_DOWN_ONCE", "the seat has doubled down this season already")
