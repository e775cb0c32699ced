"""The command `curator tournament`: a file and flags make a tournament that is begun, gone on with, or only shown."""

import asyncio
from collections.abc import Callable, Coroutine, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import click
from rich.console import Console

from clients.bots.load import BotNotFoundError
from clients.curator.connection import principal_of, tls_options
from clients.curator.dry_run import show
from clients.curator.failing import failing_in_words
from clients.curator.language import language_option
from clients.sdk import Principal, Tls
from clients.terminal.words import Words
from clients.tournament.plan import FormatName, Plan
from clients.tournament.planning import DEFAULT_ENTRANTS, PlanError, plan_of
from clients.tournament.report.words import ENGLISH


@dataclass(frozen=True, slots=True)
class Wanted:
    """What the command is to do.

    Attributes:
        plan: what is to be played; None if it is gone on with whatever the journal says.
        out: the directory of the tournament.
        resume: whether to go on with the one that is there, which must be of this plan.
        address: HOST:PORT of the referee; None for one of its own.
        tls: how TLS is spoken with it.
        dask: HOST:PORT of the scheduler of a Dask cluster on which bots run; None for this machine.
        host: who creates the matches; None for a principal of the tournament's own.
        words: the language of the report.
    """

    plan: Plan | None
    out: Path
    resume: bool = False
    address: str | None = None
    tls: Tls | None = None
    dask: str | None = None
    host: Principal | None = None
    words: Words = ENGLISH


def _numbers(context: click.Context, parameter: click.Parameter, text: str | None) -> list[int] | None:
    if text is None:
        return None
    try:
        return sorted({number for part in text.split(",") for number in _range(part)})
    except ValueError:
        raise click.BadParameter(f"{text!r} is not a list such as 2,3 or a range such as 2-5") from None


def _range(text: str) -> range:
    first, _, last = text.partition("-")
    found = range(int(first), int(last or first) + 1)
    if len(found) > _MOST_SEATS:
        raise ValueError(text)
    return found


def _words(context: click.Context, parameter: click.Parameter, text: str | None) -> list[str] | None:
    return None if text is None else [word.strip() for word in text.split(",")]


def _list(context: click.Context, parameter: click.Parameter, values: tuple[str, ...]) -> list[str] | None:
    return list(values) or None


_MOST_SEATS: Final = 16
_FILE: Final = click.Path(exists=True, dir_okay=False, path_type=Path)
_DIRECTORY: Final = click.Path(file_okay=False, path_type=Path)
_FORMATS: Final = click.Choice([str(name) for name in FormatName])
_PLAN_OPTIONS: Final = (
    click.option("--name", metavar="TEXT", help="Stands in the report."),
    click.option(
        "--ruleset", multiple=True, callback=_list, metavar="NAME", help="A ruleset; all of them if none is named."
    ),
    click.option(
        "--seats", callback=_numbers, metavar="N", help="Numbers of seats, such as 2 or 2-5; all if none is named."
    ),
    click.option(
        "--entrants",
        callback=_words,
        metavar="A,B,C",
        help="Bots: names or FILE.py:CLASS.",
        show_default=",".join(DEFAULT_ENTRANTS),
    ),
    click.option("--format", type=_FORMATS, help="Who meets whom.", show_default=str(FormatName.ROUND_ROBIN)),
    click.option("--deals", type=int, help="Deals of each game a round; of an ab at most.", show_default="5"),
    click.option("--seed", metavar="TEXT", help="Makes the deals from a text: for practice, as anyone may know them."),
    click.option(
        "--independent-deals/--shared-deals",
        default=None,
        help="Whether every match has a deal of its own.",
        show_default="shared",
    ),
    click.option("--rounds", type=int, help="Rounds of a swiss.", show_default="as many as tell the entrants apart"),
    click.option("--groups", type=int, help="Groups a deal of a round-robin or gauntlet.", show_default="all"),
    click.option(
        "--champion", multiple=True, callback=_list, metavar="NAME", help="Who meets all others in a gauntlet."
    ),
    click.option("--elo0", type=float, help="Of an ab: the difference in Elo that is refuted."),
    click.option("--elo1", type=float, help="Of an ab: the difference in Elo that is looked for."),
    click.option("--alpha", type=float, help="Of an ab: how often elo0 may be refused though it holds."),
    click.option("--beta", type=float, help="Of an ab: how often elo1 may be refused though it holds."),
    click.option("--batch", type=int, help="Of an ab: after how many deals it is asked whether to stop."),
    click.option("--move-limit", type=int, metavar="MS", help="Time for each move."),
    click.option("--bank", type=int, metavar="MS", help="Time for all moves of a match."),
    click.option("--increment", type=int, metavar="MS", help="Added to the bank after each move."),
    click.option("--margin", type=int, metavar="MS", help="For the way of each question and its answer."),
    click.option("--illegal-moves", type=int, metavar="N", help="How many a seat may try.", show_default="any number"),
    click.option(
        "--disconnect-grace", type=int, metavar="MS", help="How long a seat may be away.", show_default="any time"
    ),
    click.option("--concurrency", type=int, help="Matches played at once.", show_default="16"),
)


