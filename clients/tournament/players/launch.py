"""What is started for an entrant: a command, and what its environment tells it."""

import os
import sys
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from clients.bots.connection import Connection
from clients.tournament.plan import Entrant, Kind
from clients.tournament.players import supervisor

INHERITED: Final = (
    *("HOME", "LANG", "LC_ALL", "PATH", "PYTHONPATH", "SSL_CERT_DIR", "SSL_CERT_FILE", "TMPDIR", "TZ", "VIRTUAL_ENV"),
)
"""What a process has of the environment in which it is started: nothing in it is secret."""


@dataclass(frozen=True, slots=True)
class Place:
    """A seat of a match."""

    match_id: str
    seat: int


@dataclass(frozen=True, slots=True)
class Launch:
    """A process to be started, perhaps on another machine.

    Attributes:
        command: the program and its arguments.
        variables: its environment but for what it inherits there; with a secret.
        directory: where it works.
        python: whether the program is the Python that starts it, and `command` its arguments only.
    """

    command: tuple[str, ...]
    variables: Mapping[str, str] = field(repr=False)
    directory: str = field(default_factory=os.getcwd)
    python: bool = False

    def supervised(self, log: str) -> list[str]:
        """Returns the command line here, below a supervisor that writes to `log`."""
        python = [sys.executable] if self.python else []
        return [sys.executable, "-IS", supervisor.__file__, log, *python, *self.command]

    def environment(self) -> dict[str, str]:
        """Returns its whole environment here."""
        return {name: os.environ[name] for name in INHERITED if name in os.environ} | dict(self.variables)


def launch_of(entrant: Entrant, connection: Connection, place: Place | None) -> Launch:
    """Returns what plays for a local entrant: all seats of the connection's principal, or the one place."""
    variables = dict(entrant.environment) | dict(connection.variables)
    if place is not None:
        variables |= {"CURATOR_MATCH": place.match_id, "CURATOR_SEAT": str(place.seat)}
    if entrant.kind is Kind.BOT:
        return Launch(("-m", "clients.bots.worker", *_limits(entrant), entrant.bot), variables, python=True)
    return Launch(entrant.command, variables)


def _limits(entrant: Entrant) -> Iterable[str]:
    for name, limit in (("--iterations", entrant.iterations), ("--seconds", entrant.seconds)):
        if limit is not None:
            yield from (name, str(limit))


def log_of(folder: Path, name: str) -> supervisor.Log:
    """Returns the log of an entrant."""
    return supervisor.Log(folder / f"{name.replace('%', '%25').replace('/', '%2F')}.log")
