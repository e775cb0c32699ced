"""Real servers for tests, started for a block and gone after it, also when the test fails or is killed."""

import asyncio
import os
import select
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Awaitable, Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, Final, TypeVar

import pytest

from referee.store import embedded
from referee.store.keeper import find_server

DEBIAN_REDIS: Final = "/usr/bin/redis-server"
START_S: Final = 20.0  # a deadline, not a measure: the machine may be busy
STOP_S: Final = 20.0
_POLL_S: Final = 0.005

# A server that outlives a killed test run would be an orphan: the kernel ends it with its parent.
_DIE_WITH_PARENT: Final = (
    "import ctypes, os, signal, sys\n"
    "sys.platform == 'linux' and ctypes.CDLL(None).prctl(1, signal.SIGKILL)\n"
    "os.execv(sys.argv[1], sys.argv[1:])"
)
_SERVE: Final = ("serve", "--stop-with-stdin")

T = TypeVar("T")


async def eventually(probe: Callable[[], Awaitable[T]], within_s: float = 10.0) -> T:
    """Asks again and again until the answer is true, and returns it."""
    async with asyncio.timeout(within_s):
        while not (answer := await probe()):  # noqa: ASYNC110 - what is asked about has no event
            await asyncio.sleep(_POLL_S)
    return answer


def wait_until(probe: Callable[[], bool], what: str, within_s: float = 10.0) -> None:
    """Waits until `probe` tells that `what` is so."""
    deadline = time.monotonic() + within_s
    while not probe():
        if time.monotonic() > deadline:
            raise AssertionError(f"not within {within_s} s: {what}")
        time.sleep(_POLL_S)


def is_running(pid: int) -> bool:
    """Whether there is such a process; one that ended and waits for its parent to notice is not running."""
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    try:
        state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except OSError:
        return not Path("/proc/self/stat").exists()
    return state not in "ZX"


def required_program(path: str, package: str) -> str:
    """Returns a program that a test needs. Where there is none the test is skipped, but on CI it fails."""
    if Path(path).is_file():
        return path
    reason = f"there is no {path}: install {package}"
    if os.environ.get("CI") == "true":
        pytest.fail(reason)
    pytest.skip(reason)


def debian_redis() -> str:
    """Returns Debian's redis-server, which is the oldest that is promised to do."""
    return required_program(DEBIAN_REDIS, "redis-server")


def bundled_server() -> str:
    """Returns the server program that is embedded by default."""
    return find_server()


def usual_server() -> str:
    """Returns Debian's redis-server where there is one, else the server program that is embedded by default."""
    return DEBIAN_REDIS if Path(DEBIAN_REDIS).exists() else bundled_server()


@contextmanager
def embedded_store(directory: Path, fsync: str = "no") -> Iterator[str]:
    """Runs the embedded store; yields its URL."""
    store = embedded.start(directory, fsync)
    try:
        yield store.url
    finally:
        store.stop()


@dataclass
class StoreServer:
    """A server program on a unix socket, which a test may end and start again.

    Attributes:
        program: its path.
        home: its directory, with a short name, because the path of a socket has at most 107 bytes.
        fsync: how soon it writes to disk, "always", "everysec" or "no"; if None it writes nothing and forgets all.
        others: further settings.
    """

    program: str
    home: Path
    fsync: str | None = None
    others: Mapping[str, str] = field(default_factory=dict)
    _process: subprocess.Popen[bytes] | None = field(default=None, repr=False)

    @property
    def url(self) -> str:
        """Where it listens."""
        return f"unix://{self.home / 's'}"

    def start(self) -> None:
        """Starts it and waits until it listens."""
        path = self.home / "s"
        path.unlink(missing_ok=True)
        settings = {
            "port": "0",
            "unixsocket": str(path),
            "save": "",
            "appendonly": "yes" if self.fsync else "no",
            "appendfsync": self.fsync or "no",
            "dir": str(self.home),
            "logfile": str(self.home / "log"),
            **self.others,
        }
        words = [word for name, value in settings.items() for word in (f"--{name}", value)]
        process = subprocess.Popen(
            _dying_with_parent(self.program, *words),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            start_new_session=True,
        )
        self._process = process
        wait_until(lambda: _answers(path) or process.poll() is not None, f"{self.program} listens", START_S)
        if process.poll() is not None:
            raise AssertionError(f"{self.program} ended at once with exit code {process.returncode}")

    def stop(self) -> None:
        """Stops it in order and waits until it is gone."""
        self._signal(signal.SIGTERM)
        self._end()

    def kill(self) -> None:
        """Kills it, if it runs, and waits until it is gone."""
        if self._process is not None:
            self._process.kill()
            self._end()

    def pause(self) -> None:
        """Makes it hang: connections stay, nothing is answered."""
        self._signal(signal.SIGSTOP)

    def go_on(self) -> None:
        """Ends a pause."""
        self._signal(signal.SIGCONT)

    def _signal(self, number: signal.Signals) -> None:
        _running(self._process).send_signal(number)

    def _end(self) -> None:
        _running(self._process).wait(STOP_S)
        self._process = None


