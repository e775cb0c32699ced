"""The command `curator bot`."""

import asyncio
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from typing import Final

import click

from artreferee.v1 import service_pb2
from clients import child
from clients.bots.connection import Connection
from clients.bots.load import BotNotFoundError, bot_file, load_bot
from clients.curator.connection import address_of, principal_of, tls_options
from clients.curator.failing import failing_in_words
from clients.sdk import CallError, MatchAbortedError, Principal, RefereeClient, Tls
from clients.tournament.players import Launch

_STOP_WITHIN_S: Final = 5.0
_FILE: Final = click.Path(exists=True, dir_okay=False, path_type=Path)


class BotEndedError(Exception):
    """The process of a bot that ended by itself; the text says with which exit code."""


def _known(context: click.Context, parameter: click.Parameter, name: str) -> str:
    try:
        bot_file(name) if ":" in name else load_bot(name)
    except BotNotFoundError as error:
        raise click.BadParameter(str(error)) from None
    return name


@click.command()
@click.argument("name", callback=_known)
@click.option(
    "--referee", "address", required=True, callback=address_of, metavar="HOST:PORT", help="The referee to play at."
)
@click.option("--match", "match_id", metavar="ID", help="Take an open seat of this match, and end with it.")
@click.option("--token-file", "principal", callback=principal_of, type=_FILE, help="Has the token of whoever plays.")
@click.option("--seconds", type=click.FloatRange(0), help="Time for each move.", show_default="the bot's own")
@click.option("--iterations", type=click.IntRange(1), help="Steps of a search for each move.")
@tls_options
def bot(
    name: str,
    address: str,
    match_id: str | None,
    principal: Principal | None,
    seconds: float | None,
    iterations: int | None,
    tls: Tls | None,
) -> None:
    """Has a bot play: NAME is one of ours, such as mcts@50ms, or FILE.py:CLASS.

    It plays all seats that its principal has and is given, in any number of matches at once, until Ctrl-C.
    """
    limits = [("--iterations", iterations), ("--seconds", seconds)]
    given = [part for flag, limit in limits if limit is not None for part in (flag, str(limit))]
    connection = Connection(address, principal or Principal.new(), tls)
    launch = Launch(("-m", "clients.bots.worker", *given, name), connection.variables, python=True)
    with failing_in_words(BotEndedError, CallError, MatchAbortedError), suppress(KeyboardInterrupt):
        asyncio.run(_play(launch, connection, name, match_id))


async def _play(launch: Launch, connection: Connection, name: str, match_id: str | None) -> None:
    async with RefereeClient(connection.address, connection.principal, tls=connection.tls) as client:
        if match_id is not None:
            request = service_pb2.JoinMatchRequest(match_id=match_id, display_name=name.rpartition(":")[2][:32])
            joined = await client.join_match(request)
            click.echo(f"{name} has seat {joined.seat} of match {match_id}")
        else:
            click.echo(f"{name} plays as {connection.principal.hash.hex()}")
        async with _started(launch) as process:
            ended = asyncio.create_task(process.wait())
            over = None if match_id is None else asyncio.create_task(client.result_of(match_id))
            await asyncio.wait([task for task in (ended, over) if task], return_when=asyncio.FIRST_COMPLETED)
            if over is None or not over.done():
                raise BotEndedError(f"{name} has ended with exit code {await ended}")
            places = [seat.rank for seat in over.result().seats]
            click.echo(f"it is over: the seats have the places {', '.join(map(str, places))}")


@asynccontextmanager
async def _started(launch: Launch) -> AsyncIterator[asyncio.subprocess.Process]:
    """Runs a process for a block; it knows nothing of this one's environment but where and as whom to play."""
    process = await asyncio.create_subprocess_exec(
        sys.executable,
        *launch.command,
        stdin=asyncio.subprocess.PIPE,  # it ends with us, however we end
        start_new_session=True,
        cwd=launch.directory,
        env=launch.environment(),
    )
    try:
        yield process
    finally:
        await child.end(process, _STOP_WITHIN_S)
