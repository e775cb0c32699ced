"""An embedded store: the same code as against a Redis elsewhere, only that this process has it started.

Start it before grpc is imported, for it starts a process.
"""

import socket
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Final

from referee.store.keeper import KeeperError

_PLACE: Final = "socket"  # a file with the path of the store's socket while it runs


@dataclass(slots=True)
class Embedded:
    """A running store.

    Attributes:
        url: for `RedisStore`.
    """

    url: str
    _keeper: subprocess.Popen[str]
    _place: Path

    def stop(self) -> None:
        """Stops the store in order and waits for it."""
        self._place.unlink(missing_ok=True)
        _pipe(self._keeper.stdin).close()
        self._keeper.wait()
        _pipe(self._keeper.stdout).close()


def start(directory: Path, fsync: str = "everysec") -> Embedded:
    """Starts a store that keeps its data in `directory`; `fsync` is "everysec", "always" or "no".

    It stops when this process ends, however it ends. Waits a bounded time for the store of a referee that was killed.

    Raises:
        KeeperError: the store cannot be started or the directory is in use.
    """
    keeper = subprocess.Popen(  # noqa: S603 - our own module
        [sys.executable, "-m", "referee.store.keeper", str(directory), fsync],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    word, _, rest = _pipe(keeper.stdout).readline().strip().partition(" ")
    if word != "ready":
        _pipe(keeper.stdin).close()
        keeper.wait()
        _pipe(keeper.stdout).close()
        raise KeeperError(rest or "the keeper of the store ended without a word")
    place = directory / _PLACE
    place.write_text(rest)
    return Embedded(f"unix://{rest}", keeper, place)


def running(directory: Path) -> str | None:
    """Returns the URL of the store that a referee runs in `directory`; None if none does."""
    with socket.socket(socket.AF_UNIX) as probe:
        try:
            path = (directory / _PLACE).read_text()
            probe.connect(path)
        except OSError:
            return None
    return f"unix://{path}"


def _pipe(pipe: IO[str] | None) -> IO[str]:
    if pipe is None:
        raise AssertionError("the keeper is started with pipes")
    return pipe
