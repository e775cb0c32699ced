"""Servers under measurement, as processes of their own."""

import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


@contextmanager
def server(*command: str) -> Iterator[tuple[str, int]]:
    """Runs a Python module that prints "listening on HOST:PORT"; yields the address and the process id."""
    process = subprocess.Popen([sys.executable, "-m", *command], stdout=subprocess.PIPE, text=True)
    try:
        line = process.stdout.readline().strip() if process.stdout else ""
        if not line.startswith("listening on "):
            raise RuntimeError(f"{command[0]} did not start: {line}")
        yield line.removeprefix("listening on "), process.pid
    finally:
        process.terminate()
        process.wait()
        if process.stdout:
            process.stdout.close()


def cpu_seconds(pid: int) -> float:
    """Returns the processor time that a process has used so far, all its threads together."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(") ")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
