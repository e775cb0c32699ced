"""What the evaluation of Classic Art prefers, in positions where the rules leave no doubt."""

import random
from math import isfinite

import pytest

from clients.bots.classic_art import rate
from referee.games.classic_art.state import Phase, State
from tests.games.classic_art.build import GAME, last_turn, put, set_marker
from tests.games.classic_art.moves import (
    ETCHING,
    KINDS,
    LANDSCAPE,
    PASS,
    PORTRAIT,
    SCULPTURE,
    STILL_LIFE,
    Card,
    art,
    cards_of_play,
    loans,
    pair,
    predict,
)
from tests.games.playouts import dealt, samples

SEATS = (2, 3, 4, 5)
ALL_SCULPTURES = [*art(SCULPTURE, 11), *loans(SCULPTURE, 2)]  # 9 Artworks stay on the table
ODD_CARDS = [*art(PORTRAIT), *art(LANDSCAPE), *art(STILL_LIFE)]


def last_prediction(seats: int = 3) -> State:
    """Seat 0 has the last prediction of the season to place, and all SCULPTURES have been seen: 9 Artworks."""
    state = last_turn(seats, hands=[ODD_CARDS], on_table=ALL_SCULPTURES)
    state.phase, state.turn, state.turns_left = Phase.PREDICT, 0, 1
    return state


def hold(state: State, seat: int, cards: list[Card]) -> None:
    """Takes cards from those out of play into a hand."""
    for card in cards:
        state.deck[KINDS.index(card)] -= 1
        state.hands[seat * len(KINDS) + KINDS.index(card)] += 1


def ratings(state: State, seat: int = 0) -> dict[int, float]:
    """The value of each legal move."""
    moves = GAME.legal_moves(state, seat)
    return dict(zip(moves, rate(GAME, GAME.view(state, seat), moves), strict=True))


def best(state: State, seat: int = 0) -> int:
    rated = ratings(state, seat)
    return max(rated, key=rated.__getitem__)


@pytest.mark.parametrize("seats", SEATS)
@pytest.mark.parametrize("space", ["5+", "6+", "7+", "8+"])
def test_a_prediction_that_cannot_fail_is_better_than_none(seats: int, space: str) -> None:
    rated = ratings(last_prediction(seats))
    assert rated[predict(SCULPTURE, space)] > rated[PASS]


@pytest.mark.parametrize("seats", SEATS)
@pytest.mark.parametrize("tokens", [1, 2])
@pytest.mark.parametrize("space", ["1-", "2-", "3-", "4-"])
def test_a_prediction_that_cannot_succeed_is_worse_than_none(seats: int, space: str, tokens: int) -> None:
    """Nothing is earned, and the tokens are lost."""
    rated = ratings(last_prediction(seats))
    assert rated[predict(SCULPTURE, space, tokens)] < rated[PASS]


def test_a_lost_token_is_welcome_if_it_brings_all_others_back() -> None:
    """With two tokens left, one that fails leaves one, and a player with at most one gets all six again."""
    state = last_prediction()
    state.available[0], state.lost[0] = 2, 4
    rated = ratings(state)
    assert rated[predict(SCULPTURE, "1-")] > rated[PASS]


@pytest.mark.parametrize("tokens", [1, 2])
def test_of_sure_spaces_the_one_of_more_prestige_is_better(tokens: int) -> None:
    """5+ earns 1, 6+ earns 2, 7+ earns 3, 8+ earns 5, times the tokens."""
    rated = ratings(last_prediction())
    sure = [predict(SCULPTURE, space, tokens) for space in ("5+", "6+", "7+", "8+")]
    assert sure == sorted(sure, key=rated.__getitem__)
    assert len({rated[move] for move in sure}) == 4


@pytest.mark.parametrize("space", ["5+", "6+", "7+", "8+"])
def test_a_sure_double_down_is_better_than_a_sure_single(space: str) -> None:
    rated = ratings(last_prediction())
    assert rated[predict(SCULPTURE, space, 2)] > rated[predict(SCULPTURE, space, 1)]


@pytest.mark.parametrize("marker", [7, 8, 9])
def test_a_double_down_is_no_better_where_a_single_reaches_the_end_of_the_track(marker: int) -> None:
    """A single on 7+ earns 3, and no marker passes 10."""
    state = last_prediction()
    set_marker(state, 0, SCULPTURE, marker)
    rated = ratings(state)
    assert rated[predict(SCULPTURE, "7+", 2)] <= rated[predict(SCULPTURE, "7+", 1)]


def test_a_marker_at_the_end_of_the_track_earns_nothing_more() -> None:
    state = last_prediction()
    set_marker(state, 0, SCULPTURE, 10)
    rated = ratings(state)
    assert rated[predict(SCULPTURE, "8+")] <= rated[PASS]


@pytest.mark.parametrize("marker", [2, 3, 4])
def test_a_marker_that_comes_to_count_gains_more_than_it_moves(marker: int) -> None:
    """A marker below 5 counts nothing at the end: 3 points across the bound are worth more than 3 points above it."""
    across, above = last_prediction(), last_prediction()
    set_marker(across, 0, SCULPTURE, marker)
    set_marker(above, 0, SCULPTURE, 6)
    for state in (across, above):
        set_marker(state, 1, SCULPTURE, 5)
    move = predict(SCULPTURE, "7+")
    assert ratings(across)[move] - ratings(across)[PASS] > ratings(above)[move] - ratings(above)[PASS]


def four_etchings(*hand: Card) -> State:
    """A final turn with 4 ETCHING Artworks on the table and no ETCHING Loan to come."""
    table = [*art(ETCHING, 6), *loans(ETCHING, 2)]
    return last_turn(3, hands=[hand], on_table=table)


