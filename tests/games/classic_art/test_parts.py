"""The components: what they make of move ids, and that a file which cannot be played is refused with every fault."""

from random import Random

import pytest

from referee.core.errors import ComponentsError
from referee.games.classic_art.game import ClassicArt
from referee.games.classic_art.parts import load
from tests.games.classic_art.components import TEXT, parts_with, tiny
from tests.games.classic_art.moves import (
    ETCHING,
    KINDS,
    LANDSCAPE,
    MOVES,
    PASS,
    PORTRAIT,
    SCULPTURE,
    STILL_LIFE,
    art,
    loans,
    pair,
    predict,
)
from tests.games.playouts import dealt, play_out

PARTS = load()
SPACES_TABLE = TEXT[TEXT.index("[[spaces]]") : TEXT.index("[[sources]]")]
DEALS_TABLE = TEXT[TEXT.index("[[deals]]") : TEXT.index("[tokens]")]


def faults(*replacements: tuple[str, str]) -> tuple[str, ...]:
    with pytest.raises(ComponentsError) as caught:
        parts_with(*replacements)
    return caught.value.faults


def replaced(old: str, new: str) -> str:
    (fault,) = faults((old, new))
    return fault


def test_ids_and_longest_list_have_the_sizes_of_the_design() -> None:
    """55 pairs, a pass and 80 predictions; the longest list is that of an empty board, 81."""
    spec = ClassicArt().spec
    assert (spec.num_actions, spec.max_legal_moves) == (136, 81)
    assert len(MOVES) == 136


@pytest.mark.parametrize(
    ("move", "expected"),
    [
        (pair(*art(ETCHING, 2)), 0),
        (pair(*art(ETCHING), *loans(ETCHING)), 1),
        (pair(*art(ETCHING), *loans(LANDSCAPE)), 9),
        (pair(*loans(ETCHING, 2)), 10),
        (pair(*art(STILL_LIFE, 2)), 19),
        (pair(*art(SCULPTURE), *art(PORTRAIT)), 36),
        (pair(*loans(LANDSCAPE, 2)), 54),
        (PASS, 55),
        (predict(ETCHING, "1-"), 56),
        (predict(ETCHING, "1-", 2), 57),
        (predict(ETCHING, "8+", 2), 71),
        (predict(SCULPTURE, "3-"), 92),
        (predict(LANDSCAPE, "8+", 2), 135),
    ],
)
def test_ids_never_move(move: int, expected: int) -> None:
    """Clients and records know moves by these numbers; the tests' own layout gives the same."""
    assert move == expected


def test_descriptions_name_cards_and_spaces() -> None:
    texts = {move: PARTS.descriptions[move] for move in (1, 36, 55, 92, 93)}
    assert texts == {
        1: "play ETCHING Artwork and ETCHING Loan",
        36: "play SCULPTURE Artwork and PORTRAIT Artwork",
        55: "place no prediction",
        92: "predict 3- of SCULPTURE",
        93: "double down 3- of SCULPTURE",
    }


def test_kinds_are_named_in_the_order_of_the_tests() -> None:
    assert [tuple(PARTS.kind_name(kind).split()) for kind in range(10)] == list(KINDS)


def test_the_data_are_those_of_the_rules() -> None:
    """11 Artworks and 2 Loans of five categories, 6 tokens, a track of 10, and a deal for 2 to 5 seats."""
    assert list(PARTS.copies) == [11, 2] * 5
    assert PARTS.categories == (ETCHING, STILL_LIFE, SCULPTURE, PORTRAIT, LANDSCAPE)
    assert (PARTS.predictions, PARTS.refill_at, PARTS.cap, PARTS.counts_from, PARTS.revealed) == (6, 1, 10, 5, 2)
    assert {seats: (deal.hand, deal.house) for seats, deal in PARTS.deals.items()} == {
        2: (11, 10),
        3: (11, 0),
        4: (9, 0),
        5: (7, 0),
    }
    assert {space.name: space.prestige for space in PARTS.spaces} == {
        "1-": 5,
        "2-": 3,
        "3-": 2,
        "4-": 1,
        "5+": 1,
        "6+": 2,
        "7+": 3,
        "8+": 5,
    }


