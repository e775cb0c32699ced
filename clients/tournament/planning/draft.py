"""What is asked for, not yet checked: the content of a tournament file and of flags, and where each part stands."""

import re
import tomllib
from bisect import bisect_left
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, NamedTuple

from clients.tournament.planning import positions
from referee.games import registry

FLAGS: Final[Mapping[str, positions.Path]] = {
    "--name": ("name",),
    "--deals": ("deals",),
    "--seed": ("seed",),
    "--concurrency": ("concurrency",),
    "--independent-deals": ("independent_deals",),
    "--rounds": ("format", "rounds"),
    "--groups": ("format", "groups"),
    "--champion": ("format", "champions"),
    "--elo0": ("format", "elo0"),
    "--elo1": ("format", "elo1"),
    "--alpha": ("format", "alpha"),
    "--beta": ("format", "beta"),
    "--batch": ("format", "batch"),
    "--move-limit": ("clocks", "move_limit_ms"),
    "--bank": ("clocks", "bank_ms"),
    "--increment": ("clocks", "increment_ms"),
    "--margin": ("clocks", "margin_ms"),
    "--illegal-moves": ("faults", "illegal_moves"),
    "--disconnect-grace": ("faults", "disconnect_grace_ms"),
}
"""The flags that stand for one key each; --format, --entrants, --ruleset and --seats say more, see `with_flags`."""

_SYNTAX: Final = re.compile(r"(?P<text>.*) \(at (?:line (?P<line>\d+), column (?P<column>\d+)|end of document)\)", re.S)


class Place(NamedTuple):
    """Where something stands: a line of a file, or, with line 0, a flag."""

    source: str
    line: int = 0

    def __str__(self) -> str:
        return f"{self.source}:{self.line}" if self.line else self.source


class Fault(NamedTuple):
    """What is wrong, and where."""

    place: Place
    text: str

    def __str__(self) -> str:
        return f"{self.place}: {self.text}"


class PlanError(ValueError):
    """A file or flags that make no plan; the text tells every fault on a line of its own."""

    def __init__(self, faults: Sequence[Fault]) -> None:
        self.faults: Final = tuple(sorted(dict.fromkeys(faults), key=lambda fault: fault.place.line))
        super().__init__("\n".join(map(str, self.faults)))


@dataclass(frozen=True, slots=True)
class Draft:
    """What is asked for: tables as in a tournament file, and the places of their parts, of the whole at least."""

    content: dict[str, Any]
    places: dict[positions.Path, Place]

    def place(self, path: positions.Path) -> Place:
        """Returns where something stands; of what is missing, where it would belong."""
        while path not in self.places:
            path = path[:-1]
        return self.places[path]

    def put(self, path: positions.Path, value: Any, place: Place) -> None:
        """Puts a value in the place of what there is; not into what should be a table and is none."""
        *tables, last = path
        inner: Any = self.content
        for key in tables:
            inner = inner.setdefault(key, {})
            if not isinstance(inner, dict):
                return
        inner[last] = value
        for known in [known for known in self.places if known[: len(path)] == path]:
            del self.places[known]
        self.places[path] = place


def read_file(path: Path) -> Draft:
    """Reads a tournament file.

    Raises:
        PlanError: it is not TOML.
        OSError: it cannot be read.
    """
    raw, name = path.read_bytes(), str(path)
    try:
        text = raw.decode()
        content = tomllib.loads(text)
        lines = positions.lines(text)
    except UnicodeDecodeError as error:
        line = raw.count(b"\n", 0, error.start) + 1
        raise PlanError([Fault(Place(name, line), "has bytes that are not UTF-8")]) from None
    except tomllib.TOMLDecodeError as error:
        raise PlanError([_syntax_fault(name, text, str(error))]) from None
    except (RecursionError, ValueError) as error:
        what = "is nested too deeply" if isinstance(error, RecursionError) else "has a number of too many digits"
        raise PlanError([Fault(Place(name, _first_line(text, type(error))), what)]) from None
    return Draft(content, {(): Place(name, 1)} | {where: Place(name, line) for where, line in lines.items()})


def with_flags(draft: Draft, flags: Mapping[str, Any]) -> None:
    """Puts flags, by their names, over what a draft says.

    --entrants are all that take part, --ruleset all that is played, or else every ruleset if there are no games, and
    --seats those of every game. Another --format does away with all that is said of the one before.
    """
    if "--format" in flags and _format_name(draft) != flags["--format"]:
        draft.put(("format",), {"name": flags["--format"]}, Place("--format"))
    if "--entrants" in flags:
        draft.put(("entrants",), [{"bot": bot} for bot in flags["--entrants"]], Place("--entrants"))
    if "--ruleset" in flags:
        draft.put(("games",), [{"ruleset": ruleset} for ruleset in flags["--ruleset"]], Place("--ruleset"))
    if "games" not in draft.content:
        draft.content["games"] = [{"ruleset": ruleset} for ruleset in registry()]
    if "--seats" in flags:
        for place, game in enumerate(_games(draft)):
            game["seats"] = flags["--seats"]
            draft.places[("games", place, "seats")] = Place("--seats")
    for flag in flags.keys() & FLAGS.keys():
        draft.put(FLAGS[flag], flags[flag], Place(flag))


def _format_name(draft: Draft) -> Any:
    stated = draft.content.get("format")
    return stated.get("name") if isinstance(stated, dict) else stated


def _games(draft: Draft) -> list[dict[str, Any]]:
    games = draft.content.get("games")
    return games if isinstance(games, list) and all(isinstance(game, dict) for game in games) else []


def _syntax_fault(name: str, text: str, message: str) -> Fault:
    found = _SYNTAX.fullmatch(message)
    if found is None or found["line"] is None:
        return Fault(Place(name, text.count("\n") + 1), found["text"] if found else message)
    return Fault(Place(name, int(found["line"])), f"column {found['column']}: {found['text']}")


def _first_line(text: str, kind: type[Exception]) -> int:
    """Returns the first line with which reading fails in this way, about which `tomllib` says nothing."""
    lines = text.splitlines(keepends=True)

    def fails(count: int) -> bool:
        try:
            beginning = "".join(lines[:count])
            tomllib.loads(beginning)
            positions.lines(beginning)
        except tomllib.TOMLDecodeError:
            return False
        except kind:
            return True
        return False

    return bisect_left(range(1, len(lines)), True, key=fails) + 1
