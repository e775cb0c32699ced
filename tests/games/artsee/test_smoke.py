"""The rules of ArtSee that tell the most: its worked examples, and the shape of a game."""

import random
from collections import Counter
from collections.abc import Sequence
from itertools import combinations, product
from typing import Final

import pytest

from referee.games.artsee.events import PrestigeEarned, VisitorsPlaced
from referee.games.artsee.game import ArtSee
from referee.games.artsee.state import Phase, State
from tests.games.playouts import dealt, samples, steps

GAME = ArtSee()
CATEGORIES: Final = ("A", "L", "P", "S")
KINDS: Final = [
    (featured, "".join(pieces), arrow)
    for size in (3, 2)  # starting cards show three pieces, main cards two
    for featured, pieces, arrow in product(CATEGORIES, combinations(CATEGORIES, size), "<>")
]
NEW_LEFT, NEW_RIGHT = 20, 21
DECLINE, PLACE, SKIP, FIRST_PILE, SECOND_PILE = range(2200, 2205)


def card(name: str) -> int:
    """Returns the card with a name such as "P ALS >": featured category, art pieces, arrow."""
    featured, pieces, arrow = name.split()
    return KINDS.index((featured, pieces, arrow))


def play(name: str, spot: int) -> int:
    return card(name) * 22 + spot


def masterpiece(category: str, requirement: int) -> int:
    return CATEGORIES.index(category) * 5 + requirement - 5


def claim(category: str, requirement: int, slot: int) -> int:
    return 1760 + masterpiece(category, requirement) * 22 + slot


def position(*galleries: Sequence[str], hand: str) -> State:
    """Returns the turn of seat 0, with a hand of one card; a column is cards joined by "/", from back to front."""
    state = GAME.setup({"start_seat": 0}, len(galleries), bytes(32))
    state.galleries = [tuple(bytes(map(card, column.split("/"))) for column in gallery) for gallery in galleries]
    state.visitors = [bytes(len(gallery)) for gallery in galleries]
    state.slots = [bytes(len(gallery) + 1) for gallery in galleries]
    state.hands[0] = bytes((card(hand),))
    return state


def put(state: State, seat: int, slot: int, category: str, requirement: int = 9) -> None:
    slots = bytearray(state.slots[seat])
    slots[slot] = masterpiece(category, requirement) + 1
    state.slots[seat] = bytes(slots)


def earned(state: State, move: int) -> int:
    """Plays a card of seat 0 that nobody wants to visit, and returns what it earns."""
    assert move in GAME.legal_moves(state, 0)
    GAME.check(state, 0, move)
    event = next(event for event in GAME.play(state, 0, move) if isinstance(event, PrestigeEarned))
    return event.visitors + event.pieces + event.masterpieces


ENDS = ("A ALP >", "A APS <"), ("L ALP </L LP >", "L LS >", "L AP <"), ("S PS >", "S AS <")


def test_there_are_as_many_moves_as_the_cards_and_the_longest_gallery_make() -> None:
    assert (GAME.spec.num_actions, GAME.spec.max_legal_moves) == (2205, 111)
    assert [GAME.parts.turns(seats) for seats in (2, 3, 4, 5)] == [19, 15, 15, 12]


@pytest.mark.parametrize(("name", "spot", "points"), [("P AL >", 1, 1), ("P AL <", 0, 1), ("L AS <", 0, 0)])
def test_at_an_end_the_arrow_points_to_the_neighbour(name: str, spot: int, points: int) -> None:
    """The right neighbour, seat 2, shows its leftmost column, the left one, seat 1, its rightmost."""
    state = position(*ENDS, hand=name)
    state.supplies[1] = 0  # its fronts that feature L would be asked about
    assert points == earned(state, play(name, spot))


def test_with_two_seats_the_opponent_is_both_neighbours() -> None:
    """RIGHT sees its leftmost column, LEFT its rightmost."""
    assert earned(position(*ENDS[:2], hand="P AL >"), play("P AL >", NEW_RIGHT)) == 2
    assert earned(position(*ENDS[:2], hand="P AL <"), play("P AL <", NEW_LEFT)) == 1


def test_visitors_and_pieces_together_claim_a_masterpiece() -> None:
    """2 visitors on the covered card and 3 matching pieces earn 5: enough for requirement 5 and not for 6."""
    state = position(("A ALP >", "P AP >/P PS </L LP <"), ENDS[1], hand="P AS >")
    state.visitors[0] = b"\2\0"
    state.supplies[0] = 3
    assert earned(state, play("P AS >", 0)) == 5
    assert (state.supplies[0], state.visitors[0], state.prestige[0]) == (5, b"\0\0", 5)
    assert list(GAME.legal_moves(state, 0)) == [claim("P", 5, 0), claim("P", 5, 1), claim("P", 5, 2), DECLINE]


