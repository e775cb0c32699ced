"""Owns an embedded store and writes to it until it is killed: `python -m tests.store.acknowledger DIRECTORY FSYNC`.

Its standard output tells the URL, and then a line "WRITER MOVES" for each write that the store has acknowledged. At
SIGINT it says "interrupted", writes `LAST_WRITES` times more with each writer, stops the store and ends.
"""

import asyncio
import signal
import sys
from pathlib import Path

from referee.store import embedded
from referee.store.redis_store import RedisStore
from referee.table.ids import MatchId, Principal, match_id_of
from referee.table.store import Header, Write

WRITERS = 4
LAST_WRITES = 50


def match_of(writer: int) -> MatchId:
    """Returns the match that a writer writes."""
    return match_id_of(Principal(bytes(32)), f"writer-{writer}")


def move_of(number: int) -> bytes:
    """Returns the log entry with a number, from 1."""
    return b"move %d" % number


def say(line: str) -> None:
    """Tells the parent, at once."""
    sys.stdout.write(line + "\n")
    sys.stdout.flush()


async def write(store: RedisStore, writer: int, interrupted: asyncio.Event) -> None:
    """Writes one entry after the other, each acknowledged before the next."""
    header, number, left = None, 0, LAST_WRITES
    while left:
        left -= interrupted.is_set()
        number += 1
        fields = {"state": b"%d" % number}
        outcome = await store.write(
            Write(match_of(writer), header, number.to_bytes(8, "big"), fields, [move_of(number)], number, (), 60_000)
        )
        assert isinstance(outcome, Header), f"nobody else writes this match, but there is {outcome}"
        header = outcome
        say(f"{writer} {number}")


async def run(url: str) -> None:
    """Runs all writers until they are interrupted."""
    interrupted = asyncio.Event()

    def interrupt() -> None:
        say("interrupted")
        interrupted.set()

    asyncio.get_running_loop().add_signal_handler(signal.SIGINT, interrupt)
    store = RedisStore(url)
    say(url)
    async with asyncio.TaskGroup() as group:
        for writer in range(WRITERS):
            group.create_task(write(store, writer, interrupted))
    await store.close()


if __name__ == "__main__":
    owned = embedded.start(Path(sys.argv[1]), sys.argv[2])
    asyncio.run(run(owned.url))
    owned.stop()
