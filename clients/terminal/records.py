"""Records of matches that have ended, brought home from the referee."""

from pathlib import Path

from artreferee.v1 import record_pb2
from clients.sdk import CallError, RefereeClient
from clients.terminal import refusals
from clients.terminal.words import Words
from referee.wire.record import canonical_json


async def written(client: RefereeClient, match_id: str, words: Words) -> str:
    """Writes the record of a match into the current folder; returns a sentence on that, or on why it is not."""
    try:
        file = _file_of(await client.get_record(match_id))
    except CallError as error:
        return refusals.told(error, words)
    except OSError as error:
        return words.told("The record was not written: {why}.", why=error.strerror)
    return words.told("The record is written: `curator replay {file}` steps through the match.", file=file)


def _file_of(record: record_pb2.MatchRecord) -> Path:
    file = Path(f"{record.ruleset}-{record.match_id}.jsonl")
    file.write_text(f"{canonical_json(record)}\n", encoding="utf-8")
    return file
