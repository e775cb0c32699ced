"""The search sees its view alone: two worlds that differ in what it may not know are searched alike."""

import random
from typing import Any

import pytest

from clients.bots.search import SearchBot
from clients.sdk import Budget
from referee.games import registry
from referee.wire import wires
from tests.clients.bots.search.test_bot import EVERY_TABLE, legal, questions
from tests.games.art_decko.redeal import redealt as redealt_art_decko
from tests.games.artsee.redeal import redealt as redealt_artsee
from tests.games.classic_art.redeal import redealt as redealt_classic_art

REDEALT: dict[str, Any] = {
    "art_decko": redealt_art_decko,
    "artsee": redealt_artsee,
    "classic_art": redealt_classic_art,
}


@pytest.mark.parametrize(("ruleset", "seats"), EVERY_TABLE)
def test_worlds_that_look_alike_are_searched_alike(ruleset: str, seats: int) -> None:
    """Equal moves, visits, values and lines, whatever others hold and whatever comes."""
    game, wire, rng, different = registry()[ruleset], wires()[ruleset], random.Random(seats), 0
    for state, seat in questions(ruleset, seats, 10 + seats, one_in=12):
        twin = REDEALT[ruleset](game, state, seat, rng)
        different += game.encode(twin) != game.encode(state)
        found = [
            SearchBot()
            .search(
                wire.view(game.view(world, seat)), legal(game, world, seat), Budget(iterations=15), random.Random(3)
            )
            .candidates
            for world in (state, twin)
        ]
        assert found[0] == found[1]
    assert different