def test_the_last_cards_make_an_own_prediction_come_true() -> None:
    """The fifth ETCHING is held: 5+ is sure if it is played."""
    state = four_etchings(*art(ETCHING), *art(PORTRAIT), *art(LANDSCAPE))
    put(state, 0, ETCHING, "5+")
    rated = ratings(state)
    without = rated.pop(pair(*art(PORTRAIT), *art(LANDSCAPE)))
    assert min(rated.values()) > without


def test_the_last_discard_keeps_an_own_prediction_true() -> None:
    """The fifth ETCHING is held: with it 4- fails for sure."""
    state = four_etchings(*art(ETCHING), *art(PORTRAIT), *art(LANDSCAPE))
    put(state, 0, ETCHING, "4-")
    assert best(state) == pair(*art(PORTRAIT), *art(LANDSCAPE))


def test_a_loan_is_discarded_where_many_artworks_are_predicted() -> None:
    """6 Artworks lie there, and only the own hand holds the Loan that would take one away."""
    table = [*art(ETCHING, 7), *loans(ETCHING)]
    state = last_turn(3, hands=[[*loans(ETCHING), *art(PORTRAIT), *art(LANDSCAPE)]], on_table=table)
    put(state, 0, ETCHING, "6+")
    assert best(state) == pair(*art(PORTRAIT), *art(LANDSCAPE))


def test_the_last_discard_spoils_an_opponents_prediction() -> None:
    state = four_etchings(*art(ETCHING), *art(PORTRAIT), *art(LANDSCAPE))
    put(state, 1, ETCHING, "5+", 2)
    assert best(state) == pair(*art(PORTRAIT), *art(LANDSCAPE))


def test_the_own_prediction_matters_more_than_a_smaller_one_of_an_opponent() -> None:
    state = four_etchings(*art(ETCHING), *art(PORTRAIT), *art(LANDSCAPE))
    put(state, 1, ETCHING, "4-")
    put(state, 0, ETCHING, "5+", 2)
    assert best(state) != pair(*art(PORTRAIT), *art(LANDSCAPE))


@pytest.mark.parametrize(("space", "kept"), [("4-", art(ETCHING)[0]), ("5+", loans(ETCHING)[0])])
def test_the_card_that_an_own_prediction_needs_out_is_kept_to_the_end(space: str, kept: Card) -> None:
    """Of a hand of five two are played now, two in the final turn, and the last is never played."""
    state = last_turn(3, hands=[[*art(PORTRAIT), *art(LANDSCAPE), *art(STILL_LIFE)]], on_table=art(ETCHING, 4))
    hold(state, 0, [kept, *art(SCULPTURE)])
    state.phase, state.turn, state.turns_left = Phase.PLAY, 0, 1
    put(state, 0, ETCHING, space, 2)
    rated = ratings(state)
    keeping = [value for move, value in rated.items() if kept not in cards_of_play(move)]
    playing = [value for move, value in rated.items() if kept in cards_of_play(move)]
    assert min(keeping) > max(playing)


def test_what_lies_on_the_table_decides_not_who_played_it() -> None:
    state, other = last_prediction(), last_prediction()
    row = slice(-len(KINDS), None)
    other.played[: len(KINDS)], other.played[row] = state.played[row], bytes(len(KINDS))
    assert ratings(other) == ratings(state)


@pytest.mark.parametrize("seats", SEATS)
def test_ratings_depend_on_the_view_alone(seats: int) -> None:
    """Two worlds that the viewer cannot tell apart rate all moves alike."""
    rng, different = random.Random(seats), 0
    for state in samples(GAME, seats, 1, 12):
        for seat in GAME.to_act(state):
            worlds = [GAME.determinize(GAME.view(state, seat), rng) for _ in range(2)]
            different += worlds[0].hands != worlds[1].hands
            expected = ratings(state, seat)
            assert [expected, expected] == [ratings(world, seat) for world in worlds]
    assert different


@pytest.mark.parametrize("seats", SEATS)
def test_every_move_gets_a_number_and_the_view_stays_as_it_is(seats: int) -> None:
    for state in samples(GAME, seats, 2, 8):
        for seat in GAME.to_act(state):
            moves, view = GAME.legal_moves(state, seat), GAME.view(state, seat)
            rated = rate(GAME, view, moves)
            assert len(moves) == len(rated)
            assert all(map(isfinite, rated))
            assert GAME.view(state, seat) == view


def test_the_order_of_the_moves_does_not_matter() -> None:
    state = dealt(GAME, 2, 3)
    moves, view = GAME.legal_moves(state, state.turn), GAME.view(state, state.turn)
    assert rate(GAME, view, moves)[::-1] == rate(GAME, view, moves[::-1])


def test_a_spectator_has_nothing_to_rate() -> None:
    with pytest.raises(ValueError, match="spectator"):
        rate(GAME, GAME.view(dealt(GAME, 2, 1), None), [PASS])


def test_the_best_rated_moves_beat_random_ones() -> None:
    """In both seats of ten deals of two; by chance it would be half."""
    wins = 0.0
    for number in range(20):
        state, rng, greedy = dealt(GAME, 2, number // 2), random.Random(number), number % 2
        while waiting := GAME.to_act(state):
            seat = waiting[0]
            move = best(state, seat) if seat == greedy else rng.choice(GAME.legal_moves(state, seat))
            GAME.play(state, seat, move)
        result = GAME.result(state)
        assert result is not None
        wins += (result.ranks[greedy] == 1) / result.ranks.count(1)
    assert wins >= 18
