"""The tables for other programs: read back they are what was put in, and no spreadsheet takes a name for a formula."""

import csv
import json
from collections import Counter
from collections.abc import Mapping, Sequence
from io import StringIO
from pathlib import Path

import pytest

from clients.tournament.plan import Entrant, Kind
from clients.tournament.report import write_report
from clients.tournament.report.logs import RecordFile
from clients.tournament.report.tables import csv_text, tables
from clients.tournament.report.writing import write_whole
from referee.wire.record import RecordError, canonical_json
from tests.clients.tournament.report.sample import FORMULAS, HOSTILE, cup, folder, recorded, subject
from tests.clients.tournament.statistics.made import match


def read(text: str) -> list[dict[str, str]]:
    return list(csv.DictReader(StringIO(text)))


@pytest.mark.parametrize(
    "name", [*HOSTILE, *FORMULAS, "a,b", 'a"b', "\t=1", "\N{FULLWIDTH EQUALS SIGN}1", "'", "plain"]
)
def test_a_text_is_read_back_as_it_was(name: str) -> None:
    """What begins like a formula, or with the ' that prevents one, has a ' before it; else it is as it was."""
    (row,) = read(csv_text(("name", "number"), [(name, -1.5)]))
    assert row["number"] == "-1.5"
    assert row["name"].removeprefix("'") == name if row["name"].startswith("'") else row["name"] == name
    assert not row["name"].startswith(("=", "+", "-", "@", "\t", "\N{FULLWIDTH EQUALS SIGN}"))


def test_matches_have_a_row_a_seat_with_the_name_of_who_had_it() -> None:
    """In each rotation place, score, share and version stand beside the entrant of that seat."""
    matches = cup(deals=1)
    versions: Mapping[str, Sequence[str]] = {matches[1].match_id: ["2.0", "1.5"]}
    rows = read(tables(subject(matches), versions)["matches.csv"])
    told = [(row["rotation"], row["seat"], row["entrant"], row["version"], row["rank"], row["score"]) for row in rows]
    assert told == [
        ("0", "0", "ada", "1.0", "1", "30"),
        ("0", "1", "ben", "1.0", "2", "20"),
        ("1", "0", "ben", "2.0", "1", ""),
        ("1", "1", "ada", "1.5", "2", ""),
    ]
    assert [float(row["share"]) for row in rows] == [1.0, 0.0, 1.0, 0.0]
    assert {(row["pairing"], row["deal"], row["game"]) for row in rows} == {
        (f"classic_art/2/0/0.0/{rotation}", "classic_art/2/0", "classic_art/2") for rotation in (0, 1)
    }
    assert {(row["reason"], row["began_ms"], row["ended_ms"], row["duration_ms"]) for row in rows} == {
        ("COMPLETED", "0", "1000", "1000")
    }


def test_endings_add_up_to_the_seats_of_each_entrant() -> None:
    """Each seat of matches.csv ends in one way in endings.csv."""
    matches = [*cup(), match(("ada", "eve"), (1, 2), deal=5, causes=("", "TIMED_OUT"))]
    made = tables(subject(matches), {})
    seats = Counter(row["entrant"] for row in read(made["matches.csv"]))
    ended = Counter[str]()
    for row in read(made["endings.csv"]):
        if row["game"] == "all":
            ended[row["entrant"]] += int(row["seats"])
    assert seats == ended == {"ada": 5, "ben": 4, "eve": 1}


def test_standings_are_told_game_by_game_and_without_the_faulty() -> None:
    """Each game and all together have their rankings, of everybody and of those who were never at fault."""
    matches = [*cup(), match(("ada", "eve"), (1, 2), deal=5, causes=("", "TIMED_OUT"))]
    rows = read(tables(subject(matches), {})["standings.csv"])
    assert [(row["game"], row["entrants"], row["place"], row["entrant"], row["wins"]) for row in rows] == [
        (game, *row)
        for game in ("classic_art/2", "all")
        for row in (
            ("all", "1", "ada", "4.0"),
            ("all", "2", "ben", "1.0"),
            ("all", "3", "eve", "0.0"),
            ("faultless", "1", "ada", "3.0"),
            ("faultless", "2", "ben", "1.0"),
        )
    ]
    met = read(tables(subject(cup()), {})["head_to_head.csv"])
    assert [(row["entrant"], row["opponent"], row["matches"], row["ahead"]) for row in met if row["game"] == "all"] == [
        ("ada", "ben", "4", "0.75"),
        ("ben", "ada", "4", "0.25"),
    ]


