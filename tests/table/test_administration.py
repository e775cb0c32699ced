"""What operators do, all of it through one place that notes it, on a real store."""

import logging
from collections.abc import AsyncIterator
from dataclasses import replace

import pytest

from referee.core.errors import Reason, RefereeError
from referee.store import keys
from referee.store.books import RedisBooks
from referee.table.administration import Administration, Deed
from referee.table.facts import facts
from referee.table.ids import MatchId
from referee.table.snapshot import Visibility
from referee.table.store import StoreUnavailableError
from referee.table.table import Table
from tests.servers import eventually, store_server, usual_server
from tests.table.night import Night, night_of
from tests.table.sitting import ALICE, BOB, CAROL, GAMES, HOST, creation_of, new_id

NOBODYS = MatchId("a" * 26)


@pytest.fixture
async def books() -> AsyncIterator[RedisBooks]:
    with store_server(usual_server()) as server:
        found = RedisBooks(server.url)
        yield found
        await found.close()


@pytest.fixture
def night(books: RedisBooks) -> Night:
    return night_of(store=books)


@pytest.fixture
def office(books: RedisBooks) -> Administration:
    return Administration(Table(books, GAMES), books, "olga")


async def audited(office: Administration) -> list[Deed]:
    return [noted.deed async for noted in office.audit()]


async def test_an_abortion_is_noted_and_done(
    office: Administration, night: Night, caplog: pytest.LogCaptureFixture
) -> None:
    """In the store and in the log: who, what, which match and why."""
    caplog.set_level(logging.INFO)
    match_id = await night.match(ALICE, BOB)
    assert await office.abort(match_id, "a flood") is True
    assert (await night.snapshot(match_id)).over
    assert await audited(office) == [Deed("olga", "abort", match_id, "a flood")]
    [record] = [record for record in caplog.records if record.message == "audit"]
    assert (vars(record)["who"], vars(record)["why"], vars(record)["match_id"]) == ("olga", "a flood", match_id)


async def test_aborting_again_is_noted_again_and_tells_that_nothing_is_new(
    office: Administration, night: Night
) -> None:
    match_id = await night.match(ALICE, BOB)
    assert [await office.abort(match_id, why) for why in ("one", "two")] == [True, False]
    assert [deed.why for deed in await audited(office)] == ["one", "two"]


async def test_a_seat_is_revoked(office: Administration, night: Night) -> None:
    match_id = await night.match(ALICE, BOB)
    assert await office.revoke(match_id, 1, CAROL, "a lost key") is True
    assert (await night.snapshot(match_id)).principals() == [ALICE, CAROL]
    assert await night.store.unfinished(CAROL) == [match_id]
    assert await audited(office) == [Deed("olga", "revoke seat 1", match_id, "a lost key")]


async def test_what_fails_is_noted_with_its_outcome(office: Administration, night: Night) -> None:
    finished = await night.finished()
    for match_id, reason in ((finished, Reason.MATCH_OVER), (NOBODYS, Reason.MATCH_NOT_FOUND)):
        with pytest.raises(RefereeError) as error:
            await office.abort(match_id, "why not")
        assert error.value.reason is reason
    told = [f"abort: {text}" for text in ("the match has ended", f"there is no match {NOBODYS}")]
    assert [deed.what for deed in await audited(office)] == ["abort", told[0], "abort", told[1]]


async def test_nothing_is_done_that_cannot_be_noted(night: Night, books: RedisBooks) -> None:
    class Closed(RedisBooks):
        async def note(self, deed: Deed) -> None:
            raise StoreUnavailableError("the book is closed")

    match_id = await night.match(ALICE, BOB)
    closed = Closed("unix:///nowhere")
    with pytest.raises(StoreUnavailableError):
        await Administration(Table(books, GAMES), closed, "olga").abort(match_id, "why")
    assert not (await night.snapshot(match_id)).over
    await closed.close()


async def test_every_match_is_seen(office: Administration, night: Night, books: RedisBooks) -> None:
    """Private ones, those that have ended and those that cannot be read too."""
    there = {await night.match(ALICE, None), await night.finished()}
    private = replace(creation_of([ALICE, BOB]), visibility=Visibility.PRIVATE)
    there.add((await night.table.create(HOST, new_id(), private)).match_id)
    seen = {match_id: snapshot async for match_id, snapshot in office.matches()}
    assert seen.keys() == there
    assert all(snapshot is not None for snapshot in seen.values())
    spoilt = await night.match(ALICE, BOB)
    await spoil(books, spoilt)
    assert {match_id async for match_id, snapshot in office.matches() if snapshot is None} == {spoilt}


async def spoil(books: RedisBooks, match_id: MatchId) -> None:
    await books._send("HSET", keys.match(match_id), "head", b"\xc1")


async def test_statistics_count_by_ruleset_and_status(office: Administration, night: Night) -> None:
    oldest = await night.match(ALICE, None)
    made = (await night.snapshot(oldest)).header

    async def is_past() -> bool:
        return made is not None and (await night.table.time.beat()).now_ms > made.created_ms

    await eventually(is_past)
    await night.match(ALICE, BOB)
    await night.finished()
    await office.abort(await night.match(ALICE, BOB), "why")
    found = await office.statistics()
    assert found.matches == {
        ("pebbles", "waiting"): 1,
        ("pebbles", "active"): 1,
        ("pebbles", "finished"): 1,
        ("pebbles", "aborted"): 1,
    }
    assert found.oldest_open is not None
    assert (found.oldest_open.match_id, found.unreadable) == (oldest, 0)
    assert {kind: use.keys for kind, use in found.usage.items() if kind in ("match", "log", "audit")} == {
        "match": 4,
        "log": 2,
        "audit": 1,
    }


async def test_facts_hide_the_deal_until_the_record_may_be_read(office: Administration, night: Night) -> None:
    """The seed, and the principals for ever."""
    match_id = await night.match(ALICE, BOB, on_release=True)
    seed = (await night.snapshot(match_id)).head.seed.hex()
    for act in (night.resign(ALICE, match_id), night.table.release(HOST, match_id, new_id())):
        assert seed not in str(facts(await office.find(match_id)))
        await act
    known = facts(await office.find(match_id))
    assert (known["seed"], known["status"], known["end"]) == (seed, "finished", "LAST_SEAT")
    assert not any(who.hex() in str(known) for who in (ALICE, BOB, HOST))


async def test_a_record_is_read_as_soon_as_its_host_may(office: Administration, night: Night) -> None:
    match_id = await night.match(ALICE, BOB, on_release=True)
    await office.abort(match_id, "why")
    with pytest.raises(RefereeError) as error:
        await office.record(match_id)
    assert error.value.reason is Reason.NOT_DISCLOSED
    await night.table.release(HOST, match_id, new_id())
    snapshot, log = await office.record(match_id)
    assert (snapshot.match_id, len(log)) == (match_id, 1)
