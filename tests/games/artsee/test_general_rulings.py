"""The rulings on all rulesets in ArtSee: each has a test that fails when it is reversed."""

import random
from collections import Counter
from collections.abc import Sequence
from itertools import permutations

import pytest

from referee.core.errors import ComponentsError
from referee.games.artsee.events import (
    PrestigeEarned,
    VisitorsPlaced,
)
from referee.games.artsee.game import ArtSee
from referee.games.artsee.state import Phase, State
from tests.games.artsee.build import (
    FIVE,
    GAME,
    MATCHING,
    OTHERS,
    QUIET,
    backs_of,
    cards_of,
    earned,
    passive,
    play,
    play_turn,
    position,
    put_visitors,
    visit,
    with_others,
)
from tests.games.artsee.components import parts_with
from tests.games.artsee.moves import (
    ABSTRACT,
    DECLINE,
    FIRST_PILE,
    LEFT,
    MAIN,
    PLACE,
    RIGHT,
    SKIP,
    STARTING,
    STILL_LIFE,
    Spot,
    card,
    kind,
    play_of,
)
from tests.games.playouts import dealt


@pytest.mark.parametrize("seats", [3, 4, 5])
@pytest.mark.parametrize("seat", range(5))
def test_the_left_neighbour_is_the_next_seat(seats: int, seat: int) -> None:
    """[G-R1] Arrows LEFT look at seat + 1, arrows RIGHT at seat - 1, and turns go to seat + 1; seats wrap."""
    seat %= seats
    spots: list[tuple[str, Spot, int]] = [("P:AL<", LEFT, 1), ("P:AL>", RIGHT, -1)]
    for name, spot, step in spots:
        state = position(QUIET, *OTHERS[: seats - 1], hand_sizes=[1] * seats)
        state.turn = state.first = seat
        state.hands[seat] = bytes([kind(name)])
        (event,) = [event for event in play(state, seat, play_of(name, spot)) if isinstance(event, PrestigeEarned)]
        assert event.gallery == (seat + step) % seats
        while state.phase != Phase.PLAY:
            play(state, seat, passive(state, seat))
        assert state.turn == (seat + 1) % seats


def test_a_forced_sealed_choice_is_asked() -> None:
    """[G-R2] Nobody else knows that only SKIP is left: it depends on the seat's earlier sealed choices."""
    state = visit(MATCHING)
    state.supplies[1] = 1
    play(state, 1, PLACE)
    assert list(GAME.to_act(state)) == [1]
    assert list(GAME.legal_moves(state, 1)) == [SKIP]


def test_what_public_facts_leave_no_choice_about_is_not_asked() -> None:
    """[G-R2] One pile to draw from, no pile at all, nothing to claim, nobody to visit: the next seat plays at once."""
    for piles in ((0, 1), (1, 0), (0, 0)):
        state = position(QUIET, OTHERS[0], hand="P:AL> P:AS>", piles=piles)
        assert play_turn(state) == [0]
        assert (state.turn, len(state.hands[0])) == (1, 1 + sum(piles))


def test_one_card_in_two_piles_is_a_choice() -> None:
    """[G-R2] Two piles of one card each are asked about, even with equal backs."""
    state = position(QUIET, OTHERS[0], hand="P:AL>", piles=(1, 1), tops=("A:AL>", "A:AP>"))
    assert play_turn(state) == [0, 0]


def test_a_claim_is_asked_whenever_one_can_be_made() -> None:
    """[G-R2] Declining ends it, and the turn goes on to the draw."""
    state = with_others(("A:ALS>", FIVE), hand="P:AL>")
    play(state, 0, play_of("P:AL>", 0))
    assert (state.phase, state.earned) == (Phase.CLAIM, 5)
    play(state, 0, DECLINE)
    assert state.phase == Phase.DRAW
    assert not any(state.slots[0])


