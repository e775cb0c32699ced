"""The bot answers with a legal move whatever it is asked, in time, and the same way again."""

import gc
import random
import time
from collections.abc import Iterator
from typing import Any

import pytest

from artreferee.v1 import match_pb2, ruleset_pb2
from clients.bots.load import BotNotFoundError, load_bot
from clients.bots.search import Analysis, SearchBot
from clients.bots.search.bot import bounded, searched
from clients.bots.search.knowing import knowledge_of
from clients.sdk import Budget
from referee.core.game import AnyGame
from referee.games import registry
from referee.wire import wires
from tests.games.playouts import dealt, samples, steps

RULESETS = ["art_decko", "artsee", "classic_art"]
EVERY_TABLE = [(ruleset, seats) for ruleset in RULESETS for seats in registry()[ruleset].spec.seats]


def legal(game: AnyGame, state: Any, seat: int) -> list[match_pb2.LegalMove]:
    return [match_pb2.LegalMove(index=at, id=move) for at, move in enumerate(game.legal_moves(state, seat))]


def found(ruleset: str, state: Any, seat: int, budget: Budget, seed: int = 1) -> Analysis:
    game = registry()[ruleset]
    view = wires()[ruleset].view(game.view(state, seat))
    return SearchBot().search(view, legal(game, state, seat), budget, random.Random(seed))


def questions(ruleset: str, seats: int, number: int, one_in: int) -> Iterator[tuple[Any, int]]:
    """Positions of a random match, each with a seat that is to act."""
    game = registry()[ruleset]
    for state in samples(game, seats, number, one_in):
        for seat in game.to_act(state):
            yield state, seat


@pytest.mark.parametrize(("ruleset", "seats"), EVERY_TABLE)
def test_the_move_is_legal_and_all_moves_are_judged(ruleset: str, seats: int) -> None:
    game = registry()[ruleset]
    for state, seat in questions(ruleset, seats, seats, one_in=25):
        analysis = found(ruleset, state, seat, Budget(iterations=6))
        assert analysis.seat == seat
        assert sorted(candidate.move for candidate in analysis.candidates) == sorted(game.legal_moves(state, seat))
        for candidate in analysis.candidates:
            assert len(candidate.values) == (seats if candidate.visits else 0)
            assert sum(candidate.values) == pytest.approx(1.0 if candidate.visits else 0.0)
            assert candidate.line[0] == (seat, candidate.move)


@pytest.mark.parametrize("ruleset", RULESETS)
def test_with_one_move_there_is_nothing_to_search(ruleset: str) -> None:
    game, met = registry()[ruleset], 0
    for step in steps(game, 3, 5):
        if len(game.legal_moves(step.before, step.seat)) == 1:
            met += 1
            assert found(ruleset, step.before, step.seat, Budget(iterations=50)).iterations == 0
    assert met or ruleset == "classic_art"


@pytest.mark.parametrize("ruleset", RULESETS)
def test_the_same_view_and_seed_give_the_same_analysis(ruleset: str) -> None:
    for state, seat in questions(ruleset, 2, 3, one_in=60):
        once, again = (found(ruleset, state, seat, Budget(iterations=40), seed=7) for _ in range(2))
        assert once.candidates == again.candidates
        assert once.iterations == again.iterations


@pytest.mark.parametrize("ruleset", RULESETS)
def test_a_budget_of_five_milliseconds_is_kept(ruleset: str) -> None:
    """By processor time, as other processes may keep this one waiting: not 10 ms more at any position."""
    game = registry()[ruleset]
    bot, wire = SearchBot(), wires()[ruleset]
    for state, seat in questions(ruleset, 2, 4, one_in=15):
        view, moves = wire.view(game.view(state, seat)), legal(game, state, seat)
        start = time.thread_time()
        assert bot.choose(view, moves, Budget(seconds=0.005), random.Random(1)) in moves
        assert time.thread_time() - start < 0.015


