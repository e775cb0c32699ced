"""What is measured of streams is measured at a real referee."""

import asyncio

import pytest

from loadtest.growth import FEW, fill
from loadtest.processes import empty_store, replica
from loadtest.streams import measure
from referee.games import registry
from referee.store.books import RedisBooks


@pytest.mark.parametrize(("matches", "watchers"), [(1, 20), (10, 10)])
def test_every_watcher_is_counted(matches: int, watchers: int) -> None:
    """Of one match that many watch, and of many with a watcher each."""
    with replica() as one:
        figures = asyncio.run(measure(one, matches, watchers))
    assert figures.streams == watchers
    assert 0 < figures.p50_s <= figures.p99_s
    assert figures.message_bytes > 0
    assert figures.refused == 0


async def test_a_store_is_filled() -> None:
    with empty_store() as url:
        await fill(url, registry()["artsee"], FEW)
        books = RedisBooks(url)
        places, more = await books.listing(None, 2 * FEW)
        await books.close()
    assert (len(places), more) == (FEW, False)
