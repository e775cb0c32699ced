"""Snapshots and events that were once stored are read for ever."""

import random

import pytest

from referee.games.art_decko.state import Phase, State
from tests.games.art_decko.archiving import Entry, entries, shown
from tests.games.art_decko.build import GAME
from tests.games.playouts import play_out

ENTRIES = entries()


def state_of(entry: Entry) -> State:
    return GAME.decode(bytes.fromhex(entry["state"]))


@pytest.mark.parametrize("entry", ENTRIES)
def test_an_archived_snapshot_is_read(entry: Entry) -> None:
    """It holds what it held when it was written."""
    assert shown(GAME, state_of(entry)) == entry["shows"]


@pytest.mark.parametrize("entry", ENTRIES)
def test_archived_events_are_read(entry: Entry) -> None:
    events = GAME.decode_events(bytes.fromhex(entry["events"]))
    assert bool(events) == bool(entry["moves"])


@pytest.mark.parametrize("entry", ENTRIES)
def test_an_archived_match_can_be_played_to_its_end(entry: Entry) -> None:
    state = state_of(entry)
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
    assert state == state_of(entry)
    assert events == GAME.decode_events(bytes.fromhex(entry["events"]))


def test_the_present_rules_are_archived_for_every_number_of_seats() -> None:
    archived = {entry["seats"] for entry in ENTRIES if entry["rules_version"] == GAME.spec.rules_version}
    assert archived == set(GAME.spec.seats)


def test_every_step_of_a_turn_is_archived() -> None:
    """With pending powers and cards removed, and both ways in which a game ends."""
    states = [state_of(entry) for entry in ENTRIES]
    assert {state.phase for state in states} == set(Phase)
    assert any(state.discounts for state in states)
    assert any(state.invited for state in states)
    assert any(any(state.removed) and any(state.kept) and any(state.aside) for state in states)
    assert {state.capped for state in states if state.phase == Phase.OVER} == {True, False}
