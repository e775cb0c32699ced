"""What every store promises of writing and reading a match."""

import asyncio
import secrets
import time
from collections import Counter

import pytest
from msgspec.structs import replace

from referee.table.ids import MatchId
from referee.table.store import Header, Logged, Store, Stored
from tests.servers import eventually
from tests.store.conftest import NewStore
from tests.store.writes import BRIEF_MS, SHORT_MS, any_match, any_principal, created, write_of, written

WRITERS = 16
EVERY_BYTE = bytes(range(256))


async def is_gone(store: Store, match_id: MatchId) -> bool:
    return await store.load(match_id) is None


async def later_than(store: Store, time_ms: int) -> None:
    """Waits until the store's clock is past a time."""
    match_id = any_match()
    header = await created(store, match_id)

    async def is_past() -> bool:
        nonlocal header
        header = await written(store, write_of(match_id, header, [b"tick"], after=header.revision - 1))
        return header.commit_ms > time_ms

    await eventually(is_past)


async def test_a_new_match_has_revision_one_and_is_read_as_written(store: Store) -> None:
    match_id = any_match()
    write = write_of(match_id, fields={"head": b"seats", "state": b"dealt"})
    header = await written(store, write)
    assert (header.revision, header.write_id) == (1, write.write_id)
    assert await store.load(match_id) == Stored(header.encode(), {"head": b"seats", "state": b"dealt"})


async def test_a_match_that_was_never_written_is_missing(store: Store) -> None:
    match_id = any_match()
    assert await store.load(match_id) is None
    assert await store.log(match_id, 0, 10) == []


async def test_creating_a_match_that_exists_returns_what_stands_and_writes_nothing(store: Store) -> None:
    match_id, late = any_match(), any_principal()
    header = await written(store, write_of(match_id, None, [b"first"], fields={"state": b"old"}))
    again = write_of(match_id, None, [b"second"], fields={"state": b"new", "more": b"new"}, principals=[late])
    stands = Stored(header.encode(), {"state": b"old"})
    assert await store.write(again) == stands
    assert await store.load(match_id) == stands
    assert await store.log(match_id, 0, 10) == [Logged(header.commit_ms, b"first")]
    assert await store.inbox(late, None, 10) == ([], False)


async def test_a_write_that_names_the_standing_header_is_the_next_revision(store: Store) -> None:
    match_id = any_match()
    first = await created(store, match_id)
    write = write_of(match_id, first, [b"move"], fields={"state": b"moved"})
    second = await written(store, write)
    assert (second.revision, second.write_id) == (2, write.write_id)
    assert await store.load(match_id) == Stored(second.encode(), {"state": b"moved"})


@pytest.mark.parametrize("part", Header._fields)
async def test_a_write_that_names_another_header_writes_nothing_and_returns_what_stands(
    store: Store, part: str
) -> None:
    """The write id alone makes a header another one: a store that lost writes gives a revision twice."""
    match_id, late = any_match(), any_principal()
    header = await created(store, match_id, [b"first"])
    other = secrets.token_bytes(8) if part == "write_id" else getattr(header, part) + 1
    expected = Header(**{**header._asdict(), part: other})
    write = write_of(match_id, expected, [b"second"], after=1, fields={"state": b"new"}, principals=[late])
    stands = Stored(header.encode(), {"state": b"dealt"})
    assert await store.write(write) == stands
    assert await store.load(match_id) == stands
    assert [logged.entry for logged in await store.log(match_id, 0, 10)] == [b"first"]
    assert await store.inbox(late, None, 10) == ([], False)


async def test_a_header_that_stood_once_is_not_taken_for_the_one_that_stands(store: Store) -> None:
    match_id = any_match()
    first = await created(store, match_id)
    second = await written(store, write_of(match_id, first, fields={"state": b"second"}))
    late = write_of(match_id, first, fields={"state": b"late"})
    assert await store.write(late) == Stored(second.encode(), {"state": b"second"})


async def test_a_write_that_expects_a_missing_match_returns_none_and_creates_nothing(store: Store) -> None:
    match_id, late = any_match(), any_principal()
    expected = Header(1, secrets.token_bytes(8), 1, 1)
    write = write_of(match_id, expected, [b"move"], fields={"state": b"new"}, principals=[late])
    assert await store.write(write) is None
    assert await store.load(match_id) is None
    assert await store.log(match_id, 0, 10) == []
    assert await store.listing(None, 10) == ([], False)
    assert await store.inbox(late, None, 10) == ([], False)


