"""A components file that cannot be played is refused, with every fault named."""

import pytest

from referee.core.errors import ComponentsError
from referee.games.art_decko.game import ArtDecko
from tests.games.art_decko.components import TEXT, parts_with
from tests.games.playouts import dealt

FULL_TABLE = TEXT[TEXT.index("full = [") : TEXT.index("# Cost tokens.")]
EXHIBITIONS_TABLE = TEXT[TEXT.index("[[exhibitions]]") : TEXT.index("# Bonus tiles.")]
TILES_TABLE = TEXT[TEXT.index("[[tiles]]") : TEXT.index("[[sources]]")]
NUMBERS = [
    ("cards.paintings", "15", 1),
    ("cards.ones", "12", 0),
    ("cards.twos", "8", 0),
    ("cards.fives", "10", 0),
    ("cards.threes", "2", 0),
    ("powers.discount", "4", 1),
    ("powers.promote", "4", 1),
    ("tokens.first", "1", 0),
    ("bank.face_up", "2", 0),
    ("bank.three_cost", "5", 0),
    ("bank.three_rise", "3", 0),
    ("bank.five_cost", "8", 0),
    ("bank.five_rise", "5", 0),
    ("market.cap", "70", 1),
    ("museum.style_markers", "8", 0),
    ("museum.wild_markers", "6", 0),
    ("museum.ribbons", "9", 1),
    ("museum.rise", "3", 0),
    ("museum.end_at", "12", 1),
]


def faults(*replacements: tuple[str, str]) -> tuple[str, ...]:
    with pytest.raises(ComponentsError) as caught:
        parts_with(*replacements)
    return caught.value.faults


def fault(*replacements: tuple[str, str]) -> str:
    (found,) = faults(*replacements)
    return found


@pytest.mark.parametrize(("key", "value", "lowest"), NUMBERS)
@pytest.mark.parametrize(
    ("wrong", "shown"), [("-1", "-1"), ("256", "256"), ("true", "True"), ("'x'", "'x'"), ("1.5", "1.5")]
)
def test_numbers_are_whole_and_in_range(key: str, value: str, lowest: int, wrong: str, shown: str) -> None:
    name = key.split(".")[1]
    expected = f"{key}: expected a whole number from {lowest} to 255, found {shown}"
    assert fault_of(key, f"{name} = {value}", f"{name} = {wrong}") == expected


def fault_of(key: str, line: str, instead: str) -> str:
    """The fault of a line changed in the table of its key alone."""
    header = f"[{key.split('.')[0]}]\n"
    start = TEXT.index(header)
    end = TEXT.index("\n[", start)
    table = TEXT[start:end]
    assert f"\n{line}" in table
    return fault((table, table.replace(f"\n{line}", f"\n{instead}")))


@pytest.mark.parametrize(("key", "value"), [("start.paintings", "5"), ("start.ones", "3"), ("start.twos", "2")])
def test_numbers_of_a_starting_deck_are_whole(key: str, value: str) -> None:
    name = key.split(".")[1]
    assert fault_of(key, f"{name} = {value}", f"{name} = 'many'").startswith(f"{key}: expected a whole number")


@pytest.mark.parametrize(("key", "value", "lowest"), [entry for entry in NUMBERS if entry[2] == 1])
def test_some_numbers_are_not_0(key: str, value: str, lowest: int) -> None:
    name = key.split(".")[1]
    assert fault_of(key, f"{name} = {value}", f"{name} = 0") == f"{key}: expected a whole number from 1 to 255, found 0"


@pytest.mark.parametrize("table", ["cards", "powers", "start", "tokens", "bank", "market", "museum", "galleries"])
def test_a_missing_table_is_named(table: str) -> None:
    assert f"{table}: expected a table" in faults((f"[{table}]\n", f"[other_{table}]\n"))


@pytest.mark.parametrize("styles", ["'x'", "[]", "[1]", "['']", "['A', 'A']", "['A', 'B', 'C', 'D', 'E', 'F']"])
def test_styles_are_one_to_five_names(styles: str) -> None:
    line = next(line for line in TEXT.splitlines() if line.startswith("styles = "))
    assert any(found.startswith("cards.styles: expected") for found in faults((line, f"styles = {styles}")))


@pytest.mark.parametrize("rises", ["5", "[]", "[1, 2, 3, 4, 5]", "['x']", "[-1, 2, 3, 4]", "[true, 2, 3, 4]"])
def test_there_are_one_to_four_galleries(rises: str) -> None:
    assert fault(("rises = [2, 3, 4, 5]", f"rises = {rises}")).startswith("galleries.rises: expected")


@pytest.mark.parametrize("instead", ["", "full = []", "full = 'none'", "full = {}"])
def test_a_missing_list_of_full_galleries_is_named(instead: str) -> None:
    assert fault((FULL_TABLE, f"{instead}\n")) == "galleries.full: expected at least one table"


