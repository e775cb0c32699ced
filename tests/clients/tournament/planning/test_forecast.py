"""Outlines of tournaments, and trials: what they count, and what a bot may do to them."""

import time
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from clients.tournament.pairing import Game
from clients.tournament.plan import Clocks, Entrant, Kind, Plan
from clients.tournament.planning import plan_of
from clients.tournament.planning.forecast import MOVE_S, START_S, Elsewhere, forecast
from clients.tournament.planning.outline import outline
from clients.tournament.planning.trial import trials

TWO = Game("artsee", 2)
BOTS = """\
import time

class Bot:
    name, version = "bot", "1"
    def choose(self, view, legal_moves, budget, rng):
        assert legal_moves[0].text and view.artsee
        return legal_moves[0]

class Sleeper(Bot):
    def choose(self, view, legal_moves, budget, rng):
        while True:
            try:
                time.sleep(1000)
            except Exception:
                pass

class Steady(Bot):
    def choose(self, view, legal_moves, budget, rng):
        began = time.perf_counter()
        while time.perf_counter() < began + 0.004:
            pass
        return legal_moves[0]

class Obedient(Bot):
    def choose(self, view, legal_moves, budget, rng):
        assert (budget.seconds, budget.iterations) == (0.5, 7)
        return legal_moves[0]

class Broken(Bot):
    def choose(self, view, legal_moves, budget, rng):
        raise RuntimeError("out of ideas")

class Cheat(Bot):
    def choose(self, view, legal_moves, budget, rng):
        return type(legal_moves[0])(index=0, id=99999)
"""


def bot(folder: Path, kind: str, **budget: Any) -> Entrant:
    (folder / "bots.py").write_text(BOTS)
    return Entrant(kind, bot=f"{folder / 'bots.py'}:{kind}", **budget)


def plan(*entrants: Entrant, **rest: Any) -> Plan:
    return Plan((TWO,), entrants, **rest)


RANDOM = Entrant("random", bot="random")
FAR = Entrant("far", kind=Kind.REMOTE, principal_hash="0" * 64)


@pytest.mark.parametrize(
    ("flags", "rounds", "matches"),
    [
        ({"--seats": [2]}, 1, {2: 3 * 6 * 2}),  # three pairs on six deals, in two rotations
        ({"--seats": [2, 3]}, 1, {2: 3 * 6 * 2, 3: 2 * 6 * 3}),  # and a group of three in two seatings
        ({"--seats": [2], "--format": "gauntlet", "--champion": ["greedy"]}, 1, {2: 2 * 6 * 2}),
        ({"--seats": [2], "--format": "swiss", "--rounds": 3}, 3, {2: 3 * 6 * 2}),  # a pair a round
    ],
)
def test_an_outline_counts_all_that_can_come(flags: dict[str, Any], rounds: int, matches: dict[int, int]) -> None:
    entrants = ["greedy", "random", "random"]
    found = outline(plan_of(None, {"--ruleset": ["artsee"], "--deals": 6, "--entrants": entrants, **flags}))
    assert found.rounds == rounds
    assert {game.seats: count for game, count in found.matches.items()} == matches
    assert found.total == sum(matches.values())
    assert found.exact


def test_an_a_b_test_that_is_never_decided_plays_all_its_deals() -> None:
    """Twenty deals by eight: three rounds, of two matches a deal at two seats, of two groups of three at three."""
    flags = {"--ruleset": ["artsee"], "--seats": [2, 3], "--format": "ab", "--deals": 20, "--batch": 8}
    found = outline(plan_of(None, flags))
    assert (found.rounds, found.exact) == (3, False)
    assert {game.seats: count for game, count in found.matches.items()} == {2: 20 * 2, 3: 20 * 2 * 3}
    assert len(found.first.groups) == 8 + 8 * 2


def test_all_rounds_tell_who_plays_how_often() -> None:
    """Of three at two seats another one sits out in each of three rounds: two rounds of two matches for each."""
    flags = {"--ruleset": ["artsee"], "--seats": [2], "--format": "swiss", "--rounds": 3, "--deals": 1}
    found = outline(plan_of(None, {**flags, "--entrants": ["random", "random", "random"]}))
    assert {name: count for (_, name), count in found.seats.items()} == {"random": 4, "random 2": 4, "random 3": 4}


def test_a_trial_counts_decisions_and_measures_thinking(tmp_path: Path) -> None:
    """A bot that thinks for 4 ms takes 4 ms, and whoever takes the other seat does not add to it."""
    trial = trials([TWO], [bot(tmp_path, "Steady"), RANDOM], Clocks(), 1.0)[TWO]
    steady = trial.thinking["Steady"]
    assert trial.matches >= 1
    assert trial.decisions >= steady.decisions + trial.thinking["random"].decisions
    assert 0.004 <= steady.seconds / steady.decisions < 0.4
    assert (steady.failure, steady.cut) == ("", False)
    assert trial.thinking["random"].decisions > 0


