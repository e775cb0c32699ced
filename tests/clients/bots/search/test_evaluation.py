"""The evaluations give chances that follow the rules where nothing is open, and prefer what is plainly better."""

import json
import random
from dataclasses import fields
from importlib.resources import files
from pathlib import Path
from typing import Any

import pytest

from clients.bots.search.evaluation import Decided
from clients.bots.search.knowing import evaluation_of
from clients.bots.search.knowledge import shares
from clients.bots.search.train import played
from clients.bots.search.weights import weights_of
from referee.core.game import Outcome
from referee.games import registry
from referee.games.classic_art.state import Phase
from tests.clients.bots.search.test_bot import EVERY_TABLE, RULESETS
from tests.games.playouts import dealt, play_out, positions, samples


@pytest.mark.parametrize(("ruleset", "seats"), EVERY_TABLE)
def test_chances_are_those_of_all_seats_together(ruleset: str, seats: int) -> None:
    evaluation, game = evaluation_of(ruleset), registry()[ruleset]
    for state in samples(game, seats, 1, one_in=10):
        packed = game.encode(state)
        values = evaluation.values(state)
        assert len(values) == seats
        assert sum(values) == pytest.approx(1.0)
        assert all(0 <= value <= 1 for value in values)
        assert game.encode(state) == packed


@pytest.mark.parametrize(("ruleset", "seats"), EVERY_TABLE)
def test_at_the_end_the_winners_share_it(ruleset: str, seats: int) -> None:
    game = registry()[ruleset]
    for number in range(3):
        last = dealt(game, seats, number)
        play_out(game, last, random.Random(number))
        result = game.result(last)
        assert result is not None
        winners = [1 / result.ranks.count(1) if rank == 1 else 0 for rank in result.ranks]
        assert evaluation_of(ruleset).values(last) == winners


def test_a_win_is_shared_by_those_who_are_first() -> None:
    assert shares(Outcome((5, 9, 9), (3, 1, 1), "COMPLETED")) == [0.0, 0.5, 0.5]


@pytest.mark.parametrize(("ruleset", "points"), [("art_decko", "vp"), ("artsee", "prestige")])
def test_more_points_are_a_better_chance(ruleset: str, points: str) -> None:
    """At every position in the second half of a match."""
    evaluation, game = evaluation_of(ruleset), registry()[ruleset]
    course = [game.copy(state) for state in positions(game, 2, 3)]
    for state in course[len(course) // 2 : -1 : 7]:
        before = evaluation.values(state)[1]
        getattr(state, points)[1] += 5
        assert evaluation.values(state)[1] > before


def test_a_marker_that_counts_is_a_better_chance() -> None:
    evaluation, game = evaluation_of("classic_art"), registry()["classic_art"]
    state: Any = dealt(game, 2, 3)
    before = evaluation.values(state)[1]
    state.prestige[6] = 8
    assert evaluation.values(state)[1] > before


def test_where_the_last_turn_ends_the_game_it_is_decided_with_it() -> None:
    """Seat 1 is at the end of every track, seat 0 at 9 of one, in the last season."""
    state: Any = dealt(registry()["classic_art"], 2, 3)
    state.prestige[:] = bytes([9, 0, 0, 0, 0, 10, 10, 10, 10, 10])
    state.phase, state.turn, state.turns_left = Phase.FINAL, -1, 0
    assert evaluation_of("classic_art").features(state) == Decided([0.0, 1.0])


@pytest.mark.parametrize("ruleset", RULESETS)
def test_what_was_learned_tells_of_its_run(ruleset: str) -> None:
    """Its command, its data and how good it is: better than chance on matches that it was not learned from."""
    learned = json.loads(files("clients.bots.search").joinpath("learned", f"{ruleset}.json").read_text())
    assert learned["command"].startswith("python -m clients.bots.search.train --seed ")
    assert learned["data_digest"] == registry()[ruleset].spec.data_digest.hex()
    assert [int(seats) for seats in learned["weights"]] == list(registry()[ruleset].spec.seats)
    for run in learned["runs"].values():
        assert run["loss_held_out"] < run["loss_by_chance"]


def test_weights_of_other_features_are_refused_in_words() -> None:
    with pytest.raises(ValueError, match=r"artsee.json has the features .*expected \['age'\]"):
        weights_of("artsee", 2, ("age",))


def test_an_odd_number_of_seats_has_the_weights_of_the_nearest() -> None:
    names = evaluation_of("art_decko").names
    assert weights_of("art_decko", 9, names) == weights_of("art_decko", 4, names)
    assert [field.name for field in fields(weights_of("art_decko", 2, names))] == ["points", "start", "end"]


@pytest.mark.parametrize("ruleset", RULESETS)
def test_the_same_seed_trains_with_the_same_samples(ruleset: str) -> None:
    assert played(ruleset, 2, "seed", 3) == played(ruleset, 2, "seed", 3)
    assert played(ruleset, 2, "seed", 3) != played(ruleset, 2, "other", 3)


def test_the_files_are_small() -> None:
    folder = Path(str(files("clients.bots.search"))) / "learned"
    assert all(file.stat().st_size < 20_000 for file in folder.glob("*.json"))
