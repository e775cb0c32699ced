"""Runs a command for as long as its parent lives: `python supervisor.py LOG COMMAND [ARGUMENT...]`.

The parent holds the other end of standard input. At its end, however the parent died, and on SIGTERM, the command and
all that it started are stopped: first its own standard input ends, then comes SIGTERM, then SIGKILL. What they say is
kept in LOG, or passed on to standard output if that is "-". Ends as the command ended, by its exit code or its signal.

It is run as a file and imports the standard library only, to start fast.
"""

import ctypes
import fcntl
import os
import resource
import selectors
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import IO, Final

_ASKED_S: Final = 1.0  # from the end of its standard input to SIGTERM
_TOLD_S: Final = 3.0  # from there to SIGKILL
_PIECE: Final = 1 << 16
_NOT_STARTED: Final = 127
_PR_SET_PDEATHSIG: Final = 1
_PR_SET_CHILD_SUBREAPER: Final = 36


class Log:
    """A file of what processes say, and a second one of what they said before, each of bounded size.

    Args:
        path: the file; the second one has ".1" behind its name.
        most: after how many bytes a file becomes the second one.
    """

    def __init__(self, path: Path, most: int = 1 << 20) -> None:
        self.path: Final = path
        self._most: Final = most

    def write(self, said: bytes) -> None:
        """Appends; several processes may do so at a time."""
        with self.path.open("ab") as file:
            fcntl.flock(file, fcntl.LOCK_EX)
            file.write(said)
            file.flush()
            if file.tell() > self._most and self._is_it(file):
                self.path.replace(f"{self.path}.1")

    def _is_it(self, file: IO[bytes]) -> bool:
        """Whether an open file has not become the second one meanwhile."""
        return self.path.exists() and os.path.samestat(self.path.stat(), os.fstat(file.fileno()))


class Supervisor:
    """Stands between a command and its parent.

    Args:
        heard: called with what the command and those that it started say.
    """

    def __init__(self, heard: Callable[[bytes], None]) -> None:
        self._heard: Final = heard
        self._selector: Final = selectors.DefaultSelector()
        self._signals, waker = os.pipe()
        os.set_blocking(waker, False)
        signal.set_wakeup_fd(waker)
        for number in (signal.SIGCHLD, signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
            signal.signal(number, lambda *_: None)  # to be ignored, but not by the command
        self._command = 0
        self._code: int | None = None
        self._stopping = False

    def run(self, command: Sequence[str]) -> int:
        """Runs a command to its end, or to that of standard input; returns its exit code, or minus its signal."""
        _prctl(_PR_SET_CHILD_SUBREAPER, 1)  # whatever it leaves behind becomes ours
        try:
            process = subprocess.Popen(  # noqa: S603 - what the organisers want to run
                command,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                start_new_session=True,
                preexec_fn=lambda: _prctl(_PR_SET_PDEATHSIG, signal.SIGKILL),
            )
        except OSError as error:
            self._heard(f"{command[0]} cannot be started: {error.strerror}\n".encode())
            return _NOT_STARTED
        self._command = process.pid
        with _pipe(process.stdin) as stdin, _pipe(process.stdout) as output:
            os.set_blocking(output.fileno(), False)
            self._selector.register(output, selectors.EVENT_READ, lambda: self._hear(output))
            self._selector.register(self._signals, selectors.EVENT_READ, self._wake)
            self._selector.register(sys.stdin, selectors.EVENT_READ, self._heed)
            self._attend()
            with suppress(BrokenPipeError):
                stdin.close()
            self._stop()
            while self._hear(output):
                pass
        process.returncode = self._code
        return self._code or 0

    def _attend(self, within_s: float | None = None) -> None:
        """Lets the command do its work: until it ends, or for some time, or until it shall stop."""
        deadline = None if within_s is None else time.monotonic() + within_s
        while self._code is None and not (deadline is None and self._stopping):
            left = None if deadline is None else deadline - time.monotonic()
            if left is not None and left <= 0:
                return
            for key, _ in self._selector.select(left):
                key.data()

    def _stop(self) -> None:
        self._attend(_ASKED_S)
        if self._code is None:
            os.killpg(self._command, signal.SIGTERM)
            self._attend(_TOLD_S)
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(self._command, signal.SIGKILL)
        while self._code is None or _children():
            for pid in _children():
                with suppress(ProcessLookupError):
                    os.kill(pid, signal.SIGKILL)
            self._reap(0)

    def _hear(self, output: IO[bytes]) -> bool:
        try:
            said = os.read(output.fileno(), _PIECE)
        except BlockingIOError:
            return False
        if said:
            with suppress(OSError):  # a full disk or a parent that is gone is no fault of the command
                self._heard(said)
        elif output in self._selector.get_map():
            self._selector.unregister(output)
        return bool(said)

    def _wake(self) -> None:
        if signal.SIGTERM in os.read(self._signals, _PIECE):
            self._stopping = True
        self._reap(os.WNOHANG)

    def _heed(self) -> None:
        if not os.read(sys.stdin.fileno(), _PIECE):
            self._selector.unregister(sys.stdin)
            self._stopping = True

    def _reap(self, options: int) -> None:
        """Lets go of those that have ended, among them orphans of the command."""
        with suppress(ChildProcessError):
            while (ended := os.waitpid(-1, options))[0]:
                if ended[0] == self._command:
                    self._code = os.waitstatus_to_exitcode(ended[1])
                options |= os.WNOHANG


def _children() -> list[int]:
    """Our children, where the system tells them; elsewhere the process group must do."""
    try:
        text = Path(f"/proc/self/task/{os.getpid()}/children").read_text()
    except FileNotFoundError:
        return []
    return [int(pid) for pid in text.split()]


def _prctl(option: int, value: int) -> None:
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(option, value)


def _pipe(pipe: IO[bytes] | None) -> IO[bytes]:
    if pipe is None:
        raise AssertionError("the command is started with pipes")
    return pipe


def _end_as(code: int) -> None:
    """Ends this process by an exit code, or by minus a signal."""
    if code < 0:
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))  # the dump would be of the wrong process
        with suppress(OSError):
            signal.signal(-code, signal.SIG_DFL)  # but for SIGKILL, which cannot be set
        os.kill(os.getpid(), -code)
    sys.exit(code)


def main() -> None:
    """Runs the process."""
    log, *command = sys.argv[1:]
    heard = _pass_on if log == "-" else Log(Path(log)).write
    _end_as(Supervisor(heard).run(command))


def _pass_on(said: bytes) -> None:
    sys.stdout.buffer.write(said)
    sys.stdout.buffer.flush()


if __name__ == "__main__":
    main()
