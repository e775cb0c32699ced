"""Match records as canonical JSON, and the checksum over it."""

import json
from hashlib import sha256

from google.protobuf.json_format import MessageToDict, Parse, ParseError

from artreferee.v1 import record_pb2
from referee.wire import wires

RECORD_VERSION = 1


class RecordError(ValueError):
    """A text that is no intact record; says why."""


def canonical_json(record: record_pb2.MatchRecord) -> str:
    """Returns a record as one line: proto field names, sorted keys, no spaces."""
    fields = MessageToDict(record, preserving_proto_field_name=True)
    return json.dumps(fields, sort_keys=True, separators=(",", ":"), ensure_ascii=True)


def checksum(record: record_pb2.MatchRecord) -> bytes:
    """Returns SHA-256 of the canonical JSON without the checksum itself."""
    bare = record_pb2.MatchRecord()
    bare.CopyFrom(record)
    bare.ClearField("checksum")
    return sha256(canonical_json(bare).encode()).digest()


def parse_record(line: str) -> record_pb2.MatchRecord:
    """Returns the record that a line holds.

    Raises:
        RecordError: not a record, of another format, or not as it was written.
    """
    wires()  # loads the messages of plug-ins, which the JSON form of Any names
    try:
        record = Parse(line, record_pb2.MatchRecord())
    except (ParseError, UnicodeError) as error:
        raise RecordError(f"not a match record, or of a ruleset that is not known here: {error}") from None
    if record.record_version != RECORD_VERSION:
        raise RecordError(f"a record of format {record.record_version}, expected {RECORD_VERSION}")
    if checksum(record) != record.checksum:
        raise RecordError(f"the record of match {record.match_id!r} is not as it was written: its checksum differs")
    return record
