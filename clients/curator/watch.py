"""The command `curator watch`."""

import asyncio
import os

import click

from clients.curator import seats
from clients.curator.connection import tls_options
from clients.sdk import Principal, RefereeClient, Tls
from clients.terminal import screen
from clients.terminal.saved import address_of
from clients.terminal.scene import Scene
from clients.terminal.screen import Style
from clients.terminal.words import Words


@click.command()
@click.argument("match_id")
@seats.REFEREE
@seats.TOKEN_FILE
@seats.LANG
@seats.PLAIN
@tls_options
def watch(
    match_id: str, address: str | None, principal: Principal | None, words: Words, plain: bool, tls: Tls | None
) -> None:
    """Watches a match as all may see it. A private one is shown to those only whose token it knows."""
    place = address or address_of(match_id, os.environ)
    if place is None:
        raise click.UsageError("no match of this id began here: name the referee that has it, with --referee")
    with seats.telling(words):
        style = Style.wanted(words, plain=plain)
        seats.conclude(asyncio.run(_watch(place, match_id, principal, tls, style)))


async def _watch(address: str, match_id: str, principal: Principal | None, tls: Tls | None, style: Style) -> Scene:
    async with RefereeClient(address, principal, tls=tls) as client:
        return await screen.watch(client, match_id, style)
