"""The components: what they make of move ids, and that a file which cannot be played is refused with every fault."""

from collections import Counter
from random import Random

import pytest

from referee.core.errors import ComponentsError
from referee.games.artsee.game import ArtSee
from referee.games.artsee.parts import load
from referee.games.artsee.state import Phase
from tests.games.artsee.build import GAME, legal, play, position
from tests.games.artsee.components import TEXT, parts_of, parts_with, tiny
from tests.games.artsee.moves import (
    CATEGORIES,
    DECLINE,
    FIRST_PILE,
    IDS,
    KINDS,
    LANDSCAPE,
    LEFT,
    MAIN,
    MOVES,
    PLACE,
    RIGHT,
    SECOND_PILE,
    SKIP,
    STARTING,
    STILL_LIFE,
    TOKENS,
    Masterpiece,
    claim_of,
    play_of,
)
from tests.games.artsee.naive import PRINTED
from tests.games.artsee.playing import steps as lively_steps
from tests.games.playouts import dealt, play_out, steps

PARTS = load()
DECKS = TEXT[TEXT.index("[decks]") : TEXT.index("# One of each in every category")]
MASTERPIECES = TEXT[TEXT.index("[[masterpieces]]") : TEXT.index("[bonus]")]
PLAYERS = TEXT[TEXT.index("[[players]]") : TEXT.index("[[sources]]")]
BONUS = "categories = [0, 1, 3, 6, 10]"
ROW = '{ featured = "PORTRAIT", pieces = ["ABSTRACT", "LANDSCAPE"], left = 1, right = 1 }'  # main, the 13th


def faults(*replacements: tuple[str, str]) -> tuple[str, ...]:
    with pytest.raises(ComponentsError) as caught:
        parts_with(*replacements)
    return caught.value.faults


def replaced(old: str, new: str) -> str:
    (fault,) = faults((old, new))
    return fault


def table(seats: int) -> str:
    """The part of the file for a number of seats."""
    start = PLAYERS.index(f"seats = {seats}")
    return PLAYERS[start : PLAYERS.index("\n\n", start)]


def test_ids_and_longest_list_have_the_sizes_of_the_design() -> None:
    """1,760 plays, 440 claims, decline, place, skip, two piles; 5 masterpieces in 22 slots and decline are 111."""
    assert (GAME.spec.num_actions, GAME.spec.max_legal_moves) == (2205, 111)
    assert len(MOVES) == 2205


@pytest.mark.parametrize(
    ("move", "expected"),
    [
        (play_of("A:ALP<", 0), 0),
        (play_of("A:ALP<", 19), 19),
        (play_of("A:ALP<", LEFT), 20),
        (play_of("A:ALP<", RIGHT), 21),
        (play_of("A:ALP>", 0), 22),
        (play_of("A:ALS<", 0), 44),
        (play_of("L:ALP<", 0), 176),
        (play_of("S:LPS>", RIGHT), 703),
        (play_of("A:AL<", 0), 704),
        (play_of("P:AL>", 3), 1257),
        (play_of("S:PS>", RIGHT), 1759),
        (claim_of("ABSTRACT", 5, 0), 1760),
        (claim_of("ABSTRACT", 5, 21), 1781),
        (claim_of("ABSTRACT", 6, 0), 1782),
        (claim_of(LANDSCAPE, 5, 0), 1870),
        (claim_of(STILL_LIFE, 9, 21), 2199),
        (DECLINE, 2200),
        (PLACE, 2201),
        (SKIP, 2202),
        (FIRST_PILE, 2203),
        (SECOND_PILE, 2204),
    ],
)
def test_ids_never_move(move: int, expected: int) -> None:
    """Clients and records know moves by these numbers; the tests' own layout gives the same."""
    assert move == expected


def test_parts_make_the_ids_of_the_layout() -> None:
    """A spot is a column, or one of two numbers behind the last."""
    for number, move in enumerate(MOVES):
        if move[0] == "play":
            spot = {LEFT: PARTS.new_left, RIGHT: PARTS.new_right}.get(str(move[2]), move[2])
            assert PARTS.play_id(KINDS.index(move[1]), int(spot)) == number
        elif move[0] == "claim":
            assert PARTS.claim_id(TOKENS.index(move[1]), move[2]) == number
    assert (PARTS.decline_id, PARTS.place_id, PARTS.skip_id) == (DECLINE, PLACE, SKIP)
    assert PARTS.pile_ids == (FIRST_PILE, SECOND_PILE)


