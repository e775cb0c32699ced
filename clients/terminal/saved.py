"""Matches that a terminal may go on with after it was closed: a folder each, which holds secrets."""

import fcntl
import os
import secrets
import shutil
from collections.abc import Callable, Mapping
from contextlib import suppress
from pathlib import Path
from types import TracebackType
from typing import Final, Self

import msgspec

from clients.sdk import Principal, Tls, TlsError

_FILE: Final = "match.json"


class SavedError(Exception):
    """A match that cannot be gone on with; the text says why in one sentence."""


class Opponent(msgspec.Struct, frozen=True):
    """A bot that this machine plays.

    Attributes:
        bot: its name, see `clients.bots.load`.
        principal: whom it plays as.
    """

    bot: str
    principal: Principal


class SavedMatch(msgspec.Struct, frozen=True):
    """What it takes to go on with a match.

    Attributes:
        ruleset: what is played.
        match_id: the match.
        seat: the seat at this terminal.
        principal: who holds it.
        address: HOST:PORT of the referee.
        own: whether the referee is one of the terminal's own, which keeps its data in the same folder.
        opponents: the bots that play while the terminal is open.
        hosted: whether the match was created here.
        tls: how TLS is spoken; None for in the clear.
        options: those of the ruleset that are not left as usual, for another match.
    """

    ruleset: str
    match_id: str
    seat: int
    principal: Principal
    address: str
    own: bool
    opponents: tuple[Opponent, ...] = ()
    hosted: bool = False
    tls: Tls | None = None
    options: dict[str, int] = {}


class Folder:
    """The folder of one match. While it is open no other terminal can have it.

    Attributes:
        path: where it is; the referee's data may go into it too.

    Raises:
        SavedError: another terminal has it.
    """

    def __init__(self, path: Path) -> None:
        self.path: Final = path
        path.mkdir(parents=True, exist_ok=True, mode=0o700)
        self._lock: Final = (path / "lock").open("wb")
        try:
            fcntl.flock(self._lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            self._lock.close()
            raise SavedError("the match is open in another terminal") from None

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Lets other terminals have it."""
        self._lock.close()

    def save(self, match: SavedMatch) -> None:
        """Writes what it takes to go on, for the eyes of the user alone."""
        beside = self.path / f"{_FILE}.new"
        with open(os.open(beside, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "wb") as file:  # noqa: PTH123 - with a mode
            file.write(msgspec.json.encode(match))
            file.flush()
            os.fsync(file.fileno())
        beside.replace(self.path / _FILE)

    def remove(self) -> None:
        """Forgets the match, and what its referee kept."""
        shutil.rmtree(self.path)


def new_folder(environment: Mapping[str, str]) -> Folder:
    """Makes a folder for a match that is about to begin; those of matches that never did are removed."""
    for path in _paths(environment):
        if not (path / _FILE).exists():
            with suppress(SavedError), Folder(path) as abandoned:
                abandoned.remove()
    return Folder(_home(environment) / secrets.token_hex(6))


def latest(environment: Mapping[str, str], wanted: Callable[[SavedMatch], bool]) -> tuple[Folder, SavedMatch] | None:
    """Returns the latest match that is wanted and not open in another terminal.

    Raises:
        SavedError: what was saved cannot be read.
    """
    saved = [path / _FILE for path in _paths(environment) if (path / _FILE).exists()]
    for file in sorted(saved, key=lambda file: file.stat().st_mtime, reverse=True):
        if (match := _loaded(file)) and wanted(match):
            with suppress(SavedError):
                return Folder(file.parent), match
    return None


def address_of(match_id: str, environment: Mapping[str, str]) -> str | None:
    """Returns where a match is played that was begun here, perhaps in a terminal that is open."""
    for path in _paths(environment):
        with suppress(SavedError):
            match = _loaded(path / _FILE)
            if match is not None and match.match_id == match_id:
                return match.address
    return None


def _paths(environment: Mapping[str, str]) -> list[Path]:
    home = _home(environment)
    return sorted(home.iterdir()) if home.is_dir() else []


def _loaded(file: Path) -> SavedMatch | None:
    try:
        return msgspec.json.decode(file.read_bytes(), type=SavedMatch)
    except FileNotFoundError:
        return None
    except (msgspec.MsgspecError, TlsError, OSError) as error:
        raise SavedError(f"{file} holds no match: {error}") from None


def _home(environment: Mapping[str, str]) -> Path:
    state = environment.get("XDG_STATE_HOME")
    return (Path(state) if state else Path.home() / ".local" / "state") / "curator" / "matches"
