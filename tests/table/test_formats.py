"""Matches that earlier versions of the service have stored are read and played on; those of later ones are refused."""

from collections.abc import AsyncIterator, Mapping
from typing import Any, Final

import msgspec
import pytest

from referee.core.errors import Reason, RefereeError
from referee.store import keys
from referee.store.redis_store import RedisStore
from referee.table.formats import FORMAT, MIGRATIONS, Fields, FormatError, migrated
from referee.table.ids import MatchId
from referee.table.snapshot import Course, Head, Ring, SeatCourse, Status, pack
from referee.table.store import Header
from referee.table.table import Table
from referee.table.transitions import Answer, ByIndex
from tests.servers import store_server, usual_server
from tests.table.formats import FOLDER, known, read
from tests.table.night import Night, holder, night_of
from tests.table.pebbles import KEEP, TAKE_0, TAKE_1
from tests.table.sitting import ALICE, BOB, GAMES, accepted, new_id, refused

GOLDEN = [
    pytest.param(line, id=f"{file.stem} {number}")
    for file in sorted(FOLDER.glob("*.jsonl"))
    for number, line in enumerate(file.read_text().splitlines())
]


@pytest.mark.parametrize("line", GOLDEN)
def test_a_stored_match_is_read_as_it_was_written(line: str) -> None:
    sitting, expected = read(line)
    assert known(sitting) == expected


@pytest.mark.parametrize("line", GOLDEN)
def test_a_stored_match_is_played_on(line: str) -> None:
    """To its end, by whoever holds the seats; what was played before stays."""
    sitting, _ = read(line)
    before = list(sitting.log)
    if sitting.snapshot.course.status == Status.WAITING:
        accepted(sitting.join(BOB))
    while sitting.to_act:
        seat = sitting.to_act[0]
        accepted(sitting.submit(holder(sitting.snapshot, seat), ByIndex(0), seat=seat))
    assert sitting.snapshot.over
    assert sitting.log[: len(before)] == before


@pytest.mark.parametrize("line", [line for line in GOLDEN if '"in the middle"' in str(line.values[0])])
def test_a_request_that_an_earlier_version_has_answered_is_answered_alike(line: str) -> None:
    """Accepted, refused or for another request's id; and nothing of it is played again."""
    sitting, _ = read(line)
    before = list(sitting.log)
    assert sitting.join(BOB, request_id="join", name="Zoë") == Answer(1, 0, 1)
    assert sitting.submit(ALICE, TAKE_0, KEEP, request_id="take", decision=0) == Answer(3, 2, 0)
    early = sitting.submit(ALICE, TAKE_0, request_id="too early", decision=2)
    assert (refused(early).reason, str(early)) == (Reason.NOT_TO_ACT, "seat 0 is not to act now")
    assert refused(sitting.submit(ALICE, TAKE_1, request_id="take", decision=0)).reason is Reason.REQUEST_ID_REUSED
    assert sitting.log == before


def test_the_present_format_is_among_the_files() -> None:
    """With matches in every state."""
    sittings = [read(str(line.values[0]))[0] for line in GOLDEN]
    assert {sitting.header.format for sitting in sittings} == {*MIGRATIONS, FORMAT}
    assert {Status(sitting.snapshot.course.status) for sitting in sittings} == set(Status)


@pytest.mark.parametrize("line", GOLDEN)
def test_what_a_later_version_appends_to_a_struct_is_passed_over(line: str) -> None:
    sitting, expected = read(line)
    fields, sitting.header = sitting.snapshot.packed(), sitting.header._replace(format=FORMAT)
    for name, packed in fields.items():
        later: list[Any] = msgspec.msgpack.decode(packed)
        later.append("later")
        sitting.fields[name] = msgspec.msgpack.encode(later)
    assert known(sitting) == expected


