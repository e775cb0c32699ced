"""The bonus tiles, each with a case counted out by hand."""

from collections.abc import Sequence

import pytest

from tests.games.art_decko.build import TILES, Hung, play, points, position
from tests.games.art_decko.moves import (
    DRAW_TWO,
    EXTRA_ACTION,
    FIVE,
    IMPRESSIONISM,
    NOUVEAU,
    ONE,
    POP_ART,
    PROMOTE,
    RENAISSANCE,
    STYLES,
    SURREALISM,
    TWO,
    WILD,
)

# Exhibition 1 is full: three paintings of seat 0, one of seat 1. In exhibition 2 hang two of seat 2, of one style.
MUSEUM: list[Hung] = [
    (1, 0, NOUVEAU, NOUVEAU),
    (1, 0, RENAISSANCE, RENAISSANCE),
    (1, 1, SURREALISM, SURREALISM),
    (1, 0, POP_ART, WILD),
    (2, 2, RENAISSANCE, RENAISSANCE),
    (2, 2, RENAISSANCE, WILD),
]
# Own cards: seat 0 has three paintings of a style and 6 in two gold cards, seat 1 two of each style and 4 in two gold
# cards, seat 2 three paintings and 9 in three gold cards. They lie in hands, decks and discard piles.
HANDS = [[NOUVEAU, NOUVEAU], [TWO, *STYLES], [PROMOTE, POP_ART]]
DECKS = [[NOUVEAU], [TWO, *STYLES], [DRAW_TWO, POP_ART]]
DISCARDS = [[ONE, FIVE], [], [EXTRA_ACTION, SURREALISM]]
CASES = {
    "MOST OWN_PAINTINGS ART_NOUVEAU": [4, 2, 0],  # 3, 2, 0
    "MOST OWN_PAINTINGS RENAISSANCE": [0, 4, 0],  # 0, 2, 0
    "MOST OWN_PAINTINGS SURREALISM": [0, 4, 2],  # 0, 2, 1
    "MOST OWN_PAINTINGS POP_ART": [0, 4, 4],  # 0, 2, 2
    "MOST OWN_PAINTINGS IMPRESSIONISM": [0, 4, 0],  # 0, 2, 0
    "MOST OWN_GOLD_CARDS": [2, 2, 4],  # 2, 2, 3
    "MOST OWN_GOLD": [2, 0, 4],  # 6, 4, 9
    "MOST MUSEUM_PAINTINGS": [4, 0, 2],  # 3, 1, 2
    "FEWEST MUSEUM_PAINTINGS": [0, 3, 0],  # 3, 1, 2
    "MOST MUSEUM_STYLES": [4, 2, 2],  # 3, 1, 1
    "MOST EXHIBITION_PAINTINGS": [4, 2, 0],  # 3, 1, 0
    "EACH EXHIBITION_PAINTINGS": [6, 2, 0],  # 3, 1, 0
    "EACH OWN_SETS": [0, 6, 0],  # 0, 2, 0
    "FEWEST OWN_CARDS": [4, 0, 2],  # 5, 12, 6
    "MOST OWN_CARDS": [0, 4, 2],  # 5, 12, 6
    "MOST FIRST_SPACES": [4, 0, 4],  # 1, 0, 1
}


def bonus(*tiles: str) -> list[int]:
    """What each seat gets when these tiles lie above the first exhibitions."""
    idle = ("MOST OWN_CARDS",) * (5 - len(tiles))
    state = position(3, hands=HANDS, decks=DECKS, discards=DISCARDS, museum=MUSEUM, tiles=[*tiles, *idle])
    return [each[3] for each in points(state)]


def bonus_of(tiles: Sequence[str], hands: Sequence[Sequence[str]], museum: Sequence[Hung]) -> list[int]:
    """What each seat gets with these five tiles, hands, and paintings in exhibitions that invite anything."""
    state = position(len(hands), hands=hands, museum=museum, tiles=tiles, markers=[[WILD] * 4] * 5)
    return [each[3] for each in points(state)]


def test_there_is_a_case_for_each_of_the_16_tiles() -> None:
    assert sorted(CASES) == sorted(TILES)
    assert len(TILES) == 16


@pytest.mark.parametrize(("tile", "expected"), CASES.items())
def test_a_tile_scores(tile: str, expected: list[int]) -> None:
    assert bonus(tile) == expected


def test_where_one_exhibition_is_full_the_others_do_not_count() -> None:
    """The second has two paintings, and the tile above it nothing to say."""
    assert bonus("MOST MUSEUM_STYLES", "MOST OWN_GOLD") == CASES["MOST MUSEUM_STYLES"]


