"""Flags make a plan as a file does, and override one."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from clients.tournament.pairing import Game
from clients.tournament.plan import Clocks, Entrant, Format, FormatName, Plan
from clients.tournament.planning import PlanError, plan_of
from tests.clients.tournament.planning.files import RIGHT, WRONG, saved

GREEDY = Entrant("greedy", "1", bot="greedy")
RANDOM = Entrant("random", "1", bot="random")


def test_without_flags_random_meets_greedy_in_every_game() -> None:
    seats = {"art_decko": (2, 3, 4), "artsee": (2, 3, 4, 5), "classic_art": (2, 3, 4, 5)}
    games = tuple(Game(ruleset, number) for ruleset, numbers in seats.items() for number in numbers)
    assert plan_of(None, {}) == Plan(games, (RANDOM, GREEDY))


def test_seats_alone_are_those_of_every_ruleset() -> None:
    games = tuple(Game(ruleset, seats) for ruleset in ("art_decko", "artsee", "classic_art") for seats in (2, 3))
    assert plan_of(None, {"--seats": [2, 3]}).games == games


def test_flags_alone_are_a_plan() -> None:
    flags = {
        "--name": "Cup",
        "--ruleset": ["artsee", "classic_art"],
        "--seats": [2, 3],
        "--entrants": ["greedy", "random"],
        "--deals": 7,
        "--seed": "text",
        "--concurrency": 3,
        "--independent-deals": True,
        "--format": "ab",
        "--elo0": -5.0,
        "--elo1": 5.0,
        "--alpha": 0.01,
        "--beta": 0.1,
        "--batch": 4,
        "--move-limit": 1000,
        "--bank": 5000,
        "--increment": 100,
        "--margin": 50,
        "--illegal-moves": 0,
        "--disconnect-grace": 9000,
    }
    assert plan_of(None, flags) == Plan(
        name="Cup",
        games=tuple(Game(ruleset, seats) for ruleset in ("artsee", "classic_art") for seats in (2, 3)),
        entrants=(GREEDY, RANDOM),
        deals=7,
        seed="text",
        concurrency=3,
        independent_deals=True,
        format=Format(FormatName.AB, elo0=-5, elo1=5, alpha=0.01, beta=0.1, batch=4),
        clocks=Clocks(1000, 5000, 100, 50, 0, 9000),
    )


def test_bots_of_one_name_get_numbers() -> None:
    entrants = plan_of(None, {"--entrants": ["greedy", "random", "greedy", "greedy"]}).entrants
    assert [entrant.name for entrant in entrants] == ["greedy", "random", "greedy 2", "greedy 3"]


CUP = """\
deals = 3
[format]
name = "gauntlet"
champions = ["greedy"]
groups = 4
[[games]]
ruleset = "artsee"
options = { start_seat = 1 }
[[games]]
ruleset = "classic_art"
seats = 4
[[entrants]]
bot = "greedy"
[[entrants]]
bot = "random"
"""
START = '{"start_seat":1}'
PLAN = Plan(
    games=(*(Game("artsee", seats, START) for seats in (2, 3, 4, 5)), Game("classic_art", 4)),
    entrants=(GREEDY, RANDOM),
    deals=3,
    format=Format(FormatName.GAUNTLET, champions=("greedy",), groups=4),
)


@pytest.mark.parametrize(
    ("flags", "plan"),
    [
        ({}, PLAN),
        ({"--deals": 5}, replace(PLAN, deals=5)),
        ({"--move-limit": 9}, replace(PLAN, clocks=Clocks(move_limit_ms=9))),
        ({"--groups": 1}, replace(PLAN, format=replace(PLAN.format, groups=1))),
        ({"--champion": ["random"]}, replace(PLAN, format=replace(PLAN.format, champions=("random",)))),
        ({"--format": "gauntlet"}, PLAN),
        ({"--format": "round-robin"}, replace(PLAN, format=Format())),
        ({"--format": "round-robin", "--groups": 2}, replace(PLAN, format=Format(groups=2))),
        ({"--ruleset": ["artsee"]}, replace(PLAN, games=tuple(Game("artsee", seats) for seats in (2, 3, 4, 5)))),
        ({"--seats": [2]}, replace(PLAN, games=(Game("artsee", 2, START), Game("classic_art", 2)))),
        (
            {"--entrants": ["greedy", "greedy"]},
            replace(PLAN, entrants=(GREEDY, replace(GREEDY, name="greedy 2"))),
        ),
    ],
)
def test_flags_override_a_file(tmp_path: Path, flags: dict[str, Any], plan: Plan) -> None:
    """Another format does away with all that the file says of its own."""
    assert plan_of(saved(tmp_path, CUP), flags) == plan


@pytest.mark.parametrize(
    ("flags", "faults"),
    [
        ({"--deals": 0}, ["--deals: deals is 0, expected a whole number from 1 to 100000"]),
        ({"--ruleset": ["artse"]}, ["--ruleset: there is no ruleset 'artse'; did you mean 'artsee'?"]),
        (
            {"--ruleset": ["art_decko"], "--seats": [2, 5]},
            ["--seats: art_decko is for 2 to 4 seats, not 5"],
        ),
        (
            {"--entrants": ["gready", "random"]},
            [
                "--entrants: entrants.bot is no bot: there is no bot 'gready': "
                "expected greedy, mcts, random, mcts@50ms or FILE.py:CLASS"
            ],
        ),
        (
            {"--entrants": ["random"]},
            ["--entrants: a tournament is between two entrants or more, here are 1"],
        ),
        ({"--rounds": 3}, ["--rounds: the format round-robin has no 'rounds'; did you mean 'groups'?"]),
        ({"--format": "gauntlet"}, ["--format: a gauntlet needs champions, who meet all others"]),
        (
            {"--format": "gauntlet", "--champion": ["greedi"]},
            ["--champion: the champion 'greedi' is no entrant; did you mean 'greedy'?"],
        ),
        (
            {"--increment": 5, "--margin": -1},
            [
                "--increment: clocks.increment_ms is given without bank_ms, to which it is added",
                "--margin: clocks.margin_ms is given without move_limit_ms or bank_ms",
                "--margin: clocks.margin_ms is -1, expected a whole number from 0 to 10000",
            ],
        ),
    ],
)
def test_a_fault_of_flags_is_told_with_the_flag(flags: dict[str, Any], faults: list[str]) -> None:
    with pytest.raises(PlanError) as error:
        plan_of(None, flags)
    assert sorted(str(error.value).splitlines()) == sorted(faults)


def test_a_flag_mends_a_fault_of_the_file(tmp_path: Path) -> None:
    file = saved(tmp_path, RIGHT.replace("deals = 20", "deals = 'many'"))
    assert plan_of(file, {"--deals": 2}).deals == 2


def test_flags_and_lines_are_told_together(tmp_path: Path) -> None:
    """A flag is put into no table that is none; that is told of the file."""
    file = saved(tmp_path, "clocks = 1\n" + CUP)
    with pytest.raises(PlanError) as error:
        plan_of(file, {"--deals": 0, "--move-limit": 5})
    assert str(error.value).splitlines() == [
        "--deals: deals is 0, expected a whole number from 1 to 100000",
        f"{file}:1: clocks is 1, expected a table",
    ]


def test_flags_over_a_file_full_of_faults_add_theirs(tmp_path: Path) -> None:
    file = saved(tmp_path, WRONG)
    with pytest.raises(PlanError) as error:
        plan_of(file, {"--seats": [9], "--batch": 0})
    told = str(error.value).splitlines()
    assert "--seats: artsee is for 2 to 5 seats, not 9" in told
    assert "--batch: the format gauntlet has no 'batch'; known are name, champions and groups" in told
    assert f"{file}:22: there is no ruleset 'artse'; did you mean 'artsee'?" in told
