"""A terminal with a program in it, as a person would see and use it: a pseudo-terminal, and what is drawn on it."""

import fcntl
import os
import re
import select
import signal
import struct
import subprocess
import sys
import termios
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

import pyte

from clients.terminal.words import Words

ENTER: Final = "\r"
ESCAPE: Final = "\x1b"
END: Final = "\x1b[F"
LEAVE: Final = "\x11"  # Ctrl+Q
_HINT: Final = "F3"  # there is a key for that only while something is asked
_BOX: Final = re.compile(r"\d \[[ x-]\] ")
_OPEN_BOX: Final = re.compile(r"(\d+) \[ \] ")
_SAME_S: Final = 2.0  # a step that changes nothing to be seen

_NOW_S: Final = 0.02
_STILL_S: Final = 1.0
# The terminal has to be the one that tells its program when the window is closed. The new process says so itself: what
# runs between fork and exec would meet the threads of gRPC.
_CONTROLLED: Final = """
import fcntl, os, signal, sys, termios
signal.signal(signal.SIGINT, signal.SIG_DFL)  # whoever runs the tests may ignore it, and the next
signal.signal(signal.SIGHUP, signal.SIG_IGN if sys.argv[1] == "deaf" else signal.SIG_DFL)
fcntl.ioctl(0, termios.TIOCSCTTY, 0)
os.execv(sys.argv[2], sys.argv[2:])
"""
WITHIN_S: Final = 30.0  # a deadline, not a measure: the machine may be busy


def _environment() -> dict[str, str]:
    """Returns that of the tests but for the size of their terminal, which would count for more than the window's."""
    return {name: value for name, value in os.environ.items() if name not in ("COLUMNS", "LINES")}


class Terminal:
    """A program that runs in a terminal.

    Args:
        words: the program and its arguments.
        size: of the terminal: columns and lines.
        deaf: whether it is not told that its terminal is gone, as behind `trap "" HUP`.
        variables: what the program's environment has besides.

    Attributes:
        process: the program.
        shown: every line that has ever stood on the screen.
    """

    def __init__(self, *words: str, size: tuple[int, int], deaf: bool = False, **variables: str) -> None:
        self._screen: Final = pyte.Screen(*size)
        self._stream: Final = pyte.ByteStream(self._screen)
        self._ours, theirs = os.openpty()
        _set_size(theirs, *size)
        self.shown: Final = set[str]()
        self.process: Final = subprocess.Popen(
            (sys.executable, "-S", "-c", _CONTROLLED, "deaf" if deaf else "hearing", *words),
            stdin=theirs,
            stdout=theirs,
            stderr=theirs,
            start_new_session=True,
            env=_environment() | {"TERM": "xterm-256color", "COLORTERM": "truecolor", "LANG": "C.UTF-8"} | variables,
        )
        os.close(theirs)

    @property
    def text(self) -> str:
        """What stands on the screen."""
        return "\n".join(self._screen.display)

    @property
    def colours(self) -> set[str]:
        """The colours on the screen: six hexadecimal digits, or names."""
        cells = (cell for row in self._screen.buffer.values() for cell in row.values())
        return {colour for cell in cells for colour in (cell.fg, cell.bg)}

    def reversed_in(self, line: int) -> str:
        """What stands reversed in a line."""
        cells = self._screen.buffer[line]
        return "".join(cells[column].data for column in range(self._screen.columns) if cells[column].reverse)

    def type(self, keys: str | bytes) -> None:
        """Types keys."""
        os.write(self._ours, keys.encode() if isinstance(keys, str) else keys)

    def resize(self, columns: int, lines: int) -> None:
        """Makes the window larger or smaller."""
        self._screen.resize(lines, columns)
        _set_size(self._ours, columns, lines)
        os.killpg(self.process.pid, signal.SIGWINCH)

    def wait_for(self, seen: str | Callable[[str], bool], within_s: float = WITHIN_S) -> str:
        """Waits until something stands on the screen, and returns all that does then."""
        deadline = time.monotonic() + within_s
        there = seen if callable(seen) else lambda text: seen in text
        while not there(self.text):
            if not self._read(deadline - time.monotonic()):
                raise AssertionError(f"not within {within_s} s: {seen!r}, but\n{self.text}")
        return self.text

    def wait_for_change(self, text: str) -> None:
        """Waits until something else stands on the screen, or that has become unlikely."""
        deadline = time.monotonic() + _SAME_S
        while self.text == text and self._read(deadline - time.monotonic()):
            pass

    def wait_until_still(self) -> str:
        """Waits until nothing more is drawn for a while, and returns what stands on the screen then."""
        while self._read(_STILL_S):
            pass
        return self.text

    def drain(self) -> None:
        """Draws what has been written by now."""
        while self._read(_NOW_S):
            pass

    def wait_for_end(self, within_s: float = WITHIN_S) -> int:
        """Waits until the program has ended, and returns its exit code."""
        deadline = time.monotonic() + within_s
        while self._read(deadline - time.monotonic()):
            pass
        return self.process.wait(max(0.1, deadline - time.monotonic()))

    def close(self) -> None:
        """Closes the window, as when somebody clicks on its cross."""
        os.close(self._ours)
        try:
            self.process.wait(WITHIN_S)
        except subprocess.TimeoutExpired:
            os.killpg(self.process.pid, signal.SIGKILL)
            self.process.wait()
            raise

    def _read(self, within_s: float) -> bool:
        """Draws what the program writes next; returns whether it wrote something."""
        if within_s <= 0 or not select.select([self._ours], [], [], within_s)[0]:
            return False
        try:
            portion = os.read(self._ours, 65536)
        except OSError:  # the program has closed its side
            return False
        self._stream.feed(portion)
        self.shown.update(self._screen.display)
        return bool(portion)


