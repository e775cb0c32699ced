"""report.html: one file that needs nothing else, no network and no script.

Every name and every number comes into the page through the templates, which escape it: there is no other way in.
"""

from collections import Counter
from collections.abc import Sequence
from datetime import UTC, datetime
from functools import cache, partial
from typing import Final

from jinja2 import Environment

from clients.terminal.words import Words, pages
from clients.tournament.pairing import Game
from clients.tournament.plan import Entrant, Kind
from clients.tournament.report import charts
from clients.tournament.report import words as said
from clients.tournament.report.logs import RecordFile
from clients.tournament.report.matches import listed_rounds
from clients.tournament.report.software import software
from clients.tournament.report.subject import Subject, Verdict
from clients.tournament.report.words import ENGLISH
from clients.tournament.statistics.standings import ADJUDICATED, FINISHED, HeadToHead, Section, Table
from referee.games import registry

UNDISTURBED: Final = (FINISHED, ADJUDICATED)
"""How seats end without a fault."""
_LARGEST_MATRIX: Final = 40


def page(subject: Subject, records: RecordFile, words: Words = ENGLISH) -> str:
    """Returns the report of a tournament as HTML, in a language."""
    matches = subject.matches
    return (
        _templates(words)
        .get_template("page.html")
        .render(
            subject=subject,
            plan=subject.plan,
            standings=subject.standings,
            overall=subject.standings.overall,
            began_ms=min((match.began_ms for match in matches), default=None),
            ended_ms=max((match.ended_ms for match in matches), default=None),
            written=datetime.now(UTC),
            rounds=listed_rounds(subject, records),
            cancelled=Counter(subject.cancelled.values()),
            adjudicated=[match for match in matches if match.adjudication],
            crowded=any(game.seats > 2 for game in subject.plan.games),
            software=software(subject.plan),
        )
    )


def game_title(game: Game, words: Words = ENGLISH) -> str:
    """Returns what people call a game, such as "Art Decko, 3 seats"."""
    known = registry().get(game.ruleset)
    ruleset = known.spec.title if known else game.ruleset
    title = words.told("{ruleset}, {seats} seats", ruleset=ruleset, seats=game.seats)
    if not game.options:
        return title
    return words.told("{title}, options {options}", title=title, options=game.name.rpartition("/")[2])


def matrix(table: Table) -> list[tuple[str, list[HeadToHead | None]]]:
    """Returns a row for each entrant, with an entry for each opponent in the same order; None where they never met."""
    names = [standing.entrant for standing in table.standings]
    met = {(entry.entrant, entry.opponent): entry for entry in table.head_to_head}
    return [(name, [met.get((name, opponent)) for opponent in names]) for name in names]


def endings_of(section: Section) -> list[str]:
    """Returns the ways in which seats ended, those without a fault first."""
    found = {ending for conduct in section.conducts for ending in conduct.endings}
    return [*(name for name in UNDISTURBED if name in found), *sorted(found.difference(UNDISTURBED))]


def versions(programs: Sequence[Entrant], words: Words = ENGLISH) -> str:
    """Returns the versions that played under a name, oldest first."""
    return words.told(", then ").join(program.version or words.told("no version") for program in programs)


def verdict_words(verdict: Verdict, words: Words = ENGLISH) -> str:
    """Returns the verdict of an A/B test in a sentence."""
    return verdict.told(words)


def program(entrant: Entrant, words: Words = ENGLISH) -> str:
    """Returns what plays for an entrant. The arguments and the environment of a command stay its organiser's."""
    match entrant.kind:
        case Kind.BOT:
            return words.told("the bot {bot}", bot=entrant.bot)
        case Kind.COMMAND:
            return words.told("the command {command}", command=entrant.command[0])
        case Kind.REMOTE:
            return words.told("a program elsewhere")


_FILTERS: Final = (
    *(said.count, said.number, said.decimals, said.percent, said.percent_range, said.elo, said.utc),
    *(said.duration, charts.bars, endings_of, matrix),
)
_SPEAKING: Final = (
    *(said.bounded_elo, said.elo_range, said.plain, said.ordinal, said.matches_of, said.deals_of),
    *(game_title, program, verdict_words, versions),
)
"""The filters that say something in a language."""


@cache
def _templates(language: Words) -> Environment:
    templates = pages.templates("clients.tournament.report", language)
    templates.filters.update({filter_.__name__: filter_ for filter_ in _FILTERS})
    templates.filters.update({filter_.__name__: partial(filter_, words=language) for filter_ in _SPEAKING})
    templates.globals.update(
        decades=charts.decades,
        duration=said.duration,
        elo=said.elo,
        language=language.language,
        rating_scale=charts.rating_scale,
        score_scale=charts.score_scale,
        largest_matrix=_LARGEST_MATRIX,
        number=said.number,
        share_scale=charts.share_scale,
        tick=said.tick,
        undisturbed=UNDISTURBED,
    )
    return templates
