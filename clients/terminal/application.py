"""What the programs on the whole screen have in common."""

from rich.console import RenderableType
from textual.app import App

from clients.terminal.reading import Reading


class Application(App[None]):
    """Has keys that are told in the language of the terminal, and pages to be read over what is shown."""

    CSS_PATH = "app.tcss"
    ENABLE_COMMAND_PALETTE = False
    TITLE = "curator"

    def on_resize(self) -> None:
        self.screen.refresh()  # also if it is as large as before: what a window that was small meanwhile showed is gone

    def offer(self, keys: str, action: str, description: str, shown: str = "") -> None:
        """Binds keys to an action."""
        self.bind(keys, action, description=description, key_display=shown or keys.upper())

    @property
    def is_reading(self) -> bool:
        """Whether a page is open."""
        return isinstance(self.screen, Reading)

    def read(self, title: str, text: RenderableType) -> Reading | None:
        """Opens a page, and returns it, unless one is open."""
        if self.is_reading:
            return None
        page = Reading(title, text)
        self.push_screen(page)
        return page
