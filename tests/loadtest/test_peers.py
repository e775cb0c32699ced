"""Matches are played alike at a referee and at its peers; ratios are of the same round."""

import asyncio
import json
import shutil
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from clients.sdk import RefereeClient
from loadtest.peers.__main__ import Rounds, page, summary
from loadtest.peers.measuring import COLYSEUS, FILES, MEMORY, Sample
from loadtest.peers.players import Board, Players
from loadtest.peers.processes import HERE, Driver, PeerError, in_javascript, in_python, peer
from tests.api.harness import Referee

LENGTH = 6
WAYS = ("unary", "play", "bots", "script")


@pytest.fixture
async def address() -> AsyncIterator[str]:
    """Where a referee listens."""
    async with Referee() as running:
        yield f"127.0.0.1:{running.server.port}"


def node_modules(of: Path) -> None:
    """Skips a test where node or the packages in a folder are not installed, which is so in CI."""
    if shutil.which("node") is None:
        pytest.skip("there is no node: install nodejs and npm")
    if not (of / "node_modules").is_dir():
        pytest.skip(f"there is no {of / 'node_modules'}: run npm ci in {of}")


async def moves(address: str) -> list[int]:
    """How many moves the referee counts in each of its matches."""
    async with RefereeClient(address) as client:
        return [match.version async for match in client.list_matches()]


@pytest.mark.parametrize("way", WAYS)
async def test_players_play_their_matches_move_by_move(address: str, way: str) -> None:
    """Each move is confirmed, and counted by the referee."""
    players = Players(address, LENGTH)
    took = await asyncio.gather(*(play() for play in await getattr(players, way)(3)))
    players.leave()
    assert [len(each) for each in took] == [LENGTH] * 3
    assert min(ms for each in took for ms in each) > 0
    assert await moves(address) == [LENGTH] * 3


async def test_a_match_that_nobody_is_asked_in_is_told() -> None:
    with pytest.raises(RuntimeError, match="a match stands still after 0 of 6 moves"):
        await Board(LENGTH, patience_s=0.01).play()


def took(moves_s: float) -> Sample:
    """A sample with so many moves a second."""
    return Sample(moves_s, 1, 2, 3, 4, 5, 6, 7)


def test_ratios_are_the_median_of_those_of_each_round() -> None:
    """2/1, 9/3 and 4/4 have the median 2, which the medians of both sides, 4 and 3, would not tell."""
    samples = {(1, MEMORY): [took(1), took(3), took(4)], (1, "mine"): [took(2), took(9), took(4)]}
    mine = summary(samples)[1]
    assert (mine["moves_s"], mine["most_s"], mine[f"moves to {MEMORY}"], mine[f"cost to {MEMORY}"]) == (4, 9, 2, 1)


def test_what_is_not_there_has_no_ratio() -> None:
    (row,) = rows = summary({(64, COLYSEUS): [took(1_500)]})
    assert (row[f"moves to {FILES}"], row[f"cost to {FILES}"]) == (None, None)
    lines = page(rows).splitlines()
    assert "| 64 | Colyseus | 1,500 | 1,500 | 1.00 | 2.00 | 3 | 4 | 5 | 6 | 7 |" in lines
    assert lines[-1] == "| 64 | Colyseus |  |  | 1.00 / 1.00 |"


def test_rounds_are_added_to_those_that_were_written(tmp_path: Path) -> None:
    rounds = Rounds({(1, MEMORY): [took(7)], (64, MEMORY): [took(8)]}, [200.0], {FILES: "round 1: stalled"})
    rounds.write(tmp_path)
    assert Rounds.read(tmp_path) == rounds


def test_what_fails_has_no_figures(monkeypatch: pytest.MonkeyPatch) -> None:
    """Not even those of rounds in which it did not; nor does it have another turn."""

    def fail(*_: object) -> dict[int, Sample]:
        raise PeerError("a match stands still")

    rounds = Rounds({(1, MEMORY): [took(7)], (1, FILES): [took(8)]}, [200.0])
    monkeypatch.setattr("loadtest.peers.__main__.turn", fail)
    rounds.play([FILES], [1], 0.1)
    rounds.play([FILES], [1], 0.1)
    assert rounds.samples == {(1, MEMORY): [took(7)]}
    assert rounds.failures == {FILES: "round 2: a match stands still"}


def test_packages_are_pinned_and_come_from_wherever_npm_is_told() -> None:
    lock = (HERE / "package-lock.json").read_text()
    assert "://" not in lock
    installed = json.loads(lock)["packages"]
    pinned = json.loads((HERE / "package.json").read_text())["dependencies"]
    assert {name: installed[f"node_modules/{name}"]["version"] for name in pinned} == pinned


@pytest.mark.parametrize(("name", "filed"), [("boardgame", False), ("boardgame", True), ("colyseus", False)])
def test_a_peer_is_played_at(name: str, filed: bool) -> None:
    node_modules(HERE)
    with peer(name, LENGTH, filed) as server:
        driver = Driver(in_javascript(name, server.address, LENGTH))
        driver.seat(2)
        assert len(driver.play().took_ms) == 2 * LENGTH
        driver.end()


@pytest.mark.parametrize("way", ["unary", "play"])
async def test_the_same_driver_plays_at_a_referee(address: str, way: str) -> None:
    node_modules(HERE)
    driver = Driver(in_javascript("referee", address, LENGTH, way))
    await asyncio.to_thread(driver.seat, 2)
    played = await asyncio.to_thread(driver.play)
    await asyncio.to_thread(driver.end)
    assert len(played.took_ms) == 2 * LENGTH
    assert await moves(address) == [LENGTH] * 2


def test_players_who_fail_say_why() -> None:
    driver = Driver(in_python("unary", "127.0.0.1:1", LENGTH))
    with pytest.raises(PeerError, match="111"):
        driver.seat(1)
    driver.end()
