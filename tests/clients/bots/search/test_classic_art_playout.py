"""The quick play by which the search of Classic Art looks to the end of a season."""

import pytest

from clients.bots.search.classic_art_playout import Playout
from clients.bots.search.knowledge import Deadline, OutOfTimeError
from referee.games.classic_art.state import Phase
from tests.clients.bots.test_classic_art_rating import last_prediction
from tests.games.classic_art.build import GAME
from tests.games.classic_art.moves import PASS, SCULPTURE, predict
from tests.games.playouts import dealt, samples

PLAYOUT = Playout(GAME, range(GAME.parts.cap + 1))


@pytest.mark.parametrize("seats", [2, 3, 4, 5])
def test_its_moves_are_legal(seats: int) -> None:
    for state in samples(GAME, seats, seats, one_in=4):
        if state.phase == Phase.PLAY:
            assert PLAYOUT.pair(state, state.turn) in GAME.legal_moves(state, state.turn)
        elif state.phase in (Phase.SETUP, Phase.PREDICT):
            assert PLAYOUT.prediction(state, state.turn) in GAME.legal_moves(state, state.turn)


@pytest.mark.parametrize("seats", [2, 3, 4, 5])
def test_it_ends_before_the_last_turn_of_the_season(seats: int) -> None:
    state = dealt(GAME, seats, 1)
    PLAYOUT.to_last_turn(state, Deadline())
    assert (state.phase, state.season) == (Phase.FINAL, 1)


def test_it_gives_up_when_the_time_is_over() -> None:
    with pytest.raises(OutOfTimeError):
        PLAYOUT.to_last_turn(dealt(GAME, 2, 1), Deadline(0.0))


def test_it_doubles_down_on_the_best_that_cannot_fail() -> None:
    """There are 9 SCULPTURES, and it is the last prediction of the season."""
    assert PLAYOUT.prediction(last_prediction(), 0) == predict(SCULPTURE, "8+", 2)


def test_it_predicts_nothing_where_nothing_can_be_gained() -> None:
    """All tracks are at their end."""
    state = last_prediction()
    for category in range(5):
        state.prestige[category] = GAME.parts.cap
    assert PLAYOUT.prediction(state, 0) == PASS
