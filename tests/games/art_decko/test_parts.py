"""The components: their numbers, what they make of move ids, and other files that can be played."""

import random
from itertools import chain

import pytest

from referee.games.art_decko.game import ArtDecko
from referee.games.art_decko.parts import load
from tests.games.art_decko.build import TILES
from tests.games.art_decko.components import LIMITS, parts_with, tiny
from tests.games.art_decko.moves import (
    DISCOUNT,
    DONE,
    DRAW_TWO,
    FIVE,
    GOLD,
    IDS,
    IMPRESSIONISM,
    KINDS,
    MOVES,
    NOUVEAU,
    ONE,
    OPEN_INVITATION,
    POWERS,
    PROMOTE,
    RENAISSANCE,
    STYLES,
    SURREALISM,
    WILD,
    Move,
)
from tests.games.art_decko.naive_table import BOX
from tests.games.playouts import dealt, play_out

PARTS = load()
SPEC = ArtDecko().spec


def test_ids_have_the_number_of_the_design() -> None:
    """14 haggles, 27 acquisitions, 5 and 30 for exhibits, 14 payments, 6 powers, 6 promotions, 14, 14 and "done"."""
    assert (SPEC.num_actions, SPEC.max_legal_moves, SPEC.seats) == (131, 40, (2, 3, 4))
    assert len(MOVES) == len(set(MOVES)) == 131


@pytest.mark.parametrize(
    ("move", "expected"),
    [
        (("haggle", NOUVEAU), 0),
        (("haggle", ONE), 5),
        (("haggle", OPEN_INVITATION), 13),
        (("acquire", 1, NOUVEAU), 14),
        (("acquire", 4, NOUVEAU), 17),
        (("acquire", 2, RENAISSANCE), 19),
        (("acquire", 4, IMPRESSIONISM), 33),
        (("buy", DRAW_TWO), 34),
        (("buy", OPEN_INVITATION), 39),
        (("buy", FIVE), 40),
        (("exhibit", NOUVEAU), 41),
        (("exhibit", IMPRESSIONISM), 45),
        (("invite", 1, NOUVEAU), 46),
        (("invite", 1, WILD), 51),
        (("invite", 2, SURREALISM), 54),
        (("invite", 5, WILD), 75),
        (("pay", NOUVEAU), 76),
        (("pay", FIVE), 83),
        (("pay", OPEN_INVITATION), 89),
        (("power", DRAW_TWO), 90),
        (("power", DISCOUNT), 92),
        (("power", OPEN_INVITATION), 95),
        (("promote", NOUVEAU), 96),
        (("promote", GOLD), 101),
        (("remove", NOUVEAU), 102),
        (("remove", OPEN_INVITATION), 115),
        (("discard", NOUVEAU), 116),
        (("discard", PROMOTE), 127),
        (("discard", OPEN_INVITATION), 129),
        (DONE, 130),
    ],
)
def test_ids_never_move(move: Move, expected: int) -> None:
    """Clients and records know moves by these numbers; the tests' own layout gives the same."""
    assert IDS[move] == expected


def test_descriptions_name_cards_and_places() -> None:
    texts = {move: PARTS.descriptions[move] for move in (5, 19, 34, 40, 43, 51, 89, 90, 101, 102, 129, 130)}
    assert texts == {
        5: "haggle for 1-gold",
        19: "acquire RENAISSANCE of gallery 2",
        34: "acquire 3-gold DRAW_TWO",
        40: "acquire 5-gold",
        43: "exhibit SURREALISM",
        51: "accept the WILD invitation of exhibition 1",
        89: "pay 3-gold OPEN_INVITATION",
        90: "play DRAW_TWO",
        101: "promote GOLD",
        102: "remove ART_NOUVEAU from the game",
        129: "discard 3-gold OPEN_INVITATION",
        130: "discard no more",
    }


def test_kinds_are_named_in_the_order_of_the_tests() -> None:
    names = [PARTS.kind_name(kind) for kind in range(14)]
    assert names == [f"3-gold {kind}" if kind in POWERS else kind for kind in KINDS]


@pytest.mark.parametrize("seats", [2, 3, 4])
def test_no_list_is_longer_than_promised(seats: int) -> None:
    """Forty at most: 14 haggles, 4 galleries of 3 different paintings, 2 and 1 gold, 5 exhibits, 6 powers."""
    game, longest = ArtDecko(), 0
    for number in range(20):
        state, rng = dealt(game, seats, number), random.Random(number)
        while waiting := game.to_act(state):
            legal = game.legal_moves(state, waiting[0])
            longest = max(longest, len(legal))
            game.play(state, waiting[0], rng.choice(legal))
    assert 15 < longest <= 40


