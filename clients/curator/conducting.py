"""What `curator tournament` does once it is known what is wanted."""

import click
from rich.console import Console

from clients.curator.tournament import Wanted
from clients.tournament.director import DirectorError
from clients.tournament.entries import Drawn, Ended, Entry, Ordered
from clients.tournament.journal import JournalError
from clients.tournament.keys import KeysError
from clients.tournament.ledger import Ledger
from clients.tournament.orders import OrdersError
from clients.tournament.outcome import subject_of
from clients.tournament.plan import Plan
from clients.tournament.planning.stored import differences
from clients.tournament.players import Executor, NoExecutorError, executor_at
from clients.tournament.report import live_standings, show, write_report
from clients.tournament.running import (
    FolderError,
    RulesetMissingError,
    Venue,
    begin,
    ledger_of,
    play,
    set_aside,
)
from clients.tournament.state import pairings_of


class AnotherPlanError(Exception):
    """A tournament that is to go on by another plan than it began by; the text says what differs."""


FAILURES = (
    AnotherPlanError,
    DirectorError,
    FolderError,
    JournalError,
    KeysError,
    NoExecutorError,
    OrdersError,
    RulesetMissingError,
)
"""What `conduct` raises for reasons of which a sentence tells enough, besides what comes from the referee."""


async def conduct(wanted: Wanted) -> None:
    """Begins a tournament or goes on with it, shows how it stands while it lasts, and writes the report."""
    plan = wanted.plan
    async with executor_at(wanted.dask) as executor:
        if not wanted.resume and plan is not None:
            if (aside := set_aside(wanted.out)) is not None:
                click.echo(f"the tournament that was in {wanted.out} is in {aside} now", err=True)
            begin(wanted.out, plan, executor.workers)
        with ledger_of(wanted.out) as ledger:
            if wanted.resume and plan is not None:
                _require_same(ledger.state.plan, plan)
            await _play(ledger, wanted, executor)
            subject = subject_of(wanted.out, ledger.state)
    write_report(wanted.out, subject, wanted.words)
    show(subject, Console())
    click.echo(f"records, standings and report are in {wanted.out}")


def _require_same(then: Plan, now: Plan) -> None:
    if differing := differences(then, now):
        raise AnotherPlanError(f"the tournament began by another plan: {'; '.join(differing)}")


async def _play(ledger: Ledger, wanted: Wanted, executor: Executor) -> None:
    state = ledger.state
    with live_standings(list(state.roster), Console(stderr=True)) as tally:

        def heard(entry: Entry) -> None:
            if isinstance(entry, Ended):
                tally.ended(state.played[entry.pairing])
            elif isinstance(entry, Drawn):
                tally.planned(sum(1 for drawn in state.rounds for _ in pairings_of(drawn)))
            elif isinstance(entry, Ordered) and entry.refusal:
                click.echo(f"an order was refused: {entry.refusal}", err=True)

        tally.planned(sum(1 for drawn in state.rounds for _ in pairings_of(drawn)))
        tally.before(list(state.played.values()))
        ledger.listeners.append(heard)
        await play(wanted.out, ledger, Venue(executor, wanted.address, wanted.tls, wanted.host))
