"""What players are called."""

import re
from typing import Final

from clients.terminal.words import Words

_UNNAMED: Final = re.compile(r"Seat ([0-9]+)")
"""What a referee calls a seat that nobody has named."""


def called(display_name: str, words: Words) -> str:
    """Returns a name as it is; that of a seat without one in the language of the terminal."""
    unnamed = _UNNAMED.fullmatch(display_name)
    return words.told("Seat {number}", number=unnamed[1]) if unnamed else display_name
