"""What a viewer may know and what it may not, and the worlds that it cannot tell apart."""

import random
from collections.abc import Iterator
from dataclasses import fields, replace

import pytest

from referee.core.errors import IllegalMoveError
from referee.games.artsee.events import ArtSeeEvent, CardDrawn, CardSeen, VisitorChosen, VisitorsCommitted
from referee.games.artsee.legal import legal_in_view
from referee.games.artsee.state import Phase, State
from referee.games.artsee.view import View
from tests.games.artsee.build import GAME, MATCHING, OTHERS, QUIET, play, position
from tests.games.artsee.moves import FIRST_PILE, KINDS, MAIN, PLACE, SKIP, kind, play_of
from tests.games.artsee.playing import samples, steps, viewers
from tests.games.artsee.redeal import faults, number_of_worlds, redealt, with_other_progress

SEATS = [2, 3, 4, 5]
PRIVATE = {"seat", "hand", "choices"}
PUBLIC = {
    "seats",
    "first",
    "phase",
    "turn",
    "column",
    "earned",
    "pile_sizes",
    "tops",
    "backs",
    "galleries",
    "visitors",
    "slots",
    "supplies",
    "prestige",
    "asked",
    "committed",
}


def some_positions(seats: int) -> Iterator[State]:
    for number in range(3):
        yield from samples(GAME, seats, number, one_in=10)


def in_the_middle_of_sealed_choices(seats: int) -> Iterator[State]:
    """Positions in which some seat has chosen for some of its columns or for all."""
    for number in range(2):
        yield from (step.before for step in steps(GAME, seats, number) if any(step.before.choices))


def public_part(view: View) -> dict[str, object]:
    return {field.name: getattr(view, field.name) for field in fields(view) if field.name not in PRIVATE}


def test_a_view_has_no_other_fields_than_these() -> None:
    """Whoever adds one thinks about who may know it."""
    assert {field.name for field in fields(View)} == PRIVATE | PUBLIC


@pytest.mark.parametrize("seats", SEATS)
def test_views_differ_in_nothing_but_the_own_hand_and_choices(seats: int) -> None:
    """A spectator gets the public part, every seat the same beside its own secrets."""
    for state in some_positions(seats):
        spectator = GAME.view(state, None)
        assert (spectator.seat, spectator.hand, spectator.choices) == (None, b"", b"")
        for seat in range(seats):
            view = GAME.view(state, seat)
            assert public_part(view) == public_part(spectator)
            assert (view.seat, view.hand, view.choices) == (seat, state.hands[seat], state.choices[seat])


@pytest.mark.parametrize("seats", SEATS)
def test_of_other_hands_and_the_piles_a_view_shows_the_backs_alone(seats: int) -> None:
    for state in some_positions(seats):
        view = GAME.view(state, None)
        for seat, hand in enumerate(state.hands):
            backs = sorted((KINDS[card].deck == MAIN, "ALPS".index(KINDS[card].featured[0])) for card in hand)
            assert list(view.backs[seat]) == [4 * in_main + featured for in_main, featured in backs]
        assert list(view.pile_sizes) == [len(pile) for pile in state.piles]
        tops = ["ALPS".index(KINDS[pile[-1]].featured[0]) if pile else -1 for pile in state.piles]
        assert view.tops == tops


def refusals(state: State, seat: int) -> list[str]:
    texts = []
    for move in range(seat, GAME.spec.num_actions, 11):
        try:
            GAME.check(state, seat, move)
        except IllegalMoveError as error:
            texts.append(str(error))
    return texts


def assert_alike(state: State, twin: State, viewer: int | None) -> None:
    assert faults(twin) == []
    assert GAME.view(twin, viewer) == GAME.view(state, viewer)
    assert GAME.to_act(twin) == GAME.to_act(state)
    assert GAME.result(twin) == GAME.result(state)
    if viewer is not None and viewer in GAME.to_act(state):
        assert GAME.legal_moves(twin, viewer) == GAME.legal_moves(state, viewer)
        assert refusals(twin, viewer) == refusals(state, viewer)


@pytest.mark.parametrize("seats", SEATS)
def test_worlds_that_differ_only_in_what_is_hidden_look_the_same(seats: int) -> None:
    """Fronts of other hands, piles, removed cards and seed are shuffled: view, prompts and refusals stay the same."""
    rng = random.Random(seats)
    for state in some_positions(seats):
        for viewer in viewers(seats):
            assert_alike(state, redealt(GAME, state, viewer, rng), viewer)


@pytest.mark.parametrize("seats", SEATS)
def test_sealed_choices_look_the_same_whatever_and_how_far_they_are(seats: int) -> None:
    """A seat that still chooses may have come anywhere, one that is ready may have chosen anything."""
    rng, seen = random.Random(seats), 0
    for state in in_the_middle_of_sealed_choices(seats):
        for viewer in viewers(seats):
            twin = with_other_progress(GAME, redealt(GAME, state, viewer, rng), viewer, rng)
            assert_alike(state, twin, viewer)
            seen += twin.choices != state.choices
    assert seen > 10