def test_the_reconstructed_and_the_known_parts_are_told_apart() -> None:
    """5+, 6+ and 7+ stand in no rule book."""
    origins = {source.part: source.origin for source in ClassicArt().spec.sources}
    assert origins["spaces 5+ 6+ 7+"] == "public_fact"
    assert {origin for part, origin in origins.items() if part != "spaces 5+ 6+ 7+"} == {"rule_book"}


def test_another_file_makes_another_game() -> None:
    """A tiny one has its own ids and seat counts, and another digest."""
    spec = ClassicArt(tiny()).spec
    assert (spec.seats, spec.num_actions, spec.max_legal_moves, spec.data_version) == ((2,), 10, 7, "tiny")
    assert spec.data_digest != ClassicArt().spec.data_digest


def test_more_cards_than_there_are_cannot_be_dealt() -> None:
    """Five hands of 13 and the two revealed would take 67 of 65."""
    assert replaced("hand = 7", "hand = 13") == "deals for 5 seats: 65 cards are dealt, there are 63"


def test_all_that_can_be_dealt_may_be_dealt() -> None:
    """63 of 65 cards go to hands when two are revealed."""
    assert parts_with(("hand = 11\nhouse = 0", "hand = 21\nhouse = 0")).deals[3].hand == 21


@pytest.mark.parametrize("hand", [4, 8, 10])
def test_a_hand_must_come_down_to_three(hand: int) -> None:
    fault = replaced("hand = 9", f"hand = {hand}")
    assert fault == f"deals for 4 seats: a hand of {hand} does not come down to 3 in turns of 2 cards"


@pytest.mark.parametrize("house", [1, 7])
def test_the_house_must_last_for_all_turns(house: int) -> None:
    """Two hands of 11 make eight turns."""
    assert (
        replaced("house = 10", f"house = {house}") == f"deals for 2 seats: {house} House cards do not last for 8 turns"
    )


@pytest.mark.parametrize("house", [0, 8, 20])
def test_a_house_of_no_cards_or_enough_is_accepted(house: int) -> None:
    assert parts_with(("house = 10", f"house = {house}")).deals[2].house == house


def test_a_number_of_seats_stands_once() -> None:
    assert replaced("seats = 3", "seats = 4") == "deals: a number of seats stands twice"


def test_six_seats_are_too_many() -> None:
    assert replaced("seats = 5", "seats = 6") == "deals for 6 seats: at most 5 seats"


@pytest.mark.parametrize("tokens", [8, 20])
def test_tokens_must_not_fill_the_board(tokens: int) -> None:
    """With every space taken a seat would be asked for a prediction that it cannot make: 40 spaces, 5 times 8."""
    found = faults(("predictions = 6", f"predictions = {tokens}"))
    assert f"deals for 5 seats: {5 * tokens} tokens could fill all 40 spaces" in found


def test_refills_must_leave_something_to_lose() -> None:
    assert replaced("refill_at = 1", "refill_at = 6") == "tokens: refill_at must be below predictions"


def test_a_marker_must_be_able_to_count() -> None:
    assert replaced("cap = 10", "cap = 4") == "track: counts_from 5 is above cap 4"


@pytest.mark.parametrize(
    "categories",
    ["[]", '["A", "A"]', '["A", "B", "C", "D", "E", "F"]', '"ETCHING"', "[1, 2]", '["A", ""]', "7"],
)
def test_categories_are_one_to_five_different_names(categories: str) -> None:
    """Six would make lists of more than 81 moves."""
    given = '["ETCHING", "STILL_LIFE", "SCULPTURE", "PORTRAIT", "LANDSCAPE"]'
    assert replaced(given, categories).startswith("cards.categories: expected")


def test_nine_spaces_are_too_many() -> None:
    ninth = '[[spaces]]\nname = "9+"\nbound = 9\nat_most = false\nprestige = 7\n\n[[sources]]\npart = "cards"'
    assert replaced('[[sources]]\npart = "cards"', ninth) == "spaces: expected at most 8"