@pytest.mark.parametrize(
    ("wrong", "expected"),
    [
        ("3", "galleries.full[1]: expected a table"),
        ("{ seats = 1, paintings = 3 }", "galleries.full[1].seats: expected a whole number from 2 to 255, found 1"),
        ("{ seats = 3 }", "galleries.full[1].paintings: expected a whole number from 1 to 255, found None"),
        ("{ seats = 3, paintings = 0 }", "galleries.full[1].paintings: expected a whole number from 1 to 255, found 0"),
        ("{ seats = 4, paintings = 3 }", "galleries.full: a number of seats stands twice"),
        ("{ seats = 5, paintings = 3 }", "galleries.full: at most 4 seats, found [2, 5, 4]"),
    ],
)
def test_a_full_gallery_is_named_by_place(wrong: str, expected: str) -> None:
    assert fault(("{ seats = 3, paintings = 3 }", wrong)) == expected


@pytest.mark.parametrize(("color", "least"), [("orange", "[]"), ("yellow", "[-1]")])
def test_tokens_are_numbers(color: str, least: str) -> None:
    line = next(line for line in TEXT.splitlines() if line.startswith(f"{color} = "))
    for wrong in ("4", "['x']", "[256]", least):
        assert fault((line, f"{color} = {wrong}")).startswith(f"tokens.{color}: expected")


@pytest.mark.parametrize("orange", ["[2, 2, 3, 4]", "[1, 2, 3]"])
def test_the_first_token_and_one_for_each_other_gallery_are_orange(orange: str) -> None:
    expected = "tokens.orange: expected the first token 1 and one for each other gallery"
    assert fault(("orange = [1, 2, 2, 3, 3, 4, 4, 5]", f"orange = {orange}")) == expected


def test_no_yellow_tokens_are_needed() -> None:
    assert parts_with(("yellow = [5, 5, 6, 6, 6, 7, 7, 7, 8, 8, 8, 8]", "yellow = []")).yellow == b""


@pytest.mark.parametrize("key", ["gold_value", "painting_vp", "gold_per_vp"])
@pytest.mark.parametrize("wrong", ["[]", "3", "[[0, 0]]", "[[0]]", "[0, 1]", "[[0, 1, 2]]", "[[0, 'x']]"])
def test_steps_of_the_market_are_pairs(key: str, wrong: str) -> None:
    """Of a rating and a number from 1, so that no card is worth nothing and no ratio divides by nothing."""
    line = next(line for line in TEXT.splitlines() if line.startswith(f"{key} = "))
    assert fault((line, f"{key} = {wrong}")).startswith(f"market.{key}: expected pairs of a rating and a number from 1")


@pytest.mark.parametrize("key", ["gold_value", "painting_vp", "gold_per_vp"])
@pytest.mark.parametrize("wrong", ["[[1, 1]]", "[[0, 1], [20, 2], [10, 3]]", "[[0, 1], [0, 2]]"])
def test_steps_of_the_market_ascend_from_0(key: str, wrong: str) -> None:
    line = next(line for line in TEXT.splitlines() if line.startswith(f"{key} = "))
    assert fault((line, f"{key} = {wrong}")).startswith(f"market.{key}: expected ascending ratings from 0")


def test_steps_above_the_cap_are_named() -> None:
    """Two tables of the market reach 70."""
    assert faults(("cap = 70", "cap = 69")) == (
        "market.painting_vp: rating 70 is above the cap",
        "market.gold_per_vp: rating 70 is above the cap",
    )


@pytest.mark.parametrize("instead", ["", "exhibitions = []\n", "exhibitions = 3\n", "exhibitions = {}\n"])
def test_missing_exhibitions_are_named(instead: str) -> None:
    found = faults((EXHIBITIONS_TABLE, ""), ('version = "1"', f'{instead}version = "1"'))
    assert found == ("exhibitions: expected 1 to 5 tables",)


def test_six_exhibitions_are_too_many() -> None:
    table = "[[exhibitions]]\ncost = 12\nvp = [10, 8, 6, 4]\n"
    assert fault((table, table * 2)) == "exhibitions: expected 1 to 5 tables"


@pytest.mark.parametrize(
    ("wrong", "expected"),
    [
        ("cost = -1\nvp = [7, 6, 4, 3]", "exhibitions[2].cost: expected a whole number from 0 to 255, found -1"),
        ("vp = [7, 6, 4, 3]", "exhibitions[2].cost: expected a whole number from 0 to 255, found None"),
        ("cost = 8\nvp = [7, 6, 3, 4]", "exhibitions[2].vp: expected the highest first, found [7, 6, 3, 4]"),
        ("cost = 8\nvp = [7, 6, 4]", "exhibitions: expected the same number of spaces in each"),
        ("cost = 8\nvp = 7", "exhibitions[2].vp: expected a list of whole numbers from 0 to 255, found 7"),
        ("cost = 8", "exhibitions[2].vp: expected a list of whole numbers from 0 to 255, found None"),
    ],
)
def test_an_exhibition_is_named_by_place(wrong: str, expected: str) -> None:
    assert fault(("cost = 8\nvp = [7, 6, 4, 3]", wrong)) == expected


