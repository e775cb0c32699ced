"""The servers that tests start: none is left behind, and CI does not get by without one."""

import os
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

from tests.servers import is_running, required_program, wait_until

PROJECT = Path(__file__).parents[2]
STARTS_EVERYTHING = """
import sys, time
from pathlib import Path
from tests.servers import bundled_server, embedded_store, referee_process, store_server
from tests.store.test_keeper import pid_of
home = Path(sys.argv[1])
with store_server(bundled_server()) as server, embedded_store(home / "one") as url:
    with referee_process(home / "log", "--data", str(home / "two")) as referee:
        print(pid_of(server.url), pid_of(url), referee.pid, flush=True)
        sys.stdin.read()
"""


def test_no_server_outlives_a_killed_test_run() -> None:
    with tempfile.TemporaryDirectory(prefix="run-") as home:
        servers = started_by_a_killed_run(home)
        for pid in servers:
            wait_until(lambda pid=pid: not is_running(pid), f"process {pid} is gone", 20.0)  # type: ignore[misc] # loop


def started_by_a_killed_run(home: str) -> list[int]:
    """Returns the process ids of servers that a process has started that was killed; they had been running."""
    command = [sys.executable, "-c", STARTS_EVERYTHING, home]
    environment = {**os.environ, "TMPDIR": home}  # what is left there goes with it
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, cwd=PROJECT, env=environment
    ) as run:
        assert run.stdout is not None
        servers = [int(pid) for pid in run.stdout.readline().split()]
        assert [is_running(pid) for pid in servers] == [True] * 3
        run.kill()
    return servers


def test_a_missing_program_skips_a_test_with_a_plain_reason(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("CI", raising=False)
    with pytest.raises(pytest.skip.Exception, match="there is no /nowhere/redis-server: install redis-server"):
        required_program("/nowhere/redis-server", "redis-server")


def test_a_missing_program_fails_a_test_on_ci(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CI", "true")
    with pytest.raises(pytest.fail.Exception, match="there is no /nowhere/redis-server: install redis-server"):
        required_program("/nowhere/redis-server", "redis-server")
