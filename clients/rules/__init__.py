"""The rules of the games for players: one page a ruleset and language, `RULESET.LANGUAGE.md` beside this module."""

from functools import cache
from importlib.resources import files
from typing import Final

_SUFFIX: Final = ".md"


class RulesPageError(ValueError):
    """There is no such rules page; the text says in one sentence which there are."""


def languages(ruleset: str) -> list[str]:
    """Returns the codes of the languages that have a page of a ruleset, in alphabetical order; none if it has none."""
    return sorted(_pages().get(ruleset, ()))


def page(ruleset: str, language: str) -> str:
    """Returns the rules of a game for players, as Markdown.

    Args:
        ruleset: a name such as "classic_art".
        language: a code such as "en".

    Raises:
        RulesPageError: there is no such page.
    """
    written = languages(ruleset)
    if not written:
        raise RulesPageError(f"there are no rules pages of {ruleset!r}, only of {', '.join(sorted(_pages()))}")
    if language not in written:
        raise RulesPageError(
            f"the rules page of {ruleset} is not written in {language!r}, only in {', '.join(written)}"
        )
    return files(__package__).joinpath(f"{ruleset}.{language}{_SUFFIX}").read_text(encoding="utf-8")


@cache
def _pages() -> dict[str, list[str]]:
    """Returns the languages of the pages by ruleset."""
    found: dict[str, list[str]] = {}
    for entry in files(__package__).iterdir():
        if entry.name.endswith(_SUFFIX):
            ruleset, language = entry.name.removesuffix(_SUFFIX).rsplit(".", 1)
            found.setdefault(ruleset, []).append(language)
    return found