def test_a_sealed_choice_is_final() -> None:
    """[G-R3] Who has chosen for all fronts is not asked again while the others choose."""
    state = visit(("P:AL>", "A:AS>"), ("P:AS<", "P:LP>"))
    play(state, 1, PLACE)
    assert list(GAME.to_act(state)) == [2]
    play(state, 2, SKIP)
    assert list(GAME.to_act(state)) == [2]
    play(state, 2, SKIP)
    assert list(state.visitors[1]) == [1, 0]


@pytest.mark.parametrize("arrival", list(permutations((0, 1, 3))))
def test_sealed_choices_are_revealed_clockwise_from_the_active_seat(arrival: tuple[int, ...]) -> None:
    """[G-R3] Seat 2 is active, so 3, 0, 1 reveal, in whatever order they have chosen."""
    state = position(("P:AL>", "A:AS>"), ("P:AS<", "A:AS<"), QUIET, ("P:LP>", "A:AP<"))
    state.turn = state.first = 2
    state.hands[2] = bytes([kind("P:AP>")])
    play(state, 2, play_of("P:AP>", 0))
    for seat in arrival:
        events = play(state, seat, PLACE)
    assert [event for event in events if isinstance(event, VisitorsPlaced)] == [
        VisitorsPlaced(3, [0]),
        VisitorsPlaced(0, [0]),
        VisitorsPlaced(1, [0]),
    ]


def test_hands_are_seen_in_canonical_order() -> None:
    """[G-R4] A drawn card lies where its kind belongs, not at the end, for its owner and for all who see the backs."""
    state = position(QUIET, OTHERS[0], hand="S:ALP> P:AL> A:AS>", piles=(2, 2), tops=("A:AL>", ""))
    play(state, 0, play_of("P:AL>", RIGHT))
    play(state, 0, FIRST_PILE)
    view = GAME.view(state, 0)
    assert cards_of(view.hand) == [card("S:ALP>"), card("A:AL>"), card("A:AS>")]
    assert backs_of(state, 0) == [(STARTING, STILL_LIFE), (MAIN, ABSTRACT), (MAIN, ABSTRACT)]


def test_moves_name_kinds() -> None:
    """[G-R4] Two equal cards are one choice; the id says nothing about the place in the hand."""
    triple = 'pieces = ["ABSTRACT", "LANDSCAPE", "PORTRAIT"], left = '
    game = ArtSee(parts_with((triple + "1", triple + "2")))
    state = game.setup({"start_seat": 0}, 2, bytes(32))
    state.hands[0] = bytes([0, 0, 5])
    assert len(game.legal_moves(state, 0)) == 2 * (2 + 2)
    game.play(state, 0, game.legal_moves(state, 0)[0])
    assert state.hands[0][:2] == bytes([0, 5])


def test_a_seat_that_the_autopilot_plays_keeps_its_place() -> None:
    """[G-R5] Turns, visitors and neighbours go by seats as before, in all 15 rounds."""
    state, rng, turns = dealt(GAME, 3, 1, {"start_seat": 1}), random.Random(1), list[int]()
    while waiting := GAME.to_act(state):
        seat = waiting[0]
        turns += [seat] * (state.phase == Phase.PLAY)
        play(state, seat, GAME.autopilot(GAME.view(state, seat), rng) if seat == 2 else passive(state, seat))
    assert turns == [1, 2, 0] * 15


def test_the_autopilot_sends_no_visitors_and_claims_nothing() -> None:
    """[G-R5] What it plays for a seat that is out is passive."""
    rng = random.Random(1)
    state = visit(MATCHING)
    for _ in range(3):
        assert GAME.autopilot(GAME.view(state, 1), rng) == SKIP
        play(state, 1, SKIP)
    state = with_others(("A:ALS>", FIVE), hand="P:AL>")
    play(state, 0, play_of("P:AL>", 0))
    assert GAME.autopilot(GAME.view(state, 0), rng) == DECLINE


