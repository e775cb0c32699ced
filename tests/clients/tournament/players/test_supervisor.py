"""The supervisor between a command and its parent: how it ends, and that nothing outlives it."""

import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from clients.tournament.players import Launch, Log, supervisor
from tests.servers import is_running, wait_until

WITHIN_S = 20.0

# Each tells its process ids, one a line, in the file of its first argument, and then waits.
TELL = "import os, signal, subprocess, sys, time; tell = lambda pid: open(sys.argv[1], 'a').write(f'{pid}\\n'); "
GRANDCHILD = TELL + "tell(os.getpid()); tell(subprocess.Popen(['sleep', '1000']).pid); "
DAEMON = TELL + "tell(os.getpid()); tell(subprocess.Popen(['sleep', '1000'], start_new_session=True).pid); "
FOREVER = "time.sleep(1000)"


def launch(code: str, *arguments: str) -> Launch:
    return Launch(("-c", code, *arguments), {}, python=True)


@contextmanager
def supervised(log: Path, code: str, *arguments: str) -> "Iterator[subprocess.Popen[bytes]]":
    wanted = launch(code, *arguments)
    with subprocess.Popen(
        wanted.supervised(str(log)), stdin=subprocess.PIPE, env=wanted.environment(), start_new_session=True
    ) as process:
        try:
            yield process
        finally:
            if process.stdin and not process.stdin.closed:
                process.stdin.close()
            process.wait(WITHIN_S)


def stop(process: "subprocess.Popen[bytes]") -> int:
    assert process.stdin is not None
    process.stdin.close()
    return process.wait(WITHIN_S)


def told(path: Path, count: int) -> list[int]:
    """The process ids that a command told."""
    wait_until(lambda: path.exists() and path.read_text().count("\n") == count, f"{count} lines in {path}", WITHIN_S)
    return [int(line) for line in path.read_text().splitlines()]


@pytest.mark.parametrize("code", [0, 3, 255])
def test_it_ends_with_the_exit_code_of_the_command(tmp_path: Path, code: int) -> None:
    with supervised(tmp_path / "log", f"raise SystemExit({code})") as process:
        assert process.wait(WITHIN_S) == code


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM, signal.SIGSEGV, signal.SIGABRT])
def test_it_ends_by_the_signal_of_the_command(tmp_path: Path, number: int) -> None:
    with supervised(tmp_path / "log", f"import os; os.kill(os.getpid(), {number})") as process:
        assert process.wait(WITHIN_S) == -number


def test_a_command_that_cannot_be_started_is_named_in_the_log(tmp_path: Path) -> None:
    words = Launch(("no-such-program",), {}).supervised(str(tmp_path / "log"))
    assert subprocess.run(words, stdin=subprocess.DEVNULL, check=False).returncode == 127
    assert (tmp_path / "log").read_text() == "no-such-program cannot be started: No such file or directory\n"


def test_what_is_said_on_both_outputs_is_in_the_log_in_order(tmp_path: Path) -> None:
    code = "import os; os.write(1, b'one\\n'); os.write(2, b'two\\n'); os.write(1, b'three\\n')"
    with supervised(tmp_path / "log", code) as process:
        process.wait(WITHIN_S)
    assert (tmp_path / "log").read_text() == "one\ntwo\nthree\n"


def test_what_is_said_is_passed_on_where_that_is_wanted(tmp_path: Path) -> None:
    wanted = launch("print('to be read')")
    run = subprocess.run(
        wanted.supervised("-"), env=wanted.environment(), stdin=subprocess.PIPE, stdout=subprocess.PIPE, check=False
    )
    assert (run.returncode, run.stdout) == (0, b"to be read\n")


def test_a_command_hears_the_end_first_and_may_end_in_order(tmp_path: Path) -> None:
    """Its standard input ends when that of the supervisor does, and no signal comes if it then goes by itself."""
    code = "import sys; print('begun', flush=True); sys.stdin.read(); print('done'); sys.exit(4)"
    with supervised(tmp_path / "log", code) as process:
        wait_until(lambda: (tmp_path / "log").exists(), "the command has begun", WITHIN_S)
        assert stop(process) == 4
    assert (tmp_path / "log").read_text() == "begun\ndone\n"


def test_a_command_that_does_not_listen_is_terminated(tmp_path: Path) -> None:
    with supervised(tmp_path / "log", TELL + "tell(os.getpid()); " + FOREVER, str(tmp_path / "pids")) as process:
        told(tmp_path / "pids", 1)
        assert stop(process) == -signal.SIGTERM


def test_a_command_that_does_not_obey_is_killed(tmp_path: Path) -> None:
    code = TELL + "signal.signal(signal.SIGTERM, signal.SIG_IGN); tell(os.getpid()); " + FOREVER
    with supervised(tmp_path / "log", code, str(tmp_path / "pids")) as process:
        told(tmp_path / "pids", 1)
        assert stop(process) == -signal.SIGKILL


@pytest.mark.parametrize("family", [GRANDCHILD, DAEMON], ids=["in its group", "in a session of its own"])
@pytest.mark.parametrize("end", [FOREVER, "sys.exit(1)"], ids=["stopped", "ended"])
def test_what_a_command_started_does_not_outlive_it(tmp_path: Path, family: str, end: str) -> None:
    """Whether it is stopped or ends by itself, and also what has left its process group."""
    with supervised(tmp_path / "log", family + end, str(tmp_path / "pids")) as process:
        pids = told(tmp_path / "pids", 2)
        if end == FOREVER:
            stop(process)
        process.wait(WITHIN_S)
        assert [pid for pid in pids if is_running(pid)] == []


