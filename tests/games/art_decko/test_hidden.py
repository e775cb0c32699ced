"""What a viewer may know and what it may not, and the worlds that it cannot tell apart."""

import random
from collections.abc import Iterator
from dataclasses import fields

import pytest

from referee.games.art_decko.events import ArtDeckoEvent, BankRefilled, CardsSeen, GalleriesFilled
from referee.games.art_decko.legal import legal_in_view
from referee.games.art_decko.state import Phase, State
from referee.games.art_decko.view import View
from tests.games.art_decko.build import GAME, WIDTH, deck, hand, known, play, position
from tests.games.art_decko.moves import FIVE, NOUVEAU, ONE, POP_ART, RENAISSANCE, TWO
from tests.games.art_decko.picture import Words
from tests.games.art_decko.policy import Character
from tests.games.art_decko.redeal import redealt
from tests.games.playouts import dealt, samples

WORDS = Words(GAME)
SEATS = [2, 3, 4]
PRIVATE = {"seat", "hand"}


def some_positions(seats: int, one_in: int = 8) -> Iterator[State]:
    """Of ten matches: any random moves in half of them, those of many characters in the others."""
    for number in range(4):
        yield from samples(GAME, seats, number, one_in)
    for number in range(4):
        rng = random.Random(number)
        state, character = dealt(GAME, seats, number), Character(rng)
        while waiting := GAME.to_act(state):
            if not rng.randrange(one_in):
                yield GAME.copy(state)
            legal = [WORDS.moves[move] for move in GAME.legal_moves(state, waiting[0])]
            GAME.play(state, waiting[0], WORDS.ids[character.choose(legal)])
        yield state


def viewers(seats: int) -> list[int | None]:
    return [*range(seats), None]


def public_part(view: View) -> dict[str, object]:
    return {field.name: getattr(view, field.name) for field in fields(view) if field.name not in PRIVATE}


def hidden_part(state: State) -> tuple[object, ...]:
    return bytes(state.hands), tuple(state.decks), state.paintings, state.stack


def row(table: bytes | bytearray, seat: int) -> bytes:
    return bytes(table[seat * WIDTH : seat * WIDTH + WIDTH])


@pytest.mark.parametrize("seats", SEATS)
def test_views_differ_in_nothing_but_the_own_hand(seats: int) -> None:
    """A spectator gets the public part, every seat the same beside its own hand."""
    for state in some_positions(seats):
        spectator = GAME.view(state, None)
        assert (spectator.seat, spectator.hand) == (None, bytes(WIDTH))
        for seat in range(seats):
            view = GAME.view(state, seat)
            assert public_part(view) == public_part(spectator)
            assert (view.seat, view.hand) == (seat, row(state.hands, seat))


@pytest.mark.parametrize("seats", SEATS)
def test_worlds_that_differ_only_in_what_is_hidden_look_the_same(seats: int) -> None:
    """Other hands, all decks, painting deck, stack and seed are shuffled: view and prompts stay the same."""
    rng = random.Random(seats)
    for state in some_positions(seats):
        for viewer in viewers(seats):
            twin = redealt(GAME, state, viewer, rng)
            assert GAME.view(twin, viewer) == GAME.view(state, viewer)
            assert GAME.to_act(twin) == GAME.to_act(state)
            assert GAME.result(twin) == GAME.result(state)
            if viewer is not None and viewer in GAME.to_act(state):
                assert GAME.legal_moves(twin, viewer) == GAME.legal_moves(state, viewer)


@pytest.mark.parametrize("seats", SEATS)
def test_a_re_dealt_world_differs_in_what_is_hidden(seats: int) -> None:
    """The pairs of worlds above are not the same world twice."""
    rng = random.Random(seats)
    for number in range(10):
        state = dealt(GAME, seats, number)
        for viewer in viewers(seats):
            assert hidden_part(redealt(GAME, state, viewer, rng)) != hidden_part(state)


@pytest.mark.parametrize("seats", SEATS)
def test_a_move_shows_the_same_in_all_worlds(seats: int) -> None:
    """Who watches a move learns the same from it in each world where it is legal, but for cards turned up for all."""
    rng = random.Random(seats)
    for state in some_positions(seats):
        for mover in GAME.to_act(state):
            for viewer in set(viewers(seats)) - {mover}:
                twin = redealt(GAME, state, viewer, rng)
                both = sorted(set(GAME.legal_moves(twin, mover)) & set(GAME.legal_moves(state, mover)))
                if both:
                    assert_same_to(viewer, GAME.copy(state), twin, mover, rng.choice(both))


def assert_same_to(viewer: int | None, state: State, twin: State, mover: int, move: int) -> None:
    seen = [told(viewer, GAME.play(world, mover, move)) for world in (state, twin)]
    if any(isinstance(event, BankRefilled | GalleriesFilled) for event in seen[0]):
        assert [type(event) for event in seen[0]] == [type(event) for event in seen[1]]
    else:
        assert seen[0] == seen[1]
        assert GAME.view(state, viewer) == GAME.view(twin, viewer)


def told(viewer: int | None, events: list[ArtDeckoEvent]) -> list[ArtDeckoEvent]:
    return [event for event in events if event.audience in (None, viewer)]


@pytest.mark.parametrize("seats", SEATS)
def test_legal_moves_follow_from_the_view(seats: int) -> None:
    """A client finds its moves in the view, in the same order, which is that of the ids; a spectator has none."""
    for state in some_positions(seats):
        for seat in GAME.to_act(state):
            assert legal_in_view(GAME.parts, GAME.view(state, seat)) == GAME.legal_moves(state, seat)
            assert sorted(GAME.legal_moves(state, seat)) == GAME.legal_moves(state, seat)
        with pytest.raises(ValueError, match="spectator"):
            legal_in_view(GAME.parts, GAME.view(state, None))


