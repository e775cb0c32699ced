"""Every rule by which a move is refused, and what it tells the mover."""

from collections.abc import Callable

import pytest

from referee.core.errors import IllegalMoveError
from referee.games.artsee.state import Phase, State
from tests.games.artsee.build import FIVE, GAME, QUIET, play, position, put, with_others
from tests.games.artsee.moves import (
    ABSTRACT,
    DECLINE,
    FIRST_PILE,
    LANDSCAPE,
    LEFT,
    MOVES,
    PLACE,
    PORTRAIT,
    RIGHT,
    SECOND_PILE,
    SKIP,
    Spot,
    claim_of,
    play_of,
)


def refused(state: State, seat: int, move: int) -> tuple[str, str]:
    """The rule and the text that refuse a move, which the list must not have."""
    assert move not in GAME.legal_moves(state, seat)
    with pytest.raises(IllegalMoveError) as caught:
        GAME.check(state, seat, move)
    return caught.value.rule, caught.value.problem


def about_to_play() -> State:
    return with_others(("A:ALS>", "L:ALS<"), hand="P:AL> A:AS<")


def about_to_visit() -> State:
    """Seat 1 has two matching fronts and one visitor left."""
    state = position(QUIET, ("P:AL>", "P:AS<"), hand="P:AP>")
    state.supplies[1] = 1
    play(state, 0, play_of("P:AP>", 0))
    return state


def about_to_claim() -> State:
    """Seat 0 has earned six, holds an ABSTRACT masterpiece in slot 2; seat 1 has the PORTRAIT one that takes 6."""
    state = position(("A:ALS>", FIVE + "/L:LP>"), ("S:ALP>", "S:APS<"), hand="P:AL>")
    put(state, 0, 2, ABSTRACT, 9)
    put(state, 1, 1, PORTRAIT, 6)
    play(state, 0, play_of("P:AL>", 0))
    assert (state.phase, state.earned) == (Phase.CLAIM, 6)
    return state


def about_to_draw() -> State:
    state = about_to_play()
    play(state, 0, play_of("A:AS<", RIGHT))
    assert state.phase == Phase.DRAW
    return state


@pytest.mark.parametrize(
    ("position_of", "seat", "steps"),
    [
        (about_to_play, 0, {"play"}),
        (about_to_visit, 1, {"place", "skip"}),
        (about_to_claim, 0, {"claim", "decline"}),
        (about_to_draw, 0, {"draw"}),
    ],
)
def test_moves_of_another_step_are_refused(position_of: Callable[[], State], seat: int, steps: set[str]) -> None:
    state = position_of()
    for number in [play_of("P:AL>", 0), PLACE, SKIP, claim_of(PORTRAIT, 5, 0), DECLINE, FIRST_PILE, SECOND_PILE]:
        assert (MOVES[number][0] in steps) or refused(state, seat, number)[0] == "WRONG_STEP"


@pytest.mark.parametrize("spot", [0, 1, LEFT, RIGHT])
def test_a_card_that_is_not_held_is_refused_by_name(spot: Spot) -> None:
    """Also one that lies in the own gallery, and one that another seat holds."""
    state = about_to_play()
    expected = (
        "CARD_NOT_HELD",
        "the hand does not hold the main PORTRAIT card of ABSTRACT and LANDSCAPE with arrow LEFT",
    )
    assert refused(state, 0, play_of("P:AL<", spot)) == expected
    assert refused(state, 0, play_of("A:ALS>", spot))[0] == "CARD_NOT_HELD"
    state.hands[1] = bytes([state.hands[0][0]])
    state.hands[0] = state.hands[0][1:]
    assert refused(state, 0, state.hands[1][0] * 22 + 1)[0] == "CARD_NOT_HELD"


@pytest.mark.parametrize("column", [2, 3, 19])
def test_a_column_that_does_not_exist_is_refused(column: int) -> None:
    expected = ("NO_SUCH_COLUMN", f"there is no column {column}, the last is 1")
    assert refused(about_to_play(), 0, play_of("P:AL>", column)) == expected


def test_a_visitor_that_is_not_in_supply_is_refused() -> None:
    state = about_to_visit()
    play(state, 1, PLACE)
    assert refused(state, 1, PLACE) == ("SUPPLY_USED_UP", "all 1 visitors in supply are placed")


@pytest.mark.parametrize(
    ("move", "rule", "problem"),
    [
        (claim_of(PORTRAIT, 7, 0), "REQUIREMENT_NOT_MET", "it takes 7 prestige, 6 were earned this turn"),
        (claim_of(PORTRAIT, 9, 0), "REQUIREMENT_NOT_MET", "it takes 9 prestige, 6 were earned this turn"),
        (claim_of(LANDSCAPE, 5, 0), "WRONG_CATEGORY", "the card played features PORTRAIT"),
        (claim_of(ABSTRACT, 5, 0), "WRONG_CATEGORY", "the card played features PORTRAIT"),
        (claim_of(PORTRAIT, 6, 0), "MASTERPIECE_TAKEN", "seat 1 has claimed it already"),
        (claim_of(PORTRAIT, 5, 2), "SLOT_OCCUPIED", "there is a masterpiece in slot 2 already"),
        (claim_of(PORTRAIT, 5, 3), "NO_SUCH_SLOT", "there is no slot 3, the last is 2"),
        (claim_of(PORTRAIT, 5, 21), "NO_SUCH_SLOT", "there is no slot 21, the last is 2"),
    ],
)
def test_masterpieces_that_cannot_be_claimed_are_refused_with_the_reason(move: int, rule: str, problem: str) -> None:
    """What is left are the one that takes 5 into the two empty slots, and to decline."""
    state = about_to_claim()
    assert list(GAME.legal_moves(state, 0)) == [claim_of(PORTRAIT, 5, 0), claim_of(PORTRAIT, 5, 1), DECLINE]
    assert refused(state, 0, move) == (rule, problem)
