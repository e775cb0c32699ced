"""A bot that knows no better."""

import random
from collections.abc import Sequence

from artreferee.v1 import match_pb2, ruleset_pb2
from clients.sdk import Budget


class RandomBot:
    """Chooses uniformly among the legal moves."""

    name = "random"
    version = "1"
    detail = match_pb2.DETAIL_IDS

    def choose(
        self,
        view: ruleset_pb2.View,
        legal_moves: Sequence[match_pb2.LegalMove],
        budget: Budget,
        rng: random.Random,
    ) -> match_pb2.LegalMove:
        return rng.choice(legal_moves)
