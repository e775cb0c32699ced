"""The screen of a match, by keys and mouse, in the sizes of small and of large terminals."""

from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from textual.pilot import Pilot

from artreferee.v1 import artsee_pb2
from clients.replay import replay
from clients.sdk import RefereeClient
from clients.terminal.app import TableApp
from clients.terminal.menu import Menu
from clients.terminal.opening import NewMatch, Table, begun
from clients.terminal.saved import Folder
from clients.terminal.words import LANGUAGES, in_language
from referee.wire.record import parse_record
from tests.servers import eventually

SIZES = [(80, 24), (120, 40)]


@pytest.fixture
async def table(tmp_path: Path) -> AsyncIterator[Table]:
    """A match of ArtSee against one bot."""
    with Folder(tmp_path / "match") as folder:
        async with begun(NewMatch("artsee", "Ada", ["greedy"]), folder) as open_table:
            yield open_table


@asynccontextmanager
async def shown(table: Table, size: tuple[int, int] = (80, 24)) -> AsyncIterator[tuple[TableApp, Pilot[None]]]:
    """The match on a screen, with a card to be played; who begins is drawn, so visitors may be asked for before."""
    app = TableApp(table.client, table.match.match_id, table.match.seat, in_language("en"), table)
    async with app.run_test(size=size) as pilot:

        def is_asked() -> bool:
            return app.scene.chooser is not None and bool(menu_of(app).rows)

        await until(pilot, is_asked)
        while app.scene.match.view.artsee.phase != artsee_pb2.ART_SEE_PHASE_PLAY:
            version = app.scene.match.version
            await pilot.press("end", "enter")
            await until(pilot, lambda: app.scene.match.version > version and is_asked())  # noqa: B023
        yield app, pilot


async def until(pilot: Pilot[None], so: Callable[[], bool]) -> None:
    async def probe() -> bool:
        await pilot.pause()
        return so()

    await eventually(probe, 30.0)


def menu_of(app: TableApp) -> Menu:
    return app.screen_stack[0].query_one(Menu)


def text_of(app: TableApp) -> str:
    """What stands on the screen."""
    width, height = app.size
    lines = app.screen._compositor.render_strips(app.size)
    assert (len(lines), lines[0].cell_length) == (height, width)
    return "\n".join(line.text for line in lines)


def place_of(app: TableApp, text: str) -> tuple[int, int]:
    """Where a text stands, as column and line."""
    lines = text_of(app).splitlines()
    line = next(number for number, line in enumerate(lines) if text in line)
    return lines[line].index(text), line


@pytest.mark.parametrize("size", SIZES)
async def test_the_screen_tells_what_is_asked_and_what_may_be_chosen(table: Table, size: tuple[int, int]) -> None:
    """The question, every card of the hand on the table and in the list, and the keys."""
    told = ("ArtSee", "Ada", "greedy", "Your hand", "Play a card.", "F1 Help", "F3 Hint", "F10 Quit")
    async with shown(table, size) as (app, pilot):
        await until(pilot, lambda: all(words in text_of(app) for words in told))
        assert len(menu_of(app).rows) == len({bytes(str(card), "utf8") for card in app.scene.match.view.artsee.hand})


@pytest.mark.parametrize("language", LANGUAGES)
async def test_all_keys_are_told_in_80_columns(table: Table, language: str) -> None:
    """Up to the last, which leaves: while something is asked, and after the end."""
    words = in_language(language)
    app = TableApp(table.client, table.match.match_id, table.match.seat, words, table)

    def keys() -> str:
        return text_of(app).splitlines()[-1].rstrip()

    async with app.run_test(size=(80, 24)) as pilot:
        await until(pilot, lambda: words.told("Hint") in keys())
        assert keys().endswith(f"F10 {words.told('Quit')}")
        await pilot.press("f8", words.gettext("y/N")[0])
        await until(pilot, lambda: words.told("Again") in keys())
        assert keys().endswith(f"F10 {words.told('Quit')}")


async def test_a_number_goes_to_a_row_and_letters_show_some(table: Table) -> None:
    """What is typed stands beside the question; Escape and Backspace take it back."""
    async with shown(table) as (app, pilot):
        menu = menu_of(app)
        await pilot.press("2")
        assert menu.highlighted == menu.rows[1]
        assert "> 2" in text_of(app)
        await pilot.press("backspace", "q", "x")
        assert menu.highlighted is None
        await pilot.press("escape")
        assert (menu.typed, menu.highlighted is not None) == ("", True)


