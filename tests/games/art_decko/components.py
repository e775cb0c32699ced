"""Variants of the components file."""

import tomllib
from importlib.resources import files
from pathlib import Path
from typing import Any, Final

from referee.core.components import parse
from referee.games.art_decko.parts import Parts

TEXT: Final = files("referee.games.art_decko").joinpath("components.toml").read_text(encoding="utf-8")
TINY: Final = Path(__file__).with_name("tiny.toml").read_bytes()
TINY_BOX: Final[dict[str, Any]] = tomllib.loads(TINY.decode())


LIMITS: Final[tuple[list[tuple[str, str]], ...]] = (
    [("fives = 10", "fives = 0")],
    [("threes = 2 ", "threes = 0 "), ("face_up = 2 ", "face_up = 0 ")],
    [("face_up = 2 ", "face_up = 0 ")],
    [("ribbons = 9 ", "ribbons = 1 ")],
    [("five_cost = 8", "five_cost = 0"), ("three_cost = 5", "three_cost = 0")],
    [("cost = 6", "cost = 0")],
    [("first = 1 ", "first = 5 ")],
    [("end_at = 12", "end_at = 1")],
    [("ones = 3\ntwos = 2", "ones = 0\ntwos = 0")],
    [("paintings = 5\nones = 3\ntwos = 2", "paintings = 1\nones = 0\ntwos = 0")],
    [("promote = 4", "promote = 255"), ("discount = 4", "discount = 255")],
    [("yellow = [5, 5, 6, 6, 6, 7, 7, 7, 8, 8, 8, 8]", "yellow = []")],
)
"""Changes that are accepted, each to the least or the most that may be."""


def text_with(*replacements: tuple[str, str]) -> str:
    """Returns the file with texts replaced, each of which must be there."""
    text = TEXT
    for old, new in replacements:
        assert old in text
        text = text.replace(old, new)
    return text


def parts_with(*replacements: tuple[str, str]) -> Parts:
    """Returns the components with texts replaced.

    Raises:
        ComponentsError: names the faults that this makes.
    """
    return Parts(parse("variant.toml", text_with(*replacements).encode()))


def box_with(*replacements: tuple[str, str]) -> dict[str, Any]:
    """Returns the same for the naive implementation."""
    return tomllib.loads(text_with(*replacements))


def tiny() -> Parts:
    """Returns components for two seats that are small enough to play every game of a deal."""
    return Parts(parse("tiny.toml", TINY))
