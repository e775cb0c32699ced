"""A question over the table, to be answered with yes or no."""

from rich.style import Style
from rich.text import Text
from textual import events
from textual.app import ComposeResult
from textual.screen import ModalScreen
from textual.widgets import Static

from clients.terminal.words import Words


class Asking(ModalScreen[bool]):
    """Asks; the first letter of a yes agrees, any other key does not, and either answer can be clicked."""

    def __init__(self, question: str, words: Words) -> None:
        super().__init__()
        self._question, self._choices = question, words.gettext("y/N")

    def compose(self) -> ComposeResult:
        yes, _, no = self._choices.partition("/")
        text = Text(f"{self._question}  ")
        text.append(f"[{yes}]", Style(bold=True, meta={"@click": "screen.answer(True)"})).append(" ")
        text.append(f"[{no}]", Style(bold=True, meta={"@click": "screen.answer(False)"}))
        yield Static(text, id="asked", markup=False)

    def on_key(self, event: events.Key) -> None:
        event.stop()
        self.action_answer((event.character or "").lower() == self._choices[0])

    def action_answer(self, agrees: bool) -> None:
        """Answers."""
        self.dismiss(agrees)
