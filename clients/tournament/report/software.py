"""By what a tournament was directed and can be replayed."""

import platform
from importlib.metadata import version

from clients.tournament.plan import Plan
from referee.games import registry


def software(plan: Plan) -> dict[str, str]:
    """Returns names and versions: of this package, of Python, and of the rules of what is played as they are here."""
    played = sorted({game.ruleset for game in plan.games} & set(registry()))
    rules = {f"rules of {name}": registry()[name].spec.rules_version for name in played}
    return {"artreferee": version("artreferee"), "Python": platform.python_version(), **rules}