@pytest.mark.parametrize(("spot", "points"), [(0, 3), (NEW_LEFT, 2)])
def test_masterpieces_in_both_end_slots_count_unless_a_new_column_parts_them(spot: int, points: int) -> None:
    state = position(ENDS[0], ENDS[1], hand="P AL <")
    put(state, 0, 0, "P", 5)
    put(state, 1, 3, "P", 6)
    assert earned(state, play("P AL <", spot)) == points


def test_a_new_column_turns_an_end_slot_into_one_between_columns() -> None:
    state = position(("A AP </L LP <", "A AS >"), ENDS[1], hand="P AL >")
    put(state, 0, 0, "P")
    assert earned(state, play("P AL >", NEW_LEFT)) == 3
    assert state.slots[0] == bytes((0, masterpiece("P", 9) + 1, 0, 0))


@pytest.mark.parametrize(("supply", "ways"), [(0, 0), (1, 4), (2, 7), (3, 8), (5, 8)])
def test_each_matching_front_is_asked_about_once(supply: int, ways: int) -> None:
    """Three of the five columns match; one whose pieces only include the category does not."""
    state = position(ENDS[0], ("P AL >", "A PS >", "P AS <", "L LS <", "A AL </P AL <"), hand="P AP >")
    state.supplies[1] = supply
    GAME.play(state, 0, play("P AP >", 0))
    outcomes, open_states = set(), [state] if ways else []
    assert (state.phase == Phase.VISIT) == bool(ways)
    for step in range(3 if ways else 0):
        following = []
        for before in open_states:
            assert list(GAME.to_act(before)) == [1]
            for move in GAME.legal_moves(before, 1):
                after = GAME.copy(before)
                placed = [event for event in GAME.play(after, 1, move) if isinstance(event, VisitorsPlaced)]
                assert bool(placed) == (step == 2)
                outcomes |= {tuple(event.columns) for event in placed}
                following.append(after)
        open_states = following
    assert len(outcomes) == ways
    assert all(set(outcome) <= {0, 2, 4} for outcome in outcomes)


def test_nobody_sees_how_far_a_sealed_choice_has_come() -> None:
    state = position(ENDS[0], ("P AL >", "P AS <"), ("P PS >", "S AS <"), hand="P AP >")
    GAME.play(state, 0, play("P AP >", 0))
    before = [GAME.view(state, viewer) for viewer in (0, 2, None)]
    (event,) = GAME.play(state, 1, PLACE)
    assert event.audience == 1
    assert [GAME.view(state, viewer) for viewer in (0, 2, None)] == before
    GAME.play(state, 1, SKIP)
    assert list(GAME.view(state, 2).committed) == [0, 1, 0]


@pytest.mark.parametrize(("sizes", "after"), [((1, 3), (1, 2)), ((1, 1), (0, 1)), ((2, 3), (1, 3)), ((1, 2), (1, 1))])
def test_a_card_moves_over_to_an_empty_pile(sizes: tuple[int, int], after: tuple[int, int]) -> None:
    state = position(ENDS[0], ENDS[1], hand="P AP >")
    state.piles = [pile[:size] for pile, size in zip(state.piles, sizes, strict=True)]
    state.phase, state.column = Phase.DRAW, 0
    assert list(GAME.legal_moves(state, 0)) == [FIRST_PILE, SECOND_PILE]
    GAME.play(state, 0, FIRST_PILE)
    assert tuple(GAME.view(state, None).pile_sizes) == after


@pytest.mark.parametrize(("seats", "turns"), [(2, 19), (3, 15), (4, 15), (5, 12)])
def test_every_seat_has_the_same_number_of_turns(seats: int, turns: int) -> None:
    """The seat to the right of the start player moves last, with its last card."""
    for number in range(5):
        played = [step for step in steps(GAME, seats, number) if step.before.phase == Phase.PLAY]
        assert Counter(step.seat for step in played) == dict.fromkeys(range(seats), turns)
        assert played[-1].seat == (played[0].seat - 1) % seats
        assert [len(step.before.hands[step.seat]) for step in played[-3 * seats :: seats]] == [3, 2, 1]


@pytest.mark.parametrize(("seats", "removed"), [(2, 4), (3, 3), (4, 0)])
def test_drawn_worlds_remove_as_many_cards_of_each_category(seats: int, removed: int) -> None:
    rng = random.Random(seats)
    for state in samples(GAME, seats, 1, one_in=20):
        world = GAME.determinize(GAME.view(state, rng.randrange(seats)), rng)
        there = b"".join((*world.piles, *world.hands, *(column for row in world.galleries for column in row)))
        main = Counter(KINDS[kind][0] for kind in there if kind >= 32)
        assert main == dict.fromkeys(CATEGORIES, 12 - removed)


@pytest.mark.parametrize(("seats", "sizes"), [(2, (16, 16)), (3, (18, 18)), (4, (24, 24)), (5, (23, 22))])
def test_the_first_pile_gets_the_extra_card(seats: int, sizes: tuple[int, int]) -> None:
    assert tuple(map(len, dealt(GAME, seats, 0).piles)) == sizes
