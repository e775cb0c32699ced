"""Processes that serve on one port: started together, started again when they die, and stopped together.

They are spawned, not forked, for grpc does not bear that. Their parent holds the port, so that it stays theirs while
none of them listens, and ends when it cannot keep them.
"""

import errno
import logging
import multiprocessing
import os
import signal
import socket
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from multiprocessing.connection import Connection, wait
from multiprocessing.process import BaseProcess
from typing import Any, Final

_log: Final = logging.getLogger("referee")
_STEADY_S: Final = 5.0
_QUICK_ENDS: Final = 5  # of a worker in a row, each sooner than that after its start: it would end again
_FIRST_PAUSE_S: Final = 0.1  # before it is started again; each pause is twice as long as the one before
_KILLED_AFTER_S: Final = 10.0  # when it had all the time that it may take to drain
_NOT_HERE: Final = frozenset({errno.EADDRNOTAVAIL, errno.EAFNOSUPPORT})

Work = Callable[[int, Connection], None]
"""What a worker does, by its number, until its connection ends; over it it says None once it listens, or why not."""


class WorkersError(Exception):
    """The workers cannot be kept; the text says why."""


@contextmanager
def held(listen: str) -> Iterator[str]:
    """Holds HOST:PORT for processes that share it; yields it, with a free port for port 0.

    Raises:
        WorkersError: somebody else has it, or it cannot be had.
    """
    host, _, port = listen.rpartition(":")
    with ExitStack() as stack:
        try:
            number = 0
            for family, _, _, _, address in socket.getaddrinfo(
                host.strip("[]"), int(port), type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE
            ):
                with suppress(_NotHereError):
                    number = _hold(stack, family, (address[0], number or address[1], *address[2:]))
        except OSError as error:
            raise WorkersError(f"cannot listen: {listen}: {error.strerror}") from None
        if not number:
            raise WorkersError(f"cannot listen: {listen} is not an address of this machine")
        yield f"{host}:{number}"


class _NotHereError(Exception):
    """The machine has no such address."""


def _hold(stack: ExitStack, family: socket.AddressFamily, address: tuple[Any, ...]) -> int:
    """Holds a port until the stack is left; returns its number."""
    with socket.socket(family) as alone:  # it is not to be had while others listen there, even if they would share
        alone.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            alone.bind(address)
        except OSError as error:
            if error.errno in _NOT_HERE:
                raise _NotHereError from None
            raise
        port: int = alone.getsockname()[1]
    shared = stack.enter_context(socket.socket(family))
    for option in (socket.SO_REUSEADDR, socket.SO_REUSEPORT):
        shared.setsockopt(socket.SOL_SOCKET, option, 1)
    shared.bind((address[0], port, *address[2:]))
    shared.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 0)  # or one that shares nothing could have it too
    return port


@dataclass(slots=True)
class _Worker:
    """A place for a worker; `due_s` is when the next one is to be started, if none runs."""

    number: int
    process: BaseProcess | None = None
    connection: Connection | None = None
    since_s: float = 0.0
    due_s: float = 0.0
    quick_ends: int = 0
    listens: bool = False


class Workers:
    """Keeps so many workers.

    Args:
        work: what each of them does; it is pickled.
        count: how many they are.
        drain_s: how long they may take to end.
    """

    def __init__(self, work: Work, count: int, drain_s: float) -> None:
        self._work: Final = work
        self._drain_s: Final = drain_s
        self._context: Final = multiprocessing.get_context("spawn")
        self._workers: Final = [_Worker(number) for number in range(count)]
        self._complete = False

    def run(self, ready: Callable[[], None], *, stop_with_stdin: bool) -> None:
        """Keeps them until SIGTERM, SIGINT or, if asked, the end of standard input; then lets them end in order.

        Calls `ready` once all of them listen.

        Raises:
            WorkersError: one does not start, or ends again and again.
        """
        with _asked_to_stop() as asked:
            sources = [asked, *([sys.stdin.fileno()] if stop_with_stdin else [])]
            try:
                due_s = self._start()
                while not self._is_over(wait([*sources, *self._connections()], due_s), sources):
                    if not self._complete and all(worker.listens for worker in self._workers):
                        self._complete = True
                        ready()
                    due_s = self._start()
            finally:
                self._end()

    def _connections(self) -> list[Connection]:
        return [worker.connection for worker in self._workers if worker.connection is not None]

    def _start(self) -> float | None:
        """Starts those that are due; returns in how many seconds the next one will be."""
        now = time.monotonic()
        for worker in self._workers:
            if worker.process is None and worker.due_s <= now:
                worker.connection, theirs = self._context.Pipe()
                worker.process = self._context.Process(target=self._work, args=(worker.number, theirs))
                worker.process.start()
                theirs.close()
                worker.since_s = now
        dues = [worker.due_s - now for worker in self._workers if worker.process is None]
        return min(dues, default=None)

    def _is_over(self, heard: Sequence[Any], sources: Sequence[Any]) -> bool:
        """Hears what there is to hear; returns whether it is time to stop."""
        for worker in self._workers:
            if worker.connection in heard:
                self._hear(worker, worker.connection)
        return any(source in heard and not _goes_on(source) for source in sources)

    def _hear(self, worker: _Worker, connection: Any) -> None:
        try:
            failure = connection.recv()
        except (EOFError, OSError):
            self._bury(worker)
            return
        if failure is not None:
            raise WorkersError(failure)
        worker.listens = True

    def _bury(self, worker: _Worker) -> None:
        """Lets a worker that has died be started again."""
        process, now = worker.process, time.monotonic()
        if process is None or worker.connection is None:
            raise AssertionError("only workers that run are heard")
        process.join()
        worker.connection.close()
        worker.quick_ends = worker.quick_ends + 1 if now - worker.since_s < _STEADY_S else 0
        if not self._complete:
            raise WorkersError(f"worker {worker.number} ended with code {process.exitcode} before it listened")
        if worker.quick_ends == _QUICK_ENDS:
            raise WorkersError(f"worker {worker.number} ends again and again, at last with code {process.exitcode}")
        worker.due_s = now + (_FIRST_PAUSE_S * 2**worker.quick_ends if worker.quick_ends else 0.0)
        _log.error("worker %d ended with code %d and is started again", worker.number, process.exitcode)
        worker.process = worker.connection = None

    def _end(self) -> None:
        """Lets the workers drain, and kills those that take too long."""
        for connection in self._connections():
            connection.close()
        deadline = time.monotonic() + self._drain_s + _KILLED_AFTER_S
        for worker in self._workers:
            if worker.process is not None:
                worker.process.join(max(0.0, deadline - time.monotonic()))
                if worker.process.exitcode is None:
                    _log.error("worker %d does not end and is killed", worker.number)
                    worker.process.kill()
                    worker.process.join()


@contextmanager
def _asked_to_stop() -> Iterator[socket.socket]:
    """Yields what can be read once the process is asked to stop."""
    asked, ask = socket.socketpair()
    with asked, ask:
        before = {
            number: signal.signal(number, lambda *_: ask.send(b"\0")) for number in (signal.SIGTERM, signal.SIGINT)
        }
        try:
            yield asked
        finally:
            for number, handler in before.items():
                signal.signal(number, handler)


def _goes_on(source: Any) -> bool:
    """Whether a source of an end has only said something, as standard input may."""
    return isinstance(source, int) and os.read(source, 1024) != b""
