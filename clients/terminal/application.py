"""What the programs on the whole screen have in common."""

from pathlib import Path
from typing import Final

from rich.console import RenderableType
from rich.style import Style
from rich.text import Text
from textual.app import App
from textual.screen import ModalScreen
from textual.widgets import Static

from clients.terminal.driver import TerminalDriver
from clients.terminal.reading import Reading


class Application(App[None]):
    """Has keys that are told in the language of the terminal, and pages to be read over what is shown."""

    CSS_PATH = Path(__file__).with_name("app.tcss")
    ENABLE_COMMAND_PALETTE = False
    TITLE = "curator"

    def on_resize(self) -> None:
        self.screen.refresh()  # also if it is as large as before: what a window that was small meanwhile showed is gone

    def __init__(self) -> None:
        super().__init__(driver_class=TerminalDriver)
        self.keys: Final = Static(id="keys", markup=False)
        self._offered = list[tuple[str, str, str]]()

    def offer(self, keys: str, action: str, description: str, shown: str = "") -> None:
        """Binds keys to an action."""
        self.bind(keys, action)
        self._offered.append((action, shown or keys.upper(), description))

    def tell_keys(self) -> None:
        """Tells in the last line the keys of the actions that can be taken now; they can be clicked too."""
        line = Text(no_wrap=True, overflow="ellipsis")
        for action, shown, description in self._offered:
            if self.check_action(action.partition("(")[0], ()):
                line.append(shown, Style(bold=True, meta={"@click": f"app.{action}"}))
                line.append(f" {description}  ", Style(meta={"@click": f"app.{action}"}))
        self.keys.update(line, layout=False)

    @property
    def is_reading(self) -> bool:
        """Whether something lies over what is shown: a page, or a question."""
        return isinstance(self.screen, ModalScreen)

    def read(self, title: str, text: RenderableType) -> Reading | None:
        """Opens a page, and returns it, unless one is open."""
        if self.is_reading:
            return None
        page = Reading(title, text)
        self.push_screen(page)
        return page
