"""What open matches take in the store: `python -m loadtest.memory`.

Matches are dealt and half of a shortest match is played in them at random, every seat by a principal of its own. The
log grows with each move, so it stands apart; the rest does not.
"""

import asyncio
import random
import secrets
from typing import Final

import click
from rich.console import Console
from rich.table import Table as Grid

from loadtest.processes import empty_store
from referee.core.game import AnyGame
from referee.games import registry
from referee.store.books import RedisBooks
from referee.table.clocks import Terms
from referee.table.deal import Creation
from referee.table.ids import Principal
from referee.table.snapshot import SeatHead
from referee.table.table import Table
from referee.table.transitions import ById

MOVES: Final = 50
_TERMS: Final = Terms(move_ms=3_600_000, bank_ms=36_000_000, increment_ms=1_000, margin_ms=100)  # that last all of it


async def measure(url: str, game: AnyGame, seats: int, matches: int) -> dict[str, float]:
    """Returns the bytes that a match takes, by kind of key, in a store that was empty."""
    books = RedisBooks(url)
    try:
        table = Table(books, registry())
        for number in range(matches):
            await _play(table, game, seats, random.Random(number))
        return {kind: use.bytes / matches for kind, use in (await books.usage()).items() if kind != "other"}
    finally:
        await books.close()


async def _play(table: Table, game: AnyGame, seats: int, rng: random.Random) -> None:
    players = [Principal(secrets.token_bytes(32)) for _ in range(seats)]
    sitting = tuple(SeatHead(player, f"Player {seat + 1}", "greedy", "1") for seat, player in enumerate(players))
    creation = Creation(game.spec.name, {}, sitting, rng.randbytes(32), False, "deal", terms=_TERMS)
    host = Principal(secrets.token_bytes(32))
    snapshot = await table.create(host, "request", creation)
    for number in range(MOVES):
        seat = snapshot.to_act()[0]
        move = rng.choice(game.legal_moves(snapshot.state, seat))
        decision = snapshot.course.seats[seat].decisions
        _, snapshot = await table.submit(
            players[seat], snapshot.match_id, f"{number:032}", seat, decision, [ById(move)]
        )


@click.command()
@click.option("--matches", default=500, show_default=True, help="Open matches of each kind.")
def main(matches: int) -> None:
    """Measures what open matches take in the store."""
    console = Console(width=120)
    grid = Grid(title=f"Bytes a match in the store, after {MOVES} moves", title_justify="left")
    for heading in ("ruleset", "seats", "match", "inboxes", "indexes", "all but the log", "log"):
        grid.add_column(heading, justify="left" if heading == "ruleset" else "right")
    for name, game in registry().items():
        for seats in game.spec.seats:
            with empty_store() as url:
                usage = asyncio.run(measure(url, game, seats, matches))
            log, match, inboxes = usage.pop("log"), usage.pop("match"), usage.pop("inbox")
            indexes = sum(usage.values())
            row = (match, inboxes, indexes, match + inboxes + indexes, log)
            grid.add_row(name, str(seats), *(f"{size:,.0f}" for size in row))
    console.print(grid)


if __name__ == "__main__":
    main()
