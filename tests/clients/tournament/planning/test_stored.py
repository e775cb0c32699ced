"""Plans in a journal: they come back as they were, and what differs from them is named."""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import msgspec
import pytest

from clients.tournament.pairing import Game
from clients.tournament.plan import Clocks, Entrant, Format, FormatName, Kind
from clients.tournament.planning import plan_of
from clients.tournament.planning.stored import differences, plan_from_json, plan_to_json
from tests.clients.tournament.planning.files import RIGHT, saved

START = '{"start_seat":1}'
GAMES = (
    *(Game("artsee", seats, START) for seats in (2, 3)),
    Game("art_decko", 4),
    *(Game("classic_art", seats) for seats in (2, 3, 4, 5)),
)


def test_a_plan_comes_back_as_it_was(tmp_path: Path) -> None:
    for plan in (plan_of(saved(tmp_path, RIGHT), {}), plan_of(None, {}), plan_of(None, {"--format": "ab"})):
        stored = plan_to_json(plan)
        assert plan_from_json(stored) == plan
        assert plan_to_json(plan_from_json(stored)) == stored
        assert json.loads(stored)["entrants"][0]["name"] == plan.entrants[0].name


@pytest.mark.parametrize("text", ["", "{}", "[]", '{"games": [], "entrants": [5]}'])
def test_what_is_no_plan_is_refused(text: str) -> None:
    with pytest.raises(msgspec.DecodeError):
        plan_from_json(text.encode())


@pytest.mark.parametrize("name", ["ab", "swiss"])
def test_the_order_of_entrants_counts_where_the_format_heeds_it(name: str) -> None:
    """Of an A/B test the first is tested against the second; a Swiss ranks equals by it."""
    plan = plan_of(None, {"--format": name, "--seats": [2]})
    turned = replace(plan, entrants=plan.entrants[::-1])
    told = 'entrants were in the order ["random", "greedy"], are in ["greedy", "random"]'
    assert differences(plan, turned) == [told]


def test_equal_plans_do_not_differ_whatever_the_order_of_games_and_entrants(tmp_path: Path) -> None:
    plan = plan_of(saved(tmp_path, RIGHT), {})
    turned = replace(plan, games=plan.games[::-1], entrants=plan.entrants[::-1])
    assert differences(plan, plan_of(saved(tmp_path, RIGHT), {})) == []
    assert differences(plan, turned) == []


@pytest.mark.parametrize(
    ("change", "told"),
    [
        ({"deals": 5}, ["deals was 20, is 5"]),
        ({"name": "Summer cup"}, ['name was "Winter cup", is "Summer cup"']),
        ({"independent_deals": False}, ["independent_deals was true, is false"]),
        (
            {"clocks": Clocks(500, 60_000, 500, 100, disconnect_grace_ms=30_000)},
            ["clocks.move_limit_ms was 1000, is 500", "clocks.illegal_moves was 3, is null"],
        ),
        (
            {"format": Format(FormatName.SWISS, rounds=4)},
            [
                'format.name was "gauntlet", is "swiss"',
                'format.champions was ["Alpha"], is []',
                "format.rounds was 0, is 4",
                "format.groups was 12, is 0",
            ],
        ),
        ({"games": GAMES[:-1]}, ["games.classic_art/5 is missing"]),
        ({"games": (*GAMES[1:], Game("artsee", 2))}, [f"games.{GAMES[0].name} is missing", "games.artsee/2 is new"]),
    ],
)
def test_what_differs_is_named(tmp_path: Path, change: dict[str, Any], told: list[str]) -> None:
    plan = plan_of(saved(tmp_path, RIGHT), {})
    assert differences(plan, replace(plan, **change)) == told


def test_entrants_are_compared_by_their_names(tmp_path: Path) -> None:
    plan = plan_of(saved(tmp_path, RIGHT), {})
    alpha, beta, *others = plan.entrants
    changed = (
        *others,
        replace(alpha, version="2", iterations=None),
        replace(beta, name="Delta"),
    )
    assert differences(plan, replace(plan, entrants=changed)) == [
        'entrants.Alpha.version was "1", is "2"',
        "entrants.Alpha.iterations was 500, is null",
        "entrants.Beta is missing",
        "entrants.Delta is new",
    ]
    far = Entrant("Alpha", "1", kind=Kind.REMOTE, principal_hash="0" * 64)
    assert 'entrants.Alpha.kind was "bot", is "remote"' in differences(
        plan, replace(plan, entrants=(far, beta, *others))
    )
