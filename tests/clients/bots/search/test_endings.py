"""Last decisions, where every move ends the game: what is best is counted out over worlds that are dealt naively."""

import random
from collections.abc import Iterator
from typing import Any

import pytest

from clients.bots.search import searched
from clients.bots.search.knowledge import shares
from clients.sdk import Budget
from referee.core.game import AnyGame
from referee.games import registry
from tests.clients.bots.search.test_no_cheating import REDEALT
from tests.games.playouts import dealt

WORLDS = 150
OPTIONS = {"art_decko": {"max_rounds": 4}, "artsee": {}, "classic_art": {"max_seasons": 1}}


def last_decisions(game: AnyGame, seats: int, number: int) -> Iterator[tuple[Any, int]]:
    """Positions of a random match with several moves that all end it."""
    rng = random.Random(number)
    state = dealt(game, seats, number, OPTIONS[game.spec.name])
    while waiting := game.to_act(state):
        seat = rng.choice(waiting)
        moves = game.legal_moves(state, seat)
        if len(waiting) == 1 and len(moves) > 1 and all(ends(game, state, seat, move) for move in moves):
            yield game.copy(state), seat
        game.play(state, seat, rng.choice(moves))


def ends(game: AnyGame, state: Any, seat: int, move: int) -> bool:
    after = game.copy(state)
    game.play(after, seat, move)
    return not game.to_act(after)


def counted_out(game: AnyGame, state: Any, seat: int) -> dict[int, float]:
    """The mean share of each move over worlds that the seat cannot tell apart."""
    rng = random.Random(1)
    worlds = [REDEALT[game.spec.name](game, state, seat, rng) for _ in range(WORLDS)]
    means = {}
    for move in game.legal_moves(state, seat):
        total = 0.0
        for world in worlds:
            after = game.copy(world)
            game.play(after, seat, move)
            result = game.result(after)
            assert result is not None
            total += shares(result)[seat]
        means[move] = total / WORLDS
    return means


@pytest.mark.parametrize(("ruleset", "seats"), [("artsee", 2), ("artsee", 4), ("classic_art", 2), ("classic_art", 3)])
def test_the_last_move_is_as_good_as_any(ruleset: str, seats: int) -> None:
    """To five in a hundred, as worlds are drawn at random; among them are positions where moves differ."""
    game, differing = registry()[ruleset], 0
    for number in range(60):
        for state, seat in last_decisions(game, seats, number):
            exact = counted_out(game, state, seat)
            best = searched(
                game, game.view(state, seat), list(exact), Budget(iterations=300), random.Random(number)
            ).best.move
            assert exact[best] >= max(exact.values()) - 0.05
            differing += max(exact.values()) > min(exact.values()) + 0.05
        if differing >= 3:
            return
    assert differing
