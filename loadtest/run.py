"""A scenario from nothing: `python -m loadtest.run SCENARIO`, or `make load SCENARIO=...`.

Starts a store, replicas and Locust, which has an environment of its own (`.venv-load`), and writes Locust's page and a
file of figures. Exits as Locust does: with 1 if an objective was missed.
"""

import csv
import os
import subprocess
from contextlib import ExitStack
from pathlib import Path
from typing import Any, Final

import click

from loadtest import results
from loadtest.drains import HOSTS, Replicas, balancer
from loadtest.processes import empty_store, replica_on
from loadtest.scenarios.shapes import SHAPES

ROOT: Final = Path(__file__).parents[1]
LOCUST: Final = ROOT / ".venv-load" / "bin" / "locust"
LOCUSTFILE: Final = Path(__file__).parent / "scenarios" / "locustfile.py"


def set_up(stack: ExitStack, store: str, replicas: int, balanced: bool) -> str:
    """Starts replicas, and HAProxy in front of two; returns where to call, as gRPC names it."""
    if not balanced:
        addresses = [stack.enter_context(replica_on(store)).address for _ in range(replicas)]
        return f"ipv4:{','.join(addresses)}"
    behind = Replicas(store)
    stack.callback(behind.end)
    for host in HOSTS:
        behind.start(host)
    return stack.enter_context(balancer())


def locust(scenario: str, address: str, folder: Path) -> int:
    """Runs Locust; returns its exit code."""
    page, table = str(folder / f"{scenario}.html"), str(folder / scenario)
    command = (str(LOCUST), "-f", str(LOCUSTFILE), "--headless", "--only-summary", "--html", page, "--csv", table)
    paths = os.pathsep.join(str(path) for path in (ROOT, ROOT / "protos"))
    variables = {"LOAD_ADDRESS": address, "LOAD_SCENARIO": scenario, "PYTHONPATH": paths}
    return subprocess.run(command, env=os.environ | variables, check=False).returncode


def figures(scenario: str, folder: Path) -> list[dict[str, Any]]:
    """Returns a row for each kind of call, as Locust has counted them."""
    with (folder / f"{scenario}_stats.csv").open() as file:
        return list(csv.DictReader(file))


@click.command()
@click.argument("scenario", type=click.Choice(list(SHAPES)))
@click.option("--replicas", default=1, show_default=True, help="Referees on one store.")
@click.option("--balanced", is_flag=True, help="Two referees behind HAProxy instead.")
@click.option("--out", default=results.FOLDER, show_default=True, type=click.Path(path_type=Path), help="The results.")
def main(scenario: str, replicas: int, balanced: bool, out: Path) -> None:
    """Runs a scenario; exits with 1 if it misses an objective."""
    if not LOCUST.exists():
        raise click.ClickException(f"there is no {LOCUST}: run `make load`, which sets it up")
    out.mkdir(parents=True, exist_ok=True)
    with ExitStack() as stack:
        code = locust(scenario, set_up(stack, stack.enter_context(empty_store()), replicas, balanced), out)
    file = results.write(scenario, figures(scenario, out), out)
    print(f"figures are in {file}, a page is in {out / f'{scenario}.html'}")
    raise SystemExit(code)


if __name__ == "__main__":
    main()
