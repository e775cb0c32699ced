"""The use cases of a match, from its creation to its record."""

import asyncio
from base64 import b32encode
from collections.abc import Awaitable, Callable
from dataclasses import replace
from hashlib import sha256

import pytest

from referee.core.errors import Reason, RefereeError
from referee.core.seeding import commitment
from referee.store.memory import MemoryStore
from referee.table.deal import Creation
from referee.table.ids import MatchId, Principal
from referee.table.matches import Limits
from referee.table.snapshot import SeatHead, Snapshot, Status
from referee.table.table import Table
from referee.table.transitions import Answer, ById, ByIndex
from tests.servers import eventually
from tests.table.faulty import Short
from tests.table.night import Night, night_of, reasons
from tests.table.pebbles import BID_1, DRAW, KEEP, NONE, PUT_LOW, TAKE_0, TAKE_1, Pebbles
from tests.table.sitting import ALICE, BOB, CAROL, GAMES, HOST, STRANGER, creation_of, new_id, seat_of

ABSENT = MatchId("a" * 26)
SEED = bytes(range(32))


@pytest.fixture
def night() -> Night:
    """One table."""
    return night_of()


@pytest.fixture
def replicas() -> Night:
    """Two tables over one store."""
    return night_of(2)


async def test_the_match_id_follows_from_host_and_request_id(night: Night) -> None:
    """Base32 of the first 16 bytes of SHA-256 of both, each behind its length."""
    snapshot = await night.table.create(HOST, "my-request", creation_of([ALICE, BOB]))
    parts = [HOST, b"my-request"]
    digest = sha256(b"".join(len(part).to_bytes(4, "big") + part for part in parts)).digest()
    assert snapshot.match_id == b32encode(digest[:16]).decode().rstrip("=").lower()


async def test_a_creation_repeated_finds_the_same_match_at_any_table_and_at_any_time(replicas: Night) -> None:
    creation = creation_of([ALICE, None])
    first = await replicas.table.create(HOST, "r", creation)
    again = await replicas.tables[1].create(HOST, "r", creation)
    assert (again.match_id, again.head) == (first.match_id, first.head)
    await replicas.join(BOB, first.match_id)
    await replicas.submit(ALICE, first.match_id, TAKE_1)
    late = await replicas.tables[1].create(HOST, "r", creation)
    assert late.match_id == first.match_id
    assert (late.head.seed, late.head.commitment) == (first.head.seed, first.head.commitment)
    assert late.course.version == 2


BASE = creation_of([ALICE, BOB], seed=SEED)
OTHER_CREATIONS = {
    "options": replace(BASE, options={"rounds": 3}),
    "no options": replace(BASE, options={}),
    "seats": replace(BASE, seats=(*BASE.seats, seat_of(CAROL, 2))),
    "order of seats": replace(BASE, seats=BASE.seats[::-1]),
    "an open seat": replace(BASE, seats=(BASE.seats[0], seat_of(None, 1))),
    "a name": replace(BASE, seats=(BASE.seats[0], SeatHead(BOB, "Bob", "", ""))),
    "an entrant": replace(BASE, seats=(BASE.seats[0], SeatHead(BOB, "Seat 2", "bot", "1"))),
    "seed": replace(BASE, seed=bytes(32)),
    "no seed": replace(BASE, seed=None),
    "disclosure": replace(BASE, on_release=True),
    "deal group": replace(BASE, deal_group="a"),
    "bot seeds": replace(BASE, bot_seeds=(b"", bytes(32))),
}


@pytest.mark.parametrize("other", OTHER_CREATIONS.values(), ids=OTHER_CREATIONS.keys())
async def test_the_request_id_of_a_creation_is_for_one_request(night: Night, other: Creation) -> None:
    first = await night.table.create(HOST, "r", BASE)
    with pytest.raises(RefereeError) as refusal:
        await night.table.create(HOST, "r", other)
    assert refusal.value.reason is Reason.REQUEST_ID_REUSED
    assert (await night.snapshot(first.match_id)).head == first.head


