"""A process that plays for one entrant: `python -m clients.bots.worker [--iterations N] [--seconds S] BOT`.

It plays all seats of the principal that its environment names, until standard input ends; see `Connection`. A bot that
fails costs its seat and a line on standard error. With --describe it prints the bot's name and version as JSON instead,
or an error, for those who do not want to load it themselves.
"""

import asyncio
import gc
import json
import os
import sys
from argparse import ArgumentParser
from typing import Final

from clients.bots.connection import Connection, ConnectionVariablesError
from clients.bots.load import BotNotFoundError, load_bot
from clients.sdk import Bot, BotError, Budget, CallError, RefereeClient, Runner, TlsError

_FAILURES: Final = (BotNotFoundError, CallError, ConnectionVariablesError, TlsError)


async def work(bot: type[Bot], budget: Budget, connection: Connection) -> None:
    """Plays until standard input ends."""
    stdin = asyncio.StreamReader()
    await asyncio.get_running_loop().connect_read_pipe(lambda: asyncio.StreamReaderProtocol(stdin), sys.stdin)
    async with RefereeClient(connection.address, connection.principal, tls=connection.tls) as client:
        async with asyncio.TaskGroup() as group:
            playing = group.create_task(Runner(client, bot, budget, _report).run())
            await stdin.read()
            playing.cancel()


def _budget(bot: type[Bot], seconds: float | None, iterations: int | None) -> Budget:
    """Returns what is given; if nothing is, what the bot takes by itself in its attribute `budget`, if it has one."""
    if seconds is None and iterations is None:
        own: Budget = getattr(bot, "budget", Budget())
        return own
    return Budget(seconds, iterations)


def _report(match_id: str, seat: int, error: BotError) -> None:
    sys.stderr.write(f"match {match_id}, seat {seat}: {error}\n")
    sys.stderr.flush()


def _describe(name: str) -> None:
    """Prints what a bot calls itself, or why it is none; what it says while it is loaded goes to standard error."""
    answer = os.dup(sys.stdout.fileno())
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())
    try:
        bot = load_bot(name)()
        described = {"name": str(bot.name), "version": str(bot.version)}
    except BotNotFoundError as error:
        described = {"error": str(error)}
    except Exception as error:
        described = {"error": f"{name} cannot be made: {type(error).__name__}: {error}"}
    with os.fdopen(answer, "w") as output:
        json.dump(described, output)


def main() -> None:
    """Runs the process."""
    parser = ArgumentParser(prog="clients.bots.worker")
    parser.add_argument("--describe", action="store_true")
    parser.add_argument("--iterations", type=int)
    parser.add_argument("--seconds", type=float)
    parser.add_argument("bot")
    wanted = parser.parse_args()
    failure: BaseException | None = None
    try:
        if wanted.describe:
            _describe(wanted.bot)
        else:
            connection, bot = Connection.taken_from(os.environ), load_bot(wanted.bot)
            gc.freeze()  # what was loaded is here for good: to look at it again would make moves late
            asyncio.run(work(bot, _budget(bot, wanted.seconds, wanted.iterations), connection))
    except* _FAILURES as errors:
        failure = errors.exceptions[0]
    if failure is not None:  # some versions of Python would put an exit from there into a group
        sys.exit(str(failure))


if __name__ == "__main__":
    main()
