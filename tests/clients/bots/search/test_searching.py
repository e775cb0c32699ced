"""What a search finds in games of which one knows what is best."""

import random
from collections.abc import Sequence
from functools import cache
from typing import Any

import pytest

from clients.bots.search import Analysis, Step, searched
from clients.bots.search.knowledge import Deadline, NoKnowledge, Settings
from clients.bots.search.searching import Search
from clients.sdk import Budget
from tests.clients.bots.search.toys import Toy
from tests.plugin.pebbles import Pebbles, Pile

MANY = 3_000


def analysed(game: Any, state: Any, seat: int, iterations: int = MANY) -> Analysis:
    view, moves = game.view(state, seat), game.legal_moves(state, seat)
    return searched(game, view, moves, Budget(iterations=iterations), random.Random(1))


def value(analysis: Analysis, move: int) -> float:
    (candidate,) = (candidate for candidate in analysis.candidates if candidate.move == move)
    return candidate.values[analysis.seat]


def pennies(moves: Sequence[Sequence[int]]) -> tuple[int, int]:
    """Seat 1 wins if both chose the same in the last stage that has two moves."""
    ((one, other),) = (stage for stage in moves if len(stage) == 2)
    return (0, 1) if one == other else (1, 0)


@pytest.mark.parametrize("seat", [0, 1])
def test_a_sealed_choice_is_not_answered_by_one_who_cannot_see_it(seat: int) -> None:
    """Could seat 1 see what seat 0 chose, it would always win; so each move is about even for both."""
    game = Toy(2, [(0, 1)], pennies)
    state = game.setup({}, 2, bytes(32))
    if seat:
        game.play(state, 0, 1)
    analysis = analysed(game, state, seat)
    assert [value(analysis, move) for move in (0, 1)] == pytest.approx([0.5, 0.5], abs=0.12)


def test_a_choice_that_is_sealed_below_the_root_is_not_answered_either() -> None:
    game = Toy(2, [(0,), (0, 1)], pennies)
    analysis = analysed(game, game.setup({}, 2, bytes(32)), 0)
    assert [value(analysis, move) for move in (0, 1)] == pytest.approx([0.5, 0.5], abs=0.12)


def test_a_move_in_secret_opens_no_branches() -> None:
    """Seat 0 hides a pebble in one of four hands, seat 1 guesses: right once in four times, not always."""
    game = Toy(
        2,
        [(1,), (0,), (1,)],
        lambda moves: (0, 1) if moves[1] == moves[2] else (1, 0),
        choices=4,
        secret=[1],
    )
    analysis = analysed(game, game.setup({}, 2, bytes(32)), 1)
    assert max(value(analysis, move) for move in range(4)) < 0.4


def test_the_same_game_with_open_hands_is_won_by_guessing() -> None:
    game = Toy(2, [(1,), (0,), (1,)], lambda moves: (0, 1) if moves[1] == moves[2] else (1, 0), choices=4)
    analysis = analysed(game, game.setup({}, 2, bytes(32)), 1)
    assert value(analysis, analysis.best.move) > 0.8


def three_in_turn(moves: Sequence[Sequence[int]]) -> tuple[int, int, int]:
    """0 gives seat 1 the choice to win itself or to let seat 2 win; 1 gives seat 2 the choice between seats 0 and 1."""
    (first,), (second,), (third,) = moves[:3]
    if first == 0:
        return (0, 1, 0) if second == 1 else (0, 0, 1)
    return (2, 1, 3) if third == 1 else (1, 0, 0)


def test_each_of_three_seats_goes_for_its_own_chance() -> None:
    """After 0 seat 1 wins, after 1 seat 2 does: nobody plays for or against others (max^n)."""
    game = Toy(3, [(0,), (1,), (2,)], three_in_turn)
    analysis = analysed(game, game.setup({}, 3, bytes(32)), 0)
    after = {candidate.move: candidate.values for candidate in analysis.candidates}
    assert after[0][1] > 0.8
    assert after[1][2] > 0.8
    assert all(sum(values) == pytest.approx(1.0) for values in after.values())


def test_the_line_tells_what_is_expected() -> None:
    """Seat 0 takes 1, then seat 1 cannot but lose; of what is chosen in secret nothing is told."""
    game = Toy(2, [(0,), (1,)], lambda moves: (moves[0][0], 0))
    best = analysed(game, game.setup({}, 2, bytes(32)), 0).best
    assert best.line[0] == Step(0, 1)
    assert [step.seat for step in best.line] == [0, 1]
    hidden = Toy(2, [(0, 1)], pennies)
    assert [step.seat for step in analysed(hidden, hidden.setup({}, 2, bytes(32)), 0).best.line] == [0]


def test_opponents_that_do_not_search_make_any_sensible_move() -> None:
    """Seat 1 wins by one of its moves, so it always wins if it searches, and every other time if it does not."""
    game = Toy(2, [(0,), (1,)], lambda moves: (1 - moves[1][0], moves[1][0]))
    state = game.setup({}, 2, bytes(32))
    search = Search(
        game, NoKnowledge(game, Settings(opponents=False)), game.view(state, 0), 0, (0, 1), random.Random(1)
    )
    search.run(MANY, Deadline())
    best = search.analysis(0.0).best
    assert best.values == pytest.approx((0.5, 0.5), abs=0.1)
    assert best.line == (Step(0, best.move),)
    assert max(analysed(game, state, 0).best.values) > 0.8


def exact(left: int, own: int, taken: tuple[int, int], move: int) -> float:
    """The chance of whoever moves in Pebbles: its own and its opponent's taken, its hidden pebbles, its move.

    What the opponent hides is 1, 2 or 3 as likely; it takes what is best for it, knowing as little of the mover.
    """
    after, mine = left - move - 1, taken[0] + move + 1
    chances = []
    for hidden in (1, 2, 3):
        if after:
            reply = best_takes(after, hidden, (taken[1], mine))
            chances += [continued(after, own, hidden, (mine, taken[1]), move) for move in reply]
        else:
            chances.append(share(own + mine, hidden + taken[1]))
    return sum(chances) / len(chances)


def continued(left: int, own: int, hidden: int, taken: tuple[int, int], reply: int) -> float:
    """The chance of who has moved when the other, who hides so much, replies."""
    after, others = left - reply - 1, taken[1] + reply + 1
    if not after:
        return share(own + taken[0], hidden + others)
    moves = best_takes(after, own, (taken[0], others))
    back = [continued(after, hidden, own, (others, taken[0]), move) for move in moves]
    return 1 - sum(back) / len(back)


def share(own: int, other: int) -> float:
    return 0.5 + 0.5 * ((own > other) - (own < other))


@cache
def best_takes(left: int, own: int, taken: tuple[int, int]) -> list[int]:
    chances = {move: exact(left, own, taken, move) for move in range(min(3, left))}
    return [move for move, chance in chances.items() if chance == max(chances.values())]


@pytest.mark.parametrize("left", [2, 3, 4, 5, 6])
@pytest.mark.parametrize("own", [1, 3])
def test_a_small_game_is_played_as_well_as_can_be(left: int, own: int) -> None:
    """Of Pebbles, which no knowledge is of, every chance was worked out move by move."""
    game = Pebbles()
    taken = [(9 - left) // 2, 9 - left - (9 - left) // 2]
    analysis = analysed(game, Pile("", [own, 2], taken, left, 0), 0)
    chances = [exact(left, own, (taken[0], taken[1]), move) for move in range(min(3, left))]
    assert chances[analysis.best.move] >= max(chances) - 0.02
