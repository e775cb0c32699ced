"""What organisers order while a tournament lasts: a file that only grows, one order a line, each with its checksum."""

import fcntl
import os
import time
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from hashlib import sha256
from pathlib import Path
from typing import Final

import msgspec

from clients.tournament.plan import Entrant

FILE: Final = "orders.jsonl"


class OrdersError(ValueError):
    """A line of the file that is no order as it was given; the text says which."""


class _Given(msgspec.Struct, frozen=True, kw_only=True, tag_field="order", tag=str.lower):
    """What every order has.

    Attributes:
        id: different from that of any other.
        given_ms: when, in ms since 1970 by the organiser's clock.
    """

    id: str = msgspec.field(default_factory=lambda: uuid.uuid4().hex)
    given_ms: int = msgspec.field(default_factory=lambda: time.time_ns() // 1_000_000)


class Pause(_Given, frozen=True):
    """Begin no more matches; those under way are played to their end."""


class Resume(_Given, frozen=True):
    """Begin matches again."""


class Withdraw(_Given, frozen=True):
    """An entrant takes part no more."""

    entrant: str


class Enter(_Given, frozen=True):
    """An entrant takes part from the next round on."""

    entrant: Entrant


class Replace(_Given, frozen=True):
    """The entrant of this name is played otherwise from the next match on."""

    entrant: Entrant


class Adjudicate(_Given, frozen=True):
    """A match has this result, whatever the referee says.

    Attributes:
        match: the name of its pairing, or its id at the referee.
        ranks: the place of each seat, from 1; equals share it and the next place is skipped.
        reason: why, for the report.
    """

    match: str
    ranks: tuple[int, ...]
    reason: str


Order = Pause | Resume | Withdraw | Enter | Replace | Adjudicate


class _Line(msgspec.Struct, frozen=True):
    """A line: an order as it is written, and SHA-256 of just these bytes."""

    checksum: str
    order: msgspec.Raw


def append(directory: Path, order: Order) -> None:
    """Adds an order for the tournament of a directory; it is on disk when this returns."""
    line = _line(order)
    with _locked(directory, os.O_RDWR | os.O_APPEND | os.O_CREAT, fcntl.LOCK_EX) as file:
        whole = _whole(_content(file))
        os.ftruncate(file, len(whole))  # what a killed process left of a line was never confirmed to anybody
        while line:
            line = line[os.write(file, line) :]
        os.fsync(file)
    if not whole:
        _sync_directory(directory)


def read(directory: Path, after: int = 0) -> list[Order]:
    """Returns the orders in the order in which they were given, without the first `after`.

    A last line without an end is not looked at: whoever wrote it was killed.

    Raises:
        OrdersError: a line is damaged.
    """
    whole = _whole(_stored(directory))
    return [_order(line, number) for number, line in enumerate(whole.splitlines(), 1) if number > after]


def torn_bytes(directory: Path) -> int:
    """Returns how long the last line without an end is, which `read` does not look at; 0 if there is none."""
    content = _stored(directory)
    return len(content) - len(_whole(content))


def _line(order: Order) -> bytes:
    written = msgspec.json.encode(order)
    return msgspec.json.encode(_Line(sha256(written).hexdigest(), msgspec.Raw(written))) + b"\n"


def _order(line: bytes, number: int) -> Order:
    try:
        read_line = msgspec.json.decode(line, type=_Line)
        if sha256(read_line.order).hexdigest() != read_line.checksum:
            raise OrdersError(f"{FILE}, line {number}: the order is not the one that the checksum is of")
        order: Order = msgspec.json.decode(read_line.order, type=Order)
    except msgspec.DecodeError as error:
        raise OrdersError(f"{FILE}, line {number}: {error}") from None
    return order


def _stored(directory: Path) -> bytes:
    try:
        with _locked(directory, os.O_RDONLY, fcntl.LOCK_SH) as file:
            return _content(file)
    except FileNotFoundError:
        return b""


@contextmanager
def _locked(directory: Path, flags: int, lock: int) -> Iterator[int]:
    file = os.open(directory / FILE, flags | os.O_CLOEXEC, 0o600)
    try:
        fcntl.flock(file, lock)
        yield file
    finally:
        os.close(file)


def _content(file: int) -> bytes:
    return os.pread(file, os.fstat(file).st_size, 0)


def _whole(content: bytes) -> bytes:
    return content[: content.rfind(b"\n") + 1]


def _sync_directory(directory: Path) -> None:
    folder = os.open(directory, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(folder)
    finally:
        os.close(folder)
