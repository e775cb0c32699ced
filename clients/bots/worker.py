"""A process that plays for one entrant: `python -m clients.bots.worker BOT HOST:PORT [CA CERT KEY]`.

It plays all seats of the entrant's principal, whose token comes in the environment as CURATOR_TOKEN, until standard
input ends. With the three files it speaks TLS; one that there is not is given as "". A bot that fails costs its seat
and a line on standard error.
"""

import asyncio
import os
import sys
from pathlib import Path

from clients.bots.load import load_bot
from clients.sdk import Bot, BotError, Budget, CallError, Principal, RefereeClient, Runner, Tls

TOKEN_VARIABLE = "CURATOR_TOKEN"  # noqa: S105 - the name of a variable


async def work(bot: type[Bot], address: str, principal: Principal, tls: Tls | None) -> None:
    """Plays until standard input ends."""
    stdin = asyncio.StreamReader()
    await asyncio.get_running_loop().connect_read_pipe(lambda: asyncio.StreamReaderProtocol(stdin), sys.stdin)
    async with RefereeClient(address, principal, tls=tls) as client, asyncio.TaskGroup() as group:
        playing = group.create_task(Runner(client, bot, Budget(), _report).run())
        await stdin.read()
        playing.cancel()


def _report(match_id: str, seat: int, error: BotError) -> None:
    sys.stderr.write(f"match {match_id}, seat {seat}: {error}\n")


def main() -> None:
    """Runs the process."""
    name, address, *files = sys.argv[1:]
    tls = Tls(*(Path(file) if file else None for file in files)) if files else None
    try:
        asyncio.run(work(load_bot(name), address, Principal.from_token(os.environ.pop(TOKEN_VARIABLE)), tls))
    except* CallError as errors:
        sys.exit(f"{name} stops: {errors.exceptions[0]}")


if __name__ == "__main__":
    main()
