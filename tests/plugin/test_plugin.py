"""A ruleset from outside goes the whole way: it is listed, dealt, played by bots, recorded and replayed."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from google.protobuf import wrappers_pb2

from referee.wire.record import parse_record


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """An environment in which the ruleset is installed as a distribution of its own."""
    site = tmp_path_factory.mktemp("site")
    shutil.copy(Path(__file__).with_name("pebbles.py"), site / "pebbles.py")
    metadata = site / "pebbles-1.dist-info"
    metadata.mkdir()
    (metadata / "METADATA").write_text("Metadata-Version: 2.1\nName: pebbles\nVersion: 1\n")
    (metadata / "entry_points.txt").write_text(
        "[artreferee.games]\npebbles = pebbles:Pebbles\n[artreferee.wires]\npebbles = pebbles:PebblesWire\n"
    )
    return {**os.environ, "PYTHONPATH": str(site), "COLUMNS": "120"}


def _curator(environment: dict[str, str], home: Path, *arguments: str) -> "subprocess.CompletedProcess[str]":
    command = [sys.executable, "-m", "clients.curator", *arguments]
    return subprocess.run(command, cwd=home, env=environment, capture_output=True, text=True, timeout=100, check=False)


@pytest.fixture(scope="module")
def played(installed: dict[str, str], tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The results of a tournament of it."""
    home = tmp_path_factory.mktemp("pebbles")
    entrants = ("--entrants", "random,random")
    run = _curator(installed, home, "tournament", "--ruleset", "pebbles", *entrants, "--deals", "2", "--out", "out")
    assert run.returncode == 0, run.stderr
    return home / "out"


def test_it_is_listed_beside_the_built_in_ones(installed: dict[str, str], tmp_path: Path) -> None:
    """The command line knows it by its entry point."""
    run = _curator(installed, tmp_path, "rulesets")
    assert "Pebbles (pebbles), 2 to 3 seats" in run.stdout
    assert "Classic Art" in run.stdout


def test_bots_play_it_for_every_number_of_seats(played: Path) -> None:
    """Two deals at two seats in two rotations, and at three seats in two groups and three rotations."""
    sections = json.loads((played / "standings.json").read_text())["standings"]["games"]
    assert [
        (section["game"]["ruleset"], section["game"]["seats"], section["counts"]["counted_matches"])
        for section in sections
    ] == [("pebbles", 2, 4), ("pebbles", 3, 12)]


def test_its_records_replay(played: Path, installed: dict[str, str]) -> None:
    """Dealt and played again from seed and moves."""
    run = _curator(installed, played, "replay", "records.jsonl", "--verify")
    assert (run.returncode, run.stdout) == (0, "16 matches follow from their seeds and moves\n")


def test_its_scores_follow_from_the_moves_in_the_record(played: Path) -> None:
    """What a seat took is in the record; one to three hidden pebbles are added to it."""
    for line in (played / "records.jsonl").read_text().splitlines():
        record = parse_record(line)
        assert record.log[0].move.move.plugin.Is(wrappers_pb2.UInt32Value.DESCRIPTOR)
        taken = [0] * len(record.seats)
        for entry in record.log:
            taken[entry.seat] += entry.move.id + 1
        assert sum(taken) == 9
        assert all(1 <= seat.score - own <= 3 for seat, own in zip(record.result.seats, taken, strict=True))


def test_without_it_its_records_are_refused_in_words(played: Path) -> None:
    """A reader that lacks the ruleset says so."""
    run = _curator({**os.environ}, played, "replay", "records.jsonl", "--verify")
    assert run.returncode == 1
    assert "of a ruleset that is not known here" in run.stderr
    assert len(run.stderr.splitlines()) == 1
