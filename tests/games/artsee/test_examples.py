"""Every worked example of the rules."""

import pytest

from referee.games.artsee.state import Phase, State
from tests.games.artsee.build import GAME, earned, legal, play, play_turn, position, put, put_visitors, slots_of
from tests.games.artsee.moves import (
    FIRST_PILE,
    LEFT,
    PORTRAIT,
    RIGHT,
    Masterpiece,
    claim_of,
    play_of,
)

# Columns with 0, 1, 2, 3, 4 and 5 PORTRAIT pieces, and no front that features PORTRAIT.
NONE, ONE, TWO = "A:ALS>", "L:LP>", "S:AP>/S:AP<"
THREE, FOUR = "A:AP>/L:AP>/A:AP<", "L:ALP>/L:ALP</L:APS>/L:APS<"
FIVE = "A:LP>/A:LP</L:AP</A:PS>/A:PS<"


def test_an_arrow_right_on_the_rightmost_column_points_to_the_right_neighbour() -> None:
    """Its leftmost column has three PORTRAIT pieces, all other columns have other numbers; seat 2 sits on the right."""
    state = position((ONE, NONE), (TWO, FOUR), (THREE, FIVE), hand="P:AL>")
    assert earned(play(state, 0, play_of("P:AL>", 1))) == 3


def _two_visitors_and_three_pieces() -> State:
    """Column 0 has two visitors on its front, column 1 three PORTRAIT pieces; five are earned."""
    state = position(("P:AL<", THREE), (NONE, ONE), hand="P:AS>")
    put_visitors(state, 0, 0, 2)
    assert state.supplies[0] == 3
    assert earned(play(state, 0, play_of("P:AS>", 0))) == 5
    return state


def test_visitors_on_the_covered_card_earn_and_go_back_to_the_supply() -> None:
    state = _two_visitors_and_three_pieces()
    assert (list(state.supplies), list(state.visitors[0]), state.prestige) == ([5, 5], [0, 0], [5, 0])


def test_five_prestige_claim_the_masterpiece_that_takes_five_of_the_featured_category() -> None:
    """Into any of the three slots; one that takes 6 may not be claimed, nor one of another category."""
    state = _two_visitors_and_three_pieces()
    token = Masterpiece(PORTRAIT, 5)
    assert legal(state, 0) == {("claim", token, 0), ("claim", token, 1), ("claim", token, 2), ("decline",)}
    play(state, 0, claim_of(PORTRAIT, 5, 1))
    assert slots_of(state, 0) == [None, token, None]
    assert state.prestige[0] == 5


def test_who_holds_one_of_the_category_claims_no_other() -> None:
    state = position(("P:AL<", THREE), (NONE, ONE), hand="P:AS>")
    put_visitors(state, 0, 0, 2)
    put(state, 0, 2, PORTRAIT, 9)
    assert earned(play(state, 0, play_of("P:AS>", 0))) == 5
    assert state.phase == Phase.DRAW


@pytest.mark.parametrize(("spot", "masterpieces"), [(0, 2), (LEFT, 1)])
def test_masterpieces_in_both_end_slots_are_seen_from_the_leftmost_column(spot: int, masterpieces: int) -> None:
    """A new left column has an empty end slot of its own, so that only the neighbour's counts [AS-R7]."""
    state = position((NONE, ONE), (TWO, FOUR), (FIVE, THREE), hand="P:AL<")
    put(state, 0, 0, PORTRAIT, 5)
    put(state, 1, 2, PORTRAIT, 6)
    assert earned(play(state, 0, play_of("P:AL<", spot))) == 4 + masterpieces


def _sent_visitors(state: State, seat: int) -> set[tuple[int, ...]]:
    """Returns every way in which a seat, the only one that is asked, can end up with visitors on its columns."""
    if state.phase != Phase.VISIT:
        return {tuple(state.visitors[seat])}
    assert list(GAME.to_act(state)) == [seat]
    ways = set[tuple[int, ...]]()
    for move in GAME.legal_moves(state, seat):
        after = GAME.copy(state)
        play(after, seat, move)
        ways |= _sent_visitors(after, seat)
    return ways