def test_nothing_outlives_a_parent_that_was_killed(tmp_path: Path) -> None:
    """Its parent cannot say anything any more: the end of the pipe tells."""
    wanted = launch(DAEMON + FOREVER, str(tmp_path / "pids"))
    parent = (
        "import subprocess, sys, time; p = subprocess.Popen(sys.argv[1:], stdin=subprocess.PIPE, "
        f"start_new_session=True); print(p.pid, flush=True); {FOREVER}"
    )
    with subprocess.Popen(
        [sys.executable, "-c", parent, *wanted.supervised(str(tmp_path / "log"))],
        stdout=subprocess.PIPE,
        env=wanted.environment(),
    ) as process:
        assert process.stdout is not None
        pids = [int(process.stdout.readline()), *told(tmp_path / "pids", 2)]
        assert all(is_running(pid) for pid in pids)
        process.kill()
    wait_until(lambda: not any(is_running(pid) for pid in pids), "all are gone", WITHIN_S)


def test_a_command_does_not_outlive_its_supervisor(tmp_path: Path) -> None:
    with supervised(tmp_path / "log", TELL + "tell(os.getpid()); " + FOREVER, str(tmp_path / "pids")) as process:
        (pid,) = told(tmp_path / "pids", 1)
        process.kill()
        process.wait(WITHIN_S)
        wait_until(lambda: not is_running(pid), "the command is gone", WITHIN_S)


def test_ctrl_c_and_hang_ups_are_not_for_it_but_the_command_would_notice_them(tmp_path: Path) -> None:
    """A signal to the supervisor changes nothing; the command has the usual ways of taking signals."""
    code = TELL + "tell(signal.getsignal(signal.SIGHUP).value); tell(os.getpid()); " + FOREVER
    with supervised(tmp_path / "log", code, str(tmp_path / "pids")) as process:
        default, pid = told(tmp_path / "pids", 2)
        process.send_signal(signal.SIGINT)
        process.send_signal(signal.SIGHUP)
        process.send_signal(signal.SIGTERM)
        assert default == signal.SIG_DFL
        assert process.wait(WITHIN_S) == -signal.SIGTERM
        assert not is_running(pid)


def test_orphans_that_end_are_let_go_of_while_the_command_lives(tmp_path: Path) -> None:
    """What a command leaves to its supervisor is no zombie for long."""
    orphan = "import os, sys; os.fork() or (os.setsid(), print(os.getpid(), flush=True), os._exit(0))"
    code = TELL + f"tell(subprocess.check_output([sys.executable, '-c', {orphan!r}]).decode().strip()); " + FOREVER
    with supervised(tmp_path / "log", code, str(tmp_path / "pids")):
        (pid,) = told(tmp_path / "pids", 1)
        wait_until(lambda: not Path(f"/proc/{pid}").exists(), "it is gone altogether", WITHIN_S)


def test_a_log_keeps_the_newest_of_what_was_said_in_bounded_space(tmp_path: Path) -> None:
    """Of 5 MB at least the last one is there, in two files, and at most two and a piece."""
    with supervised(tmp_path / "log", "for n in range(500_000): print(f'{n:09}')") as process:
        process.wait(60)
    kept = (tmp_path / "log.1").read_text() + ((tmp_path / "log").read_text() if (tmp_path / "log").exists() else "")
    assert 1 << 20 <= len(kept) < (2 << 20) + 2 * (1 << 16)
    assert kept.endswith("000499999\n")
    numbers = [int(line) for line in kept.splitlines()[1:]]
    assert numbers == list(range(numbers[0], 500_000))


def test_several_may_write_to_one_log(tmp_path: Path) -> None:
    """No line is torn, and none is lost among those for which there is room."""
    code = (
        f"import sys; sys.path.insert(0, {str(Path(supervisor.__file__).parent)!r}); from pathlib import Path; "
        "from supervisor import Log; log = Log(Path(sys.argv[1]), 1000); "
        "[log.write(f'{sys.argv[2]} {n:04}\\n'.encode()) for n in range(400)]"
    )
    writers = [subprocess.Popen([sys.executable, "-c", code, str(tmp_path / "log"), str(n)]) for n in range(3)]
    assert [writer.wait(WITHIN_S) for writer in writers] == [0, 0, 0]
    Log(tmp_path / "log", 1000).write(b"9 9999\n")
    kept = (tmp_path / "log.1").read_bytes() + (tmp_path / "log").read_bytes()
    assert {len(line) for line in kept.splitlines()} == {6}
    assert 1000 < len(kept) <= 2 * (1000 + 7)


def test_a_supervisor_starts_fast(tmp_path: Path) -> None:
    """It is there for each match of some commands: it loads nothing but a part of the standard library."""
    began = time.monotonic()
    for _ in range(5):
        with supervised(tmp_path / "log", "pass") as process:
            process.wait(WITHIN_S)
    bare = time.monotonic()
    for _ in range(5):
        subprocess.run([sys.executable, "-c", "pass"], check=True)
    assert bare - began < 5 * (time.monotonic() - bare) + 1.0
