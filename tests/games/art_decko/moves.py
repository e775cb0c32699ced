"""The cards and moves of Art Decko in words, and the ids of the moves by the documented layout.

A card is a style, "1-gold", "2-gold", "5-gold", or the power of a 3-gold. Galleries and exhibitions count from 1.
"""

from collections.abc import Iterator, Sequence
from typing import Final, Literal

Card = str
Move = (
    tuple[Literal["haggle", "buy", "exhibit", "pay", "power", "promote", "remove", "discard"], str]
    | tuple[Literal["acquire", "invite"], int, str]
    | tuple[Literal["done"]]
)

STYLES: Final = ("ART_NOUVEAU", "RENAISSANCE", "SURREALISM", "POP_ART", "IMPRESSIONISM")
NOUVEAU, RENAISSANCE, SURREALISM, POP_ART, IMPRESSIONISM = STYLES
ONE, TWO, FIVE = "1-gold", "2-gold", "5-gold"
PLAIN: Final = (ONE, TWO, FIVE)
POWERS: Final = ("DRAW_TWO", "EXTRA_ACTION", "DISCOUNT", "PROMOTE", "DEACCESSION", "OPEN_INVITATION")
DRAW_TWO, EXTRA_ACTION, DISCOUNT, PROMOTE, DEACCESSION, OPEN_INVITATION = POWERS
GOLD: Final = "GOLD"
WILD: Final = "WILD"
DONE: Final[Move] = ("done",)
KINDS: Final[tuple[Card, ...]] = (*STYLES, *PLAIN, *POWERS)


def layout(styles: Sequence[str], galleries: int, exhibitions: int) -> Iterator[Move]:
    """The moves in the order of their ids."""
    kinds = (*styles, *PLAIN, *POWERS)
    for card in kinds:
        yield "haggle", card
    for style in styles:
        for gallery in range(1, galleries + 1):
            yield "acquire", gallery, style
    for power in POWERS:
        yield "buy", power
    yield "buy", FIVE
    for style in styles:
        yield "exhibit", style
    for exhibition in range(1, exhibitions + 1):
        for marker in (*styles, WILD):
            yield "invite", exhibition, marker
    for card in kinds:
        yield "pay", card
    for power in POWERS:
        yield "power", power
    for rating in (*styles, GOLD):
        yield "promote", rating
    for card in kinds:
        yield "remove", card
    for card in kinds:
        yield "discard", card
    yield DONE


MOVES: Final = tuple(layout(STYLES, galleries=4, exhibitions=5))
IDS: Final = {move: number for number, move in enumerate(MOVES)}