def test_the_data_are_those_of_the_rules() -> None:
    """Every number of the rules, read from the file."""
    assert {name: table for name, table in BOX.items() if name not in ("exhibitions", "tiles", "sources")} == {
        "version": "1",
        "cards": {"styles": list(STYLES), "paintings": 15, "ones": 12, "twos": 8, "fives": 10, "threes": 2},
        "powers": {"discount": 4, "promote": 4},
        "start": {"paintings": 5, "ones": 3, "twos": 2},
        "galleries": {
            "rises": [2, 3, 4, 5],
            "full": [{"seats": 2, "paintings": 2}, {"seats": 3, "paintings": 3}, {"seats": 4, "paintings": 3}],
        },
        "tokens": {
            "first": 1,
            "orange": [1, 2, 2, 3, 3, 4, 4, 5],
            "yellow": [5, 5, 6, 6, 6, 7, 7, 7, 8, 8, 8, 8],
        },
        "bank": {"face_up": 2, "three_cost": 5, "three_rise": 3, "five_cost": 8, "five_rise": 5},
        "market": {
            "cap": 70,
            "gold_value": [[0, 1], [10, 2], [20, 3], [35, 4], [50, 5], [65, 6]],
            "painting_vp": [[0, 1], [10, 2], [20, 3], [30, 4], [40, 5], [55, 6], [70, 7]],
            "gold_per_vp": [[0, 6], [10, 5], [20, 4], [35, 3], [50, 2], [70, 1]],
        },
        "museum": {"style_markers": 8, "wild_markers": 6, "ribbons": 9, "rise": 3, "end_at": 12},
    }
    assert BOX["exhibitions"] == [
        {"cost": 6, "vp": [5, 4, 3, 2]},
        {"cost": 7, "vp": [6, 5, 4, 3]},
        {"cost": 8, "vp": [7, 6, 4, 3]},
        {"cost": 10, "vp": [8, 6, 5, 4]},
        {"cost": 12, "vp": [10, 8, 6, 4]},
    ]


def test_the_tiles_are_those_of_the_rules() -> None:
    """Sixteen: five for the styles, eleven others, each with its points."""
    points = {tile: row["vp"] for tile, row in zip(TILES, BOX["tiles"], strict=True)}
    assert points == {
        **{f"MOST OWN_PAINTINGS {style}": [4, 2] for style in STYLES},
        "MOST OWN_GOLD_CARDS": [4, 2],
        "MOST OWN_GOLD": [4, 2],
        "MOST MUSEUM_PAINTINGS": [4, 2],
        "FEWEST MUSEUM_PAINTINGS": [3],
        "MOST MUSEUM_STYLES": [4, 2],
        "MOST EXHIBITION_PAINTINGS": [4, 2],
        "EACH EXHIBITION_PAINTINGS": [2],
        "EACH OWN_SETS": [3],
        "FEWEST OWN_CARDS": [4, 2],
        "MOST OWN_CARDS": [4, 2],
        "MOST FIRST_SPACES": [4, 2],
    }


def test_every_part_has_a_source() -> None:
    assert {source.part for source in SPEC.sources} == BOX.keys() - {"version", "sources"}
    assert {source.origin for source in SPEC.sources} == {"rule_book", "public_fact", "reconstruction"}


def test_another_file_makes_another_game() -> None:
    """A tiny one has its own ids and seat counts, and another digest."""
    spec = ArtDecko(tiny()).spec
    # 11 kinds, 2 styles: 11 + 2 + 6 + 1 + 2 + 3 + 11 + 6 + 3 + 11 + 11 + 1
    assert (spec.seats, spec.num_actions, spec.data_version) == ((2,), 68, "tiny")
    assert spec.data_digest != SPEC.data_digest


@pytest.mark.parametrize("changes", LIMITS)
def test_components_at_their_limits_can_be_played(changes: list[tuple[str, str]]) -> None:
    """What is accepted is played to its end by every number of seats."""
    game = ArtDecko(parts_with(*changes))
    for seats, number in chain.from_iterable([(seats, 1), (seats, 2)] for seats in game.spec.seats):
        state = dealt(game, seats, number)
        play_out(game, state, random.Random(number))
        assert game.result(state) is not None
