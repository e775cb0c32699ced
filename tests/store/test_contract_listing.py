"""What every store promises of its listing and of the inboxes."""

import asyncio
import secrets
from collections import Counter
from collections.abc import Awaitable, Callable, Sequence

import pytest

from referee.table.ids import MatchId, Principal, bucket_of
from referee.table.store import Header, Listed, Store, Stored
from tests.servers import eventually
from tests.store.conftest import NewStore
from tests.store.test_contract import is_gone, later_than
from tests.store.writes import BRIEF_MS, SHORT_MS, any_match, any_principal, match_in, write_of, written

Page = tuple[list[Listed], bool]
Reader = Callable[[Listed | None, int], Awaitable[Page]]
PAGE_SIZES = (1, 2, 3, 7, 1_000)


async def all_of(read: Reader, count: int) -> list[Listed]:
    """Follows the pages to the end."""
    found: list[Listed] = []
    after, more = None, True
    while more:
        page, more = await read(after, count)
        assert len(page) <= count
        assert page or not more
        found += page
        after = page[-1] if page else after
    return found


async def place_of(store: Store, match_id: MatchId) -> Listed:
    """Where the contract says that a match stands in the listing."""
    stored = await store.load(match_id)
    assert stored is not None
    return Listed(bucket_of(match_id), Header.decode(stored.header).created_ms, match_id)


async def some_of_one_millisecond(store: Store, bucket: int, principals: Sequence[Principal] = ()) -> list[Listed]:
    """Creates matches in a bucket until at least five of them were created in the same millisecond."""
    places: list[Listed] = []
    while max(Counter(place.created_ms for place in places).values(), default=0) < 5:
        ids = [match_in(bucket) for _ in range(20)]
        headers = await asyncio.gather(*(written(store, write_of(it, principals=principals)) for it in ids))
        places += [Listed(bucket, header.created_ms, match_id) for match_id, header in zip(ids, headers, strict=True)]
    return places


async def test_an_empty_store_lists_nothing(store: Store) -> None:
    assert await store.listing(None, 10) == ([], False)
    assert await store.inbox(any_principal(), None, 10) == ([], False)


async def test_the_listing_is_ordered_by_bucket_then_creation_then_id(store: Store) -> None:
    buckets = [255, 0, 128, 31, 32, 33, 0, 255, 7, 7, 7]
    ids = [match_in(bucket) for bucket in buckets]
    for match_id in ids:
        await written(store, write_of(match_id))
    places = [await place_of(store, match_id) for match_id in ids]
    assert (await store.listing(None, 100))[0] == sorted(places)


@pytest.mark.parametrize("count", PAGE_SIZES)
async def test_pages_visit_every_match_exactly_once(store: Store, count: int) -> None:
    """Also where several matches share a bucket and a millisecond, more than a page holds."""
    places = await some_of_one_millisecond(store, secrets.randbelow(256))
    ids = [any_match() for _ in range(30)]
    await asyncio.gather(*(written(store, write_of(match_id)) for match_id in ids))
    places += [await place_of(store, match_id) for match_id in ids]
    assert await all_of(store.listing, count) == sorted(places)


