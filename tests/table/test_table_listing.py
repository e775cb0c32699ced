"""Lists of matches: filters, and pages that visit each match exactly once."""

from collections.abc import Callable
from dataclasses import replace

import pytest

from referee.store.memory import MemoryStore
from referee.table.ids import MatchId, Principal, bucket_of
from referee.table.snapshot import Snapshot, Status, Visibility
from referee.table.store import Listed
from referee.table.table import Table
from tests.table.faulty import Relay
from tests.table.night import Night, night_of
from tests.table.pebbles import Pebbles
from tests.table.sitting import ALICE, BOB, GAMES, HOST, STRANGER, creation_of, new_id

Wanted = Callable[[Snapshot], bool]


def everything(_: Snapshot) -> bool:
    return True


def with_status(status: Status) -> Wanted:
    return lambda snapshot: snapshot.course.status == status


async def pages_of(
    table: Table, count: int, wanted: Wanted = everything, who: Principal = STRANGER, *, mine: bool = False
) -> list[list[MatchId]]:
    """Follows the pages to the end."""
    pages: list[list[MatchId]] = []
    after: Listed | None = None
    while True:
        found, after = await table.list_matches(who, after, count, mine=mine, wanted=wanted)
        assert len(found) <= count
        pages.append([snapshot.match_id for snapshot in found])
        if after is None:
            return pages


def flat(pages: list[list[MatchId]]) -> list[MatchId]:
    return [match_id for page in pages for match_id in page]


@pytest.fixture
async def night() -> Night:
    """Thirty matches: a third waits, a third goes on, a third is over; Alice has a seat in all, Bob in the last two."""
    night = night_of(store=MemoryStore())
    for _ in range(10):
        await night.match(ALICE, None)
        await night.match(ALICE, BOB)
        await night.finished()
    return night


@pytest.mark.parametrize("count", [1, 3, 7, 30, 100])
async def test_pages_visit_every_match_exactly_once_in_a_fixed_order(night: Night, count: int) -> None:
    found = flat(await pages_of(night.table, count))
    assert len(set(found)) == len(found) == 30
    places = [(bucket_of(match_id), (await night.snapshot(match_id)).header, match_id) for match_id in found]
    order = [(bucket, header.created_ms if header else 0, match_id) for bucket, header, match_id in places]
    assert order == sorted(order)


@pytest.mark.parametrize("status", [Status.WAITING, Status.ACTIVE, Status.FINISHED])
@pytest.mark.parametrize("count", [1, 4, 100])
async def test_only_matches_that_are_wanted_are_listed(night: Night, status: Status, count: int) -> None:
    found = flat(await pages_of(night.table, count, with_status(status)))
    assert len(set(found)) == len(found) == 10
    for match_id in found:
        assert (await night.snapshot(match_id)).course.status == status


@pytest.mark.parametrize("count", [1, 4, 100])
async def test_a_principal_finds_the_matches_in_which_it_has_a_seat(night: Night, count: int) -> None:
    assert len(set(flat(await pages_of(night.table, count, who=ALICE, mine=True)))) == 30
    mine = flat(await pages_of(night.table, count, who=BOB, mine=True))
    assert len(set(mine)) == len(mine) == 20
    for match_id in mine:
        assert BOB in (await night.snapshot(match_id)).principals()
    assert flat(await pages_of(night.table, count, who=STRANGER, mine=True)) == []
    assert flat(await pages_of(night.table, count, who=HOST, mine=True)) == []
    finished = flat(await pages_of(night.table, count, with_status(Status.FINISHED), BOB, mine=True))
    assert len(set(finished)) == len(finished) == 10


async def test_a_match_is_found_by_who_has_just_joined_it(night: Night) -> None:
    match_id = flat(await pages_of(night.table, 100, with_status(Status.WAITING)))[0]
    await night.join(STRANGER, match_id)
    assert flat(await pages_of(night.table, 100, who=STRANGER, mine=True)) == [match_id]
    assert match_id not in flat(await pages_of(night.table, 100, with_status(Status.WAITING)))


@pytest.mark.parametrize("count", [5, 100])
async def test_a_few_wanted_matches_are_found_among_very_many(count: int) -> None:
    """Although no page looks at all of them."""
    night = night_of(store=MemoryStore())
    for number in range(1_000):
        await night.table.create(HOST, new_id(), creation_of([ALICE, None if number % 100 else BOB]))
    pages = await pages_of(night.table, count, with_status(Status.ACTIVE))
    assert len(set(flat(pages))) == len(flat(pages)) == 10
    assert len(pages) > 1


async def test_matches_that_cannot_be_read_here_are_left_out_and_do_not_hide_others(night: Night) -> None:
    newer = Table(night.store, {"pebbles": Pebbles("2")})
    own = (await newer.create(HOST, new_id(), creation_of([ALICE, BOB]))).match_id
    for count in (1, 7, 100):
        assert flat(await pages_of(newer, count)) == [own]
        assert own not in flat(await pages_of(night.table, count))
        assert len(flat(await pages_of(night.table, count))) == 30


async def test_an_empty_store_has_one_empty_page() -> None:
    assert await pages_of(Table(MemoryStore(), GAMES), 10) == [[]]


class Outdated(Relay):
    """Its listings name what was in them once: all matches of Alice, for whoever asks."""

    async def listing(self, after: Listed | None, count: int) -> tuple[list[Listed], bool]:
        return await self.inner.inbox(ALICE, after, count)

    async def inbox(self, principal: Principal, after: Listed | None, count: int) -> tuple[list[Listed], bool]:
        return await self.inner.inbox(ALICE, after, count)


async def test_what_does_not_belong_into_a_listing_any_more_is_left_out() -> None:
    """A match whose id is that of a private one by now, and one in which somebody else has the caller's seat."""
    night = night_of(store=Outdated(MemoryStore()))
    public = await night.match(ALICE, BOB)
    private = replace(creation_of([ALICE, BOB]), visibility=Visibility.PRIVATE)
    await night.table.create(HOST, new_id(), private)
    assert flat(await pages_of(night.table, 10)) == [public]
    assert flat(await pages_of(night.table, 10, who=STRANGER, mine=True)) == []
    assert len(flat(await pages_of(night.table, 10, who=BOB, mine=True))) == 2
