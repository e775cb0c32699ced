"""A match as a page: what it tells, that names stay text, and that it is whole with and without its script."""

import re
from base64 import b64encode
from functools import cache
from hashlib import sha256
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from artreferee.v1 import record_pb2
from clients.curator.replay import replay_file
from clients.terminal.recording import Recording
from clients.terminal.sharing import Eyes, shared_page
from referee.wire.record import canonical_json, parse_record
from tests.clients.terminal.catalogues import strict
from tests.clients.test_archive import archived
from tests.clients.tournament.report.browser import seen
from tests.clients.tournament.report.markup import Element, read
from tests.clients.tournament.report.sample import HOSTILE
from tests.clients.tournament.report.test_style import luminance

ALL = Eyes(all_seeing=True)
TRUE = "✓ It follows from its seed and moves."


def longest(ruleset: str) -> record_pb2.MatchRecord:
    """The archived match of a ruleset that has most steps, anew each time."""
    record = record_pb2.MatchRecord()
    record.CopyFrom(_longest()[ruleset])
    return record


@cache
def _longest() -> dict[str, record_pb2.MatchRecord]:
    records = sorted(map(parse_record, archived()), key=lambda record: -len(record.log))
    return {record.ruleset: record for record in reversed(records)}


def page(record: record_pb2.MatchRecord, eyes: Eyes = ALL, language: str = "en") -> str:
    return _page(record.SerializeToString(deterministic=True), eyes, language)


@cache
def _page(packed: bytes, eyes: Eyes, language: str) -> str:
    record = record_pb2.MatchRecord.FromString(packed)
    return shared_page(Recording(record, strict(language)), eyes, strict(language))


def steps_of(root: Element) -> list[Element]:
    return root.one("main").all("section")


def exported(file: Path, *arguments: str) -> Result:
    return CliRunner().invoke(replay_file, [str(file), "--html", str(file.with_suffix(".html")), *arguments])


@pytest.mark.parametrize("ruleset", ["art_decko", "artsee", "classic_art"])
def test_a_page_has_the_deal_and_every_step_the_result_and_the_mark(ruleset: str) -> None:
    """One below another, none hidden, so that they can be read without a script; it is no larger than 2 MB."""
    record = longest(ruleset)
    text = page(record)
    root = read(text)
    steps = steps_of(root)
    assert [step.one("h2").text for step in steps] == [
        f"step {place} of {len(record.log)}" for place in range(len(record.log) + 1)
    ]
    assert not any("hidden" in step.attributes for step in steps)
    assert all(step.one("pre").text.strip() for step in steps)
    assert root.one("p", id="mark").text == TRUE
    told = " ".join(root.one("header").text.split())
    for seat, result in zip(record.seats, record.result.seats, strict=True):
        assert f"{result.rank}. {seat.display_name}: {result.score}" in told
    assert len(text.encode()) < 2_000_000


def test_why_a_seat_is_out_is_told() -> None:
    assert "3. Raising: 0 (resigned)" in read(page(longest("classic_art"))).one("header").text


def test_a_page_is_told_to_load_nothing_and_runs_its_own_script_alone() -> None:
    """The policy names the script by its digest; nothing else in the page could act, and nothing refers elsewhere."""
    text = page(longest("artsee"))
    root = read(text)
    policy = root.one("meta", **{"http-equiv": "Content-Security-Policy"}).attributes["content"]
    digest = b64encode(sha256(root.one("script").text.encode()).digest()).decode()
    assert policy.startswith(
        f"default-src 'none'; script-src 'sha256-{digest}'; style-src 'unsafe-inline'; img-src data:;"
    )
    assert not re.search(r"url\(|@import|https?:|\ssrc=|\son\w+=|\sstyle=", text)


@pytest.mark.parametrize("name", HOSTILE)
def test_whatever_a_name_is_it_stays_text(name: str) -> None:
    record = longest("artsee")
    record.seats[0].display_name = record.seats[1].entrant.name = name
    root = read(page(record))
    assert len(root.all("script")) == 1
    assert name in root.one("title").text
    assert name in root.one("header").text
    assert name in root.one("main").text


def test_a_seats_eyes_see_its_own_hand_everybody_none_and_all_seats_all() -> None:
    """The hands are told below the table only where all is seen."""
    record = longest("artsee")

    def told(eyes: Eyes) -> tuple[str, str]:
        root = read(page(record, eyes))
        return steps_of(root)[0].text, root.all("dd")[-1].text

    (everybody, spectators), (own, seat), (every, seats) = told(Eyes()), told(Eyes(1)), told(ALL)
    assert (spectators, seat, seats) == ("spectators", record.seats[1].display_name, "all seats")
    assert "Your hand" not in everybody
    assert own.count("Your hand") == 1
    assert [f"{player.display_name}: Your hand" in every for player in record.seats] == [True, True]


def test_a_record_that_was_tampered_with_is_shown_as_far_as_it_is_true_and_says_so() -> None:
    record = longest("artsee")
    record.log[10].move.id += 1
    root = read(page(record))
    mark = root.one("p", id="mark")
    assert (mark.attributes.get("class"), len(steps_of(root))) == ("bad", 11)
    assert mark.text.startswith(f"✗ match {record.match_id}, entry 11: ")


