"""Pictures of the screen for guides: files of their own that ask for nothing."""

import re
from xml.etree import ElementTree as ET

import pytest

from tests.clients.terminal.screens import FOLDER, PICTURES, Picture, freed, taken

NAMESPACE = "http://www.w3.org/2000/svg"
LARGEST = 150_000


def text_of(svg: str) -> str:
    root = ET.fromstring(svg)  # noqa: S314 # our own
    return " ".join("".join(root.itertext()).replace("\xa0", " ").split())


def assert_free(svg: str) -> None:
    assert set(re.findall(r"https?:[^\"'\s)]*", svg)) == {NAMESPACE}
    assert "@font-face" not in svg
    assert len(svg.encode()) < LARGEST


@pytest.mark.parametrize("picture", PICTURES, ids=lambda picture: picture.file)
def test_a_picture_that_is_kept_shows_its_game_and_refers_nowhere(picture: Picture) -> None:
    title = {"en": "F1 Help F2 Rules F3 Hint", "es": "F1 Ayuda F2 Reglas F3 Pista"}[picture.language]
    svg = (FOLDER / picture.file).read_text(encoding="utf-8")
    assert_free(svg)
    assert f"curator play {picture.ruleset} --lang {picture.language}" in text_of(svg)
    assert title in text_of(svg)


async def test_a_picture_is_taken_of_a_match_in_progress() -> None:
    svg = await taken(Picture("", "artsee", "es", (80, 24), 2))
    assert_free(svg)
    assert "ArtVer · Ronda" in text_of(svg)


def test_fonts_and_addresses_are_taken_out_of_a_picture() -> None:
    """What is drawn stays."""
    svg = (
        f'<svg xmlns="{NAMESPACE}"><!-- by https://example.org --><style>'
        '@font-face { src: url("https://example.org/a") }'
        " .m { font-family: Fira Code, monospace; }</style><text>1</text></svg>"
    )
    assert_free(freed(svg))
    assert text_of(freed(svg)).endswith("1")
