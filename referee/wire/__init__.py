"""Messages to domain values and back, one module a ruleset."""

from collections.abc import Mapping
from functools import cache
from importlib.metadata import entry_points
from types import MappingProxyType
from typing import Final, cast

from artreferee.v1 import ruleset_pb2
from referee.games import registry
from referee.games.art_decko.game import ArtDecko
from referee.games.artsee.game import ArtSee
from referee.games.classic_art.game import ClassicArt
from referee.wire.art_decko import ArtDeckoWire
from referee.wire.artsee import ArtSeeWire
from referee.wire.classic_art import ClassicArtWire
from referee.wire.ruleset import RulesetWire

PLUG_INS: Final = "artreferee.wires"
"""The entry-point group of wire modules from outside: each is named as its ruleset and takes that ruleset's game."""


@cache
def wires() -> Mapping[str, RulesetWire]:
    """Returns the wire module of every ruleset by its name, in the order of the names.

    Raises:
        ValueError: a ruleset has none.
    """
    games = registry()
    found: dict[str, RulesetWire] = {
        "art_decko": ArtDeckoWire(cast(ArtDecko, games["art_decko"])),
        "artsee": ArtSeeWire(cast(ArtSee, games["artsee"])),
        "classic_art": ClassicArtWire(cast(ClassicArt, games["classic_art"])),
        **{point.name: point.load()(games[point.name]) for point in entry_points(group=PLUG_INS)},
    }
    if missing := sorted(set(games) - set(found)):
        raise ValueError(f"the rulesets {', '.join(missing)} have no wire module")
    return MappingProxyType({name: found[name] for name in games})


def wire_of(move: ruleset_pb2.Move) -> RulesetWire | None:
    """Returns the wire module that a move belongs to; None if there is none."""
    ruleset = move.WhichOneof("ruleset")
    if ruleset != "plugin":
        return wires().get(str(ruleset))
    kind = move.plugin.TypeName()
    return next((wire for wire in wires().values() if wire.plugin_move == kind), None)
