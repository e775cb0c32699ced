"""What is believed of the hands of others in Classic Art."""

import random
from collections.abc import Mapping

import pytest

from clients.bots.search.classic_art_belief import Belief
from referee.games.classic_art.state import State
from tests.games.classic_art.build import GAME, put, season
from tests.games.classic_art.moves import CATEGORIES, SCULPTURE
from tests.games.playouts import dealt, samples

SEATS = (2, 3, 4, 5)


def to_come(state: State, category: str = SCULPTURE) -> Mapping[int, float]:
    """The chances of Artworks less Loans to come in a category, as seat 0 has it."""
    return Belief(GAME, GAME.view(state, 0)).to_come()[CATEGORIES.index(category)]


def mean(chances: Mapping[int, float]) -> float:
    return sum(number * chance for number, chance in chances.items())


@pytest.mark.parametrize("seats", SEATS)
def test_before_anyone_does_anything_cards_are_dealt_blindly(seats: int) -> None:
    """Of what is to come each category has its part in all that has not been seen."""
    state = dealt(GAME, seats, 1)
    view, kinds = GAME.view(state, 0), GAME.parts.kinds
    shown = view.played[-kinds:]
    left = [copies - own - seen for copies, own, seen in zip(GAME.parts.copies, view.hand, shown, strict=True)]
    cards = sum(view.hand_sizes[1:]) - (seats - 1) + view.house_size
    for category, name in enumerate(CATEGORIES):
        part = cards * (left[2 * category] - left[2 * category + 1]) / sum(left)
        assert mean(to_come(state, name)) == pytest.approx(part, abs=0.02)


@pytest.mark.parametrize("seats", SEATS)
def test_who_predicts_many_holds_more_of_them(seats: int) -> None:
    plain, many, few = (season(seats) for _ in range(3))
    put(many, 1, SCULPTURE, "7+")
    put(few, 1, SCULPTURE, "2-")
    assert mean(to_come(few)) < mean(to_come(plain)) < mean(to_come(many))


@pytest.mark.parametrize("seats", SEATS)
def test_few_tells_more_of_loans_than_many(seats: int) -> None:
    """In matches who predicts few holds more Loans than usual, and who predicts many about as many as any."""
    kind = 2 * CATEGORIES.index(SCULPTURE) + 1

    def loans(space: str | None) -> float:
        state, rng = season(seats), random.Random(1)
        if space is not None:
            put(state, 1, SCULPTURE, space)
        belief = Belief(GAME, GAME.view(state, 0))
        return sum(belief.world(rng).hands[GAME.parts.kinds + kind] for _ in range(2000)) / 2000

    few, plain, many = loans("2-"), loans(None), loans("7+")
    assert few > plain
    assert few / plain > plain / many


@pytest.mark.parametrize("seats", SEATS)
def test_chances_are_those_of_all_that_may_come(seats: int) -> None:
    for state in samples(GAME, seats, seats, one_in=10):
        for seat in GAME.to_act(state):
            for chances in Belief(GAME, GAME.view(state, seat)).to_come():
                assert sum(chances.values()) == pytest.approx(1.0)


@pytest.mark.parametrize("seats", SEATS)
def test_worlds_are_those_that_the_view_does_not_rule_out(seats: int) -> None:
    rng = random.Random(seats)
    for state in samples(GAME, seats, seats, one_in=6):
        for seat in GAME.to_act(state):
            view = GAME.view(state, seat)
            belief = Belief(GAME, view)
            for _ in range(3):
                world = belief.world(rng)
                assert GAME.view(world, seat) == view
                cards = [*world.hands, *world.played, *world.deck, *(1 for _ in world.house)]
                assert sum(cards) == sum(GAME.parts.copies)


def test_worlds_come_as_often_as_they_are_likely() -> None:
    """What the other holds in them is what is to come, by and large, without the House and the card to be discarded."""
    state = season(2)
    put(state, 1, SCULPTURE, "8+", high_risk=True)
    belief, rng = Belief(GAME, GAME.view(state, 0)), random.Random(1)
    place, found = 2 * CATEGORIES.index(SCULPTURE), []
    for _ in range(2000):
        world = belief.world(rng)
        held = world.hands[len(GAME.parts.copies) :]
        house = sum(-1 if kind & 1 else 1 for kind in world.house if kind >> 1 == place >> 1)
        found.append((held[place] - held[place + 1]) * 10 / 11 + house)
    assert sum(found) / len(found) == pytest.approx(mean(to_come(state)), abs=0.1)