@pytest.mark.parametrize(
    ("key", "value", "lowest"),
    [
        ("cards.artworks", "11", 1),
        ("cards.loans", "2", 0),
        ("cards.revealed", "2", 0),
        ("tokens.predictions", "6", 1),
        ("tokens.refill_at", "1", 0),
        ("track.cap", "10", 1),
        ("track.counts_from", "5", 1),
    ],
)
@pytest.mark.parametrize(
    ("wrong", "shown"), [("-1", "-1"), ("256", "256"), ("true", "True"), ("'x'", "'x'"), ("1.5", "1.5")]
)
def test_numbers_are_whole_and_in_range(key: str, value: str, lowest: int, wrong: str, shown: str) -> None:
    name = key.split(".")[1]
    fault = replaced(f"\n{name} = {value}", f"\n{name} = {wrong}")
    assert fault == f"{key}: expected a whole number from {lowest} to 255, found {shown}"


@pytest.mark.parametrize(
    ("line", "place"),
    [("bound = 3", "spaces[2].bound"), ("prestige = 5", "spaces[0].prestige"), ("seats = 2", "deals[0].seats")],
)
def test_numbers_in_lists_are_named_by_place(line: str, place: str) -> None:
    assert faults((line, line.split("=")[0] + "= 'many'"))[0].startswith(f"{place}: expected a whole number")


@pytest.mark.parametrize(
    ("line", "wrong", "expected"),
    [
        ('name = "3-"', "name = 3", "spaces: expected a different name in each"),
        ("at_most = true", "at_most = 1", "spaces: expected at_most = true or false in each"),
    ],
)
def test_a_space_has_a_name_and_a_direction(line: str, wrong: str, expected: str) -> None:
    (fault,) = faults((line, wrong))
    assert fault.startswith(expected)


@pytest.mark.parametrize("table", ["cards", "tokens", "track"])
def test_a_missing_table_is_named(table: str) -> None:
    assert f"{table}: expected a table" in faults((f"[{table}]", f"[other_{table}]"))


@pytest.mark.parametrize(("name", "table"), [("spaces", SPACES_TABLE), ("deals", DEALS_TABLE)])
@pytest.mark.parametrize("instead", ["", "{name} = []", "{name} = 'none'", "{name} = {{}}"])
def test_a_missing_list_is_named(name: str, table: str, instead: str) -> None:
    found = faults((table, ""), ('version = "1"', 'version = "1"\n' + instead.format(name=name)))
    assert found == (f"{name}: expected at least one table",)


@pytest.mark.parametrize("spaces", ["3", "true", "1.5"])
def test_spaces_that_are_no_list_are_named(spaces: str) -> None:
    found = faults((SPACES_TABLE, ""), ('version = "1"', f'version = "1"\nspaces = {spaces}'))
    assert found == ("spaces: expected at least one table",)


def test_a_season_must_have_turns_or_begin_with_the_final_one() -> None:
    """Hands of three leave no turn before the final one: such a deal is refused, or can be played to its end."""
    try:
        game = ClassicArt(parts_with(("hand = 7", "hand = 3")))
    except ComponentsError:
        return
    play_out(game, dealt(game, 5, 1), Random(1))


@pytest.mark.parametrize("name", ["1-", ""])
def test_spaces_have_names_of_their_own(name: str) -> None:
    (fault,) = faults(('name = "2-"', f'name = "{name}"'))
    assert fault.startswith("spaces")


def test_entries_of_a_list_are_tables() -> None:
    found = faults((DEALS_TABLE, ""), ('version = "1"', 'version = "1"\ndeals = [3]'))
    assert found == ("deals[0]: expected a table",)


def test_all_faults_of_a_file_are_named_at_once() -> None:
    found = faults(("hand = 7", "hand = 8"), ("house = 10", "house = 7"), ("cap = 10", "cap = 4"))
    assert [fault.split(":")[0] for fault in found] == ["track", "deals for 2 seats", "deals for 5 seats"]