def test_every_full_exhibition_scores_its_tile() -> None:
    """Of exhibitions 2 and 4 the paintings there are counted, and of all paintings in the museum."""
    museum = [(2, 0, POP_ART, WILD)] * 4 + [(4, 1, POP_ART, WILD)] * 4 + [(5, 1, POP_ART, WILD)] * 3
    tiles = ["MOST OWN_GOLD", "EACH EXHIBITION_PAINTINGS", *["MOST OWN_GOLD"] * 3]
    assert bonus_of(tiles, [[ONE], [FIVE]], museum) == [8 + 2, 4]
    tiles = ["MOST OWN_GOLD", "MOST MUSEUM_PAINTINGS", "MOST OWN_GOLD", "EACH EXHIBITION_PAINTINGS", "MOST OWN_CARDS"]
    assert bonus_of(tiles, [[ONE], [FIVE]], museum) == [2, 4 + 8]


def test_without_a_full_exhibition_those_with_most_paintings_score() -> None:
    """Exhibitions 1 and 3 have two paintings each, exhibition 2 has one."""
    museum = [(1, 0, POP_ART, WILD), (1, 0, POP_ART, WILD), (2, 1, POP_ART, WILD), (3, 0, POP_ART, WILD)]
    museum.append((3, 1, POP_ART, WILD))
    tiles = ["EACH EXHIBITION_PAINTINGS"] * 3 + ["MOST OWN_GOLD"] * 2
    assert bonus_of(tiles, [[ONE], [FIVE]], museum) == [4 + 2, 2]


def test_exhibitions_without_a_painting_score_nothing() -> None:
    """One has a painting; the four that have none are not taken for equals."""
    tiles = ["MOST MUSEUM_PAINTINGS", *["MOST OWN_GOLD"] * 4]
    assert bonus_of(tiles, [[ONE], [FIVE]], [(1, 0, POP_ART, WILD)]) == [4, 0]


@pytest.mark.parametrize(
    ("counts", "expected"),
    [
        ((4, 3, 2, 1), [4, 2, 0, 0]),
        ((3, 4, 3, 1), [2, 4, 2, 0]),
        ((3, 3, 3, 3), [4, 4, 4, 4]),
        ((0, 3, 0, 0), [0, 4, 0, 0]),
        ((0, 0, 0, 0), [0, 0, 0, 0]),
        ((4, 4, 4, 1), [4, 4, 4, 0]),
    ],
)
def test_places_on_a_tile_for_most(counts: tuple[int, ...], expected: list[int]) -> None:
    """Tied players all get the place and so many are skipped; 0 gets nothing."""
    hands = [[IMPRESSIONISM] * count + [TWO] for count in counts]
    tiles = ["MOST OWN_PAINTINGS IMPRESSIONISM", *["MOST OWN_CARDS"] * 4]
    assert bonus_of(tiles, hands, [(1, 0, NOUVEAU, WILD)]) == expected


@pytest.mark.parametrize(
    ("counts", "expected"), [((1, 2, 3, 4), [4, 2, 0, 0]), ((2, 2, 3, 3), [4, 4, 0, 0]), ((1, 2, 2, 3), [4, 2, 2, 0])]
)
def test_places_on_a_tile_for_fewest_cards(counts: tuple[int, ...], expected: list[int]) -> None:
    tiles = ["FEWEST OWN_CARDS", *["MOST OWN_CARDS"] * 4]
    assert bonus_of(tiles, [[IMPRESSIONISM] * count for count in counts], [(1, 0, NOUVEAU, WILD)]) == expected


def test_the_tile_for_fewest_paintings_has_one_place() -> None:
    """Of 1, 0, 0 and 2 paintings the two without share it; the next gets nothing."""
    museum = [(1, 0, NOUVEAU, WILD), (1, 3, NOUVEAU, WILD), (2, 3, NOUVEAU, WILD)]
    tiles = ["FEWEST MUSEUM_PAINTINGS", *["MOST OWN_CARDS"] * 4]
    assert bonus_of(tiles, [[ONE], [ONE], [TWO], [TWO]], museum) == [0, 3, 3, 0]
    assert bonus_of(tiles, [[ONE], [ONE], [TWO]], [(1, 0, NOUVEAU, WILD), (1, 1, NOUVEAU, WILD)]) == [0, 0, 3]


def test_cards_removed_and_paintings_in_the_museum_are_not_own() -> None:
    """Three in the museum beat nothing in hand, and a played 3-gold is no gold card."""
    tiles = ["MOST OWN_PAINTINGS POP_ART", *["MOST OWN_CARDS"] * 4]
    assert bonus_of(tiles, [[ONE], [POP_ART]], [(1, 0, POP_ART, WILD)] * 3) == [0, 4]
    state = position(hands=[[PROMOTE, ONE], [TWO]], museum=[(1, 0, NOUVEAU, WILD)], tiles=["MOST OWN_GOLD"] * 5)
    play(state, ("power", PROMOTE), ("promote", POP_ART))
    assert [each[3] for each in points(state)] == [2, 4]
