"""What every store promises of signs of life: a roll, fields that it stamps, and writes that such a field stops."""

import pytest
from msgspec.structs import replace

from referee.table.ids import MatchId
from referee.table.store import Enrolled, Store, Stored
from tests.servers import eventually
from tests.store.conftest import NewStore
from tests.store.test_contract import is_gone, later_than
from tests.store.writes import BRIEF_MS, LONG_MS, any_match, any_principal, created, write_of, written

GRACE_MS = 30_000


async def on_the_roll(store: Store, since: int = 0) -> set[Enrolled]:
    return {enrolled for _, enrolled in await store.roll(since)}


async def stamped_ms(store: Store, match_id: MatchId, field: str = "seen") -> int:
    """What a stamped field says."""
    stored = await store.load(match_id)
    assert stored is not None
    return int(stored.fields[field])


async def test_the_roll_tells_whoever_was_enrolled_to_all(new_store: NewStore) -> None:
    store, match_id, people = new_store(), any_match(), [any_principal() for _ in range(3)]
    assert await store.roll(0) == []
    await store.enrol(match_id, people, GRACE_MS)
    other = any_match()
    await store.enrol(other, people[:1], 604_800_000)
    expected = {Enrolled(who, match_id, GRACE_MS) for who in people} | {Enrolled(people[0], other, 604_800_000)}
    assert await on_the_roll(new_store()) == expected


async def test_whoever_follows_the_roll_from_the_last_place_misses_nobody(new_store: NewStore) -> None:
    """Though many are enrolled in one millisecond, by several replicas."""
    one, other, match_id = new_store(), new_store(), any_match()
    place, told = 0, set[Enrolled]()
    expected = [Enrolled(any_principal(), match_id, GRACE_MS) for _ in range(200)]
    for number, enrolled in enumerate(expected):
        await (one, other)[number % 2].enrol(match_id, [enrolled.principal], GRACE_MS)
        if number % 3 == 0:
            for at, found in await one.roll(place):
                told.add(found)
                place = max(place, at)
            assert told == set(expected[: number + 1])
    assert len(await one.roll(place)) < 100


async def test_who_is_dismissed_is_not_on_the_roll_any_more(store: Store) -> None:
    match_id, other, people = any_match(), any_match(), [any_principal() for _ in range(3)]
    for match in (match_id, other):
        await store.enrol(match, people, GRACE_MS)
    await store.dismiss(match_id, people[1:], GRACE_MS)
    await store.dismiss(any_match(), people, GRACE_MS)
    assert await on_the_roll(store) == {
        Enrolled(people[0], match_id, GRACE_MS),
        *(Enrolled(who, other, GRACE_MS) for who in people),
    }


async def test_a_stamp_is_the_time_of_the_store(store: Store) -> None:
    match_id = any_match()
    header = await written(store, write_of(match_id, fields={"seen": b"1", "state": b"dealt"}))
    await later_than(store, header.commit_ms)
    assert await store.stamp(match_id, "seen")
    assert header.commit_ms < await stamped_ms(store, match_id) <= (await store.beat(LONG_MS)).now_ms


async def test_a_stamp_changes_nothing_else(store: Store) -> None:
    """Not the header either: whoever writes meanwhile is not disturbed."""
    match_id = any_match()
    header = await written(store, write_of(match_id, fields={"seen": b"1", "state": b"dealt"}))
    await store.stamp(match_id, "seen")
    seen = str(await stamped_ms(store, match_id)).encode()
    assert await store.load(match_id) == Stored(header.encode(), {"seen": seen, "state": b"dealt"})
    assert (await written(store, write_of(match_id, header, [b"move"]))).revision == 2


@pytest.mark.parametrize("field", ["other", "empty"])
async def test_only_a_field_that_holds_something_is_stamped(store: Store, field: str) -> None:
    match_id = any_match()
    header = await written(store, write_of(match_id, fields={"empty": b""}))
    assert not await store.stamp(match_id, field)
    assert await store.load(match_id) == Stored(header.encode(), {"empty": b""})


async def test_a_match_that_is_not_there_is_not_stamped(store: Store) -> None:
    """Nor made by it."""
    match_id, gone = any_match(), any_match()
    await written(store, write_of(gone, fields={"seen": b"1"}, lifetime_ms=BRIEF_MS))
    await eventually(lambda: is_gone(store, gone))
    for nowhere in (match_id, gone):
        assert not await store.stamp(nowhere, "seen")
        assert await store.load(nowhere) is None


async def test_a_stamp_leaves_the_lifetime_of_a_match(store: Store) -> None:
    match_id = any_match()
    await written(store, write_of(match_id, fields={"seen": b"1"}, lifetime_ms=BRIEF_MS))
    while await store.stamp(match_id, "seen"):
        pass
    assert await is_gone(store, match_id)


@pytest.mark.parametrize(
    "standing", [{}, {"seen": b"1"}, {"seen": b"1", "nowhere": b""}], ids=["none", "one", "and one that is not there"]
)
async def test_a_write_gets_through_if_what_it_names_stands(store: Store, standing: dict[str, bytes]) -> None:
    match_id = any_match()
    header = await written(store, write_of(match_id, fields={"seen": b"1"}))
    fields = {"seen": b"", "state": b"new"}
    after = await written(store, replace(write_of(match_id, header, [b"out"], fields=fields), standing=standing))
    assert await store.load(match_id) == Stored(after.encode(), fields)


@pytest.mark.parametrize(
    "standing",
    [{"seen": b"2"}, {"seen": b""}, {"nowhere": b"1"}, {"seen": b"1", "state": b"other"}],
    ids=["another", "not there any more", "not there", "the second of two"],
)
async def test_a_write_is_told_what_is_there_if_that_does_not_stand(store: Store, standing: dict[str, bytes]) -> None:
    match_id, kept = any_match(), {"seen": b"1", "state": b"dealt"}
    header = await written(store, write_of(match_id, fields=kept))
    late = replace(write_of(match_id, header, [b"out"], fields={"state": b"new"}), standing=standing)
    assert await store.write(late) == Stored(header.encode(), kept)
    assert await store.load(match_id) == Stored(header.encode(), kept)
    assert await store.log(match_id, 0, 10) == []


async def test_of_a_stamp_and_a_write_that_it_would_stop_the_first_gets_through(new_store: NewStore) -> None:
    """Whoever is stamped is not written out after it; whoever is written out is not stamped after it."""
    one, other = new_store(), new_store()
    match_id = any_match()
    header = await written(one, write_of(match_id, fields={"seen": b"1"}))
    assert await other.stamp(match_id, "seen")
    out = replace(write_of(match_id, header, [b"out"], fields={"seen": b""}), standing={"seen": b"1"})
    assert isinstance(await one.write(out), Stored)
    standing = {"seen": str(await stamped_ms(one, match_id)).encode()}
    await written(one, replace(out, standing=standing))
    assert not await other.stamp(match_id, "seen")


async def test_other_writes_leave_a_stamp_as_it_is(store: Store) -> None:
    match_id = any_match()
    header = await created(store, match_id)
    header = await written(store, write_of(match_id, header, fields={"seen": b"1"}))
    assert await store.stamp(match_id, "seen")
    before = await stamped_ms(store, match_id)
    await written(store, write_of(match_id, header, [b"move"], fields={"state": b"new"}))
    assert await stamped_ms(store, match_id) == before
