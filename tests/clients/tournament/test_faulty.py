"""Entrants with one fault each in a tournament: each has its cause in the report, and nobody else suffers."""

import json
import re
import sys
from collections import Counter
from collections.abc import AsyncIterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Final

import pytest

from clients.tournament.outcome import subject_of
from clients.tournament.plan import Clocks, Entrant, Format, FormatName, Kind, Lasting
from clients.tournament.report import write_report
from clients.tournament.running import begin, ledger_of
from tests.clients.tournament import faulty
from tests.clients.tournament.accounts import Match, matches_of
from tests.clients.tournament.staged import ALPHA, BETA, GAMMA, plan_of, played_on
from tests.servers import referee_process, store_server, usual_server

SOUND: Final = (ALPHA, GAMMA, BETA)
RATE: Final = 100  # calls a second of a principal
ENDINGS: Final = {
    "sleeper": "TIMED_OUT",
    "staller": "TIMED_OUT",
    "silent_stream": "TIMED_OUT",
    "garbage_sender": "TIMED_OUT",
    "illegal_mover": "ILLEGAL_MOVES",
    "Raising": "RESIGNED",
    "Crashing": "RESIGNED or TIMED_OUT",
    "absent": "TIMED_OUT",
    "retrier": "FINISHED",
    "duplicate_sender": "FINISHED",
    "stale_sender": "FINISHED",
    "interrupter": "FINISHED",
    "leaver": "FINISHED",
    "flooder": "FINISHED or TIMED_OUT",
}
"""How the matches of each faulty entrant end for it.

One that crashes has its seats given up at the third time, if that comes before its time is up. One that floods may
drown its own answers.
"""


@dataclass(frozen=True)
class Outcome:
    """A tournament that has been played: its folder, and standings.json."""

    folder: Path
    standings: Mapping[str, Any]


def entrant_of(name: str) -> Entrant:
    """The faulty entrant of a name."""
    if name == "absent":
        return Entrant(name, kind=Kind.REMOTE, principal_hash="ab" * 32)
    if hasattr(faulty, name):
        return Entrant(name, bot=f"{faulty.__file__}:{name}")
    command = (sys.executable, "-m", "tests.clients.tournament.faulty", name)
    return Entrant(name, kind=Kind.COMMAND, command=command, lasting=Lasting.MATCH)


@pytest.fixture(scope="module")
async def outcomes(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Mapping[str, Outcome]]:
    """A gauntlet of two sound entrants through another one and all faulty ones, and the same without these."""
    home = tmp_path_factory.mktemp("faulty")
    plan = replace(
        plan_of(*SOUND, deals=1, concurrency=8),
        clocks=Clocks(move_limit_ms=4_000, margin_ms=500, illegal_moves=2),
        format=Format(FormatName.GAUNTLET, champions=(ALPHA.name, GAMMA.name)),
    )
    plans = {"with": replace(plan, entrants=(*SOUND, *map(entrant_of, ENDINGS))), "without": plan}
    limit = "--call-rate", str(RATE)
    with store_server(usual_server()) as store, referee_process(home / "log", "--redis", store.url, *limit) as referee:
        for name, each in plans.items():
            begin(home / name, each)
            await played_on(home / name, referee.address)
            with ledger_of(home / name) as ledger:
                write_report(home / name, subject_of(home / name, ledger.state))
        yield {name: Outcome(home / name, json.loads((home / name / "standings.json").read_text())) for name in plans}


@pytest.mark.parametrize("name", ENDINGS)
def test_each_has_its_cause_in_the_standings(outcomes: Mapping[str, Outcome], name: str) -> None:
    """In each of its four matches: two champions, two rotations."""
    endings = endings_in(outcomes["with"])
    assert sum(endings[name].values()) == 4
    assert endings[name].keys() <= set(ENDINGS[name].split(" or "))


def test_the_sound_ones_finish_every_match(outcomes: Mapping[str, Outcome]) -> None:
    """The champions in two rotations against each of the others, these against both of them."""
    endings = endings_in(outcomes["with"])
    matches = {ALPHA.name: 2 * len(ENDINGS) + 2, GAMMA.name: 2 * len(ENDINGS) + 2, BETA.name: 4}
    assert {name: endings[name] for name in matches} == {name: {"FINISHED": count} for name, count in matches.items()}


def test_matches_of_sound_entrants_are_those_of_a_tournament_without_the_faulty(
    outcomes: Mapping[str, Outcome],
) -> None:
    """Move by move."""
    sound = {entrant.name for entrant in SOUND}
    kept = Counter[Match](match for match in matches_of(outcomes["with"].folder) if sound.issuperset(match.entrants))
    assert kept == matches_of(outcomes["without"].folder)
    assert kept.total() == 4


def test_standings_are_shown_with_and_without_the_faulty(outcomes: Mapping[str, Outcome]) -> None:
    """Those who were never taken out are ranked by the matches among themselves, too."""
    overall = outcomes["with"].standings["standings"]["overall"]
    finishing = {name for name, endings in endings_in(outcomes["with"]).items() if endings.keys() == {"FINISHED"}}
    assert {row["entrant"] for row in overall["table"]["standings"]} == {*ENDINGS, *(each.name for each in SOUND)}
    assert {row["entrant"] for row in overall["faultless"]["standings"]} == finishing
    assert outcomes["without"].standings["standings"]["overall"]["faultless"] is None


@pytest.mark.parametrize("name", [name for name, ending in ENDINGS.items() if "FINISHED" not in ending])
def test_each_has_its_cause_in_the_report(outcomes: Mapping[str, Outcome], name: str) -> None:
    """At each of its matches."""
    page = (outcomes["with"].folder / "report.html").read_text()
    summaries = [re.sub(r"<[^>]+>", " ", text) for text in re.findall(r"<summary>.*?</summary>", page, re.DOTALL)]
    causes = "|".join(ENDINGS[name].replace("_", " ").lower().split(" or "))
    assert len([text for text in summaries if re.search(rf"\b{name}\s+2nd\s+({causes})\b", text)]) == 4


def endings_in(outcome: Outcome) -> Mapping[str, Mapping[str, int]]:
    """How often each entrant's seats ended each way."""
    conducts = outcome.standings["standings"]["overall"]["conducts"]
    return {conduct["entrant"]: conduct["endings"] for conduct in conducts}
