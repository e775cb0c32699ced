"""Standings while a tournament lasts: drawn anew on a terminal that can, plain lines elsewhere."""

import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from datetime import datetime, timedelta
from threading import Lock
from typing import Final

from rich.console import Console, Group, RenderableType
from rich.live import Live
from rich.padding import Padding
from rich.progress_bar import ProgressBar
from rich.table import Table
from rich.text import Text

from clients.tournament.report.words import percent
from clients.tournament.results import Played

_LINE_EVERY_S: Final = 10.0
_LINES_BESIDE: Final = 6  # what is drawn besides the ranking

Clock = Callable[[], float]


@contextmanager
def live_standings(entrants: Sequence[str], console: Console, clock: Clock = time.monotonic) -> Iterator["Tally"]:
    """Shows how far a tournament is, and who leads; yields what is to be told of it.

    Args:
        entrants: the names of those who take part from the beginning.
        console: where; other output to it appears above what is drawn.
        clock: seconds that only grow.
    """
    if not console.is_interactive:
        yield _Lines(entrants, console, clock)
        return
    screen = _Screen(entrants, console, clock)
    with Live(screen, console=console, refresh_per_second=4, transient=True):
        yield screen


class Tally:
    """What matches come to, in a few additions each: all that have ended count, also those of deals that are not whole.

    Attributes:
        done: how many matches have ended.
    """

    def __init__(self, entrants: Sequence[str], console: Console, clock: Clock) -> None:
        self.done = 0
        self._planned, self._before = 0, 0
        self._wins, self._seats = dict.fromkeys(entrants, 0.0), dict.fromkeys(entrants, 0)
        self._console, self._clock, self._began = console, clock, clock()
        self._lock: Final = Lock()  # it is drawn in a thread of its own

    def planned(self, matches: int) -> None:
        """So many matches are planned by now, those included that have ended."""
        with self._lock:
            self._planned = matches

    def before(self, matches: Sequence[Played]) -> None:
        """These ended before this run; they tell nothing of its pace."""
        with self._lock:
            self._before += len(matches)
            for match in matches:
                self._count(match)

    def ended(self, match: Played) -> None:
        """A match has ended."""
        with self._lock:
            self._count(match)

    def ranking(self) -> list[tuple[str, float | None]]:
        """Returns entrants and their wins a seat played, the best first, those without a match last."""
        shares = [(name, self._wins[name] / seats if seats else None) for name, seats in self._seats.items()]
        return sorted(shares, key=lambda row: (row[1] is None, -(row[1] or 0.0), row[0]))

    def sentence(self) -> str:
        """Returns how far it is, how fast in this run, and until when at this pace."""
        words = f"{self.done} of {self._planned} matches"
        elapsed, mine = self._clock() - self._began, self.done - self._before
        if not mine or elapsed <= 0:
            return words
        words += f", {mine / elapsed * 60:.0f} a minute"
        if self.done >= self._planned:
            return words
        left = timedelta(seconds=round((self._planned - self.done) * elapsed / mine))
        return f"{words}, {left} left, until about {datetime.now() + left:%a %H:%M}"

    def _count(self, match: Played) -> None:
        self.done += 1
        for name, share in zip(match.pairing.entrants, match.shares, strict=True):
            self._wins[name] = self._wins.get(name, 0.0) + share
            self._seats[name] = self._seats.get(name, 0) + 1


class _Lines(Tally):
    _told = float("-inf")

    def ended(self, match: Played) -> None:
        super().ended(match)
        now = self._clock()
        if self.done >= self._planned or now - self._told >= _LINE_EVERY_S:
            self._told = now
            self._console.print(Text(self.sentence()), soft_wrap=True)


class _Screen(Tally):
    def __rich__(self) -> RenderableType:
        with self._lock:
            bar = Padding(ProgressBar(total=max(self._planned, 1), completed=self.done), 0)  # which ends its line
            return Group(bar, Text(self.sentence()), self._table())

    def _table(self) -> Table:
        table = Table(box=None, pad_edge=False, header_style="dim")
        table.add_column("so far", no_wrap=True)
        table.add_column("win share", justify="right")
        table.add_column("seats played", justify="right")
        ranking = self.ranking()
        shown = ranking[: max(self._console.height - _LINES_BESIDE, 1)]
        for name, share in shown:
            table.add_row(Text(name), "" if share is None else percent(share), str(self._seats[name]))
        if len(shown) < len(ranking):
            table.add_row(Text(f"and {len(ranking) - len(shown)} more", style="dim"))
        return table
