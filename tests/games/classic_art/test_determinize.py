"""Drawn worlds are as likely as the deals behind them, counted out in a game of fifteen cards of two kinds."""

import random
from collections import Counter
from collections.abc import Callable, Sequence
from itertools import combinations
from math import sqrt

import pytest

from referee.games.classic_art.game import ClassicArt
from referee.games.classic_art.state import Phase, State
from tests.games.classic_art.components import tiny
from tests.games.playouts import dealt, play_out

TINY = ClassicArt(tiny())
DRAWS = 5_000
World = tuple[Sequence[int], ...]


def unseen_by_seat_0(state: State) -> list[int]:
    """The cards that it neither holds nor has seen: 8 Artworks and 7 Loans less those."""
    seen = [sum(state.played[kind::2]) + state.hands[kind] for kind in (0, 1)]
    return [0] * (8 - seen[0]) + [1] * (7 - seen[1])


def world_of(state: State) -> World:
    """Hand and choice of seat 1, House in order, cards out of play."""
    return bytes(state.hands[2:]), bytes(state.chosen[1:]), bytes(state.house), bytes(state.deck)


def worlds(unseen: list[int], hand: int, house: int, committed: bool) -> Counter[World]:
    """How many orders of the unseen cards make each world; who has committed chose any two of its three."""
    counted = Counter[World]()
    for loans in combinations(range(len(unseen)), unseen.count(1)):
        order = [int(place in loans) for place in range(len(unseen))]
        held, waiting, rest = order[:hand], order[hand : hand + house], order[hand + house :]
        pair = sorted(held[:2])
        chosen = {(0, 0): 1, (0, 1): 2, (1, 1): 3}[pair[0], pair[1]] if committed else 0
        counts = bytes([held.count(0), held.count(1)])
        counted[counts, bytes([chosen]), bytes(waiting), bytes([rest.count(0), rest.count(1)])] += 1
    return counted


def assert_as_likely(state: State, expected: Counter[World]) -> None:
    """Chi-square, six standard deviations wide."""
    rng, view = random.Random(7), TINY.view(state, 0)
    drawn = Counter(world_of(TINY.determinize(view, rng)) for _ in range(DRAWS))
    assert drawn.keys() <= expected.keys()
    share = DRAWS / expected.total()
    distance = sum((drawn[world] - count * share) ** 2 / (count * share) for world, count in expected.items())
    freedom = len(expected) - 1
    assert distance <= freedom + 6 * sqrt(2 * freedom)


def at_the_start(number: int) -> State:
    state: State = dealt(TINY, 2, number)
    return state


def at_the_final_turn(number: int) -> State:
    state, rng = at_the_start(number), random.Random(number)
    while state.phase != Phase.FINAL:
        TINY.play(state, state.turn, rng.choice(TINY.legal_moves(state, state.turn)))
    return state


def while_the_other_has_committed(number: int) -> State:
    state = at_the_final_turn(number)
    TINY.play(state, 1, TINY.legal_moves(state, 1)[0])
    return state


@pytest.mark.parametrize("number", range(3))
@pytest.mark.parametrize("position", [at_the_start, at_the_final_turn, while_the_other_has_committed])
def test_worlds_are_as_likely_as_the_deals_behind_them(position: Callable[[int], State], number: int) -> None:
    """The truth is among them; nothing else that the viewer knows makes one likelier."""
    state = position(number)
    hand = sum(state.hands[2:])
    expected = worlds(unseen_by_seat_0(state), hand, len(state.house), state.chosen[1] > 0)
    assert world_of(state) in expected
    assert_as_likely(state, expected)


def test_every_world_of_a_tiny_game_can_be_played_to_its_end() -> None:
    state, rng = at_the_start(1), random.Random(1)
    seen = set()
    for _ in range(200):
        world = TINY.determinize(TINY.view(state, 0), rng)
        seen.add(world_of(world))
        play_out(TINY, world, rng)
        assert TINY.result(world) is not None
    assert len(seen) > 5