async def test_two_hosts_may_use_one_request_id(night: Night) -> None:
    ids = {(await night.table.create(host, "r", BASE)).match_id for host in (HOST, ALICE)}
    assert len(ids) == 2


async def test_a_creation_sent_many_times_at_once_makes_one_match(replicas: Night) -> None:
    creation = creation_of([ALICE, BOB])
    found = await asyncio.gather(*(replicas.tables[number % 2].create(HOST, "r", creation) for number in range(16)))
    assert len({snapshot.head.commitment for snapshot in found}) == 1
    assert len((await replicas.store.listing(None, 10))[0]) == 1


@pytest.mark.parametrize(
    ("creation", "reason", "metadata"),
    [
        (replace(BASE, ruleset="chess"), Reason.UNKNOWN_RULESET, {"ruleset": "chess", "known": "pebbles"}),
        (
            replace(BASE, seats=BASE.seats[:1]),
            Reason.SEAT_COUNT,
            {"ruleset": "pebbles", "seats": "1", "min_seats": "2", "max_seats": "4"},
        ),
        (replace(BASE, options={"speed": 1}), Reason.INVALID_OPTION, {"option": "speed", "problem": "is unknown"}),
    ],
)
async def test_a_match_that_cannot_be_is_refused(
    night: Night, creation: Creation, reason: Reason, metadata: dict[str, str]
) -> None:
    with pytest.raises(RefereeError) as refusal:
        await night.table.create(HOST, "r", creation)
    assert (refusal.value.reason, refusal.value.metadata) == (reason, metadata)
    assert await night.store.listing(None, 10) == ([], False)
    await night.table.create(HOST, "r", BASE)


async def test_a_given_seed_is_used_and_told_and_others_are_all_different(night: Night) -> None:
    given = await night.table.create(HOST, new_id(), replace(BASE, seed=SEED))
    assert (given.head.seed, given.head.seed_given) == (SEED, True)
    made = [await night.table.create(HOST, new_id(), creation_of([ALICE, BOB])) for _ in range(50)]
    assert {len(snapshot.head.seed) for snapshot in made} == {32}
    assert len({snapshot.head.seed for snapshot in made}) == 50
    assert not any(snapshot.head.seed_given for snapshot in made)
    for snapshot in (given, *made):
        assert snapshot.head.commitment == commitment(snapshot.match_id, snapshot.head.seed)


async def test_seats_are_taken_one_by_one_and_the_last_starts_the_match(replicas: Night) -> None:
    match_id = await replicas.match(None, BOB, None)
    assert await replicas.join(ALICE, match_id, at=1) == Answer(1, 0, 0)
    assert (await replicas.snapshot(match_id)).course.status == Status.WAITING
    assert await replicas.join(CAROL, match_id, at=0) == Answer(2, 0, 2)
    assert (await replicas.snapshot(match_id)).course.status == Status.ACTIVE


async def test_of_those_who_join_at_once_as_many_get_in_as_there_are_seats(replicas: Night) -> None:
    match_id = await replicas.match(None, None, None)
    people = [Principal(bytes([number]) * 32) for number in range(8)]
    outcomes = await asyncio.gather(
        *(replicas.join(who, match_id, at=number % 2) for number, who in enumerate(people)), return_exceptions=True
    )
    seats = sorted(outcome.seat for outcome in outcomes if isinstance(outcome, Answer))
    assert seats == [0, 1, 2]
    assert reasons(outcomes) == [Reason.NO_OPEN_SEAT] * 5
    snapshot = await replicas.snapshot(match_id)
    assert (snapshot.course.status, snapshot.course.version) == (Status.ACTIVE, 3)


async def test_joining_a_match_that_does_not_exist_says_so(night: Night) -> None:
    with pytest.raises(RefereeError) as refusal:
        await night.join(ALICE, ABSENT)
    assert (refusal.value.reason, refusal.value.metadata) == (Reason.MATCH_NOT_FOUND, {"match_id": ABSENT})


async def watched(table: Table, who: Principal, match_id: MatchId, seat: int | None) -> None:
    async for _ in table.watch(who, match_id, seat, None):
        return


