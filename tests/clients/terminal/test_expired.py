"""Matches that have not waited for whoever left them: a sentence tells so, and nothing stands in the way of another."""

import json
import re
from pathlib import Path

import pytest

from artreferee.v1 import error_pb2, match_pb2
from clients.sdk import CallError, Principal, RefereeClient
from tests.clients.terminal.terminals import LEAVE, WITHIN_S, Terminal, curator
from tests.servers import RefereeProcess, eventually, referee_process

QUICK = ("--opponents", "greedy", "--name", "Ada")


def saved(home: Path) -> list[Path]:
    return list((home / "curator" / "matches").glob("*/match.json"))


def left(terminal: Terminal, home: Path) -> str:
    """Closes a terminal in mid-match, and returns the match's id."""
    terminal.wait_for("F1 Help")
    terminal.wait_for("Round 1")
    (file,) = saved(home)
    terminal.close()
    return str(json.loads(file.read_text())["match_id"])


async def until_over(referee: RefereeProcess, match_id: str) -> None:
    async with RefereeClient(referee.address, Principal.new()) as client:

        async def over() -> bool:
            return (await client.get_match(match_id)).status == match_pb2.MATCH_STATUS_FINISHED

        await eventually(over, WITHIN_S)


async def until_deleted(referee: RefereeProcess, match_id: str) -> None:
    async with RefereeClient(referee.address, Principal.new()) as client:

        async def deleted() -> bool:
            try:
                await client.get_match(match_id)
            except CallError as error:
                return error.reason == error_pb2.ERROR_REASON_MATCH_NOT_FOUND
            return False

        await eventually(deleted, WITHIN_S)


@pytest.mark.parametrize("plain", [False, True])
async def test_time_that_ran_out_meanwhile_is_told_with_the_places(tmp_path: Path, plain: bool) -> None:
    """Who comes back sees how the match ended, and has no unfinished one any more."""
    home = tmp_path / "home"
    with referee_process(tmp_path / "referee.log", "--data", str(tmp_path / "data")) as referee:
        command = ("play", "artsee", *QUICK, "--move-limit", "6000", "--referee", referee.address)
        with curator(*command, home=home) as terminal:
            match_id = left(terminal, home)
        await until_over(referee, match_id)
        with curator("play", *(["--plain"] if plain else []), home=home) as terminal:
            if not plain:
                terminal.wait_for("The match is over.")
                terminal.type(LEAVE)
            else:
                for question in ("Write its record into a file? [y/N]", "Another match? [y/N]"):
                    terminal.wait_for(question)
                    terminal.type("n\r")
            assert terminal.wait_for_end() == 0
            assert re.search(r"2\. .*\(ran out of time\)", terminal.text)
            assert "All others are out." in terminal.text
        assert saved(home) == []


@pytest.mark.parametrize("plain", [False, True])
async def test_a_match_that_its_referee_has_deleted_is_told_of_and_forgotten(tmp_path: Path, plain: bool) -> None:
    """A sentence, once; then another match can be begun."""
    home, day = tmp_path / "home", ("--idle-hours", "0.002", "--retention-hours", "0.002")
    with referee_process(tmp_path / "referee.log", "--data", str(tmp_path / "data"), *day) as referee:
        with curator("play", "artsee", *QUICK, "--referee", referee.address, home=home) as terminal:
            match_id = left(terminal, home)
        await until_deleted(referee, match_id)
        again = ("play", *(["--plain"] if plain else []))
        with curator(*again, home=home) as terminal:
            assert terminal.wait_for_end() == 1
            assert "There is no such match, or no more" in terminal.text
            assert "Traceback" not in terminal.text
        assert saved(home) == []
        with curator(*again, home=home) as terminal:
            assert terminal.wait_for_end() == 2
            assert "no match is unfinished" in terminal.text