def test_descriptions_name_cards_spots_and_masterpieces() -> None:
    texts = {move: GAME.describe(move) for move in (0, 20, 1257, 1759, 1783, 2199, *range(2200, 2205))}
    assert texts == {
        0: "play starting ABSTRACT card of ABSTRACT and LANDSCAPE and PORTRAIT with arrow LEFT on column 0",
        20: "play starting ABSTRACT card of ABSTRACT and LANDSCAPE and PORTRAIT with arrow LEFT as a new left column",
        1257: "play main PORTRAIT card of ABSTRACT and LANDSCAPE with arrow RIGHT on column 3",
        1759: "play main STILL_LIFE card of PORTRAIT and STILL_LIFE with arrow RIGHT as a new right column",
        1783: "claim ABSTRACT masterpiece 6 into slot 1",
        2199: "claim STILL_LIFE masterpiece 9 into slot 21",
        2200: "claim no masterpiece",
        2201: "place a visitor",
        2202: "place no visitor",
        2203: "draw from pile 0",
        2204: "draw from pile 1",
    }


def test_the_ids_of_cards_and_masterpieces_are_those_of_the_tests() -> None:
    named = [
        (
            (STARTING, MAIN)[card.deck],
            PARTS.categories[card.featured],
            tuple(PARTS.categories[piece] for piece in card.pieces),
            (LEFT, RIGHT)[card.arrow],
        )
        for card in PARTS.cards
    ]
    assert named == list(KINDS)
    tokens = [(PARTS.categories[token.category], token.requirement) for token in PARTS.masterpieces]
    assert tokens == list(TOKENS)


def test_the_cards_are_those_of_the_rules() -> None:
    """32 starting cards with each triple, 48 main cards with each pair, for each featured category and arrow."""
    assert sorted(PRINTED.starting + PRINTED.main) == sorted(KINDS)
    assert (len(PARTS.decks[0]), len(PARTS.decks[1])) == (32, 48)
    for deck, pieces, each in ((STARTING, 3, 8), (MAIN, 2, 12)):
        cards = [card for card in KINDS if card.deck == deck]
        assert Counter(card.featured for card in cards) == dict.fromkeys(CATEGORIES, each)
        assert {len(set(card.pieces)) for card in cards} == {pieces}


def test_the_masterpieces_are_those_of_the_rules() -> None:
    """Requirements 5 to 9 of each category, worth 0 to 4."""
    expected = {
        Masterpiece(category, requirement): requirement - 5 for category in CATEGORIES for requirement in range(5, 10)
    }
    assert expected == PRINTED.worth
    assert [token.prestige for token in PARTS.masterpieces] == [0, 1, 2, 3, 4] * 4
    assert PARTS.bonus == (0, 1, 3, 6, 10)


def test_the_numbers_by_seats_are_those_of_the_rules() -> None:
    """Visitors, main cards removed of each category, and of all."""
    tables = {
        seats: (table.visitors, table.removed_of_each, table.removed_of_all) for seats, table in PARTS.tables.items()
    }
    assert tables == {2: (5, 4, 0), 3: (7, 3, 0), 4: (8, 0, 0), 5: (9, 0, 3)}
    assert [PARTS.turns(seats) for seats in (2, 3, 4, 5)] == [19, 15, 15, 12]


def test_the_reconstructed_and_the_known_parts_are_told_apart() -> None:
    """Cards, values and bonus are printed on components that no book shows."""
    origins = {source.part: source.origin for source in GAME.spec.sources}
    assert origins == {
        "cards": "rule_book",
        "decks": "reconstruction",
        "masterpieces, requirements 5 to 9": "public_fact",
        "masterpieces, prestige": "reconstruction",
        "bonus": "reconstruction",
        "players": "rule_book",
    }


