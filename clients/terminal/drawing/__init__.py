"""Tables of the rulesets as text for a terminal, drawn from what a viewer may know and from nothing else."""

from collections.abc import Callable, Mapping, Sequence
from typing import Final

from clients.terminal.drawing.art_decko import ArtDeckoDrawing
from clients.terminal.drawing.artsee import ArtSeeDrawing
from clients.terminal.drawing.classic_art import ClassicArtDrawing
from clients.terminal.drawing.drawing import Choice, Drawing, Size
from clients.terminal.drawing.plain import PlainDrawing
from clients.terminal.words import Words

__all__ = ["DRAWINGS", "Choice", "Drawing", "Size", "drawing_of"]

DRAWINGS: Final[Mapping[str, Callable[[Sequence[str], Words], Drawing]]] = {
    "art_decko": ArtDeckoDrawing,
    "artsee": ArtSeeDrawing,
    "classic_art": ClassicArtDrawing,
}
"""The rulesets that have a drawing of their own."""


def drawing_of(ruleset: str, names: Sequence[str], words: Words) -> Drawing:
    """Returns the drawing of a ruleset for players of given names; of one without, the plain drawing.

    Args:
        ruleset: a name such as "classic_art".
        names: one a seat, in the order of the seats.
        words: the language.
    """
    own = DRAWINGS.get(ruleset)
    return own(names, words) if own else PlainDrawing(ruleset, names, words)