def _set_size(descriptor: int, columns: int, lines: int) -> None:
    fcntl.ioctl(descriptor, termios.TIOCSWINSZ, struct.pack("HHHH", lines, columns, 0, 0))


@contextmanager
def curator(
    *arguments: str, home: Path, size: tuple[int, int] = (80, 24), deaf: bool = False, **variables: str
) -> Iterator[Terminal]:
    """Runs `curator` in a terminal, with what it saves in `home`."""
    command = (sys.executable, "-m", "clients.curator", *arguments)
    terminal = Terminal(*command, size=size, deaf=deaf, XDG_STATE_HOME=str(home), **variables)
    try:
        yield terminal
    finally:
        if terminal.process.poll() is None:
            terminal.close()


def whose_turn(*players: "Player") -> "Player":
    """Waits until one of several is asked something."""
    deadline = time.monotonic() + WITHIN_S
    while time.monotonic() < deadline:
        for player in players:
            if player.is_asked():
                return player
    raise AssertionError("nobody is asked anything:\n" + "\n".join(player.terminal.text for player in players))


class Player:
    """Somebody who plays at a terminal: takes the last thing there is, and toggles what is needed.

    Args:
        terminal: with a match in it.
        words: the language of the terminal.
    """

    def __init__(self, terminal: Terminal, words: Words) -> None:
        self.terminal: Final = terminal
        self._over: Final = words.told("The match is over.")
        self._confirm: Final = re.compile(rf"\d+ {words.told('Confirm')}\b")
        self.choices = 0

    def play_to_the_end(self) -> str:
        """Plays until the match is over; returns what the screen shows then."""
        while self.play_once():
            pass
        return self.terminal.text

    def wait_until_asked(self) -> None:
        """Waits until something is asked and nothing changes any more until it is answered."""
        while _HINT not in self.terminal.wait_until_still():
            self.terminal.wait_for(_HINT)

    def is_asked(self) -> bool:
        """Whether something is asked, as far as is to be seen by now."""
        self.terminal.drain()
        return _HINT in self.terminal.text

    def play_once(self) -> bool:
        """Answers the next question, or a step of it; returns whether there was one."""
        text = self.terminal.wait_for(lambda text: _HINT in text or self._over in text)
        if _HINT not in text:
            return False
        self.choices += 1
        open_box = _OPEN_BOX.search(text)
        if _BOX.search(text) is None or self._confirm.search(text):
            self.terminal.type(END + ENTER)
        elif open_box:
            self.terminal.type(open_box[1] + ENTER)
        self.terminal.wait_for_change(text)
        return True