Call = Callable[[Table, MatchId], Awaitable[object]]
CALLS_FOR_SEATS: dict[str, Call] = {
    "submit": lambda table, match_id: table.submit(STRANGER, match_id, new_id(), None, 0, [ById(TAKE_0)]),
    "submit for a seat": lambda table, match_id: table.submit(STRANGER, match_id, new_id(), 0, 0, [ById(TAKE_0)]),
    "resign": lambda table, match_id: table.resign(STRANGER, match_id, new_id(), None),
    "resign a seat": lambda table, match_id: table.resign(STRANGER, match_id, new_id(), 0),
    "release": lambda table, match_id: table.release(STRANGER, match_id, new_id()),
    "get a seat": lambda table, match_id: table.get(STRANGER, match_id, 0),
    "watch a seat": lambda table, match_id: watched(table, STRANGER, match_id, 0),
}


@pytest.mark.parametrize("call", CALLS_FOR_SEATS.values(), ids=CALLS_FOR_SEATS.keys())
async def test_a_stranger_is_not_told_whether_the_match_exists(night: Night, call: Call) -> None:
    """Word for word the same refusal, for a match that waits, goes on, is over or is not there."""
    waiting, running = await night.match(ALICE, None), await night.match(ALICE, BOB)
    texts = set()
    for match_id in (waiting, running, await night.finished(), ABSENT):
        with pytest.raises(RefereeError) as refusal:
            await call(night.table, match_id)
        texts.add((refusal.value.reason, str(refusal.value), tuple(refusal.value.metadata.items())))
    assert texts == {(Reason.NOT_PERMITTED, "the principal does not hold this seat or match", ())}


async def test_a_caller_sees_with_the_eyes_of_its_seat_or_of_the_public(night: Night) -> None:
    match_id = await night.match(ALICE, BOB)
    assert (await night.table.get(ALICE, match_id, None)).viewer == 0
    assert (await night.table.get(BOB, match_id, 1)).viewer == 1
    assert (await night.table.get(STRANGER, match_id, None)).viewer is None
    assert (await night.table.get(HOST, match_id, None)).viewer is None
    for who, seat in ((ALICE, 1), (HOST, 0), (ALICE, 7)):
        with pytest.raises(RefereeError) as refusal:
            await night.table.get(who, match_id, seat)
        assert refusal.value.reason is Reason.NOT_PERMITTED


async def test_a_principal_with_several_seats_must_name_one(night: Night) -> None:
    match_id = await night.match(ALICE, BOB, ALICE)
    calls: list[Callable[[int | None], Awaitable[object]]] = [
        lambda seat: night.table.get(ALICE, match_id, seat),
        lambda seat: watched(night.table, ALICE, match_id, seat),
        lambda seat: night.table.submit(ALICE, match_id, new_id(), seat, 0, [ById(TAKE_0)]),
        lambda seat: night.table.resign(ALICE, match_id, new_id(), seat),
    ]
    for call in calls:
        with pytest.raises(RefereeError) as refusal:
            await call(None)
        assert (refusal.value.reason, refusal.value.metadata) == (Reason.SEAT_REQUIRED, {"seats": "0, 2"})
        await call(0)


async def test_a_match_that_does_not_exist_is_not_found_by_who_claims_nothing(night: Night) -> None:
    calls: list[Callable[[], Awaitable[object]]] = [
        lambda: night.table.get(STRANGER, ABSENT, None),
        lambda: watched(night.table, STRANGER, ABSENT, None),
        lambda: night.table.record(STRANGER, ABSENT),
    ]
    for call in calls:
        with pytest.raises(RefereeError) as refusal:
            await call()
        assert (refusal.value.reason, refusal.value.metadata) == (Reason.MATCH_NOT_FOUND, {"match_id": ABSENT})


async def test_the_match_that_comes_with_an_answer_is_as_it_is_now(replicas: Night) -> None:
    """Also with the answer to a repeated request: the numbers are the old ones, the match is the new one."""
    match_id = await replicas.match(ALICE, BOB)
    answer, snapshot = await replicas.table.submit(ALICE, match_id, "r", None, 0, [ById(TAKE_1), ById(KEEP)])
    assert (answer.version, snapshot.course.version) == (2, 2)
    await replicas.submit(BOB, match_id, TAKE_0, DRAW, at=1)
    again, current = await replicas.table.submit(ALICE, match_id, "r", None, 0, [ById(TAKE_1), ById(KEEP)])
    assert (again, current.course.version) == (answer, 4)


