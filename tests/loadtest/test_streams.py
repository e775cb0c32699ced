"""What is measured of streams is measured at a real referee."""

import pytest

from loadtest.growth import FEW, fill
from loadtest.processes import replica
from loadtest.streams import measure
from referee.games import registry
from referee.store.books import RedisBooks


@pytest.mark.parametrize(("matches", "watchers"), [(1, 20), (10, 10)])
async def test_every_watcher_is_counted(matches: int, watchers: int) -> None:
    """Of one match that many watch, and of many with a watcher each."""
    with replica() as one:
        figures = await measure(one, matches, watchers)
    assert figures.streams == watchers
    assert 0 < figures.p50_s <= figures.p99_s
    assert figures.message_bytes > 0
    assert figures.refused == 0


async def test_a_store_is_filled() -> None:
    with replica() as one:
        await fill(one.store, registry()["artsee"], FEW)
        books = RedisBooks(one.store)
        places, more = await books.listing(None, 2 * FEW)
        await books.close()
    assert (len(places), more) == (FEW, False)
