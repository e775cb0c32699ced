"""The judgement of component data: every fault is found and named."""

from typing import Any, Final, cast

from referee.core.components import Components
from referee.core.errors import ComponentsError

MAX_SEATS: Final = 4
MAX_STYLES: Final = 5
MAX_GALLERIES: Final = 4
MAX_EXHIBITIONS: Final = 5
MAX_NUMBER: Final = 255
POWERS: Final = 6
SCORINGS: Final = ("MOST", "FEWEST", "EACH")
COUNTS: Final = (
    "OWN_PAINTINGS",
    "OWN_GOLD_CARDS",
    "OWN_GOLD",
    "OWN_CARDS",
    "OWN_SETS",
    "MUSEUM_PAINTINGS",
    "MUSEUM_STYLES",
    "EXHIBITION_PAINTINGS",
    "FIRST_SPACES",
)

_TABLES: Final = {
    "cards": {"paintings": 1, "ones": 0, "twos": 0, "fives": 0, "threes": 0},
    "powers": {"discount": 1, "promote": 1},
    "start": {"paintings": 1, "ones": 0, "twos": 0},
    "galleries": {},
    "tokens": {"first": 0},
    "bank": {"face_up": 0, "three_cost": 0, "three_rise": 0, "five_cost": 0, "five_rise": 0},
    "market": {"cap": 1},
    "museum": {"style_markers": 0, "wild_markers": 0, "ribbons": 1, "rise": 0, "end_at": 1},
}
_Table = dict[str, Any]


def validate(components: Components) -> None:
    """Judges component data.

    Raises:
        ComponentsError: names every fault.
    """
    parts, faults = components.parts, list[str]()
    for name, least in _TABLES.items():
        _check_table(parts.get(name), name, least, faults)
    for judge in (_check_styles, _check_galleries, _check_tokens, _check_market, _check_exhibitions):
        judge(parts, faults)
    if not faults:
        _check_tiles(parts, faults)
        _check_sums(parts, faults)
        for full in parts["galleries"]["full"]:
            _check_deal(parts, full["seats"], full["paintings"], faults)
    if faults:
        raise ComponentsError(components.name, faults)


def _is_number(value: object, least: int = 0) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and least <= value <= MAX_NUMBER


def _check_table(table: object, name: str, least: dict[str, int], faults: list[str]) -> None:
    if not isinstance(table, dict):
        faults.append(f"{name}: expected a table")
        return
    for key, lowest in least.items():
        value = table.get(key)
        if not _is_number(value, lowest):
            expected = f"a whole number from {lowest} to {MAX_NUMBER}"
            faults.append(f"{name}.{key}: expected {expected}, found {value!r}")


def _entry(parts: _Table, name: str, key: str) -> Any:
    """Returns an entry of a table; None if there is no such table, which is a fault already named."""
    table = parts.get(name)
    return table.get(key) if isinstance(table, dict) else None


def _check_numbers(numbers: object, name: str, most: int, faults: list[str], fewest: int = 1) -> None:
    if not isinstance(numbers, list) or not all(_is_number(number) for number in numbers):
        faults.append(f"{name}: expected a list of whole numbers from 0 to {MAX_NUMBER}, found {numbers!r}")
    elif not fewest <= len(numbers) <= most:
        faults.append(f"{name}: expected {fewest} to {most} numbers, found {len(numbers)}")


def _check_styles(parts: _Table, faults: list[str]) -> None:
    styles = _entry(parts, "cards", "styles")
    if not isinstance(styles, list) or not all(isinstance(style, str) and style for style in styles):
        faults.append("cards.styles: expected a list of names")
    elif not 1 <= len(styles) <= MAX_STYLES or len(set(styles)) != len(styles):
        faults.append(f"cards.styles: expected 1 to {MAX_STYLES} different names, found {styles}")


def _check_galleries(parts: _Table, faults: list[str]) -> None:
    _check_numbers(_entry(parts, "galleries", "rises"), "galleries.rises", MAX_GALLERIES, faults)
    tables = _entry(parts, "galleries", "full")
    if not isinstance(tables, list) or not tables:
        faults.append("galleries.full: expected at least one table")
        return
    for place, table in enumerate(tables):
        _check_table(table, f"galleries.full[{place}]", {"seats": 2, "paintings": 1}, faults)
    seats = [table["seats"] for table in tables if isinstance(table, dict) and _is_number(table.get("seats"))]
    if any(number > MAX_SEATS for number in seats):
        faults.append(f"galleries.full: at most {MAX_SEATS} seats, found {seats}")
    if any(seats.count(number) > 1 for number in seats):
        faults.append("galleries.full: a number of seats stands twice")


def _check_tokens(parts: _Table, faults: list[str]) -> None:
    _check_numbers(_entry(parts, "tokens", "orange"), "tokens.orange", MAX_NUMBER, faults)
    _check_numbers(_entry(parts, "tokens", "yellow"), "tokens.yellow", MAX_NUMBER, faults, fewest=0)


