"""Drawn worlds are as likely as the deals behind them, counted out where few cards are hidden."""

import random
from collections import Counter
from collections.abc import Hashable, Iterable
from itertools import combinations, permutations
from math import sqrt

from referee.games.art_decko.state import State
from tests.games.art_decko.build import GAME, deck, hand, pay, play, position
from tests.games.art_decko.moves import (
    DISCOUNT,
    FIVE,
    KINDS,
    NOUVEAU,
    ONE,
    POP_ART,
    PROMOTE,
    RENAISSANCE,
    TWO,
    WILD,
    Card,
)
from tests.games.art_decko.naive_table import NUMBERS


def assert_as_likely(drawn: Iterable[Hashable], expected: Counter[Hashable]) -> None:
    """Chi-square, six standard deviations wide; nothing is drawn that is not expected."""
    counted = Counter(drawn)
    assert counted.keys() <= expected.keys()
    share = counted.total() / expected.total()
    distance = sum((counted[world] - count * share) ** 2 / (count * share) for world, count in expected.items())
    freedom = len(expected) - 1
    assert distance <= freedom + 6 * sqrt(2 * freedom)


def worlds(state: State, viewer: int | None, draws: int = 3_000) -> list[State]:
    rng, view = random.Random(7), GAME.view(state, viewer)
    return [GAME.determinize(view, rng) for _ in range(draws)]


def in_order(cards: Iterable[Card]) -> tuple[Card, ...]:
    return tuple(sorted(cards, key=KINDS.index))


def value(card: Card) -> int:
    """What a card pays while all ratings are 0."""
    return NUMBERS.get(card, 1)


def deals(pool: list[Card], size: int) -> Counter[Hashable]:
    """How many orders of the pool make each hand of this size and deck behind it."""
    return Counter((in_order(order[:size]), order[size:]) for order in permutations(pool))


def test_the_hands_and_decks_of_others() -> None:
    """Seat 1 has two of five cards, three of them alike."""
    pool = [ONE, ONE, ONE, TWO, FIVE]
    state = position(3, hands=[[TWO], pool[1:3]], decks=[[], [pool[0], *pool[3:]]])
    for viewer in (0, 2, None):
        drawn = [(in_order(hand(world, 1)), tuple(deck(world, 1))) for world in worlds(state, viewer)]
        assert_as_likely(drawn, deals(pool, 2))


def test_the_order_of_the_own_deck() -> None:
    state = position(hands=[[TWO]], decks=[[ONE, ONE, POP_ART, FIVE]])
    expected = Counter[Hashable](permutations([ONE, ONE, POP_ART, FIVE]))
    assert_as_likely([tuple(deck(world)) for world in worlds(state, 0)], expected)


def test_what_is_kept_is_no_part_of_the_draw() -> None:
    """A 1-gold is known to be in hand; the other two cards come from a pool with two more of them."""
    state = position(hands=[[ONE], [ONE, ONE, TWO]], decks=[[], [ONE, FIVE]])
    state.kept[len(KINDS) + KINDS.index(ONE)] = 1
    state.pool[len(KINDS) + KINDS.index(ONE)] = 2
    expected = Counter[Hashable](in_order([ONE, *cards]) for cards in combinations([ONE, ONE, TWO, FIVE], 2))
    assert_as_likely([in_order(hand(world, 1)) for world in worlds(state, 0)], expected)


def test_the_painting_deck_and_the_stack() -> None:
    """Of the paintings and 3-gold cards that are nowhere to be seen each is as likely on top as the others."""
    state = position(hands=[[ONE]], decks=[[TWO]])
    drawn = worlds(state, 0)
    assert_as_likely([world.paintings[-1] for world in drawn], Counter[Hashable](state.paintings))
    assert_as_likely([world.stack[-1] for world in drawn], Counter[Hashable](state.stack))