def test_a_record_of_other_rules_has_no_steps_and_says_why() -> None:
    record = longest("artsee")
    record.rules_version = "0"
    root = read(page(record))
    assert steps_of(root) == []
    assert "was played under version 0 of the artsee rules" in root.one("p", id="mark").text


def test_all_of_it_is_in_the_language() -> None:
    """No text of it is one that nobody translated; ArtSee is ArtVer in Spanish."""
    record = longest("artsee")
    root = read(page(record, language="es"))
    assert root.one("html").attributes["lang"] == "es"
    assert root.one("h1").text == "ArtVer"
    assert root.one("p", id="mark").text == "✓ Se sigue de su semilla y sus jugadas."
    assert len(steps_of(root)) == len(record.log) + 1


@pytest.mark.parametrize("width", [360, 1280])
def test_a_browser_shows_one_step_and_keys_go_through_them(width: int, tmp_path: Path) -> None:
    """The page needs no scrolling sideways, asks for nothing, and its policy lets its script run."""
    record = longest("artsee")
    for seat, name in zip(record.seats, HOSTILE[2:], strict=True):
        seat.display_name = name
    what = seen(page(record), width, tmp_path, ["ArrowRight", "ArrowRight", "ArrowLeft"])
    assert (what.width, what.needed) == (width, width)
    assert (what.requests, what.scripts, what.handlers) == ([], 1, 0)
    assert re.findall(r"step (\d+) of", what.shown, re.IGNORECASE) == ["1"]
    assert all(name in what.shown for name in HOSTILE[2:])


def test_keys_stop_at_the_ends(tmp_path: Path) -> None:
    record = longest("artsee")
    shown = seen(page(record), 360, tmp_path, ["Home", "ArrowLeft", "End", "ArrowRight"]).shown
    assert re.findall(r"step (\d+) of", shown, re.IGNORECASE) == [str(len(record.log))]


@pytest.mark.parametrize("scheme", range(3), ids=["light", "dark", "print"])
def test_every_text_stands_out_from_its_ground(scheme: int) -> None:
    """The contrast is at least 4.5, which WCAG 2.2 asks for (1.4.3, AA), also where a table has colours."""
    text = page(longest("art_decko"))
    block = re.findall(r":root \{(.*?)\}", text, re.DOTALL)[scheme]
    named = dict(re.findall(r"--([a-z]+): (#[0-9a-f]+)", block))
    share = int(re.findall(r"--share: (\d+)%", block)[0]) / 100
    hues = [mixed(hue, named["ink"], share) for hue in set(re.findall(r"--hue: (#[0-9a-f]{6})", text))]
    assert len(hues) > 4
    for ground in (named["paper"], named["raised"]):
        for shade in (*(named[name] for name in ("ink", "muted", "mark", "bad")), *hues):
            darker, lighter = sorted((luminance(shade), luminance(ground)))
            assert (lighter + 0.05) / (darker + 0.05) >= 4.5, (shade, ground)


def mixed(colour: str, other: str, share: float) -> str:
    """Two colours mixed as CSS mixes them in sRGB."""
    full = [value if len(value) == 7 else "#" + "".join(digit * 2 for digit in value[1:]) for value in (colour, other)]
    pairs = [(int(full[0][at : at + 2], 16), int(full[1][at : at + 2], 16)) for at in (1, 3, 5)]
    return "#" + "".join(f"{round(one * share + two * (1 - share)):02x}" for one, two in pairs)


def test_the_only_match_of_a_file_is_written_or_the_one_that_is_named(tmp_path: Path) -> None:
    """Of several without a name nothing is written, and the error says which there are."""
    records, file = [longest("artsee"), longest("classic_art")], tmp_path / "records.jsonl"
    file.write_text("".join(canonical_json(record) + "\n" for record in records))
    refused = exported(file)
    assert refused.exit_code == 1
    assert f"--match ID names one: {records[0].match_id}, {records[1].match_id}" in refused.output
    assert not file.with_suffix(".html").exists()
    written = exported(file, "--match", records[1].match_id, "--eyes", "everybody", "--lang", "en")
    assert written.output == f"{file.with_suffix('.html')}: {TRUE}\n"
    text = file.with_suffix(".html").read_text(encoding="utf-8")
    assert read(text).one("h1").text == "Classic Art"
    assert text == page(records[1], Eyes())
    file.write_text(canonical_json(records[0]) + "\n")
    assert exported(file).exit_code == 0


@pytest.mark.parametrize(
    ("arguments", "code", "told"),
    [
        (("--eyes", "2"), 1, "there is no seat 2 in match"),
        (("--eyes", "mine"), 2, "'mine' is neither all, everybody nor the number of a seat"),
        (("--verify",), 2, "--verify and --html do not go together"),
    ],
)
def test_what_cannot_be_shown_is_refused(arguments: tuple[str, ...], code: int, told: str, tmp_path: Path) -> None:
    record, file = longest("artsee"), tmp_path / "records.jsonl"
    file.write_text(canonical_json(record) + "\n")
    refused = exported(file, *arguments)
    assert (refused.exit_code, told in refused.output) == (code, True)
    assert not file.with_suffix(".html").exists()
