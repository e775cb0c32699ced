"""How seats are told apart: by a letter, and by a colour where there are colours."""

from typing import Final

from rich.text import Text

from clients.terminal.drawing.lines import STRONG
from clients.terminal.drawing.pen import Pen

LETTERS: Final = "ABCDE"
_COLOURS: Final = ("#e69f00", "#56b4e9", "#2fbf8f", "#cc79a7", "#d8c820")
"""By Okabe and Ito, which those who see few colours tell apart; made a little lighter for dark grounds."""


def colour(seat: int) -> str:
    """Returns the style of what belongs to a seat."""
    return f"bold {_COLOURS[seat]}"


def label(name: str, seat: int, to_act: bool, first: bool, pen: Pen) -> Text:
    """Returns whether a seat is to act, its letter, whether it is the first player, and its name."""
    return Text.assemble(
        ("▶" if to_act else " ", STRONG),
        (LETTERS[seat], colour(seat)),
        pen.write(("first", seat), "◆" if first else " "),
        (name, STRONG if to_act else ""),
    )