def test_public_turn_state_is_in_every_view() -> None:
    """[G-R6] Step, whose turn, where the card lies, what it earned, who is asked about how much, who has committed."""
    state = position(("A:ALS>", FIVE), ("P:AP>", "P:AS<"), hand="P:AL>")
    facts = list[object]()
    for move in (play_of("P:AL>", 0), SKIP, SKIP, DECLINE, FIRST_PILE):
        seat = GAME.to_act(state)[0]
        play(state, seat, move)
        views = [GAME.view(state, viewer) for viewer in (0, 1, None)]
        seen = {(view.phase, view.turn, view.column, view.earned, view.asked, view.committed) for view in views}
        assert len(seen) == 1
        facts += seen
    assert facts == [
        (Phase.VISIT, 0, 0, 0, b"\0\2", b"\0\0"),
        (Phase.VISIT, 0, 0, 0, b"\0\2", b"\0\0"),
        (Phase.CLAIM, 0, 0, 5, b"\0\0", b"\0\0"),
        (Phase.DRAW, 0, 0, 5, b"\0\0", b"\0\0"),
        (Phase.PLAY, 1, -1, 0, b"\0\0", b"\0\0"),
    ]


def test_who_has_committed_is_public() -> None:
    """[G-R6] A seat that has chosen for all its fronts, to all viewers alike."""
    state = visit(("P:AL>", "P:AS>"), ("P:AS<", "A:AS<"))
    play(state, 2, PLACE)
    assert {GAME.view(state, viewer).committed for viewer in (0, 1, 2, None)} == {b"\0\0\1"}


@pytest.mark.parametrize("seats", [2, 3, 4, 5])
def test_the_start_player_is_drawn_unless_named(seats: int) -> None:
    """[G-R7] Every seat starts about as often as the others; the option `start_seat` fixes one."""
    starts = Counter(dealt(GAME, seats, number).turn for number in range(200 * seats))
    assert all(150 < starts[seat] < 250 for seat in range(seats))
    for seat in range(seats):
        states = [dealt(GAME, seats, number, {"start_seat": seat}) for number in range(20)]
        assert {(state.first, state.turn) for state in states} == {(seat, seat)}


@pytest.mark.parametrize(
    ("old", "new", "seats"),
    [
        (
            "visitors = 9\nremoved_of_each = 0\nremoved_of_all = 3",
            "visitors = 9\nremoved_of_each = 0\nremoved_of_all = 4",
            5,
        ),
        ("removed_of_each = 4", "removed_of_each = 13", 2),
        ("hand = 3", "hand = 5", 5),
    ],
)
def test_components_that_cannot_serve_a_number_of_seats_are_refused(old: str, new: str, seats: int) -> None:
    """[G-R8] Unequal turns, removals and deals that the cards do not give; the fault names the seats."""
    with pytest.raises(ComponentsError) as caught:
        parts_with((old, new))
    assert any(fault.startswith(f"players with {seats} seats") for fault in caught.value.faults)


def _ended(prestige: Sequence[int], visitors: Sequence[int]) -> State:
    """A game that ends with such prestige and visitors in the galleries."""
    state = position(("A:ALS>", "A:ALS<"), *OTHERS[: len(prestige) - 1], hand="P:AL>", piles=(0, 0))
    state.hands[1:] = [b""] * (len(prestige) - 1)
    for seat, number in enumerate(visitors):
        put_visitors(state, seat, 1, number)
    state.prestige = list(prestige)
    assert earned(play(state, 0, play_of("P:AL>", 0))) == 0
    return state


def test_equals_below_the_winner_share_their_rank() -> None:
    """[G-R9] Totals 10, 7, 7, 6 with equal visitors are ranked 1, 2, 2, 4; more visitors split the sevens."""
    result = GAME.result(_ended([7, 10, 6, 7], [1, 0, 4, 1]))
    assert result is not None
    assert (result.scores, result.ranks) == ((7, 10, 6, 7), (2, 1, 4, 2))
    result = GAME.result(_ended([7, 10, 6, 7], [1, 0, 4, 2]))
    assert result is not None
    assert (result.scores, result.ranks, result.reason) == ((7, 10, 6, 7), (3, 1, 4, 2), "COMPLETED")
