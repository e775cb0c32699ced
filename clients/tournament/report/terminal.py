"""Final standings on a terminal."""

from collections.abc import Sequence
from typing import Final

from rich.console import Console
from rich.table import Table as Drawn
from rich.text import Text

from clients.tournament.report.page import game_title
from clients.tournament.report.subject import Subject
from clients.tournament.report.words import count, elo, elo_range, many, number, percent, percent_range, plain
from clients.tournament.statistics.standings import ADJUDICATED, FINISHED, Section, Standing, Table

_HEADINGS: Final = ("place", "entrant", "seats", "wins", "share", "95 %", "by chance", "rating", "95 %", "mean score")


def show(subject: Subject, console: Console) -> None:
    """Prints the standings of each game and of all together, who was at fault, and the verdict of an A/B test."""
    standings = subject.standings
    for section in standings.games:
        console.print(_drawn(_title(section, game_title(section.game) if section.game else ""), section.table))
    if len(standings.games) > 1:
        console.print(_drawn(_title(standings.overall, "All games"), standings.overall.table))
    if standings.overall.faultless:
        console.print(_drawn("Without those at fault", standings.overall.faultless))
    for line in (*_faults(standings.overall), *_missing(standings.overall)):
        console.print(Text(line), soft_wrap=True)
    if subject.verdict:
        verdict = subject.verdict
        console.print(Text(f"{verdict.entrant} against {verdict.opponent}: {verdict.words}"), soft_wrap=True)


def _title(section: Section, name: str) -> str:
    counts = section.counts
    deals = many(counts.counted_deals, "deal", "deals")
    return f"{name}: {many(counts.counted_matches, 'match', 'matches')} on {deals}"


def _drawn(title: str, table: Table) -> Drawn:
    drawn = Drawn(title=Text(title), title_justify="left")
    for heading in _HEADINGS:
        drawn.add_column(heading, justify="left" if heading == "entrant" else "right", no_wrap=heading != "entrant")
    for row in table.standings:
        drawn.add_row(*map(Text, _cells(row)))
    return drawn


def _cells(row: Standing) -> Sequence[str]:
    share = (percent(row.share.value), percent_range(row.share)) if row.share else ("", "")
    rating = (elo(row.rating.value), elo_range(row.rating)) if row.rating else ("", "")
    expected = "" if row.expected is None else percent(row.expected)
    score = "" if row.score is None else number(row.score)
    return str(row.place), row.entrant, count(row.seats), number(row.wins), *share, expected, *rating, score


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
