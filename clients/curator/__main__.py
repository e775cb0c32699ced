"""The command `curator`: all that a client does."""

import asyncio
import re
from collections import Counter
from collections.abc import Callable, Sequence
from contextlib import AbstractAsyncContextManager, nullcontext
from functools import wraps
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import ParamSpec

import click
from rich.console import Console
from rich.markdown import Markdown

from clients.bots.load import BotNotFoundError
from clients.check import suite
from clients.check.checks import Check, Outcome, Verdict
from clients.check.subject import NoRefereeError
from clients.curator.conducting import FAILURES, conduct
from clients.curator.connection import tls_options
from clients.curator.failing import failing_in_words
from clients.curator.organise import organise
from clients.curator.tournament import command
from clients.local import LocalRefereeError, local_referee
from clients.replay import ReplayError, replay
from clients.rules import RulesPageError, page
from clients.sdk import CallError, Tls
from referee.games import registry
from referee.wire.record import RecordError, parse_record

P = ParamSpec("P")

_FAILURES = (
    *FAILURES,
    BotNotFoundError,
    CallError,
    LocalRefereeError,
    NoRefereeError,
    OSError,
    RecordError,
    ReplayError,
    RulesPageError,
)


@click.group(context_settings={"show_default": True})
def main() -> None:
    """Plays, watches and directs matches at an art referee."""


def _failing_in_words(command: Callable[P, None]) -> Callable[P, None]:
    @wraps(command)
    def run(*args: P.args, **kwargs: P.kwargs) -> None:
        with failing_in_words(*_FAILURES):
            command(*args, **kwargs)

    return run


main.add_command(command(conduct, *_FAILURES))
main.add_command(organise)


@main.command(name="replay")
@click.argument("file", type=click.Path(exists=True, dir_okay=False, path_type=Path))
@click.option("--match", "match_id", metavar="ID", help="Only this match.")
@click.option("--verify", is_flag=True, help="Tell only whether every match follows from its seed and moves.")
@_failing_in_words
def replay_file(file: Path, match_id: str | None, verify: bool) -> None:
    """Replays the matches of a records file."""
    count = 0
    for number, line in enumerate(file.read_bytes().split(b"\n"), 1):
        if not line:
            continue
        try:
            record = parse_record(line.decode(errors="replace"))
        except RecordError as error:
            raise RecordError(f"{file}, line {number}: {error}") from None
        if match_id is not None and record.match_id != match_id:
            continue
        if not verify:
            click.echo(f"match {record.match_id}: {record.ruleset}, {len(record.seats)} seats")
        for step in replay(record):
            if not verify:
                who = "referee" if step.seat is None else record.seats[step.seat].display_name
                click.echo(f"{step.version:5} {who}{' (autopilot)' if step.actor == 'autopilot' else ''}: {step.text}")
        if not verify:
            for seat, result in zip(record.seats, record.result.seats, strict=record.HasField("result")):
                score = f", score {result.score}" if result.HasField("score") else ""
                click.echo(f"      {seat.display_name}: place {result.rank}{score}")
        count += 1
    if not count:
        raise RecordError(f"{file} has no record" + (f" of match {match_id}" if match_id else ""))
    click.echo(f"{count} matches follow from their seeds and moves" if verify else f"{count} matches")


@main.command()
@click.argument("ruleset")
@click.option("--lang", default="en", type=click.Choice(["en", "es"]), help="The language.")
@_failing_in_words
def rules(ruleset: str, lang: str) -> None:
    """Shows the rules of a game for players; rulings where its book is silent bear their number."""
    console = Console()
    text = page(ruleset, lang)
    console.print(Markdown(text) if console.is_terminal else text, markup=False, highlight=False, soft_wrap=True)


@main.command()
def rulesets() -> None:
    """Lists the rulesets and where their component data come from."""
    console = Console()
    for game in registry().values():
        spec = game.spec
        console.print(f"[bold]{spec.title}[/] ({spec.name}), {min(spec.seats)} to {max(spec.seats)} seats")
        console.print(f"  rules {spec.rules_version}, components {spec.data_version} {spec.data_digest.hex()[:16]}")
        for source in spec.sources:
            console.print(f"  {source.part}: {source.origin.replace('_', ' ')}. {source.note}", highlight=False)


def _address(context: click.Context, parameter: click.Parameter, text: str | None) -> str | None:
    found = re.fullmatch(r"(?:\[[0-9A-Fa-f:.]+\]|[A-Za-z0-9._-]+):([0-9]{1,5})", text) if text is not None else None
    if text is not None and (found is None or not 0 < int(found[1]) < 2**16):
        raise click.BadParameter(f"{text!r} is not HOST:PORT")
    return text


def _checks(context: click.Context, parameter: click.Parameter, names: tuple[str, ...]) -> list[Check]:
    try:
        return suite.chosen(names)
    except KeyError as error:
        raise click.BadParameter(f"there is no check or group {error}; --list tells all") from None


@main.command(name="check-referee")
@click.argument("address", metavar="[HOST:PORT]", required=False, callback=_address)
@click.option(
    "--only", "checks", multiple=True, callback=_checks, metavar="NAME", help="Only this check or group; repeatable."
)
@click.option("--list", "listing", is_flag=True, help="List the checks and what they claim.")
@click.option(
    "--heartbeat",
    metavar="SECONDS",
    type=click.FloatRange(1, 600),
    help="Wait so long for the sign of a silent stream.",
)
@tls_options
@_failing_in_words
def check_referee(
    address: str | None, checks: list[Check], listing: bool, heartbeat: float | None, tls: Tls | None
) -> None:
    """Checks from outside that a referee keeps its contract; without HOST:PORT one is started for it."""
    if listing:
        for check in checks:
            click.echo(f"{check.full_name}: {check.claim}")
        return
    count = Counter(verdict.outcome for verdict in asyncio.run(_check(address, checks, heartbeat, tls)))
    click.echo(", ".join(f"{count[outcome]} {outcome.lower()}" for outcome in Outcome))
    if count[Outcome.FAILED]:
        click.get_current_context().exit(1)


async def _check(
    address: str | None, checks: Sequence[Check], heartbeat: float | None, tls: Tls | None
) -> list[Verdict]:
    with TemporaryDirectory() as home:
        folder = Path(home)
        referee: AbstractAsyncContextManager[str]
        referee = nullcontext(address) if address else local_referee(folder / "data", folder / "log")
        verdicts = list[Verdict]()
        async with referee as place:
            async for verdict in suite.verdicts(place, checks, heartbeat, tls):
                _tell(verdict)
                verdicts.append(verdict)
    return verdicts


_COLOURS = {Outcome.OK: "green", Outcome.FAILED: "red", Outcome.SKIPPED: "yellow"}


def _tell(verdict: Verdict) -> None:
    outcome = click.style(f"{verdict.outcome:8}", fg=_COLOURS[verdict.outcome])
    words = {Outcome.OK: "", Outcome.FAILED: f" But {verdict.words}.", Outcome.SKIPPED: f" ({verdict.words})"}
    click.echo(f"{outcome}{verdict.check.full_name}: {verdict.check.claim}{words[verdict.outcome]}")


if __name__ == "__main__":
    main(prog_name="curator")
