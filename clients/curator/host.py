"""The command `curator host`."""

import os

import click

from clients.curator import seats
from clients.curator.connection import tls_options
from clients.sdk import Principal, Tls
from clients.terminal.opening import NewMatch, begun
from clients.terminal.saved import new_folder
from clients.terminal.screen import Style
from clients.terminal.words import Words


@click.command()
@seats.ruleset_argument(required=True)
@click.option("--seats", "count", type=click.IntRange(2, 16), required=True, help="How many play.")
@seats.opponents("")
@seats.REFEREE
@seats.TOKEN_FILE
@seats.NAME
@seats.times
@seats.LANG
@seats.PLAIN
@tls_options
def host(
    ruleset: str,
    count: int,
    opponents: list[str],
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
    """Begins a match of RULESET that others sit down at, and plays its first seat.

    It tells with which command the others join. A referee that is started for it ends with the command; `curator play`
    goes on with the match.
    """
    if len(opponents) >= count:
        raise click.UsageError(f"{len(opponents)} opponents leave no seat open of {count}")
    with seats.telling(words):
        wanted = NewMatch(
            ruleset=ruleset,
            name=name,
            opponents=opponents,
            open_seats=count - 1 - len(opponents),
            time_control=seats.time_control(move_limit, bank, increment),
            address=address,
            tls=tls,
            principal=principal or Principal.new(),
        )
        folder = new_folder(os.environ)
        seats.sit(begun(wanted, folder), folder, Style.wanted(words, plain=plain))
