"""Reading tables of a draft: every fault is kept, with its place, and the rest is read on."""

from collections.abc import Mapping
from difflib import get_close_matches
from typing import Any, Final

from clients.tournament.planning.draft import Draft, Fault
from clients.tournament.planning.positions import Path
from clients.tournament.planning.values import Check, ValueFaultError, listed, shown


class Reading:
    """What is read of a draft, and the faults found so far."""

    def __init__(self, draft: Draft) -> None:
        self.draft: Final = draft
        self.faults: Final = list[Fault]()

    def fault(self, path: Path, text: str) -> None:
        """Keeps a fault of what stands, or would stand, at a path."""
        self.faults.append(Fault(self.draft.place(path), text))

    def table(self, path: Path, content: Mapping[str, Any], keys: Mapping[str, Check], kind: str) -> dict[str, Any]:
        """Returns what is right of a table, of a kind that may have these keys."""
        read = dict[str, Any]()
        for key, value in content.items():
            if key not in keys:
                self.fault((*path, key), f"{kind} has no {shown(key)}; {suggestion(key, list(keys))}")
                continue
            try:
                read[key] = keys[key](value)
            except ValueFaultError as fault:
                self.fault((*path, key), f"{dotted((*path, key))} {fault}")
        return read


def dotted(path: Path) -> str:
    """Returns the keys of a path; which entry of a list is meant, its line tells."""
    return ".".join(key for key in path if isinstance(key, str))


def suggestion(word: str, known: list[str]) -> str:
    """Says what may have been meant, or else what there is."""
    close = get_close_matches(word, known, n=1)
    printable = [name if name.isprintable() else shown(name) for name in known]
    return f"did you mean {shown(close[0])}?" if close else f"known are {listed(printable, 'and')}"
