"""What is to come in a game of Art Decko, as far as all can tell.

Nearly every painting that is left gets acquired by somebody, and raises its style's rating as its gallery has it: so
where a rating ends depends less on who acquires a painting now than on how many of its style are still to come.
"""

from collections.abc import Sequence
from functools import cache
from math import sqrt
from operator import mul
from typing import Final

from referee.games.art_decko.parts import Parts
from referee.games.art_decko.state import State
from referee.games.art_decko.view import View

# The numbers were found by self-play.
_ROUNDS: Final = {2: 17.0, 3: 10.0, 4: 7.0}  # of a game between sensible players, by seats
_RISE: Final = 3.4  # what a painting of the deck will raise its style's rating by
_GOLD_RISE: Final = 0.3  # what gold's rating rises by in a turn of any seat
_LEFT: Final = 4.0  # paintings that nobody will acquire
_SPREAD: Final = 2.2  # how far off a rating may be, as a factor of the square root of what it is expected to rise by


class Outlook:
    """How long a game will last and what cards will be worth at its end.

    Args:
        parts: the components.
        table: the position.
        deck: the paintings in the deck, by style.

    Attributes:
        progress: how much of the game is over, from 0 to 1: what is nearest to ending it.
        rounds: those to come, more or less.
        rises: what each style's rating is expected to rise by.
    """

    def __init__(self, parts: Parts, table: State | View, deck: Sequence[int]) -> None:
        self._parts: Final = parts
        self._seats: Final = table.seats
        left = sum(deck)
        self.progress: Final = _progress(parts, table, left)
        length = _ROUNDS[min(max(_ROUNDS), max(min(_ROUNDS), table.seats))]
        self.rounds: Final = 0.0 if table.last_round else (1.0 - self.progress) * length
        galleries, width = table.galleries, parts.galleries
        self._part: Final = 0.0 if table.last_round else max(0.0, 1.0 - _LEFT / max(1, left + sum(galleries)))
        self.rises: Final[list[float]] = [
            self._part * (_RISE * count + sum(map(mul, galleries[style * width : (style + 1) * width], parts.rises)))
            for style, count in enumerate(deck)
        ]

    def rise_without(self, style: int, gallery: int) -> float:
        """Returns what a style's rating is expected to rise by, besides what a painting in a gallery raises it by."""
        return self.rises[style] - self._part * self._parts.rises[gallery]

    def painting(self, rating: int, rise: float) -> float:
        """Returns the VP of a painting at the end, if its rating rises by so much, more or less."""
        vp: float = _expected(self._parts.painting_vp)[rating][max(0, int(rise))]
        return vp

    def prices(self, market: Sequence[int], rises: Sequence[float]) -> list[float]:
        """Returns the VP of a card of each kind at the end, if the ratings of the styles rise so much."""
        parts = self._parts
        rise = int(_GOLD_RISE * self.rounds * self._seats)
        ratio = _expected(parts.gold_per_vp)[market[parts.gold]][rise]
        return [*map(self.painting, market, rises), *[number / ratio for number in parts.numbers]]


def undealt(parts: Parts, view: View, cards: Sequence[Sequence[int]]) -> list[int]:
    """Returns the paintings in the deck by style: those that are nowhere else. `cards` are what each seat owns."""
    hung = [parts.hanging(code)[1] for code in view.museum if code]
    width = parts.galleries
    return [
        parts.copies[style]
        - view.removed[style]
        - sum(own[style] for own in cards)
        - sum(view.galleries[style * width : (style + 1) * width])
        - hung.count(style)
        - (view.painting == style)
        for style in range(parts.width)
    ]


def _progress(parts: Parts, table: State | View, left: int) -> float:
    dealt = table.seats * parts.start_paintings + parts.galleries * parts.full[table.seats]
    deck = parts.width * parts.copies[0] - dealt
    hung = len(table.museum) - table.museum.count(0)
    return min(1.0, max(hung / parts.end_at, 1.0 - left / deck, max(table.market) / parts.cap))


@cache
def _expected(steps: bytes) -> list[list[float]]:
    """Returns the mean of what may hold at the end, by rating and by what it is expected to rise by."""
    ratings = range(len(steps))
    return [[_mean(steps, rating, min(rise, len(steps) - 1 - rating)) for rise in ratings] for rating in ratings]


def _mean(steps: bytes, rating: int, rise: int) -> float:
    spread = int(_SPREAD * sqrt(rise))
    found = steps[rating + max(0, rise - spread) : rating + rise + spread + 1]
    return sum(found) / len(found)
