"""From a tournament file, or flags, to a plan without a fault."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from clients.tournament.plan import Clocks, Entrant, Plan
from clients.tournament.planning import draft
from clients.tournament.planning.checking import checked
from clients.tournament.planning.draft import Draft, Fault, Place, PlanError
from clients.tournament.planning.reading import Reading
from clients.tournament.planning.taking_part import EntrantReader

__all__ = ["DEFAULT_ENTRANTS", "Fault", "Place", "PlanError", "entrant_of", "plan_of"]

DEFAULT_ENTRANTS: Final[Sequence[str]] = ("random", "greedy")


def plan_of(file: Path | None, flags: Mapping[str, Any]) -> Plan:
    """Returns the plan of a tournament file, of flags, or of a file that flags override.

    Paths in it are relative to the directory in which this is called. Bots in files are loaded, and so run, in
    processes of their own; to be called outside of an event loop.

    Args:
        file: in TOML, its keys as in `Plan`, but for `[faults]`, which has `illegal_moves` and `disconnect_grace_ms`.
            Without games every ruleset is played, and a game without seats with all numbers of them.
        flags: those that were given, by their names, such as "--deals".

    Raises:
        PlanError: with every fault there is.
        OSError: the file cannot be read.
    """
    asked = draft.read_file(file) if file else Draft({}, {(): Place("the flags")})
    if not file:
        flags = {"--entrants": DEFAULT_ENTRANTS, **flags}
    draft.with_flags(asked, flags)
    return checked(asked)


def entrant_of(stated: Mapping[str, Any], clocks: Clocks) -> Entrant:
    """Returns the entrant that flags describe, with keys as in a tournament file, for a tournament with these clocks.

    Raises:
        PlanError: with every fault there is.
    """
    asked = Draft({"entrants": [stated]}, {(): Place("the flags")})
    reading = Reading(asked)
    found = EntrantReader(reading).read(("entrants",), [stated])
    if "principal" in stated and not (clocks.move_limit_ms or clocks.bank_ms):
        reading.fault(("entrants", 0, "principal"), "a remote entrant could stall for ever: there is no clock")
    if reading.faults:
        raise PlanError(reading.faults)
    return found[0]
