"""The general rulings, as far as they touch Art Decko: each has a test that fails when it is reversed."""

import random
from collections import Counter

import pytest

from referee.core.errors import ComponentsError
from referee.games.art_decko.state import Phase
from tests.games.art_decko.build import (
    GAME,
    end_turn,
    finish,
    hand,
    legal,
    play,
    points,
    position,
)
from tests.games.art_decko.components import parts_with
from tests.games.art_decko.moves import (
    DISCOUNT,
    FIVE,
    IDS,
    KINDS,
    NOUVEAU,
    ONE,
    OPEN_INVITATION,
    POP_ART,
    RENAISSANCE,
    STYLES,
    SURREALISM,
    TWO,
    WILD,
)
from tests.games.art_decko.naive import NaiveGame
from tests.games.playouts import dealt, seed_of

SEATS = [2, 3, 4]


def test_left_is_the_next_seat() -> None:
    """[G-R1] Turns go to ascending seats and wrap."""
    state = dealt(GAME, 3, 1, {"start_seat": 1})
    asked = list[int]()
    for _ in range(7):
        asked += GAME.to_act(state)
        end_turn(state)
    assert asked == [1, 2, 0, 1, 2, 0, 1]


def test_a_forced_haggle_is_asked() -> None:
    """[G-R2] One card that pays for nothing leaves one move, but only its owner knows."""
    state = position(hands=[[ONE]], tokens=[2, 2, 2, 2])
    assert legal(state) == {("haggle", ONE)}
    assert list(GAME.to_act(state)) == [0]


def test_forced_payments_and_invitations_are_asked() -> None:
    """[G-R2] One way to pay, one place to go: they depend on the hand."""
    state = position(hands=[[NOUVEAU, ONE, FIVE]], markers=[[NOUVEAU] * 4, *[[POP_ART] * 4] * 4])
    play(state, ("exhibit", NOUVEAU))
    assert legal(state) == {("invite", 1, NOUVEAU)}
    play(state, ("invite", 1, NOUVEAU))
    assert legal(state) == {("pay", ONE)}
    play(state, ("pay", ONE))
    assert legal(state) == {("pay", FIVE)}


def test_never_do_two_seats_choose_at_once() -> None:
    """[G-R3] There are no sealed choices: while the game goes on one seat is to act."""
    state, rng = dealt(GAME, 4, 3), random.Random(3)
    while GAME.result(state) is None:
        (seat,) = GAME.to_act(state)
        GAME.play(state, seat, rng.choice(GAME.legal_moves(state, seat)))
    assert list(GAME.to_act(state)) == []


def test_hands_are_seen_as_multisets() -> None:
    """[G-R4] The owner sees how many of each kind were dealt, in the order of kinds, not of draws."""
    for number in range(30):
        state, naive = dealt(GAME, 4, number), NaiveGame(4, seed_of(number))
        for seat in range(4):
            assert hand(state, seat) == sorted(naive.players[seat].hand, key=KINDS.index)


def test_a_seat_that_the_autopilot_plays_keeps_its_place() -> None:
    """[G-R5] Seat 1 is asked between seats 0 and 2, in every round."""
    state, rng, asked = dealt(GAME, 3, 2, {"start_seat": 0, "max_rounds": 4}), random.Random(1), list[int]()
    while GAME.to_act(state):
        if not asked or asked[-1] != state.turn:
            asked.append(state.turn)
        if state.turn == 1:
            GAME.play(state, 1, GAME.autopilot(GAME.view(state, 1), rng))
        else:
            end_turn(state)
    assert asked == [0, 1, 2] * 4


