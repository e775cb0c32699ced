"""Variants of the components file."""

from importlib.resources import files
from pathlib import Path

from referee.core.components import parse
from referee.games.artsee.parts import Parts

TEXT = files("referee.games.artsee").joinpath("components.toml").read_text()
TINY_TEXT = Path(__file__).with_name("tiny.toml").read_text()


def parts_of(text: str) -> Parts:
    """Returns the components that a text tells.

    Raises:
        ComponentsError: names its faults.
    """
    return Parts(parse("variant.toml", text.encode()))


def parts_with(*replacements: tuple[str, str]) -> Parts:
    """Returns the components with texts replaced, each of which must be there.

    Raises:
        ComponentsError: names the faults that this makes.
    """
    text = TEXT
    for old, new in replacements:
        assert old in text
        text = text.replace(old, new)
    return parts_of(text)


def tiny() -> Parts:
    """Returns components that are small enough to go through all that can happen."""
    return parts_of(TINY_TEXT)
