"""What a bot calls itself is asked of a process of its own."""

import sys
from pathlib import Path

import pytest

from clients.bots.random_bot import RandomBot
from clients.tournament.players import Description, NoBotError, describe

BOT = """
import os, sys

print("I talk while I am loaded")
os.write(1, b"and so does what I load")
sys.modules["json"] = None


class Bot:
    name = "talker"
    version = "2.1"

    def choose(self, view, legal_moves, budget, rng):
        return legal_moves[0]


class Shy(Bot):
    def __init__(self):
        raise RuntimeError("not today")


class Nameless:
    pass
"""


@pytest.fixture
def bot(tmp_path: Path) -> str:
    (tmp_path / "bot.py").write_text(BOT)
    return str(tmp_path / "bot.py")


async def test_a_built_in_bot_is_described() -> None:
    assert await describe("random") == Description(RandomBot.name, RandomBot.version)


async def test_what_a_bot_says_and_does_while_it_is_loaded_stays_with_it(bot: str) -> None:
    assert await describe(f"{bot}:Bot") == Description("talker", "2.1")
    assert sys.modules["json"] is not None
    assert "bot" not in sys.modules


@pytest.mark.parametrize(
    ("source", "kind", "text"),
    [
        (BOT, "Shy", "{file}:Shy cannot be made: RuntimeError: not today"),
        (BOT, "None", "{file} has no class None"),
        (BOT, "Nameless", "{file}:Nameless is no bot: it has no name"),
        ("import nothing_such", "Bot", "{file} cannot be loaded: ModuleNotFoundError: No module named 'nothing_such'"),
        ("import os; os._exit(7)", "Bot", "{file}:Bot ends with exit code 7 while it is loaded"),
        ("raise SystemExit", "Bot", "{file}:Bot ends with exit code 0 while it is loaded"),
        ("import os; os.kill(os.getpid(), 9)", "Bot", "{file}:Bot ends with SIGKILL while it is loaded"),
    ],
)
async def test_why_something_is_no_bot_is_told_in_one_sentence(
    tmp_path: Path, source: str, kind: str, text: str
) -> None:
    """Also if loading it ends the process."""
    file = tmp_path / "bot.py"
    file.write_text(source)
    with pytest.raises(NoBotError) as caught:
        await describe(f"{file}:{kind}")
    assert str(caught.value) == text.format(file=file)


async def test_a_bot_that_is_not_there_is_named() -> None:
    with pytest.raises(
        NoBotError, match=r"^there is no bot 'magic': expected greedy, mcts, random, mcts@50ms or FILE\.py:CLASS$"
    ):
        await describe("magic")


async def test_a_bot_that_is_not_loaded_in_time_is_no_bot(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "bot.py").write_text("import time; time.sleep(1000)")
    monkeypatch.setattr("clients.tournament.players.description._WITHIN_S", 1)
    with pytest.raises(NoBotError, match=r"bot\.py:Bot is not loaded within 1 s$"):
        await describe(f"{tmp_path / 'bot.py'}:Bot")
