"""The journal of a tournament and what it comes to, which grow together."""

import time
from collections.abc import Callable
from typing import Final

from clients.tournament.entries import Entry, Resumed
from clients.tournament.journal import Journal
from clients.tournament.state import State, restored


class Ledger:
    """An open journal with one entry at least.

    Attributes:
        state: what all entries come to.
        listeners: called with each new entry, once the state has it.
    """

    def __init__(self, journal: Journal) -> None:
        self.state: Final[State] = restored(journal.entries)
        self.listeners: Final = list[Callable[[Entry], None]]()
        self._journal: Final = journal

    def enter(self, entry: Entry) -> None:
        """Adds an entry; when it returns a crash of the machine does not undo it."""
        self._journal.append(entry)
        self.state.add(entry)
        for listener in self.listeners:
            listener(entry)

    def resume(self) -> None:
        """Notes that a director takes over."""
        self.enter(Resumed(now_ms()))


def now_ms() -> int:
    """Returns the time, in ms since 1970."""
    return time.time_ns() // 1_000_000
