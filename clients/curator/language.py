"""The option by which commands are told a language."""

import os
from collections.abc import Callable

import click

from clients.terminal.words import LANGUAGES, Words, in_language, language_of


def language_option(what: str) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Returns the option `--lang`, which gives a command the `words` of a language, with its help."""
    return click.option(
        "--lang",
        "words",
        callback=_words,
        type=click.Choice(LANGUAGES),
        help=what,
        show_default="that of the environment",
    )


def _words(context: click.Context, parameter: click.Parameter, code: str | None) -> Words:
    return in_language(code or language_of(os.environ))
