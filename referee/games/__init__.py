"""The registry of rulesets."""

from collections.abc import Mapping
from functools import cache
from importlib.metadata import entry_points
from types import MappingProxyType
from typing import Final

from referee.core.game import AnyGame
from referee.games.art_decko.game import ArtDecko
from referee.games.artsee.game import ArtSee
from referee.games.classic_art.game import ClassicArt

PLUG_INS: Final = "artreferee.games"
"""The entry-point group of rulesets from outside: each names what returns a Game when called without arguments."""


@cache
def registry() -> Mapping[str, AnyGame]:
    """Returns the rules of every ruleset by its name, in the order of the names.

    Raises:
        ValueError: two rulesets have one name.
    """
    games: list[AnyGame] = [
        ArtDecko(),
        ArtSee(),
        ClassicArt(),
        *(point.load()() for point in entry_points(group=PLUG_INS)),
    ]
    by_name = {game.spec.name: game for game in sorted(games, key=lambda game: game.spec.name)}
    if len(by_name) != len(games):
        raise ValueError(f"two rulesets have one name: {', '.join(sorted(game.spec.name for game in games))}")
    return MappingProxyType(by_name)
