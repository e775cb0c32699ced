"""What every store promises of matches that its listing does not show."""

from msgspec.structs import replace

from referee.table.store import Store
from tests.servers import eventually
from tests.store.test_contract import is_gone
from tests.store.writes import BRIEF_MS, any_match, any_principal, write_of, written


async def test_a_match_that_is_not_listed_is_in_the_inboxes_of_its_principals_alone(store: Store) -> None:
    listed, unlisted, principal = any_match(), any_match(), any_principal()
    for match_id in (listed, unlisted):
        write = write_of(match_id, principals=[principal])
        header = await written(store, replace(write, listed=match_id == listed))
        again = write_of(match_id, header, [b"move"], principals=[principal])
        await written(store, replace(again, listed=match_id == listed))
    assert [place.match_id for place in (await store.listing(None, 10))[0]] == [listed]
    assert {place.match_id for place in (await store.inbox(principal, None, 10))[0]} == {listed, unlisted}
    assert set(await store.unfinished(principal)) == {listed, unlisted}


async def test_a_match_that_was_listed_and_is_made_again_unlisted_is_not_listed_any_more(store: Store) -> None:
    match_id = any_match()
    await written(store, write_of(match_id, lifetime_ms=BRIEF_MS))
    await eventually(lambda: is_gone(store, match_id))
    await written(store, replace(write_of(match_id), listed=False))
    assert await store.listing(None, 10) == ([], False)