def test_a_report_is_nine_files_with_the_versions_of_the_records(tmp_path: Path) -> None:
    """Beside the records lie the page, the tree of standings and six tables; nothing else is left behind."""
    matches = cup(deals=1)
    home = folder(tmp_path, [recorded(matches[0], ("7", "8"))])
    write_report(home, subject(matches))
    assert sorted(path.name for path in home.iterdir()) == [
        *("endings.csv", "head_to_head.csv", "matches.csv", "records.jsonl", "report.html", "seats.csv"),
        *("standings.csv", "standings.json", "times.csv"),
    ]
    rows = read((home / "matches.csv").read_text(encoding="utf-8"))
    assert [row["version"] for row in rows] == ["7", "8", "1.0", "1.0"]


def test_the_tree_has_plan_standings_and_software_but_no_secrets(tmp_path: Path) -> None:
    """What a command finds in its environment may be a key: it is its organiser's alone."""
    secret = Entrant("eve", "3", Kind.COMMAND, command=("./eve",), environment=(("API_KEY", "hush"),))
    matches = [*cup(), match(("ada", "eve"), (1, 2), deal=5)]
    of = subject(matches, plan={"seed": "a text"})
    home = folder(tmp_path)
    write_report(home, type(of)(of.plan, {**of.programs, "eve": [secret]}, of.standings, of.rounds, of.played))
    text = (home / "standings.json").read_text(encoding="utf-8")
    tree = json.loads(text)
    assert "hush" not in text
    assert tree["practice"] is True
    assert tree["plan"]["games"] == [{"ruleset": "classic_art", "seats": 2, "options": ""}]
    assert tree["programs"]["eve"][0]["command"] == ["./eve"]
    assert tree["standings"]["overall"]["counts"]["planned"] == 5
    assert set(tree["software"]) == {"artreferee", "Python", "rules of classic_art"}


def test_a_file_is_replaced_in_one_step(tmp_path: Path) -> None:
    """Who has opened the old file reads it to its end; who opens it later reads the new one."""
    path = tmp_path / "report.html"
    write_whole(path, "old")
    with path.open() as reader:
        write_whole(path, "new \N{HEBREW LETTER ALEF}")
        assert reader.read() == "old"
    assert path.read_text(encoding="utf-8") == "new \N{HEBREW LETTER ALEF}"
    assert [file.name for file in tmp_path.iterdir()] == ["report.html"]


def test_a_file_that_cannot_be_written_leaves_the_old_one(tmp_path: Path) -> None:
    """A text that is no UTF-8 fails before the old file is touched, and nothing is left beside it."""
    path = tmp_path / "report.html"
    write_whole(path, "old")
    with pytest.raises(UnicodeEncodeError):
        write_whole(path, "\ud800")
    assert {file.name: file.read_text() for file in tmp_path.iterdir()} == {"report.html": "old"}


def test_a_line_that_is_no_record_is_named(tmp_path: Path) -> None:
    """The report says which line of which file it cannot read."""
    home = folder(tmp_path, [recorded(cup()[0])])
    with (home / "records.jsonl").open("a") as file:
        file.write("{}\n")
    with pytest.raises(RecordError, match=r"records\.jsonl, line 2: no record of a match"):
        write_report(home, subject(cup()))


def test_a_record_that_is_still_being_written_is_left_out(tmp_path: Path) -> None:
    """A report may be written while the tournament goes on: a line that has no end yet is not read."""
    first, second = (canonical_json(recorded(played)) for played in cup(deals=1))
    path = tmp_path / "records.jsonl"
    path.write_text(f"{first}\n{second}")
    assert list(RecordFile(path).versions) == [cup()[0].match_id]
    path.write_text(f"{first}\n{second}\n")
    assert list(RecordFile(path).versions) == [played.match_id for played in cup(deals=1)]
