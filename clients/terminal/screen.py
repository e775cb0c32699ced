"""How a match is shown: on the whole screen, or line by line where there is none."""

import sys
from collections.abc import Sequence
from dataclasses import dataclass
from importlib.util import find_spec

import click

from artreferee.v1 import record_pb2
from clients.sdk import RefereeClient
from clients.terminal.line import LineTerminal
from clients.terminal.opening import Table
from clients.terminal.records import written
from clients.terminal.scene import Scene
from clients.terminal.typed import TypedLines
from clients.terminal.words import Words


class NoScreenError(Exception):
    """The package that draws on the whole screen is not installed."""


@dataclass(frozen=True, slots=True)
class Style:
    """How to show.

    Attributes:
        words: the language.
        plain: line by line.

    Raises:
        NoScreenError: it cannot be shown so.
    """

    words: Words
    plain: bool

    def __post_init__(self) -> None:
        if not self.plain and find_spec("textual") is None:
            raise NoScreenError("the table needs `pip install 'artreferee[terminal]'`; --plain does without")

    @classmethod
    def wanted(cls, words: Words, *, plain: bool) -> "Style":
        """Returns how to show here: where input or output is no terminal only lines do."""
        return cls(words, plain or not (sys.stdin.isatty() and sys.stdout.isatty()))


async def play(table: Table, style: Style) -> Scene:
    """Plays at a table until whoever plays leaves; returns what is known of the last match then."""
    if not style.plain:
        from clients.terminal.app import TableApp  # takes a second, and may not be installed

        return await TableApp(table.client, table.match.match_id, table.match.seat, style.words, table).show()
    with TypedLines(sys.stdin.fileno()) as typed:
        terminal = LineTerminal(table.client, style.words, click.echo, typed)
        while True:
            scene = await terminal.follow(table.match.match_id, table.match.seat, table.invitation)
            if scene.over and await terminal.agrees(style.words.told("Write its record into a file?")):
                click.echo(await written(table.client, table.match.match_id, style.words))
            if not (scene.over and table.match.hosted and await terminal.agrees(style.words.told("Another match?"))):
                return scene
            await table.play_again()


async def watch(client: RefereeClient, match_id: str, style: Style) -> Scene:
    """Watches a match to its end, or until whoever watches leaves."""
    if not style.plain:
        from clients.terminal.app import TableApp

        return await TableApp(client, match_id, None, style.words).show()
    with TypedLines(sys.stdin.fileno()) as typed:
        return await LineTerminal(client, style.words, click.echo, typed).follow(match_id, None)


async def look_back(records: Sequence[record_pb2.MatchRecord], words: Words) -> None:
    """Steps through recorded matches, of which there is at least one, on the whole screen."""
    from clients.terminal.replaying import ReplayApp

    await ReplayApp(records, words).run_async()