async def test_the_same_move_sent_many_times_at_once_is_played_once(replicas: Night) -> None:
    match_id = await replicas.match(ALICE, BOB)
    answers = await asyncio.gather(
        *(
            replicas.tables[number % 2].submit(ALICE, match_id, "r", None, 0, [ById(TAKE_1), ById(KEEP)])
            for number in range(16)
        )
    )
    assert {answer for answer, _ in answers} == {Answer(2, 2, 0)}
    assert len(await replicas.store.log(match_id, 0, 100)) == 2


async def test_of_different_moves_for_one_decision_exactly_one_is_played(replicas: Night) -> None:
    """The others hear that the decision is stale, and which one is open."""
    match_id = await replicas.match(ALICE, BOB)
    outcomes = await asyncio.gather(
        *(
            replicas.tables[number % 2].submit(ALICE, match_id, new_id(), None, 0, [ById(TAKE_0 + number % 3)])
            for number in range(12)
        ),
        return_exceptions=True,
    )
    assert reasons(outcomes) == [Reason.STALE_DECISION] * 11
    stale = {outcome.metadata["expected"] for outcome in outcomes if isinstance(outcome, RefereeError)}
    assert stale == {"1"}
    assert len(await replicas.store.log(match_id, 0, 100)) == 1


async def test_simultaneous_choices_at_once_are_all_taken(replicas: Night) -> None:
    match_id = await replicas.match(ALICE, BOB, CAROL)
    await replicas.to_the_bids(match_id)
    answers = await asyncio.gather(
        *(replicas.submit(who, match_id, BID_1, at=number % 2) for number, who in enumerate((ALICE, BOB, CAROL)))
    )
    assert sorted(answer.version for answer in answers) == [7, 8, 9]
    snapshot = await replicas.snapshot(match_id)
    assert snapshot.game.view(snapshot.state, None).totals == (2, 2, 2)
    assert snapshot.to_act() == [0]


async def test_the_whole_match_is_in_its_record(replicas: Night) -> None:
    match_id = await replicas.match(ALICE, None)
    await replicas.join(BOB, match_id)
    await replicas.play(match_id)
    snapshot, log = await replicas.table.record(STRANGER, match_id)
    assert snapshot.course.status == Status.FINISHED
    assert [told.version for told in log] == list(range(1, snapshot.course.version + 1))
    times = [told.time_ms for told in log]
    assert times == sorted(times)
    for seat in (0, 1):
        decisions = [told.entry.decision for told in log[1:] if told.entry.seat == seat]
        assert decisions == list(range(snapshot.course.seats[seat].decisions))


async def test_a_record_is_not_read_before_the_end(night: Night) -> None:
    for match_id in (await night.match(ALICE, None), await night.match(ALICE, BOB)):
        with pytest.raises(RefereeError) as refusal:
            await night.table.record(STRANGER, match_id)
        assert refusal.value.reason is Reason.MATCH_NOT_OVER


async def test_a_record_whose_log_is_gone_meanwhile_is_not_found() -> None:
    """It would be of another match than the one that was played."""
    store = Short(MemoryStore())
    night = night_of(store=store)
    match_id = await night.finished()
    store.count = 1
    with pytest.raises(RefereeError) as refusal:
        await night.table.record(STRANGER, match_id)
    assert refusal.value.reason is Reason.MATCH_NOT_FOUND
    assert len((await night.table.record(STRANGER, match_id))[1]) == 1


