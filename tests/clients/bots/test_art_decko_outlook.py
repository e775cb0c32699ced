"""What is expected of a game of Art Decko that is under way."""

import pytest

from clients.bots.art_decko_outlook import Outlook, undealt
from referee.games import registry
from referee.games.art_decko.bonus import owned
from referee.games.art_decko.game import ArtDecko
from referee.games.art_decko.state import State
from tests.games.playouts import dealt, samples

GAME = registry()["art_decko"]
assert isinstance(GAME, ArtDecko)
PARTS = GAME.parts


def in_deck(state: State) -> list[int]:
    """By style."""
    return [state.paintings.count(style) for style in range(5)]


@pytest.mark.parametrize("seats", [2, 3, 4])
def test_a_view_tells_what_is_in_the_deck(seats: int) -> None:
    for state in samples(GAME, seats, 1, one_in=5):
        view = GAME.view(state, 0)
        assert undealt(PARTS, view, [owned(PARTS, view, seat) for seat in range(seats)]) == in_deck(state)


def test_in_the_last_round_ratings_stay_as_they_are() -> None:
    """A painting at 40 is worth 5 VP, at 0 it is worth 1; gold is worth its number by 6."""
    state: State = dealt(GAME, 2, 1)
    state.last_round = True
    state.market[:5] = [40, 0, 0, 0, 0]
    outlook = Outlook(PARTS, state, in_deck(state))
    assert outlook.rises == [0, 0, 0, 0, 0]
    prices = outlook.prices(state.market, outlook.rises)
    assert prices[:8] == [5, 1, 1, 1, 1, 1 / 6, 2 / 6, 5 / 6]


def test_the_more_paintings_are_to_come_the_more_a_rating_rises() -> None:
    state: State = dealt(GAME, 2, 1)
    few, many = (Outlook(PARTS, state, [style, 8, 8, 8, 8]) for style in (4, 12))
    assert few.rises[0] < many.rises[0]
    assert few.prices(state.market, few.rises)[0] < many.prices(state.market, many.rises)[0]


def test_a_painting_that_is_acquired_does_not_raise_its_rating_again() -> None:
    """That of the fourth gallery raises it by 5, that of the first by 2."""
    state: State = dealt(GAME, 2, 1)
    outlook = Outlook(PARTS, state, in_deck(state))
    assert outlook.rise_without(0, 3) < outlook.rise_without(0, 0) < outlook.rises[0]
