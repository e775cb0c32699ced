"""The table of settings, made from the options of `referee serve`: `python -m tests.api.settings_table` writes it."""

from collections.abc import Iterator
from pathlib import Path
from typing import Final

import click

from referee.__main__ import serve

DOCUMENT: Final = Path(__file__).parents[2] / "deploy" / "settings.md"
_OF_THE_MACHINE: Final = {"data": "~/.local/state/artreferee"}
_HEADING: Final = """\
# Settings

Options of `referee serve`, and the variables of the environment that may give them instead.

| option | variable | default | |
|---|---|---|---|
"""


def table() -> str:
    """The document as it has to be."""
    return _HEADING + "".join(f"| {' | '.join(row)} |\n" for row in _rows())


def _rows() -> Iterator[tuple[str, str, str, str]]:
    for option in serve.params:
        if isinstance(option, click.Option) and option.help:
            yield f"`{option.opts[0]}`", f"`{_variable(option)}`", _default(option), option.help.replace("|", "\\|")


def _variable(option: click.Option) -> str:
    if option.envvar:
        return option.envvar if isinstance(option.envvar, str) else option.envvar[0]
    return "REFEREE_" + option.opts[0].removeprefix("--").replace("-", "_").upper()


def _default(option: click.Option) -> str:
    if isinstance(option.show_default, str):
        return option.show_default
    default = _OF_THE_MACHINE.get(str(option.name), option.default)
    return "" if option.is_flag or not isinstance(default, str | int | float) else f"`{default}`"


if __name__ == "__main__":
    DOCUMENT.write_text(table())