@pytest.mark.parametrize("ruleset", RULESETS)
def test_the_collector_of_garbage_lets_a_search_finish(ruleset: str) -> None:
    """At its end alone it looks at what is new: to look at all that a process has may take longer than a move."""
    game, seen = registry()[ruleset], list[int]()
    state = dealt(game, 2, 1)
    view, moves = game.view(state, state.turn), game.legal_moves(state, state.turn)

    def note(phase: str, about: dict[str, int]) -> None:
        if phase == "start":
            seen.append(about["generation"])

    thresholds = gc.get_threshold()
    gc.collect()
    gc.set_threshold(thresholds[0], 1, 1)
    gc.callbacks.append(note)
    try:
        searched(game, view, moves, Budget(iterations=200), random.Random(1))
    finally:
        gc.callbacks.remove(note)
        gc.set_threshold(*thresholds)
    assert seen == [0]
    assert gc.isenabled()


@pytest.mark.parametrize("ruleset", RULESETS)
def test_without_any_time_it_does_what_is_rated_best(ruleset: str) -> None:
    """It draws no world, however long that would take."""
    game = registry()[ruleset]
    for state, seat in questions(ruleset, 2, 6, one_in=40):
        view, moves = game.view(state, seat), game.legal_moves(state, seat)
        analysis = found(ruleset, state, seat, Budget(seconds=0.0))
        rated = knowledge_of(game).ratings(view, moves)
        assert rated is not None
        ratings = dict(zip(moves, rated, strict=True))
        assert analysis.iterations == 0
        assert ratings[analysis.best.move] == pytest.approx(max(ratings.values()))


def test_iterations_are_counted() -> None:
    state = dealt(registry()["artsee"], 2, 1)
    analysis = found("artsee", state, state.turn, Budget(iterations=30))
    assert analysis.iterations == 30
    assert sum(candidate.visits for candidate in analysis.candidates) == 30


def test_without_a_budget_it_takes_its_own() -> None:
    class Quick(SearchBot):
        budget = Budget(iterations=11)

    game = registry()["artsee"]
    state = dealt(game, 2, 1)
    view = wires()["artsee"].view(game.view(state, state.turn))
    analysis = Quick().search(view, legal(game, state, state.turn), Budget(), random.Random(1))
    assert analysis.iterations == 11


@pytest.mark.parametrize(
    ("budget", "seconds"),
    [
        (Budget(seconds=0.5), 0.5),
        (Budget(seconds=0.5, clock=10.0), 0.5),
        (Budget(seconds=0.5, clock=1.0), 0.25),
        (Budget(seconds=0.1, iterations=9, clock=0.1), 0.025),
        (Budget(iterations=9), None),
    ],
)
def test_of_its_clock_it_takes_but_a_quarter(budget: Budget, seconds: float | None) -> None:
    """So that it never runs out of time; limits that leave more are kept as they are."""
    assert bounded(budget, Budget(seconds=9.0)).seconds == seconds
    assert bounded(budget, Budget(seconds=9.0)).iterations == budget.iterations


def test_a_lost_position_is_played_on() -> None:
    """No move wins any more: the other is at the end of every track, and this is the last season."""
    game = registry()["classic_art"]
    state = dealt(game, 2, 1)
    state.prestige[5:] = bytes([10] * 5)
    state.max_seasons, state.turn = 1, 0
    analysis = found("classic_art", state, 0, Budget(iterations=100))
    assert analysis.best.values == pytest.approx((0.0, 1.0), abs=0.01)


def test_names_tell_of_limits() -> None:
    assert load_bot("mcts") is SearchBot
    for name, budget in (("mcts@50ms", Budget(seconds=0.05)), ("mcts@400", Budget(iterations=400))):
        bot: Any = load_bot(name)
        assert (bot.name, bot.budget) == (name, budget)
        assert issubclass(bot, SearchBot)


@pytest.mark.parametrize("name", ["mcts@", "mcts@0", "mcts@5s", "greedy@50ms", "mcts@-1"])
def test_other_limits_are_unknown(name: str) -> None:
    with pytest.raises(BotNotFoundError, match="there is no bot"):
        load_bot(name)


def test_a_view_of_another_ruleset_is_refused_in_words() -> None:
    with pytest.raises(ValueError, match="a view of no ruleset"):
        SearchBot().search(ruleset_pb2.View(), [match_pb2.LegalMove()], Budget(), random.Random(1))


def test_all_chance_comes_from_the_generator_that_is_given() -> None:
    """The one of the module stays as it is."""
    before = random.getstate()
    state = dealt(registry()["art_decko"], 2, 1)
    found("art_decko", state, state.turn, Budget(iterations=20))
    assert random.getstate() == before
