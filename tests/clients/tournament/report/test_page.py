"""The report as a page: what it tells, and that it is whole, needs nothing else and keeps within bounds."""

import re
from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path

import pytest

from clients.tournament.formats.sequential import Outcome
from clients.tournament.formats.sequential import Verdict as Sequential
from clients.tournament.plan import Kind
from clients.tournament.report import Subject, Verdict
from clients.tournament.report.logs import RecordFile
from clients.tournament.report.matches import LOGS_SIZE, listed_rounds
from clients.tournament.report.page import page
from clients.tournament.results import Played
from tests.clients.tournament.report.markup import Element, read
from tests.clients.tournament.report.sample import HOSTILE, cup, folder, recorded, subject
from tests.clients.tournament.statistics.made import match

OWN_FILES = {
    *("standings.json", "matches.csv", "standings.csv", "head_to_head.csv", "seats.csv", "endings.csv", "times.csv"),
    "records.jsonl",
}
TWO_GAMES = [*cup(), match(("ada", "ben", "eve"), (1, 2, 3), deal=7), match(("ben", "eve", "ada"), (1, 2, 3), deal=8)]
FAULTY = [*cup(), match(("ada", "eve"), (1, 2), deal=5, causes=("", "TIMED_OUT"), reason="LAST_SEAT")]


def shown(of: Subject, home: Path, recorded_matches: Sequence[Played] = ()) -> str:
    return page(of, RecordFile(folder(home, [recorded(played) for played in recorded_matches]) / "records.jsonl"))


def table(root: Element, caption: str) -> list[list[str]]:
    found = [one for one in root.all("table") if one.one("caption").text == caption]
    assert len(found) == 1, f"{len(found)} tables {caption!r}"
    return found[0].rows()


@pytest.mark.parametrize("matches", [cup(), TWO_GAMES, FAULTY, []], ids=["one game", "two games", "faulty", "nothing"])
def test_a_page_is_well_formed_whole_and_told_to_load_nothing(matches: Sequence[Played], tmp_path: Path) -> None:
    """Every element is closed in order; nothing refers elsewhere but links to the files beside."""
    text = shown(subject(matches), tmp_path, matches[:2])
    root = read(text)
    policy = root.one("meta", **{"http-equiv": "Content-Security-Policy"}).attributes["content"]
    assert policy.startswith("default-src 'none'; style-src 'unsafe-inline'; img-src data:;")
    links = {element.attributes["href"] for tag in ("a", "link") for element in root.all(tag)}
    ids = [element.attributes["id"] for element in everything(root) if "id" in element.attributes]
    assert len(set(ids)) == len(ids)
    assert links - OWN_FILES - {f"#{name}" for name in ids} == {"data:,"}
    assert not root.all("script")
    assert {
        name for element in everything(root) for name in element.attributes if name in ("src", "srcset", "data")
    } == set()
    assert not re.search(r"url\(|@import|https?:", text)


def everything(root: Element) -> list[Element]:
    return [root, *(one for child in root.children for one in everything(child))]


def test_tables_are_told_to_those_who_do_not_see(tmp_path: Path) -> None:
    """Every table has a caption and headings with their scope; headings of sections leave no level out."""
    root = read(shown(subject(TWO_GAMES), tmp_path))
    assert root.one("html").attributes["lang"] == "en"
    for one in root.all("table"):
        assert one.one("caption").text.strip()
        assert {heading.attributes.get("scope") for heading in one.all("th")} == {"col", "row"}
    levels = [int(element.tag[1]) for element in everything(root) if re.fullmatch("h[1-6]", element.tag)]
    assert levels[0] == 1
    assert levels.count(1) == 1
    assert all(after - before <= 1 for before, after in pairwise(levels))


@pytest.mark.parametrize("name", HOSTILE)
def test_whatever_a_name_is_it_stays_text(name: str, tmp_path: Path) -> None:
    """Markup, quotes, right-to-left and wide names are shown as they are, wherever a name is shown."""
    matches = [*cup((name, "ben")), match((name, "ben"), (1, 2), deal=9, causes=("", name), adjudication=name)]
    text = shown(
        subject(matches, plan={"name": name, "seed": name}, byes=[name], crashes={name: [name]}, kind=Kind.COMMAND),
        tmp_path,
        matches[:1],
    )
    root = read(text)
    assert not root.all("script")
    assert root.one("h1").text == f"{name} Practice"
    rows = table(root, "How seats ended, in every match that has a result")
    assert [row[0] for row in rows[1:]] == sorted([name, "ben"])
    assert name in root.one("title").text