def test_a_gallery_of_new_columns_alone_has_ids_enough() -> None:
    """With two seats each may have 21 columns after 19 turns; the last card can cover any of 20."""
    state, rng = dealt(GAME, 2, 1), Random(1)
    while waiting := GAME.to_act(state):
        seat, moves = waiting[0], GAME.legal_moves(state, waiting[0])
        if state.phase == Phase.PLAY:
            columns = len(state.galleries[seat])
            spots = {move: move[2] for move in legal(state, seat) if move[0] == "play"}
            assert len(moves) == len(spots) == len(state.hands[seat]) * (columns + 2) <= 111
            assert set(spots.values()) == {*range(columns), LEFT, RIGHT}
            moves = [IDS[move] for move, spot in spots.items() if spot in (LEFT, RIGHT)]
        GAME.play(state, seat, rng.choice(sorted(moves)))
    assert [len(gallery) for gallery in state.galleries] == [21, 21]


def test_a_claim_into_the_last_slot_of_the_longest_gallery_is_the_longest_list() -> None:
    """21 columns have 22 slots; five masterpieces and decline make 111."""
    state = position(("A:ALP<",), ("A:ALP>",), hand="S:PS>")
    state.galleries = [tuple(bytes([kind]) for kind in range(20)), (bytes(range(32, 76)),)]
    state.visitors, state.slots = [bytes(20), bytes(1)], [bytes(21), bytes(2)]
    state.supplies[1] = 0
    play(state, 0, play_of("S:PS>", RIGHT))
    moves = GAME.legal_moves(state, 0)
    assert len(moves) == 111
    assert list(moves[-2:]) == [claim_of(STILL_LIFE, 9, 21), DECLINE]


@pytest.mark.parametrize("seats", [2, 3, 4, 5])
def test_no_list_is_longer_than_the_bound(seats: int) -> None:
    for number in range(4):
        for step in steps(GAME, seats, number) if number % 2 else lively_steps(GAME, seats, number):
            assert len(GAME.legal_moves(step.before, step.seat)) <= 111


def test_another_file_makes_another_game() -> None:
    """A tiny one has its own ids and seat counts, and another digest: 8 kinds on 4 spots, 4 masterpieces in 4 slots."""
    spec = ArtSee(tiny()).spec
    assert (spec.seats, spec.num_actions, spec.data_version) == ((2, 3, 4), 8 * 4 + 4 * 4 + 5, "tiny")
    assert spec.max_legal_moves == 9
    assert spec.data_digest != GAME.spec.data_digest


def test_more_starting_cards_than_there_are_cannot_be_dealt() -> None:
    """Five galleries of 2 and hands of 5 take 35 of 32."""
    found = faults(("hand = 3", "hand = 5"))
    assert found == ("players with 5 seats: 35 starting cards are dealt, there are 32",)


def test_no_more_cards_of_a_category_can_be_removed_than_there_are() -> None:
    found = faults(("removed_of_each = 4", "removed_of_each = 13"))
    assert found[:4] == tuple(
        f"players with 2 seats: 13 {category} main cards are removed, there are 12" for category in CATEGORIES
    )
    assert "players with 2 seats: 4 more main cards are removed than there are" in found


def test_no_more_cards_can_be_removed_than_there_are() -> None:
    assert "players with 5 seats: 2 more main cards are removed than there are" in faults(
        ("removed_of_all = 3", "removed_of_all = 50")
    )


@pytest.mark.parametrize(("removed", "left"), [(0, 48), (1, 47), (2, 46), (4, 44)])
def test_all_seats_must_have_the_same_number_of_turns(removed: int, left: int) -> None:
    fault = replaced("removed_of_all = 3", f"removed_of_all = {removed}")
    assert fault == f"players with 5 seats: {left} main cards in the piles do not give all the same number of turns"


@pytest.mark.parametrize("removed", [3, 8, 43, 48])
def test_what_gives_all_the_same_number_of_turns_is_accepted(removed: int) -> None:
    """Even no main cards at all; then three turns of starting cards are left."""
    game = ArtSee(parts_with(("removed_of_all = 3", f"removed_of_all = {removed}")))
    state = dealt(game, 5, 1)
    play_out(game, state, Random(1))
    assert game.parts.turns(5) == 3 + (48 - removed) // 5
    assert game.result(state) is not None


def test_a_number_of_seats_stands_once() -> None:
    assert replaced("seats = 3", "seats = 4") == "players: a number of seats stands twice"


def test_six_seats_are_too_many() -> None:
    """Cards for them there would be: 30 of 32, and 48 in the piles."""
    assert replaced(table(4), table(4).replace("seats = 4", "seats = 6")) == "players with 6 seats: at most 5 seats"


