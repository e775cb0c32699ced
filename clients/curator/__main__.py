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
from rich.table import Table

from artreferee.v1 import record_pb2
from clients.bots.load import BotNotFoundError
from clients.check import suite
from clients.check.checks import Check, Outcome, Verdict
from clients.check.subject import NoRefereeError
from clients.curator.connection import tls_options
from clients.curator.progress import progress
from clients.local import LocalRefereeError, local_referee
from clients.replay import ReplayError, replay
from clients.rules import RulesPageError, page
from clients.sdk import CallError, MatchAbortedError, RefereeClient, Tls
from clients.tournament import output, schedule
from clients.tournament.old_director import Director, Plan, secret_of
from clients.tournament.entrants import EntrantError, entrants
from clients.tournament.standings import Pace, Section, paces, sections
from referee.games import registry
from referee.wire.record import RecordError, parse_record

P = ParamSpec("P")
_REACHED_WITHIN_S = 5.0


class RulesetMissingError(Exception):
    """The referee cannot run a ruleset that is asked for."""


_FAILURES = (
    BotNotFoundError,
    CallError,
    EntrantError,
    LocalRefereeError,
    MatchAbortedError,
    NoRefereeError,
    OSError,
    RecordError,
    ReplayError,
    RulesPageError,
    RulesetMissingError,
)


@click.group(context_settings={"show_default": True})
def main() -> None:
    """Plays, watches and directs matches at an art referee."""


def _failing_in_words(command: Callable[P, None]) -> Callable[P, None]:
    @wraps(command)
    def run(*args: P.args, **kwargs: P.kwargs) -> None:
        try:
            command(*args, **kwargs)
        except* _FAILURES as errors:
            error: BaseException = errors
            while isinstance(error, BaseExceptionGroup):
                error = error.exceptions[0]
            raise click.ClickException(str(error)) from None

    return run


def _numbers(context: click.Context, parameter: click.Parameter, text: str | None) -> list[int] | None:
    if text is None:
        return None
    try:
        return sorted({number for part in text.split(",") for number in _range(part)})
    except ValueError:
        raise click.BadParameter(f"{text!r} is not a list such as 2,3 or a range such as 2-5") from None


def _range(text: str) -> range:
    first, _, last = text.partition("-")
    return range(int(first), int(last or first) + 1)


@main.command()
@click.option("--ruleset", "rulesets", multiple=True, metavar="NAME", help="A ruleset; all of them if none is named.")
@click.option("--entrants", "specs", default="random,greedy", metavar="A,B,C", help="Bots: names or FILE.py:CLASS.")
@click.option(
    "--seats", callback=_numbers, metavar="N", help="Numbers of seats, such as 2 or 2-5; all if none is named."
)
@click.option("--deals", default=5, type=click.IntRange(1), help="Deals for each number of seats.")
@click.option("--seed", metavar="TEXT", help="Makes the deals from a text: for practice, as anyone may know them.")
@click.option("--concurrency", default=16, type=click.IntRange(1), help="Matches played at once.")
@click.option("--out", default=Path("out"), type=click.Path(path_type=Path, file_okay=False), help="Where results go.")
@click.option("--referee", "address", metavar="HOST:PORT", help="The referee; without it one is started.")
@tls_options
@_failing_in_words
def tournament(
    rulesets: tuple[str, ...],
    specs: str,
    seats: list[int] | None,
    deals: int,
    seed: str | None,
    concurrency: int,
    out: Path,
    address: str | None,
    tls: Tls | None,
) -> None:
    """Plays a round robin: every group in every seating, every deal in every seat rotation."""
    names = rulesets or tuple(registry())
    for name in names:
        if name not in registry():
            raise click.UsageError(f"there is no ruleset {name!r}; known are {', '.join(registry())}")
    taking_part = entrants([spec.strip() for spec in specs.split(",")])
    if len(taking_part) < 2:
        raise click.UsageError("a tournament needs at least two entrants")
    dealt = [
        schedule.Deal(name, number, deal)
        for name in names
        for number in (seats or registry()[name].spec.seats)
        for deal in range(deals)
    ]
    for deal in dealt:
        if deal.seats not in registry()[deal.ruleset].spec.seats:
            allowed = registry()[deal.ruleset].spec.seats
            raise click.UsageError(f"{deal.ruleset} is for {min(allowed)} to {max(allowed)} seats, not {deal.seats}")
    plan = Plan(taking_part, list(schedule.round_robin(dealt, len(taking_part))), concurrency, secret_of(seed))
    out.mkdir(parents=True, exist_ok=True)
    found, pace = asyncio.run(_run(plan, out, address, tls))
    output.write_standings(out, plan, seed is not None, found, pace)
    _print(found, Console())
    for ruleset in pace:
        rate = f"{ruleset.per_minute:.0f} a minute"
        click.echo(f"{ruleset.ruleset}: {ruleset.matches} matches in {ruleset.seconds:.0f} s, {rate}")
    click.echo(f"records, standings and report are in {out}")


async def _run(plan: Plan, out: Path, address: str | None, tls: Tls | None) -> tuple[list[Section], list[Pace]]:
    referee: AbstractAsyncContextManager[str]
    referee = nullcontext(address) if address else local_referee(out / "referee", out / "referee.log")
    names = [entrant.name for entrant in plan.entrants]
    with (out / output.RECORDS).open("w") as file, progress(plan.matches) as advance:

        def recorded(record: record_pb2.MatchRecord) -> None:
            output.write_record(file, record)

        async with referee as place:
            needed = {pairing.deal.ruleset for pairings in plan.rounds for pairing in pairings}
            await _require_rulesets(place, tls, needed)
            played = await Director(plan, place, advance, recorded, tls).run()
    return sections(played, names), paces(played)


async def _require_rulesets(address: str, tls: Tls | None, names: set[str]) -> None:
    async with RefereeClient(address, timeout_s=_REACHED_WITHIN_S, tls=tls) as client:
        offered = {ruleset.name for ruleset in await client.list_rulesets()}
    if missing := sorted(names - offered):
        raise RulesetMissingError(f"the referee at {address} has no ruleset {missing[0]!r}")


def _print(found: list[Section], console: Console) -> None:
    for section in found:
        title = f"{section.ruleset}, {section.seats} seats: {section.matches} matches on {section.deals} deals"
        table = Table(title=title, title_justify="left")
        table.add_column("entrant")
        for heading in ("seats played", "wins", "share", "95 %", "mean score"):
            table.add_column(heading, justify="right")
        for row in section.standings:
            score = "" if row.score is None else f"{row.score:.1f}"
            spread = f"{row.low:.1%} to {row.high:.1%}"
            table.add_row(row.entrant, str(row.seats_played), f"{row.wins:.1f}", f"{row.share:.1%}", spread, score)
        console.print(table)


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
