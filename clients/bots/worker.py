"""A process that plays for one entrant: `python -m clients.bots.worker BOT HOST:PORT`.

It reads "MATCH_ID SEAT" lines from standard input, plays those seats side by side, and stops at the end of the input.
The entrant's token comes in the environment as CURATOR_TOKEN. A bot that fails costs its seat and a line on standard
error.
"""

import asyncio
import os
import random
import sys

from clients.bots.load import load_bot
from clients.sdk import Bot, BotError, Budget, CallError, Principal, RefereeClient, play_seat

TOKEN_VARIABLE = "CURATOR_TOKEN"  # noqa: S105 - the name of a variable


async def work(bot: type[Bot], address: str, principal: Principal) -> None:
    """Plays the seats that standard input names, until it ends."""
    loop = asyncio.get_running_loop()
    lines = asyncio.StreamReader()
    await loop.connect_read_pipe(lambda: asyncio.StreamReaderProtocol(lines), sys.stdin)
    async with RefereeClient(address, principal) as client, asyncio.TaskGroup() as seats:
        tasks = set[asyncio.Task[None]]()
        while line := await lines.readline():
            match_id, seat = line.decode().split()
            task = seats.create_task(_play(client, match_id, int(seat), bot()))
            tasks.add(task)
            task.add_done_callback(tasks.discard)
        for task in tasks:
            task.cancel()


async def _play(client: RefereeClient, match_id: str, seat: int, bot: Bot) -> None:
    try:
        await play_seat(client, match_id, seat, bot, Budget(), random.Random())  # never seeded by the deal
    except BotError as error:
        sys.stderr.write(f"match {match_id}, seat {seat}: {error}\n")


def main() -> None:
    """Runs the process."""
    name, address = sys.argv[1:]
    try:
        asyncio.run(work(load_bot(name), address, Principal.from_token(os.environ.pop(TOKEN_VARIABLE))))
    except* CallError as errors:
        sys.exit(f"{name} stops: {errors.exceptions[0]}")


if __name__ == "__main__":
    main()
