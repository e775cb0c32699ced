"""Bots that do what bots should not, and some that look around; given to players as "bots.py:CLASS"."""

import json
import os
import random
import signal
import subprocess
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from artreferee.v1 import match_pb2, ruleset_pb2
from clients.sdk import Budget

FILE: Final = str(Path(__file__))
TOLD: Final = "TOLD"
"""The variable that names the file in which a bot tells what it has to tell, a line each."""

LIVES: Final = "LIVES"
"""The variable that says how many lines it tells before it ceases to do what it does."""


def tell(line: str) -> None:
    with Path(os.environ[TOLD]).open("a") as file:
        file.write(line + "\n")


class First:
    """Plays the first move."""

    name = "first"
    version = "1"

    def choose(
        self,
        view: ruleset_pb2.View,
        legal_moves: Sequence[match_pb2.LegalMove],
        budget: Budget,
        rng: random.Random,
    ) -> match_pb2.LegalMove:
        return legal_moves[0]


class Mortal(First):
    """Kills its process when it is asked, as long as the file has fewer lines than it has lives."""

    name = "mortal"

    def choose(
        self,
        view: ruleset_pb2.View,
        legal_moves: Sequence[match_pb2.LegalMove],
        budget: Budget,
        rng: random.Random,
    ) -> match_pb2.LegalMove:
        path = Path(os.environ[TOLD])
        if not path.exists() or len(path.read_text().splitlines()) < int(os.environ[LIVES]):
            tell("dies")
            os.kill(os.getpid(), signal.SIGKILL)
        return legal_moves[0]


class Endless(First):
    """Thinks for ever, and tells of its process before it does."""

    name = "endless"

    def choose(
        self,
        view: ruleset_pb2.View,
        legal_moves: Sequence[match_pb2.LegalMove],
        budget: Budget,
        rng: random.Random,
    ) -> match_pb2.LegalMove:
        tell(str(os.getpid()))
        while True:
            time.sleep(1)


class Parent(First):
    """Starts a process in a session of its own, and tells of both."""

    name = "parent"

    def __init__(self) -> None:
        if not Path(os.environ[TOLD]).exists():
            child = subprocess.Popen(["sleep", "1000"], start_new_session=True)  # noqa: S607 - of any system
            tell(f"{os.getpid()}\n{child.pid}")


class Witness(First):
    """Tells what it is given."""

    name = "witness"

    def choose(
        self,
        view: ruleset_pb2.View,
        legal_moves: Sequence[match_pb2.LegalMove],
        budget: Budget,
        rng: random.Random,
    ) -> match_pb2.LegalMove:
        given = {
            "budget": [budget.seconds, budget.iterations],
            "environment": dict(os.environ),
            "view": type(view).__name__,
        }
        tell(json.dumps(given))
        return legal_moves[0]
