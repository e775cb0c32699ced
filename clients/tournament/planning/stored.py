"""Plans as text, and what sets two of them apart."""

import json
from collections.abc import Iterator, Mapping
from typing import Any, Final

import msgspec

from clients.tournament.plan import FormatName, Plan

_ORDERED: Final = {FormatName.AB, FormatName.SWISS}
"""The formats that heed the order of entrants: the first is tested against the second, equals are ranked by it."""


def plan_to_json(plan: Plan) -> bytes:
    """Returns a plan as JSON, the same for the same plan."""
    return msgspec.json.encode(plan)


def plan_from_json(text: bytes) -> Plan:
    """Returns the plan that `plan_to_json` wrote.

    Raises:
        msgspec.DecodeError: it is none.
    """
    return msgspec.json.decode(text, type=Plan)


def differences(then: Plan, now: Plan) -> list[str]:
    """Says what of a plan is not as it was. The order of games means nothing, that of entrants only to some formats."""
    found = list(_differences(_tree(then), _tree(now), ""))
    order = [[entrant.name for entrant in plan.entrants] for plan in (then, now)]
    if then.format.name in _ORDERED and order[0] != order[1] and sorted(order[0]) == sorted(order[1]):
        found.append(f"entrants were in the order {_shown(order[0])}, are in {_shown(order[1])}")
    return found


def _tree(plan: Plan) -> dict[str, Any]:
    return {
        **msgspec.to_builtins(plan),
        "games": {game.name: "" for game in plan.games},
        "entrants": {entrant.name: msgspec.to_builtins(entrant) for entrant in plan.entrants},
    }


def _differences(then: Mapping[str, Any], now: Mapping[str, Any], path: str) -> Iterator[str]:
    for key in [*then, *(key for key in now if key not in then)]:
        name = f"{path}{key}"
        if key not in now:
            yield f"{name} is missing"
        elif key not in then:
            yield f"{name} is new"
        elif isinstance(then[key], dict):
            yield from _differences(then[key], now[key], f"{name}.")
        elif then[key] != now[key]:
            yield f"{name} was {_shown(then[key])}, is {_shown(now[key])}"


def _shown(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)
