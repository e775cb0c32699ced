"""Small tournaments at a referee of this process."""

from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Final

from clients.tournament.entries import Entry
from clients.tournament.ledger import Ledger
from clients.tournament.pairing import Game
from clients.tournament.plan import Entrant, Plan
from clients.tournament.players import LocalExecutor
from clients.tournament.running import Venue, ledger_of, play
from clients.tournament.state import State
from referee.api.server import Server
from referee.api.settings import Settings
from referee.games import registry
from referee.table.store import Store
from referee.table.table import Table

ALPHA: Final = Entrant("Alpha", "1", bot="random")
BETA: Final = Entrant("Beta", "1", bot="random")
GAMMA: Final = Entrant("Gamma", "1", bot="greedy")
SHORT: Final = '{"max_seasons":1}'
PAIRED: Final = Game("classic_art", 2, SHORT)


def plan_of(*entrants: Entrant, games: tuple[Game, ...] = (PAIRED,), deals: int = 2, concurrency: int = 3) -> Plan:
    """A round robin whose deals anybody may know."""
    return Plan(games=games, entrants=entrants, deals=deals, seed="a text", concurrency=concurrency)


@asynccontextmanager
async def referee_of(store: Store) -> AsyncIterator[str]:
    """A referee on a store; yields its address."""
    server = Server(Table(store, registry()), Settings(listen="127.0.0.1:0"))
    await server.start()
    try:
        yield f"127.0.0.1:{server.port}"
    finally:
        await server.stop()


async def played_on(
    folder: Path, address: str, *, until: int | None = None, heard: Callable[[Entry], None] | None = None
) -> State:
    """Plays a tournament to its end, or until so many entries were added to its journal, and no further."""
    with ledger_of(folder) as ledger:
        ledger.listeners.extend([heard] if heard else [])
        if until is None:
            await play(folder, ledger, Venue(LocalExecutor(), address))
        else:
            await _play_until(folder, ledger, address, until)
        return ledger.state


class _EnoughError(Exception):
    """Nothing more is to happen."""


async def _play_until(folder: Path, ledger: Ledger, address: str, until: int) -> None:
    left = until

    def heard(_: Entry) -> None:
        nonlocal left
        left -= 1
        if left == 0:
            raise _EnoughError

    ledger.listeners.append(heard)
    try:
        await play(folder, ledger, Venue(LocalExecutor(), address))
    except* _EnoughError:
        pass
