"""The files of a tournament: records.jsonl, standings.json, report.html."""

import json
from collections.abc import Sequence
from dataclasses import asdict
from html import escape
from pathlib import Path
from typing import IO, Final

from artreferee.v1 import record_pb2
from clients.tournament.old_director import Plan
from clients.tournament.standings import Pace, Section
from referee.wire.record import canonical_json

RECORDS: Final = "records.jsonl"
STANDINGS: Final = "standings.json"
REPORT: Final = "report.html"

_STYLE: Final = """
body { font: 16px/1.5 system-ui, sans-serif; max-width: 60rem; margin: 2rem auto; padding: 0 1rem; color: #222; }
h1, h2 { font-weight: 600; }
table { border-collapse: collapse; width: 100%; margin: 1rem 0 2rem; }
th, td { padding: .4rem .8rem; text-align: right; border-bottom: 1px solid #ddd; }
th:first-child, td:first-child { text-align: left; }
.bar { position: relative; height: 1rem; min-width: 12rem; background: #eee; }
.bar i { position: absolute; top: 0; bottom: 0; background: #b9c9df; }
.bar b { position: absolute; top: 0; bottom: 0; width: 2px; background: #234; }
.bar u { position: absolute; top: -3px; bottom: -3px; width: 1px; background: #c33; }
"""


def write_record(file: IO[str], record: record_pb2.MatchRecord) -> None:
    """Appends a record as one line."""
    file.write(canonical_json(record) + "\n")
    file.flush()


def write_standings(
    directory: Path, plan: Plan, practice: bool, sections: Sequence[Section], paces: Sequence[Pace]
) -> None:
    """Writes standings.json and report.html."""
    standings = {
        "practice": practice,
        "entrants": [asdict(entrant) for entrant in plan.entrants],
        "matches": plan.matches,
        "paces": [asdict(pace) for pace in paces],
        "sections": [asdict(section) for section in sections],
    }
    (directory / STANDINGS).write_text(json.dumps(standings, indent=2, sort_keys=True) + "\n")
    (directory / REPORT).write_text(report(plan, practice, sections))


def report(plan: Plan, practice: bool, sections: Sequence[Section]) -> str:
    """Returns the report as one page that needs nothing else."""
    names = ", ".join(escape(f"{entrant.name} {entrant.version}") for entrant in plan.entrants)
    note = " Practice: the deals derive from a known text." if practice else ""
    tables = "".join(_table(section) for section in sections)
    return (
        f'<!doctype html><html lang="en"><meta charset="utf-8"><title>Tournament</title><style>{_STYLE}</style>'
        f"<h1>Tournament</h1><p>{names}: {plan.matches} matches, every deal in every seat rotation.{note}</p>{tables}"
        f"<p>Share: wins a seat played, a win shared by k counting 1/k. The band is the 95 % bootstrap interval "
        f"over deals, the red line what chance gives.</p></html>\n"
    )


def _table(section: Section) -> str:
    rows = "".join(
        f"<tr><td>{escape(row.entrant)}</td><td>{row.seats_played}</td><td>{row.wins:.1f}</td><td>{row.share:.1%}</td>"
        f"<td>{row.low:.1%} to {row.high:.1%}</td><td>{'' if row.score is None else f'{row.score:.1f}'}</td>"
        f'<td><div class="bar"><i style="left:{row.low:.1%};width:{row.high - row.low:.1%}"></i>'
        f'<b style="left:{row.share:.1%}"></b><u style="left:{1 / section.seats:.1%}"></u></div></td></tr>'
        for row in section.standings
    )
    reasons = ", ".join(f"{count} {escape(reason)}" for reason, count in section.reasons.items())
    return (
        f"<h2>{escape(section.ruleset)}, {section.seats} seats</h2>"
        f"<p>{section.matches} matches on {section.deals} deals: {reasons}.</p>"
        f"<table><tr><th>Entrant</th><th>Seats played</th><th>Wins</th><th>Share</th><th>95 %</th><th>Mean score</th>"
        f"<th>Share</th></tr>{rows}</table>"
    )
