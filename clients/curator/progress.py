"""How far a long command is: a bar on a terminal, plain lines in a pipe."""

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

from clients.tournament.standings import Played

_LINE_EVERY_S = 10.0


@contextmanager
def progress(total: int) -> Iterator[Callable[[Played], None]]:
    """Shows the progress of `total` matches on standard error; yields what is to be called with each that has ended."""
    console = Console(stderr=True)
    if console.is_terminal:
        columns = (TextColumn("matches"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
        with Progress(*columns, console=console) as bar:
            task = bar.add_task("matches", total=total)
            yield lambda _: bar.advance(task)
        return
    lines = _Lines(total)
    yield lines.ended


class _Lines:
    def __init__(self, total: int) -> None:
        self._total, self._done, self._told = total, 0, time.monotonic()

    def ended(self, _: Played) -> None:
        self._done += 1
        if self._done == self._total or time.monotonic() - self._told >= _LINE_EVERY_S:
            self._told = time.monotonic()
            sys.stderr.write(f"{self._done} of {self._total} matches\n")
