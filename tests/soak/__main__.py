"""The long soak: `python -m tests.soak --matches 1000 --moves 100000`. Exits with 1 if anything is wrong."""

import asyncio
import sys
import tempfile
import time
from collections import Counter
from itertools import count
from pathlib import Path

import click
import uvloop

from tests.soak.audit import KINDS
from tests.soak.run import Plan, run

_TELL_EVERY_S = 10


@click.command(context_settings={"show_default": True})
@click.option("--matches", default=1000, help="How many matches are played at least.")
@click.option("--moves", default=100_000, help="How many moves are made at least.")
@click.option("--seed", default=1, help="What decides about players, moves and faults.")
@click.option("--cluster", is_flag=True, help="On a Redis Cluster whose primaries are killed too.")
def main(matches: int, moves: int, seed: int, cluster: bool) -> None:
    """Plays matches while replicas are killed and connections spoilt, and looks whether everything is right."""
    plan = Plan(matches, moves, seed, moves_a_fault=50, moves_a_kill=2000, moves_a_failover=5000 if cluster else None)
    started, figures = time.monotonic(), Counter[str]()
    with tempfile.TemporaryDirectory(prefix="soak-") as logs:
        wrong = uvloop.run(_soak(plan, Path(logs), figures))
    click.echo()
    for name, number in sorted(figures.items()):
        click.echo(f"{name:45}{number:10,}")
    for kind in KINDS:
        click.echo(f"{kind:45}{sum(text.startswith(kind) for text in wrong):10}")
    click.echo(f"{'seconds':45}{time.monotonic() - started:10.0f}")
    for text in wrong[:50]:
        click.echo(text)
    sys.exit(bool(wrong))


async def _soak(plan: Plan, logs: Path, figures: Counter[str]) -> list[str]:
    telling = asyncio.create_task(_tell(figures))
    try:
        return await run(plan, logs, figures)
    finally:
        telling.cancel()


async def _tell(figures: Counter[str]) -> None:
    names = ("matches", "moves", "kills", "failovers", "retries")
    for seconds in count(_TELL_EVERY_S, _TELL_EVERY_S):
        await asyncio.sleep(_TELL_EVERY_S)
        click.echo(f"{seconds:4} s: " + ", ".join(f"{figures[name]:,} {name}" for name in names))


if __name__ == "__main__":
    main()
