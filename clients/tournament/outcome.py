"""What a tournament has come to, from its state and its records."""

from pathlib import Path

import msgspec

from clients.tournament.formats import ab
from clients.tournament.plan import FormatName
from clients.tournament.report import Subject, Verdict
from clients.tournament.running import RECORDS
from clients.tournament.state import State
from clients.tournament.statistics.summary import Facts, standings
from clients.tournament.statistics.thinking import ThinkingTimes
from referee.wire.record import RecordError


def subject_of(folder: Path, state: State) -> Subject:
    """Returns what there is to be reported.

    Raises:
        RecordError: the records file holds something else.
    """
    facts = Facts(
        entrants=list(state.roster),
        rounds=state.results(),
        played=state.played,
        withdrawn=frozenset(name for name, entry in state.roster.items() if entry.withdrawn),
        cancelled=state.cancelled.keys(),
        thinking=_thinking(folder / RECORDS, state),
        independent_deals=state.plan.independent_deals,
    )
    return Subject(
        plan=state.plan,
        programs={name: (*entry.earlier, entry.entrant) for name, entry in state.roster.items()},
        standings=standings(facts),
        rounds=state.rounds,
        played=state.played,
        cancelled=state.cancelled,
        crashes={name: entry.crashes for name, entry in state.roster.items() if entry.crashes},
        verdict=_verdict(state) if state.plan.format.name is FormatName.AB else None,
    )


def _verdict(state: State) -> Verdict:
    tested, opponent = state.plan.entrants
    outcome = ab.outcome(state.plan, state.results())
    shares = (0.0 if outcome.mean is None else outcome.mean, outcome.low, outcome.high)
    mean, low, high = map(ab.elo_of, shares)
    return Verdict(tested.name, opponent.name, outcome, (mean, low, high))


def _thinking(records: Path, state: State) -> ThinkingTimes:
    pairings = {played.match_id: played.pairing for played in state.played.values()}
    try:
        with records.open("rb") as lines:
            return ThinkingTimes.of_records(lines, pairings)
    except (KeyError, msgspec.MsgspecError) as error:
        raise RecordError(f"{records} holds something else than the matches of this tournament: {error}") from None
