"""A bot that tells how far its match has come."""

import asyncio
import random
from collections.abc import Sequence
from typing import Final

from artreferee.v1 import match_pb2, ruleset_pb2
from clients.bots.random_bot import RandomBot
from clients.sdk import Budget

SOME_MOVES: Final = 40  # of some hundred that matches have


class Counting(RandomBot):
    """Tells when it has been asked for some moves."""

    def __init__(self) -> None:
        self.asked = 0
        self.enough = asyncio.Event()

    def choose(
        self,
        view: ruleset_pb2.View,
        legal_moves: Sequence[match_pb2.LegalMove],
        budget: Budget,
        rng: random.Random,
    ) -> match_pb2.LegalMove:
        self.asked += 1
        if self.asked == SOME_MOVES:
            self.enough.set()
        return super().choose(view, legal_moves, budget, rng)
