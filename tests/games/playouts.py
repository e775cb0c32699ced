"""Random matches of any ruleset, one move at a time."""

import random
from collections.abc import Iterator
from dataclasses import dataclass
from hashlib import sha256
from typing import Any

from referee.core.game import AnyGame, Options


@dataclass(frozen=True, slots=True)
class Step:
    """A move of a match: a copy of the position before it, what happened, and the position after it.

    `after` is the match itself, which goes on when the next step is asked for.
    """

    before: Any
    seat: int
    move: int
    events: list[Any]
    after: Any


def seed_of(number: int) -> bytes:
    """Returns the seed of the match with this number."""
    return sha256(b"match %d" % number).digest()


def dealt(game: AnyGame, seats: int, number: int, options: Options | None = None) -> Any:
    """Returns the first position of the match with this number."""
    return game.setup(game.options(options or {}, seats), seats, seed_of(number))


def steps(game: AnyGame, seats: int, number: int, options: Options | None = None) -> Iterator[Step]:
    """Plays the match with this number to its end: a random seat that is to act makes a random legal move."""
    rng = random.Random(number)
    state = dealt(game, seats, number, options)
    while waiting := game.to_act(state):
        seat = rng.choice(waiting)
        move = rng.choice(game.legal_moves(state, seat))
        before = game.copy(state)
        yield Step(before, seat, move, game.play(state, seat, move), state)


def positions(game: AnyGame, seats: int, number: int, options: Options | None = None) -> Iterator[Any]:
    """Every position of the match with this number, the last one too; each goes on to the next."""
    yield dealt(game, seats, number, options)
    for step in steps(game, seats, number, options):
        yield step.after


def samples(game: AnyGame, seats: int, number: int, one_in: int) -> Iterator[Any]:
    """Copies of some positions: the first, the last, one in so many, and more in the middle of sealed choices."""
    rng = random.Random(-number)
    yield dealt(game, seats, number)
    for step in steps(game, seats, number):
        waiting = game.to_act(step.after)
        sealed = len(game.to_act(step.before)) > 1 and waiting
        if not waiting or not rng.randrange(1 + one_in // 10 if sealed else one_in):
            yield game.copy(step.after)


def play_out(game: AnyGame, state: Any, rng: random.Random, limit: int = 100_000) -> None:
    """Plays random legal moves in place to the end."""
    for _ in range(limit):
        waiting = game.to_act(state)
        if not waiting:
            return
        seat = rng.choice(waiting)
        game.play(state, seat, rng.choice(game.legal_moves(state, seat)))
    raise AssertionError(f"the game has not ended after {limit} moves")