def _check_market(parts: _Table, faults: list[str]) -> None:
    for key in ("gold_value", "painting_vp", "gold_per_vp"):
        steps, name = _entry(parts, "market", key), f"market.{key}"
        if not isinstance(steps, list) or not steps or not all(_is_step(step) for step in steps):
            faults.append(f"{name}: expected pairs of a rating and a number from 1, found {steps!r}")
            continue
        ratings = [step[0] for step in steps]
        if ratings[0] != 0 or ratings != sorted(set(ratings)):
            faults.append(f"{name}: expected ascending ratings from 0, found {ratings}")


def _is_step(step: object) -> bool:
    return isinstance(step, list) and len(step) == 2 and _is_number(step[0]) and _is_number(step[1], 1)


def _check_exhibitions(parts: _Table, faults: list[str]) -> None:
    exhibitions = parts.get("exhibitions")
    if not isinstance(exhibitions, list) or not 1 <= len(exhibitions) <= MAX_EXHIBITIONS:
        faults.append(f"exhibitions: expected 1 to {MAX_EXHIBITIONS} tables")
        return
    for place, exhibition in enumerate(exhibitions):
        name = f"exhibitions[{place}]"
        _check_table(exhibition, name, {"cost": 0}, faults)
        spaces = exhibition.get("vp") if isinstance(exhibition, dict) else None
        known = len(faults)
        _check_numbers(spaces, f"{name}.vp", MAX_NUMBER, faults)
        if len(faults) == known and spaces != sorted(cast("list[int]", spaces), reverse=True):
            faults.append(f"{name}.vp: expected the highest first, found {spaces}")
    sizes = {len(table["vp"]) for table in exhibitions if isinstance(table, dict) and isinstance(table.get("vp"), list)}
    if len(sizes) > 1:
        faults.append("exhibitions: expected the same number of spaces in each")


def _check_tiles(parts: _Table, faults: list[str]) -> None:
    tiles = parts.get("tiles")
    if not isinstance(tiles, list) or len(tiles) < len(parts["exhibitions"]):
        faults.append("tiles: expected at least one for each exhibition")
        return
    for place, tile in enumerate(tiles):
        name = f"tiles[{place}]"
        _check_table(tile, name, {}, faults)
        if isinstance(tile, dict):
            _check_tile(tile, name, parts["cards"]["styles"], faults)


def _check_tile(tile: _Table, name: str, styles: list[str], faults: list[str]) -> None:
    scoring, counts = tile.get("scoring"), tile.get("counts")
    if scoring not in SCORINGS:
        faults.append(f"{name}.scoring: {scoring!r}, expected one of {', '.join(SCORINGS)}")
    if counts not in COUNTS:
        faults.append(f"{name}.counts: {counts!r}, expected one of {', '.join(COUNTS)}")
    if counts == "OWN_PAINTINGS" and tile.get("style") not in styles:
        faults.append(f"{name}.style: {tile.get('style')!r}, expected a style")
    if counts != "OWN_PAINTINGS" and "style" in tile:
        faults.append(f"{name}.style: expected with OWN_PAINTINGS only")
    _check_numbers(tile.get("vp"), f"{name}.vp", 1 if scoring == "EACH" else MAX_SEATS, faults)


def _check_sums(parts: _Table, faults: list[str]) -> None:
    cards, tokens, museum, bank = parts["cards"], parts["tokens"], parts["museum"], parts["bank"]
    styles, galleries = len(cards["styles"]), len(parts["galleries"]["rises"])
    total = styles * cards["paintings"] + cards["ones"] + cards["twos"] + cards["fives"] + POWERS * cards["threes"]
    if total > MAX_NUMBER:
        faults.append(f"cards: {total} cards, at most {MAX_NUMBER}")
    if tokens["first"] not in tokens["orange"] or len(tokens["orange"]) < galleries:
        faults.append(f"tokens.orange: expected the first token {tokens['first']} and one for each other gallery")
    if bank["face_up"] > POWERS * cards["threes"]:
        faults.append(f"bank.face_up: {bank['face_up']} of {POWERS * cards['threes']} cards")
    spaces = sum(len(exhibition["vp"]) for exhibition in parts["exhibitions"])
    markers = styles * museum["style_markers"] + museum["wild_markers"]
    if markers < spaces:
        faults.append(f"museum: {markers} markers for {spaces} places")
    if museum["end_at"] > spaces:
        faults.append(f"museum.end_at: {museum['end_at']} paintings on {spaces} spaces")
    for key in ("gold_value", "painting_vp", "gold_per_vp"):
        if parts["market"][key][-1][0] > parts["market"]["cap"]:
            faults.append(f"market.{key}: rating {parts['market'][key][-1][0]} is above the cap")


def _check_deal(parts: _Table, seats: int, full: int, faults: list[str]) -> None:
    cards, start = parts["cards"], parts["start"]
    paintings = len(cards["styles"]) * cards["paintings"]
    needed = seats * start["paintings"] + len(parts["galleries"]["rises"]) * full
    if needed >= paintings:
        faults.append(f"{seats} seats: {needed} paintings are dealt, of {paintings} none is left for the deck")
    for key in ("ones", "twos"):
        if seats * start[key] > cards[key]:
            faults.append(f"{seats} seats: {seats * start[key]} {key} are dealt, there are {cards[key]}")