async def test_a_record_for_release_is_read_after_its_host_has_released_it(replicas: Night) -> None:
    match_id = await replicas.finished(on_release=True)
    for who in (STRANGER, ALICE):
        with pytest.raises(RefereeError) as refusal:
            await replicas.table.release(who, match_id, new_id())
        assert refusal.value.reason is Reason.NOT_PERMITTED
    with pytest.raises(RefereeError) as refusal:
        await replicas.table.record(STRANGER, match_id)
    assert (refusal.value.reason, refusal.value.metadata) == (Reason.NOT_DISCLOSED, {"match_id": match_id})
    version = (await replicas.snapshot(match_id)).course.version
    await replicas.tables[1].release(HOST, match_id, "r")
    snapshot, log = await replicas.table.record(STRANGER, match_id)
    assert (snapshot.course.version, len(log)) == (version, version)
    await replicas.table.release(HOST, match_id, "r")
    await replicas.table.release(HOST, match_id, "another")


async def test_a_match_that_goes_on_cannot_be_released(night: Night) -> None:
    match_id = await night.match(ALICE, BOB, on_release=True)
    with pytest.raises(RefereeError) as refusal:
        await night.table.release(HOST, match_id, new_id())
    assert refusal.value.reason is Reason.MATCH_NOT_OVER


async def test_idle_matches_and_finished_ones_are_forgotten_each_after_its_time() -> None:
    night = night_of(limits=Limits(idle_ms=60_000, retention_ms=60))
    running, finished = await night.match(ALICE, BOB), await night.finished()

    async def is_forgotten() -> bool:
        return await night.store.load(finished) is None

    await eventually(is_forgotten)
    assert (await night.snapshot(running)).course.status == Status.ACTIVE
    with pytest.raises(RefereeError) as refusal:
        await night.table.resign(BOB, finished, new_id(), None)
    assert refusal.value.reason is Reason.NOT_PERMITTED
    with pytest.raises(RefereeError) as refusal:
        await night.table.record(STRANGER, finished)
    assert refusal.value.reason is Reason.MATCH_NOT_FOUND


async def test_a_match_of_another_version_of_the_rules_is_unreadable_and_stays_as_it_is(night: Night) -> None:
    match_id = await night.match(ALICE, BOB)
    stored = await night.store.load(match_id)
    newer = Table(night.store, {"pebbles": Pebbles("2")})
    calls: list[Callable[[], Awaitable[object]]] = [
        lambda: newer.get(ALICE, match_id, None),
        lambda: newer.submit(ALICE, match_id, new_id(), None, 0, [ById(TAKE_0)]),
        lambda: newer.resign(ALICE, match_id, new_id(), None),
        lambda: newer.record(STRANGER, match_id),
    ]
    for call in calls:
        with pytest.raises(RefereeError) as refusal:
            await call()
        assert refusal.value.reason is Reason.SNAPSHOT_UNREADABLE
    assert await night.store.load(match_id) == stored
    await night.submit(ALICE, match_id, TAKE_0)


async def test_a_table_that_remembers_one_match_only_plays_many(night: Night) -> None:
    forgetful = Night(night.store, [Table(night.store, GAMES, Limits(cached=1))])
    ids = [await forgetful.match(ALICE, BOB, rounds=1) for _ in range(5)]
    await asyncio.gather(*(forgetful.play(match_id) for match_id in ids))
    assert {(await forgetful.snapshot(match_id)).course.status for match_id in ids} == {Status.FINISHED}


async def test_what_a_caller_was_given_does_not_change_when_the_match_goes_on(night: Night) -> None:
    """Snapshots are shared between calls; none is played on in place."""
    match_id = await night.match(ALICE, BOB)
    before: Snapshot = (await night.table.get(ALICE, match_id, None)).snapshot
    packed = before.game.encode(before.state)
    await night.submit(ALICE, match_id, TAKE_1, DRAW)
    _, after = await night.table.submit(ALICE, match_id, new_id(), None, 2, [ById(PUT_LOW)])
    with pytest.raises(RefereeError):
        await night.table.submit(BOB, match_id, new_id(), None, 0, [ByIndex(0), ByIndex(0)])
    await night.resign(BOB, match_id)
    assert before.game.encode(before.state) == packed
    assert before.course.version == 0
    assert (after.course.version, after.state.drawn) == (3, NONE)


async def test_the_table_answers_as_its_store_does() -> None:
    await Table(MemoryStore(), GAMES).ping()
