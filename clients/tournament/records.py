"""The records of a tournament's matches: a file to which those of a whole deal are added at once."""

import os
from collections.abc import Iterable
from pathlib import Path
from types import TracebackType
from typing import Final, Self

from artreferee.v1 import record_pb2
from referee.wire.record import canonical_json


class Records:
    """An open records file.

    Args:
        path: the file; made if there is none.
        size: how much of it is known to be whole, in bytes; what comes after is cut off.

    Raises:
        OSError: it is shorter than that.
    """

    def __init__(self, path: Path, size: int) -> None:
        self._file: Final = path.open("ab")
        if self._file.tell() < size:
            self._file.close()
            raise OSError(f"{path} has lost records: it has {path.stat().st_size} bytes, expected at least {size}")
        self._file.truncate(size)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._file.close()

    def add(self, records: Iterable[record_pb2.MatchRecord]) -> int:
        """Adds records, a line each; returns how long the file is, once they are on disk."""
        for record in records:
            self._file.write(canonical_json(record).encode() + b"\n")
        self._file.flush()
        os.fsync(self._file.fileno())
        return self._file.tell()