def test_formats_are_migrated_one_after_the_other(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("referee.table.formats.FORMAT", 3)
    monkeypatch.setitem(MIGRATIONS, 1, lambda fields: {**fields, "course": fields["course"] + b" 1-2"})
    monkeypatch.setitem(MIGRATIONS, 2, lambda fields: {**fields, "course": fields["course"] + b" 2-3"})
    assert migrated({"course": b"course"}, 1) == {"course": b"course 1-2 2-3"}
    assert migrated({"course": b"course"}, 3) == {"course": b"course"}
    for since, words in ((0, "format 0, which is too old"), (4, "format 4, the newest that is known is 3")):
        with pytest.raises(FormatError, match=words):
            migrated({}, since)


# A worked example: say that the format before kept the course as a map, and without clocks.


EARLIER: Final = FORMAT - 1


class OldCourse(msgspec.Struct):
    status: int
    version: int
    decisions: list[int]
    asked: list[bool]
    state: bytes


def from_earlier(fields: Fields) -> Fields:
    """The migration."""
    old = msgspec.msgpack.decode(fields["course"], type=OldCourse)
    pairs = zip(old.decisions, old.asked, strict=True)
    seats = tuple(SeatCourse(decisions=made, asked_ms=0 if asked else None) for made, asked in pairs)
    return {**fields, "course": pack(Course(old.status, old.version, seats, False, None, old.state))}


def to_earlier(fields: Mapping[str, bytes]) -> dict[str, bytes]:
    """What an old version would have written."""
    new = msgspec.msgpack.decode(fields["course"], type=Course)
    decisions = [seat.decisions for seat in new.seats]
    asked = [seat.asked_ms is not None for seat in new.seats]
    old = OldCourse(new.status, new.version, decisions, asked, new.state)
    return {**fields, "course": msgspec.msgpack.encode(old)}


@pytest.fixture
async def store() -> AsyncIterator[RedisStore]:
    with store_server(usual_server()) as server:
        found = RedisStore(server.url)
        yield found
        await found.close()


async def store_as(store: RedisStore, match_id: MatchId, number: int, fields: Mapping[str, bytes]) -> None:
    """Lets a match be stored in another format."""
    stored = await store.load(match_id)
    assert stored is not None
    changed = {"header": bytes((number,)) + stored.header[1:], **fields}
    await store._send("HSET", keys.match(match_id), *(part for pair in changed.items() for part in pair))


async def fields_of(store: RedisStore, match_id: MatchId) -> Mapping[str, bytes]:
    stored = await store.load(match_id)
    assert stored is not None
    return stored.fields


async def format_of(store: RedisStore, match_id: MatchId) -> int:
    stored = await store.load(match_id)
    assert stored is not None
    return Header.decode(stored.header).format


async def test_a_match_of_an_older_format_is_played_on_in_the_present_one(
    store: RedisStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The first write makes all of it new, also what it does not change, and then nothing of the old one is needed."""
    night = night_of(store=store)
    match_id = await night.match(ALICE, BOB)
    await night.submit(ALICE, match_id, TAKE_1, KEEP)
    await store_as(store, match_id, EARLIER, to_earlier(await fields_of(store, match_id)))
    monkeypatch.setitem(MIGRATIONS, EARLIER, from_earlier)
    later = Night(store, [Table(store, GAMES)])
    assert (await later.snapshot(match_id)).to_act() == [1]
    await later.submit(BOB, match_id, TAKE_1, KEEP)
    assert await format_of(store, match_id) == FORMAT
    monkeypatch.delitem(MIGRATIONS, EARLIER)
    await Night(store, [Table(store, GAMES)]).play(match_id)
    assert (await later.snapshot(match_id)).course.status == Status.FINISHED


async def test_the_first_write_makes_unchanged_fields_new_too(
    store: RedisStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Such as the head, and the rings of seats that did nothing then."""

    def renamed(fields: Fields) -> Fields:
        return {name.removeprefix("old "): packed for name, packed in fields.items()}

    night = night_of(store=store)
    match_id = await night.match(ALICE, BOB)
    await night.submit(ALICE, match_id, TAKE_1, KEEP)
    before = await fields_of(store, match_id)
    await store_as(store, match_id, EARLIER, {f"old {name}": packed for name, packed in before.items()})
    await store._send("HDEL", keys.match(match_id), *before)
    monkeypatch.setitem(MIGRATIONS, EARLIER, renamed)
    later = Night(store, [Table(store, GAMES)])
    await later.submit(BOB, match_id, TAKE_1)
    after = await fields_of(store, match_id)
    assert {name for name in after if not name.startswith("old ")} == {"head", "course", "r0", "r1"}
    assert msgspec.msgpack.decode(after["head"], type=Head) == msgspec.msgpack.decode(before["head"], type=Head)
    assert msgspec.msgpack.decode(after["r0"], type=Ring) == msgspec.msgpack.decode(before["r0"], type=Ring)


@pytest.mark.parametrize("number", [min(MIGRATIONS) - 1, FORMAT + 1], ids=["too old", "too new"])
async def test_a_match_of_an_unknown_format_is_refused_in_words_and_left_alone(store: RedisStore, number: int) -> None:
    """Also by a replica that remembers it as it was before another one of a later version wrote it."""
    night = night_of(store=store)
    match_id = await night.match(ALICE, BOB)
    remembering = night.table
    await remembering.get(ALICE, match_id, None)
    await store_as(store, match_id, number, {"course": b"what only another version can read"})
    before = await store.load(match_id)
    for table in (remembering, Table(store, GAMES)):
        with pytest.raises(RefereeError) as error:
            await table.submit(ALICE, match_id, new_id(), None, 0, [ByIndex(0)])
        assert error.value.reason is Reason.SNAPSHOT_UNREADABLE
        assert str(error.value) == f"match {match_id} cannot be read by this version of the service"
    assert await store.load(match_id) == before