@contextmanager
def running_program(log: Path, address: str, *words: str, **variables: str) -> Iterator[None]:
    """Runs a program that listens on HOST:PORT and writes to `log`; its environment has so many more variables."""
    with log.open("ab") as output:
        process = subprocess.Popen(
            _dying_with_parent(*words),
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=output,
            start_new_session=True,
            env=os.environ | variables,
        )
    try:
        wait_until(lambda: _is_open(address) or process.poll() is not None, f"{words[0]} listens", START_S)
        if process.poll() is not None:
            raise AssertionError(f"{words[0]} ended at once: {log.read_text()}")
        yield
    finally:
        process.terminate()
        _end(process)


def _is_open(address: str) -> bool:
    host, _, port = address.rpartition(":")
    with socket.socket() as probe:
        return probe.connect_ex((host, int(port))) == 0


def _dying_with_parent(*words: str) -> list[str]:
    return [sys.executable, "-S", "-c", _DIE_WITH_PARENT, *words]


def _running(process: subprocess.Popen[bytes] | None) -> subprocess.Popen[bytes]:
    if process is None:
        raise AssertionError("the server does not run")
    return process


def _answers(path: Path) -> bool:
    with socket.socket(socket.AF_UNIX) as probe:
        probe.settimeout(START_S)
        try:
            probe.connect(str(path))
            probe.sendall(b"PING\r\n")
            return probe.recv(16).startswith(b"+PONG")
        except OSError:
            return False


@contextmanager
def store_server(program: str, fsync: str | None = None, **others: str) -> Iterator[StoreServer]:
    """Runs a server program; in the names of other settings "_" stands for "-"."""
    settings = {name.replace("_", "-"): value for name, value in others.items()}
    server = StoreServer(program, Path(tempfile.mkdtemp(prefix="store-")), fsync, settings)
    try:
        server.start()
        yield server
    finally:
        server.kill()
        shutil.rmtree(server.home, ignore_errors=True)


@dataclass
class RefereeProcess:
    """A `referee serve`, which a test may end and start again on the same port.

    Attributes:
        log: the file with what it writes to standard error.
        arguments: further arguments of the command.
        variables: what its environment has besides.
        address: HOST:PORT; with the first start a free port is taken.
    """

    log: Path
    arguments: tuple[str, ...]
    variables: Mapping[str, str] = field(default_factory=dict, repr=False)
    address: str = "127.0.0.1:0"
    _process: subprocess.Popen[bytes] | None = field(default=None, repr=False)

    @property
    def pid(self) -> int:
        """Its process id, which is that of its process group too."""
        return _running(self._process).pid

    def start(self) -> None:
        """Starts it and waits until it listens."""
        with self.log.open("ab") as messages:
            self._process = subprocess.Popen(
                [sys.executable, "-m", "referee", *_SERVE, "--listen", self.address, *self.arguments],
                stdin=subprocess.PIPE,  # its other end closes with the test run, however that ends
                stdout=subprocess.PIPE,
                stderr=messages,
                start_new_session=True,
                env={name: value for name, value in os.environ.items() if not name.startswith("REFEREE_")}
                | dict(self.variables),
            )
        try:
            self.address = _address(self._process, self.log)
        except AssertionError:
            self.end()
            raise

    def interrupt_group(self) -> None:
        """Does what Ctrl-C at a terminal does: SIGINT to the whole process group."""
        os.killpg(self.pid, signal.SIGINT)

    def terminate(self) -> None:
        """Asks it to stop."""
        _running(self._process).terminate()

    def kill(self) -> None:
        """Kills it and waits until it is gone."""
        _running(self._process).kill()
        self.end()

    def wait(self, within_s: float = STOP_S) -> int:
        """Waits for its end and returns its exit code."""
        return _running(self._process).wait(within_s)

    def end(self) -> None:
        """Ends it, if it runs: in order, or else by force."""
        if self._process is not None:
            _end(self._process)
            self._process = None


def free_port() -> int:
    """Returns a port of the loopback that nobody listens on."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


@contextmanager
def referee_process(log: Path, *arguments: str, **variables: str) -> Iterator[RefereeProcess]:
    """Runs `referee serve` on a free port, with a store among the arguments or the environment's variables."""
    referee = RefereeProcess(log, arguments, variables)
    referee.start()
    try:
        yield referee
    finally:
        referee.end()


def _address(process: subprocess.Popen[bytes], log: Path) -> str:
    word, _, address = _first_line(process.stdout).partition("listening on ")
    if word or not address:
        raise AssertionError(f"the referee does not listen: {log.read_text()}")
    return address


def _first_line(pipe: IO[bytes] | None) -> str:
    if pipe is None:
        raise AssertionError("the process is started with pipes")
    deadline, line = time.monotonic() + START_S, b""
    while not line.endswith(b"\n"):
        left = deadline - time.monotonic()
        if left <= 0 or not select.select([pipe], [], [], left)[0]:
            raise AssertionError(f"not a line within {START_S} s, only {line!r}")
        part = os.read(pipe.fileno(), 1024)
        if not part:
            break
        line += part
    return line.decode().strip()


def _end(process: subprocess.Popen[bytes]) -> None:
    for pipe in (process.stdin, process.stdout):
        if pipe is not None:
            pipe.close()
    try:
        process.wait(STOP_S)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()
