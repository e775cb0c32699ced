"""The rulings: each has a test that fails when it is reversed."""

import random
from collections import Counter
from itertools import permutations

import pytest

from referee.core.errors import ComponentsError, IllegalMoveError
from referee.games.classic_art.events import CardsPlayed, HouseRevealed
from referee.games.classic_art.state import Phase, State
from tests.games.classic_art.build import (
    GAME,
    all_pass,
    cards_in,
    commit_all,
    last_turn,
    passive,
    play,
    play_season,
    season,
    set_marker,
    shelf,
)
from tests.games.classic_art.components import parts_with
from tests.games.classic_art.moves import (
    CATEGORIES,
    ETCHING,
    KINDS,
    LANDSCAPE,
    PASS,
    PORTRAIT,
    SCULPTURE,
    STILL_LIFE,
    art,
    loans,
    pair,
    predict,
)
from tests.games.classic_art.naive import NaiveGame
from tests.games.playouts import dealt, seed_of


def refusal(state: State, seat: int, move: int) -> str:
    """The rule that forbids a move, in the check's opinion; the list must agree."""
    assert move not in GAME.legal_moves(state, seat)
    with pytest.raises(IllegalMoveError) as caught:
        GAME.check(state, seat, move)
    return caught.value.rule


def test_an_artwork_is_discarded_with_one_pending_loan() -> None:
    """[CA-R1] Of two Loans that wait, the next Artwork takes one, the Artwork after it the other."""
    hands = [[*art(PORTRAIT), *art(ETCHING)], [*art(PORTRAIT), *art(ETCHING)]]
    state = season(3, hands=hands, revealed=loans(PORTRAIT, 2))
    all_pass(state)
    assert shelf(state, PORTRAIT) == (0, 2)
    play(state, 0, pair(*art(PORTRAIT), *art(ETCHING)))
    assert shelf(state, PORTRAIT) == (0, 1)
    play(state, 0, PASS)
    play(state, 1, pair(*art(PORTRAIT), *art(ETCHING)))
    assert shelf(state, PORTRAIT) == (0, 0)


@pytest.mark.parametrize("order", sorted(set(permutations("AALL"))), ids="".join)
def test_artworks_and_loans_annihilate_in_any_order(order: tuple[str, ...]) -> None:
    """[CA-R1] Two and two leave nothing, and on the way never both an Artwork and a waiting Loan."""
    cards = [(PORTRAIT, "Artwork" if letter == "A" else "Loan") for letter in order]
    state = season(4, hands=[[card, *art(ETCHING)] for card in cards], revealed=art(STILL_LIFE, 2))
    all_pass(state)
    for seat, card in enumerate(cards):
        play(state, seat, pair(card, *art(ETCHING)))
        play(state, seat, PASS)
        assert 0 in shelf(state, PORTRAIT)
    assert shelf(state, PORTRAIT) == (0, 0)


def test_the_house_reveals_after_the_cards_and_before_the_prediction() -> None:
    """[CA-R2] Its card counts already when the player predicts, and none follows the prediction."""
    state = season(2, hands=[art(ETCHING, 2)], house=art(LANDSCAPE), revealed=art(STILL_LIFE, 2))
    all_pass(state)
    events = play(state, 0, pair(*art(ETCHING, 2)))
    assert [type(event) for event in events] == [CardsPlayed, HouseRevealed]
    assert state.phase == Phase.PREDICT
    assert (shelf(state, LANDSCAPE), GAME.view(state, 0).house_size) == ((1, 0), 9)
    play(state, 0, PASS)
    assert (state.turn, GAME.view(state, 0).house_size) == (1, 9)


def test_a_space_with_the_own_token_is_occupied() -> None:
    """[CA-R3] Nobody may place on it, its owner neither; another space of the exhibition is free to the owner."""
    state = season(3)
    play(state, 0, predict(ETCHING, "3-"))
    assert refusal(state, 1, predict(ETCHING, "3-")) == "SPACE_OCCUPIED"
    play(state, 1, PASS)
    play(state, 2, PASS)
    play(state, 0, passive(state, 0))
    assert refusal(state, 0, predict(ETCHING, "3-")) == "SPACE_OCCUPIED"
    assert refusal(state, 0, predict(ETCHING, "3-", 2)) == "SPACE_OCCUPIED"
    play(state, 0, predict(ETCHING, "4-", 2))


