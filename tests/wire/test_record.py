"""Records as canonical JSON: written in one way only, and refused in words when they are not as they were written."""

import json
import random
from hashlib import sha256
from typing import Any

import pytest

from artreferee.v1 import error_pb2, match_pb2, record_pb2, ruleset_pb2
from artreferee.v1.classic_art_pb2 import ClassicArtOptions
from referee.wire import wires
from referee.wire.record import RecordError, canonical_json, checksum, parse_record


def entry(version: int, seat: int, move: int) -> record_pb2.LogEntry:
    played = record_pb2.LoggedMove(
        decision_number=version // 2,
        id=move,
        move=wires()["classic_art"].move(move),
        actor=match_pb2.ACTOR_PLAYER,
        thinking_ms=2**33 + version,
    )
    return record_pb2.LogEntry(version=version, seat=seat, time_ms=1_700_000_000_000 + version, move=played)


def record() -> record_pb2.MatchRecord:
    """A record with something in every field."""
    made = record_pb2.MatchRecord(
        record_version=1,
        match_id="a" * 26,
        ruleset="classic_art",
        rules_version="1",
        data_version="2",
        data_digest=bytes(range(32)),
        options=ruleset_pb2.Options(classic_art=ClassicArtOptions(max_seasons=3, start_seat=0)),
        seats=[
            record_pb2.RecordSeat(
                display_name="Zoë",
                entrant=match_pb2.Entrant(name="bot", version="1.0"),
                bot_seed=bytes(range(50, 82)),
            ),
            record_pb2.RecordSeat(display_name='"名\\'),
        ],
        seed=bytes(range(100, 132)),
        seed_given=True,
        commitment=bytes(range(200, 232)),
        deal_group="group",
        create_time_ms=1_700_000_000_000,
        end_time_ms=1_700_000_000_009,
        log=[
            record_pb2.LogEntry(version=1, seat=1, time_ms=1, join=record_pb2.LoggedJoin()),
            entry(2, 0, 55),
            entry(3, 1, 134),
            entry(4, 0, 7),
            record_pb2.LogEntry(version=5, seat=1, time_ms=9, resignation=record_pb2.LoggedResignation()),
            record_pb2.LogEntry(
                version=6, seat=0, time_ms=9, out=record_pb2.LoggedOut(cause=match_pb2.CAUSE_TIMED_OUT, out_version=6)
            ),
        ],
        refusals=[record_pb2.Refusal(seat=1, reason=error_pb2.ERROR_REASON_ILLEGAL_MOVE, count=2)],
        result=match_pb2.Result(
            seats=[
                match_pb2.SeatResult(rank=1, score=0),
                match_pb2.SeatResult(rank=2, score=-3, cause=match_pb2.CAUSE_RESIGNED),
            ],
            reason="LAST_SEAT",
        ),
        time_control=match_pb2.TimeControl(move_limit_ms=1, bank_ms=2**29, increment_ms=3, margin_ms=4),
        fault_policy=match_pb2.FaultPolicy(join_limit_ms=5, illegal_moves=0),
        outages=[record_pb2.Outage(start_time_ms=1_700_000_000_001, end_time_ms=1_700_000_000_002)],
    )
    made.checksum = checksum(made)
    return made


LINE = canonical_json(record())


def test_a_small_record_to_the_letter() -> None:
    """Proto field names, sorted keys, no spaces, 64-bit numbers as strings, bytes as base64."""
    small = record_pb2.MatchRecord(
        record_version=1, match_id="b" * 26, seed=b"\xfb\xff", seed_given=True, end_time_ms=2**40, deal_group="é"
    )
    bare = (
        '{"deal_group":"\\u00e9","end_time_ms":"1099511627776","match_id":"bbbbbbbbbbbbbbbbbbbbbbbbbb",'
        '"record_version":1,"seed":"+/8=","seed_given":true}'
    )
    assert canonical_json(small) == bare
    assert checksum(small) == sha256(bare.encode()).digest()


def test_the_json_is_canonical() -> None:
    """One line, and the one that anybody's JSON library makes with sorted keys and without spaces."""
    fields = json.loads(LINE)
    assert json.dumps(fields, sort_keys=True, separators=(",", ":")) == LINE
    assert LINE.isascii()
    assert "\n" not in LINE


