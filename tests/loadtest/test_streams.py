"""What is measured of streams is measured at a real referee."""

import asyncio
from collections.abc import Callable, Coroutine

import pytest

from loadtest.growth import FEW, fill
from loadtest.processes import Replica, empty_store, replica
from loadtest.streams import FLOOR, MANY, ONE, SEAT, Figures, of_many_matches, of_one_match, of_one_seat
from referee.games import registry
from referee.store.books import RedisBooks


@pytest.mark.parametrize(
    ("measure", "names"), [(of_one_match, {ONE, FLOOR}), (of_many_matches, {MANY}), (of_one_seat, {SEAT})]
)
def test_every_watcher_is_counted(
    measure: Callable[[Replica, int], Coroutine[None, None, dict[str, Figures]]], names: set[str]
) -> None:
    """Of one match that many watch, here and at the floor; of many with a watcher each; and of one seat."""
    with replica() as one:
        measured = asyncio.run(measure(one, 20))
    assert measured.keys() == names
    for figures in measured.values():
        assert (figures.streams, figures.refused) == (20, 0)
        assert 0 < figures.p50_s <= figures.p99_s
        assert figures.delivery_us > 0
        assert figures.watcher_us > 0
    assert len({figures.message_bytes for figures in measured.values()}) == 1


async def test_a_store_is_filled() -> None:
    with empty_store() as url:
        await fill(url, registry()["artsee"], FEW)
        books = RedisBooks(url)
        places, more = await books.listing(None, 2 * FEW)
        await books.close()
    assert (len(places), more) == (FEW, False)
