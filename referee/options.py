"""The options of all commands that need the store."""

from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

import click
from click.core import ParameterSource

from referee.api.settings import Settings, default_data, has_password

FILE: Final = click.Path(path_type=Path)


def _without_password(context: click.Context, parameter: click.Parameter, url: str | None) -> str | None:
    by_flag = context.get_parameter_source(parameter.name or "") is ParameterSource.COMMANDLINE
    if url is not None and by_flag and has_password(url):
        problem = "has a password, which all on this machine could read there"
        raise click.BadParameter(f"{problem}: give the URL as REFEREE_REDIS_URL, or --redis-password-file")
    return url


_STORE: Final = (
    click.option(
        "--redis",
        envvar="REFEREE_REDIS_URL",
        metavar="URL",
        callback=_without_password,
        help="The store; without it one is embedded. A URL with a password is taken from the environment only.",
    ),
    click.option(
        "--redis-password-file",
        envvar="REFEREE_REDIS_PASSWORD_FILE",
        type=FILE,
        metavar="FILE",
        help="Holds the password of the store.",
    ),
    click.option(
        "--data",
        envvar="REFEREE_DATA",
        default=default_data(),
        show_default=True,
        type=FILE,
        help="The directory of the embedded store.",
    ),
    click.option(
        "--durability",
        envvar="REFEREE_DURABILITY",
        default=Settings.durability,
        show_default=True,
        type=click.Choice(["primary", "replica"]),
        help="Who has a write when it is acknowledged: the primary of the store, or a replica of it too.",
    ),
)


def store_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Adds the options that name a store."""
    for option in reversed(_STORE):
        command = option(command)
    return command