@pytest.mark.parametrize(("old", "new"), [("seats = 2\n", "seats = 1\n"), ("seats = 2\n", "seats = 0\n")])
def test_one_seat_is_too_few(old: str, new: str) -> None:
    fault = replaced(old, new)
    assert fault.startswith("players[0].seats: expected a whole number from 2 to 255")


def test_lists_longer_than_the_limit_of_the_design_are_refused() -> None:
    """A sixth masterpiece of each category makes claims of 6 * 22 + 1 with two seats; more seats have fewer turns."""
    sixth = MASTERPIECES + "[[masterpieces]]\nrequirement = 10\nprestige = 5\n\n"
    fault = replaced(MASTERPIECES, sixth)
    assert fault == "players with 2 seats: a seat could have 133 moves to choose from, expected at most 128"


def test_hands_too_large_to_choose_from_are_refused() -> None:
    """Nine cards of a hand on up to 20 columns."""
    found = faults((TEXT, with_only(2).replace("hand = 3", "hand = 9")))
    assert len(found) == 1
    assert found[0].startswith("players with 2 seats: a seat could have ")


def with_only(seats: int) -> str:
    return TEXT.replace(PLAYERS, "[[players]]\n" + table(seats) + "\n\n")


@pytest.mark.parametrize("seats", [2, 3, 4, 5])
def test_a_file_may_be_for_some_numbers_of_seats(seats: int) -> None:
    game = ArtSee(parts_of(with_only(seats)))
    assert game.spec.seats == (seats,)
    assert game.parts.spots == 2 + {2: 19, 3: 15, 4: 15, 5: 12}[seats] - 1 + 2


def test_a_requirement_stands_once() -> None:
    assert replaced("requirement = 6", "requirement = 5") == "masterpieces: a requirement stands twice"


@pytest.mark.parametrize("bonus", ["[0, 1, 3, 6]", "[0, 1, 3, 6, 10, 15]", "[]"])
def test_the_bonus_is_for_each_number_of_categories(bonus: str) -> None:
    fault = replaced(BONUS, f"categories = {bonus}")
    assert fault == "bonus.categories: expected 5 numbers, one for each number of categories"


@pytest.mark.parametrize(
    "bonus", ["7", '"none"', "[0, 1, 3, 6, -1]", "[0, 1, 3, 6, 256]", '[0, 1, 3, 6, "x"]', "[true]"]
)
def test_the_bonus_is_a_list_of_whole_numbers(bonus: str) -> None:
    fault = replaced(BONUS, f"categories = {bonus}")
    assert fault == "bonus.categories: expected a list of whole numbers from 0 to 255"


@pytest.mark.parametrize(
    "categories", ["[]", '["A", "A"]', '["A", "B", "C", "D", "E"]', '"ABSTRACT"', "[1, 2]", '["A", ""]', "7"]
)
def test_categories_are_one_to_four_different_names(categories: str) -> None:
    given = '["ABSTRACT", "LANDSCAPE", "PORTRAIT", "STILL_LIFE"]\ngallery'
    found = faults((given, f"{categories}\ngallery"))
    assert sum(fault.startswith("cards.categories: expected") for fault in found) == 1


@pytest.mark.parametrize(
    ("new", "fault"),
    [
        (ROW.replace('"PORTRAIT"', '"MODERN"'), "decks.main[12].featured: expected a category, found 'MODERN'"),
        (ROW.replace('featured = "PORTRAIT", ', ""), "decks.main[12].featured: expected a category, found None"),
        (ROW.replace('"PORTRAIT"', "3"), "decks.main[12].featured: expected a category, found 3"),
        (
            ROW.replace('"LANDSCAPE"', '"MODERN"'),
            "decks.main[12].pieces: expected categories, found ['ABSTRACT', 'MODERN']",
        ),
        (ROW.replace('["ABSTRACT", "LANDSCAPE"]', "[]"), "decks.main[12].pieces: expected categories, found []"),
        (
            ROW.replace('["ABSTRACT", "LANDSCAPE"]', '"ABSTRACT"'),
            "decks.main[12].pieces: expected categories, found 'ABSTRACT'",
        ),
        (
            ROW.replace('pieces = ["ABSTRACT", "LANDSCAPE"], ', ""),
            "decks.main[12].pieces: expected categories, found None",
        ),
        (
            ROW.replace('"LANDSCAPE"', '"ABSTRACT"'),
            "decks.main[12].pieces: expected different categories, found ['ABSTRACT', 'ABSTRACT']",
        ),
        (ROW.replace("left = 1", "left = -1"), "decks.main[12].left: expected a whole number from 0 to 255, found -1"),
        (
            ROW.replace("right = 1", "right = 1.0"),
            "decks.main[12].right: expected a whole number from 0 to 255, found 1.0",
        ),
        (ROW.replace(", right = 1", ""), "decks.main[12].right: expected a whole number from 0 to 255, found None"),
    ],
)
def test_faults_of_a_card_are_named_by_deck_and_place(new: str, fault: str) -> None:
    assert replaced(ROW, new) == fault


