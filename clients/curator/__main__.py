"""The command `curator`: all that a client does."""

import asyncio
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
from clients.curator.bot import bot
from clients.curator.conducting import FAILURES, conduct
from clients.curator.connection import address_of, tls_options
from clients.curator.failing import failing_in_words
from clients.curator.host import host
from clients.curator.language import language_option
from clients.curator.organise import organise
from clients.curator.play import play
from clients.curator.replay import replay_file
from clients.curator.tournament import command
from clients.curator.watch import watch
from clients.local import LocalRefereeError, local_referee
from clients.rules import RulesPageError, page
from clients.sdk import CallError, Tls
from clients.terminal.words import Words
from referee.games import registry

P = ParamSpec("P")

_FAILURES = (
    *FAILURES,
    BotNotFoundError,
    CallError,
    LocalRefereeError,
    NoRefereeError,
    OSError,
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
main.add_command(bot)
main.add_command(play)
main.add_command(host)
main.add_command(watch)
main.add_command(replay_file)


@main.command()
@click.argument("ruleset")
@language_option("The language.")
@_failing_in_words
def rules(ruleset: str, words: Words) -> None:
    """Shows the rules of a game for players; rulings where its book is silent bear their number."""
    console = Console()
    text = page(ruleset, words.language)
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


def _checks(context: click.Context, parameter: click.Parameter, names: tuple[str, ...]) -> list[Check]:
    try:
        return suite.chosen(names)
    except KeyError as error:
        raise click.BadParameter(f"there is no check or group {error}; --list tells all") from None


@main.command(name="check-referee")
@click.argument("address", metavar="[HOST:PORT]", required=False, callback=address_of)
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
