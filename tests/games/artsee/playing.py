"""Matches of ArtSee in which something happens: random play earns too little to claim masterpieces."""

import random
from collections.abc import Iterator, Sequence
from itertools import islice

from referee.core.game import Options
from referee.games.artsee.game import ArtSee
from referee.games.artsee.state import Phase, State
from tests.games.playouts import Step, dealt

TRIED = 24


def steps(game: ArtSee, seats: int, number: int, options: Options | None = None) -> Iterator[Step]:
    """Plays the match with this number to its end, as `playouts.steps` does, but by players who want to earn."""
    rng = random.Random(number)
    state: State = dealt(game, seats, number, options)
    while waiting := game.to_act(state):
        seat = rng.choice(waiting)
        move = chosen(game, state, seat, rng)
        before = game.copy(state)
        yield Step(before, seat, move, game.play(state, seat, move), state)


def chosen(game: ArtSee, state: State, seat: int, rng: random.Random) -> int:
    """Returns the best of some plays, or mostly a visitor, or mostly a masterpiece, or a pile."""
    legal = game.legal_moves(state, seat)
    match state.phase:
        case Phase.PLAY:
            tried = rng.sample(legal, min(TRIED, len(legal)))
            return max(tried, key=lambda move: _earned(game, state, seat, move))
        case Phase.VISIT:
            return legal[0] if rng.randrange(3) else legal[-1]
        case Phase.CLAIM:
            return rng.choice(legal[len(legal) // 2 : -1]) if rng.randrange(4) and len(legal) > 2 else legal[-1]
    return rng.choice(legal)


def _earned(game: ArtSee, state: State, seat: int, move: int) -> int:
    """Returns what a play would earn; visitors are for later turns."""
    twin = game.copy(state)
    game.play(twin, seat, move)
    while twin.phase == Phase.VISIT:
        visitor = game.to_act(twin)[0]
        game.play(twin, visitor, game.legal_moves(twin, visitor)[-1])
    return twin.prestige[seat]


def samples(game: ArtSee, seats: int, number: int, one_in: int) -> Iterator[State]:
    """Copies of some positions: the first, the last, one in so many, and more in the middle of sealed choices."""
    rng = random.Random(-number)
    yield dealt(game, seats, number)
    for step in steps(game, seats, number):
        asked = step.after.phase == Phase.VISIT
        if not game.to_act(step.after) or not rng.randrange(1 + one_in // 5 if asked else one_in):
            yield game.copy(step.after)


def position_after(game: ArtSee, seats: int, number: int, moves: int) -> State:
    """Returns the position of the match with this number after so many moves."""
    state: State = next(islice(steps(game, seats, number), moves, None)).before
    return state


def viewers(seats: int) -> Sequence[int | None]:
    """Every seat and a spectator."""
    return [*range(seats), None]
