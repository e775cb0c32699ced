"""A scenario from nothing: `python -m loadtest.run SCENARIO`, or `make load SCENARIO=...`.

Starts a store, referees, a balancer and Locust, which has an environment of its own (`.venv-load`), and writes what was
seen and on what machine, as JSON and as a page. Exits with 1 if an objective was missed.
"""

import json
import os
import subprocess
import tempfile
import time
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any, Final

import click
import jinja2

from loadtest import results
from loadtest.processes import children_seconds
from loadtest.scenarios.objectives import MOVE, MOVE_OVER_PLAY, OBJECTIVES
from loadtest.scenarios.shapes import SCENARIOS, Scenario, Step, knee, verdict
from loadtest.topology import Memory, MissingError, Service, service

ROOT: Final = Path(__file__).parents[1]
LOCUST: Final = ROOT / ".venv-load" / "bin" / "locust"
HERE: Final = Path(__file__).parent / "scenarios"
_GROWTH: Final = 1.25  # that the memory of referees may have from a quarter of the run to its end
_WAYS: Final = {MOVE: "unary", MOVE_OVER_PLAY: "play"}


@dataclass(frozen=True, slots=True)
class Costs:
    """What a run took, apart from the time of calls.

    Attributes:
        counted: moves that the referees have accepted, by their way.
        referee_us: processor time of the referees for each of them, all else that was asked included.
        store_us: the same of the store.
        driver_share: how much of a core Locust used; near 1 it is what is slow.
        referee_mib: memory of the referees, second by second.
        store_mib: the same of the store.
    """

    counted: Mapping[str, int]
    referee_us: float
    store_us: float
    driver_share: float
    referee_mib: Sequence[float]
    store_mib: Sequence[float]


def locust(address: str, scenario: Scenario, p99_ms: Mapping[str, float], page: Path) -> list[Step]:
    """Runs Locust; returns what it has seen."""
    pages = () if scenario.more else ("--html", str(page))  # which would show the last step only
    command = (str(LOCUST), "-f", str(HERE / "locustfile.py"), "--headless", "--only-summary", *pages)
    with tempfile.TemporaryDirectory(prefix="load-") as folder:
        result = Path(folder) / "result.json"
        variables = {
            "LOAD_ADDRESS": address,
            "LOAD_SCENARIO": json.dumps(asdict(scenario)),
            "LOAD_P99": json.dumps(p99_ms),
            "LOAD_RESULT": str(result),
            "PYTHONPATH": os.pathsep.join(str(path) for path in (ROOT, ROOT / "protos")),
        }
        subprocess.run(command, env=os.environ | variables, check=False)
        if not result.exists():
            raise click.ClickException("Locust did not tell what it has seen")
        return [Step(**step) for step in json.loads(result.read_text())]


def observed(running: Service, scenario: Scenario, p99_ms: Mapping[str, float], page: Path) -> tuple[list[Step], Costs]:
    """Runs a scenario; returns what its users have seen, and what it took."""
    before, driver_s, start = running.used_s(), children_seconds(), time.perf_counter()
    with Memory(running) as memory:
        steps = locust(running.address, scenario, p99_ms, page)
    wall_s, counted = time.perf_counter() - start, running.moves()
    used = [(now - then) * 1e6 / max(1, counted.total()) for now, then in zip(running.used_s(), before, strict=True)]
    referee, store = zip(*[[size / 2**20 for size in seen] for seen in memory.seen], strict=True)
    return steps, Costs(dict(counted), used[0], used[1], (children_seconds() - driver_s) / wall_s, referee, store)


def missed(scenario: Scenario, steps: list[Step], costs: Costs) -> list[str]:
    """Returns in words what fails the run."""
    words = verdict(steps)
    for name, way in _WAYS.items():
        told = sum(step.calls[name]["succeeded"] for step in steps if name in step.calls)
        if told > costs.counted.get(way, 0):
            words.append(f"{name}: {told:.0f} were answered, but the referees count {costs.counted.get(way, 0)}")
    early, late = costs.referee_mib[len(costs.referee_mib) // 4], costs.referee_mib[-1]
    if scenario.steady_memory and late > _GROWTH * early:
        words.append(f"memory: {late:.0f} MiB, {early:.0f} at a quarter of the run; {_GROWTH} times are allowed")
    return words


def page_of(name: str, scenario: Scenario, steps: list[Step], costs: Costs, words: list[str]) -> str:
    """Returns what was found as a page."""
    loader = jinja2.FileSystemLoader(HERE)
    environment = jinja2.Environment(loader=loader, autoescape=True, undefined=jinja2.StrictUndefined)
    return environment.get_template("page.html.jinja").render(
        name=name, scenario=scenario, steps=steps, costs=costs, words=words, knee=knee(steps), machine=results.machine()
    )


@click.command()
@click.argument("name", metavar="SCENARIO", type=click.Choice(list(SCENARIOS)))
@click.option("--replicas", default=2, show_default=True, help="Referees on one store.")
@click.option("--direct", is_flag=True, help="No HAProxy: the client calls them in turn.")
@click.option("--seconds", type=float, help="How long it lasts, or a step of it.  [default: the scenario's]")
@click.option("--users", type=int, help="How many there are, at first.  [default: the scenario's]")
@click.option("--rate", type=float, help="Moves a second of each bot.  [default: the scenario's]")
@click.option(
    "--p99",
    "limits",
    multiple=True,
    type=(click.Choice(list(OBJECTIVES)), float),
    metavar="CALLS MS",
    help="Another objective for calls of a name, in ms for 99 of 100.",
)
@click.option("--out", default=results.FOLDER, show_default=True, type=click.Path(path_type=Path), help="The results.")
def main(
    name: str, replicas: int, direct: bool, limits: tuple[tuple[str, float], ...], out: Path, **given: Any
) -> None:
    """Runs a scenario; exits with 1 if it misses an objective."""
    if not LOCUST.exists():
        raise click.ClickException(f"there is no {LOCUST}: run `make load`, which sets it up")
    out.mkdir(parents=True, exist_ok=True)
    scenario = replace(SCENARIOS[name], **{key: value for key, value in given.items() if value is not None})
    try:
        with service(replicas, not direct) as running:
            steps, costs = observed(running, scenario, dict(limits), out / f"{name}-calls.html")
    except MissingError as error:
        raise click.ClickException(str(error)) from None
    words = missed(scenario, steps, costs)
    found = {"scenario": asdict(scenario), "replicas": replicas, "balanced": not direct, "missed": words}
    file = results.write(name, found | {"steps": [asdict(step) for step in steps], "costs": asdict(costs)}, out)
    (out / f"{name}.html").write_text(page_of(name, scenario, steps, costs, words))
    for word in words:
        print(f"MISSED {word}")
    if (last := knee(steps)) is not None:
        print(f"the knee: {last.moves_s:,.0f} moves a second of {last.users} users")
    print(f"figures are in {file}, a page is beside it")
    raise SystemExit(bool(words))


if __name__ == "__main__":
    main()
