"""How the whole screen speaks with its terminal: it ends when that does, and what is pasted is no key.

Textual's own driver goes on when nothing can come any more, is stuck when nothing can be written, gives up on bytes
that are no text, and takes escape sequences in what is pasted for keys.
"""

import os
import selectors
import sys
from codecs import getincrementaldecoder
from contextlib import suppress
from typing import IO, Any, Final, cast

from textual._xterm_parser import XTermParser
from textual.drivers.linux_driver import LinuxDriver

_BEGIN: Final = "\x1b[200~"
_END: Final = "\x1b[201~"
_TICK_S: Final = 0.1
_PORTION: Final = 4096


class Unpasted:
    """Takes out of a text, which comes in portions, what terminals mark as pasted."""

    def __init__(self) -> None:
        self._pasting = False
        self._held = ""

    def feed(self, portion: str) -> str:
        """Returns what of the text is known to be typed by now."""
        text, typed = self._held + portion, ""
        while True:
            before, found, after = text.partition(_END if self._pasting else _BEGIN)
            if not found:
                break
            typed += "" if self._pasting else before
            text, self._pasting = after, not self._pasting
        self._held = _begun(_END if self._pasting else _BEGIN, text)
        return typed if self._pasting else typed + text.removesuffix(self._held)

    def flush(self) -> str:
        """Returns what might have become a mark but has not, since nothing more came."""
        if self._pasting:
            return ""
        typed, self._held = self._held, ""
        return typed


def _begun(mark: str, text: str) -> str:
    """Returns the longest beginning of a mark that a text ends with."""
    return next((mark[:size] for size in range(len(mark) - 1, 0, -1) if text.endswith(mark[:size])), "")


class TerminalDriver(LinuxDriver):
    """See the module."""

    def __init__(self, *arguments: Any, **named: Any) -> None:
        super().__init__(*arguments, **named)
        self._file = cast(Any, _Output(sys.__stdout__))

    def run_input_thread(self) -> None:
        parser, unpasted = XTermParser(), Unpasted()
        decode = getincrementaldecoder("utf-8")("replace").decode
        with selectors.SelectSelector() as selector:
            selector.register(self.fileno, selectors.EVENT_READ)
            while not self.exit_event.is_set():
                if selector.select(_TICK_S):
                    portion = self._read()
                    if not portion:
                        self._loop.call_soon_threadsafe(self._app.exit)
                        return
                    text = unpasted.feed(decode(portion))
                else:
                    text = unpasted.flush()
                for message in (*(parser.feed(text) if text else ()), *parser.tick()):
                    self.process_message(message)

    def _read(self) -> bytes:
        """Returns what is typed; nothing if the terminal is gone."""
        try:
            return os.read(self.fileno, _PORTION)
        except OSError:
            return b""


class _Output:
    """Writes to a terminal, or to nobody once it is gone."""

    def __init__(self, file: IO[str] | None) -> None:
        if file is None:
            raise AssertionError("a screen is drawn on a terminal")
        self._file: Final = file

    def write(self, text: str) -> None:
        with suppress(OSError):
            self._file.write(text)

    def flush(self) -> None:
        with suppress(OSError):
            self._file.flush()

    def fileno(self) -> int:
        return self._file.fileno()