@pytest.mark.parametrize("seats", SEATS)
def test_the_redealt_worlds_are_other_worlds(seats: int) -> None:
    """What the tests above compare does differ."""
    rng = random.Random(seats)
    for state in some_positions(seats):
        truth = (state.hands, state.piles, state.choices)
        twins = (redealt(GAME, state, None, rng) for _ in range(20))
        if number_of_worlds(state, None) > 1:
            assert any((twin.hands, twin.piles, twin.choices) != truth for twin in twins)


@pytest.mark.parametrize("seats", SEATS)
def test_legal_moves_follow_from_the_view(seats: int) -> None:
    """A client finds its moves in the view, in the same order; a spectator has none."""
    for state in some_positions(seats):
        for seat in GAME.to_act(state):
            assert list(legal_in_view(GAME.parts, GAME.view(state, seat))) == list(GAME.legal_moves(state, seat))
        with pytest.raises(ValueError, match="spectator"):
            legal_in_view(GAME.parts, GAME.view(state, None))


def known_to(viewer: int | None, events: list[ArtSeeEvent]) -> list[ArtSeeEvent]:
    return [event for event in events if event.audience is None or event.audience == viewer]


@pytest.mark.parametrize("seats", SEATS)
def test_others_learn_nothing_from_an_event_that_its_mover_does_not_show(seats: int) -> None:
    """Claims, declines and commitments have the same events in all worlds of every viewer but for what they show."""
    rng = random.Random(seats)
    for step in steps(GAME, seats, seats):
        if step.before.phase not in (Phase.VISIT, Phase.CLAIM) or any(event.reveals for event in step.events):
            continue
        for viewer in set(viewers(seats)) - {step.seat}:
            twin = redealt(GAME, step.before, viewer, rng)
            twin.choices = step.before.choices[:]
            assert known_to(viewer, play(twin, step.seat, step.move)) == known_to(viewer, step.events)
            assert GAME.view(twin, viewer) == GAME.view(step.after, viewer)


def test_how_far_a_seat_has_come_with_its_visitors_is_not_seen() -> None:
    """Nothing changes for others before its last choice, which shows no more than that it is ready."""
    state = position(QUIET, MATCHING, ("P:LP>", "S:AP<"), hand="P:AP>")
    play(state, 0, play_of("P:AP>", 0))
    before = {viewer: GAME.view(state, viewer) for viewer in (0, 2, None)}
    for move in (PLACE, SKIP):
        (event,) = play(state, 1, move)
        assert isinstance(event, VisitorChosen)
        assert event.audience == 1
        assert {viewer: GAME.view(state, viewer) for viewer in before} == before
        assert list(GAME.to_act(state)) == [1, 2]
    chosen, committed = play(state, 1, PLACE)
    assert (chosen.audience, committed) == (1, VisitorsCommitted(1))
    for viewer, view in before.items():
        assert GAME.view(state, viewer) == replace(view, committed=b"\0\1\0")


def test_a_seat_sees_its_own_sealed_choices() -> None:
    state = position(QUIET, MATCHING, ("P:LP>", "S:AP<"), hand="P:AP>")
    play(state, 0, play_of("P:AP>", 0))
    for move, expected in ((PLACE, b"\1"), (SKIP, b"\1\0"), (PLACE, b"\1\0\1")):
        play(state, 1, move)
        assert GAME.view(state, 1).choices == expected


def test_a_drawn_card_is_seen_by_its_owner_and_its_back_by_all() -> None:
    """Everybody sees from which pile it came and what the next top's back is."""
    state = position(QUIET, OTHERS[0], OTHERS[1], hand="P:AL>", piles=(3, 2), tops=("S:AL<", "L:AP>"))
    play(state, 0, play_of("P:AL>", 0))
    events = play(state, 0, FIRST_PILE)
    assert events == [CardDrawn(0, 0, 3), CardSeen(0, kind("S:AL<"))]
    assert [event.audience for event in events] == [None, 0]
    next_top = "ALPS".index(KINDS[state.piles[0][-1]].featured[0])
    for viewer in (0, 1, 2, None):
        assert GAME.view(state, viewer).tops == [next_top, 1]
        assert list(GAME.view(state, viewer).backs[0]) == [4 + 3]


@pytest.mark.parametrize("seats", SEATS)
def test_only_the_owner_is_told_the_front_of_a_drawn_card(seats: int) -> None:
    """No event for all, or for another seat, holds it."""
    for step in steps(GAME, seats, seats):
        (drawer,) = {step.before.turn}
        for event in step.events:
            assert event.audience in (None, drawer if isinstance(event, CardSeen) else step.seat)
            assert isinstance(event, CardSeen | VisitorChosen) == (event.audience is not None)
