"""The report in a real browser, in windows as wide as a telephone and as a desk's screen."""

from collections.abc import Sequence
from pathlib import Path

import pytest

from clients.tournament.report.logs import RecordFile
from clients.tournament.report.page import page
from clients.tournament.results import Played
from tests.clients.tournament.report.browser import seen
from tests.clients.tournament.report.sample import HOSTILE, cup, folder, recorded, subject
from tests.clients.tournament.statistics.made import match

WIDTHS = (360, 1280)


def many_kinds() -> list[Played]:
    """Matches of hostile names with faults, long words, three seats and several games."""
    return [
        *cup(HOSTILE),
        match(HOSTILE[:3], (1, 2, 3), deal=7, causes=("", "TIMED_OUT", ""), scores=(1000, -1000, 3)),
        match((HOSTILE[3], "ben"), (1, 2), deal=8, adjudication="word" * 40),
        match(("ben", HOSTILE[0]), (1, 1), ruleset="artsee", deal=9),
    ]


def report(matches: Sequence[Played], home: Path) -> str:
    of = subject(matches, plan={"name": HOSTILE[3] * 3, "seed": HOSTILE[0]}, crashes={HOSTILE[0]: ["x" * 1000]})
    return page(of, RecordFile(folder(home / "folder", [recorded(played) for played in matches[:2]]) / "records.jsonl"))


@pytest.mark.parametrize("width", WIDTHS)
def test_a_report_fits_its_window_asks_for_nothing_and_shows_names_as_they_are(width: int, tmp_path: Path) -> None:
    """With all that is folded opened the page needs no scrolling sideways, requests nothing and runs nothing."""
    what = seen(report(many_kinds(), tmp_path), width, tmp_path)
    assert (what.width, what.needed) == (width, width)
    assert what.requests == []
    assert (what.scripts, what.handlers) == (0, 0)
    for name in HOSTILE:
        assert name in what.text


def test_a_page_that_is_too_wide_asks_for_something_and_has_scripts_is_found_out(tmp_path: Path) -> None:
    """The browser tells of what the test above is about."""
    page_ = (
        '<!doctype html><title>x</title><p style="width:500px" onclick="x()">wide</p><script>1</script>'
        '<img src="http://127.0.0.1:9/picture.png">'
    )
    what = seen(page_, 360, tmp_path)
    assert (what.width, what.needed > 500) == (360, True)
    assert what.requests == ["http://127.0.0.1:9/picture.png"]
    assert (what.scripts, what.handlers) == (1, 1)
