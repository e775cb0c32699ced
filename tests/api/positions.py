"""Matches of Classic Art in which seat 0 is about to do something that it may not."""

from collections.abc import Callable
from typing import Final

from referee.games.classic_art.state import Phase, State
from tests.api.harness import Planted, Referee, planted
from tests.games.classic_art.build import put, season
from tests.games.classic_art.moves import ETCHING, PORTRAIT, art, loans


async def setup_of(referee: Referee, name: str, seats: int = 2) -> Planted:
    """A match in which seat 0 decides on its first prediction."""
    return await plant(referee, name, season(seats))


async def turn_of(referee: Referee, name: str, state: State | None = None) -> Planted:
    """A match in which seat 0 plays two cards; it holds Portraits only, so that it has one legal move."""
    state = state or season(2, hands=[art(PORTRAIT, 11)])
    state.phase = Phase.PLAY
    return await plant(referee, name, state)


async def plant(referee: Referee, name: str, state: State) -> Planted:
    match = planted(name, state)
    await referee.plant(match)
    return match


def spent() -> State:
    """Seat 0 at its setup decision with a single token left."""
    state = season(2)
    state.available[0], state.lost[0] = 1, 5
    return state


def doubled() -> State:
    """Seat 0 in the middle of a turn, having doubled down."""
    state = season(2)
    put(state, 0, PORTRAIT, "3-", 2)
    state.doubled[0], state.phase = 1, Phase.PREDICT
    return state


def occupied() -> State:
    """Seat 0 at its setup decision; both seats have tokens on the board."""
    state = season(2)
    put(state, 0, PORTRAIT, "3-")
    put(state, 1, PORTRAIT, "4-", 2)
    return state


def in_turn(*hand: tuple[str, str]) -> Callable[[], State]:
    """Seat 0 playing two cards of a hand; what is not named of it is filled with Artworks."""

    def state() -> State:
        turn = season(2, hands=[hand])
        turn.phase = Phase.PLAY
        return turn

    return state


PORTRAITS: Final = in_turn(*art(PORTRAIT, 11))
ONE_LOAN: Final = in_turn(*art(PORTRAIT, 10), *loans(ETCHING))
