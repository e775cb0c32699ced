"""Messages to domain values and back, one module a ruleset."""

from collections.abc import Mapping
from functools import cache
from types import MappingProxyType
from typing import cast

from referee.games import registry
from referee.games.classic_art.game import ClassicArt
from referee.wire.classic_art import ClassicArtWire
from referee.wire.ruleset import RulesetWire


@cache
def wires() -> Mapping[str, RulesetWire]:
    """Returns the wire module of every ruleset by its name, in the order of the names."""
    games = registry()
    return MappingProxyType({"classic_art": ClassicArtWire(cast(ClassicArt, games["classic_art"]))})