def payable(cards: Iterable[Card], due: int, paid: tuple[Card, ...] = ()) -> bool:
    """Whether some cards complete a payment of which `paid` is the beginning."""
    rest = [card for card in cards if not paid or KINDS.index(card) >= KINDS.index(paid[-1])]
    for count in range(1, len(rest) + 1):
        for more in combinations(in_order(rest), count):
            values = [value(card) for card in (*paid, *more)]
            if due <= sum(values) < due + min(values):
                return True
    return False


def solvent(pool: list[Card], size: int, due: int, paid: tuple[Card, ...] = ()) -> Counter[Hashable]:
    draws = (in_order(cards) for cards in combinations(pool, size))
    return Counter(cards for cards in draws if payable(cards, due, paid))


def test_a_seat_that_pays_can_pay() -> None:
    """Its hand is any with which it can; those it could not have begun with are not drawn."""
    pool = [NOUVEAU, NOUVEAU, ONE, ONE, ONE, TWO, TWO, FIVE]
    state = position(hands=[[ONE, TWO, TWO], [ONE]], decks=[[NOUVEAU, NOUVEAU, ONE, ONE, FIVE]], tokens=[4, 1, 1, 1])
    play(state, ("acquire", 1, NOUVEAU))
    assert_as_likely([in_order(hand(world)) for world in worlds(state, 1)], solvent(pool, 3, 4))


def test_a_seat_in_the_midst_of_a_payment_can_complete_it() -> None:
    """A 1-gold of a cost of 4 is paid: what is left of the hand pays 3 in canonical order, without need of less."""
    left = [NOUVEAU, NOUVEAU, ONE, ONE, TWO, TWO, FIVE]
    state = position(hands=[[ONE, ONE, TWO], [ONE]], decks=[[NOUVEAU, NOUVEAU, ONE, TWO, FIVE]], tokens=[4, 1, 1, 1])
    play(state, ("acquire", 1, NOUVEAU), ("pay", ONE))
    assert_as_likely([in_order(hand(world)) for world in worlds(state, 1)], solvent(left, 2, 4, (ONE,)))


def test_a_seat_that_pays_can_pay_even_where_few_hands_could() -> None:
    """Of 1,330 draws of three cards three pay 12: both 5-gold, and the 2-gold or one of two 3-gold."""
    others = [NOUVEAU] * 5 + [RENAISSANCE] * 6 + [POP_ART] * 5
    pool = [*others, TWO, FIVE, FIVE, DISCOUNT, PROMOTE]
    state = position(hands=[[TWO, FIVE, FIVE], [ONE]], decks=[[*others, DISCOUNT, PROMOTE]], tokens=[12, 1, 1, 1])
    play(state, ("acquire", 1, NOUVEAU))
    expected = solvent(pool, 3, 12)
    assert expected == {(TWO, FIVE, FIVE): 1, (FIVE, FIVE, DISCOUNT): 1, (FIVE, FIVE, PROMOTE): 1}
    assert_as_likely([in_order(hand(world)) for world in worlds(state, 1, 400)], expected)


def test_a_seat_that_chooses_an_invitation_can_pay_for_one() -> None:
    """The cheapest exhibition with a marker for its painting costs 6."""
    pool = [ONE, ONE, ONE, TWO, TWO, FIVE, PROMOTE]
    state = position(
        hands=[[NOUVEAU, ONE, FIVE], [TWO]], decks=[[ONE, ONE, TWO, TWO, PROMOTE]], markers=[[WILD] * 4] * 5
    )
    play(state, ("exhibit", NOUVEAU))
    expected = Counter[Hashable](
        in_order(cards) for cards in combinations(pool, 2) if sum(value(card) for card in cards) >= 6
    )
    assert_as_likely([in_order(hand(world)) for world in worlds(state, 1)], expected)
    play(state, ("invite", 1, WILD), *pay(ONE))
    assert {in_order(hand(world)) for world in worlds(state, 1)} == {(FIVE,)}