def test_the_ranking_is_the_standings(tmp_path: Path) -> None:
    """Of four matches of two seats ada has won three: 75 % against 25 %, in places 1 and 2."""
    root = read(shown(subject(cup(), resamples=0), tmp_path))
    rows = table(root, "Places go by share")
    assert [(row[0], row[1], row[3]) for row in rows[1:]] == [
        ("1", "ada 1.0", "75.0\xa0%"),
        ("2", "ben 1.0", "25.0\xa0%"),
    ]
    assert table(root, "How often the row ranked before the column")[1:] == [
        ["ada", "·", "75.0\xa0%"],
        ["ben", "25.0\xa0%", "·"],
    ]
    assert [(row[0], row[2]) for row in table(root, "Wins of each seat, whoever had it")[1:]] == [
        ("0", "75.0\xa0%"),
        ("1", "25.0\xa0%"),
    ]


def test_endings_add_up(tmp_path: Path) -> None:
    """Each seat ends in one way: the columns of an entrant add up to its seats, faults are not counted twice."""
    rows = table(read(shown(subject(FAULTY), tmp_path)), "How seats ended, in every match that has a result")
    assert rows == [
        ["Entrant", "finished", "timed out", "Seats in all"],
        ["ada", "5", "0", "5"],
        ["ben", "4", "0", "4"],
        ["eve", "0", "1", "1"],
    ]


def test_the_faulty_are_left_out_of_a_ranking_of_its_own(tmp_path: Path) -> None:
    """Besides all, those are ranked who were never taken out, by the groups in which only they sat."""
    root = read(shown(subject(FAULTY), tmp_path))
    assert [row[1] for row in table(root, "Places go by share")[1:]] == ["ada 1.0", "ben 1.0", "eve 1.0"]
    assert [row[1] for row in table(root, "Only entrants that were never taken out")[1:]] == ["ada 1.0", "ben 1.0"]


def test_what_was_planned_is_accounted_for(tmp_path: Path) -> None:
    """What has a result, is cancelled or is still to be played adds up to what was drawn."""
    open_one, given_up = (match(("ada", "ben"), (1, 2), deal=deal).pairing for deal in (8, 9))
    of = subject(
        cup(), unplayed=[open_one, given_up], cancelled={given_up.name: "ben has withdrawn"}, withdrawn=["ben"]
    )
    root = read(shown(of, tmp_path))
    facts = {entry.one("dt").text: entry.one("dd").text for entry in root.all("dl")[0].children}
    assert (facts["Matches with a result"], facts["Matches that count"]) == ("4 of 6", "4")
    assert "The tournament is not over. Matches still to be played: 1." in root.text
    assert "ben has withdrawn: 1" in [item.text for item in root.all("li")]
    assert [row[-1] for row in table(root, "In the order of their coming")[1:]] == ["no", "yes"]


def test_results_stand_beside_the_names_of_their_seats(tmp_path: Path) -> None:
    """In each rotation the place and score of a seat are told of who had that seat."""
    root = read(shown(subject(cup(deals=1)), tmp_path))
    summaries = [" ".join(summary.text.split()) for summary in root.all("summary")]
    assert "ada 1st (30), ben 2nd (20)" in summaries
    assert "ben 1st, ada 2nd" in summaries


@pytest.mark.parametrize(
    ("kind", "plan", "told"),
    [
        (Kind.REMOTE, {}, True),
        (Kind.COMMAND, {}, True),
        (Kind.BOT, {}, False),
        (Kind.REMOTE, {"independent_deals": True}, False),
    ],
)
def test_memory_is_warned_of_where_deals_are_shared(
    kind: Kind, plan: dict[str, bool], told: bool, tmp_path: Path
) -> None:
    """Who plays from outside may remember a deal that it meets again."""
    text = read(shown(subject(cup(), kind=kind, plan=plan), tmp_path)).text
    assert ("a remote bot's memory cannot be policed" in text) is told