def test_a_bot_that_never_answers_is_stopped(tmp_path: Path) -> None:
    began = time.monotonic()
    trial = trials([TWO], [bot(tmp_path, "Sleeper"), RANDOM], Clocks(), 0.5)[TWO]
    sleeper = trial.thinking["Sleeper"]
    assert time.monotonic() - began < 10
    assert (sleeper.decisions, sleeper.cut, sleeper.failure) == (1, True, "")
    assert 0.4 < sleeper.seconds < 10


@pytest.mark.parametrize(
    ("kind", "failure"),
    [
        ("Broken", "raised RuntimeError: out of ideas"),
        ("Cheat", "chose id: 99999, which is none of the legal moves"),
    ],
)
def test_what_is_wrong_with_a_bot_is_told(tmp_path: Path, kind: str, failure: str) -> None:
    """It is asked no more after that."""
    trial = trials([TWO], [bot(tmp_path, kind), RANDOM], Clocks(), 0.2)[TWO]
    assert (trial.thinking[kind].failure, trial.thinking[kind].decisions) == (failure, 1)


def test_a_bot_has_its_budget_within_its_clock(tmp_path: Path) -> None:
    limited = bot(tmp_path, "Obedient", seconds=3.0, iterations=7)
    assert trials([TWO], [limited, RANDOM], Clocks(move_limit_ms=500), 0.2)[TWO].thinking["Obedient"].failure == ""
    assert trials([TWO], [limited, RANDOM], Clocks(bank_ms=500), 0.2)[TWO].thinking["Obedient"].failure == ""


def test_each_bot_has_a_seat_in_each_game() -> None:
    entrants = [Entrant(name, bot="random") for name in "abcde"]
    games = [TWO, Game("classic_art", 4)]
    for trial in trials(games, entrants, Clocks(), 0.5).values():
        assert set(trial.thinking) == set("abcde")


def test_a_forecast_rests_on_thinking_and_on_what_a_move_costs_besides(tmp_path: Path) -> None:
    """Of a bot that thinks 4 ms a move and one that does not think: at least the thinking, at most all in turn."""
    wanted = plan(bot(tmp_path, "Steady"), RANDOM, deals=100)
    told = forecast(wanted, outline(wanted), 1.0)
    thinking = told.thinking["Steady"].seconds / told.thinking["Steady"].decisions * told.decisions / 2
    assert told.decisions > 200 * 40
    assert told.least_s >= START_S + thinking * 0.99
    assert told.most_s == pytest.approx(START_S + thinking + told.decisions * MOVE_S, rel=0.05)
    assert told.waiting_s == 0


def test_bots_elsewhere_leave_the_cores_here_to_all_else(tmp_path: Path) -> None:
    """Two processes of the one that thinks share its matches, and do so at once, as there are cores enough."""
    wanted = plan(bot(tmp_path, "Steady"), RANDOM, deals=100)
    told = forecast(wanted, outline(wanted), 1.0, Elsewhere(workers=2, cores=3))
    thinking = told.thinking["Steady"].seconds / told.thinking["Steady"].decisions * told.decisions / 2
    assert told.least_s == pytest.approx(START_S + thinking / 2, rel=0.05)
    assert told.most_s == pytest.approx(START_S + thinking / 2 + told.decisions * MOVE_S, rel=0.05)


def test_entrants_that_are_alike_are_tried_as_one() -> None:
    wanted = plan(RANDOM, replace(RANDOM, name="again"), replace(RANDOM, name="other", iterations=5))
    told = forecast(wanted, outline(wanted), 1.0).thinking
    assert told["random"] == told["again"]
    assert told["random"] != told["other"]


@pytest.mark.parametrize(
    ("clocks", "waiting_s"),
    [
        (Clocks(bank_ms=2000), 8 * 2 / 4),  # the far one's bank in eight matches, four at once
        (Clocks(), None),
    ],
)
def test_what_others_than_bots_need_only_clocks_limit(clocks: Clocks, waiting_s: float | None) -> None:
    wanted = plan(RANDOM, FAR, deals=4, clocks=clocks, concurrency=4)
    assert forecast(wanted, outline(wanted), 0.1).waiting_s == waiting_s


def test_a_limit_a_move_bounds_them_too() -> None:
    wanted = plan(RANDOM, FAR, deals=4, clocks=Clocks(move_limit_ms=1000, margin_ms=500), concurrency=1)
    told = forecast(wanted, outline(wanted), 0.1)
    assert told.waiting_s == pytest.approx(1.5 * told.decisions / 2, rel=0.01)
