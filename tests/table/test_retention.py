"""What has ended or was abandoned leaves nothing behind, however much there was of it."""

import asyncio
import os
import secrets
from collections.abc import AsyncIterator, Mapping
from pathlib import Path
from typing import Final

import pytest

from referee.store.books import RedisBooks
from referee.table.administration import Usage
from referee.table.ids import Principal
from referee.table.matches import Limits
from referee.table.table import Table
from tests.servers import eventually, store_server, usual_server
from tests.table.night import Night
from tests.table.sitting import GAMES

LIFETIME_MS: Final = 2_000  # long enough to end a match in on a busy machine
GONE_WITHIN_S: Final = 30.0
AT_ONCE: Final = 20
INDEX_KEYS: Final = 3 * 256 + 8  # of the buckets, and of the service itself
OF_MATCHES: Final = {"match", "log", "inbox", "inbox of ended matches"}


@pytest.fixture
async def books() -> AsyncIterator[RedisBooks]:
    with store_server(usual_server()) as server:
        found = RedisBooks(server.url)
        yield found
        await found.close()


async def play(night: Night, matches: int) -> None:
    """Half of the matches end; of the others a seat is open, or nobody moves."""
    places = asyncio.Semaphore(AT_ONCE)

    async def one(number: int) -> None:
        players = [Principal(secrets.token_bytes(32)) for _ in range(2)]
        async with places:
            match_id = await night.match(players[0], players[1] if number % 4 else None)
            if number % 4 >= 2:
                await night.table.resign(players[0], match_id, "r", None)

    await asyncio.gather(*(one(number) for number in range(matches)))


async def left(books: RedisBooks) -> Mapping[str, Usage]:
    """What is kept when all matches are gone."""

    async def are_gone() -> bool:
        few: bool = await books._send("DBSIZE") <= INDEX_KEYS
        return few and not OF_MATCHES & (await books.usage()).keys()

    await eventually(are_gone, GONE_WITHIN_S)
    return await books.usage()


def resident_bytes() -> int:
    return int(Path("/proc/self/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")


@pytest.mark.parametrize(
    ("generations", "matches"),
    [pytest.param(3, 700, id="2,100 matches"), pytest.param(10, 1_000, id="10,000 matches", marks=pytest.mark.long)],
)
async def test_many_matches_leave_no_more_than_few(books: RedisBooks, generations: int, matches: int) -> None:
    """When they are gone keys and the store's memory are as after the first of them.

    This process's memory is as after half of them: what it remembers of matches is bounded, and fills up first.
    """
    night = Night(books, [Table(books, GAMES, Limits(idle_ms=LIFETIME_MS, retention_ms=LIFETIME_MS, cached=100))])
    kept = list[Mapping[str, Usage]]()
    resident = list[int]()
    for _ in range(generations):
        await play(night, matches)
        kept.append(await left(books))
        resident.append(resident_bytes())
    keys, sizes = ([sum(use[part] for use in usage.values()) for usage in kept] for part in range(2))
    assert max(keys) <= INDEX_KEYS
    assert max(sizes) <= 1.2 * sizes[0]
    assert resident[-1] - resident[generations // 2] < 3 * 2**20
