"""Recorded matches on the whole screen, step by step."""

from collections.abc import Sequence
from typing import Final

from rich.text import Text
from textual import events
from textual.app import ComposeResult
from textual.containers import Horizontal, VerticalScroll
from textual.widgets import Static

from artreferee.v1 import record_pb2
from clients.terminal.application import Application
from clients.terminal.board import Board
from clients.terminal.pages import replay_lines
from clients.terminal.recording import Recording
from clients.terminal.words import Words

_LEAP: Final = 10
_FEWEST: Final = 3  # lines of what is told below the table, though that covers a part of it


class ReplayApp(Application):
    """Steps through recorded matches.

    Args:
        records: at least one.
        words: the language.
    """

    def __init__(self, records: Sequence[record_pb2.MatchRecord], words: Words) -> None:
        super().__init__()
        self._records, self._words = records, words
        self._number = 0
        self._recording = Recording(records[0], words)
        self._place = 0
        self._eyes = len(self._recording.names) + 1  # a seat; then everybody; then somebody all-seeing
        self._typed = ""
        self._header: Final = Static(id="header", markup=False)
        self._board: Final = Board()
        self._told: Final = Static(id="text", markup=False)
        self._below: Final = VerticalScroll(self._told, id="told", can_focus=False)
        self._line: Final = Static(id="question", markup=False)

    def compose(self) -> ComposeResult:
        yield self._header
        yield Horizontal(VerticalScroll(self._board, id="table", can_focus=False), id="middle")
        yield self._below
        yield self._line
        yield self.keys

    def on_mount(self) -> None:
        told = self._words.told
        self.offer("f1", "help", told("Help"), "F1")
        self.offer("left", "step(-1)", told("Back"), "←")
        self.offer("right,space", "step(1)", told("On"), "→")
        self.offer("e", "look", told("Eyes"), "e")
        if len(self._records) > 1:
            self.offer("n", "turn(1)", told("Next match"), "n")
            self.offer("p", "turn(-1)", told("Match before"), "p")
        self.offer("f10,q", "quit", told("Quit"), "q")
        self.tell_keys()
        self._draw()

    def on_resize(self) -> None:
        super().on_resize()
        self._draw()

    def on_key(self, event: events.Key) -> None:
        if self.is_reading:
            return
        leaps = {"pageup": -_LEAP, "pagedown": _LEAP, "home": -self._recording.last, "end": self._recording.last}
        if event.key in leaps:
            self.action_step(leaps[event.key])
        elif event.key in ("up", "down"):
            self._below.scroll_relative(y=1 if event.key == "down" else -1, animate=False)
        elif event.key == "enter" and self._typed:
            self._go(int(self._typed))
        elif event.key == "backspace":
            self._type(self._typed[:-1])
        elif event.character is not None and event.character.isdecimal() and event.character.isascii():
            self._type((self._typed + event.character)[-6:])
        else:
            return
        event.stop()

    def action_help(self) -> None:
        self.read(self._words.told("Help"), Text("\n".join(replay_lines(self._words))))

    def action_step(self, steps: int) -> None:
        """Goes so many steps on."""
        self._go(self._place + steps)

    def action_look(self) -> None:
        """Looks from the next eyes."""
        self._eyes = (self._eyes + 1) % (len(self._recording.names) + 2)
        self._draw()

    def action_turn(self, matches: int) -> None:
        """Goes so many matches on."""
        self._number = (self._number + matches) % len(self._records)
        self._recording = Recording(self._records[self._number], self._words)
        self._eyes = len(self._recording.names) + 1
        self._go(0)

    def _go(self, place: int) -> None:
        self._typed, self._place = "", max(0, min(self._recording.last, place))
        self._draw()

    def _type(self, typed: str) -> None:
        self._typed = typed
        self._draw()

    @property
    def _seat(self) -> int | None:
        """Whose eyes the table is drawn from; None for everybody's, also when more is told below it."""
        return self._eyes if self._eyes < len(self._recording.names) else None

    @property
    def _all_seeing(self) -> bool:
        return self._eyes > len(self._recording.names)

    def _draw(self) -> None:
        recording, place = self._recording, self._place
        standing = self._standing()
        self._header.update(self._heading())
        self._line.update(standing)
        if recording.last < 0:
            return
        view = recording.view(place, self._seat)
        before = recording.view(place - 1, self._seat) if place else None
        self._board.show(recording.drawing, view, before, ())
        lines = recording.events(place, self._seat, all_seeing=self._all_seeing)
        hidden = recording.hidden(place) if self._all_seeing else []
        self._told.update(Text("\n").join([*(Text(line, "bold") for line in lines), *map(Text, hidden)]))
        left = self.size.height - self._board.needed.height - len(standing.plain.split("\n")) - 2
        self._below.styles.max_height = max(_FEWEST, left)
        self._below.scroll_home(animate=False)

    def _heading(self) -> Text:
        told, record = self._words.told, self._recording.record
        parts = [
            told("step {step} of {steps}", step=self._place, steps=max(0, self._recording.last)),
            told("eyes: {whose}", whose=self._whose),
            told("{number} of {count}", number=self._number + 1, count=len(self._records)),
            told("Match {match}", match=record.match_id),
        ]
        return Text(" · ".join(parts), "bold", no_wrap=True, overflow="ellipsis")

    @property
    def _whose(self) -> str:
        told = self._words.told
        if self._seat is not None:
            return self._recording.names[self._seat]
        return told("all seats") if self._all_seeing else told("spectators")

    def _standing(self) -> Text:
        """Tells whether the record is true, and at the end who won."""
        lines = [self._recording.mark]
        if self._place == self._recording.last:
            lines += self._recording.standings()
        if self._typed:
            lines.append(f"> {self._typed}")
        return Text("\n".join(lines))
