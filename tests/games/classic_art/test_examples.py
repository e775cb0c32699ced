"""Every worked example of the rules."""

import pytest

from referee.games.classic_art.state import State
from tests.games.classic_art.build import (
    GAME,
    all_pass,
    commit_all,
    hand_of,
    last_turn,
    marker,
    play,
    put,
    season,
    set_marker,
    shelf,
)
from tests.games.classic_art.moves import (
    ETCHING,
    LANDSCAPE,
    PASS,
    PORTRAIT,
    SCULPTURE,
    STILL_LIFE,
    art,
    loans,
    pair,
)
from tests.games.playouts import seed_of

NO_SCULPTURE = [art(category, 3) for category in (ETCHING, STILL_LIFE, PORTRAIT, LANDSCAPE)]
TWO_LOANS_REVEALED = 4_245  # a match of 3 whose deal reveals both SCULPTURE Loans and gives each hand such Artworks


def test_sculpture_ends_with_three_artworks() -> None:
    """Double Down on 4- earns 2, a token on 2- nothing; with High-Risk a token on 3- earns 4, on 6+ nothing."""
    donatello, raphael, leonardo, venus = range(4)
    state = last_turn(4, hands=NO_SCULPTURE, on_table=art(SCULPTURE, 3))
    put(state, donatello, SCULPTURE, "4-", 2)
    put(state, donatello, SCULPTURE, "2-")
    put(state, raphael, SCULPTURE, "1-")
    put(state, raphael, SCULPTURE, "8+")
    put(state, leonardo, SCULPTURE, "3-", high_risk=True)
    put(state, venus, SCULPTURE, "6+", high_risk=True)
    commit_all(state)
    assert [marker(state, seat, SCULPTURE) for seat in range(4)] == [2, 0, 4, 0]
    assert list(state.available) == [5, 4, 6, 5]
    assert list(state.lost) == [1, 2, 0, 1]


@pytest.mark.parametrize("artworks", [1, 2])
def test_a_loan_takes_one_artwork_away(artworks: int) -> None:
    revealed = [*art(PORTRAIT, artworks), *art(STILL_LIFE, 2 - artworks)]
    state = season(3, hands=[[*loans(PORTRAIT), *art(ETCHING)]], revealed=revealed)
    all_pass(state)
    play(state, 0, pair(*loans(PORTRAIT), *art(ETCHING)))
    assert shelf(state, PORTRAIT) == (artworks - 1, 0)


def test_a_loan_without_artworks_stays_pending() -> None:
    state = season(3, hands=[[*loans(PORTRAIT), *art(ETCHING)]], revealed=art(ETCHING, 2))
    all_pass(state)
    play(state, 0, pair(*loans(PORTRAIT), *art(ETCHING)))
    assert shelf(state, PORTRAIT) == (0, 1)


def test_final_totals() -> None:
    """Markers of 5 and more are added up: 13, 12, 14, 19, 23, and the last wins. Those of 1 to 4 count nothing."""
    state = last_turn(5, on_table=loans(PORTRAIT, 2))
    heights = [
        {ETCHING: 7, PORTRAIT: 4, SCULPTURE: 4},
        {ETCHING: 6, LANDSCAPE: 6, STILL_LIFE: 1},
        {STILL_LIFE: 8, SCULPTURE: 6, PORTRAIT: 3},
        {STILL_LIFE: 5, SCULPTURE: 6, LANDSCAPE: 8, ETCHING: 2},
        {STILL_LIFE: 8, SCULPTURE: 10, LANDSCAPE: 5},
    ]
    for seat, markers in enumerate(heights):
        for category, height in markers.items():
            set_marker(state, seat, category, height)
    put(state, 0, PORTRAIT, "4-", 2)
    commit_all(state)
    assert marker(state, 0, PORTRAIT) == 6
    result = GAME.result(state)
    assert result is not None
    assert (result.scores, result.ranks, result.reason) == ((13, 12, 14, 19, 23), (4, 5, 3, 2, 1), "COMPLETED")


def test_two_loans_revealed_at_setup_meet_three_artworks() -> None:
    """(0, 2), and after each Artwork (0, 1), (0, 0), (1, 0)."""
    state = GAME.setup(GAME.options({"start_seat": 0}, 3), 3, seed_of(TWO_LOANS_REVEALED))
    all_pass(state)
    seen = [shelf(state, SCULPTURE)]
    for seat in range(3):
        other = next(card for card in hand_of(state, seat) if card[0] != SCULPTURE)
        play(state, seat, pair(other, *art(SCULPTURE)))
        play(state, seat, PASS)
        seen.append(shelf(state, SCULPTURE))
    assert seen == [(0, 2), (0, 1), (0, 0), (1, 0)]


def _four_tokens_at_the_start(on_table: int) -> State:
    """Seat 0 began with 4 tokens: a Double Down on 8+ fails, a single stands on 1-, one token is unplaced."""
    state = last_turn(4, hands=NO_SCULPTURE, on_table=art(SCULPTURE, on_table))
    state.available[0], state.lost[0] = 4, 2
    put(state, 0, SCULPTURE, "8+", 2)
    put(state, 0, SCULPTURE, "1-")
    assert state.available[0] == 1
    commit_all(state)
    return state


def test_two_tokens_are_left() -> None:
    """The single succeeds and comes back to the unplaced one; 4 tokens are lost."""
    state = _four_tokens_at_the_start(on_table=1)
    assert (state.available[0], state.lost[0]) == (2, 4)


def test_with_one_token_left_all_come_back() -> None:
    """The single fails too."""
    state = _four_tokens_at_the_start(on_table=2)
    assert (state.available[0], state.lost[0]) == (6, 0)


def test_a_marker_stops_at_ten() -> None:
    """Marker 8, Double Down with High-Risk on 3- at count 3: 6 are earned, the marker stands at 10."""
    state = last_turn(4, hands=NO_SCULPTURE, on_table=art(SCULPTURE, 3))
    set_marker(state, 0, SCULPTURE, 8)
    put(state, 0, SCULPTURE, "3-", 2, high_risk=True)
    commit_all(state)
    assert marker(state, 0, SCULPTURE) == 10