def test_entries_of_a_deck_are_tables() -> None:
    found = faults((ROW, "7"))
    assert found[0] == "decks.main[12]: expected a table"


def test_there_are_at_most_255_cards() -> None:
    """Cards are bytes."""
    assert "decks: expected at most 255 cards" in faults((ROW, ROW.replace("left = 1", "left = 177")))


@pytest.mark.parametrize("deck", ["starting", "main"])
def test_a_missing_deck_is_named(deck: str) -> None:
    assert faults((f"\n{deck} = [", f"\nother_{deck} = [")) == (f"decks.{deck}: expected at least one table",)


@pytest.mark.parametrize(
    ("key", "value", "lowest"),
    [
        ("cards.gallery", "2", 1),
        ("cards.hand", "3", 1),
        ("masterpieces[1].requirement", "6", 1),
        ("masterpieces[4].prestige", "4", 0),
        ("players[2].visitors", "8", 0),
        ("players[0].removed_of_each", "4", 0),
        ("players[3].removed_of_all", "3", 0),
    ],
)
@pytest.mark.parametrize(
    ("wrong", "shown"), [("-1", "-1"), ("256", "256"), ("true", "True"), ("'x'", "'x'"), ("1.5", "1.5")]
)
def test_numbers_are_whole_and_in_range(key: str, value: str, lowest: int, wrong: str, shown: str) -> None:
    name = key.split(".")[1]
    fault = replaced(f"\n{name} = {value}", f"\n{name} = {wrong}")
    assert fault == f"{key}: expected a whole number from {lowest} to 255, found {shown}"


@pytest.mark.parametrize("name", ["cards", "decks", "bonus"])
def test_a_missing_table_is_named(name: str) -> None:
    assert f"{name}: expected a table" in faults((f"[{name}]", f"[other_{name}]"))


@pytest.mark.parametrize("instead", ["3", "true", "[]", "'none'"])
def test_what_should_be_a_table_and_is_not_is_named(instead: str) -> None:
    found = faults((DECKS, ""), ('version = "1"', f'version = "1"\ndecks = {instead}'))
    assert found[0] == "decks: expected a table"


@pytest.mark.parametrize(("name", "text"), [("masterpieces", MASTERPIECES), ("players", PLAYERS)])
@pytest.mark.parametrize(
    "instead", ["", "{name} = []", "{name} = 'none'", "{name} = {{}}", "{name} = 3", "{name} = [3]"]
)
def test_a_missing_list_is_named(name: str, text: str, instead: str) -> None:
    found = faults((text, ""), ('version = "1"', 'version = "1"\n' + instead.format(name=name)))
    assert found[0] == (f"{name}[0]: expected a table" if "[3]" in instead else f"{name}: expected at least one table")


def test_all_faults_of_a_file_are_named_at_once() -> None:
    found = faults(
        ("requirement = 6", "requirement = 5"),
        (BONUS, "categories = [0]"),
        ("removed_of_all = 3", "removed_of_all = 1"),
    )
    assert [fault.split(":")[0] for fault in found] == ["bonus.categories", "masterpieces", "players with 5 seats"]


def test_copies_of_a_card_are_one_kind() -> None:
    """A deck may hold a card twice, in one row or in two; ids count kinds, deals count cards."""
    twice = f"{ROW.replace('left = 1', 'left = 2')},\n  {ROW.replace('left = 1', 'left = 0')}"
    parts = parts_of(with_only(4).replace(ROW, twice).replace("removed_of_all = 0", "removed_of_all = 2"))
    assert (len(parts.cards), len(parts.decks[1]), parts.turns(4)) == (80, 50, 15)
