"""The table on the screen, as its drawing draws it."""

from collections.abc import Sequence
from typing import Final

from rich.text import Text
from textual import events
from textual.message import Message
from textual.widget import Widget

from artreferee.v1 import match_pb2, ruleset_pb2
from clients.terminal.drawing import Drawing, Size


class Board(Widget):
    """Draws a view as large as there is room, and at least as large as the drawing needs: then it is scrolled.

    Attributes:
        needed: what it needs.
    """

    class Clicked(Message):
        """Something on the table was clicked that moves concern."""

        def __init__(self, moves: tuple[int, ...]) -> None:
            super().__init__()
            self.moves: Final = moves

    def __init__(self) -> None:
        super().__init__(id="board")
        self.needed = Size(0, 0)
        self._drawing: Drawing | None = None
        self._view: ruleset_pb2.View | None = None
        self._before: ruleset_pb2.View | None = None
        self._focus: Sequence[match_pb2.LegalMove] = ()

    def show(
        self,
        drawing: Drawing,
        view: ruleset_pb2.View,
        before: ruleset_pb2.View | None,
        focus: Sequence[match_pb2.LegalMove],
    ) -> None:
        """Draws another view."""
        self._drawing, self._view, self._before, self._focus = drawing, view, before, focus
        self.needed = drawing.smallest(view)
        self.styles.min_width, self.styles.min_height = self.needed
        self.refresh()

    def render(self) -> Text:
        if self._drawing is None or self._view is None:
            return Text()
        return self._drawing.table(self._view, Size(*self.size), self._before, self._focus)

    def on_click(self, event: events.Click) -> None:
        if moves := event.style.meta.get("moves"):
            self.post_message(self.Clicked(tuple(moves)))
