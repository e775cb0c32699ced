"""The command `curator play`."""

import os
import sys
from contextlib import AbstractAsyncContextManager

import click

from clients.curator import seats
from clients.curator.connection import tls_options
from clients.sdk import Principal, Tls
from clients.terminal.opening import NewMatch, Table, begun, joined, resumed
from clients.terminal.pages import unfinished_question
from clients.terminal.saved import Folder, SavedMatch, address_of, latest, new_folder
from clients.terminal.screen import Style
from clients.terminal.words import Words
from referee.games import registry


@click.command()
@seats.ruleset_argument(required=False)
@seats.opponents("greedy,random")
@click.option("--match", "match_id", metavar="ID", help="A match to sit down at, or to go on with.")
@click.option("--seat", type=click.IntRange(0), help="Which seat of it, from 0.", show_default="the first open one")
@click.option("--new", is_flag=True, help="Begin another match though one is unfinished.")
@seats.REFEREE
@seats.TOKEN_FILE
@seats.NAME
@seats.times
@seats.LANG
@seats.PLAIN
@tls_options
def play(
    ruleset: str | None,
    opponents: list[str],
    match_id: str | None,
    seat: int | None,
    new: bool,
    address: str | None,
    principal: Principal | None,
    name: str,
    words: Words,
    plain: bool,
    tls: Tls | None,
    move_limit: int,
    bank: int,
    increment: int,
) -> None:
    """Plays a match in the terminal: of RULESET against bots, one that is unfinished, or --match.

    Closing the terminal loses nothing: `curator play` goes on with the match.
    """
    with seats.telling(words):
        style = Style.wanted(words, plain=plain)
        if match_id is not None:
            seats.sit(*_sat_down(match_id, seat, name, address, tls, principal), style)
            return
        if (going_on := None if new else _gone_on(ruleset, style)) is not None:
            folder, match = going_on
            seats.sit(resumed(match, folder), folder, style)
            return
        if ruleset is None:
            raise click.UsageError(f"no match is unfinished: name a ruleset, of {', '.join(registry())}")
        wanted = NewMatch(
            ruleset=ruleset,
            name=name,
            opponents=opponents,
            time_control=seats.time_control(move_limit, bank, increment),
            address=address,
            tls=tls,
            principal=principal or Principal.new(),
        )
        folder = new_folder(os.environ)
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


def _sat_down(
    match_id: str, seat: int | None, name: str, address: str | None, tls: Tls | None, principal: Principal | None
) -> tuple[AbstractAsyncContextManager[Table], Folder]:
    """Returns the table of a match that is gone on with, or of one at which a seat is taken."""
    if principal is None:
        found = latest(os.environ, lambda match: match.match_id == match_id and seat in (None, match.seat))
        if found is not None:
            folder, match = found
            return resumed(match, folder), folder
    place = address or address_of(match_id, os.environ)
    if place is None:
        raise click.UsageError("no match of this id began here: name the referee that has it, with --referee")
    folder = new_folder(os.environ)
    return joined(match_id, seat, name, place, tls, principal or Principal.new(), folder), folder
