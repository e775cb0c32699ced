"""A tournament in its folder: begun, or gone on with where it was left."""

import secrets
from collections.abc import Iterator
from contextlib import AbstractAsyncContextManager, contextmanager, nullcontext
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from clients.local import local_referee
from clients.sdk import Principal, RefereeClient, Tls
from clients.tournament import orders
from clients.tournament.director import Director
from clients.tournament.entries import Begun, Closed, Crashed
from clients.tournament.journal import Journal
from clients.tournament.keys import Keys
from clients.tournament.ledger import Ledger, now_ms
from clients.tournament.plan import Plan
from clients.tournament.players import Executor, Players
from clients.tournament.records import Records

JOURNAL: Final = "journal.jsonl"
RECORDS: Final = "records.jsonl"
_KEY: Final = "key"
_LOGS: Final = "entrants"
_REFEREE: Final = "referee"
_REFEREE_LOG: Final = "referee.log"
_REACHED_WITHIN_S: Final = 10.0
_PATIENCE_S: Final = 600.0  # a referee elsewhere may be away for a while


class FolderError(Exception):
    """A folder in which a tournament cannot begin or go on; the text says why."""


class RulesetMissingError(Exception):
    """The referee cannot run a ruleset that is asked for."""


@dataclass(frozen=True, slots=True)
class Venue:
    """Where a tournament is played.

    Attributes:
        executor: where the entrants' processes run.
        address: HOST:PORT of the referee; None for one of the tournament's own.
        tls: how TLS is spoken with it.
        host: who creates the matches; None for a principal of the tournament's own.
    """

    executor: Executor
    address: str | None = None
    tls: Tls | None = None
    host: Principal | None = None


def begin(folder: Path, plan: Plan, processes: int = 1) -> None:
    """Makes the journal of a new tournament, in which so many processes share the matches of an entrant.

    Raises:
        FolderError: the folder holds one already.
        JournalError: another process is at work there.
    """
    folder.mkdir(parents=True, exist_ok=True)
    if (folder / RECORDS).exists():
        raise FolderError(f"{folder} holds the records of another tournament")
    with Journal(folder / JOURNAL) as journal:
        if journal.entries:
            raise FolderError(f"{folder} holds a tournament already")
        journal.append(Begun(secrets.token_hex(8), plan, now_ms(), processes))


def set_aside(folder: Path) -> Path | None:
    """Gives the folder of a tournament that is over another name, which is returned; None if it holds no tournament.

    Raises:
        FolderError: its tournament is not over.
        JournalError: its journal cannot be used.
    """
    if not (folder / JOURNAL).exists():
        return None
    with Journal(folder / JOURNAL) as journal:
        if journal.entries and not isinstance(journal.entries[-1], Closed):
            raise FolderError(f"{folder} holds a tournament that is not over: --resume goes on with it")
        beside = (folder.with_name(f"{folder.name}.{number}") for number in range(1, 1_000_000))
        return folder.rename(next(path for path in beside if not path.exists()))


@contextmanager
def ledger_of(folder: Path) -> Iterator[Ledger]:
    """Opens the ledger of a folder's tournament, which no other process can open meanwhile.

    Raises:
        FolderError: it holds none.
        JournalError: its journal cannot be used.
    """
    if not (folder / JOURNAL).exists():
        raise FolderError(f"{folder} holds no tournament: there is no {JOURNAL}")
    with Journal(folder / JOURNAL) as journal:
        if not journal.entries:
            raise FolderError(f"{folder} holds a tournament that has not begun: its {JOURNAL} is empty")
        yield Ledger(journal)


async def play(folder: Path, ledger: Ledger, venue: Venue) -> None:
    """Plays all that is left of a tournament.

    Raises:
        CallError: the referee refuses for good.
        DirectorError: the tournament cannot go on.
        LocalRefereeError: the referee of its own does not work.
        OrdersError: the file of orders is damaged.
        RulesetMissingError: the referee has not what is to be played.
    """
    if ledger.state.closed and not orders.read(folder, ledger.state.ordered):
        return
    ledger.resume()
    state, keys = ledger.state, Keys.kept(folder / _KEY, ledger.state.plan.seed)
    place: AbstractAsyncContextManager[str]
    place = nullcontext(venue.address) if venue.address else local_referee(folder / _REFEREE, folder / _REFEREE_LOG)
    async with place as address:
        await _require_rulesets(address, venue.tls, {game.ruleset for game in state.plan.games})
        players = Players(
            [entry.entrant for entry in state.roster.values() if not entry.withdrawn],
            address,
            venue.tls,
            keys.entrant,
            folder / _LOGS,
            venue.executor,
            lambda entrant, text: ledger.enter(Crashed(entrant, text, now_ms())),
            state.processes,
        )
        client = RefereeClient(address, venue.host or keys.host, timeout_s=_PATIENCE_S, tls=venue.tls)
        with Records(folder / RECORDS, state.records_size) as records:
            async with client, players:
                await Director(folder, ledger, keys, client, players, records).run()


async def _require_rulesets(address: str, tls: Tls | None, names: set[str]) -> None:
    async with RefereeClient(address, timeout_s=_REACHED_WITHIN_S, tls=tls) as client:
        offered = {ruleset.name for ruleset in await client.list_rulesets()}
    if missing := sorted(names - offered):
        raise RulesetMissingError(f"the referee at {address} has no ruleset {missing[0]!r}")
