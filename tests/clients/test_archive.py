"""Records of earlier days: those of the present rules replay for ever, others are refused by their version."""

from pathlib import Path
from typing import Final

import pytest

from artreferee.v1 import record_pb2
from clients.replay import ReplayError, replay
from referee.games import registry
from referee.wire.record import canonical_json, parse_record

ARCHIVE: Final = Path(__file__).parent / "archive"


def archived() -> list[str]:
    return [line for file in sorted(ARCHIVE.glob("*.jsonl")) for line in file.read_text().splitlines()]


@pytest.mark.parametrize("line", archived(), ids=lambda line: parse_record(line).match_id)
def test_an_archived_record_replays_or_names_its_version(line: str) -> None:
    record = parse_record(line)
    if record.rules_version == registry()[record.ruleset].spec.rules_version:
        assert len(list(replay(record))) == len(record.log)
    else:
        with pytest.raises(ReplayError, match=f"was played under version {record.rules_version} of the"):
            list(replay(record))


@pytest.mark.parametrize("line", archived(), ids=lambda line: parse_record(line).match_id)
def test_an_archived_record_is_written_as_it_was(line: str) -> None:
    assert canonical_json(parse_record(line)) == line


@pytest.mark.parametrize("ruleset", list(registry()))
def test_the_archive_has_the_present_rules(ruleset: str) -> None:
    """Whoever changes rules adds records of the new ones, and keeps the others."""
    records: list[record_pb2.MatchRecord] = [parse_record(line) for line in archived()]
    versions = {record.rules_version for record in records if record.ruleset == ruleset}
    assert registry()[ruleset].spec.rules_version in versions
