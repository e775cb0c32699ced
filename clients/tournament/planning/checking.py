"""From a draft to a plan."""

from collections.abc import Mapping, Sequence
from typing import Any, Final

from clients.tournament.plan import Clocks, Entrant, Format, FormatName, Plan
from clients.tournament.planning import values
from clients.tournament.planning.draft import Draft, PlanError
from clients.tournament.planning.games import games_of
from clients.tournament.planning.reading import Reading, suggestion
from clients.tournament.planning.taking_part import EntrantReader
from clients.tournament.planning.values import Check, shown

_WEEK_MS: Final = 7 * 24 * 3600 * 1000  # this and the next three are what the contract allows
_HOUR_MS: Final = 3600 * 1000
_MARGIN_MS: Final = 10_000
_ILLEGAL_MOVES: Final = 1000

_PLAN: Final[Mapping[str, Check]] = {
    "name": values.text(100),
    "deals": values.whole(1, 100_000),
    "seed": values.text(1000),
    "concurrency": values.whole(1, 1000),
    "independent_deals": values.yes_or_no,
    "format": values.table,
    "clocks": values.table,
    "faults": values.table,
    "games": values.tables,
    "entrants": values.tables,
}
_CLOCKS: Final[Mapping[str, Check]] = {
    "move_limit_ms": values.whole(0, _WEEK_MS),
    "bank_ms": values.whole(0, _WEEK_MS),
    "increment_ms": values.whole(0, _HOUR_MS),
    "margin_ms": values.whole(0, _MARGIN_MS),
}
_FAULTS: Final[Mapping[str, Check]] = {
    "illegal_moves": values.whole(0, _ILLEGAL_MOVES),
    "disconnect_grace_ms": values.whole(0, _WEEK_MS),
}
_SAMPLE: Final = {"groups": values.whole(0, 1_000_000)}
_FORMATS: Final[Mapping[FormatName, Mapping[str, Check]]] = {
    FormatName.ROUND_ROBIN: _SAMPLE,
    FormatName.GAUNTLET: {"champions": values.several(values.name), **_SAMPLE},
    FormatName.SWISS: {"rounds": values.whole(0, 1000)},
    FormatName.AB: {
        "elo0": values.number(-1000, 1000),
        "elo1": values.number(-1000, 1000),
        "alpha": values.number(0, 0.5),
        "beta": values.number(0, 0.5),
        "batch": values.whole(1, 1000),
    },
}


def checked(draft: Draft) -> Plan:
    """Returns the plan that a draft makes.

    Raises:
        PlanError: with every fault there is.
    """
    reading = Reading(draft)
    stated = reading.table((), draft.content, _PLAN, "a plan")
    games = games_of(reading, ("games",), stated.pop("games", []))
    entrants = EntrantReader(reading).read(("entrants",), stated.pop("entrants", []))
    decided = _format(reading, stated.pop("format", {}))
    clocks = _clocks(reading, stated.pop("clocks", {}), stated.pop("faults", {}))
    _check_entrants(reading, entrants, decided, max((game.seats for game in games), default=0))
    if reading.faults:
        raise PlanError(reading.faults)
    return Plan(games=tuple(games), entrants=tuple(entrants), format=decided, clocks=clocks, **stated)


def _format(reading: Reading, table: Mapping[str, Any]) -> Format:
    name = table.get("name", FormatName.ROUND_ROBIN)
    if name not in list(FormatName):
        names = [str(known) for known in FormatName]
        reading.fault(("format", "name"), f"format.name is {shown(name)}; {suggestion(str(name), names)}")
        return Format()
    keys = {"name": values.choice(FormatName), **_FORMATS[FormatName(name)]}
    read = Format(**reading.table(("format",), table, keys, f"the format {name}"))
    if read.elo0 >= read.elo1:
        reading.fault(("format", "elo0"), f"format.elo0 is {read.elo0:g}, expected less than elo1, {read.elo1:g}")
    return read


def _clocks(reading: Reading, clocks: Mapping[str, Any], faults: Mapping[str, Any]) -> Clocks:
    if clocks.get("increment_ms") and not clocks.get("bank_ms"):
        reading.fault(("clocks", "increment_ms"), "clocks.increment_ms is given without bank_ms, to which it is added")
    if clocks.get("margin_ms") and not _limited(clocks):
        reading.fault(("clocks", "margin_ms"), "clocks.margin_ms is given without move_limit_ms or bank_ms")
    return Clocks(
        **reading.table(("clocks",), clocks, _CLOCKS, "a clock"),
        **reading.table(("faults",), faults, _FAULTS, "what is borne"),
    )


def _limited(clocks: Mapping[str, Any]) -> bool:
    return any(clocks.get(key) not in (None, 0) for key in ("move_limit_ms", "bank_ms"))


def _check_entrants(reading: Reading, entrants: Sequence[Entrant], decided: Format, most_seats: int) -> None:
    """Checks whether those who take part make a tournament; they are counted as stated, right or not."""
    stated = reading.draft.content.get("entrants", [])
    if not isinstance(stated, list) or not all(isinstance(table, dict) for table in stated):
        return
    if len(stated) < 2:
        reading.fault(("entrants",), f"a tournament is between two entrants or more, here are {len(stated)}")
    elif decided.name is FormatName.AB and len(stated) != 2:
        reading.fault(("format", "name"), f"an ab is between two entrants, here are {len(stated)}")
    elif decided.name is FormatName.SWISS and len(stated) < most_seats:
        seats = f"a swiss needs an entrant for each of the {most_seats} seats of a table, here are {len(stated)}"
        reading.fault(
            ("format", "name"), f"{seats}: play games with fewer seats, or another format, which takes copies"
        )
    elif decided.name is FormatName.GAUNTLET:
        names = [table["name"] for table in stated if isinstance(table.get("name"), str)]
        _check_champions(reading, decided.champions, sorted({*names, *(entrant.name for entrant in entrants)}))
    _check_remotes(reading, stated)


def _check_champions(reading: Reading, champions: Sequence[str], names: list[str]) -> None:
    path = ("format", "champions")
    if not champions and path not in reading.draft.places:
        reading.fault(path, "a gauntlet needs champions, who meet all others")
    for number, champion in enumerate(champions):
        if champion not in names:
            reading.fault((*path, number), f"the champion {champion!r} is no entrant; {suggestion(champion, names)}")
        if champion in champions[:number]:
            reading.fault((*path, number), f"the champion {champion!r} is named twice")
    if names and not set(names) - set(champions):
        reading.fault(path, "all entrants are champions: there is nobody to meet them")


def _check_remotes(reading: Reading, stated: Sequence[Mapping[str, Any]]) -> None:
    clocks = reading.draft.content.get("clocks")
    if isinstance(clocks, dict) and _limited(clocks):
        return
    for number, table in enumerate(stated):
        if "principal" in table:
            problem = "a remote entrant could stall for ever: give the clocks a move_limit_ms or bank_ms"
            reading.fault(("entrants", number, "principal"), problem)