def test_public_turn_state_is_in_every_view() -> None:
    """[G-R6] Round, step, whose decision, actions, galleries used, pending effects, last round, alike for all."""
    state = position(3, hands=[[OPEN_INVITATION, DISCOUNT, DISCOUNT, ONE, ONE, TWO]], tokens=[1, 1, 1, 1])
    state.last_round = True
    facts = list[object]()
    for move in (
        ("power", DISCOUNT),
        ("power", OPEN_INVITATION),
        ("acquire", 2, RENAISSANCE),
        ("power", DISCOUNT),
        ("haggle", ONE),
    ):
        play(state, move)
        views = [GAME.view(state, viewer) for viewer in (0, 1, 2, None)]
        seen = {
            (view.round, view.last_round, view.phase, view.turn, view.actions, view.used, view.discounts, view.invited)
            for view in views
        }
        assert len(seen) == 1
        facts += seen
    assert facts == [
        (1, True, Phase.ACTION, 0, 2, 0, 1, False),
        (1, True, Phase.ACTION, 0, 2, 0, 1, True),
        (1, True, Phase.ACTION, 0, 1, 2, 0, True),
        (1, True, Phase.ACTION, 0, 1, 2, 1, True),
        (1, True, Phase.DISCARD, 0, 0, 2, 1, True),
    ]


def test_what_is_being_bought_is_in_every_view() -> None:
    """[G-R6] The painting on its way, the purchase, and what is still due."""
    state = position(3, hands=[[NOUVEAU, TWO, FIVE]], markers=[[WILD] * 4, *[[POP_ART] * 4] * 4])
    play(state, ("exhibit", NOUVEAU))
    assert {GAME.view(state, viewer).painting for viewer in (0, 1, 2, None)} == {STYLES.index(NOUVEAU)}
    play(state, ("invite", 1, WILD), ("pay", TWO))
    views = [GAME.view(state, viewer) for viewer in (0, 1, 2, None)]
    assert {(view.buying, view.due, bytes(view.aside)) for view in views} == {
        (IDS["invite", 1, WILD], 4, bytes(card == TWO for card in KINDS))
    }


@pytest.mark.parametrize("seats", SEATS)
def test_the_start_player_is_drawn_unless_named(seats: int) -> None:
    """[G-R7] Every seat starts about as often as the others; the option `start_seat` fixes one."""
    starts = Counter(dealt(GAME, seats, number).first for number in range(200 * seats))
    assert all(150 < starts[seat] < 250 for seat in range(seats))
    for seat in range(seats):
        assert {dealt(GAME, seats, number, {"start_seat": seat}).first for number in range(10)} == {seat}


def test_components_that_cannot_serve_a_number_of_seats_are_refused() -> None:
    """[G-R8] Four starting decks of 1-gold need twelve; the fault names the seats."""
    with pytest.raises(ComponentsError) as caught:
        parts_with(("ones = 12", "ones = 11"))
    assert caught.value.faults == ("4 seats: 12 ones are dealt, there are 11",)


def test_most_paintings_in_the_museum_break_a_tie() -> None:
    """[G-R9] For every place: VP of 10, 8, 8, 8 with 0, 1, 2, 1 paintings are ranked 1, 3, 2, 3."""
    hung = [
        (2, 1, POP_ART, POP_ART),
        (2, 2, SURREALISM, SURREALISM),
        (2, 2, RENAISSANCE, RENAISSANCE),
        (3, 3, POP_ART, WILD),
    ]
    tiles = ["MOST OWN_CARDS", "EACH OWN_SETS", "MOST OWN_PAINTINGS POP_ART", "MOST OWN_GOLD", "MOST OWN_GOLD_CARDS"]
    state = position(4, museum=hung, tiles=tiles, vp=[10, 8, 8, 8])
    assert [sum(each) for each in points(state)] == [10, 8, 8, 8]
    result = GAME.result(state)
    assert result is not None
    assert result.ranks == (1, 3, 2, 3)


def test_the_victory_is_shared_by_equals() -> None:
    """[G-R9] Equal VP and equally many paintings."""
    state = position(3, vp=[5, 7, 7], max_rounds=1)
    finish(state)
    result = GAME.result(state)
    assert result is not None
    assert result.ranks == (3, 1, 1)
