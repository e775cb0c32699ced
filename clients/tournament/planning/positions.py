"""Where the keys and values of a TOML document stand, which `tomllib` does not tell."""

import re
import tomllib
from bisect import bisect_left
from collections import Counter
from collections.abc import Mapping
from typing import Final

Path = tuple[str | int, ...]
"""The keys, and the places in lists, that lead to a value."""

_BLANK: Final = re.compile(r"(?:[ \t\n]|#[^\n]*)*")
_SPACE: Final = re.compile(r"[ \t]*")
_STRING: Final = re.compile(
    r'"""(?:\\.|[^\\])*?"{3,5}(?!")'
    r"|'''.*?'{3,5}(?!')"
    r'|"(?:\\.|[^"\\\n])*"'
    r"|'[^'\n]*'",
    re.DOTALL,
)
_BARE_KEY: Final = re.compile(r"[A-Za-z0-9_-]+")
_BARE_VALUE: Final = re.compile(r"[^,\]}\n#]+")


def lines(text: str) -> Mapping[Path, int]:
    """Returns the number of the line, from 1, at which each key, table and entry of a list first stands.

    Args:
        text: a document that `tomllib` reads.
    """
    return _Scanner(text.replace("\r\n", "\n")).scan()


class _Scanner:
    """Reads a document that is known to be right, and so looks only at what tells where things begin and end."""

    def __init__(self, text: str) -> None:
        self._text: Final = text
        self._ends: Final = [match.start() for match in re.finditer("\n", text)]
        self._place = 0
        self._lines: Final = dict[Path, int]()
        self._tables: Final = Counter[Path]()  # how many tables each list of them has so far

    def scan(self) -> Mapping[Path, int]:
        table: Path = ()
        self._skip(_BLANK)
        while self._place < len(self._text):
            if self._text[self._place] == "[":
                table = self._header()
            else:
                self._pair(table)
            self._skip(_BLANK)
        return self._lines

    def _header(self) -> Path:
        in_list = self._text.startswith("[[", self._place)
        began = self._place
        self._place += 2 if in_list else 1
        *outer, last = self._key()
        self._place += 2 if in_list else 1
        path: Path = ()
        for key in outer:
            path = self._newest((*path, key))
            self._note(path, began)
        path = (*path, last)
        self._note(path, began)
        if in_list:
            self._tables[path] += 1
            path = self._newest(path)
            self._note(path, began)
        return path

    def _newest(self, path: Path) -> Path:
        return (*path, self._tables[path] - 1) if path in self._tables else path

    def _pair(self, table: Path) -> None:
        began, path = self._place, table
        for key in self._key():
            path = (*path, key)
            self._note(path, began)
        self._place += 1  # the equals sign
        self._skip(_SPACE)
        self._value(path)

    def _key(self) -> list[str]:
        keys = list[str]()
        while True:
            self._skip(_SPACE)
            string = self._take(_STRING)
            keys.append(tomllib.loads(f"key = {string}")["key"] if string else self._take(_BARE_KEY))
            self._skip(_SPACE)
            if self._text[self._place] != ".":
                return keys
            self._place += 1

    def _value(self, path: Path) -> None:
        match self._text[self._place]:
            case "[":
                self._list(path)
            case "{":
                self._inline_table(path)
            case _:
                _ = self._take(_STRING) or self._take(_BARE_VALUE)

    def _list(self, path: Path) -> None:
        number = 0
        self._step()
        while self._text[self._place] != "]":
            self._note((*path, number), self._place)
            self._value((*path, number))
            self._step_to_next()
            number += 1
        self._place += 1

    def _inline_table(self, path: Path) -> None:
        self._step()
        while self._text[self._place] != "}":
            self._pair(path)
            self._step_to_next()
        self._place += 1

    def _step_to_next(self) -> None:
        self._skip(_BLANK)
        if self._text[self._place] == ",":
            self._step()

    def _step(self) -> None:
        self._place += 1
        self._skip(_BLANK)

    def _note(self, path: Path, place: int) -> None:
        self._lines.setdefault(path, bisect_left(self._ends, place) + 1)

    def _skip(self, what: re.Pattern[str]) -> None:
        self._take(what)

    def _take(self, what: re.Pattern[str]) -> str:
        found = what.match(self._text, self._place)
        if found is None:
            return ""
        self._place = found.end()
        return found[0]
