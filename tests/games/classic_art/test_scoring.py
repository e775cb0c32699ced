"""Scoring a season and the end of the game."""

import pytest

from referee.games.classic_art.events import SeasonScored
from referee.games.classic_art.state import State
from tests.games.classic_art.build import GAME, commit_all, last_turn, marker, put, set_marker, shelf
from tests.games.classic_art.moves import (
    CATEGORIES,
    ETCHING,
    LANDSCAPE,
    PORTRAIT,
    SCULPTURE,
    SPACES,
    STILL_LIFE,
    art,
    loans,
)

HANDS = [art(category, 3) for category in (ETCHING, STILL_LIFE, PORTRAIT, LANDSCAPE)]
VALUES = {"1-": 5, "2-": 3, "3-": 2, "4-": 1, "5+": 1, "6+": 2, "7+": 3, "8+": 5}
MULTIPLIERS = {(1, False): 1, (2, False): 2, (1, True): 2, (2, True): 3}
SUCCESSES = {
    "1-": {0, 1},
    "2-": {0, 1, 2},
    "3-": {0, 1, 2, 3},
    "4-": {0, 1, 2, 3, 4},
    "5+": {5, 6, 7, 8, 9, 10, 11},
    "6+": {6, 7, 8, 9, 10, 11},
    "7+": {7, 8, 9, 10, 11},
    "8+": {8, 9, 10, 11},
}


def sculptures(count: int, max_seasons: int = 30) -> State:
    """A final turn of four in which so many SCULPTURE Artworks lie there, and nobody holds another."""
    return last_turn(4, hands=HANDS, on_table=art(SCULPTURE, count), max_seasons=max_seasons)


@pytest.mark.parametrize("space", SPACES)
@pytest.mark.parametrize("count", range(12))
def test_a_prediction_succeeds_up_to_or_from_its_bound(space: str, count: int) -> None:
    """`n-` at n or fewer, `n+` at n or more; the token is kept or lost accordingly."""
    state = sculptures(count)
    put(state, 2, SCULPTURE, space)
    commit_all(state)
    success = count in SUCCESSES[space]
    assert marker(state, 2, SCULPTURE) == (VALUES[space] if success else 0)
    assert (state.available[2], state.lost[2]) == ((6, 0) if success else (5, 1))


@pytest.mark.parametrize(("tokens", "high_risk"), MULTIPLIERS)
@pytest.mark.parametrize("space", SPACES)
def test_tokens_multiply_the_value_of_the_space(space: str, tokens: int, high_risk: bool) -> None:
    """1 token 1x, 2 tokens 2x, 1 with High-Risk 2x, 2 with High-Risk 3x; the marker stops at 10."""
    state = sculptures(min(SUCCESSES[space]))
    put(state, 1, SCULPTURE, space, tokens, high_risk=high_risk)
    events = commit_all(state)
    earned = VALUES[space] * MULTIPLIERS[tokens, high_risk]
    assert marker(state, 1, SCULPTURE) == min(10, earned)
    (scored,) = [event for event in events if isinstance(event, SeasonScored)]
    assert [prestige for _, _, prestige in scored.predictions] == [earned]


def test_prestige_moves_the_marker_of_its_owner_in_its_category_alone() -> None:
    state = sculptures(0)
    put(state, 3, SCULPTURE, "2-")
    set_marker(state, 3, SCULPTURE, 4)
    set_marker(state, 1, ETCHING, 2)
    commit_all(state)
    markers = {(seat, name): marker(state, seat, name) for seat in range(4) for name in CATEGORIES}
    assert {place: height for place, height in markers.items() if height} == {(3, SCULPTURE): 7, (1, ETCHING): 2}


def test_all_predictions_of_a_player_in_an_exhibition_are_scored() -> None:
    """1- and 4- both hold at one Artwork; 8+ does not."""
    state = sculptures(1)
    for space in ("1-", "4-", "8+"):
        put(state, 0, SCULPTURE, space)
    commit_all(state)
    assert (marker(state, 0, SCULPTURE), state.available[0], state.lost[0]) == (6, 5, 1)


def test_pending_loans_score_nothing() -> None:
    """Two Loans without an Artwork are a count of 0: 1- holds and earns no more than its value."""
    state = last_turn(4, hands=HANDS, on_table=loans(SCULPTURE, 2), max_seasons=1)
    put(state, 0, SCULPTURE, "1-")
    put(state, 0, SCULPTURE, "5+")
    commit_all(state)
    assert (shelf(state, SCULPTURE), marker(state, 0, SCULPTURE)) == ((0, 2), 5)


