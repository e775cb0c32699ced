"""What the commands have in common by which people play and watch."""

import asyncio
from collections.abc import Callable, Iterator
from contextlib import AbstractAsyncContextManager, contextmanager
from pathlib import Path
from typing import Final

import click

from artreferee.v1 import match_pb2
from clients.bots.load import BotNotFoundError, bot_file, load_bot
from clients.curator.connection import address_of, principal_of
from clients.curator.failing import failing_in_words
from clients.curator.language import language_option
from clients.local import LocalRefereeError
from clients.replay import ReplayError
from clients.sdk import CallError
from clients.terminal import refusals, screen
from clients.terminal.opening import Table, usual_name
from clients.terminal.opponents import OpponentError
from clients.terminal.pages import kept_line
from clients.terminal.saved import Folder, SavedError
from clients.terminal.scene import Scene
from clients.terminal.screen import NoScreenError, Style
from clients.terminal.words import Words
from referee.games import registry
from referee.wire.record import RecordError

_FAILURES: Final = (
    BotNotFoundError,
    CallError,
    LocalRefereeError,
    NoScreenError,
    OpponentError,
    OSError,
    RecordError,
    ReplayError,
    SavedError,
)
_FILE: Final = click.Path(exists=True, dir_okay=False, path_type=Path)


@contextmanager
def telling(words: Words) -> Iterator[None]:
    """Turns what these commands may fail of into a sentence."""

    def tell(error: BaseException) -> str:
        return refusals.told(error, words) if isinstance(error, CallError) else str(error)

    with failing_in_words(*_FAILURES, tell=tell):
        yield


def _bots(context: click.Context, parameter: click.Parameter, text: str) -> list[str]:
    bots = [word.strip() for word in text.split(",") if word.strip()]
    try:
        for bot in bots:
            bot_file(bot) if ":" in bot else load_bot(bot)
    except BotNotFoundError as error:
        raise click.BadParameter(str(error)) from None
    return bots


def _ruleset(context: click.Context, parameter: click.Parameter, name: str | None) -> str | None:
    if name is not None and name not in registry() and context.params.get("address") is None:
        raise click.BadParameter(f"there is no ruleset {name!r}, only {', '.join(registry())}")
    return name


REFEREE: Final = click.option(
    "--referee",
    "address",
    callback=address_of,
    is_eager=True,
    metavar="HOST:PORT",
    help="The referee; without it the one that has the match, or one that is started.",
)
TOKEN_FILE: Final = click.option(
    "--token-file", "principal", callback=principal_of, type=_FILE, help="Has the token of whoever plays."
)
LANG: Final = language_option("The language.")
PLAIN: Final = click.option("--plain", is_flag=True, help="Line by line, for pipes and screen readers.")
NAME: Final = click.option(
    "--name", default=usual_name, metavar="TEXT", help="What others call you.", show_default="the account's"
)
_TIMES: Final = (
    click.option("--move-limit", type=click.IntRange(0), default=0, metavar="MS", help="Time for each move."),
    click.option("--bank", type=click.IntRange(0), default=0, metavar="MS", help="Time for all moves of a match."),
    click.option("--increment", type=click.IntRange(0), default=0, metavar="MS", help="Added after each move."),
)


def ruleset_argument(*, required: bool) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Lets a command take the name of a ruleset."""
    return click.argument("ruleset", required=required, callback=_ruleset)


def opponents(usual: str) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Lets a command take bots as opponents."""
    return click.option(
        "--opponents", callback=_bots, metavar="A,B", help="Bots: names or FILE.py:CLASS.", default=usual
    )


def times(command: Callable[..., None]) -> Callable[..., None]:
    """Lets a command limit time."""
    for option in reversed(_TIMES):
        command = option(command)
    return command


def time_control(move_limit: int, bank: int, increment: int) -> match_pb2.TimeControl | None:
    """Returns the limits of time; None without any."""
    if not (move_limit or bank or increment):
        return None
    return match_pb2.TimeControl(move_limit_ms=move_limit, bank_ms=bank, increment_ms=increment)


def sit(table: AbstractAsyncContextManager[Table], folder: Folder, style: Style) -> None:
    """Plays at a table, and tells how it ended or that the match is kept."""
    with folder:
        scene = asyncio.run(_play(table, style))
        if scene.over or scene.gone:
            folder.remove()
        elif scene.error is None:
            click.echo(kept_line(style.words))
    conclude(scene)


async def _play(table: AbstractAsyncContextManager[Table], style: Style) -> Scene:
    async with table as open_table:
        return await screen.play(open_table, style)


def conclude(scene: Scene) -> None:
    """Tells how a match ended, or why nothing more is told of it."""
    for line in scene.drawing.standings(scene.match):
        click.echo(line)
    if scene.error is not None:
        raise scene.error
