"""Tables for other programs, as CSV.

UTF-8, commas, a heading, numbers with a point, nothing where there is no value, times in ms since 1970. A text that a
spreadsheet might take for a formula, because it begins with one of = + - @ or with white space, has a ' before it; so
has one that begins with ' itself, so that taking one ' off the beginning gives every text back.
"""

import csv
from collections.abc import Iterable, Iterator, Mapping, Sequence
from io import StringIO
from typing import Final

from clients.tournament.report.subject import Subject
from clients.tournament.results import Played
from clients.tournament.statistics.standings import Distribution, Estimate, Section, Table

Cell = str | int | float | None
Row = Sequence[Cell]
Versions = Mapping[str, Sequence[str]]

ALL_GAMES: Final = "all"
_FORMULA: Final = (
    "=+-@'\t\r\n \N{FULLWIDTH EQUALS SIGN}\N{FULLWIDTH PLUS SIGN}\N{FULLWIDTH HYPHEN-MINUS}\N{FULLWIDTH COMMERCIAL AT}"
)


def tables(subject: Subject, versions: Versions) -> dict[str, str]:
    """Returns the text of each table by the name of its file.

    Args:
        subject: the tournament.
        versions: the version that played each seat, by match id, where it is known.
    """
    sections = [*subject.standings.games, subject.standings.overall]
    return {
        "matches.csv": csv_text(_MATCHES, _matches(subject, versions)),
        "standings.csv": csv_text(_STANDINGS, _standings(sections)),
        "head_to_head.csv": csv_text(_HEAD_TO_HEAD, _head_to_head(sections)),
        "seats.csv": csv_text(_SEATS, _seats(sections)),
        "endings.csv": csv_text(_ENDINGS, _endings(sections)),
        "times.csv": csv_text(_TIMES, _times(sections)),
    }


def csv_text(heading: Row, rows: Iterable[Row]) -> str:
    """Returns a table as CSV."""
    file = StringIO()
    writer = csv.writer(file, lineterminator="\n")
    writer.writerows([_harmless(cell) for cell in row] for row in (heading, *rows))
    return file.getvalue()


def _harmless(cell: Cell) -> Cell:
    return f"'{cell}" if isinstance(cell, str) and cell.startswith(tuple(_FORMULA)) else cell


def game_name(section: Section) -> str:
    """Returns the name of a section's game, or "all"."""
    return section.game.name if section.game else ALL_GAMES


# --- matches ---

_MATCHES: Final = (
    *(
        "pairing",
        "match_id",
        "game",
        "deal",
        "round",
        "table",
        "rotation",
        "seat",
        "entrant",
        "version",
        "rank",
        "score",
    ),
    *("cause", "share", "reason", "adjudication", "began_ms", "ended_ms", "duration_ms"),
)


def _matches(subject: Subject, versions: Versions) -> Iterator[Row]:
    """Yields a row for each seat; the entrant's name is that of the seat, never of a place."""
    for match in subject.matches:
        pairing = match.pairing
        known = versions.get(match.match_id) or [_only_version(subject, name) for name in pairing.entrants]
        for seat, (name, version, result, share) in enumerate(
            zip(pairing.entrants, known, match.seats, match.shares, strict=True)
        ):
            yield (
                *(pairing.name, match.match_id, pairing.deal.game.name, pairing.deal.name),
                *(pairing.round, pairing.table, pairing.rotation, seat, name, version),
                *(result.rank, result.score, result.cause, share, *_end(match)),
            )


def _end(match: Played) -> Row:
    return match.reason, match.adjudication, match.began_ms, match.ended_ms, match.ended_ms - match.began_ms


def _only_version(subject: Subject, name: str) -> str:
    """The version of whoever always played under a name; empty if it was replaced."""
    versions = {program.version for program in subject.programs[name]}
    return versions.pop() if len(versions) == 1 else ""


# --- standings ---

_STANDINGS: Final = (
    *("game", "entrants", "place", "entrant", "seats", "wins", "share", "share_low", "share_high", "expected_share"),
    *("mean_rank", "rating", "rating_low", "rating_high", "mean_score", "faults"),
)


def _standings(sections: Iterable[Section]) -> Iterator[Row]:
    for section, among, table in _rankings(sections):
        for row in table.standings:
            yield (
                *(game_name(section), among, row.place, row.entrant, row.seats, row.wins, *_estimate(row.share)),
                *(row.expected, row.rank, *_estimate(row.rating), row.score, row.faults),
            )


_HEAD_TO_HEAD: Final = (
    *(
        "game",
        "entrants",
        "entrant",
        "opponent",
        "matches",
        "seats",
        "wins",
        "share",
        "share_low",
        "share_high",
        "ahead",
    ),
)


def _head_to_head(sections: Iterable[Section]) -> Iterator[Row]:
    for section, among, table in _rankings(sections):
        for row in table.head_to_head:
            counts = (row.matches, row.seats, row.wins, *_estimate(row.share), row.ahead)
            yield game_name(section), among, row.entrant, row.opponent, *counts


_SEATS: Final = ("game", "entrants", "seat", "matches", "wins", "share", "share_low", "share_high")


def _seats(sections: Iterable[Section]) -> Iterator[Row]:
    for section, among, table in _rankings(sections):
        for row in table.seat_advantages:
            yield game_name(section), among, row.seat, row.matches, row.wins, *_estimate(row.share)


def _rankings(sections: Iterable[Section]) -> Iterator[tuple[Section, str, Table]]:
    for section in sections:
        yield section, "all", section.table
        if section.faultless:
            yield section, "faultless", section.faultless


def _estimate(estimate: Estimate | None) -> Row:
    return (estimate.value, estimate.low, estimate.high) if estimate else (None, None, None)


# --- conduct ---

_ENDINGS: Final = ("game", "entrant", "ending", "seats")


def _endings(sections: Iterable[Section]) -> Iterator[Row]:
    for section in sections:
        for conduct in section.conducts:
            for ending, count in conduct.endings.items():
                yield game_name(section), conduct.entrant, ending, count


_TIMES: Final = (
    "game",
    "entrant",
    "moves",
    "mean_ms",
    "least_ms",
    "quartile_ms",
    "median_ms",
    "upper_ms",
    "greatest_ms",
)


def _times(sections: Iterable[Section]) -> Iterator[Row]:
    for section in sections:
        for conduct in section.conducts:
            if conduct.thinking_ms:
                yield game_name(section), conduct.entrant, *_distribution(conduct.thinking_ms)


def _distribution(distribution: Distribution) -> Row:
    return distribution.count, distribution.mean, *distribution.quantiles
