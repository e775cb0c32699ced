"""The course of a season: setup, turns, final turn."""

import pytest

from referee.core.errors import IllegalMoveError
from referee.games.classic_art.events import (
    CardsChosen,
    CardsCommitted,
    CardsPlayed,
    HouseRevealed,
    PredictionPlaced,
    SeasonDealt,
    SeasonScored,
)
from referee.games.classic_art.state import Phase, State
from tests.games.classic_art.build import (
    GAME,
    all_pass,
    commit_all,
    hand_of,
    last_turn,
    passive,
    play,
    play_season,
    season,
    shelf,
)
from tests.games.classic_art.moves import (
    CATEGORIES,
    ETCHING,
    LANDSCAPE,
    MOVES,
    PASS,
    PORTRAIT,
    SCULPTURE,
    SPACES,
    STILL_LIFE,
    art,
    loans,
    pair,
    predict,
)
from tests.games.playouts import dealt


def refusal(state: State, seat: int, move: int) -> IllegalMoveError:
    with pytest.raises(IllegalMoveError) as caught:
        GAME.check(state, seat, move)
    return caught.value


def until_prediction(state: State) -> int:
    """Plays passively until a seat may predict in its turn; returns the seat."""
    while state.phase != Phase.PREDICT:
        play(state, state.turn, passive(state, state.turn))
    return state.turn


@pytest.mark.parametrize(
    ("seats", "hand", "house", "out_of_play"), [(2, 11, 10, 31), (3, 11, 0, 30), (4, 9, 0, 27), (5, 7, 0, 28)]
)
def test_a_season_is_dealt_by_the_number_of_players(seats: int, hand: int, house: int, out_of_play: int) -> None:
    """Two cards are face up beside hands, House and the cards out of play; so in later seasons too."""
    state = dealt(GAME, seats, 1)
    for number in (1, 2, 3):
        view = GAME.view(state, None)
        assert view.season == number
        assert (list(view.hand_sizes), view.house_size, view.deck_size) == ([hand] * seats, house, out_of_play)
        assert (sum(view.played), sum(view.played[-10:])) == (2, 2)
        play_season(state)