async def test_a_step_is_taken_back_until_something_is_sent(table: Table) -> None:
    """A card, then a spot: Escape shows the cards again, and the referee has heard of nothing."""
    async with shown(table) as (app, pilot):
        rows, version = menu_of(app).rows, app.scene.match.version
        await pilot.press("down", "enter")
        await until(pilot, lambda: menu_of(app).rows != rows)
        await pilot.press("escape")
        await until(pilot, lambda: menu_of(app).rows == rows)
        assert app.scene.match.version == version


async def test_what_is_clicked_is_taken(table: Table) -> None:
    """A row of the list is taken as by Enter."""
    async with shown(table) as (app, pilot):
        rows = menu_of(app).rows
        column, line = place_of(app, f" 1 {rows[0].entry.text[:10]}")
        await pilot.click(offset=(column + 4, line))
        await until(pilot, lambda: menu_of(app).rows != rows)


async def test_what_is_clicked_on_the_table_is_taken(table: Table) -> None:
    """A card of the hand leads to its spots."""
    async with shown(table, (120, 40)) as (app, pilot):
        rows = menu_of(app).rows
        column, line = place_of(app, "Your hand")
        hand = text_of(app).splitlines()[line]
        await pilot.click(offset=(hand.index("[", column) + 2, line))
        await until(pilot, lambda: menu_of(app).rows != rows or menu_of(app).highlighted is not rows[0])


@pytest.mark.parametrize(
    ("key", "told"),
    [("f1", "Arrows"), ("f2", "In brief"), ("f3", "wins"), ("f4", "Log"), ("f6", "Pile 0: ")],
)
async def test_pages_lie_over_the_table_until_they_are_closed(table: Table, key: str, told: str) -> None:
    """Help, rules, a hint with its reasons, the log, the table in words; keys are for the page meanwhile."""
    async with shown(table) as (app, pilot):
        rows = menu_of(app).rows
        await pilot.press(key)
        await until(pilot, lambda: app.is_reading and told in text_of(app))
        await pilot.press("x", "down", "escape")
        await until(pilot, lambda: not app.is_reading)
        assert (menu_of(app).typed, menu_of(app).rows) == ("", rows)


async def test_after_the_end_another_match_can_be_played(table: Table) -> None:
    """Not before; it is another match, with the same players."""
    async with shown(table) as (app, pilot):
        first = app.scene.match
        await pilot.press("f5")
        assert app.scene.match.match_id == first.match_id
        async with RefereeClient(table.match.address, table.match.opponents[0].principal) as opponent:
            await opponent.resign(first.match_id, 1)
        await until(pilot, lambda: app.scene.over and "1. Ada" in text_of(app))
        await pilot.press("f5")
        await until(pilot, lambda: app.scene.chooser is not None)
        assert app.scene.match.match_id == table.match.match_id != first.match_id
        assert app.scene.names == ("Ada", "greedy")


async def test_a_seat_is_given_up_only_after_a_yes(table: Table) -> None:
    """Any other key lets it be; with one seat left the match ends, and the resignation is told."""
    async with shown(table) as (app, pilot):
        version = app.scene.match.version
        for key in ("n", "enter", "escape", "2"):
            await pilot.press("f8")
            await until(pilot, lambda: "Give up your seat?" in text_of(app))
            await pilot.press(key)
            await until(pilot, lambda: not app.is_reading)
        assert (app.scene.match.version, menu_of(app).typed) == (version, "")
        await pilot.press("f8", "y")
        await until(pilot, lambda: app.scene.over and "2. Ada" in text_of(app))
        assert "Ada resigns." in app.scene.log
        await pilot.press("f8")
        assert not app.is_reading


async def test_an_answer_to_a_question_can_be_clicked(table: Table) -> None:
    async with shown(table) as (app, pilot):
        for answer, resigned in (("[N]", False), ("[y]", True)):
            await pilot.press("f8")
            await until(pilot, lambda: answer in text_of(app))  # noqa: B023
            column, line = place_of(app, answer)
            await pilot.click(offset=(column + 1, line))
            await until(pilot, lambda: not app.is_reading)
            await until(pilot, lambda: app.scene.over is resigned)  # noqa: B023


async def test_the_record_is_written_after_the_end(
    table: Table, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Not before; it can be verified. Where nothing can be written a sentence says so."""
    monkeypatch.chdir(tmp_path)
    file = tmp_path / f"artsee-{table.match.match_id}.jsonl"
    async with shown(table) as (app, pilot):
        await pilot.press("f7")
        assert not file.exists()
        await pilot.press("f8", "y")
        await until(pilot, lambda: app.scene.over)
        await pilot.press("f7")
        await until(pilot, lambda: f"curator replay {file.name}" in " ".join(text_of(app).split()))
        record = parse_record(file.read_text())
        assert list(replay(record))[-1].seat is not None
        file.unlink()
        file.mkdir()
        await pilot.press("f7")
        await until(pilot, lambda: "not written: Is a directory." in text_of(app))