async def test_of_parallel_writers_with_one_expectation_exactly_one_gets_through(new_store: NewStore) -> None:
    replicas, match_id = [new_store(), new_store()], any_match()
    header = await created(replicas[0], match_id)
    writes = [
        write_of(match_id, header, [b"%d" % writer], fields={"state": b"%d" % writer}) for writer in range(WRITERS)
    ]
    outcomes = await asyncio.gather(
        *(replicas[writer % 2].write(write) for writer, write in enumerate(writes)),
    )
    won = [writer for writer, outcome in enumerate(outcomes) if isinstance(outcome, Header)]
    assert len(won) == 1
    winner = outcomes[won[0]]
    assert isinstance(winner, Header)
    stands = Stored(winner.encode(), {"state": b"%d" % won[0]})
    assert [outcome for outcome in outcomes if outcome != winner] == [stands] * (WRITERS - 1)
    assert await replicas[0].log(match_id, 0, 10) == [Logged(winner.commit_ms, b"%d" % won[0])]


async def test_of_parallel_creators_exactly_one_gets_through(new_store: NewStore) -> None:
    replicas, match_id = [new_store(), new_store()], any_match()
    outcomes = await asyncio.gather(
        *(replicas[place % 2].write(write_of(match_id, fields={"by": b"%d" % place})) for place in range(WRITERS))
    )
    winners = [place for place, outcome in enumerate(outcomes) if isinstance(outcome, Header)]
    assert len(winners) == 1
    stands = await replicas[1].load(match_id)
    assert stands is not None
    assert stands.fields == {"by": b"%d" % winners[0]}
    assert [outcome for outcome in outcomes if not isinstance(outcome, Header)] == [stands] * (WRITERS - 1)


async def test_writers_that_retry_lose_and_double_nothing(new_store: NewStore) -> None:
    """Several replicas write one match at once, each until its own entries have got through, in its own order."""
    match_id, each, writers = any_match(), 12, 4
    await created(new_store(), match_id)

    async def play(store: Store, writer: int) -> None:
        for number in range(each):
            found = await store.load(match_id)
            while True:
                assert found is not None
                header, count = Header.decode(found.header), int(found.fields.get("count", b"0"))
                entry = b"%d %d" % (writer, number)
                write = write_of(match_id, header, [entry], after=count, fields={"count": b"%d" % (count + 1)})
                outcome = await store.write(write)
                if isinstance(outcome, Header):
                    break
                assert isinstance(outcome, Stored)
                found = outcome

    await asyncio.gather(*(play(new_store(), writer) for writer in range(writers)))
    store = new_store()
    found = await store.load(match_id)
    assert found is not None
    assert found.fields["count"] == b"%d" % (each * writers)
    assert Header.decode(found.header).revision == 1 + each * writers
    entries = [logged.entry.split() for logged in await store.log(match_id, 0, 10 * each * writers)]
    assert len(entries) == each * writers
    for writer in range(writers):
        assert [int(number) for by, number in entries if int(by) == writer] == list(range(each))


@pytest.mark.parametrize(
    ("start", "stop", "expected"),
    [(0, 5, "abcde"), (0, 1, "a"), (2, 4, "cd"), (4, 5, "e"), (4, 99, "e"), (5, 99, ""), (3, 3, ""), (4, 2, "")],
)
async def test_the_log_is_read_behind_start_up_to_stop(store: Store, start: int, stop: int, expected: str) -> None:
    match_id = any_match()
    header = await created(store, match_id, [b"a", b"b"])
    await written(store, write_of(match_id, header, [b"c", b"d", b"e"], after=2))
    assert "".join(logged.entry.decode() for logged in await store.log(match_id, start, stop)) == expected


async def test_log_entries_carry_the_time_of_the_write_that_brought_them(store: Store) -> None:
    match_id = any_match()
    first = await created(store, match_id, [b"a"])
    await later_than(store, first.commit_ms)
    second = await written(store, write_of(match_id, first, [b"b", b"c"], after=1))
    times = [logged.time_ms for logged in await store.log(match_id, 0, 3)]
    assert times == [first.commit_ms, second.commit_ms, second.commit_ms]
    assert second.commit_ms > first.commit_ms


async def test_fields_and_entries_are_any_bytes(store: Store) -> None:
    match_id, entries = any_match(), [b"", EVERY_BYTE, b"\r\n"]
    header = await written(store, write_of(match_id, None, entries, fields={"all": EVERY_BYTE, "none": b""}))
    assert await store.load(match_id) == Stored(header.encode(), {"all": EVERY_BYTE, "none": b""})
    assert [logged.entry for logged in await store.log(match_id, 0, 3)] == entries


async def test_one_write_may_bring_many_entries(store: Store) -> None:
    match_id, entries = any_match(), [b"%d" % number for number in range(1_000)]
    await created(store, match_id, entries)
    assert [logged.entry for logged in await store.log(match_id, 0, 2_000)] == entries


