"""What several want to read at the same time is read once, for all of them or whoever of them still waits."""

import asyncio
import gc
from collections.abc import Coroutine
from typing import Any

import pytest

from referee.table.readings import Readings


class Book:
    """Something that is read: the how manyeth reading it was, once it is let go, or an error."""

    def __init__(self, error: Exception | None = None) -> None:
        self.read = 0
        self.let_go = asyncio.Event()
        self._error = error

    async def reading(self) -> int:
        self.read += 1
        await self.let_go.wait()
        if self._error is not None:
            raise self._error
        return self.read


async def wait_for(readings: Readings, book: Book, key: int, many: int) -> list[asyncio.Task[int]]:
    """Some who ask at the same time, and wait."""
    asked = [asyncio.create_task(readings.shared((key,), book.reading)) for _ in range(many)]
    for _ in range(2):  # until they have asked, and until the book is read
        await asyncio.sleep(0)
    return asked


async def outcomes(*asked: Coroutine[Any, Any, int] | asyncio.Task[int]) -> list[int | BaseException]:
    async with asyncio.timeout(10):
        return await asyncio.gather(*asked, return_exceptions=True)


async def test_all_who_ask_meanwhile_share_a_reading_and_who_comes_later_has_its_own() -> None:
    readings, book = Readings(), Book()
    asked = await wait_for(readings, book, key=1, many=3)
    book.let_go.set()
    assert await outcomes(*asked) == [1, 1, 1]
    assert await outcomes(readings.shared((1,), book.reading)) == [2]


async def test_what_has_another_key_is_read_by_itself() -> None:
    readings, book = Readings(), Book()
    asked = [*await wait_for(readings, book, key=1, many=1), *await wait_for(readings, book, key=2, many=1)]
    assert book.read == 2
    book.let_go.set()
    await outcomes(*asked)


async def test_whoever_goes_away_leaves_the_reading_to_the_others() -> None:
    """Also who has asked first."""
    readings, book = Readings(), Book()
    first, second = await wait_for(readings, book, key=1, many=2)
    first.cancel()
    book.let_go.set()
    gone, stayed = await outcomes(first, second)
    assert isinstance(gone, asyncio.CancelledError)
    assert stayed == 1


async def test_an_error_meets_all_who_wait() -> None:
    readings, error = Readings(), ValueError("torn")
    book = Book(error)
    asked = await wait_for(readings, book, key=1, many=2)
    book.let_go.set()
    assert await outcomes(*asked) == [error, error]


async def test_an_error_that_nobody_waits_for_is_not_complained_of(caplog: pytest.LogCaptureFixture) -> None:
    readings, book = Readings(), Book(ValueError("torn"))
    [gone] = await wait_for(readings, book, key=1, many=1)
    gone.cancel()
    await outcomes(gone)
    book.let_go.set()
    assert len(await outcomes(readings.shared((2,), book.reading))) == 1
    gc.collect()
    assert caplog.records == []
