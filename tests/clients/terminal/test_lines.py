"""The terminal line by line, through pipes: what a screen reader would read, and a script write."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest


def curator(*arguments: str, home: Path, typed: str) -> "subprocess.CompletedProcess[str]":
    command = [sys.executable, "-m", "clients.curator", *arguments]
    environment = os.environ | {"XDG_STATE_HOME": str(home), "LANG": "C.UTF-8"}
    return subprocess.run(
        command, input=typed, env=environment, cwd=home, capture_output=True, text=True, timeout=120, check=False
    )


@pytest.mark.parametrize("ruleset", ["art_decko", "artsee", "classic_art"])
def test_a_match_is_played_by_numbers(tmp_path: Path, ruleset: str) -> None:
    """What is toggled by 1 is confirmed by 0; the places stand at the end, and nothing is kept."""
    played = curator("play", ruleset, "--name", "Ada", "--opponents", "greedy", home=tmp_path, typed="1\n0\n" * 2000)
    assert (played.returncode, played.stderr) == (0, "")
    assert re.findall(r"^[12]\. .*: -?\d+$", played.stdout, re.MULTILINE)
    assert "The match is over." in played.stdout
    assert "\x1b" not in played.stdout
    assert list((tmp_path / "curator" / "matches").iterdir()) == []


def test_who_leaves_goes_on_later(tmp_path: Path) -> None:
    """At the end of what is typed the match is kept; the next call has it again."""
    begun = curator("play", "artsee", "--opponents", "greedy", home=tmp_path, typed="?\nt\ny\n99\n")
    assert begun.returncode == 0
    for told in ("A number chooses", "neither a number", "no such choice: 99", "The match is kept"):
        assert told in begun.stdout
    found = re.search(r"Match ([a-z2-7]{26})", begun.stdout)
    assert found is not None
    again = curator("play", home=tmp_path, typed="h\nq\n")
    assert f"Match {found[1]}" in again.stdout
    assert re.search(r"wins \d+ % of \d+ tries|nothing else can be done", again.stdout)


def test_only_what_has_changed_is_told_of_a_long_list(tmp_path: Path) -> None:
    """A card that is toggled, and what is asked only where that is other than before; `l` lists all again."""
    typed = "0\n" + "1\n1\n" * 2 + "2\n2\nl\nq\n"  # haggles twice, the last one ends the turn
    command = ("play", "art_decko", "--opponents", "greedy", "--name", "Ada", "--option", "start_seat=0")
    played = curator(*command, home=tmp_path, typed=typed)
    assert (played.returncode, played.stderr) == (0, "")
    assert "There is no such choice: 0." in played.stdout
    assert played.stdout.count("Take one of 2 actions.") == 1
    assert played.stdout.count("\nhaggle: discard a card, draw two …\n") == 2
    assert played.stdout.count("Do you discard cards before you draw?") == 2
    assert re.findall(r"^2\. \[(.)\]", played.stdout, re.MULTILINE) == [" ", "x", " ", " "]


def test_a_seat_is_given_up_after_a_yes_and_the_record_is_kept_after_another(tmp_path: Path) -> None:
    """Without a yes neither is; the file can be replayed."""
    typed = "1\n" * 3 + "x\nno\n" + "x\nperhaps\nyes\n" + "1\ny\nn\n"  # the number comes before or after the end
    played = curator("play", "artsee", "--opponents", "greedy", "--name", "Ada", home=tmp_path, typed=typed)
    assert (played.returncode, played.stderr) == (0, "")
    assert played.stdout.count("Give up your seat?") == 3  # again, as perhaps is neither
    assert played.stdout.count("Ada resigns.") == 1
    (file,) = tmp_path.glob("artsee-*.jsonl")
    assert f"`curator replay {file.name}`" in played.stdout
    verified = curator("replay", str(file), "--verify", home=tmp_path, typed="")
    assert verified.stdout == "1 matches follow from their seeds and moves\n"


def test_there_is_nothing_to_go_on_with(tmp_path: Path) -> None:
    """That is a wrong use of the command, as are a ruleset, a bot or an address that cannot be."""
    for words, told in (
        ((), "no match is unfinished"),
        (("chess",), "there is no ruleset 'chess'"),
        (("artsee", "--opponents", "nobody"), "there is no bot 'nobody'"),
        (("artsee", "--referee", "nowhere"), "is not HOST:PORT"),
        (("artsee", "--option", "start_seat"), "'start_seat' is not NAME=NUMBER"),
        (("artsee", "--option", "seasons=3"), "seasons"),
        (("artsee", "--option", "start_seat=7"), "start_seat"),
        (("--match", "a" * 26), "name the referee that has it"),
    ):
        refused = curator("play", *words, home=tmp_path, typed="")
        assert (refused.returncode, told in refused.stderr) == (2, True), refused.stderr


def test_a_match_is_played_as_the_options_say(tmp_path: Path) -> None:
    """Also another one after it; numbers wait for their question."""
    end = "1\n0\n" * 4 + "x\ny\n1\nn\n"
    options = ("--option", "start_seat=0", "--private", "--bank", "600000", "--margin", "100", "--grace", "60000")
    command = ("play", "artsee", "--opponents", "greedy", "--name", "Ada", *options)
    played = curator(*command, home=tmp_path, typed=f"{end}y\n{end}n\n")
    assert (played.returncode, played.stderr) == (0, "")
    assert played.stdout.count("; Ada began.") == 2
    assert re.findall(r"\((?:9:5\d|10:00)\)", played.stdout)