def test_the_checksum_is_that_of_the_json_without_it() -> None:
    fields = json.loads(LINE)
    del fields["checksum"]
    bare = json.dumps(fields, sort_keys=True, separators=(",", ":"))
    assert record().checksum == sha256(bare.encode()).digest()


def test_a_record_comes_back_as_it_was_written() -> None:
    assert parse_record(LINE) == record()
    assert canonical_json(parse_record(LINE)) == LINE
    assert parse_record(f"{LINE}\n") == record()


def test_every_field_is_covered_by_the_checksum() -> None:
    """Whatever is left out of a record, its checksum is another one."""
    for field, _ in record().ListFields():
        if field.name != "checksum":
            other: Any = record()
            other.ClearField(field.name)
            assert checksum(other) != record().checksum, field.name


def test_the_checksum_leaves_its_record_alone() -> None:
    made = record()
    checksum(made)
    assert made == record()


def test_a_line_that_was_cut_is_refused() -> None:
    for length in range(len(LINE)):
        with pytest.raises(RecordError, match=r"\w"):
            parse_record(LINE[:length])


def accepted(line: str) -> bool:
    """Whether a line is taken for a record; if so it must say the same as the original."""
    try:
        parsed = parse_record(line)
    except RecordError:
        return False
    assert parsed == record()
    return True


def test_no_altered_character_goes_unnoticed() -> None:
    """Each is refused in words, but for the few that change the spelling and not the meaning."""
    rng = random.Random(1)
    taken = 0
    for place, character in enumerate(LINE):
        for other in {rng.choice('0123456789aZ{}[]",:\\ \x00é'), chr(ord(character) ^ 1)} - {character}:
            taken += accepted(LINE[:place] + other + LINE[place + 1 :])
        accepted(LINE[:place] + LINE[place + 1 :])
    assert taken < len(LINE) // 20


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ('"id":55', '"id":56'),
        ('"seed_given":true', '"seed_given":false'),
        ('"rank":1', '"rank":2'),
        ('"score":-3', '"score":3'),
        ('"count":2', '"count":1'),
        ("CAUSE_RESIGNED", "CAUSE_UNSPECIFIED"),
        ('"max_seasons":3', '"max_seasons":4'),
        ('"deal_group":"group",', ""),
        ('"ruleset":"classic_art"', '"ruleset":"classic_art","ruleset":"chess"'),
        ("1700000000009", "1700000000008"),
    ],
)
def test_an_altered_record_is_refused(old: str, new: str) -> None:
    assert old in LINE
    with pytest.raises(RecordError, match=r"\w"):
        parse_record(LINE.replace(old, new, 1))


def test_an_exchange_of_two_entries_is_refused() -> None:
    made = record()
    made.log[1].CopyFrom(record().log[2])
    made.log[2].CopyFrom(record().log[1])
    with pytest.raises(RecordError, match="checksum"):
        parse_record(canonical_json(made))


@pytest.mark.parametrize("version", [0, 2, 99])
def test_a_record_of_another_format_is_refused_by_its_number(version: int) -> None:
    made = record()
    made.record_version = version
    made.checksum = checksum(made)
    with pytest.raises(RecordError, match=f"format {version}"):
        parse_record(canonical_json(made))


@pytest.mark.parametrize(
    "line",
    [
        "",
        " ",
        "{}",
        "null",
        "[]",
        "1",
        '"text"',
        "not json",
        '{"record_version":"one"}',
        '{"unknown":1}',
        '{"record_version":1e999}',
        '{"record_version":NaN}',
        '{"seed":"*"}',
        '{"log":{}}',
        '{"options":{"plugin":{"@type":"example.org/chess.Options"}}}',
        '{"options":{"plugin":{"@type":1}}}',
        '{"options":{"plugin":{}}}',
        '{"match_id":"\\ud800"}',
        "\ud800",
        "[" * 100_000,
        '{"log":' + "[" * 100_000,
        LINE + LINE,
    ],
    ids=range(22),
)
def test_what_is_no_record_is_refused_in_words(line: str) -> None:
    with pytest.raises(RecordError, match=r"\w"):
        parse_record(line)
