"""Whole matches, played by keys in a real terminal against bots at a referee of the terminal's own."""

from pathlib import Path

import pytest

from clients.terminal.words import in_language
from tests.clients.terminal.terminals import LEAVE, Player, curator

SHORT = ("--option", "max_rounds=6")  # a third of a match
USUAL = [("artsee", 80, 24, "en", ()), ("classic_art", 120, 40, "es", ()), ("art_decko", 80, 24, "en", SHORT)]
RULESETS = ("art_decko", "artsee", "classic_art")
BOTS = {"classic_art": "greedy"}  # two would make a long match of it
OTHERS = [
    (ruleset, columns, lines, language, ())
    for ruleset in RULESETS
    for columns, lines in ((80, 24), (120, 40))
    for language in ("en", "es")
    if (ruleset, columns, lines, language, ()) not in USUAL
]


@pytest.mark.parametrize(
    ("ruleset", "columns", "lines", "language", "options"),
    [*USUAL, *(pytest.param(*other, marks=pytest.mark.long) for other in OTHERS)],
)
def test_a_match_is_played_from_the_deal_to_the_places(
    tmp_path: Path, ruleset: str, columns: int, lines: int, language: str, options: tuple[str, ...]
) -> None:
    """By keys alone, against bots; the places are told on the screen, and again after it, and nothing is kept."""
    words = in_language(language)
    bots = BOTS.get(ruleset, "greedy,random")
    command = ("play", ruleset, "--lang", language, "--name", "Ada", "--opponents", bots, *options)
    with curator(*command, home=tmp_path, size=(columns, lines)) as terminal:
        player = Player(terminal, words)
        player.play_to_the_end()
        terminal.wait_for("2. ")
        assert player.choices > 10
        terminal.type(LEAVE)
        assert terminal.wait_for_end() == 0
        assert "1. " in terminal.text
        assert "2. " in terminal.text
        assert "Ada" in terminal.text
    assert list((tmp_path / "curator" / "matches").iterdir()) == []
