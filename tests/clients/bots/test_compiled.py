"""The copy of the packages in which rules and search are compiled."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from clients.bots.compiled import native

CHECKOUT = Path(__file__).parents[3]
SEARCHES = """
import random
from clients.bots.search.knowing import knowledge_of
from clients.bots.search.knowledge import Deadline
from clients.bots.search.searching import Search
from referee.games import registry

for game in registry().values():
    for seats in game.spec.seats:
        state = game.setup(game.options({}, seats), seats, bytes(range(32)))
        for _ in range(20):
            seat = game.to_act(state)[0]
            moves = game.legal_moves(state, seat)
            search = Search(game, knowledge_of(game), game.view(state, seat), seat, moves, random.Random(1))
            search.prepare(Deadline(None))
            search.run(30, Deadline(None))
            analysis = search.analysis(0.0)
            print(game.spec.name, seats, analysis)
            game.play(state, seat, analysis.candidates[0].move)
"""


def said(path: str | None) -> list[str]:
    variables = os.environ | ({} if path is None else {"PYTHONPATH": path, "PYTHONSAFEPATH": "1"})
    where = "import referee.games.artsee.transition, clients.bots.search.tree as tree; print(tree.__file__)"
    command = [sys.executable, "-c", where + SEARCHES]
    return subprocess.run(command, env=variables, capture_output=True, text=True, check=True).stdout.splitlines()


def test_classes_are_made_native() -> None:
    """What has slots only so that Python keeps it small is an ordinary class for mypyc."""
    source = '"""M."""\n\nfrom dataclasses import dataclass\n\n\n@dataclass(slots=True)\nclass A:\n    b: bytes\n'
    assert native(source) == source.replace("(slots=True)", "")
    frozen = "@dataclass(frozen=True, slots=True, order=True)\n"
    assert native(frozen) == "@dataclass(frozen=True, order=True)\n"


def test_a_module_knows_the_types_of_its_fields() -> None:
    """`bytearray` is a name of each module that speaks of it, below what the module says of itself."""
    source = '"""M."""\n\nimport re\n\nkept: bytearray\n'
    assert native(source) == '"""M."""\n\nfrom builtins import bytearray\nimport re\n\nkept: bytearray\n'


@pytest.mark.long
def test_compiled_search_finds_the_same() -> None:
    """`make fast` compiles; each search has the same statistics as in plain Python, in every ruleset for all seats."""
    subprocess.run(["make", "fast"], cwd=CHECKOUT, check=True, capture_output=True)  # noqa: S607 - as a user would
    plain, compiled = said(None), said(str(CHECKOUT / "build" / "fast"))
    assert Path(plain[0]).suffix == ".py"
    assert Path(compiled[0]).suffix == ".so"
    assert compiled[1:] == plain[1:]
