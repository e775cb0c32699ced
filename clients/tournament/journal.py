"""What has happened in a tournament: a file to which lines are added, each sealed together with all before it."""

import fcntl
import os
from collections.abc import Sequence
from hashlib import sha256
from pathlib import Path
from types import TracebackType
from typing import IO, Final, Self

import msgspec

from clients.tournament.entries import Entry

_START: Final = "0" * 32


class JournalError(Exception):
    """A journal that cannot be used; the text says which line, and why."""


class _Line(msgspec.Struct, frozen=True):
    entry: msgspec.Raw
    seal: str


_LINE: Final = msgspec.json.Decoder(_Line)
_ENTRY: Final = msgspec.json.Decoder(Entry)


class Journal:
    """An open journal, which no other process can open meanwhile.

    What a crash left of its last line is cut off: it was not acknowledged to anybody. Every other line must be whole.

    Args:
        path: the file; made if there is none.

    Raises:
        JournalError: a line was changed or lost, or another process has it open.
    """

    def __init__(self, path: Path) -> None:
        self._file: Final = path.open("a+b")
        try:
            fcntl.flock(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            self._file.seek(0)
            self._seal, self.entries, end = _read(self._file)
            self._file.truncate(end)
        except BlockingIOError:
            self._file.close()
            raise JournalError(f"another process is at work on {path}") from None
        except BaseException:
            self._file.close()
            raise
        _sync(path.parent)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._file.close()

    def append(self, entry: Entry) -> None:
        """Adds an entry; when it returns a crash of the machine does not undo it."""
        encoded = msgspec.json.encode(entry)
        self._seal = _sealed(self._seal, encoded)
        self._file.write(msgspec.json.encode(_Line(msgspec.Raw(encoded), self._seal)) + b"\n")
        self._file.flush()
        os.fsync(self._file.fileno())


def read_entries(path: Path) -> Sequence[Entry]:
    """Returns the entries of a journal that another process may have open, as far as it is written.

    Raises:
        JournalError: a line was changed or lost.
    """
    with path.open("rb") as file:
        return _read(file)[1]


def _read(file: IO[bytes]) -> tuple[str, Sequence[Entry], int]:
    """Returns the last seal, the entries, and how long the whole lines are."""
    seal, entries, end = _START, list[Entry](), 0
    for number, line in enumerate(file, 1):
        if not line.endswith(b"\n"):
            break
        try:
            read = _LINE.decode(line)
            seal = _sealed(seal, bytes(read.entry))
            if read.seal != seal:
                raise JournalError(f"{file.name}, line {number} was changed, or one before it is missing")
            entries.append(_ENTRY.decode(read.entry))
        except msgspec.MsgspecError as error:
            raise JournalError(f"{file.name}, line {number} is no entry: {error}") from None
        end += len(line)
    return seal, entries, end


def _sealed(before: str, encoded: bytes) -> str:
    return sha256(before.encode() + encoded).hexdigest()[:32]


def _sync(folder: Path) -> None:
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
