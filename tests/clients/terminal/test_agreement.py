"""What counts as a yes, line by line."""

from pathlib import Path

import pytest

from clients.sdk import RefereeClient
from clients.terminal.line import LineTerminal
from clients.terminal.typed import TypedLines
from clients.terminal.words import in_language


@pytest.mark.parametrize(
    ("language", "typed", "agreed"),
    [
        *(("en", answer, True) for answer in ("y", "Yes", " yes ")),
        *(("es", answer, True) for answer in ("s", "si", "sí", "Sí")),
        *((language, answer, False) for language in ("en", "es") for answer in ("", "n", "no", "q", "0")),
    ],
)
async def test_the_first_letter_counts(tmp_path: Path, language: str, typed: str, agreed: bool) -> None:
    """A yes may be written out, with or without its accent; anything else is none."""
    said = list[str]()
    file = tmp_path / "typed"
    file.write_text(f"{typed}\n")
    with file.open() as opened, TypedLines(opened.fileno()) as lines:
        async with RefereeClient("127.0.0.1:1") as client:
            assert await LineTerminal(client, in_language(language), said.append, lines).agrees("?") is agreed
