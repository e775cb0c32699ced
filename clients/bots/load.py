"""Finding a bot by name: a built-in one, or a class in a file."""

import importlib.util
import re
import sys
from hashlib import sha256
from pathlib import Path
from typing import Any, Final

from clients.bots.greedy_bot import GreedyBot
from clients.bots.random_bot import RandomBot
from clients.bots.search import SearchBot
from clients.sdk import Bot, Budget

BUILT_IN: dict[str, type[Bot]] = {"greedy": GreedyBot, "mcts": SearchBot, "random": RandomBot}


class BotNotFoundError(ValueError):
    """No such bot; the text says what was looked for."""


def load_bot(name: str) -> type[Bot]:
    """Returns the class that `name` means: one of `built_in`, or "FILE.py:CLASS".

    Raises:
        BotNotFoundError: there is none, or it is no bot.
    """
    if found := built_in(name):
        return found
    path, attribute = bot_file(name)
    written: Any = getattr(_module(path), attribute, None)
    if not isinstance(written, type):
        raise BotNotFoundError(f"{path} has no class {attribute}")
    for needed in ("name", "version", "choose"):
        if not hasattr(written, needed):
            raise BotNotFoundError(f"{name} is no bot: it has no {needed}")
    return written


def built_in(name: str) -> type[Bot] | None:
    """Returns the bot of a name in `BUILT_IN`; of "mcts@50ms" or "mcts@400" the one with that time, or iterations."""
    limit = _LIMITED.fullmatch(name)
    if limit is None:
        return BUILT_IN.get(name)
    number = int(limit["number"])
    budget = Budget(seconds=number / 1000) if limit["unit"] else Budget(iterations=number)
    return type(SearchBot.__name__, (SearchBot,), {"name": name, "budget": budget})


_LIMITED: Final = re.compile(r"mcts@(?P<number>[1-9][0-9]{0,6})(?P<unit>ms)?")


def bot_file(name: str) -> tuple[Path, str]:
    """Returns the file and the class that "FILE.py:CLASS" means; whether it has such a class, loading it tells.

    Raises:
        BotNotFoundError: there is no such file.
    """
    file, colon, attribute = name.rpartition(":")
    if not colon:
        raise BotNotFoundError(f"there is no bot {name!r}: expected {', '.join(BUILT_IN)}, mcts@50ms or FILE.py:CLASS")
    path = Path(file)
    try:
        found = path.is_file()
    except OSError as error:
        raise BotNotFoundError(f"the file of the bot cannot be looked for: {error.strerror}") from None
    if not found:
        raise BotNotFoundError(f"there is no file {file} for the bot {name!r}")
    return path, attribute


def _module(path: Path) -> Any:
    name = f"bot_{sha256(str(path.resolve()).encode()).hexdigest()[:16]}"  # takes no other module's place
    spec = importlib.util.spec_from_file_location(name, path)
    if spec is None or spec.loader is None:
        raise BotNotFoundError(f"{path} is not a Python file")
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    try:
        spec.loader.exec_module(module)
    except Exception as error:
        raise BotNotFoundError(f"{path} cannot be loaded: {type(error).__name__}: {error}") from error
    return module
