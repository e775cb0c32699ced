"""The rungs of the ladder are tournaments that can be played, and their rows tell what these found."""

from pathlib import Path

import pytest

from clients.bots.ladder import RULESETS, Rung, row, rungs
from clients.tournament.planning import plan_of


@pytest.mark.parametrize("rung", rungs(1), ids=lambda rung: rung.folder)
def test_each_rung_is_a_plan(rung: Rung, tmp_path: Path) -> None:
    file = tmp_path / "rung.toml"
    file.write_text(rung.plan())
    plan = plan_of(file, {})
    (game,) = plan.games
    assert (game.ruleset, game.seats, plan.deals) == (rung.ruleset, rung.seats, rung.deals)
    assert [entrant.bot for entrant in plan.entrants] == [rung.better, *rung.others]
    assert plan.entrants[0].name == rung.better


def test_each_ruleset_has_all_that_is_to_be_shown() -> None:
    """As many deals as it takes: 400 of greedy and random, 100 of the search and greedy."""
    found = rungs(1)
    assert len({rung.folder for rung in found}) == len(found)
    for ruleset in RULESETS:
        mine = {(rung.better, *rung.others): rung.deals for rung in found if rung.ruleset == ruleset}
        assert mine["greedy", "random"] >= 400
        assert mine["mcts@50ms", "greedy"] >= 100
        assert ("mcts@250ms", "mcts@10ms") in mine
        assert ("mcts@50ms", "greedy", "greedy", "greedy") in mine


def test_a_short_ladder_has_the_same_rungs_on_fewer_deals() -> None:
    assert [(rung.ruleset, rung.better, rung.others) for rung in rungs(20)] == [
        (rung.ruleset, rung.better, rung.others) for rung in rungs(1)
    ]
    assert max(rung.deals for rung in rungs(20)) == 20


def test_a_row_tells_share_interval_and_chance() -> None:
    rung = Rung("artsee", "mcts@50ms", ("greedy", "greedy", "greedy"), 25)
    standing = {"share": {"value": 0.4567, "low": 0.3, "high": 0.6}, "deals": 25}
    assert row(rung, standing) == (
        "| artsee | mcts@50ms | greedy, greedy, greedy | 25 | 45.7% | 30.0% to 60.0% | 25.0% |"
    )
