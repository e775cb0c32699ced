"""Drawn worlds fit all that the viewer knows, differ from the truth, and are as likely as the deals behind them."""

import random
from collections import Counter
from collections.abc import Iterable, Iterator
from itertools import islice, permutations, product
from math import sqrt

import pytest

from referee.games.artsee.game import ArtSee
from referee.games.artsee.state import State
from tests.games.artsee.build import GAME
from tests.games.artsee.components import TINY_TEXT, tiny
from tests.games.artsee.moves import MAIN, Card
from tests.games.artsee.naive import Box
from tests.games.artsee.playing import samples, steps, viewers
from tests.games.artsee.redeal import faults, number_of_worlds
from tests.games.playouts import dealt, play_out

SEATS = [2, 3, 4, 5]
TRIES = 30  # a world that is one of two is the truth in all of them once in 2**30 times
TINY, TINY_BOX = ArtSee(tiny()), Box(TINY_TEXT)
DRAWS = 3_000
Cards = tuple[Card, ...]
World = tuple[Cards, ...]


def some_positions(seats: int) -> Iterator[State]:
    """Samples of whole matches, and positions in the middle of sealed choices."""
    for number in range(3):
        yield from samples(GAME, seats, number, one_in=12)
        chosen = (step.before for step in steps(GAME, seats, number) if any(step.before.choices))
        yield from islice(chosen, 0, None, 5)


@pytest.mark.parametrize("seats", SEATS)
def test_drawn_worlds_fit_what_is_known(seats: int) -> None:
    """Backs of hands and tops, sizes, numbers of removed cards, the own hand, and choices that can be paid for."""
    rng = random.Random(seats)
    for state in some_positions(seats):
        for viewer in viewers(seats):
            world = GAME.determinize(GAME.view(state, viewer), rng)
            assert faults(world) == []
            assert GAME.view(world, None) == GAME.view(state, None)
            assert viewer is None or (world.hands[viewer], world.choices[viewer]) == (
                state.hands[viewer],
                state.choices[viewer],
            )
            for seat in range(seats):
                assert (len(world.choices[seat]) == world.asked[seat]) == (
                    len(state.choices[seat]) == state.asked[seat]
                )


def hidden_part(state: State) -> tuple[object, ...]:
    return tuple(state.hands), tuple(state.piles), tuple(state.choices)


@pytest.mark.parametrize("seats", SEATS)
def test_drawn_worlds_differ_from_the_truth_where_there_is_another(seats: int) -> None:
    """Among so many draws one has another hand, pile or sealed choice, even late in the game."""
    rng, single = random.Random(seats), 0
    for state in some_positions(seats):
        for viewer in viewers(seats):
            view = GAME.view(state, viewer)
            worlds = (GAME.determinize(view, rng) for _ in range(TRIES))
            if number_of_worlds(state, viewer) > 1:
                assert any(hidden_part(world) != hidden_part(state) for world in worlds)
            else:
                single += 1
    assert single > 0


@pytest.mark.parametrize("seats", [3, 4, 5])
def test_a_committed_seat_may_have_chosen_anything(seats: int) -> None:
    """All ways that the supply allows are drawn. With two seats the only one that is asked never waits."""
    rng, number = random.Random(seats), 0
    for step in islice((step for step in steps(GAME, seats, 7) if any(step.after.asked)), 0, None, 3):
        for seat, asked in enumerate(step.after.asked):
            if not asked or len(step.after.choices[seat]) < asked or asked > 3:
                continue
            view = GAME.view(step.after, step.after.turn)
            drawn = {GAME.determinize(view, rng).choices[seat] for _ in range(150)}
            ways = [bytes(int(bit) for bit in f"{way:0{asked}b}") for way in range(2**asked)]
            assert drawn == {way for way in ways if sum(way) <= step.after.supplies[seat]}
            number += 1
    assert number > 0


def words(kinds: Iterable[int]) -> Cards:
    named = list(dict.fromkeys([*TINY_BOX.starting, *TINY_BOX.main]))
    return tuple(named[kind] for kind in kinds)


def world_of(state: State) -> World:
    """The hands of the others, in any order of their cards, and the piles."""
    hands = [tuple(sorted(words(hand), key=str)) for hand in state.hands[1:]]
    return (*hands, *map(words, state.piles))


def worlds(state: State) -> Counter[World]:
    """In how many orders of the cards that seat 0 has not seen each world comes about that fits all that it knows."""
    shown = [card for gallery in state.galleries for column in gallery for card in column]
    seen = Counter(words([*shown, *state.hands[0]]))
    counted = Counter[World]()
    early, late = (
        _deals(state, list((Counter(deck) - seen).elements())) for deck in (TINY_BOX.starting, TINY_BOX.main)
    )
    for (first_hands, _), (second_hands, piles) in product(early, late):
        hands = [
            tuple(sorted(first + second, key=str)) for first, second in zip(first_hands, second_hands, strict=True)
        ]
        counted[*hands, *piles] += 1
    return counted


def _deals(state: State, cards: list[Card]) -> list[tuple[World, World]]:
    """Every order of the unseen cards of a deck, laid into hands and piles, in which backs and numbers are right."""
    deck = cards[0].deck
    hands = [[card.featured for card in words(hand) if card.deck == deck] for hand in state.hands[1:]]
    piles = [words(pile) for pile in state.piles] if deck == MAIN else []
    kept_away = TINY_BOX.players[state.seats]["removed_of_each"] if deck == MAIN else 0
    found = []
    for order in permutations(cards):
        rest = list(order)
        laid = tuple(tuple(rest.pop() for _ in hand) for hand in hands)
        stacked = tuple(tuple(rest.pop() for _ in pile) for pile in piles)
        out = [card.featured for card in rest]
        if (
            all(
                sorted(card.featured for card in cards) == sorted(hand) for cards, hand in zip(laid, hands, strict=True)
            )
            and all(
                new[-1:] == () or new[-1].featured == old[-1].featured for new, old in zip(stacked, piles, strict=True)
            )
            and all(out.count(category) >= kept_away for category in TINY_BOX.categories)
        ):
            found.append((laid, stacked))
    return found


@pytest.mark.parametrize(("seats", "number"), [(2, 0), (2, 2), (2, 5), (3, 0), (3, 1)])
@pytest.mark.parametrize("moves", [0, 2, 4])
def test_worlds_are_as_likely_as_the_deals_behind_them(seats: int, number: int, moves: int) -> None:
    """The truth is among them; chi-square, six standard deviations wide, over a game of fourteen cards."""
    state, rng = dealt(TINY, seats, number), random.Random(number)
    for _ in range(moves):
        seat = TINY.to_act(state)[0]
        TINY.play(state, seat, rng.choice(TINY.legal_moves(state, seat)))
    expected, view = worlds(state), TINY.view(state, 0)
    drawn = Counter(world_of(TINY.determinize(view, rng)) for _ in range(DRAWS))
    assert world_of(state) in expected
    assert drawn.keys() <= expected.keys()
    share = DRAWS / expected.total()
    distance = sum((drawn[world] - count * share) ** 2 / (count * share) for world, count in expected.items())
    freedom = len(expected) - 1
    assert distance <= freedom + 6 * sqrt(2 * freedom)


def test_every_world_of_a_tiny_game_can_be_played_to_its_end() -> None:
    for seats in (2, 3, 4):
        state, rng = dealt(TINY, seats, 1), random.Random(1)
        for _ in range(100):
            world = TINY.determinize(TINY.view(state, 0), rng)
            play_out(TINY, world, rng)
            assert TINY.result(world) is not None