def test_cards_drawn_are_told_to_their_owner_alone() -> None:
    """Others learn how many, and not the order in which they came."""
    state = position(3, hands=[[ONE, TWO]], decks=[[NOUVEAU, FIVE, ONE]])
    events = play(state, ("haggle", ONE))
    (seen,) = [event for event in events if isinstance(event, CardsSeen)]
    assert (seen.audience, list(seen.kinds)) == (0, sorted(seen.kinds))
    for viewer in (1, 2, None):
        assert not [event for event in told(viewer, events) if isinstance(event, CardsSeen)]
        assert list(GAME.view(state, viewer).hand_sizes) == [3, 1, 1]
        assert list(GAME.view(state, viewer).deck_sizes) == [1, 0, 0]


@pytest.mark.parametrize("seats", SEATS)
def test_drawn_worlds_are_made_of_what_is_known(seats: int) -> None:
    """Every hand is what is kept and cards of the pool, the rest of which is the deck; the viewer's hand is its own."""
    rng = random.Random(seats)
    for state in some_positions(seats):
        for viewer in viewers(seats):
            world = GAME.determinize(GAME.view(state, viewer), rng)
            assert GAME.view(world, viewer) == GAME.view(state, viewer)
            for seat in range(seats):
                cards = zip(row(state.kept, seat), row(state.pool, seat), row(world.hands, seat), strict=True)
                rest = bytes(kept + pool - held for kept, pool, held in cards)
                assert all(kept <= held for kept, held in zip(state.kept, world.hands, strict=True))
                assert rest == bytes(world.decks[seat].count(kind) for kind in range(WIDTH))
                assert sum(row(world.hands, seat)) == sum(row(state.hands, seat))
            assert sorted(world.paintings) == sorted(state.paintings)
            assert sorted(world.stack) == sorted(state.stack)


@pytest.mark.parametrize("seats", SEATS)
def test_drawn_worlds_can_be_played_on(seats: int) -> None:
    """Who is to act has a move in each: a hand that could not pay for what it has begun is ruled out."""
    rng = random.Random(seats)
    for state in some_positions(seats):
        for viewer in viewers(seats):
            world = GAME.determinize(GAME.view(state, viewer), rng)
            assert all(GAME.legal_moves(world, seat) for seat in GAME.to_act(world))


@pytest.mark.parametrize("seats", SEATS)
def test_drawn_worlds_differ_from_the_truth_where_something_is_hidden(seats: int) -> None:
    """Each hand, deck, painting deck and stack that could be another is another in one of two hundred draws."""
    rng = random.Random(seats)
    for state in some_positions(seats, one_in=16):
        for viewer in viewers(seats):
            view, same = GAME.view(state, viewer), uncertain(state, viewer)
            for _ in range(200):
                if not same:
                    break
                drawn = hidden_parts(GAME.determinize(view, rng))
                same = {name: truth for name, truth in same.items() if drawn[name] == truth}
            assert same == {}


def hidden_parts(state: State) -> dict[tuple[str, int], bytes]:
    parts: dict[tuple[str, int], bytes] = {("paintings", 0): state.paintings, ("stack", 0): state.stack}
    for seat in range(state.seats):
        parts["deck", seat] = state.decks[seat]
        parts["hand", seat] = row(state.hands, seat)
    return parts


def uncertain(state: State, viewer: int | None) -> dict[tuple[str, int], bytes]:
    """What could be another: a pile of different cards, and a hand that need not have drawn what it has."""
    parts = hidden_parts(state)
    for seat in range(state.seats):
        drawn = row(state.hands, seat) != row(state.kept, seat)
        alike = sum(count > 0 for count in row(state.pool, seat)) < 2
        pays = seat == state.turn and state.phase in (Phase.INVITATION, Phase.PAYMENT)
        if seat == viewer or not drawn or not state.decks[seat] or alike or pays:
            del parts["hand", seat]
    return {name: cards for name, cards in parts.items() if name[0] == "hand" or len(set(cards)) > 1}


def test_the_own_deck_is_drawn_anew_too() -> None:
    """Its order is hidden from its owner, its content is not."""
    state, rng = position(hands=[[ONE]], decks=[[TWO, NOUVEAU, POP_ART, FIVE]]), random.Random(1)
    worlds = [GAME.determinize(GAME.view(state, 0), rng) for _ in range(50)]
    assert {tuple(sorted(deck(world))) for world in worlds} == {tuple(sorted(deck(state)))}
    assert len({tuple(deck(world)) for world in worlds}) > 10
    assert {tuple(hand(world)) for world in worlds} == {(ONE,)}


def test_what_is_kept_is_in_every_drawn_hand() -> None:
    """After a shuffle all know that a seat held ONE and FIVE; of the cards drawn since they know the pool."""
    state, rng = position(hands=[[ONE, FIVE, TWO], [ONE]], discards=[[NOUVEAU, POP_ART, RENAISSANCE]]), random.Random(2)
    play(state, ("haggle", TWO))
    assert known(state) == ([ONE, FIVE], [NOUVEAU, RENAISSANCE, POP_ART, TWO])
    hands = [hand(GAME.determinize(GAME.view(state, 1), rng)) for _ in range(100)]
    assert all({ONE, FIVE} <= set(cards) for cards in hands)
    assert len({tuple(cards) for cards in hands}) == 6
