"""The README's promises that can be run."""

import json
import re
from pathlib import Path

from tests.clients.test_curator import curator

README = (Path(__file__).parents[2] / "README.md").read_text()


def test_the_bot_of_the_readme_plays(tmp_path: Path) -> None:
    """It has at most ten lines, and takes part in a tournament as it stands."""
    (source,) = re.findall(r"```python\n(.*?)```", README, re.DOTALL)
    assert len([line for line in source.splitlines() if line.strip()]) <= 10
    (tmp_path / "bot.py").write_text(source)
    options = ("--ruleset", "classic_art", "--seats", "2", "--deals", "1", "--out", "out")
    run = curator("tournament", "--entrants", "greedy,./bot.py:Bot", *options, cwd=tmp_path)
    assert run.returncode == 0, run.stderr
    [section] = json.loads((tmp_path / "out" / "standings.json").read_text())["standings"]["games"]
    assert {row["entrant"] for row in section["table"]["standings"]} == {"greedy", "eager"}
    assert section["reasons"] == {"COMPLETED": 2}
