"""What a tournament would be: its schedule, and how long it would take."""

import os
from collections import Counter
from collections.abc import Iterator
from typing import Final

from rich.console import Console
from rich.markup import escape
from rich.table import Table

from clients.tournament.plan import Kind, Plan
from clients.tournament.planning.forecast import MOVE_S, START_S, Elsewhere, Forecast, forecast
from clients.tournament.planning.outline import Outline, outline
from clients.tournament.planning.trial import Thinking
from clients.tournament.planning.values import listed
from clients.tournament.players import executor_at

_GROUPS_SHOWN: Final = 20
_TRIALS_S: Final = 3.0


async def show(plan: Plan, dask: str | None, console: Console) -> None:
    """Prints what a plan comes to where it is to be played, after a few seconds of trials here.

    Raises:
        BotNotFoundError: a bot cannot be loaded here.
        NoExecutorError: there is no Dask cluster where one is named.
    """
    async with executor_at(dask) as executor:
        elsewhere = None if executor.cores is None else Elsewhere(executor.workers, executor.cores)
    outlined = outline(plan)
    at_most = "" if outlined.exact else " at most"
    rounds = "1 round" if outlined.rounds == 1 else f"{outlined.rounds} rounds{at_most}"
    console.print(f"{escape(plan.name)}: {plan.format.name}, {len(plan.entrants)} entrants, {rounds}")
    console.print(_games(outlined))
    console.print(_first_round(outlined))
    console.print(f"{outlined.total:,} matches{at_most}")
    for sentence in _sentences(plan, forecast(plan, outlined, _TRIALS_S, elsewhere), elsewhere):
        console.print(escape(sentence), highlight=False)


def _games(outlined: Outline) -> Table:
    groups = Counter(group.deal.game for group in outlined.first.groups)
    deals = Counter(deal.game for deal in {group.deal for group in outlined.first.groups})
    matches = Counter(group.deal.game for group in outlined.first.groups for _ in group.pairings)
    table = Table("game", title="Games; deals, groups and matches of the first round", title_justify="left")
    for heading in ("deals", "groups", "matches", "matches in all" if outlined.exact else "matches at most"):
        table.add_column(heading, justify="right")
    for game, most in outlined.matches.items():
        table.add_row(game.name, *(f"{count:,}" for count in (deals[game], groups[game], matches[game], most)))
    return table


def _first_round(outlined: Outline) -> Table:
    groups, byes = outlined.first.groups, outlined.first.byes
    more = len(groups) - _GROUPS_SHOWN
    notes = [f"and {more:,} groups more"] if more > 0 else []
    notes += [f"sitting out: {', '.join(byes)}"] if byes else []
    table = Table(
        *("deal", "matches"),
        *(f"seat {seat}" for seat in range(max(group.deal.game.seats for group in groups[:_GROUPS_SHOWN]))),
        title="The first round; who has which seat in the first match of a group",
        title_justify="left",
        caption=escape("; ".join(notes)),
        caption_justify="left",
    )
    for group in groups[:_GROUPS_SHOWN]:
        table.add_row(group.deal.name, str(len(group.pairings)), *map(escape, group.pairings[0].entrants))
    return table


def _sentences(plan: Plan, told: Forecast, elsewhere: Elsewhere | None) -> Iterator[str]:
    cores = "1 core" if told.cores == 1 else f"{told.cores} cores"
    if elsewhere is not None:
        cores = f"{elsewhere.cores} of the Dask cluster and {cores} here"
    do = "does" if cores == "1 core" else "do"
    span = f"{duration(told.least_s)} to {duration(told.most_s)}"
    yield f"about {told.decisions:,} moves, {span} on {cores} that {do} nothing else"
    if (load := os.getloadavg()[0]) > told.cores:
        yield f"this machine is busy, with a load of {load:.1f}: as long as it is, it takes longer"
    besides = f"{MOVE_S * 1000:.1f} ms a move for all but thinking, {START_S:.0f} s to start and stop"
    yield f"this rests on {besides}, and on trials here:"
    for name, thinking in told.thinking.items():
        yield f"  {name}: {_thought(thinking)}"
    if unknown := [entrant.name for entrant in plan.entrants if entrant.kind is not Kind.BOT]:
        yield f"  {listed(unknown, 'and')}: {_waiting(told)}"


def _thought(thinking: Thinking) -> str:
    if not thinking.decisions:
        return "there was no time to ask it"
    least = "at least " if thinking.cut else ""
    mean = f"{least}{thinking.seconds / thinking.decisions * 1000:.2f} ms a move in {thinking.decisions:,} moves"
    return f"{mean}; it {thinking.failure}, for which it loses its seat" if thinking.failure else mean


def _waiting(told: Forecast) -> str:
    if told.waiting_s is None:
        return "not tried, and no clock limits how long they think"
    return f"not tried; if they take all the time that the clocks give them, it lasts {duration(told.waiting_s)} longer"


def duration(seconds: float) -> str:
    """Returns a time in its two largest units."""
    whole = round(seconds)
    parts = [("d", whole // 86400), ("h", whole // 3600 % 24), ("min", whole // 60 % 60), ("s", whole % 60)]
    first = next((place for place, (_, count) in enumerate(parts) if count), 3)
    return " ".join(f"{count} {unit}" for unit, count in parts[first : first + 2] if count) or "0 s"