def test_the_cards_of_the_final_turn_count() -> None:
    """Two ETCHING Artworks lie there, seat 0 plays two more of its three."""
    state = last_turn(4, hands=HANDS, on_table=art(ETCHING, 2))
    put(state, 1, ETCHING, "3-")
    put(state, 2, ETCHING, "4-")
    put(state, 3, ETCHING, "5+")
    commit_all(state)
    assert [marker(state, seat, ETCHING) for seat in range(4)] == [0, 0, 1, 0]


@pytest.mark.parametrize(
    ("available", "lost", "failing", "kept"),
    [
        (6, 0, 0, (6, 0)),
        (6, 0, 4, (2, 4)),
        (6, 0, 5, (6, 0)),
        (6, 0, 6, (6, 0)),
        (3, 3, 1, (2, 4)),
        (3, 3, 2, (6, 0)),
        (2, 4, 0, (2, 4)),
        (2, 4, 1, (6, 0)),
    ],
)
def test_lost_tokens_come_back_to_who_has_at_most_one(
    available: int, lost: int, failing: int, kept: tuple[int, int]
) -> None:
    """All that were lost, those of earlier seasons too."""
    state = sculptures(0)
    state.available[0], state.lost[0] = available, lost
    for category, space in zip(CATEGORIES * 2, ["8+"] * 5 + ["7+"] * 5, strict=True):
        if failing:
            put(state, 0, category, space)
            failing -= 1
    commit_all(state)
    assert (state.available[0], state.lost[0]) == kept


def test_lost_tokens_come_back_after_successful_ones() -> None:
    """No token is unplaced, but two return from a success: that is more than one, so the others stay lost."""
    state = sculptures(0)
    put(state, 0, SCULPTURE, "1-", 2)
    for category in (ETCHING, STILL_LIFE, PORTRAIT, LANDSCAPE):
        put(state, 0, category, "8+")
    commit_all(state)
    assert (state.available[0], state.lost[0]) == (2, 4)


def test_only_who_runs_out_gets_tokens_back() -> None:
    state = sculptures(0)
    state.available[0], state.lost[0] = 1, 5
    state.available[1], state.lost[1] = 2, 4
    commit_all(state)
    assert (list(state.available), list(state.lost)) == ([6, 2, 6, 6], [0, 4, 0, 0])


def test_the_board_is_empty_in_the_next_season_and_markers_stay() -> None:
    state = sculptures(0)
    put(state, 0, SCULPTURE, "1-", 2)
    put(state, 1, SCULPTURE, "8+")
    set_marker(state, 2, PORTRAIT, 3)
    commit_all(state)
    view = GAME.view(state, None)
    assert (view.season, sum(view.board), list(view.doubled)) == (2, 0, [0, 0, 0, 0])
    assert (marker(state, 0, SCULPTURE), marker(state, 2, PORTRAIT)) == (10, 3)


@pytest.mark.parametrize("category", CATEGORIES)
def test_the_game_goes_on_while_a_category_lacks_a_five(category: str) -> None:
    """Four do not close it, however high the others stand."""
    state = sculptures(0)
    for seat in range(4):
        for other in CATEGORIES:
            set_marker(state, seat, other, 4 if other == category else 10)
    commit_all(state)
    assert (GAME.result(state), state.season) == (None, 2)


def test_the_game_ends_when_each_category_has_a_five_of_any_player() -> None:
    """Nobody needs more than one of them; the last is reached in this scoring."""
    state = sculptures(0)
    for seat, category in enumerate([ETCHING, STILL_LIFE, PORTRAIT, LANDSCAPE]):
        set_marker(state, seat, category, 5)
    put(state, 0, SCULPTURE, "1-")
    commit_all(state)
    result = GAME.result(state)
    assert result is not None
    assert (result.scores, result.ranks, result.reason) == ((10, 5, 5, 5), (1, 2, 2, 2), "COMPLETED")
    assert list(GAME.to_act(state)) == []


@pytest.mark.parametrize(("height", "counted"), [(0, 0), (4, 0), (5, 5), (9, 9), (10, 10)])
def test_a_marker_counts_from_five(height: int, counted: int) -> None:
    state = sculptures(5, max_seasons=1)
    set_marker(state, 1, PORTRAIT, height)
    commit_all(state)
    result = GAME.result(state)
    assert result is not None
    assert result.scores == (0, counted, 0, 0)


def test_scores_are_announced_by_exhibition() -> None:
    """Counts of all five, and each prediction in the order of the board with what it earned."""
    state = sculptures(6)
    put(state, 3, SCULPTURE, "6+", 2)
    put(state, 1, ETCHING, "8+", high_risk=True)
    events = commit_all(state)
    (scored,) = [event for event in events if isinstance(event, SeasonScored)]
    assert (scored.season, scored.counts) == (1, [2, 2, 6, 2, 2])
    assert [(space, prestige) for space, _, prestige in scored.predictions] == [(7, 0), (21, 4)]