def test_a_double_down_at_setup_is_the_only_one_of_the_season() -> None:
    """[CA-R4] And the next season allows one again."""
    state = season(3)
    play(state, 0, predict(ETCHING, "8+", 2))
    play(state, 1, PASS)
    play(state, 2, PASS)
    play(state, 0, passive(state, 0))
    assert refusal(state, 0, predict(SCULPTURE, "8+", 2)) == "DOUBLE_DOWN_ONCE"
    assert predict(SCULPTURE, "8+", 1) in GAME.legal_moves(state, 0)
    play_season(state)
    assert state.season == 2
    play(state, 1, PASS)
    play(state, 2, PASS)
    play(state, 0, predict(ETCHING, "8+", 2))


def _ended_with(heights: list[dict[str, int]]) -> State:
    """A game that its first season ends, with such markers."""
    state = last_turn(len(heights), max_seasons=1)
    for seat, markers in enumerate(heights):
        for category, height in markers.items():
            set_marker(state, seat, category, height)
    commit_all(state)
    return state


def test_the_victory_is_shared() -> None:
    """[CA-R5] Equal totals win together, however many markers make them up."""
    result = GAME.result(_ended_with([{ETCHING: 10}, {ETCHING: 9}, {SCULPTURE: 5, PORTRAIT: 5}]))
    assert result is not None
    assert (result.scores, result.ranks) == ((10, 9, 10), (1, 3, 1))


def test_the_cap_ends_the_game_as_it_stands() -> None:
    """[CA-R6] After `max_seasons` the game is scored and the result says so; 30 by default."""
    result = GAME.result(_ended_with([{ETCHING: 7, SCULPTURE: 4}, {ETCHING: 9}]))
    assert result is not None
    assert (result.scores, result.ranks, result.reason) == ((7, 9), (2, 1), "SEASON_CAP")
    assert GAME.options({}, 3)["max_seasons"] == 30


def test_at_the_cap_all_share_a_total_of_nothing() -> None:
    """[CA-R6] Nobody has a marker at 5: all are first."""
    result = GAME.result(_ended_with([{ETCHING: 4}, {}, {SCULPTURE: 1}]))
    assert result is not None
    assert (result.scores, result.ranks, result.reason) == ((0, 0, 0), (1, 1, 1), "SEASON_CAP")


def test_the_cap_is_not_the_cause_when_the_rules_end_the_game_too() -> None:
    """[CA-R6] The last season allowed may end the game by itself."""
    result = GAME.result(_ended_with([dict.fromkeys(CATEGORIES, 5), {}]))
    assert result is not None
    assert result.reason == "COMPLETED"


@pytest.mark.parametrize("cap", [1, 2, 3])
def test_as_many_seasons_are_played_as_the_cap_says(cap: int) -> None:
    """[CA-R6] Nobody predicts, so that only the cap ends the game."""
    state = season(5, max_seasons=cap)
    while GAME.to_act(state):
        play_season(state)
    assert (state.season, GAME.view(state, None).capped) == (cap, True)


def test_left_is_the_next_seat() -> None:
    """[G-R1] Turns and the First Player token go to ascending seats and wrap."""
    state = season(3)
    asked = []
    while state.season == 1:
        asked.append(GAME.to_act(state)[0])
        play(
            state,
            asked[-1],
            passive(state, asked[-1]),
        )
    assert asked[:3] == [0, 1, 2]
    assert asked[3:9] == [0, 0, 1, 1, 2, 2]
    firsts = [state.first]
    for _ in range(3):
        play_season(state)
        firsts.append(state.first)
    assert firsts == [1, 2, 0, 1]


def test_a_forced_choice_of_hidden_cards_is_asked() -> None:
    """[G-R2] Three equal cards leave one pair, but only their owner knows; the seat must commit all the same."""
    state = last_turn(3, hands=[art(SCULPTURE, 3)])
    assert list(GAME.to_act(state)) == [0, 1, 2]
    assert list(GAME.legal_moves(state, 0)) == [pair(*art(SCULPTURE, 2))]


def test_a_turn_with_one_pair_is_asked() -> None:
    """[G-R2] Eleven equal cards leave one pair in a turn too."""
    state = season(3, hands=[art(SCULPTURE, 11)], revealed=art(ETCHING, 2))
    all_pass(state)
    assert list(GAME.to_act(state)) == [0]
    assert list(GAME.legal_moves(state, 0)) == [pair(*art(SCULPTURE, 2))]


def test_a_prediction_without_tokens_is_not_asked() -> None:
    """[G-R2] All see that there is nothing to place; with one token left the seat is asked."""
    for tokens, phase, turn in ((0, Phase.PLAY, 1), (1, Phase.PREDICT, 0)):
        state = season(3)
        all_pass(state)
        state.available[0], state.lost[0] = tokens, 6 - tokens
        play(state, 0, passive(state, 0))
        assert (state.phase, state.turn) == (phase, turn)


def test_a_sealed_choice_is_final() -> None:
    """[G-R3] Who has committed is not asked again."""
    state = last_turn(3)
    play(state, 1, passive(state, 1))
    assert list(GAME.to_act(state)) == [0, 2]


