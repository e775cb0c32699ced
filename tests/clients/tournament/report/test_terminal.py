"""What a terminal and a pipe get to see."""

import re
from io import StringIO

import pytest
from rich.console import Console

from clients.tournament.formats.sequential import Outcome
from clients.tournament.formats.sequential import Verdict as Sequential
from clients.tournament.report import Verdict, live_standings, show
from tests.clients.tournament.report.sample import cup, subject
from tests.clients.tournament.statistics.made import match

MARKED = "[red]ada[/red]"
COLOUR = re.compile(r"\x1b\[[0-9;]*[39][0-7]m")


class Clock:
    """Seconds that pass when a test says so."""

    now = 0.0

    def __call__(self) -> float:
        return self.now


def terminal(width: int = 100, height: int = 12) -> Console:
    return Console(file=StringIO(), force_terminal=True, width=width, height=height, color_system="standard")


def pipe() -> Console:
    return Console(file=StringIO(), width=160)


def said(console: Console) -> str:
    assert isinstance(console.file, StringIO)
    return console.file.getvalue()


@pytest.fixture(autouse=True)
def _no_settings(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("NO_COLOR", "FORCE_COLOR", "TTY_COMPATIBLE", "TTY_INTERACTIVE"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("TERM", "xterm-256color")


def test_final_standings_are_told_with_names_as_they_are() -> None:
    """What looks like markup in a name is a part of the name; faults and what is missing are told below."""
    matches = [*cup((MARKED, "ben")), match((MARKED, "eve"), (1, 2), deal=5, causes=("", "TIMED_OUT"))]
    console = pipe()
    show(subject(matches, unplayed=[match((MARKED, "ben"), (1, 2), deal=9).pairing]), console)
    text = said(console)
    assert "Classic Art, 2 seats: 5 matches on 3 deals, by chance 50.0\xa0%" in text
    rows = [line.split()[:3] for line in text.splitlines() if re.match(r" *\d ", line)]
    assert rows == [["1", MARKED, "5"], ["2", "ben", "4"], ["3", "eve", "1"], ["1", MARKED, "4"], ["2", "ben", "4"]]
    assert text.endswith("eve: timed out 1\nof 6 matches 1 have no result yet and 0 are cancelled\n")


def test_standings_fit_into_eighty_characters() -> None:
    """A long name is folded; every number is there as a whole."""
    console = Console(file=StringIO(), width=80)
    show(subject([*cup(("n" * 32, "ben"), deals=40)], resamples=100), console)
    text = said(console)
    assert "…" not in text
    assert max(map(len, text.splitlines())) <= 80
    assert "n" * 12 in text


def test_a_verdict_is_told_last() -> None:
    """Of an A/B test the verdict is the last line."""
    console = pipe()
    outcome = Outcome(Sequential.UNDECIDED, 1, 0.5, 0.0, 1.0, 0.0, 3.0, 0.0, 3.0)
    show(subject(cup(), verdict=Verdict("ada", "ben", outcome, (0.0, None, None))), console)
    assert said(console).endswith("ada against ben: undecided, after 1 deal.\n")


def test_no_colour_where_none_is_wanted(monkeypatch: pytest.MonkeyPatch) -> None:
    """NO_COLOR is heeded; without it a terminal gets colours."""
    coloured = terminal()
    with live_standings(["ada", "ben"], coloured, Clock()) as live:
        live.planned(1)
        live.ended(cup()[0])
    monkeypatch.setenv("NO_COLOR", "1")
    plain = terminal()
    with live_standings(["ada", "ben"], plain, Clock()) as live:
        live.planned(1)
        live.ended(cup()[0])
    assert (bool(COLOUR.search(said(coloured))), bool(COLOUR.search(said(plain)))) == (True, False)


def test_a_terminal_shows_the_leader_first_and_names_as_they_are() -> None:
    """Each entrant has its share of the seats it has had so far; who has not played yet is last."""
    console = terminal()
    with live_standings(["ben", MARKED, "eve"], console, Clock()) as live:
        live.planned(4)
        for played in cup((MARKED, "ben"), deals=1):
            live.ended(played)
        live.ended(match((MARKED, "ben"), (1, 2)))
        assert live.ranking() == [(MARKED, pytest.approx(2 / 3)), ("ben", pytest.approx(1 / 3)), ("eve", None)]
    text = said(console)
    assert "3 of 4 matches" in text
    last = text[text.rindex("3 of 4 matches") :]
    assert -1 < last.index(MARKED) < last.index("ben") < last.index("eve")


def test_a_terminal_shows_no_more_than_it_has_room_for() -> None:
    """A ranking of more entrants than lines tells how many are left out."""
    console = terminal(height=10)
    with live_standings([f"bot {number}" for number in range(30)], console, Clock()) as live:
        live.planned(4)
    assert "and 26 more" in said(console)


def test_a_pipe_gets_plain_lines_now_and_then() -> None:
    """The first and the last match are told, and in between one every ten seconds, with pace and forecast."""
    clock, console = Clock(), pipe()
    with live_standings(["ada", "ben"], console, clock) as live:
        live.planned(4)
        for played in cup():
            clock.now += 6.0
            live.ended(played)
    lines = said(console).splitlines()
    assert [re.sub(r", until about .*", "", line) for line in lines] == [
        "1 of 4 matches, 10 a minute, 0:00:18 left",
        "3 of 4 matches, 10 a minute, 0:00:06 left",
        "4 of 4 matches, 10 a minute",
    ]
    assert "\x1b" not in said(console)


def test_matches_of_an_earlier_run_tell_nothing_of_the_pace() -> None:
    """After a resume the pace is that of the matches since."""
    clock = Clock()
    with live_standings(["ada", "ben"], pipe(), clock) as live:
        live.planned(4)
        live.before(cup()[:2])
        assert live.sentence() == "2 of 4 matches"
        clock.now = 60.0
        live.ended(cup()[2])
        assert live.sentence().startswith("3 of 4 matches, 1 a minute, 0:01:00 left, until about ")


def test_who_comes_late_is_ranked_too() -> None:
    """An entrant that was not there at the beginning is counted from its first match on."""
    with live_standings(["ada"], pipe(), Clock()) as live:
        live.ended(match(("ada", "late"), (2, 1)))
        assert live.ranking() == [("late", 1.0), ("ada", 0.0)]


def test_a_terminal_that_can_draw_nothing_gets_plain_lines(monkeypatch: pytest.MonkeyPatch) -> None:
    """A dumb terminal cannot move its cursor."""
    monkeypatch.setenv("TERM", "dumb")
    console = terminal()
    with live_standings(["ada", "ben"], console, Clock()) as live:
        live.planned(1)
        live.ended(cup()[0])
    assert said(console) == "1 of 1 matches\n"
