"""What a viewer may know and what it may not, and the worlds that it cannot tell apart."""

import random
from collections.abc import Iterator
from dataclasses import fields, replace

import pytest

from referee.games.classic_art.events import CardsChosen, CardsCommitted
from referee.games.classic_art.legal import legal_in_view
from referee.games.classic_art.state import Phase, State
from referee.games.classic_art.view import View, tally
from tests.games.classic_art.build import GAME, all_pass, last_turn, play, season
from tests.games.classic_art.moves import ETCHING, PORTRAIT, SCULPTURE, art, loans, pair
from tests.games.classic_art.redeal import is_consistent, redealt
from tests.games.playouts import samples

SEATS = [2, 3, 4, 5]
PRIVATE = {"seat", "hand", "chosen"}


def some_positions(seats: int) -> Iterator[State]:
    for number in range(10):
        yield from samples(GAME, seats, number, one_in=10)


def viewers(seats: int) -> list[int | None]:
    return [*range(seats), None]


def public_part(view: View) -> dict[str, object]:
    return {field.name: getattr(view, field.name) for field in fields(view) if field.name not in PRIVATE}


@pytest.mark.parametrize("seats", SEATS)
def test_views_differ_in_nothing_but_the_own_hand_and_choice(seats: int) -> None:
    """A spectator gets the public part, every seat the same beside its own secrets."""
    for state in some_positions(seats):
        spectator = GAME.view(state, None)
        assert (spectator.seat, spectator.hand, spectator.chosen) == (None, bytes(10), -1)
        for seat in range(seats):
            view = GAME.view(state, seat)
            assert public_part(view) == public_part(spectator)
            assert (view.seat, view.hand) == (seat, bytes(state.hands[seat * 10 : seat * 10 + 10]))


@pytest.mark.parametrize("seats", SEATS)
def test_worlds_that_differ_only_in_what_is_hidden_look_the_same(seats: int) -> None:
    """Other hands, sealed choices, House, deck and seed are shuffled: view, prompts and autopilot stay the same."""
    rng = random.Random(seats)
    for state in some_positions(seats):
        for viewer in viewers(seats):
            twin = redealt(GAME, state, viewer, rng)
            assert GAME.view(twin, viewer) == GAME.view(state, viewer)
            assert GAME.to_act(twin) == GAME.to_act(state)
            if viewer is not None and viewer in GAME.to_act(state):
                assert GAME.legal_moves(twin, viewer) == GAME.legal_moves(state, viewer)


@pytest.mark.parametrize("seats", SEATS)
def test_legal_moves_follow_from_the_view(seats: int) -> None:
    """A client finds its moves in the view, in the same order; a spectator has none."""
    for state in some_positions(seats):
        for seat in GAME.to_act(state):
            assert legal_in_view(GAME.parts, GAME.view(state, seat)) == GAME.legal_moves(state, seat)
            assert sorted(GAME.legal_moves(state, seat)) == GAME.legal_moves(state, seat)
        with pytest.raises(ValueError, match="spectator"):
            legal_in_view(GAME.parts, GAME.view(state, None))


@pytest.mark.parametrize("seats", SEATS)
def test_a_prediction_tells_the_same_in_all_worlds(seats: int) -> None:
    """Public moves have the same events and the same next prompt whatever is hidden."""
    rng = random.Random(seats)
    for state in some_positions(seats):
        if state.phase not in (Phase.SETUP, Phase.PREDICT):
            continue
        seat = state.turn
        twin, move = redealt(GAME, state, seat, rng), rng.choice(GAME.legal_moves(state, seat))
        assert play(twin, seat, move) == play(state, seat, move)
        assert GAME.view(twin, seat) == GAME.view(state, seat)


def test_a_commitment_is_all_that_others_see() -> None:
    """Before and after it their views differ in `committed` alone; hand sizes stay 3, nothing lies on the table."""
    state = last_turn(3, hands=[[*art(SCULPTURE, 2), *loans(PORTRAIT)]])
    before = {viewer: GAME.view(state, viewer) for viewer in (1, 2, None)}
    events = play(state, 0, pair(*art(SCULPTURE, 2)))
    for viewer, view in before.items():
        after = GAME.view(state, viewer)
        assert after == replace(view, committed=b"\1\0\0")
        assert (list(after.hand_sizes), after.chosen) == ([3, 3, 3], -1)
    assert [event for event in events if event.audience is None] == [CardsCommitted(0)]
    assert [event.audience for event in events if isinstance(event, CardsChosen)] == [0]


def test_a_seat_sees_its_own_sealed_choice() -> None:
    """And its hand of three until the reveal."""
    state = last_turn(3, hands=[[*art(SCULPTURE, 2), *loans(PORTRAIT)]])
    assert GAME.view(state, 0).chosen == -1
    play(state, 0, pair(*art(SCULPTURE), *loans(PORTRAIT)))
    view = GAME.view(state, 0)
    assert (view.chosen, sum(view.hand)) == (pair(*art(SCULPTURE), *loans(PORTRAIT)), 3)


def test_the_tally_keeps_what_annihilated() -> None:
    """An Artwork and a Loan leave the count; who played them stays to be seen by all."""
    state = season(3, hands=[[*art(PORTRAIT), *loans(PORTRAIT)]], revealed=art(ETCHING, 2))
    all_pass(state)
    play(state, 0, pair(*art(PORTRAIT), *loans(PORTRAIT)))
    for viewer in viewers(3):
        view = GAME.view(state, viewer)
        assert view.net == [2, 0, 0, 0, 0]
        assert [place for place, count in enumerate(view.played) if count] == [6, 7, 30]
        assert list(tally(GAME.parts, view.played)) == [2, 0, 0, 0, 0, 0, 1, 1, 0, 0]


def test_sizes_of_hands_deck_and_house_are_public() -> None:
    state = season(2)
    all_pass(state)
    play(state, 0, GAME.legal_moves(state, 0)[0])
    view = GAME.view(state, None)
    assert (list(view.hand_sizes), view.deck_size, view.house_size) == ([9, 11], 31, 9)


@pytest.mark.parametrize("seats", SEATS)
def test_drawn_worlds_hold_all_cards_and_the_pairs_chosen(seats: int) -> None:
    """Each kind is there 11 or 2 times, and a committed opponent's pair lies in its hand."""
    rng = random.Random(seats)
    for state in some_positions(seats):
        for viewer in viewers(seats):
            world = GAME.determinize(GAME.view(state, viewer), rng)
            cards = [*world.hands, *world.played, *world.deck]
            total = [sum(cards[kind::10]) + world.house.count(kind) for kind in range(10)]
            assert total == [11, 2] * 5
            assert is_consistent(world)
            assert [chosen > 0 for chosen in world.chosen] == [chosen > 0 for chosen in state.chosen]


@pytest.mark.parametrize("seats", SEATS)
def test_drawn_worlds_differ_from_the_truth_where_the_others_hide_something(seats: int) -> None:
    """Where the unseen cards are not all equal, one of twenty draws gives another hand, House or deck."""
    rng = random.Random(seats)
    for state in some_positions(seats):
        if not GAME.to_act(state):
            continue
        for viewer in viewers(seats):
            worlds = (GAME.determinize(GAME.view(state, viewer), rng) for _ in range(20))
            truth = (state.hands, state.house, state.deck)
            assert any((world.hands, world.house, world.deck) != truth for world in worlds)