def test_revealed_cards_are_resolved_as_if_played() -> None:
    """Of 300 deals each shows two cards; two Artworks of a category count 2, a Loan waits, both kinds annihilate."""
    seen = set()
    for number in range(300):
        view = GAME.view(dealt(GAME, 3, number), None)
        kinds = [kind for kind in range(10) for _ in range(view.played[30 + kind])]
        expected = [0] * 5
        for kind in kinds:
            expected[kind // 2] += -1 if kind % 2 else 1
        assert view.net == expected
        seen.add((kinds[0] // 2 == kinds[1] // 2, kinds[0] % 2 + kinds[1] % 2))
    assert {(True, 0), (False, 0), (False, 1), (True, 1)} <= seen


@pytest.mark.parametrize("seats", [2, 3, 4, 5])
def test_each_seat_sets_up_once_clockwise_then_turns_begin(seats: int) -> None:
    state = dealt(GAME, seats, 1, {"start_seat": seats - 1})
    asked = []
    while state.phase == Phase.SETUP:
        asked.append(state.turn)
        play(state, state.turn, PASS)
    assert asked == [seats - 1, *range(seats - 1)]
    assert (state.phase, state.turn) == (Phase.PLAY, seats - 1)


def test_at_setup_one_may_pass_or_predict_with_one_or_two_tokens_anywhere() -> None:
    """81 choices, all that the board offers; no cards are played yet."""
    legal = {MOVES[move] for move in GAME.legal_moves(season(4), 0)}
    spaces = {("predict", category, space, tokens) for category in CATEGORIES for space in SPACES for tokens in (1, 2)}
    assert legal == {("pass",), *spaces}


def test_the_high_risk_token_lies_on_every_setup_prediction_and_on_no_other() -> None:
    state = season(3)
    put_at_setup = [play(state, 0, predict(ETCHING, "1-")), play(state, 1, predict(ETCHING, "2-", 2))]
    play(state, 2, PASS)
    seat = until_prediction(state)
    put_later = play(state, seat, predict(ETCHING, "3-", 2))
    codes = [event.code - 1 for (event,) in [*put_at_setup, put_later] if isinstance(event, PredictionPlaced)]
    assert [(code // 4, code // 2 % 2 + 1, code % 2) for code in codes] == [(0, 1, 1), (1, 2, 1), (seat, 2, 0)]


def test_the_high_risk_token_comes_back_each_season() -> None:
    """A failed setup prediction does not lose it."""
    state = season(3, revealed=art(ETCHING, 2))
    play(state, 0, predict(ETCHING, "1-"))
    play_season(state)
    while state.turn != 0:
        play(state, state.turn, PASS)
    (event,) = play(state, 0, predict(ETCHING, "1-"))
    assert isinstance(event, PredictionPlaced)
    assert (event.code - 1) % 2 == 1


def test_a_turn_plays_two_cards_of_the_hand() -> None:
    """Any two that it holds, equal ones if it holds two."""
    hand = [*art(ETCHING, 3), *loans(ETCHING), *art(SCULPTURE), *art(PORTRAIT, 6)]
    state = season(3, hands=[hand], revealed=art(LANDSCAPE, 2))
    all_pass(state)
    kinds = [art(ETCHING)[0], loans(ETCHING)[0], art(SCULPTURE)[0], art(PORTRAIT)[0]]
    different = {pair(a, b) for a in kinds for b in kinds if a != b}
    equal = {pair(*art(ETCHING, 2)), pair(*art(PORTRAIT, 2))}
    assert set(GAME.legal_moves(state, 0)) == different | equal
    assert refusal(state, 0, pair(*art(SCULPTURE, 2))).rule == "CARDS_NOT_HELD"
    assert refusal(state, 0, pair(*art(ETCHING), *art(LANDSCAPE))).rule == "CARDS_NOT_HELD"
    play(state, 0, pair(*art(ETCHING, 2)))
    assert hand_of(state, 0) == [*art(ETCHING), *loans(ETCHING), *art(SCULPTURE), *art(PORTRAIT, 6)]
    assert shelf(state, ETCHING) == (2, 0)


def test_the_steps_of_a_turn_cannot_be_swapped() -> None:
    """Predictions and passing wait for the cards; cards wait for the prediction."""
    state = season(3)
    assert refusal(state, 0, pair(*art(ETCHING, 2))).rule == "WRONG_STEP"
    all_pass(state)
    assert refusal(state, 0, predict(ETCHING, "1-")).rule == "WRONG_STEP"
    assert refusal(state, 0, PASS).rule == "WRONG_STEP"
    play(state, 0, passive(state, 0))
    assert refusal(state, 0, pair(*art(ETCHING, 2))).rule == "WRONG_STEP"
    assert refusal(last_turn(3), 0, PASS).rule == "WRONG_STEP"


def test_tokens_come_from_the_available_ones() -> None:
    state = season(3)
    play(state, 0, predict(ETCHING, "1-", 2))
    all_pass(state)
    play(state, 0, passive(state, 0))
    play(state, 0, predict(ETCHING, "2-"))
    assert (state.available[0], list(state.lost)) == (3, [0, 0, 0])


def test_with_one_token_only_a_single_can_be_placed() -> None:
    state = season(3)
    state.available[0], state.lost[0] = 1, 5
    seat = until_prediction(state)
    assert seat == 0
    assert all(MOVES[move][-1] != 2 for move in GAME.legal_moves(state, 0))
    assert len(GAME.legal_moves(state, 0)) == 41
    assert refusal(state, 0, predict(ETCHING, "1-", 2)).rule == "TOKENS_MISSING"


def test_an_occupied_space_is_closed_to_singles_and_double_downs() -> None:
    state = season(3)
    play(state, 0, predict(SCULPTURE, "5+"))
    for tokens in (1, 2):
        assert predict(SCULPTURE, "5+", tokens) not in GAME.legal_moves(state, 1)
        assert refusal(state, 1, predict(SCULPTURE, "5+", tokens)).rule == "SPACE_OCCUPIED"
    assert len(GAME.legal_moves(state, 1)) == 79


@pytest.mark.parametrize(("seats", "turns"), [(2, 8), (3, 12), (4, 12), (5, 10)])
def test_turns_go_round_until_every_hand_holds_three(seats: int, turns: int) -> None:
    state, asked = dealt(GAME, seats, 1, {"start_seat": 1}), []
    while state.phase != Phase.FINAL:
        asked += [state.turn] * (state.phase == Phase.PLAY)
        play(state, state.turn, passive(state, state.turn))
    assert asked == [(1 + turn) % seats for turn in range(turns)]
    assert list(GAME.view(state, None).hand_sizes) == [3] * seats
    assert list(GAME.to_act(state)) == list(range(seats))


@pytest.mark.parametrize("seats", [2, 3, 4, 5])
def test_the_last_choice_brings_about_all_that_follows(seats: int) -> None:
    """Cards, House, scoring and the next deal come with the last commitment; no prediction is asked."""
    state = last_turn(seats)
    house = [HouseRevealed] * (2 if seats == 2 else 0)
    events = commit_all(state)
    played = [CardsPlayed] * seats
    assert [type(event) for event in events] == [
        CardsCommitted,
        CardsChosen,
        *played,
        *house,
        SeasonScored,
        SeasonDealt,
    ]
    assert (state.season, state.phase, state.turn) == (2, Phase.SETUP, 1)


def test_the_third_card_is_discarded_and_counts_nowhere() -> None:
    """Only its owner is told what it was."""
    hands = [[*art(SCULPTURE, 2), *art(PORTRAIT)], art(ETCHING, 3), art(STILL_LIFE, 3)]
    state = last_turn(3, hands=hands, max_seasons=1)
    committed, chosen = play(state, 0, pair(*art(SCULPTURE, 2)))
    assert committed == CardsCommitted(0)
    assert isinstance(chosen, CardsChosen)
    assert (chosen.audience, chosen.pair, chosen.discarded) == (0, pair(*art(SCULPTURE, 2)), 6)
    commit_all(state)
    assert (shelf(state, SCULPTURE), shelf(state, PORTRAIT)) == ((2, 0), (0, 0))
    assert sum(GAME.view(state, None).played[6::10]) == 0


def test_with_two_players_the_house_ends_the_season() -> None:
    """Eight turns reveal one House card each; the last two follow the final cards, in their order."""
    house = [*art(SCULPTURE, 8), *art(PORTRAIT), *loans(PORTRAIT)]
    hands = [art(ETCHING, 11), art(LANDSCAPE, 11)]
    state = season(2, hands=hands, house=house, revealed=art(STILL_LIFE, 2), max_seasons=1)
    sizes = []
    while state.phase != Phase.FINAL:
        sizes += [GAME.view(state, None).house_size] * (state.phase == Phase.PLAY)
        play(state, state.turn, passive(state, state.turn))
    assert sizes == [10, 9, 8, 7, 6, 5, 4, 3]
    assert (shelf(state, SCULPTURE), GAME.view(state, None).house_size) == ((8, 0), 2)
    events = commit_all(state)
    assert [event.kind for event in events if isinstance(event, HouseRevealed)] == [6, 7]
    assert (GAME.view(state, None).house_size, shelf(state, PORTRAIT)) == (0, (0, 0))


def test_all_cards_return_to_the_next_deal() -> None:
    """After a season all 65 are shuffled again: over many seasons every kind is dealt its share to a hand."""
    state, dealt_cards = season(2), [0] * 10
    for _ in range(29):
        play_season(state)
        for seat in (0, 1):
            dealt_cards = [so_far + new for so_far, new in zip(dealt_cards, GAME.view(state, seat).hand, strict=True)]
    assert sum(dealt_cards) == 29 * 22
    assert all(70 < count < 150 for count in dealt_cards[::2])
    assert all(8 < count < 35 for count in dealt_cards[1::2])
