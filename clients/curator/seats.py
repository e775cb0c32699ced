"""What the commands have in common by which people play and watch."""

import asyncio
from collections.abc import Callable, Iterator
from contextlib import AbstractAsyncContextManager, contextmanager
from pathlib import Path
from typing import Final

import click

from clients.bots.load import BotNotFoundError
from clients.curator.connection import address_of, principal_of
from clients.curator.failing import failing_in_words
from clients.curator.language import language_option
from clients.local import LocalRefereeError
from clients.replay import ReplayError
from clients.sdk import CallError
from clients.terminal import refusals, screen
from clients.terminal.opening import Table
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


def ruleset_argument(*, required: bool) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Lets a command take the name of a ruleset."""
    return click.argument("ruleset", required=required, callback=_ruleset)


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
