"""Finding a bot by name: a built-in one, or a class in a file."""

import importlib.util
import sys
from hashlib import sha256
from pathlib import Path
from typing import Any

from clients.bots.greedy_bot import GreedyBot
from clients.bots.random_bot import RandomBot
from clients.sdk import Bot

BUILT_IN: dict[str, type[Bot]] = {"greedy": GreedyBot, "random": RandomBot}


class BotNotFoundError(ValueError):
    """No such bot; the text says what was looked for."""


def load_bot(name: str) -> type[Bot]:
    """Returns the class that `name` means: "random", "greedy", or "FILE.py:CLASS".

    Raises:
        BotNotFoundError: there is none, or it is no bot.
    """
    if name in BUILT_IN:
        return BUILT_IN[name]
    path, attribute = bot_file(name)
    found: Any = getattr(_module(path), attribute, None)
    if not isinstance(found, type):
        raise BotNotFoundError(f"{path} has no class {attribute}")
    for needed in ("name", "version", "choose"):
        if not hasattr(found, needed):
            raise BotNotFoundError(f"{name} is no bot: it has no {needed}")
    return found


def bot_file(name: str) -> tuple[Path, str]:
    """Returns the file and the class that "FILE.py:CLASS" means; whether it has such a class, loading it tells.

    Raises:
        BotNotFoundError: there is no such file.
    """
    file, colon, attribute = name.rpartition(":")
    if not colon:
        raise BotNotFoundError(f"there is no bot {name!r}: expected {', '.join(BUILT_IN)} or FILE.py:CLASS")
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