async def test_fields_that_a_write_does_not_name_stay(store: Store) -> None:
    match_id = any_match()
    first = await written(store, write_of(match_id, fields={"head": b"1", "state": b"1", "ring": b"1"}))
    second = await written(store, write_of(match_id, first, fields={"state": b"2", "other": b"2"}))
    third = await written(store, write_of(match_id, second))
    expected = {"head": b"1", "state": b"2", "ring": b"1", "other": b"2"}
    assert await store.load(match_id) == Stored(third.encode(), expected)


async def test_times_are_those_of_the_clock(store: Store) -> None:
    before = time.time_ns() // 1_000_000
    header = await created(store, any_match())
    after = time.time_ns() // 1_000_000
    assert before <= header.created_ms <= after
    assert header.commit_ms == header.created_ms


async def test_times_never_go_back_and_the_time_of_creation_stays(store: Store) -> None:
    match_id = any_match()
    headers = [await created(store, match_id)]
    for after in range(50):
        headers.append(await written(store, write_of(match_id, headers[-1], [b"move"], after=after)))
    assert {header.created_ms for header in headers} == {headers[0].created_ms}
    commits = [header.commit_ms for header in headers]
    assert commits == sorted(commits)


async def test_the_time_of_the_newest_commit_changes_with_entries_only(store: Store) -> None:
    match_id = any_match()
    first = await created(store, match_id)
    await later_than(store, first.commit_ms)
    without = await written(store, write_of(match_id, first, fields={"ring": b"refused"}))
    assert (without.created_ms, without.commit_ms) == (first.created_ms, first.commit_ms)
    with_entry = await written(store, write_of(match_id, without, [b"move"]))
    assert with_entry.commit_ms > first.commit_ms
    assert with_entry.created_ms == first.created_ms


async def test_a_match_is_forgotten_after_its_lifetime_with_its_log_and_fields(store: Store) -> None:
    match_id = any_match()
    header = await written(store, write_of(match_id, None, [b"a"], fields={"old": b"1"}, lifetime_ms=BRIEF_MS))
    await eventually(lambda: is_gone(store, match_id))
    assert await store.log(match_id, 0, 10) == []
    late = write_of(match_id, header, [b"b"], after=1)
    assert await store.write(late) is None
    anew = await written(store, write_of(match_id, None, [b"c"], fields={"new": b"2"}))
    assert anew.revision == 1
    assert await store.load(match_id) == Stored(anew.encode(), {"new": b"2"})
    assert [logged.entry for logged in await store.log(match_id, 0, 10)] == [b"c"]


async def test_each_write_sets_the_lifetime_anew(store: Store) -> None:
    kept, other = any_match(), any_match()
    header = await written(store, write_of(kept, None, [b"a"], fields={"head": b"1"}, lifetime_ms=SHORT_MS))
    kept_header = await written(store, write_of(kept, header, after=1))
    await written(store, write_of(other, lifetime_ms=SHORT_MS))
    await eventually(lambda: is_gone(store, other))
    assert await store.load(kept) == Stored(kept_header.encode(), {"head": b"1"})
    assert [logged.entry for logged in await store.log(kept, 0, 10)] == [b"a"]
    await written(store, write_of(kept, kept_header, after=1, lifetime_ms=BRIEF_MS))
    await eventually(lambda: is_gone(store, kept))


async def test_a_refused_write_does_not_lengthen_the_life_of_a_match(store: Store) -> None:
    match_id = any_match()
    header = await written(store, write_of(match_id, lifetime_ms=BRIEF_MS))
    write = write_of(match_id, header._replace(revision=7))
    await store.write(write)
    await eventually(lambda: is_gone(store, match_id), within_s=5.0)


async def test_two_matches_do_not_touch_each_other(store: Store) -> None:
    one, other = any_match(), any_match()
    first = await created(store, one, [b"a"])
    await created(store, other, [b"x", b"y"])
    await written(store, write_of(one, first, [b"b"], after=1, fields={"state": b"moved"}))
    found = await store.load(other)
    assert found is not None
    assert found.fields == {"state": b"dealt"}
    assert [logged.entry for logged in await store.log(other, 0, 10)] == [b"x", b"y"]


async def test_a_write_may_be_repeated_word_for_word_without_effect(store: Store) -> None:
    """A caller that did not hear the answer sees from the write id that what stands is its own."""
    match_id = any_match()
    header = await created(store, match_id)
    write = write_of(match_id, header, [b"move"], fields={"state": b"moved"})
    accepted = await written(store, write)
    assert await store.write(replace(write)) == Stored(accepted.encode(), {"state": b"moved"})
    assert Counter(logged.entry for logged in await store.log(match_id, 0, 10)) == {b"move": 1}


async def test_a_store_that_runs_answers(store: Store) -> None:
    await store.ping()
