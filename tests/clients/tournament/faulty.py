"""Entrants with one fault each: `python -m tests.clients.tournament.faulty NAME`, told its seat by its environment."""

import asyncio
import os
import sys
from collections.abc import Sequence
from random import Random

from artreferee.v1 import match_pb2, ruleset_pb2
from clients.bots.connection import Connection
from clients.bots.random_bot import RandomBot
from clients.sdk import Budget, RefereeClient
from tests.faults import bots


class Raising(RandomBot):
    """A bot that raises."""

    def choose(
        self,
        view: ruleset_pb2.View,
        legal_moves: Sequence[match_pb2.LegalMove],
        budget: Budget,
        rng: Random,
    ) -> match_pb2.LegalMove:
        raise KeyError("a card")


class Crashing(RandomBot):
    """A bot that brings its process down at once."""

    def choose(
        self,
        view: ruleset_pb2.View,
        legal_moves: Sequence[match_pb2.LegalMove],
        budget: Budget,
        rng: Random,
    ) -> match_pb2.LegalMove:
        os._exit(1)


async def main(name: str) -> None:
    """Plays a match as faultily as the bot of this name."""
    match_id, seat = os.environ["CURATOR_MATCH"], int(os.environ["CURATOR_SEAT"])
    connection = Connection.taken_from(os.environ)
    async with RefereeClient(connection.address, connection.principal) as client:
        await getattr(bots, name)(bots.Player(client, connection.address, match_id, seat))


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1]))
