"""The rulesets as games of OpenSpiel, by its own tests and algorithms."""

import random
from typing import Any

import numpy as np
import pyspiel
import pytest
from open_spiel.python.algorithms import ismcts, mcts

from clients.openspiel import GAMES, PREFIX
from referee.core.game import AnyGame
from referee.games import registry
from tests.games.playouts import seed_of

EVERY = [(game.rules, seats) for game in GAMES for seats in game.rules.spec.seats]
every = pytest.mark.parametrize(("rules", "seats"), EVERY, ids=[f"{rules.spec.name}-{seats}" for rules, seats in EVERY])


def load(rules: AnyGame, seats: int) -> Any:
    return pyspiel.load_game(PREFIX + rules.spec.name, {"players": seats})


def dealt(rules: AnyGame, seats: int, seed: bytes) -> Any:
    state = load(rules, seats).new_initial_state()
    for byte in seed:
        state.apply_action(byte)
    return state


def played(state: Any, decisions: int, rng: random.Random) -> Any:
    for _ in range(decisions):
        if state.is_terminal():
            break
        state.apply_action(rng.choice(state.legal_actions()))
    return state


def test_every_ruleset_is_a_game_of_openspiel() -> None:
    """Each ruleset that is registered, also one from a plug-in, can be loaded by its name."""
    registered = {kind.short_name for kind in pyspiel.registered_games()}
    assert {PREFIX + name for name in registry()} <= registered


@every
def test_openspiel_plays_it_at_random_and_finds_no_fault(rules: AnyGame, seats: int) -> None:
    """OpenSpiel's own test of a game: masks, returns, copies and what is read back agree in random matches."""
    pyspiel.random_sim_test(load(rules, seats), num_sims=2, serialize=True, verbose=False)


@every
def test_a_match_is_the_same_match(rules: AnyGame, seats: int) -> None:
    """With the seed as the deal, each decision has the moves that the rules give, and the winners are the rules'."""
    state = dealt(rules, seats, seed_of(3))
    own = rules.setup(rules.options({}, seats), seats, seed_of(3))
    while waiting := rules.to_act(own):
        seat = min(waiting)
        legal = rules.legal_moves(own, seat)
        assert (seat, sorted(legal)) == (state.current_player(), state.legal_actions())
        move = legal[len(legal) // 2]
        rules.play(own, seat, move)
        state.apply_action(move)
    outcome = rules.result(own)
    assert outcome is not None
    winners = [seat for seat, rank in enumerate(outcome.ranks) if rank == 1]
    assert state.is_terminal()
    assert sum(state.returns()) == pytest.approx(0)
    assert [seat for seat, won in enumerate(state.returns()) if won == max(state.returns())] == winners


@every
def test_resampling_keeps_what_a_player_knows_and_changes_the_rest(rules: AnyGame, seats: int) -> None:
    """In a resampled state its player sees the same and may do the same; of ten, some differ from the truth."""
    rng = random.Random(5)
    state = played(dealt(rules, seats, seed_of(1)), 20, rng)
    player = state.current_player()
    worlds = [state.resample_from_infostate(player, rng.random) for _ in range(10)]
    assert {state.observation_string(player)} == {world.observation_string(player) for world in worlds}
    assert all(world.legal_actions() == state.legal_actions() for world in worlds)
    assert any(str(world) != str(state) for world in worlds)


@every
def test_a_copy_goes_its_own_way(rules: AnyGame, seats: int) -> None:
    """What is played in a copy is not played in what it is a copy of."""
    state = played(dealt(rules, seats, seed_of(2)), 10, random.Random(2))
    before = str(state)
    played(state.clone(), 20, random.Random(3))
    assert str(state) == before


@pytest.mark.parametrize("rules", [game.rules for game in GAMES], ids=lambda rules: rules.spec.name)
def test_openspiels_search_plays_it(rules: AnyGame) -> None:
    """OpenSpiel's information-set search finds a legal move from what the player to act may know."""
    state = dealt(rules, 2, seed_of(4))
    chance = np.random.RandomState(1)
    bot = ismcts.ISMCTSBot(
        game=state.get_game(),
        evaluator=mcts.RandomRolloutEvaluator(1, chance),
        uct_c=2.0,
        max_simulations=5,
        random_state=chance,
        use_observation_string=True,
        allow_inconsistent_action_sets=True,
    )
    assert bot.step(state) in state.legal_actions()


def test_a_wrong_number_of_players_is_told() -> None:
    """The error names the number, the game and what it is for."""
    with pytest.raises(ValueError, match=r"players is 7, ArtSee is for 2, 3, 4, 5"):
        pyspiel.load_game(PREFIX + "artsee(players=7)")


def test_nothing_is_seen_before_the_deal_is_over() -> None:
    """While bytes of the seed are drawn, nobody sees any of them, and no world can be resampled."""
    state = pyspiel.load_game(PREFIX + "classic_art").new_initial_state()
    state.apply_action(200)
    assert state.observation_string(0) == ""
    with pytest.raises(ValueError, match="1 of the 32 bytes of the seed are drawn"):
        state.resample_from_infostate(0, random.random)
