"""Lines that are typed or piped in, without a thread and without changing how the terminal is read by others."""

import asyncio
import os
from typing import Final, Self

_PORTION: Final = 4096


class TypedLines:
    """The lines of a file descriptor. Used as a context manager; what cannot be waited for is read as it is.

    Args:
        descriptor: open for reading, such as that of standard input.

    Attributes:
        by_hand: whether somebody types at a terminal; its end is that of the terminal then, or was typed too.
    """

    def __init__(self, descriptor: int) -> None:
        self.by_hand: Final = os.isatty(descriptor)
        self._descriptor: Final = descriptor
        self._reader: Final = asyncio.StreamReader()
        self._waited_for = False

    def __enter__(self) -> Self:
        try:
            asyncio.get_running_loop().add_reader(self._descriptor, self._read)
            self._waited_for = True
        except PermissionError:  # a regular file
            while not self._reader.at_eof() and self._read():
                pass
        return self

    def __exit__(self, *_: object) -> None:
        self._stop()

    async def next(self) -> str | None:
        """Returns the next line without its end and without what is no text; None at the end."""
        try:
            line = await self._reader.readline()
        except ValueError:  # longer than anything that is typed
            return ""
        return line.decode(errors="replace").rstrip("\r\n") if line else None

    def _read(self) -> bool:
        """Reads what is there; returns whether there may be more."""
        try:
            portion = os.read(self._descriptor, _PORTION)
        except OSError:  # a terminal that was closed
            portion = b""
        if portion:
            self._reader.feed_data(portion)
            return True
        self._stop()
        self._reader.feed_eof()
        return False

    def _stop(self) -> None:
        if self._waited_for:
            asyncio.get_running_loop().remove_reader(self._descriptor)
            self._waited_for = False
