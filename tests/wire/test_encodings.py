"""A viewer cannot tell two worlds apart in any form in which a view is written, nor follow a card through a shuffle."""

import random
from collections.abc import Callable, Iterator
from itertools import islice
from typing import Any, Final

import pytest
from google.protobuf.json_format import MessageToJson

from artreferee.v1 import ruleset_pb2
from referee.wire import wires
from tests.api.worlds import Position, Rules
from tests.api.worlds_art_decko import ArtDeckoRules
from tests.api.worlds_artsee import ArtSeeRules
from tests.api.worlds_classic_art import ClassicArtRules

POSITIONS: Final = 12
RULES: Final = (ClassicArtRules(), ArtSeeRules(), ArtDeckoRules())
every_table = pytest.mark.parametrize(
    ("rules", "seats"),
    [
        pytest.param(rules, seats, id=f"{rules.game.spec.name}-{seats}")
        for rules in RULES
        for seats in rules.game.spec.seats
    ],
)


def encodings(rules: Rules, state: Any, viewer: int | None) -> list[object]:
    """What a viewer may be given of a position, in every form that there is."""
    game = rules.game
    view = game.view(state, viewer)
    message = wires()[game.spec.name].view(view)
    prompt = list[tuple[int, str]]()
    if viewer is not None and viewer in game.to_act(state):
        prompt = [(move, game.describe(move)) for move in game.legal_moves(state, viewer)]
    return [view, repr(view), message.SerializeToString(), str(message), MessageToJson(message), prompt]


def positions(rules: Rules, seats: int) -> Iterator[Position]:
    return islice(rules.positions(seats, 7, often=2), POSITIONS)


@every_table
def test_no_form_of_a_view_tells_two_worlds_apart(rules: Rules, seats: int) -> None:
    rng = random.Random(seats)
    for position in positions(rules, seats):
        for viewer in (None, *range(seats)):
            twin = rules.redealt(position.state, viewer, rng)
            assert encodings(rules, twin, viewer) == encodings(rules, position.state, viewer)


def shuffled(cards: bytes, rng: random.Random) -> bytes:
    return bytes(rng.sample(cards, len(cards)))


def _shuffle_house(state: Any, rng: random.Random) -> None:
    state.house = shuffled(state.house, rng)


def _shuffle_piles(state: Any, rng: random.Random) -> None:
    """But for the tops, whose backs lie open."""
    state.piles = [shuffled(pile[:-1], rng) + pile[-1:] for pile in state.piles]


def _shuffle_decks(state: Any, rng: random.Random) -> None:
    state.decks = [shuffled(deck, rng) for deck in state.decks]
    state.paintings, state.stack = shuffled(state.paintings, rng), shuffled(state.stack, rng)


SHUFFLES: Final[dict[str, Callable[[Any, random.Random], None]]] = {
    "classic_art": _shuffle_house,
    "artsee": _shuffle_piles,
    "art_decko": _shuffle_decks,
}


@every_table
def test_nobody_sees_how_what_lies_face_down_was_shuffled(rules: Rules, seats: int) -> None:
    """Not even the owner of a deck: all views and prompts of all are the same for every order of it."""
    rng, changed = random.Random(seats), 0
    for position in positions(rules, seats):
        other = rules.game.copy(position.state)
        SHUFFLES[rules.game.spec.name](other, rng)
        changed += other != position.state
        for viewer in (None, *range(seats)):
            assert encodings(rules, other, viewer) == encodings(rules, position.state, viewer)
    assert changed or (rules.game.spec.name, seats > 2) == ("classic_art", True)  # no House there


@pytest.mark.parametrize("rules", RULES, ids=lambda rules: rules.game.spec.name)
def test_a_card_on_the_wire_is_what_is_printed_on_it(rules: Rules) -> None:
    """It has no number or handle of its own by which it could be known again."""
    view = ruleset_pb2.View.DESCRIPTOR.fields_by_name[rules.game.spec.name].message_type
    assert view is not None
    for message in view.file.message_types_by_name.values():
        for field in message.fields:
            assert not {"id", "ids", "handle", "handles"} & set(field.name.split("_")), field.full_name
