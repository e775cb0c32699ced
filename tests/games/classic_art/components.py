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


TINY = """
version = "tiny"

[cards]
categories = ["ETCHING"]
artworks = 8
loans = 7
revealed = 1

[[deals]]
seats = 2
hand = 5
house = 3

[tokens]
predictions = 1
refill_at = 0

[track]
cap = 10
counts_from = 5

[[spaces]]
name = "1-"
bound = 1
at_most = true
prestige = 5

[[spaces]]
name = "2-"
bound = 2
at_most = true
prestige = 3

[[spaces]]
name = "3+"
bound = 3
at_most = false
prestige = 2

[[sources]]
part = "all"
origin = "reconstruction"
note = "Small enough to count its worlds: 15 cards of two kinds, one of them out of play."
"""


def tiny() -> Parts:
    """Returns components for two seats that are small enough to count their worlds."""
    return Parts(parse("tiny.toml", TINY.encode()))
