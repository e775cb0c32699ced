"""report.html: one file that needs nothing else, no network and no script.

Every name and every number comes into the page through the templates, which escape it: there is no other way in.
"""

from collections import Counter
from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Final

from jinja2 import Environment, PackageLoader, StrictUndefined

from clients.tournament.pairing import Game
from clients.tournament.plan import Entrant, Kind
from clients.tournament.report import charts, words
from clients.tournament.report.logs import RecordFile
from clients.tournament.report.matches import listed_rounds
from clients.tournament.report.software import software
from clients.tournament.report.subject import Subject
from clients.tournament.statistics.standings import ADJUDICATED, FINISHED, HeadToHead, Section, Table
from referee.games import registry

UNDISTURBED: Final = (FINISHED, ADJUDICATED)
"""How seats end without a fault."""
_LARGEST_MATRIX: Final = 40


def page(subject: Subject, records: RecordFile) -> str:
    """Returns the report of a tournament as HTML."""
    matches = subject.matches
    return _TEMPLATES.get_template("page.html").render(
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


def game_title(game: Game) -> str:
    """Returns what people call a game, such as "Art Decko, 3 seats"."""
    known = registry().get(game.ruleset)
    title = f"{known.spec.title if known else game.ruleset}, {game.seats} seats"
    return f"{title}, options {game.name.rpartition('/')[2]}" if game.options else title


def matrix(table: Table) -> list[tuple[str, list[HeadToHead | None]]]:
    """Returns a row for each entrant, with an entry for each opponent in the same order; None where they never met."""
    names = [standing.entrant for standing in table.standings]
    met = {(entry.entrant, entry.opponent): entry for entry in table.head_to_head}
    return [(name, [met.get((name, opponent)) for opponent in names]) for name in names]


def endings_of(section: Section) -> list[str]:
    """Returns the ways in which seats ended, those without a fault first."""
    found = {ending for conduct in section.conducts for ending in conduct.endings}
    return [*(name for name in UNDISTURBED if name in found), *sorted(found.difference(UNDISTURBED))]


def versions(programs: Sequence[Entrant]) -> str:
    """Returns the versions that played under a name, oldest first."""
    return ", then ".join(program.version or "no version" for program in programs)


def program(entrant: Entrant) -> str:
    """Returns what plays for an entrant. The arguments and the environment of a command stay its organiser's."""
    match entrant.kind:
        case Kind.BOT:
            return f"the bot {entrant.bot}"
        case Kind.COMMAND:
            return f"the command {entrant.command[0]}"
        case Kind.REMOTE:
            return "a program elsewhere"


_TEMPLATES: Final = Environment(
    loader=PackageLoader("clients.tournament.report"),
    autoescape=True,
    undefined=StrictUndefined,
    trim_blocks=True,
    lstrip_blocks=True,
)
_FILTERS: Final = (
    *(words.count, words.many, words.number, words.decimals, words.percent, words.percent_range),
    *(words.elo, words.bounded_elo, words.elo_range, words.utc, words.duration, words.plain, words.ordinal),
    *(charts.bars, endings_of, game_title, matrix, program, versions),
)
_TEMPLATES.filters.update({filter_.__name__: filter_ for filter_ in _FILTERS})
_TEMPLATES.globals.update(
    decades=charts.decades,
    duration=words.duration,
    elo=words.elo,
    rating_scale=charts.rating_scale,
    score_scale=charts.score_scale,
    largest_matrix=_LARGEST_MATRIX,
    number=words.number,
    share_scale=charts.share_scale,
    tick=words.tick,
    undisturbed=UNDISTURBED,
)
