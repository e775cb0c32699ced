"""The files of a report, each of which a reader sees whole or not at all."""

import json
import os
from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any, Final

from clients.terminal.words import Words
from clients.tournament.plan import Entrant
from clients.tournament.report.logs import RecordFile
from clients.tournament.report.page import page
from clients.tournament.report.software import software
from clients.tournament.report.subject import Subject
from clients.tournament.report.tables import tables
from clients.tournament.report.words import ENGLISH

REPORT: Final = "report.html"
STANDINGS: Final = "standings.json"
RECORDS: Final = "records.jsonl"


def write_report(folder: Path, subject: Subject, words: Words = ENGLISH) -> None:
    """Writes report.html in a language, standings.json and the tables into a folder that has the records.

    Raises:
        OSError: the records cannot be read, or a file not be written.
        RecordError: the records file holds something else.
    """
    records = RecordFile(folder / RECORDS)
    for name, text in tables(subject, records.versions).items():
        write_whole(folder / name, text)
    write_whole(folder / STANDINGS, standings_json(subject))
    write_whole(folder / REPORT, page(subject, records, words))


def standings_json(subject: Subject) -> str:
    """Returns plan, programs, standings and versions of software; not what commands find in their environment."""
    tree = {
        "plan": asdict(subject.plan) | {"entrants": [_told(entrant) for entrant in subject.plan.entrants]},
        "practice": bool(subject.plan.seed),
        "programs": {name: [_told(program) for program in programs] for name, programs in subject.programs.items()},
        "software": software(subject.plan),
        "standings": asdict(subject.standings),
        "verdict": asdict(subject.verdict) if subject.verdict else None,
    }
    return json.dumps(tree, indent=1, ensure_ascii=False, allow_nan=False) + "\n"


def write_whole(path: Path, text: str) -> None:
    """Writes a text in UTF-8 to a file beside, has it on disk, and puts it in the place of `path` in one step."""
    beside = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        with beside.open("w", encoding="utf-8", newline="") as file:
            file.write(text)
            file.flush()
            os.fsync(file.fileno())
        beside.replace(path)
    finally:
        beside.unlink(missing_ok=True)


def _told(entrant: Entrant) -> Mapping[str, Any]:
    return {name: value for name, value in asdict(entrant).items() if name != "environment"}
