"""Variants of the components file."""

from importlib.resources import files

from referee.core.components import parse
from referee.games.classic_art.parts import Parts

TEXT = files("referee.games.classic_art").joinpath("components.toml").read_text()


def parts_with(*replacements: tuple[str, str]) -> Parts:
    """Returns the components with texts replaced, each of which must be there.

    Raises:
        ComponentsError: names the faults that this makes.
    """
    text = TEXT
    for old, new in replacements:
        assert old in text
        text = text.replace(old, new)
    return Parts(parse("variant.toml", text.encode()))
