"""A store that does not answer may have written: the same request again has one effect and the same outcome."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass

import pytest

from referee.core.errors import Reason, RefereeError
from referee.store.memory import MemoryStore
from referee.table.ids import MatchId
from referee.table.store import Store, StoreUnavailableError
from referee.table.table import Table
from referee.table.transitions import ById
from tests.table.faulty import LosesReplies, LosesWrites
from tests.table.night import Night, night_of
from tests.table.pebbles import BID_0, KEEP, TAKE_1
from tests.table.sitting import ALICE, BOB, CAROL, GAMES, HOST, creation_of

Outcome = tuple[object, ...]


@dataclass(frozen=True)
class Mutation:
    """A call that changes something.

    Attributes:
        prepare: makes the match that it is for.
        call: makes the call, always with the same request id, and returns what its caller hears.
    """

    prepare: Callable[[Night], Awaitable[MatchId]]
    call: Callable[[Table, MatchId], Awaitable[Outcome]]


async def running(night: Night) -> MatchId:
    return await night.match(ALICE, BOB, CAROL)


async def create(table: Table, _: MatchId) -> Outcome:
    snapshot = await table.create(HOST, "again", creation_of([ALICE, BOB]))
    return (snapshot.match_id, snapshot.course)


async def join(table: Table, match_id: MatchId) -> Outcome:
    return await table.join(BOB, match_id, "again", None, "Bob", ("bot", "1"))


async def submit(table: Table, match_id: MatchId) -> Outcome:
    answer, _ = await table.submit(ALICE, match_id, "again", None, 0, [ById(TAKE_1), ById(KEEP)])
    return answer


async def submit_illegally(table: Table, match_id: MatchId) -> Outcome:
    try:
        answer, _ = await table.submit(ALICE, match_id, "again", None, 0, [ById(BID_0)])
    except RefereeError as error:
        return (error.reason, error.metadata)
    return answer


async def resign(table: Table, match_id: MatchId) -> Outcome:
    return await table.resign(ALICE, match_id, "again", None)


async def release(table: Table, match_id: MatchId) -> Outcome:
    await table.release(HOST, match_id, "again")
    return ()


MUTATIONS = {
    "create": Mutation(running, create),
    "join": Mutation(lambda night: night.match(ALICE, None, None), join),
    "join as the last": Mutation(lambda night: night.match(ALICE, None), join),
    "submit": Mutation(running, submit),
    "submit illegally": Mutation(running, submit_illegally),
    "resign": Mutation(running, resign),
    "resign as the last but one": Mutation(lambda night: night.match(ALICE, BOB), resign),
    "release": Mutation(lambda night: night.finished(on_release=True), release),
}

every_mutation = pytest.mark.parametrize("mutation", MUTATIONS.values(), ids=MUTATIONS.keys())


async def effects(store: Store) -> list[Outcome]:
    """What the store holds of every match, but for its seed, its bytes at random and the time."""
    found: list[Outcome] = []
    table = Table(store, GAMES)
    places, _ = await store.listing(None, 100)
    for place in places:
        snapshot = (await table.get(HOST, place.match_id, None)).snapshot
        seats = tuple((seat.decisions, seat.cause, seat.out_version) for seat in snapshot.course.seats)
        receipts = [(seat, len(ring.receipts), ring.refused) for seat, ring in sorted(snapshot.rings.items())]
        log = await store.log(place.match_id, 0, 100)
        course = (snapshot.course.status, snapshot.course.version, snapshot.course.released, seats)
        found.append((snapshot.head.seats, course, receipts, len(log)))
    return sorted(found, key=str)


async def without_faults(mutation: Mutation) -> tuple[Outcome, list[Outcome]]:
    """What the call's caller hears and what it brings about when the store answers."""
    night = night_of(store=MemoryStore())
    match_id = await mutation.prepare(night)
    before = await effects(night.store)
    outcome = await mutation.call(night.table, match_id)
    return outcome, [effect for effect in await effects(night.store) if effect not in before]


@every_mutation
@pytest.mark.parametrize("fault", [LosesReplies, LosesWrites], ids=["reply lost", "write lost"])
@pytest.mark.parametrize("retry_at", [0, 1], ids=["same table", "other table"])
async def test_a_call_repeated_after_the_store_did_not_answer_has_one_effect_and_the_same_outcome(
    mutation: Mutation, fault: type[LosesReplies | LosesWrites], retry_at: int
) -> None:
    expected, brought_about = await without_faults(mutation)
    store = fault(MemoryStore())
    night = night_of(2, store=store)
    match_id = await mutation.prepare(night)
    before = await effects(store)
    store.count = 1
    with pytest.raises(StoreUnavailableError):
        await mutation.call(night.table, match_id)
    outcome = await mutation.call(night.tables[retry_at], match_id)
    assert comparable(outcome) == comparable(expected)
    assert [effect for effect in await effects(store) if effect not in before] == brought_about
    assert comparable(await mutation.call(night.tables[1 - retry_at], match_id)) == comparable(expected)
    assert [effect for effect in await effects(store) if effect not in before] == brought_about


def comparable(outcome: Outcome) -> Outcome:
    """The outcome of a creation holds a dealt state, which differs from deal to deal; the rest is compared as it is."""
    return outcome[:1] if outcome and isinstance(outcome[0], str) else outcome


@every_mutation
async def test_a_call_may_meet_the_fault_several_times(mutation: Mutation) -> None:
    expected, brought_about = await without_faults(mutation)
    store = LosesReplies(MemoryStore())
    night = night_of(store=store)
    match_id = await mutation.prepare(night)
    before = await effects(store)
    store.count = 3
    for _ in range(10):
        try:
            outcome = await mutation.call(night.table, match_id)
            break
        except StoreUnavailableError:
            continue
    assert comparable(outcome) == comparable(expected)
    assert [effect for effect in await effects(store) if effect not in before] == brought_about


async def test_a_repeated_creation_keeps_the_first_deal() -> None:
    """A seed that was committed is never dealt again, for a caller may have seen the commitment."""
    store = LosesReplies(MemoryStore())
    night = night_of(2, store=store)
    store.count = 1
    with pytest.raises(StoreUnavailableError):
        await night.table.create(HOST, "again", creation_of([ALICE, BOB]))
    found = [await table.create(HOST, "again", creation_of([ALICE, BOB])) for table in night.tables]
    assert len({(snapshot.match_id, snapshot.head.seed) for snapshot in found}) == 1


async def test_another_move_after_a_lost_reply_is_stale() -> None:
    """The player who tries again with a new request id does not move twice."""
    store = LosesReplies(MemoryStore())
    night = night_of(store=store)
    match_id = await night.match(ALICE, BOB)
    store.count = 1
    with pytest.raises(StoreUnavailableError):
        await submit(night.table, match_id)
    with pytest.raises(RefereeError) as refusal:
        await night.table.submit(ALICE, match_id, "new", None, 0, [ById(TAKE_1)])
    assert refusal.value.reason is Reason.STALE_DECISION


async def test_play_goes_on_after_a_lost_reply_without_a_retry() -> None:
    """What the table remembers is behind the store then; the next caller does not notice."""
    store = LosesReplies(MemoryStore())
    night = night_of(store=store)
    match_id = await night.match(ALICE, BOB)
    store.count = 1
    with pytest.raises(StoreUnavailableError):
        await submit(night.table, match_id)
    answer, snapshot = await night.table.submit(BOB, match_id, "next", None, 0, [ById(TAKE_1)])
    assert (answer.version, snapshot.course.version) == (3, 3)
