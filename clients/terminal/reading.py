"""A page over the table, to be read and closed."""

from typing import ClassVar

from rich.console import RenderableType
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import VerticalScroll
from textual.screen import ModalScreen
from textual.widgets import Static


class Reading(ModalScreen[None]):
    """Shows a page under a title; Escape, q or Enter close it, arrows and page keys scroll it."""

    BINDINGS: ClassVar[list[BindingType]] = [Binding("escape,q,enter", "dismiss", show=False)]

    def __init__(self, title: str, page: RenderableType) -> None:
        super().__init__()
        self._title, self._page = title, page

    def compose(self) -> ComposeResult:
        with VerticalScroll(id="page") as scroll:
            scroll.border_title = self._title
            scroll.border_subtitle = "Esc"
            yield Static(self._page, id="text", markup=False)

    def show(self, page: RenderableType) -> None:
        """Shows something else under the same title."""
        self.query_one("#text", Static).update(page)
