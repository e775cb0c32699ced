"""Whether an order can be carried out as things stand."""

from clients.tournament.pairing import Pairing
from clients.tournament.plan import FormatName
from clients.tournament.state import State


class OrderRefusedError(Exception):
    """An order that cannot be carried out; the text says why."""


def require_newcomer(state: State, name: str) -> None:
    """Raises OrderRefusedError unless an entrant of this name can come in."""
    if state.plan.format.name is FormatName.AB:
        raise OrderRefusedError("an A/B test is between two entrants")
    if name in state.roster and not state.roster[name].withdrawn:
        raise OrderRefusedError(f"{name} takes part already")


def require_active(state: State, name: str) -> None:
    """Raises OrderRefusedError unless an entrant of this name takes part."""
    if name not in state.roster:
        raise OrderRefusedError(f"there is no entrant {name!r}; there are {', '.join(state.roster)}")
    if state.roster[name].withdrawn:
        raise OrderRefusedError(f"{name} has withdrawn")


def pairing_for(state: State, match: str, ranks: tuple[int, ...]) -> Pairing:
    """Returns the pairing that a name or a match id means.

    Raises:
        OrderRefusedError: there is none, or it has another number of seats than there are ranks.
    """
    named = {played.match_id: played.pairing for played in state.played.values()}
    pairing = state.pairing(match) or named.get(match)
    if pairing is None:
        raise OrderRefusedError(f"there is no match {match!r} so far")
    if len(ranks) != len(pairing.entrants):
        raise OrderRefusedError(f"{pairing.name} has {len(pairing.entrants)} seats, not {len(ranks)}")
    return pairing
