"""The list of what may be chosen: by arrows, by number, by typing, or by mouse."""

from collections.abc import Sequence
from typing import Final, NamedTuple

from rich.cells import cell_len
from rich.style import Style
from rich.text import Text
from textual import events
from textual.message import Message
from textual.widget import Widget

from clients.terminal.chooser import Entry

_GAP: Final = 2
_CURSOR: Final = Style(reverse=True)
_CLOSED: Final = Style(dim=True)
_STRONG: Final = Style(bold=True)


class Row(NamedTuple):
    """A row of the list.

    Attributes:
        place: of the entry; None to confirm what is toggled.
        entry: what it says.
    """

    place: int | None
    entry: Entry


class Menu(Widget, can_focus=True):
    """Shows rows in as many columns as fit, and knows what is typed.

    Attributes:
        typed: a number, or words that the rows must have.
        rows: all rows.
    """

    class Taken(Message):
        """A row was taken, in answer to a question, see `offer`."""

        def __init__(self, row: Row, question: object) -> None:
            super().__init__()
            self.row: Final = row
            self.question: Final = question

    class Typed(Message):
        """What is typed has changed."""

    def __init__(self) -> None:
        super().__init__(id="menu")
        self.rows: tuple[Row, ...] = ()
        self.typed = ""
        self._question: object = None
        self._shown = list[int]()
        self._cursor = 0
        self._top = 0

    def offer(self, rows: Sequence[Row], question: object) -> None:
        """Shows other rows, to answer a question; for the same question as before the cursor stays."""
        self.rows = tuple(rows)
        if question != self._question:
            self.typed, self._cursor, self._top = "", 0, 0
        self._question = question
        self._filter()

    @property
    def highlighted(self) -> Row | None:
        """The row at the cursor."""
        return self.rows[self._shown[self._cursor]] if self._shown else None

    def lines_needed(self, width: int) -> int:
        """Returns how many lines all rows take in a width."""
        return -(-len(self.rows) // self._columns(width))

    def highlight(self, place: int | None) -> None:
        """Moves the cursor to the row of an entry, or to that which confirms."""
        for index, shown in enumerate(self._shown):
            if self.rows[shown].place == place:
                self._cursor = index
        self.refresh()

    def render(self) -> Text:
        columns = self._columns(self.size.width)
        width = (self.size.width + _GAP) // columns - _GAP
        height = self._height(columns)
        line = self._cursor % height if height else 0
        self._top = max(min(self._top, line), line - self.size.height + 1, 0)
        lines = [
            Text(" " * _GAP).join(
                self._cell(index, width) for index in range(row, len(self._shown), height) if index < len(self._shown)
            )
            for row in range(self._top, min(height, self._top + self.size.height))
        ]
        return Text("\n", no_wrap=True, overflow="crop").join(lines)

    def key(self, key: str, character: str | None) -> bool:
        """Heeds a key; returns whether it was for this."""
        height = max(1, self._height(self._columns(self.size.width)))
        steps = {"up": -1, "down": 1, "left": -height, "right": height}
        if key in steps:
            self._move(steps[key])
        elif key in ("home", "end"):
            self._move(-len(self.rows) if key == "home" else len(self.rows))
        elif key == "enter" or (key == "space" and self._toggles_here):
            self.take(self.highlighted)
        elif key == "backspace":
            self._type(self.typed[:-1])
        elif character is not None and character.isprintable():
            self._type(self.typed + character)
        else:
            return False
        return True

    def take(self, row: Row | None) -> None:
        """Takes a row, if it may be taken."""
        if row is not None and row.entry.open:
            self._type("")
            self.highlight(row.place)
            self.post_message(self.Taken(row, self._question))

    def clear(self) -> bool:
        """Forgets what is typed; returns whether there was something."""
        typed = bool(self.typed)
        self._type("")
        return typed

    def on_mouse_scroll_down(self, event: events.MouseScrollDown) -> None:
        self._move(1)
        event.stop()

    def on_mouse_scroll_up(self, event: events.MouseScrollUp) -> None:
        self._move(-1)
        event.stop()

    def on_click(self, event: events.Click) -> None:
        row = event.style.meta.get("row")
        if isinstance(row, int) and row < len(self.rows):
            self._cursor = self._shown.index(row) if row in self._shown else self._cursor
            self.take(self.rows[row])

    @property
    def _toggles_here(self) -> bool:
        return self.highlighted is not None and self.highlighted.entry.checked is not None

    def _move(self, step: int) -> None:
        self._cursor = max(0, min(len(self._shown) - 1, self._cursor + step))
        self.refresh()

    def _type(self, typed: str) -> None:
        self.typed = typed
        self._filter()
        self.post_message(self.Typed())

    def _filter(self) -> None:
        """Shows the rows with all words that are typed; a number moves the cursor only."""
        number = int(self.typed[:6]) if self.typed.isdecimal() else 0
        words = [] if number else self.typed.casefold().split()
        self._shown = [
            index for index, row in enumerate(self.rows) if all(word in row.entry.text.casefold() for word in words)
        ]
        if number:
            self._cursor = min(number, len(self.rows)) - 1
        self._cursor = max(0, min(self._cursor, len(self._shown) - 1))
        self.refresh()

    def _columns(self, width: int) -> int:
        longest = max((cell_len(self._text(index)) for index in range(len(self.rows))), default=1)
        return max(1, (width + _GAP) // (longest + _GAP))

    def _height(self, columns: int) -> int:
        """How many lines the rows that are shown take."""
        return -(-len(self._shown) // columns)

    def _text(self, index: int) -> str:
        entry = self.rows[index].entry
        box = "" if entry.checked is None else "[x] " if entry.checked else "[ ] " if entry.open else "[-] "
        return f"{index + 1:2} {box}{entry.text}"

    def _cell(self, index: int, width: int) -> Text:
        row = self._shown[index]
        text = Text(self._text(row), style=Style(meta={"row": row}))
        text.truncate(width, overflow="ellipsis", pad=True)
        entry = self.rows[row].entry
        if index == self._cursor:
            text.stylize(_CURSOR)
        if not entry.open:
            text.stylize(_CLOSED)
        elif entry.checked or self.rows[row].place is None:
            text.stylize(_STRONG)
        return text
