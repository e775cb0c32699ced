"""Writes the facts of a table, each by a name of its own, so that changes and what may be chosen stand out."""

from abc import ABC, abstractmethod
from collections import defaultdict
from collections.abc import Hashable, Iterable, Mapping, Sequence
from typing import Final

from rich.style import Style
from rich.text import Text

from clients.terminal.drawing.common import Common
from clients.terminal.drawing.drawing import LegalMove, Size, View
from clients.terminal.drawing.lines import CHANGED, sheet

NARROW: Final = 76
"""The width in which every table is whole: that of a terminal of 80 columns, less a margin and a scroll bar."""

_OPEN: Final = Style(bold=True, underline=True)


class Pen:
    """Writes one table.

    Args:
        before: what an earlier table told of each fact; nothing is marked as changed without.
        open_moves: the moves to choose among, by the facts that they concern.

    Attributes:
        told: what this table tells of each fact.
    """

    def __init__(
        self,
        before: Mapping[Hashable, str] | None = None,
        open_moves: Mapping[Hashable, Sequence[LegalMove]] | None = None,
    ) -> None:
        self.told: Final = dict[Hashable, str]()
        self._before: Final = before
        self._open: Final = open_moves or {}

    def write(self, fact: Hashable, text: str, style: Style | str = "", concerned: Hashable | None = None) -> Text:
        """Returns a text that tells a fact.

        Args:
            fact: what is compared with the earlier table.
            text: what it is now.
            style: how it looks.
            concerned: the fact that moves concern, if it has another name.
        """
        self.told[fact] = text
        written = Text(text)
        written.stylize(style)
        if self._before is not None and self._before.get(fact) != text:
            written.stylize(CHANGED)
        if moves := self._open.get(fact if concerned is None else concerned):
            written.stylize(_OPEN)
            written.stylize(Style(meta={"moves": tuple(move.id for move in moves)}))
        return written


class Penned(Common, ABC):
    """A drawing of which every fact is written by a pen."""

    @abstractmethod
    def _lines(self, view: View, size: Size, pen: Pen) -> list[Text]:
        """Draws a table; the lines may be fewer or shorter than the size."""

    @abstractmethod
    def _facts(self, move: LegalMove) -> Iterable[Hashable]:
        """Returns the names of the facts that a move concerns."""

    def smallest(self, view: View) -> Size:
        """See `Drawing`."""
        return Size(NARROW, len(self._lines(view, Size(NARROW, 0), Pen())))

    def table(self, view: View, size: Size, before: View | None = None, focus: Sequence[LegalMove] = ()) -> Text:
        """See `Drawing`."""
        earlier = Pen()
        if before is not None:
            self._lines(before, size, earlier)
        concerned = defaultdict[Hashable, list[LegalMove]](list)
        for move in focus:
            for fact in self._facts(move):
                concerned[fact].append(move)
        pen = Pen(None if before is None else earlier.told, concerned)
        return sheet(self._lines(view, size, pen), size)
