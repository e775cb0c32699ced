"""The command `curator host`."""

import os

import click

from clients.curator import seats
from clients.curator.setting import Setting, setting
from clients.terminal.opening import begun
from clients.terminal.saved import new_folder


@click.command()
@seats.ruleset_argument(required=True)
@click.option("--seats", "count", type=click.IntRange(2, 16), required=True, help="How many play.")
@setting("")
def host(ruleset: str, count: int, setting: Setting) -> None:
    """Begins a match of RULESET that others sit down at, and plays its first seat.

    It tells with which command the others join. A referee that is started for it ends with the command; `curator play`
    goes on with the match.
    """
    open_seats = count - 1 - len(setting.opponents)
    if open_seats < 1:
        raise click.UsageError(f"{len(setting.opponents)} opponents leave no seat open of {count}")
    wanted = setting.match_of(ruleset, open_seats)
    with seats.telling(setting.words):
        style, folder = setting.style, new_folder(os.environ)
        seats.sit(begun(wanted, folder), folder, style)
