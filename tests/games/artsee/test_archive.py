"""Snapshots and events that were once stored are read for ever."""

import random

import pytest

from referee.games.artsee.state import Phase
from tests.games.artsee.archiving import Entry, entries, shown
from tests.games.artsee.build import GAME
from tests.games.playouts import play_out

ENTRIES = entries()
every_entry = pytest.mark.parametrize("entry", ENTRIES)


@every_entry
def test_an_archived_snapshot_is_read(entry: Entry) -> None:
    """It holds what it held when it was written."""
    assert shown(GAME, GAME.decode(bytes.fromhex(entry["state"]))) == entry["shows"]


@every_entry
def test_archived_events_are_read(entry: Entry) -> None:
    events = GAME.decode_events(bytes.fromhex(entry["events"]))
    assert bool(events) == bool(entry["moves"])


@every_entry
def test_an_archived_match_can_be_played_to_its_end(entry: Entry) -> None:
    state = GAME.decode(bytes.fromhex(entry["state"]))
    play_out(GAME, state, random.Random(1))
    assert GAME.result(state) is not None


@pytest.mark.parametrize("entry", [entry for entry in ENTRIES if entry["rules_version"] == GAME.spec.rules_version])
def test_a_history_under_the_present_rules_leads_to_its_snapshot(entry: Entry) -> None:
    """The same seed and moves give it again; if not, the rules have changed and need a new version."""
    state = GAME.setup(entry["options"], entry["seats"], bytes.fromhex(entry["seed"]))
    events = []
    for seat, move in entry["moves"]:
        assert move in GAME.legal_moves(state, seat)
        events = GAME.play(state, seat, move)
    assert state == GAME.decode(bytes.fromhex(entry["state"]))
    assert events == GAME.decode_events(bytes.fromhex(entry["events"]))


def test_the_present_rules_are_archived_for_every_number_of_seats() -> None:
    archived = {entry["seats"] for entry in ENTRIES if entry["rules_version"] == GAME.spec.rules_version}
    assert archived == set(GAME.spec.seats)


def test_every_step_of_a_turn_is_archived() -> None:
    """The midst of sealed choices and claimed masterpieces too."""
    states = [GAME.decode(bytes.fromhex(entry["state"])) for entry in ENTRIES]
    assert {state.phase for state in states} == set(Phase)
    assert any(any(state.choices) for state in states)
    assert any(any(slots) for state in states for slots in state.slots)