@pytest.mark.parametrize(
    ("old", "wrong", "expected"),
    [
        ('scoring = "EACH"\ncounts = "OWN_SETS"', 'counts = "OWN_SETS"', "tiles[12].scoring: None, expected one of"),
        ('"EACH"\ncounts = "OWN_SETS"', '"ALL"\ncounts = "OWN_SETS"', "tiles[12].scoring: 'ALL', expected one of"),
        ('counts = "OWN_SETS"', 'counts = "SETS"', "tiles[12].counts: 'SETS', expected one of"),
        ('counts = "OWN_SETS"', 'counts = "OWN_PAINTINGS"', "tiles[12].style: None, expected a style"),
        ('style = "POP_ART"', 'style = "CUBISM"', "tiles[3].style: 'CUBISM', expected a style"),
        ('"OWN_SETS"', '"OWN_SETS"\nstyle = "POP_ART"', "tiles[12].style: expected with OWN_PAINTINGS only"),
        ('"OWN_SETS"\nvp = [3]', '"OWN_SETS"\nvp = [3, 1]', "tiles[12].vp: expected 1 to 1 numbers, found 2"),
        ('"OWN_SETS"\nvp = [3]', '"OWN_SETS"\nvp = []', "tiles[12].vp: expected 1 to 1 numbers, found 0"),
        ('"OWN_SETS"\nvp = [3]', '"OWN_SETS"\nvp = "3"', "tiles[12].vp: expected a list of whole numbers"),
        (
            '"OWN_GOLD"\nvp = [4, 2]',
            '"OWN_GOLD"\nvp = [5, 4, 3, 2, 1]',
            "tiles[6].vp: expected 1 to 4 numbers, found 5",
        ),
    ],
)
def test_a_tile_is_named_by_place(old: str, wrong: str, expected: str) -> None:
    assert fault((old, wrong)).startswith(expected)


@pytest.mark.parametrize("instead", ["", "tiles = []\n", "tiles = 3\n", "tiles = {}\n"])
def test_missing_tiles_are_named(instead: str) -> None:
    found = faults((TILES_TABLE, ""), ('version = "1"', f'{instead}version = "1"'))
    assert found == ("tiles: expected at least one for each exhibition",)


def test_entries_of_the_lists_are_tables() -> None:
    found = faults((TILES_TABLE, ""), ('version = "1"', 'version = "1"\ntiles = [1, 2, 3, 4, 5]'))
    assert found == tuple(f"tiles[{place}]: expected a table" for place in range(5))
    found = faults((EXHIBITIONS_TABLE, ""), ('version = "1"', 'version = "1"\nexhibitions = [1]'))
    assert "exhibitions[0]: expected a table" in found


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        ("fives = 10", "fives = 150", "cards: 257 cards, at most 255"),
        ("face_up = 2", "face_up = 13", "bank.face_up: 13 of 12 cards"),
        ("style_markers = 8", "style_markers = 2", "museum: 16 markers for 20 places"),
        ("end_at = 12", "end_at = 21", "museum.end_at: 21 paintings on 20 spaces"),
    ],
)
def test_numbers_that_do_not_fit_together_are_named(old: str, new: str, expected: str) -> None:
    assert fault((old, new)) == expected


def test_a_museum_may_be_used_up() -> None:
    """As many markers as places, and the end at the last of them."""
    fewest = [("style_markers = 8", "style_markers = 4"), ("wild_markers = 6", "wild_markers = 0")]
    parts = parts_with(*fewest, ("end_at = 12", "end_at = 20"))
    assert (sum(parts.marker_copies), parts.end_at) == (20, 20)


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        ("twos = 8", "twos = 7", ("4 seats: 8 twos are dealt, there are 7",)),
        (
            "ones = 12",
            "ones = 8",
            ("3 seats: 9 ones are dealt, there are 8", "4 seats: 12 ones are dealt, there are 8"),
        ),
        ("paintings = 15", "paintings = 6", ("4 seats: 32 paintings are dealt, of 30 none is left for the deck",)),
    ],
)
def test_a_deal_that_cannot_serve_a_number_of_seats_is_refused(old: str, new: str, expected: tuple[str, ...]) -> None:
    """The fault names the seats; for fewer seats the same cards may do."""
    assert faults((old, new)) == expected


@pytest.mark.parametrize(("paintings", "left"), [(7, 3), (8, 8)])
def test_a_deal_that_leaves_a_painting_is_accepted(paintings: int, left: int) -> None:
    game = ArtDecko(parts_with(("paintings = 15", f"paintings = {paintings}")))
    assert len(dealt(game, 4, 1).paintings) == left


def test_all_faults_of_a_file_are_named_at_once() -> None:
    """Those of single numbers first; sums are judged when these are right."""
    found = faults(("face_up = 2", "face_up = -2"), ("cap = 70", "cap = 0"), ("cost = 8\nvp", "cost = 'x'\nvp"))
    assert [text.split(":")[0] for text in found] == ["bank.face_up", "market.cap", "exhibitions[2].cost"]
    found = faults(("face_up = 2", "face_up = 20"), ("cap = 70", "cap = 60"), ("ones = 12", "ones = 11"))
    assert [text.split(":")[0] for text in found] == [
        "bank.face_up",
        "market.gold_value",
        "market.painting_vp",
        "market.gold_per_vp",
        "4 seats",
    ]
