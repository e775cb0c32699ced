"""Which knowledge there is of which ruleset."""

from collections.abc import Callable, Mapping
from typing import Any, Final

from clients.bots.search.art_decko import ArtDeckoEvaluation, ArtDeckoKnowledge
from clients.bots.search.artsee import ArtSeeEvaluation, ArtSeeKnowledge
from clients.bots.search.classic_art import ClassicArtEvaluation, ClassicArtKnowledge
from clients.bots.search.evaluation import Evaluation
from clients.bots.search.knowledge import Knowledge, NoKnowledge
from referee.core.game import AnyGame
from referee.games import registry

_EVALUATIONS: Final[Mapping[str, Callable[[Any], Evaluation[Any]]]] = {
    "art_decko": ArtDeckoEvaluation,
    "artsee": ArtSeeEvaluation,
    "classic_art": ClassicArtEvaluation,
}
_KNOWN: Final[Mapping[str, Callable[[Any], Knowledge]]] = {
    "art_decko": ArtDeckoKnowledge,
    "artsee": ArtSeeKnowledge,
    "classic_art": ClassicArtKnowledge,
}


_made: Final = dict[int, tuple[AnyGame, Knowledge]]()  # by identity, as rules from outside may not be hashable


def knowledge_of(game: AnyGame) -> Knowledge:
    """Returns what is known of a ruleset; of one from outside that is nothing but its rules."""
    if id(game) not in _made:
        make = _KNOWN.get(game.spec.name)
        _made[id(game)] = game, NoKnowledge(game) if make is None else make(game)
    return _made[id(game)][1]


def evaluation_of(ruleset: str) -> Evaluation[Any]:
    """Returns the evaluation of a ruleset that comes with the referee."""
    return _EVALUATIONS[ruleset](registry()[ruleset])
