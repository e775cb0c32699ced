"""What operators ask of a store: all its matches, the audit log, what everything takes."""

from collections.abc import AsyncIterator

import pytest
from redis import Redis

from referee.store.books import RedisBooks
from referee.store.keys import kind_of
from referee.table.administration import Deed, Usage
from referee.table.ids import bucket_of
from tests.store.writes import any_match, any_principal, match_in, write_of, written


@pytest.fixture
async def books(url: str) -> AsyncIterator[RedisBooks]:
    found = RedisBooks(url)
    yield found
    await found.close()


def deed(number: int) -> Deed:
    return Deed("operator", "abort", any_match(), f"reason {number}, “quoted” and\nbroken")


async def test_all_matches_of_a_bucket_are_told(books: RedisBooks) -> None:
    """Those that nobody may find by the listing too."""
    there = {match_in(7) for _ in range(20)}
    for match_id in there:
        await written(books, write_of(match_id))
    assert set(await books.kept(7)) == there
    assert await books.kept(8) == []


async def test_the_audit_log_keeps_the_order_of_the_deeds(books: RedisBooks) -> None:
    """Each as it was noted, behind a time of the store's clock that never goes back."""
    deeds = [deed(number) for number in range(5)]
    for each in deeds:
        await books.note(each)
    noted = [entry async for entry in books.noted()]
    assert [entry.deed for entry in noted] == deeds
    times = [entry.time_ms for entry in noted]
    assert times == sorted(times)


async def test_a_long_audit_log_is_told_whole(books: RedisBooks, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("referee.store.books._AT_ONCE", 3)
    deeds = [deed(number) for number in range(10)]
    for each in deeds:
        await books.note(each)
    assert [entry.deed async for entry in books.noted()] == deeds


async def test_an_empty_audit_log(books: RedisBooks) -> None:
    assert [entry async for entry in books.noted()] == []


async def test_usage_is_told_by_kinds_of_keys(books: RedisBooks, url: str) -> None:
    """The bytes are those that the server itself tells of its keys."""
    match_id, ended = any_match(), any_match()
    await written(books, write_of(match_id, entries=[b"entry"], principals=[any_principal(), any_principal()]))
    await written(books, write_of(ended, principals=[any_principal()], over=True))
    await books.note(deed(1))
    usage = await books.usage()
    counts = {kind: use.keys for kind, use in usage.items()}
    buckets = len({bucket_of(match_id), bucket_of(ended)})
    assert counts == {
        "match": 2,
        "log": 1,
        "inbox": 2,
        "inbox of ended matches": 1,
        "listing": buckets,
        "expiry": buckets,
        "audit": 1,
    }
    with Redis.from_url(url) as server:
        sizes = [server.memory_usage(key, samples=0) for key in server.scan_iter()]
    assert sum(use.bytes for use in usage.values()) == sum(sizes)


async def test_an_empty_store_takes_nothing(books: RedisBooks) -> None:
    assert await books.usage() == dict[str, Usage]()


@pytest.mark.parametrize("key", ["", "a", "{b:00}:beat", "a:b:c:d", "s:00"])
def test_other_keys_are_told_as_such(key: str) -> None:
    assert kind_of(key) == "other"
