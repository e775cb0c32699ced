"""The whole of a match on the screen: header, table, what happened, what may be chosen."""

import time
from typing import Final

from rich.text import Text
from textual.app import ComposeResult
from textual.containers import Horizontal, Vertical, VerticalScroll
from textual.widgets import Static

from clients.terminal.board import Board
from clients.terminal.chooser import Entry
from clients.terminal.drawing.lines import fit
from clients.terminal.header import header
from clients.terminal.menu import Menu, Row
from clients.terminal.scene import Scene

_WIDE: Final = 112  # from so many columns on the log stands beside the table
_TALL: Final = 30  # from so many lines on the header is there also where it tells nothing that the table does not
_FEW_ROWS: Final = 5  # of the menu, though that covers a part of the table
_MOST_ROWS: Final = 10
_MOST_RECENT: Final = 4  # lines of the log below the table


class Stage(Vertical):
    """Draws scenes.

    Attributes:
        menu: what may be chosen.
    """

    def __init__(self) -> None:
        super().__init__()
        self.menu: Final = Menu()
        self._header: Final = Static(id="header")
        self._board: Final = Board()
        self._scroll: Final = VerticalScroll(self._board, id="table", can_focus=False)
        self._log: Final = Static(id="log", markup=False)
        self._recent: Final = Static(id="recent", markup=False)
        self._question: Final = Static(id="question", markup=False)
        self._notice: Final = Static(id="notice", markup=False)
        self._scene: Scene | None = None
        self._recent_lines = 1
        self._menu_lines = 0

    def compose(self) -> ComposeResult:
        yield self._header
        yield Horizontal(self._scroll, self._log, id="middle")
        yield self._recent
        yield self._question
        yield self.menu
        yield self._notice

    def on_resize(self) -> None:
        if self._scene is not None:
            self.draw(self._scene)

    def draw(self, scene: Scene) -> None:
        """Draws a scene."""
        self._scene, chooser = scene, scene.chooser
        if scene.match.HasField("view"):
            view = chooser.view if chooser else scene.match.view
            self._board.show(scene.drawing, view, scene.before, chooser.moves if chooser else ())
        self._draw_menu(scene)
        self._lay_out(scene)
        self._draw_log(scene)
        self._notice.update(Text(scene.notice), layout=False)
        self.draw_question()
        self.draw_header()

    def draw_header(self) -> None:
        """Draws the header, on which clocks may run."""
        if self._scene is not None:
            self._header.update(header(self._scene, time.monotonic(), self.size.width - 2), layout=False)

    def draw_question(self) -> None:
        """Draws what is asked, with what is typed."""
        if (scene := self._scene) is None:
            return
        lines = [scene.situation, *scene.drawing.standings(scene.match)]
        typed = f" > {self.menu.typed}" if self.menu.typed else ""
        text = Text("\n".join(lines) + typed, "bold" if scene.chooser else "")
        self._question.styles.height = self._lines_of(text)
        self._question.update(text, layout=False)

    def scroll_table(self, *, down: bool) -> None:
        """Scrolls the table, where it is larger than there is room."""
        if down:
            self._scroll.scroll_page_down()
        else:
            self._scroll.scroll_page_up()

    def _lay_out(self, scene: Scene) -> None:
        """Gives the table the room that it needs, and what is left to the menu and the log."""
        width, height = self.size
        self._log.display = width >= _WIDE
        self._notice.display = bool(scene.notice)
        notices = self._lines_of(Text(scene.notice)) if scene.notice else 0
        self._notice.styles.height = max(1, notices)
        self._header.display = height >= _TALL or scene.match.HasField("time_control") or not scene.connected
        spare = height - self._board.needed.height - 1 - self._header.display - notices
        if (
            self.menu.rows or scene.over
        ):  # else it keeps its place for the next question, so that the table stands still
            self._menu_lines = self.menu.lines_needed(width - 2)
        rows = min(self._menu_lines, max(_FEW_ROWS, min(_MOST_ROWS, spare - 1)))
        self.menu.styles.height = rows
        self._recent_lines = min(_MOST_RECENT, spare - rows)
        self._recent.display = not self._log.display and self._recent_lines > 0
        self._recent.styles.height = max(1, self._recent_lines)

    def _lines_of(self, text: Text) -> int:
        return len(text.wrap(self.app.console, max(1, self.size.width - 2)))

    def _draw_log(self, scene: Scene) -> None:
        if self._log.display:
            width, height = self._log.content_size
            lines = Text("\n".join(scene.log[-height:] if height else [])).wrap(self.app.console, max(1, width))
            self._log.update(Text("\n").join(lines[-height:]), layout=False)
        elif self._recent.display:
            width, most = self.size.width - 2, self._recent_lines
            self._recent.update(Text("\n").join(fit(line, width) for line in scene.log[-most:]), layout=False)

    def _draw_menu(self, scene: Scene) -> None:
        chooser, told = scene.chooser, scene.words.told
        rows = [Row(place, entry) for place, entry in enumerate(chooser.entries)] if chooser else []
        if chooser is not None and chooser.toggles:
            done = chooser.confirmed is not None
            rows.append(Row(None, Entry(told("Confirm") if done else told("choose more"), (), open=done)))
        self.menu.offer(rows, chooser.step if chooser else None)
