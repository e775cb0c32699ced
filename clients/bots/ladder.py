"""The ladder of the bots by tournaments: `python -m clients.bots.ladder [--short] [--out DIR]`.

Each rung is a tournament of `curator tournament`, on deals that are played in all seat rotations, with intervals over
deals; its records and report are in a folder of its own. Two rungs are played at a time, as each has one core's worth
of searching. A rung that is there already is not played again.
"""

import json
import subprocess
import sys
from argparse import ArgumentParser
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

RULESETS: Final = ("art_decko", "artsee", "classic_art")
_AT_ONCE: Final = 2
_SHORT: Final = 20  # so many times fewer deals


@dataclass(frozen=True, slots=True)
class Rung:
    """A comparison.

    Attributes:
        ruleset: what is played.
        better: the bot whose share is told.
        others: at the other seats.
        deals: how many.
    """

    ruleset: str
    better: str
    others: tuple[str, ...]
    deals: int

    @property
    def seats(self) -> int:
        """How many play."""
        return 1 + len(self.others)

    @property
    def folder(self) -> str:
        """Where its results are, below the folder of the ladder."""
        return f"{self.ruleset}-{self.seats}-{self.better}-{self.others[0]}-{self.deals}"

    def plan(self) -> str:
        """Returns the file of its tournament; one seating a deal will do, as all others are alike."""
        names = [self.better, *(f"{bot} {number}" for number, bot in enumerate(self.others, 1))]
        entrants = [
            f'[[entrants]]\nname = "{name}"\nbot = "{bot}"\n'
            for name, bot in zip(names, (self.better, *self.others), strict=True)
        ]
        game = f'[[games]]\nruleset = "{self.ruleset}"\nseats = [{self.seats}]\n'
        heading = (
            f'name = "{self.ruleset}: {self.better} and {self.others[0]}"\ndeals = {self.deals}\nconcurrency = 4\n'
        )
        return "\n".join([heading, '[format]\nname = "round-robin"\ngroups = 1\n', game, *entrants])


def rungs(part: int) -> list[Rung]:
    """Returns all of them, with one in `part` of the deals, those that take longest first."""
    found = []
    for ruleset in RULESETS:
        found += [
            Rung(ruleset, "mcts@250ms", ("mcts@10ms",), 30),
            Rung(ruleset, "mcts@50ms", ("greedy",), 100),
            Rung(ruleset, "mcts@250ms", ("greedy", "greedy", "greedy"), 16),
            Rung(ruleset, "mcts@50ms", ("greedy", "greedy", "greedy"), 25),
            Rung(ruleset, "mcts@50ms", ("mcts@10ms",), 20),
            Rung(ruleset, "mcts@10ms", ("greedy",), 100),
            Rung(ruleset, "greedy", ("random",), 400),
        ]
    scaled = [Rung(each.ruleset, each.better, each.others, max(2, each.deals // part)) for each in found]
    return sorted(scaled, key=lambda each: (each.others[0] == "random", each.better != "mcts@250ms"))


def play(rung: Rung, out: Path) -> dict[str, Any]:
    """Plays a rung, unless its results are there, and returns where `rung.better` stands."""
    folder = out / rung.folder
    results = folder / "standings.json"
    if not results.exists():
        folder.mkdir(parents=True, exist_ok=True)
        file = out / f"{rung.folder}.toml"
        file.write_text(rung.plan(), encoding="utf-8")
        command = [sys.executable, "-m", "clients.curator", "tournament", str(file), "--out", str(folder)]
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL)  # noqa: S603 - our own command
    (game,) = json.loads(results.read_text(encoding="utf-8"))["standings"]["games"]
    standing: dict[str, Any] = next(each for each in game["table"]["standings"] if each["entrant"] == rung.better)
    return {**standing, "deals": game["counts"]["counted_deals"]}


def row(rung: Rung, standing: dict[str, Any]) -> str:
    """Returns a row of the table."""
    share, others = standing["share"], ", ".join(rung.others)
    interval = f"{share['low']:.1%} to {share['high']:.1%}"
    cells = (rung.ruleset, rung.better, others, standing["deals"], f"{share['value']:.1%}", interval)
    return f"| {' | '.join(map(str, cells))} | {1 / rung.seats:.1%} |"


def climb(wanted: Sequence[Rung], out: Path) -> None:
    """Plays rungs and prints the table."""
    with ThreadPoolExecutor(_AT_ONCE) as pool:
        playing = [(rung, pool.submit(play, rung, out)) for rung in wanted]
        rows = [(rung, future.result()) for rung, future in playing]
    lines = [
        "| ruleset | bot | against | deals | share of wins | 95 % | by chance |",
        "|---|---|---|---|---|---|---|",
        *(row(*each) for each in sorted(rows, key=lambda each: (each[0].ruleset, each[0].seats, each[0].better))),
    ]
    table = "\n".join(lines) + "\n"
    (out / "ladder.md").write_text(table, encoding="utf-8")
    sys.stdout.write(table)


def main() -> None:
    """Runs the command."""
    parser = ArgumentParser(prog="clients.bots.ladder", description=__doc__)
    parser.add_argument("--short", action="store_true", help=f"{_SHORT} times fewer deals")
    parser.add_argument("--out", type=Path, default=Path("out") / "ladder")
    given = parser.parse_args()
    given.out.mkdir(parents=True, exist_ok=True)
    climb(rungs(_SHORT if given.short else 1), given.out)


if __name__ == "__main__":
    main()
