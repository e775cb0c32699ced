"""The moves of a playout of Art Decko."""

import random

import pytest

from clients.bots.search.knowing import knowledge_of
from referee.games import registry
from referee.games.art_decko.game import ArtDecko
from referee.games.art_decko.parts import HAND
from referee.games.art_decko.state import State
from tests.games.playouts import dealt

GAME = registry()["art_decko"]
assert isinstance(GAME, ArtDecko)
PARTS = GAME.parts
STYLE = 0
CHEAPEST, DEAREST = 0, len(PARTS.exhibitions) - 1


def rich() -> State:
    """In the last round the seat on turn can pay for anything, and has one painting to show; there are none to buy."""
    state: State = dealt(GAME, 2, 1)
    state.last_round = True
    state.market[STYLE] = PARTS.cap
    state.actions = 1
    state.galleries[:] = bytes(len(state.galleries))
    hand = bytearray(PARTS.kinds)
    hand[STYLE], hand[PARTS.five_gold] = 1, HAND - 1
    state.hands[state.turn * PARTS.kinds : (state.turn + 1) * PARTS.kinds] = hand
    return state


def chosen(state: State) -> int:
    return knowledge_of(GAME).choose(state, state.turn, GAME.legal_moves(state, state.turn), random.Random(1))


def invited_by(exhibition: int) -> State:
    """Nobody else has an invitation left."""
    state, markers = rich(), PARTS.markers
    for place in range(len(PARTS.exhibitions)):
        if place != exhibition:
            state.markers[place * markers : (place + 1) * markers] = bytes(markers)
    return state


def test_a_painting_is_shown_where_that_is_worth_much() -> None:
    """The first space of the dearest exhibition brings 10 VP, the painting in hand 5."""
    assert chosen(invited_by(DEAREST)) == PARTS.ids.exhibit + STYLE


def test_without_an_invitation_left_an_exhibition_is_worth_nothing() -> None:
    """The first space of the cheapest exhibition brings 5 VP too, but there is a price to pay."""
    assert chosen(invited_by(CHEAPEST)) != PARTS.ids.exhibit + STYLE


@pytest.mark.parametrize(("scoring", "is_shown"), [("MOST", True), ("FEWEST", False)])
def test_a_bonus_tile_decides_whether_a_painting_is_shown(scoring: str, is_shown: bool) -> None:
    """The first painting in the museum makes the tile score: 4 VP for the most there, or 3 VP for the fewest."""
    state = invited_by(CHEAPEST)
    state.market[STYLE] = 40  # worth more than the 5 VP of the space, but not than these and half a tile
    tile = next(
        place for place, each in enumerate(PARTS.tiles) if (each.scoring, each.counts) == (scoring, "MUSEUM_PAINTINGS")
    )
    state.tiles = bytes([tile, *state.tiles[1:]])
    assert (chosen(state) == PARTS.ids.exhibit + STYLE) == is_shown
