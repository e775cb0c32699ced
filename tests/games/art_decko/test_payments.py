"""Payments against all subsets of random hands."""

import random
from itertools import combinations

import pytest

from tests.games.art_decko.build import GAME, payments, play, position, rating
from tests.games.art_decko.moves import DISCOUNT, FIVE, IDS, KINDS, NOUVEAU, ONE, STYLES, TWO, Card
from tests.games.art_decko.naive import NaiveGame

CARDS = [*STYLES, *STYLES, ONE, ONE, ONE, TWO, TWO, FIVE, FIVE, DISCOUNT, DISCOUNT]
RATED = [0, 9, 10, 20, 34, 35, 50, 64, 65, 70]


def all_payments(cards: list[Card], worth: dict[Card, int], cost: int) -> list[list[Card]]:
    """Every subset that pays and in which no card is needless."""
    found = set()
    for count in range(len(cards) + 1):
        for subset in combinations(sorted(cards, key=KINDS.index), count):
            total = sum(worth[card] for card in subset)
            if total >= cost and not any(total - worth[card] >= cost for card in subset):
                found.add(tuple(map(KINDS.index, subset)))
    return [[KINDS[kind] for kind in subset] for subset in sorted(found)]


@pytest.mark.parametrize("number", range(150))
def test_payments_are_all_subsets_without_a_needless_card(number: int) -> None:
    """In the opinion of list, check and naive implementation, for hands of up to nine cards and any cost."""
    rng = random.Random(number)
    cards, cost = rng.sample(CARDS, rng.randint(1, 9)), rng.randint(1, 20)
    ratings = {style: rng.choice(RATED) for style in STYLES}
    state = position(hands=[cards], tokens=[cost, 8, 8, 8], ratings=ratings)
    naive = NaiveGame(2, bytes(32))
    naive.ratings.update(ratings)
    worth = {card: naive.value(card) for card in KINDS}
    expected = all_payments(cards, worth, cost)
    assert sorted(list(map(KINDS.index, cards)) for cards in naive.payments(cards, cost)) == [
        list(map(KINDS.index, cards)) for cards in expected
    ]
    begin = IDS["acquire", 1, NOUVEAU]
    assert (begin in GAME.legal_moves(state, 0)) == bool(expected)
    if expected:
        play(state, ("acquire", 1, NOUVEAU))
        assert payments(state) == expected
        assert rating(state, NOUVEAU) == ratings[NOUVEAU]
