"""Snapshots and events that were once stored are read for ever."""

import random

import pytest

from tests.games.classic_art.archiving import Entry, entries, shown
from tests.games.classic_art.build import GAME
from tests.games.playouts import play_out

ENTRIES = entries()


@pytest.mark.parametrize("entry", ENTRIES)
def test_an_archived_snapshot_is_read(entry: Entry) -> None:
    """It holds what it held when it was written."""
    assert shown(GAME, GAME.decode(bytes.fromhex(entry["state"]))) == entry["shows"]


@pytest.mark.parametrize("entry", ENTRIES)
def test_archived_events_are_read(entry: Entry) -> None:
    events = GAME.decode_events(bytes.fromhex(entry["events"]))
    assert bool(events) == bool(entry["moves"])


@pytest.mark.parametrize("entry", ENTRIES)
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


def test_every_step_of_a_season_is_archived() -> None:
    """Setup, cards, prediction, the midst of sealed choices, the end."""
    phases = {GAME.decode(bytes.fromhex(entry["state"])).phase for entry in ENTRIES}
    assert phases == {1, 2, 3, 4, 5}
    assert any(max(chosen) >= 0 > min(chosen) for chosen in (_chosen(entry) for entry in ENTRIES))


def _chosen(entry: Entry) -> list[int]:
    return [GAME.view(GAME.decode(bytes.fromhex(entry["state"])), seat).chosen for seat in range(entry["seats"])]
