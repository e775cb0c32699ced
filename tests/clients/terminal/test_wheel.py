"""The mouse wheel, as terminals report it: whatever does not fit is scrolled where the mouse is."""

from pathlib import Path

from clients.terminal.words import in_language
from referee.wire.record import canonical_json
from tests.clients.terminal.terminals import ESCAPE, Player, Terminal, curator
from tests.clients.terminal.test_replaying import recorded

DOWN, UP = 65, 64
PAGE_DOWN, PAGE_UP, F2, F4 = "\x1b[6~", "\x1b[5~", "\x1bOQ", "\x1bOS"


def turn(terminal: Terminal, wheel: int, line: int, times: int = 12) -> None:
    """Turns the wheel with the mouse in the middle of a line."""
    terminal.type(f"\x1b[<{wheel};40;{line + 1}M" * times)


def assert_scrolls(terminal: Terminal, first: str, line: int) -> None:
    """A text that stands on the screen goes away downwards and is there again upwards."""
    terminal.wait_for(first)
    turn(terminal, DOWN, line)
    terminal.wait_for(lambda text: first not in text)
    turn(terminal, UP, line)
    terminal.wait_for(first)


def test_the_wheel_scrolls_pages_and_what_does_not_fit(tmp_path: Path) -> None:
    """The rules, also by keys, and the table in a low window."""
    with curator("play", "classic_art", "--opponents", "greedy", "--name", "Ada", home=tmp_path) as terminal:
        player = Player(terminal, in_language("en"))
        player.wait_until_asked()
        terminal.type(F2)
        assert_scrolls(terminal, "In brief", 10)
        terminal.type(PAGE_DOWN)
        terminal.wait_for(lambda text: "In brief" not in text)
        terminal.type(PAGE_UP)
        terminal.wait_for("In brief")
        terminal.type(ESCAPE)
        terminal.wait_for("Your hand")
        terminal.resize(80, 14)
        terminal.wait_for(lambda text: "F10 Quit" in text.splitlines()[-1])
        assert_scrolls(terminal, "Your hand", 3)


def test_the_wheel_scrolls_a_long_log(tmp_path: Path) -> None:
    """Of which the first line is told at the top."""
    with curator("play", "artsee", "--opponents", "greedy", "--name", "Ada", home=tmp_path, size=(80, 24)) as terminal:
        player = Player(terminal, in_language("en"))
        while not player.choices > 25:
            player.play_once()
        player.wait_until_asked()
        terminal.type(F4)
        terminal.wait_for("╭─ Log")
        first = terminal.wait_until_still().splitlines()[2].strip(" │")
        assert_scrolls(terminal, first, 10)


def test_the_wheel_moves_in_the_menu(tmp_path: Path) -> None:
    """Row by row, as the arrows do."""
    with curator("play", "classic_art", "--opponents", "greedy", "--name", "Ada", home=tmp_path) as terminal:
        Player(terminal, in_language("en")).wait_until_asked()
        line = next(number for number, line in enumerate(terminal.text.splitlines()) if line.startswith("  1 "))
        assert terminal.reversed_in(line).strip().startswith("1 ")
        turn(terminal, DOWN, line, 1)
        terminal.wait_for(lambda _: terminal.reversed_in(line + 1).strip().startswith("2 "))
        turn(terminal, UP, line, 1)
        terminal.wait_for(lambda _: terminal.reversed_in(line).strip().startswith("1 "))


def test_the_wheel_scrolls_what_is_told_below_a_recorded_match(tmp_path: Path) -> None:
    """What all hands hold is longer than its place."""
    file = tmp_path / "records.jsonl"
    file.write_text(f"{canonical_json(recorded('classic_art'))}\n")
    with curator("replay", str(file), home=tmp_path, size=(80, 12)) as terminal:
        terminal.wait_for("Ada: Your hand")
        lines = terminal.wait_until_still().splitlines()  # it moves down while the table above it grows
        line = next(number for number, line in enumerate(lines) if "Ada: Your hand" in line)
        assert_scrolls(terminal, "Ada: Your hand", line)