def test_collusion_is_warned_of_from_three_seats_on(tmp_path: Path) -> None:
    """Two opponents have nobody to help."""
    assert "Three or more seats invite collusion" not in shown(subject(cup()), tmp_path)
    assert "Three or more seats invite collusion" in shown(subject(TWO_GAMES), tmp_path)


def test_a_verdict_is_told(tmp_path: Path) -> None:
    """Of an A/B test the page tells the verdict, how sure it is, and where it stops."""
    outcome = Outcome(Sequential.BETTER, 40, 0.75, 0.5, 1.0, 3.0, 2.996, -7.5, 2.996)
    verdict = Verdict("ada", "ben", outcome, (190.8, 0.0, None))
    root = read(shown(subject(cup(), verdict=verdict), tmp_path))
    section = root.one("section", **{"aria-labelledby": "verdict"})
    assert section.one("p").text == "ada against ben: ada is better, after 40 deals."
    assert [entry.text for entry in section.all("dd")] == [
        "75.0\N{NO-BREAK SPACE}%",
        "50.0\N{NO-BREAK SPACE}% to 100.0\N{NO-BREAK SPACE}%",
        "+191",
        "0 to unbounded",
        "0 or +30",
        "3 of 3",
        "\N{MINUS SIGN}7.5 of 3",
    ]


def test_secrets_of_a_command_are_not_told(tmp_path: Path) -> None:
    """Of a command only the program is shown, not its arguments."""
    text = shown(subject(cup(), kind=Kind.COMMAND), tmp_path)
    assert "the command ./bot" in text
    assert "--fast" not in text


def test_logs_are_those_of_the_records(tmp_path: Path) -> None:
    """A match whose record is in the file has its log, a line an entry after commitment and seed; others have none."""
    matches = cup(deals=1)
    root = read(shown(subject(matches), tmp_path, matches[:1]))
    record = recorded(matches[0])
    lines = root.one("pre").text.splitlines()
    assert lines[:2] == [f"commitment {record.commitment.hex()}", f"seed       {record.seed.hex()}"]
    assert len(lines) == 2 + len(record.log)
    assert lines[2].startswith("   1  seat ")
    assert lines[3].endswith(", 1 ms")


def test_a_record_that_does_not_replay_says_why(tmp_path: Path) -> None:
    """Nothing of a record is shown that was not proved."""
    matches = cup(deals=1)
    record = recorded(matches[0])
    record.seed = bytes(32)
    home = folder(tmp_path, [record])
    text = page(subject(matches), RecordFile(home / "records.jsonl"))
    assert (
        read(text).one("pre").text
        == f"no log: the record of match '{record.match_id}' is not as it was written: its checksum differs"
    )


def test_logs_fill_no_more_than_their_room_and_faults_come_first(tmp_path: Path) -> None:
    """Where there is not room for all, the match in which somebody went out is told before the others."""
    matches = [*cup(deals=1), match(("ben", "ada"), (2, 1), deal=3, causes=("RESIGNED", ""))]
    records = RecordFile(folder(tmp_path, [recorded(played) for played in matches]) / "records.jsonl")
    sizes = [len(records.log(played.match_id)) for played in matches]
    room = sizes[-1] + sizes[0]
    entries = [
        entry for group in listed_rounds(subject(matches), records, logs_size=room)[0].groups for entry in group.matches
    ]
    assert [bool(entry.log) for entry in entries] == [True, False, True]
    assert sum(len(entry.log) for entry in entries if entry.log) == room


def test_a_page_of_five_thousand_matches_stays_small(tmp_path: Path) -> None:
    """Without logs, which have a room of their own, it is smaller than these may be; what is left out is told."""
    matches = cup(("ada", "ben", "eve"), deals=1250)
    text = shown(subject(matches, resamples=0), tmp_path)
    assert len(matches) == 5000
    assert len(text.encode()) < LOGS_SIZE
    assert "And 1,000 more groups" in text


def test_many_entrants_have_no_matrix(tmp_path: Path) -> None:
    """A hundred entrants would make ten thousand cells; the table beside has them."""
    names = [f"bot {number}" for number in range(100)]
    root = read(shown(subject(cup(names, deals=1), resamples=0), tmp_path))
    assert not [one for one in root.all("table") if one.attributes.get("class") == "matrix"]
    assert "head_to_head.csv tells for each two of these 100 entrants" in root.text
