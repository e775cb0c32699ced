"""The command `curator organise`: orders for a tournament, whether or not its director is at work."""

import re
import shlex
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final

import click

from clients.curator.failing import failing_in_words
from clients.tournament import orders
from clients.tournament.entries import Ordered
from clients.tournament.journal import JournalError, read_entries
from clients.tournament.orders import Adjudicate, Enter, Order, OrdersError, Pause, Replace, Resume, Withdraw
from clients.tournament.plan import Entrant, Lasting
from clients.tournament.planning import PlanError, entrant_of
from clients.tournament.rulings import OrderRefusedError, pairing_for, require_active, require_newcomer
from clients.tournament.running import JOURNAL, FolderError
from clients.tournament.state import State, pairings_of, restored

_MATCH_ID: Final = re.compile("[a-z2-7]{26}")


class Tournament:
    """A tournament as its directory tells of it.

    Attributes:
        directory: where it is.
        entries: its journal, as far as it is written.
        state: what they come to.
        pending: the orders that no director has heeded yet.
    """

    def __init__(self, directory: Path) -> None:
        if not (directory / JOURNAL).exists():
            raise FolderError(f"{directory} holds no tournament: there is no {JOURNAL}")
        self.directory: Final = directory
        self.entries: Final = read_entries(directory / JOURNAL)
        if not self.entries:
            raise FolderError(f"{directory} holds a tournament that has not begun: its {JOURNAL} is empty")
        self.state: Final = restored(self.entries)
        self.pending: Final = orders.read(directory, self.state.ordered)

    def order(self, order: Order) -> None:
        """Gives an order."""
        orders.append(self.directory, order)
        click.echo("ordered: a director at work heeds it at once, or else the next --resume does")

    def require(self, allowed: Callable[[State, str], None], name: str) -> None:
        """Raises OrderRefusedError if this cannot be ordered of an entrant, and no order waits that may change that."""
        if not any(name == _concerned(order) for order in self.pending):
            allowed(self.state, name)


def _concerned(order: Order) -> str | None:
    match order:
        case Withdraw(entrant=name):
            return name
        case Enter(entrant=entrant) | Replace(entrant=entrant):
            return entrant.name
        case _:
            return None


@contextmanager
def _tournament(directory: Path) -> Iterator[Tournament]:
    with failing_in_words(FolderError, JournalError, OrderRefusedError, OrdersError, OSError):
        yield Tournament(directory)


def _ranks(context: click.Context, parameter: click.Parameter, text: str) -> tuple[int, ...]:
    if not re.fullmatch("[0-9]{1,2}(,[0-9]{1,2})*", text):
        raise click.BadParameter(f"{text!r} is not a list of places such as 1,2,2")
    ranks = tuple(map(int, text.split(",")))
    if any(rank != 1 + sum(other < rank for other in ranks) for rank in ranks):
        raise click.BadParameter(
            f"{text!r} is no ranking: equals share a place and the next is skipped, such as 1,2,2,4"
        )
    return ranks


def _command(context: click.Context, parameter: click.Parameter, text: str | None) -> list[str] | None:
    try:
        return None if text is None else shlex.split(text)
    except ValueError as error:
        raise click.BadParameter(f"{text!r} is no command: {error}") from None


def _variables(context: click.Context, parameter: click.Parameter, texts: tuple[str, ...]) -> dict[str, str] | None:
    if wrong := [text for text in texts if "=" not in text]:
        raise click.BadParameter(f"{wrong[0]!r} is not NAME=VALUE")
    return {name: value for name, _, value in (text.partition("=") for text in texts)} or None


_ENTRANT_OPTIONS: Final = (
    click.option("--bot", metavar="BOT", help="A bot: its name or FILE.py:CLASS."),
    click.option(
        "--cmd", callback=_command, metavar="COMMAND", help="A program and its arguments, quoted as in a shell."
    ),
    click.option("--principal", metavar="HEX", help="SHA-256 of the principal of one that plays from elsewhere."),
    click.option("--version", metavar="TEXT", help="Its version in records."),
    click.option("--iterations", type=int, help="Of a bot: its budget for each move."),
    click.option("--seconds", type=float, help="Of a bot: the same, in wall time."),
    click.option(
        "--lasting", type=click.Choice([str(kind) for kind in Lasting]), help="Of a command: its process's life."
    ),
    click.option(
        "--env", "environment", multiple=True, callback=_variables, metavar="NAME=VALUE", help="Of a command."
    ),
)


def _entrant_options(of: Callable[..., None]) -> Callable[..., None]:
    for option in reversed(_ENTRANT_OPTIONS):
        of = option(of)
    return of


