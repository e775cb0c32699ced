"""The setup."""

from collections import Counter
from collections.abc import Iterator

import pytest

from referee.games.art_decko.state import State
from tests.games.art_decko.build import GAME, WORDS, deck, gallery, hand
from tests.games.art_decko.moves import ONE, POWERS, STYLES, TWO, WILD
from tests.games.playouts import dealt

SEATS = [2, 3, 4]
ORANGE = Counter([1, 2, 2, 3, 3, 4, 4, 5])
YELLOW = Counter([5, 5, 6, 6, 6, 7, 7, 7, 8, 8, 8, 8])


def deals(seats: int, count: int = 40) -> Iterator[State]:
    for number in range(count):
        yield dealt(GAME, seats, number)


@pytest.mark.parametrize("seats", SEATS)
def test_each_seat_starts_with_five_of_ten_cards(seats: int) -> None:
    """Three 1-gold, two 2-gold and five paintings, shuffled."""
    for state in deals(seats):
        for seat in range(seats):
            assert len(hand(state, seat)) == len(deck(state, seat)) == 5
            cards = Counter(hand(state, seat) + deck(state, seat))
            assert (cards[ONE], cards[TWO], sum(cards[style] for style in STYLES)) == (3, 2, 5)


@pytest.mark.parametrize(("seats", "left"), [(2, 57), (3, 48), (4, 43)])
def test_the_other_paintings_are_the_deck(seats: int, left: int) -> None:
    """75 less five a seat and 8 or 12 in the galleries."""
    for state in deals(seats):
        assert GAME.view(state, None).paintings_left == len(state.paintings) == left


@pytest.mark.parametrize("seats", SEATS)
def test_orange_tokens_lie_in_ascending_order(seats: int) -> None:
    """1 on gallery 1, three random others; what is left of them and all yellow ones is the supply, ascending."""
    seen = set()
    for state in deals(seats):
        assert state.costs[0] == 1
        assert list(state.costs) == sorted(state.costs)
        assert list(state.supply) == sorted(state.supply)
        assert not Counter(state.costs) - ORANGE
        assert Counter([*state.costs, *state.supply]) == ORANGE + YELLOW
        seen |= set(state.costs)
    assert seen == set(ORANGE)


@pytest.mark.parametrize("seats", SEATS)
def test_two_3_gold_lie_face_up_and_ten_face_down(seats: int) -> None:
    """Two of each power in all; ten 5-gold."""
    for state in deals(seats):
        view = GAME.view(state, None)
        assert (sum(view.bank), view.stack_size, view.fives) == (2, 10, 10)
        stack = [POWERS[kind - 8] for kind in state.stack]
        face_up = [power for power, count in zip(POWERS, view.bank, strict=True) for _ in range(count)]
        assert Counter(stack + face_up) == dict.fromkeys(POWERS, 2)


@pytest.mark.parametrize("seats", SEATS)
def test_each_exhibition_has_four_markers_and_a_tile(seats: int) -> None:
    """Of 46 markers, 8 of each style and 6 wild; no two have the same tile, and in many deals each tile is there."""
    tiles, most = set[int](), Counter[str]()
    for state in deals(seats):
        free = [Counter(state.markers[place * 6 : place * 6 + 6]) for place in range(5)]
        assert [sum(count * times for count, times in row.items()) for row in free] == [4] * 5
        for place, kind in enumerate((*STYLES, WILD)):
            most[kind] = max(most[kind], sum(state.markers[place::6]))
        assert len(set(state.tiles)) == 5
        tiles |= set(state.tiles)
    assert tiles == set(range(16))
    assert all(most[style] <= 8 for style in STYLES)
    assert 0 < most[WILD] <= 6


@pytest.mark.parametrize("seats", SEATS)
def test_nothing_has_happened_yet(seats: int) -> None:
    """Ratings and VP are 0, the museum and all discard piles are empty, each seat has nine ribbons and two actions."""
    for state in deals(seats, 5):
        shown = WORDS.public(GAME.view(state, None))
        assert list(state.market) == [0] * 6
        assert shown["museum"] == [[None] * 4] * 5
        assert shown["discards"] == [Counter()] * seats
        assert (shown["aside"], shown["removed"]) == (Counter(), Counter())
        assert (shown["vp"], shown["ribbons"]) == ([0] * seats, [9] * seats)
        assert (shown["round"], shown["actions"], shown["last round"]) == (1, 2, False)
        assert shown["turn"] == shown["first"] == state.turn
        assert all(gallery(state, place) for place in (1, 2, 3, 4))


def test_every_pile_is_shuffled_by_the_seed() -> None:
    """Among few deals decks, paintings, stacks and galleries all differ."""
    states = [*deals(3, 10)]
    for piles in (
        {state.paintings for state in states},
        {state.stack for state in states},
        {tuple(state.decks) for state in states},
        {bytes(state.galleries) for state in states},
        {bytes(state.markers) for state in states},
        {state.tiles for state in states},
    ):
        assert len(piles) == 10
