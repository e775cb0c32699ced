"""Plays alike at a referee and at its peers: `make bench-peers`.

In each round every server has its turn; ratios are of the same round. What fails is told in words, and has no figures.
"""

import time
from collections.abc import Collection, Iterable, Mapping
from dataclasses import asdict, dataclass, field, fields
from pathlib import Path
from statistics import median
from typing import Any, Final, Self

import click

from loadtest import results
from loadtest.peers.measuring import COLYSEUS, ENTRIES, FILES, MEMORY, Sample, turn
from loadtest.peers.processes import PeerError, missing, versions

_BESIDE: Final = (MEMORY, FILES, COLYSEUS)
_LOOP: Final = 2_000_000

Samples = dict[tuple[int, str], list[Sample]]


def calibration_ms() -> float:
    """Returns how long a loop takes that is always the same: how fast the machine is at this moment."""
    start, total = time.perf_counter(), 0
    for number in range(_LOOP):
        total += number * number % 7
    return (time.perf_counter() - start) * 1e3


@dataclass(slots=True)
class Rounds:
    """What was measured so far.

    Attributes:
        samples: of each entry with so many matches at once, one a round.
        calibrations: of each round.
        failures: how what failed has failed; it has no samples.
    """

    samples: Samples = field(default_factory=dict)
    calibrations: list[float] = field(default_factory=list)
    failures: dict[str, str] = field(default_factory=dict)

    def play(self, names: Iterable[str], flights: Collection[int], seconds: float) -> None:
        """Measures all in turn."""
        self.calibrations.append(calibration_ms())
        for name in names:
            if name in self.failures:
                continue
            try:
                taken = turn(ENTRIES[name], flights, seconds)
            except PeerError as error:
                self.failures[name] = f"round {len(self.calibrations)}: {error}"
                self.samples = {key: kept for key, kept in self.samples.items() if key[1] != name}
                continue
            for matches, sample in taken.items():
                self.samples.setdefault((matches, name), []).append(sample)

    def write(self, out: Path) -> Path:
        """Writes it; returns the file."""
        plain = [
            {"matches": matches, "name": name, "rounds": [asdict(sample) for sample in taken]}
            for (matches, name), taken in self.samples.items()
        ]
        found = {"samples": plain, "calibrations_ms": self.calibrations, "failures": self.failures}
        return results.write("peers", found | {"rows": summary(self.samples), "versions": versions()}, out)

    @classmethod
    def read(cls, out: Path) -> Self:
        """Returns what was written."""
        found = results.read("peers", out)
        samples = {
            (row["matches"], row["name"]): [Sample(**taken) for taken in row["rounds"]] for row in found["samples"]
        }
        return cls(samples, found["calibrations_ms"], found["failures"])


def summary(samples: Samples) -> list[dict[str, Any]]:
    """Returns medians, and those of ratios to each peer in the same round, of moves a second and of their cost."""
    rows = []
    for (matches, name), taken in samples.items():
        medians = {field.name: median(getattr(sample, field.name) for sample in taken) for field in fields(Sample)}
        row = {"matches": matches, "name": name, **medians, "most_s": max(sample.moves_s for sample in taken)}
        for beside in _BESIDE:
            pairs = list(zip(taken, samples.get((matches, beside), []), strict=False))
            row[f"moves to {beside}"] = median(mine.moves_s / other.moves_s for mine, other in pairs) if pairs else None
            row[f"cost to {beside}"] = median(mine.cost_us / other.cost_us for mine, other in pairs) if pairs else None
        rows.append(row)
    return rows


def page(rows: Iterable[Mapping[str, Any]]) -> str:
    """Returns two tables in Markdown: figures, and ratios of moves a second and of processor time a move."""
    figures = [
        [
            "matches",
            "",
            "moves/s",
            "most",
            "p50 ms",
            "p99 ms",
            "server us",
            "store us",
            "players us",
            "MiB",
            "store MiB",
        ]
    ]
    ratios = [["matches", "", *_BESIDE]]
    for row in rows:
        names = [str(row["matches"]), row["name"]]
        counts = [f"{row[name]:,.0f}" for name in ("moves_s", "most_s")]
        times = [f"{row[name]:.2f}" for name in ("p50_ms", "p99_ms")]
        costs = [f"{row[name]:,.0f}" for name in ("server_us", "store_us", "driver_us", "server_mib", "store_mib")]
        figures.append([*names, *counts, *times, *costs])
        ratios.append([*names, *(_both(row[f"moves to {beside}"], row[f"cost to {beside}"]) for beside in _BESIDE)])
    return f"{_table(figures)}\n\nmoves a second / cost of a move, to those of\n\n{_table(ratios)}"


def _both(moves: float | None, cost: float | None) -> str:
    return "" if moves is None or cost is None else f"{moves:.2f} / {cost:.2f}"


def _table(rows: list[list[str]]) -> str:
    rule = ["---", "---", *("--:" for _ in rows[0][2:])]
    return "\n".join(f"| {' | '.join(row)} |" for row in (rows[0], rule, *rows[1:]))


@click.command()
@click.option(
    "--rounds", default=5, show_default=True, type=click.IntRange(1), help="In each every server has its turn."
)
@click.option("--seconds", default=1.0, show_default=True, help="How long each is played at, at least.")
@click.option("--matches", default=(1, 16, 64), show_default=True, multiple=True, help="Matches at once.")
@click.option("--only", multiple=True, type=click.Choice(list(ENTRIES)), help="Some of them.")
@click.option("--add", is_flag=True, help="Adds to the rounds of an earlier run, of the same and at as many matches.")
@click.option("--out", default=results.FOLDER, show_default=True, type=click.Path(path_type=Path), help="The results.")
def main(rounds: int, seconds: float, matches: tuple[int, ...], only: tuple[str, ...], add: bool, out: Path) -> None:
    """Compares a referee with its peers."""
    if lack := missing():
        raise click.ClickException(lack)
    names = [name for name in ENTRIES if name in only or not only]
    played = Rounds.read(out) if add else Rounds()
    for number in range(rounds):
        click.echo(f"round {number + 1} of {rounds}", err=True)
        played.play(names, matches, seconds)
        file = played.write(out)  # each time, so that what ends it early leaves something
    print(page(summary(dict(sorted(played.samples.items(), key=lambda it: it[0][0])))))
    for name, words in played.failures.items():
        print(f"{name} failed and has no figures: {words}")
    low, middle, high = min(played.calibrations), median(played.calibrations), max(played.calibrations)
    print(f"{len(played.calibrations)} rounds; calibration {middle:.0f} ms ({low:.0f} to {high:.0f})")
    print(f"figures are in {file}")


if __name__ == "__main__":
    main()
