"""Final standings on a terminal."""

from collections.abc import Sequence
from typing import Final

from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.table import Table as Drawn
from rich.text import Text

from clients.tournament.report.page import game_title
from clients.tournament.report.subject import Subject
from clients.tournament.report.words import count, deals_of, elo, elo_range, matches_of, percent, percent_range, plain
from clients.tournament.statistics.standings import ADJUDICATED, FINISHED, Section, Standing, Table

_HEADINGS: Final = ("place", "entrant", "seats", "share", "95 %", "rating", "95 %")
_NAME_WIDTH: Final = 12  # at least, also where a line has but 80 characters


def show(subject: Subject, console: Console) -> None:
    """Prints the standings of each game and of all together, who was at fault, and the verdict of an A/B test."""
    standings = subject.standings
    for section in standings.games:
        console.print(_drawn(_title(section), section.table))
    if len(standings.games) > 1:
        console.print(_drawn(_title(standings.overall), standings.overall.table))
    if standings.overall.faultless:
        console.print(_drawn("Without those at fault", standings.overall.faultless))
    for line in (*_faults(standings.overall), *_missing(standings.overall)):
        console.print(Text(line), soft_wrap=True)
    if subject.verdict:
        verdict = subject.verdict
        console.print(Text(f"{verdict.entrant} against {verdict.opponent}: {verdict.told()}"), soft_wrap=True)


def _title(section: Section) -> str:
    counts, game = section.counts, section.game
    name, chance = (game_title(game), f", by chance {percent(1 / game.seats)}") if game else ("All games", "")
    return f"{name}: {matches_of(counts.counted_matches)} on {deals_of(counts.counted_deals)}{chance}"


def _drawn(title: str, table: Table) -> Drawn:
    drawn = Drawn(title=Text(title), title_justify="left", box=SIMPLE_HEAD, pad_edge=False)
    for heading in _HEADINGS:
        if heading == "entrant":
            drawn.add_column(heading, min_width=_NAME_WIDTH, overflow="fold")
        else:
            drawn.add_column(heading, justify="right", no_wrap=True)
    for row in table.standings:
        drawn.add_row(*map(Text, _cells(row)))
    return drawn


def _cells(row: Standing) -> Sequence[str]:
    share = (percent(row.share.value), percent_range(row.share)) if row.share else ("", "")
    rating = (elo(row.rating.value), elo_range(row.rating)) if row.rating else ("", "")
    return str(row.place), row.entrant, count(row.seats), *share, *rating


def _faults(section: Section) -> list[str]:
    """What each entrant was taken out for, and how often."""
    return [
        f"{conduct.entrant}: {', '.join(f'{plain(ending)} {times}' for ending, times in faults.items())}"
        for conduct in section.conducts
        if (faults := {name: times for name, times in conduct.endings.items() if name not in (FINISHED, ADJUDICATED)})
    ]


def _missing(section: Section) -> list[str]:
    """How many matches have no result, if any."""
    counts = section.counts
    if not counts.unplayed and not counts.cancelled:
        return []
    return [f"of {counts.planned} matches {counts.unplayed} have no result yet and {counts.cancelled} are cancelled"]
