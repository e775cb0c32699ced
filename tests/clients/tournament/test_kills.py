"""Whatever is killed, and whenever: the tournament that is resumed is the one that was not disturbed."""

import json
import random
from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

import pytest

from tests.clients.tournament.accounts import drawn_in, entries_of, matches_of, records_of, require_consistent
from tests.clients.tournament.kills import VICTIMS, Tournament

PLAN: Final = """
seed = "known"
concurrency = 6
deals = {deals}

[[games]]
ruleset = "artsee"
seats = 2

[[games]]
ruleset = "classic_art"
seats = 2

[[entrants]]
name = "Random"
bot = "random"

[[entrants]]
name = "Greedy"
bot = "greedy"
"""
MATCHES_A_DEAL: Final = 4
TIMES: Final = frozenset({"durations_ms", "matches_per_minute", "thinking_ms"})


@pytest.mark.parametrize(
    ("deals", "kills"), [(4, 6), pytest.param(75, 100, marks=pytest.mark.long)], ids=["6 kills", "100 kills"]
)
async def test_a_tournament_whose_parts_are_killed_is_the_undisturbed_one(
    tmp_path: Path, deals: int, kills: int
) -> None:
    """Director, referee and store by turns: records == standings == schedule, and all as without the kills."""
    plan = tmp_path / "plan.toml"
    plan.write_text(PLAN.format(deals=deals))
    calm = Tournament(plan, tmp_path / "calm")
    await calm.start()
    await calm.end()
    killed, rng = Tournament(plan, tmp_path / "killed"), random.Random(1)
    await killed.start()
    between = max(1, 2 * deals * MATCHES_A_DEAL // kills)
    for number in range(kills):
        await killed.kill(VICTIMS[number % len(VICTIMS)], rng.randrange(between), rng)
    await killed.end()
    assert sum(killed.kills.values()) >= kills * 0.9
    for folder in (tmp_path / "calm", tmp_path / "killed"):
        require_consistent(folder)
        require_agreement(folder, deals * MATCHES_A_DEAL)
    assert matches_of(tmp_path / "killed") == matches_of(tmp_path / "calm")
    assert standings_of(tmp_path / "killed") == standings_of(tmp_path / "calm")


def require_agreement(folder: Path, matches: int) -> None:
    """Schedule, records and standings tell the same matches and the same wins."""
    records = matches_of(folder)
    assert Counter((match.deal, match.entrants) for match in records.elements()) == Counter(
        drawn_in(entries_of(folder))
    )
    assert records.total() == matches
    wins = Counter[str]()
    for record in records_of(folder):
        first = [seat["rank"] == 1 for seat in record["result"]["seats"]]
        for seat, won in zip(record["seats"], first, strict=True):
            wins[seat["entrant"]["name"]] += won / sum(first)
    overall = json.loads((folder / "standings.json").read_text())["standings"]["overall"]
    assert overall["counts"]["counted_matches"] == matches
    assert {row["entrant"]: round(row["wins"], 6) for row in overall["table"]["standings"]} == {
        name: round(won, 6) for name, won in wins.items()
    }


def standings_of(folder: Path) -> Mapping[str, Any]:
    """The standings without times."""
    standings: Mapping[str, Any] = without_times(json.loads((folder / "standings.json").read_text())["standings"])
    return standings


def without_times(tree: Any) -> Any:
    """A tree of JSON without what differs from run to run."""
    if isinstance(tree, dict):
        return {name: without_times(value) for name, value in tree.items() if name not in TIMES}
    if isinstance(tree, list):
        return [without_times(value) for value in tree]
    return tree
