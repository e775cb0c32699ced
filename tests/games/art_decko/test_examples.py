"""Every worked example of the rules."""

import pytest

from referee.games.art_decko.events import CardsDrawn, DeckShuffled
from tests.games.art_decko.build import (
    GAME,
    TILES,
    Hung,
    deck,
    discard,
    hand,
    pay,
    payments,
    play,
    points,
    position,
    rating,
    refusal,
)
from tests.games.art_decko.moves import (
    DISCOUNT,
    DONE,
    DRAW_TWO,
    FIVE,
    IMPRESSIONISM,
    NOUVEAU,
    ONE,
    POP_ART,
    PROMOTE,
    RENAISSANCE,
    SURREALISM,
    TWO,
    WILD,
)
from tests.games.art_decko.naive_scoring import tile_points


def test_a_cost_of_5_is_paid_without_a_needless_card() -> None:
    """From a 3-gold, a 2-gold, a 1-gold and a painting worth 2: {3, 2}, {3, painting} and {2, 1, painting}."""
    state = position(hands=[[NOUVEAU, ONE, TWO, PROMOTE]], ratings={NOUVEAU: 10}, tokens=[5, 1, 1, 1])
    play(state, ("acquire", 1, NOUVEAU))
    assert payments(state) == [[NOUVEAU, ONE, TWO], [NOUVEAU, PROMOTE], [TWO, PROMOTE]]
    assert refusal(state, ("pay", ONE)) == "NEEDLESS_CARD"


def test_a_rise_counts_for_the_next_payment_only() -> None:
    """From 9 to 12: the painting pays 1 for the acquisition that raises its style, and 2 for the one after it."""
    state = position(hands=[[POP_ART, POP_ART]], galleries=[[RENAISSANCE], [POP_ART], [], []], ratings={POP_ART: 9})
    state.costs[:2] = bytes([2, 1])
    play(state, ("acquire", 2, POP_ART))
    assert payments(state) == [[POP_ART]]
    play(state, ("pay", POP_ART))
    assert rating(state, POP_ART) == 12
    play(state, ("acquire", 1, RENAISSANCE))
    assert payments(state) == [[POP_ART]]


def test_haggle_shuffles_in_between() -> None:
    """One card in the deck, three in the discard pile: the haggled one makes four; left are 3 and 0."""
    state = position(hands=[[ONE, TWO]], decks=[[FIVE]], discards=[[NOUVEAU, NOUVEAU, POP_ART]])
    events = play(state, ("haggle", ONE))
    assert [event for event in events if isinstance(event, CardsDrawn | DeckShuffled)] == [
        CardsDrawn(0, 1),
        DeckShuffled(0, 4),
        CardsDrawn(0, 1),
    ]
    assert (len(deck(state)), discard(state), len(hand(state))) == (3, [], 3)
    assert {TWO, FIVE} <= set(hand(state))


def test_the_third_painting_of_an_exhibition_takes_the_third_space() -> None:
    """(7, 6, 4, 3): it scores 4."""
    museum: list[Hung] = [(3, 1, SURREALISM, SURREALISM), (3, 1, POP_ART, POP_ART)]
    state = position(hands=[[IMPRESSIONISM, FIVE, PROMOTE]], museum=museum, vp=[10, 13])
    play(state, ("exhibit", IMPRESSIONISM), ("invite", 3, WILD), *pay(FIVE, PROMOTE))
    assert state.vp == [14, 13]


@pytest.mark.parametrize(("counts", "expected"), [((4, 4, 3), [4, 4, 0]), ((3, 0, 0), [4, 0, 0])])
def test_a_tile_gives_4_and_2(counts: tuple[int, ...], expected: list[int]) -> None:
    """Who ties takes the place, the next is skipped; a count of 0 gets nothing. Here paintings of a style count."""
    tiles = ["MOST OWN_PAINTINGS POP_ART", *TILES[5:9]]
    museum: list[Hung] = [(1, 0, NOUVEAU, NOUVEAU)]
    state = position(3, hands=[[*[POP_ART] * count, TWO] for count in counts], museum=museum, tiles=tiles)
    assert [bonus for _, _, _, bonus in points(state)] == expected
    assert tile_points({"scoring": "MOST", "vp": [4, 2]}, counts) == expected


def test_a_discount_is_taken_off_the_cost() -> None:
    """Cost 6 with one DISCOUNT, hand {1, 1, 2, 3}: {1, 1}, {2} and {3}."""
    state = position(hands=[[ONE, ONE, TWO, PROMOTE, DISCOUNT]], tokens=[6, 1, 1, 1])
    play(state, ("power", DISCOUNT), ("acquire", 1, NOUVEAU))
    assert payments(state) == [[ONE, ONE], [TWO], [PROMOTE]]


def test_a_discount_greater_than_the_cost_leaves_nothing_to_pay() -> None:
    """Cost 3 with one DISCOUNT: the painting is taken at once."""
    state = position(hands=[[ONE, ONE, TWO, PROMOTE, DISCOUNT]], tokens=[3, 1, 1, 1])
    play(state, ("power", DISCOUNT), ("acquire", 1, NOUVEAU))
    assert (hand(state), rating(state, NOUVEAU)) == ([ONE, ONE, TWO, PROMOTE], 2)


def test_cards_paid_and_acquired_wait_for_the_end_of_the_turn() -> None:
    """Hand 5, deck 1: Acquire with 3 cards, Haggle: hand 3, nothing left; the turn ends with hand 5 and deck 2."""
    state = position(hands=[[ONE, ONE, ONE, TWO, TWO]], decks=[[POP_ART]], tokens=[3, 1, 1, 1])
    play(state, ("acquire", 1, NOUVEAU), *pay(ONE, ONE, ONE))
    play(state, ("haggle", TWO))
    assert (len(hand(state)), deck(state), discard(state)) == (3, [], [])
    play(state, DONE)
    assert (len(hand(state)), len(deck(state)), discard(state)) == (5, 2, [])


def test_a_final_score() -> None:
    """Gold at 36, numbers of 14: 4. Two paintings at 40: 10. Three at 9: 3. 11 VP taken: 28 before tiles."""
    ratings = {"GOLD": 36, RENAISSANCE: 40, SURREALISM: 9}
    state = position(
        hands=[[RENAISSANCE, SURREALISM, FIVE]],
        decks=[[FIVE, DRAW_TWO, ONE, RENAISSANCE]],
        discards=[[SURREALISM, SURREALISM]],
        ratings=ratings,
        vp=[11, 0],
    )
    assert points(state)[0] == (11, 13, 4, 0)
    result = GAME.result(state)
    assert result is not None
    assert result.scores[0] == 28