async def test_a_page_begins_behind_its_place_even_if_nothing_stands_there(store: Store) -> None:
    places = sorted(await some_of_one_millisecond(store, 9))
    absent = match_in(9)
    for place in (places[0], places[len(places) // 2]):
        after = place._replace(match_id=absent)
        assert (await store.listing(after, 1_000))[0] == [other for other in places if other > after]


async def test_matches_that_appear_between_pages_do_not_make_others_appear_twice(store: Store) -> None:
    places = await some_of_one_millisecond(store, 100)
    seen: list[Listed] = []
    after, more = None, True
    while more:
        page, more = await store.listing(after, 7)
        seen += page
        after = page[-1] if page else after
        if len(seen) <= 21:
            await written(store, write_of(any_match()))
    assert len(set(seen)) == len(seen)
    assert set(places) <= set(seen)


async def test_a_match_is_listed_once_however_often_it_is_written(store: Store) -> None:
    match_id, principal = any_match(), any_principal()
    header = await written(store, write_of(match_id, principals=[principal]))
    place = await place_of(store, match_id)
    for after in range(5):
        header = await written(store, write_of(match_id, header, [b"move"], after=after, principals=[principal]))
    assert await store.listing(None, 10) == ([place], False)
    assert await store.inbox(principal, None, 10) == ([place], False)


async def test_an_inbox_holds_the_matches_of_its_principal_across_all_buckets(store: Store) -> None:
    alice, bob, nobody = any_principal(), any_principal(), any_principal()
    ids = [match_in(bucket) for bucket in (200, 3, 3, 64, 255, 0)]
    for number, match_id in enumerate(ids):
        seated = [alice] if number % 3 == 0 else [bob] if number % 3 == 1 else [alice, bob]
        await written(store, write_of(match_id, principals=seated))
    places = [await place_of(store, match_id) for match_id in ids]
    assert (await store.inbox(alice, None, 10))[0] == sorted(places[0::3] + places[2::3])
    assert (await store.inbox(bob, None, 10))[0] == sorted(places[1::3] + places[2::3])
    assert (await store.inbox(nobody, None, 10))[0] == []


async def test_a_match_comes_into_the_inbox_of_those_who_join_later(store: Store) -> None:
    match_id, first, second = any_match(), any_principal(), any_principal()
    header = await written(store, write_of(match_id, principals=[first]))
    await later_than(store, header.created_ms)
    await written(store, write_of(match_id, header, [b"join"], principals=[first, second]))
    place = await place_of(store, match_id)
    assert await store.inbox(first, None, 10) == ([place], False)
    assert await store.inbox(second, None, 10) == ([place], False)


@pytest.mark.parametrize("count", PAGE_SIZES)
async def test_pages_of_an_inbox_visit_every_match_exactly_once(store: Store, count: int) -> None:
    principal = any_principal()
    places = await some_of_one_millisecond(store, secrets.randbelow(256), [principal])
    ids = [any_match() for _ in range(12)]
    await asyncio.gather(*(written(store, write_of(match_id, principals=[principal])) for match_id in ids))
    await asyncio.gather(*(written(store, write_of(any_match(), principals=[any_principal()])) for _ in range(12)))
    places += [await place_of(store, match_id) for match_id in ids]
    found = await all_of(lambda after, number: store.inbox(principal, after, number), count)
    assert found == sorted(places)


async def test_another_replica_lists_the_same(new_store: NewStore) -> None:
    principal, match_id = any_principal(), any_match()
    await written(new_store(), write_of(match_id, principals=[principal]))
    other = new_store()
    place = await place_of(other, match_id)
    assert await other.listing(None, 10) == ([place], False)
    assert await other.inbox(principal, None, 10) == ([place], False)


async def test_later_writes_drop_what_has_expired_from_listing_and_inbox(store: Store) -> None:
    bucket, principal = 77, any_principal()
    brief = [match_in(bucket) for _ in range(20)]
    for match_id in brief:
        await written(store, write_of(match_id, principals=[principal], lifetime_ms=BRIEF_MS))
    kept = [match_in(bucket)]
    await written(store, write_of(kept[0], principals=[principal]))

    async def is_clean() -> bool:
        kept.append(match_in(bucket))
        await written(store, write_of(kept[-1], principals=[principal]))
        listed = [place.match_id for place in await all_of(store.listing, 100)]
        mine = [place.match_id for place in await all_of(lambda at, count: store.inbox(principal, at, count), 100)]
        assert set(kept) <= set(listed)
        assert set(kept) <= set(mine)
        return not set(brief) & {*listed, *mine}

    await eventually(is_clean)


async def test_an_inbox_forgets_a_match_after_its_lifetime_without_any_write(store: Store) -> None:
    principal = any_principal()
    await written(store, write_of(any_match(), principals=[principal], lifetime_ms=BRIEF_MS))

    async def is_empty() -> bool:
        return await store.inbox(principal, None, 10) == ([], False)

    await eventually(is_empty)


async def test_a_brief_match_takes_no_other_out_of_an_inbox(store: Store) -> None:
    """Both lie in one bucket; the first one to be kept lives on when the brief one is forgotten."""
    bucket, principal = 150, any_principal()
    kept, brief = match_in(bucket), match_in(bucket)
    await written(store, write_of(kept, principals=[principal]))
    header = await written(store, write_of(brief, principals=[principal], lifetime_ms=BRIEF_MS))
    await eventually(lambda: is_gone(store, brief))
    await later_than(store, header.created_ms + 4 * BRIEF_MS)
    mine = [place.match_id for place in await all_of(lambda at, count: store.inbox(principal, at, count), 10)]
    assert kept in mine


async def test_a_match_whose_life_is_lengthened_stays_listed(store: Store) -> None:
    bucket, principal = 151, any_principal()
    match_id, brief = match_in(bucket), match_in(bucket)
    header = await written(store, write_of(match_id, principals=[principal], lifetime_ms=SHORT_MS))
    await written(store, write_of(match_id, header, [b"move"], principals=[principal]))
    await written(store, write_of(brief, lifetime_ms=2 * SHORT_MS))
    await eventually(lambda: is_gone(store, brief))
    await written(store, write_of(match_in(bucket), principals=[principal]))
    place = await place_of(store, match_id)
    assert place in (await store.listing(None, 10))[0]
    assert place in (await store.inbox(principal, None, 10))[0]


async def test_a_match_created_again_after_its_end_is_listed_at_its_new_place(store: Store) -> None:
    match_id, principal = any_match(), any_principal()
    first = await written(store, write_of(match_id, principals=[principal], lifetime_ms=BRIEF_MS))
    await eventually(lambda: is_gone(store, match_id))
    second = await written(store, write_of(match_id, principals=[principal]))
    assert second.created_ms > first.created_ms
    place = Listed(bucket_of(match_id), second.created_ms, match_id)
    assert await store.listing(None, 10) == ([place], False)
    await later_than(store, first.created_ms + 4 * BRIEF_MS)
    await written(store, write_of(match_id, second, [b"move"], principals=[principal]))
    assert place in (await store.inbox(principal, None, 10))[0]


async def test_a_match_created_again_after_its_end_is_in_an_inbox_once(store: Store) -> None:
    match_id, principal = any_match(), any_principal()
    await written(store, write_of(match_id, principals=[principal], lifetime_ms=SHORT_MS))
    await eventually(lambda: is_gone(store, match_id))
    await written(store, write_of(match_id, principals=[principal]))
    assert await store.inbox(principal, None, 10) == ([await place_of(store, match_id)], False)


async def test_what_a_write_meets_is_what_a_reader_finds(store: Store) -> None:
    match_id = any_match()
    await written(store, write_of(match_id, fields={"state": b"1"}))
    found = await store.load(match_id)
    assert isinstance(found, Stored)
    assert await store.write(write_of(match_id)) == found
