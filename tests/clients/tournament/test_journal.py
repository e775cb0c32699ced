"""The journal: it only grows, it tells when it was tampered with, and a crash costs at most its last line."""

import subprocess
import sys
from pathlib import Path

import pytest

from clients.tournament.entries import Begun, Cancelled, Closed, Crashed, Entry, Resumed, Voided
from clients.tournament.journal import Journal, JournalError
from clients.tournament.pairing import Game
from clients.tournament.plan import Entrant, Plan

PLAN = Plan(games=(Game("artsee", 2),), entrants=(Entrant("a"), Entrant("b", command=("node", "b.js"))))
ENTRIES: list[Entry] = [
    Begun("0123456789abcdef", PLAN, 1),
    Voided("artsee/2/0/0.0/0", "m", "the referee has lost it"),
    Cancelled("artsee/2/0/0.0/1", "b has withdrawn"),
    Crashed("b", "ended by signal 9", 2),
    Closed(3),
]


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """A journal with five entries."""
    path = tmp_path / "journal.jsonl"
    with Journal(path) as journal:
        for entry in ENTRIES:
            journal.append(entry)
    return path


def test_what_was_entered_is_read_again(path: Path) -> None:
    """Also what a later process adds."""
    with Journal(path) as journal:
        assert journal.entries == ENTRIES
        journal.append(Resumed(4))
    with Journal(path) as journal:
        assert journal.entries == [*ENTRIES, Resumed(4)]


def test_a_last_line_cut_anywhere_is_dropped(path: Path) -> None:
    """All before it stays, and the next entry takes its place."""
    content = path.read_bytes()
    start = content.rindex(b"\n", 0, -1) + 1
    for end in range(start, len(content)):
        path.write_bytes(content[:end])
        with Journal(path) as journal:
            assert journal.entries == ENTRIES[:-1]
            journal.append(ENTRIES[-1])
        assert path.read_bytes() == content


@pytest.mark.parametrize("number", range(len(ENTRIES)))
def test_a_changed_line_is_named(path: Path, number: int) -> None:
    """Also where it is still an entry."""
    lines = path.read_bytes().splitlines(keepends=True)
    lines[number] = lines[number].replace(b'"type":"', b'"type":"x', 1)
    path.write_bytes(b"".join(lines))
    with pytest.raises(JournalError, match=rf"line {number + 1} was changed, or one before it is missing"):
        Journal(path)


@pytest.mark.parametrize("number", range(len(ENTRIES) - 1))
def test_a_missing_line_is_noticed(path: Path, number: int) -> None:
    """The seal of each line covers all lines before it."""
    lines = path.read_bytes().splitlines(keepends=True)
    path.write_bytes(b"".join(lines[:number] + lines[number + 1 :]))
    with pytest.raises(JournalError, match="was changed, or one before it is missing"):
        Journal(path)


def test_a_line_that_is_no_entry_is_named(tmp_path: Path) -> None:
    """Another file is not taken for a journal."""
    path = tmp_path / "journal.jsonl"
    path.write_text("a table\n")
    with pytest.raises(JournalError, match="line 1 is no entry"):
        Journal(path)


def test_only_one_process_has_it(path: Path) -> None:
    """A second director is refused in words, and may come when the first one is gone."""
    opening = "import sys, pathlib; from clients.tournament.journal import Journal; Journal(pathlib.Path(sys.argv[1]))"
    with Journal(path):
        second = subprocess.run([sys.executable, "-c", opening, str(path)], capture_output=True, text=True, check=False)
        assert f"another process is at work on {path}" in second.stderr
    third = subprocess.run([sys.executable, "-c", opening, str(path)], capture_output=True, text=True, check=False)
    assert third.stderr == ""
