"""Three replicas on one store, many matches at once, and faults: no move is lost and none is played twice."""

from collections import Counter
from pathlib import Path

import pytest

from tests.soak.run import Plan, run


async def test_replicas_that_are_killed_and_answers_that_are_lost_lose_no_move_and_double_none(tmp_path: Path) -> None:
    plan, figures = Plan(matches=22, moves=0, seed=1, moves_a_fault=30, moves_a_kill=500), Counter[str]()
    assert await run(plan, tmp_path, figures) == []
    assert figures["answers lost after the commit"] > 0
    assert figures["kills"] > 1
    assert {name for name in figures if name.startswith("matches of ")} == {
        "matches of art_decko",
        "matches of artsee",
        "matches of classic_art",
    }


@pytest.mark.long
@pytest.mark.parametrize("seed", range(2, 4))
async def test_replicas_lose_no_move_and_double_none_in_many_matches(tmp_path: Path, seed: int) -> None:
    plan = Plan(matches=250, moves=25_000, seed=seed, moves_a_fault=20, moves_a_kill=500)
    assert await run(plan, tmp_path, Counter()) == []


async def test_primaries_of_a_redis_cluster_that_are_killed_lose_no_move_and_double_none(tmp_path: Path) -> None:
    """Where a replica has what is acknowledged."""
    plan, figures = Plan(12, 0, seed=1, moves_a_fault=100, moves_a_kill=800, moves_a_failover=300), Counter[str]()
    assert await run(plan, tmp_path, figures) == []
    assert figures["failovers"] > 0


@pytest.mark.long
@pytest.mark.parametrize("seed", range(2, 4))
async def test_primaries_of_a_redis_cluster_lose_no_move_in_many_matches(tmp_path: Path, seed: int) -> None:
    plan, figures = Plan(60, 0, seed, moves_a_fault=50, moves_a_kill=2000, moves_a_failover=200), Counter[str]()
    assert await run(plan, tmp_path, figures) == []
    assert figures["failovers"] >= 10