def _plan_options(of: Callable[..., None]) -> Callable[..., None]:
    for option in reversed(_PLAN_OPTIONS):
        of = option(of)
    return of


def command(run: Callable[[Wanted], Coroutine[Any, Any, None]], *failures: type[Exception]) -> click.Command:
    """Returns the command.

    Args:
        run: what has a tournament played.
        failures: what it raises for reasons of which a sentence tells enough.
    """

    @click.command(name="tournament", context_settings={"show_default": True})
    @click.argument("file", metavar="[FILE.toml]", required=False, type=_FILE)
    @_plan_options
    @click.option("--out", default=Path("out"), type=_DIRECTORY, help="Where results go.")
    @click.option("--resume", is_flag=True, help="Go on with the tournament in --out.")
    @click.option("--dry-run", is_flag=True, help="Show the schedule and how long it takes; play nothing.")
    @click.option("--dask", metavar="ADDRESS", help="The scheduler of a Dask cluster, on which bots then run.")
    @click.option("--referee", "address", metavar="HOST:PORT", help="The referee; without it one is started.")
    @click.option(
        "--token-file",
        "host",
        callback=principal_of,
        type=_FILE,
        help="Has the token that a referee wants of who creates matches.",
    )
    @language_option("The language of the report.")
    @tls_options
    def tournament(
        file: Path | None,
        out: Path,
        resume: bool,
        dry_run: bool,
        dask: str | None,
        address: str | None,
        tls: Tls | None,
        host: Principal | None,
        words: Words,
        **flags: object,
    ) -> None:
        """Plays a tournament as FILE.toml says, or as flags say, which go before the file.

        Each deal is played in all seat rotations; it counts once all its matches have ended.
        """
        given = {f"--{name.replace('_', '-')}": value for name, value in flags.items() if value not in (None, ())}
        goes_on = resume and file is None and not given
        if dry_run and resume:
            raise click.UsageError("--dry-run shows what would begin, and --resume goes on with what has begun")
        plan = None if goes_on else _plan(file, given)
        with failing_in_words(BotNotFoundError, *failures):
            if plan is not None and dry_run:
                asyncio.run(show(plan, dask, Console()))
            else:
                asyncio.run(run(Wanted(plan, out, resume, address, tls, dask, host, words)))

    return tournament


def _plan(file: Path | None, flags: Mapping[str, object]) -> Plan:
    try:
        return plan_of(file, flags)
    except PlanError as error:
        raise click.UsageError(f"there is no plan in this:\n{error}") from None
    except OSError as error:
        raise click.UsageError(f"{file} cannot be read: {error.strerror}") from None
