"""Makes a copy of the packages in which rules and search are compiled: `python -m clients.bots.compiled FOLDER MYPYC`.

The copy is for bots that search, and for simulation; a referee spends its time elsewhere. MYPYC is the command of an
environment that has mypy and msgspec; it needs a C compiler too. `FOLDER/curator` is curator with the compiled modules.
"""

import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from typing import Final

_PACKAGES: Final = ("artreferee", "clients", "referee")
_COMPILED: Final = ("clients/bots/search", "referee/core", "referee/games")
_INTERPRETED: Final = (
    "__init__.py",
    *("codec.py", "events.py", "evaluation.py"),  # classes that mypyc cannot make
    *("fitting.py", "train.py"),  # of no use in play
)

_LAUNCHER: Final = """#!/bin/sh
# curator, with rules and search compiled
PYTHONPATH='{folder}' PYTHONSAFEPATH=1 exec '{python}' -m clients.curator "$@"
"""


def copy_packages(folder: Path) -> None:
    """Copies the packages into a folder, which is emptied first."""
    shutil.rmtree(folder, ignore_errors=True)
    for package in _PACKAGES:
        source = import_module(package).__path__[0]
        shutil.copytree(source, folder / package, ignore=shutil.ignore_patterns("__pycache__", "node_modules"))


def modules_to_compile(folder: Path) -> Iterator[Path]:
    """The modules to compile."""
    for part in _COMPILED:
        yield from (path for path in sorted((folder / part).rglob("*.py")) if path.name not in _INTERPRETED)


def native(source: str) -> str:
    """Returns the source of a module as mypyc makes the most of it.

    A data class with slots is an ordinary class to mypyc, one without gets slots from it. Where `bytearray` is the type
    of a field, mypyc looks for it among the names of the module.
    """
    source = re.sub(r"\(slots=True\)|, slots=True", "", source)
    if "bytearray" in source:
        source = re.sub(r"^(?=import |from )", "from builtins import bytearray\n", source, count=1, flags=re.MULTILINE)
    return source


def compile_modules(folder: Path, mypyc: Path) -> int:
    """Compiles where they are; returns how many modules."""
    modules = list(modules_to_compile(folder))
    for path in modules:
        path.write_text(native(path.read_text()))
    names = [str(path.relative_to(folder)) for path in modules]
    done = subprocess.run(  # noqa: S603 - nothing in it comes from elsewhere
        [str(mypyc), "--follow-imports=silent", *names], cwd=folder, capture_output=True, text=True, check=False
    )
    if done.returncode:
        sys.exit(f"{mypyc} failed:\n{done.stdout[-4000:]}{done.stderr[-4000:]}")
    shutil.rmtree(folder / "build")
    return len(modules)


def main(folder: Path, mypyc: Path) -> None:
    """Makes the copy."""
    copy_packages(folder)
    count = compile_modules(folder, mypyc)
    launcher = folder / "curator"
    launcher.write_text(_LAUNCHER.format(folder=folder, python=sys.executable))
    launcher.chmod(0o755)
    sys.stdout.write(f"{count} modules are compiled; {launcher} is curator with them\n")


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit("usage: python -m clients.bots.compiled FOLDER MYPYC")
    main(Path(sys.argv[1]).resolve(), Path(sys.argv[2]).absolute())