@pytest.mark.parametrize("arrival", list(permutations(range(3))))
@pytest.mark.parametrize("first", range(3))
def test_sealed_choices_are_resolved_clockwise_from_the_first_player(first: int, arrival: tuple[int, ...]) -> None:
    """[G-R3] In whatever order they arrive."""
    state = last_turn(3)
    state.first = first
    for seat in arrival:
        events = play(state, seat, passive(state, seat))
    assert [event.seat for event in events if isinstance(event, CardsPlayed)] == [
        first,
        (first + 1) % 3,
        (first + 2) % 3,
    ]


def test_hands_are_seen_as_multisets() -> None:
    """[G-R4] The owner sees how many of each kind were dealt, in the order of kinds, not of draws."""
    for number in range(50):
        state, naive = dealt(GAME, 4, number), NaiveGame(4, seed_of(number))
        for seat in range(4):
            drawn = Counter(naive.players[seat].hand)
            assert list(GAME.view(state, seat).hand) == [drawn[kind] for kind in KINDS]


def test_a_move_names_kinds_in_no_order() -> None:
    """[G-R4] One id for a pair however it is named, and equal cards are the same choice."""
    state = season(
        3,
        hands=[[*art(ETCHING, 2), *loans(PORTRAIT), *art(ETCHING, 5), *art(SCULPTURE, 3)]],
        revealed=art(LANDSCAPE, 2),
    )
    all_pass(state)
    pairs = [sorted(cards) for cards in cards_in(GAME.legal_moves(state, 0))]
    assert len(pairs) == len({tuple(cards) for cards in pairs}) == 5


def test_a_seat_that_the_autopilot_plays_keeps_its_place() -> None:
    """[G-R5] Seat 1 is asked between seats 0 and 2, and has the First Player token in the second season."""
    state, rng, asked = season(3), random.Random(1), list[int]()
    while state.season == 1 and state.phase != Phase.FINAL:
        seat = GAME.to_act(state)[0]
        asked += [seat] * (state.phase == Phase.PLAY)
        play(state, seat, GAME.autopilot(GAME.view(state, seat), rng) if seat == 1 else passive(state, seat))
    commit_all(state)
    assert asked == [0, 1, 2] * 4
    assert (state.first, state.turn) == (1, 1)


def test_public_turn_state_is_in_every_view() -> None:
    """[G-R6] Season, step, whose decision, turns left, first player and who has committed, alike for all."""
    state = season(3)
    facts = []
    while state.season == 1:
        seat = GAME.to_act(state)[-1]
        views = [GAME.view(state, viewer) for viewer in (0, 1, 2, None)]
        seen = [(view.season, view.phase, view.turn, view.turns_left, view.first, view.committed) for view in views]
        assert len(set(seen)) == 1
        facts.append(seen[0])
        play(state, seat, passive(state, seat))
    assert facts[0] == (1, Phase.SETUP, 0, 12, 0, b"\0\0\0")
    assert facts[3] == (1, Phase.PLAY, 0, 12, 0, b"\0\0\0")
    assert facts[-4] == (1, Phase.PREDICT, 2, 1, 0, b"\0\0\0")
    assert [fact[-1] for fact in facts[-3:]] == [b"\0\0\0", b"\0\0\1", b"\0\1\1"]


@pytest.mark.parametrize("seats", [2, 3, 4, 5])
def test_the_start_player_is_drawn_unless_named(seats: int) -> None:
    """[G-R7] Every seat starts about as often as the others; the option `start_seat` fixes one."""
    starts = Counter(dealt(GAME, seats, number).first for number in range(200 * seats))
    assert all(150 < starts[seat] < 250 for seat in range(seats))
    for seat in range(seats):
        assert {dealt(GAME, seats, number, {"start_seat": seat}).first for number in range(20)} == {seat}


def test_components_that_cannot_serve_a_number_of_seats_are_refused() -> None:
    """[G-R8] Hands of 8 never come down to 3 in turns of two; the fault names the seats."""
    with pytest.raises(ComponentsError) as caught:
        parts_with(("hand = 9", "hand = 8"))
    (fault,) = caught.value.faults
    assert fault.startswith("deals for 4 seats")


def test_equals_below_the_winner_share_their_rank() -> None:
    """[G-R9] Totals 10, 7, 7, 6 are ranked 1, 2, 2, 4."""
    result = GAME.result(_ended_with([{ETCHING: 7}, {ETCHING: 10}, {SCULPTURE: 6}, {PORTRAIT: 7}]))
    assert result is not None
    assert (result.scores, result.ranks) == ((7, 10, 6, 7), (2, 1, 4, 2))
