"""How long it takes from a move to the table that shows it: `python -m tests.clients.terminal.latency [RULESET ...]`.

Plays against a bot at a referee of the terminal's own, and prints medians in ms: from when a row is taken that sends a
move to when the screen is drawn on which it has happened; and, as a floor of the same run, of a call that reads it.
"""

import asyncio
import sys
import tempfile
import time
from pathlib import Path
from statistics import median, quantiles

from textual.pilot import Pilot

from clients.terminal.app import TableApp
from clients.terminal.menu import Menu
from clients.terminal.opening import NewMatch, begun
from clients.terminal.saved import Folder
from clients.terminal.words import in_language

_MOVES = 60
_RULESETS = ("art_decko", "artsee", "classic_art")


class Timed(TableApp):
    """A screen that knows when it was drawn, and with which version of the match."""

    drawn = (0, 0.0)

    def _draw(self) -> None:
        super()._draw()
        self.call_after_refresh(self._note, self.scene.match.version)

    def _note(self, version: int) -> None:
        if version > self.drawn[0]:
            self.drawn = version, time.perf_counter()


async def _measure(ruleset: str) -> tuple[list[float], list[float]]:
    moves, calls = list[float](), list[float]()
    with tempfile.TemporaryDirectory() as home, Folder(Path(home) / "match") as folder:
        async with begun(NewMatch(ruleset, "Ada", ["greedy"]), folder) as table:
            app = Timed(table.client, table.match.match_id, 0, in_language("en"), table)
            async with app.run_test(size=(120, 40)) as pilot:
                while len(moves) < _MOVES and await is_asked(app, pilot):
                    moves.append(await take_last(app, pilot))
                    since = time.perf_counter()
                    await table.client.get_match(table.match.match_id, 0)
                    calls.append(time.perf_counter() - since)
    return moves, calls


async def is_asked(app: Timed, pilot: Pilot[None]) -> bool:
    """Waits for a question; returns whether there is one."""
    while not (app.query_one(Menu).rows and app.scene.chooser) and not app.scene.over:
        await pilot.pause()
    return not app.scene.over


async def take_last(app: Timed, pilot: Pilot[None]) -> float:
    """Takes the last row that can be taken until a move is sent, and waits until it is drawn."""
    version, decision = app.scene.match.version, app.scene.match.prompt.decision_number
    while True:
        rows = [row for row in app.query_one(Menu).rows if row.entry.open and not row.entry.checked]
        since = time.perf_counter()
        app.query_one(Menu).take(rows[-1])
        while app.query_one(Menu).highlighted is rows[-1]:
            await pilot.pause()
        if app.scene.chooser is None or app.scene.chooser.decision_number != decision:
            break
    while app.drawn[0] <= version:
        await pilot.pause()
    return app.drawn[1] - since


def main() -> None:
    """Measures, and prints."""
    for ruleset in sys.argv[1:] or _RULESETS:
        moves, calls = asyncio.run(_measure(ruleset))
        print(  # noqa: T201
            f"{ruleset}: {len(moves)} moves, median {1000 * median(moves):.0f} ms, nine in ten within "
            f"{1000 * quantiles(moves, n=10)[-1]:.0f} ms; a call {1000 * median(calls):.1f} ms; "
            f"ratio {median(moves) / median(calls):.1f}"
        )


if __name__ == "__main__":
    main()
