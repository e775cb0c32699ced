"""The command `curator play`."""

import os
import sys
from contextlib import AbstractAsyncContextManager

import click

from clients.curator import seats
from clients.curator.setting import Setting, setting
from clients.sdk import Principal
from clients.terminal.opening import Table, begun, joined, resumed
from clients.terminal.pages import unfinished_question
from clients.terminal.saved import Folder, SavedMatch, address_of, latest, new_folder
from clients.terminal.screen import Style
from referee.games import registry


@click.command()
@seats.ruleset_argument(required=False)
@click.option("--match", "match_id", metavar="ID", help="A match to sit down at, or to go on with.")
@click.option("--seat", type=click.IntRange(0), help="Which seat of it, from 0.", show_default="the first open one")
@click.option("--new", is_flag=True, help="Begin another match though one is unfinished.")
@setting("greedy,random")
def play(ruleset: str | None, match_id: str | None, seat: int | None, new: bool, setting: Setting) -> None:
    """Plays a match in the terminal: of RULESET against bots, one that is unfinished, or --match.

    Closing the terminal loses nothing: `curator play` goes on with the match.
    """
    with seats.telling(setting.words):
        style = setting.style
        if match_id is not None:
            seats.sit(*_sat_down(match_id, seat, setting), style)
            return
        if (going_on := None if new else _gone_on(ruleset, style)) is not None:
            folder, match = going_on
            seats.sit(resumed(match, folder), folder, style)
            return
        if ruleset is None:
            raise click.UsageError(f"no match is unfinished: name a ruleset, of {', '.join(registry())}")
        wanted, folder = setting.match_of(ruleset), new_folder(os.environ)
        seats.sit(begun(wanted, folder), folder, style)


def _gone_on(ruleset: str | None, style: Style) -> tuple[Folder, SavedMatch] | None:
    """Returns an unfinished match, if that is to be gone on with."""
    found = latest(os.environ, lambda match: ruleset in (None, match.ruleset))
    if found is None or ruleset is None:
        return found
    folder, match = found
    if sys.stdin.isatty() and click.confirm(unfinished_question(match.match_id, style.words), default=True):
        return found
    folder.close()
    return None


def _sat_down(match_id: str, seat: int | None, setting: Setting) -> tuple[AbstractAsyncContextManager[Table], Folder]:
    """Returns the table of a match that is gone on with, or of one at which a seat is taken."""
    if setting.principal is None:
        found = latest(os.environ, lambda match: match.match_id == match_id and seat in (None, match.seat))
        if found is not None:
            folder, match = found
            return resumed(match, folder), folder
    place = setting.address or address_of(match_id, os.environ)
    if place is None:
        raise click.UsageError("no match of this id began here: name the referee that has it, with --referee")
    principal, folder = setting.principal or Principal.new(), new_folder(os.environ)
    return joined(match_id, seat, setting.name, place, setting.tls, principal, folder), folder