def _entrant(tournament: Tournament, name: str, flags: Mapping[str, Any]) -> Entrant:
    stated = {"name": name} | {key: value for key, value in flags.items() if value is not None}
    try:
        return entrant_of(stated, tournament.state.plan.clocks)
    except PlanError as error:
        raise click.UsageError(f"there is no entrant in this:\n{error}") from None


@click.group(name="organise")
@click.argument("directory", metavar="DIR", type=click.Path(exists=True, file_okay=False, path_type=Path))
@click.pass_context
def organise(context: click.Context, directory: Path) -> None:
    """Gives orders for the tournament in DIR, and tells how it stands.

    Orders wait in DIR: a director that is at work heeds them at once, or else --resume does.
    """
    context.obj = directory


@organise.command()
@click.pass_obj
def pause(directory: Path, /) -> None:
    """Lets no match begin; those under way are played to their end."""
    with _tournament(directory) as tournament:
        tournament.order(Pause())


@organise.command()
@click.pass_obj
def resume(directory: Path, /) -> None:
    """Lets matches begin again."""
    with _tournament(directory) as tournament:
        tournament.order(Resume())


@organise.command()
@click.argument("name")
@click.pass_obj
def withdraw(directory: Path, /, name: str) -> None:
    """Lets an entrant take part no more; its matches that have not begun are not played."""
    with _tournament(directory) as tournament:
        tournament.require(require_active, name)
        tournament.order(Withdraw(name))


@organise.command()
@click.argument("name")
@_entrant_options
@click.pass_obj
def enter(directory: Path, /, name: str, **flags: object) -> None:
    """Lets an entrant take part from the next round on."""
    with _tournament(directory) as tournament:
        tournament.require(require_newcomer, name)
        tournament.order(Enter(_entrant(tournament, name, flags)))


@organise.command()
@click.argument("name")
@_entrant_options
@click.pass_obj
def replace(directory: Path, /, name: str, **flags: object) -> None:
    """Has an entrant played by something else from the next match on."""
    with _tournament(directory) as tournament:
        tournament.require(require_active, name)
        tournament.order(Replace(_entrant(tournament, name, flags)))


@organise.command()
@click.argument("match")
@click.option("--ranks", required=True, callback=_ranks, metavar="1,2,2", help="The place of each seat.")
@click.option("--reason", required=True, metavar="TEXT", help="Why; it stands in the report.")
@click.pass_obj
def adjudicate(directory: Path, /, match: str, ranks: tuple[int, ...], reason: str) -> None:
    """Gives a match a result, whatever the referee says.

    MATCH is its name, such as artsee/3/0/0.2/1, or its id.
    """
    with _tournament(directory) as tournament:
        if tournament.state.pairing(match) or not _MATCH_ID.fullmatch(match):  # of an id only the director may know
            pairing_for(tournament.state, match, ranks)
        tournament.order(Adjudicate(match, ranks, reason))


@organise.command()
@click.pass_obj
def status(directory: Path, /) -> None:
    """Tells how the tournament stands, and what became of the orders."""
    with _tournament(directory) as tournament:
        for line in _status(tournament):
            click.echo(line)


def _status(tournament: Tournament) -> Iterator[str]:
    state = tournament.state
    stage = "over" if state.closed else "paused" if state.paused else "under way"
    drawn = sum(1 for round_drawn in state.rounds for _ in pairings_of(round_drawn))
    yield f"{state.plan.name}: {state.plan.format.name}, {stage}"
    yield f"{len(state.rounds)} rounds, {len(state.played)} of {drawn} matches played, {len(state.cancelled)} cancelled"
    for name, known in state.roster.items():
        crashes = f", {len(known.crashes)} crashes" if known.crashes else ""
        yield f"  {name}: {known.entrant.kind}, {'withdrawn' if known.withdrawn else 'takes part'}{crashes}"
    for entry in tournament.entries:
        if isinstance(entry, Ordered):
            yield f"{_told(entry.order)}: " + (f"refused, {entry.refusal}" if entry.refusal else "heeded")
    for order in tournament.pending:
        yield f"{_told(order)}: waits for a director"
    if torn := orders.torn_bytes(tournament.directory):
        yield f"{torn} bytes at the end of {orders.FILE} are no order: whoever wrote them was killed"


def _told(order: Order) -> str:
    match order:
        case Adjudicate(match=match, ranks=ranks):
            return f"adjudicate {match} {','.join(map(str, ranks))}"
        case _:
            return " ".join(filter(None, [type(order).__name__.lower(), _concerned(order)]))
