"""The registry of rulesets."""

from collections.abc import Mapping
from functools import cache
from types import MappingProxyType

from referee.core.game import AnyGame
from referee.games.classic_art.game import ClassicArt


@cache
def registry() -> Mapping[str, AnyGame]:
    """Returns the rules of every ruleset by its name, in the order of the names."""
    games: tuple[AnyGame, ...] = (ClassicArt(),)
    return MappingProxyType({game.spec.name: game for game in sorted(games, key=lambda game: game.spec.name)})