@pytest.mark.parametrize(("supply", "ways"), [(0, 1), (1, 4), (2, 7), (3, 8), (4, 8), (5, 8)])
def test_visitors_may_be_put_on_any_matching_fronts(supply: int, ways: int) -> None:
    """Three fronts feature PORTRAIT; a column that only shows PORTRAIT pieces does not match, nor one that covers such.

    With no visitors in supply the seat is not asked, so that one way is left.
    """
    gallery = ("P:AL>", "A:AP>", "P:AS<", "P:LS</L:LP<", "A:AS>/P:AL<")
    state = position((NONE, ONE), gallery, hand="P:AP>")
    state.supplies[1] = supply
    play(state, 0, play_of("P:AP>", 0))
    assert (state.phase == Phase.VISIT) == (supply > 0)
    sent = _sent_visitors(state, 1)
    assert len(sent) == ways
    assert all(visitors[1] == visitors[3] == 0 and sum(visitors) <= supply for visitors in sent)


def test_a_new_left_column_looks_back_over_the_old_end_slot() -> None:
    """Two PORTRAIT pieces and the masterpiece that lies between the columns now; the new end slot is empty."""
    state = position((TWO, NONE), (ONE, FOUR), hand="P:AL>")
    put(state, 0, 0, PORTRAIT)
    assert earned(play(state, 0, play_of("P:AL>", LEFT))) == 3
    assert slots_of(state, 0) == [None, Masterpiece(PORTRAIT, 9), None, None]


def _about_to_draw(piles: tuple[int, int]) -> State:
    state = position((NONE, ONE), (TWO, FOUR), hand="A:AS<", piles=piles)
    play(state, 0, play_of("A:AS<", RIGHT))
    assert state.phase == Phase.DRAW
    return state


def test_a_card_moves_over_to_the_empty_pile() -> None:
    """Of piles (1, 3) the first is drawn from: (1, 2), and the second shows the next back."""
    state = _about_to_draw((1, 3))
    below, moved = state.piles[1][-2:]
    play(state, 0, FIRST_PILE)
    view = GAME.view(state, None)
    assert list(view.pile_sizes) == [1, 2]
    assert view.tops == [GAME.parts.featured[moved], GAME.parts.featured[below]]


def test_a_single_card_stays_where_it_is_and_is_drawn_without_asking() -> None:
    """Of piles (1, 1) the first is drawn from: (0, 1); the next seat plays, draws and has ended its turn."""
    state = _about_to_draw((1, 1))
    play(state, 0, FIRST_PILE)
    assert list(GAME.view(state, None).pile_sizes) == [0, 1]
    size = len(state.hands[1])
    assert play_turn(state) == [1]
    assert (list(GAME.view(state, None).pile_sizes), len(state.hands[1])) == ([0, 0], size)
    assert (state.phase, state.turn) == (Phase.PLAY, 0)


@pytest.mark.parametrize("first", range(4))
def test_in_the_last_turns_hands_run_out(first: int) -> None:
    """Without piles the hands have 3, 2, 1 cards at the start of a turn; the right neighbour of the starter is last."""
    galleries = ((ONE, NONE), (TWO, FOUR), ("A:LPS>", "S:LPS<"), ("L:ALS>", "A:ALS<"))
    state = position(*galleries, hand_sizes=(3, 3, 3, 3), piles=(0, 0))
    state.first = state.turn = first
    turns = []
    while state.phase != Phase.OVER:
        turns.append((state.turn, len(state.hands[state.turn])))
        play_turn(state)
    clockwise = [(first + step) % 4 for step in range(4)]
    assert turns == [(seat, size) for size in (3, 2, 1) for seat in clockwise]
    assert turns[-1][0] == (first - 1) % 4
    assert not any(state.hands)
