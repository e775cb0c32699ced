"""`python -m loadtest.tournament`: how fast bots play a tournament, what of the work is the director's, and its memory.

Counts the CPU time of every process of a `curator tournament`, once a second until it ends.
"""

import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

import click

from loadtest.processes import cpu_seconds

_MATCHES_A_DEAL: Final = 6  # two entrants in two rotations, three rulesets
_PAGE: Final = os.sysconf("SC_PAGE_SIZE")
_EVERY_S: Final = 1.0
_PARTS: Final = {"clients.curator": "director", "referee": "referee", "clients.bots.worker": "bots"}


@dataclass
class Seen:
    """A process as it was last seen: its part in the whole, CPU seconds, and resident bytes each time."""

    part: str
    cpu_s: float = 0.0
    resident: list[int] = field(default_factory=list)


def descendants(pid: int) -> Iterator[int]:
    """Yields a process and all below it."""
    try:
        children = [int(child) for child in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]
    except OSError:
        return  # it has ended
    yield pid
    for child in children:
        yield from descendants(child)


def look(pid: int, seen: dict[int, Seen]) -> None:
    """Notes what a process has used so far."""
    try:
        words = Path(f"/proc/{pid}/cmdline").read_bytes().decode().split("\0")
        used_s = cpu_seconds(pid)
        pages = int(Path(f"/proc/{pid}/statm").read_text().split()[1])
    except OSError:
        return  # it has ended
    module = words[words.index("-m") + 1] if "-m" in words[:-1] else ""
    part = "store" if "-server" in words[0] else _PARTS.get(module, "others")
    known = seen.setdefault(pid, Seen(part))
    known.part, known.cpu_s = part, used_s
    known.resident.append(pages * _PAGE)


def played(records: Path) -> int:
    """Counts the matches that are recorded."""
    return records.read_bytes().count(b"\n") if records.exists() else 0


@click.command()
@click.option("--matches", default=2_000, type=click.IntRange(_MATCHES_A_DEAL), show_default=True)
def main(matches: int) -> None:
    """Plays greedy bots against each other."""
    deals = -(-matches // _MATCHES_A_DEAL)
    with tempfile.TemporaryDirectory() as home:
        flags = ("--entrants", "greedy,greedy", "--seats", "2", "--deals", str(deals), "--out", f"{home}/out")
        start, seen = time.monotonic(), dict[int, Seen]()
        command = (sys.executable, "-m", "clients.curator", "tournament", *flags)
        with subprocess.Popen(command, stdout=subprocess.DEVNULL) as process:
            while process.poll() is None:
                for pid in descendants(process.pid):
                    look(pid, seen)
                time.sleep(_EVERY_S)
        took, count = time.monotonic() - start, played(Path(home) / "out" / "records.jsonl")
    if process.returncode:
        sys.exit(f"the tournament ended with exit code {process.returncode}")
    print(f"{count:,} matches in {took:.0f} s, start and report included: {count / took * 60:.0f} a minute")
    total = sum(each.cpu_s for each in seen.values())
    for part in sorted({each.part for each in seen.values()}):
        used = sum(each.cpu_s for each in seen.values() if each.part == part)
        print(f"  {part:9} {used:7.1f} s of CPU, {used / total:5.1%}, {1000 * used / count:6.1f} ms a match")
    for part in ("director", "referee", "store"):
        resident = max((each.resident for each in seen.values() if each.part == part), key=len)
        quarters = [resident[len(resident) * quarter // 4 - 1] >> 20 for quarter in (1, 2, 3, 4)]
        print(f"  {part:9} resident after each quarter of the time: {', '.join(map(str, quarters))} MiB")


if __name__ == "__main__":
    main()
