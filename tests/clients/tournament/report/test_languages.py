"""The report in other languages than English."""

import re
from collections.abc import Sequence
from pathlib import Path

import pytest

from clients.tournament.formats.sequential import Outcome
from clients.tournament.formats.sequential import Verdict as Sequential
from clients.tournament.report import Verdict
from clients.tournament.report.logs import RecordFile
from clients.tournament.report.page import page
from clients.tournament.report.words import ENGLISH
from clients.tournament.results import Played
from tests.clients.terminal.catalogues import strict
from tests.clients.tournament.report.markup import read
from tests.clients.tournament.report.sample import HOSTILE, cup, folder, recorded, subject
from tests.clients.tournament.statistics.made import match

SPANISH = strict("es")
TWO_GAMES = [*cup(), match(("ada", "ben", "eve"), (1, 2, 3), deal=7), match(("ben", "eve", "ada"), (1, 2, 3), deal=8)]
FAULTY = [*cup(), match(("ada", "eve"), (1, 2), deal=5, causes=("", "TIMED_OUT"), reason="LAST_SEAT")]


def digits(text: str) -> list[str]:
    """The numbers of a page but for the time when it was written, which is at its end."""
    return re.findall(r"\d+", read(text).one("main").text.replace("º", ""))


@pytest.mark.parametrize("matches", [cup(), TWO_GAMES, FAULTY, []], ids=["one game", "two games", "faulty", "nothing"])
def test_all_of_it_is_in_the_language_and_tells_the_same_numbers(matches: Sequence[Played], tmp_path: Path) -> None:
    """Well-formed as in English, without a text that nobody translated."""
    home = folder(tmp_path, [recorded(played) for played in matches[:2]])
    of, records = subject(matches), RecordFile(home / "records.jsonl")
    spanish, english = page(of, records, SPANISH), page(of, records, ENGLISH)
    root = read(spanish)
    assert root.one("html").attributes["lang"] == "es"
    assert root.one("h2", id="ranking").text == "Clasificación"
    assert digits(spanish) == digits(english)


def test_names_cannot_break_out_of_its_sentences(tmp_path: Path) -> None:
    """Values are escaped in translations as in the text; an ampersand is one in the end."""
    matches = [match((name, "ben"), (1, 2), deal=deal) for deal, name in enumerate(HOSTILE)]
    text = page(subject(matches), RecordFile(folder(tmp_path, []) / "records.jsonl"), SPANISH)
    root = read(text)
    assert not root.all("script")
    assert [name for name in HOSTILE if name not in root.text] == []


@pytest.mark.parametrize(
    ("outcome", "told"),
    [
        (Sequential.BETTER, "ada es mejor, tras 1 reparto."),
        (Sequential.NOT_SHOWN, "ada no es mejor en lo que se buscaba, tras 1 reparto."),
        (Sequential.UNDECIDED, "sin decidir, tras 1 reparto."),
    ],
)
def test_verdicts_are_sentences_of_it(outcome: Sequential, told: str) -> None:
    scores = Outcome(outcome, 1, 0.5, 0.1, 0.9, 1.0, 20.0, 1.0, 20.0)
    assert Verdict("ada", "ben", scores, (None, None, None)).told(SPANISH) == told
