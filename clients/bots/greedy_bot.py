"""A bot that looks one move ahead."""

import random
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

from artreferee.v1 import match_pb2, ruleset_pb2
from clients.bots import art_decko, artsee, classic_art
from clients.sdk import Budget
from referee.wire import wires

Rate = Callable[[Any, Any, Sequence[int]], list[float]]

RATINGS: Final[Mapping[str, Rate]] = {
    "art_decko": art_decko.rate,
    "artsee": artsee.rate,
    "classic_art": classic_art.rate,
}
"""The evaluation of each ruleset: (game, view, move ids) -> a value for each move, higher is better."""


class GreedyBot:
    """Chooses the move after which the position looks best; equals are drawn by lot."""

    name = "greedy"
    version = "1"
    detail = match_pb2.DETAIL_IDS

    def choose(
        self,
        view: ruleset_pb2.View,
        legal_moves: Sequence[match_pb2.LegalMove],
        budget: Budget,
        rng: random.Random,
    ) -> match_pb2.LegalMove:
        ruleset = str(view.WhichOneof("ruleset"))
        wire = wires()[ruleset]
        ratings = RATINGS[ruleset](wire.game, wire.view_from(view), [move.id for move in legal_moves])
        best = max(ratings)
        return rng.choice([move for move, rating in zip(legal_moves, ratings, strict=True) if rating == best])
