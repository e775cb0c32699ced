"""Files that operators replace while a referee runs."""

from pathlib import Path
from typing import Final


class Files:
    """Tells whether files were changed."""

    def __init__(self, *files: Path) -> None:
        self._files: Final = files
        self._versions = self._found()

    def changed(self) -> bool:
        """Whether any differs from what it was when this was asked last, or in the beginning."""
        before, self._versions = self._versions, self._found()
        return before != self._versions

    def _found(self) -> list[tuple[int, ...] | None]:
        return list(map(_version, self._files))


def _version(file: Path) -> tuple[int, ...] | None:
    """What differs when the file does; None of a file that there is not."""
    try:
        facts = file.stat()
    except OSError:
        return None
    return facts.st_dev, facts.st_ino, facts.st_ctime_ns, facts.st_size
