"""The components of ArtSee, validated, and the move ids that derive from them."""

from collections.abc import Sequence
from dataclasses import dataclass
from importlib.resources import files
from itertools import chain
from typing import Any, Final

from referee.core.components import Components, parse
from referee.core.errors import ComponentsError

STARTING: Final = 0
MAIN: Final = 1
LEFT: Final = 0
RIGHT: Final = 1
PILES: Final = 2
MAX_SEATS: Final = 5
MAX_CATEGORIES: Final = 4
MAX_CARDS: Final = 255
MAX_MOVES: Final = 128
_DECKS: Final = ("starting", "main")
_SIDES: Final = ("left", "right")


@dataclass(frozen=True, slots=True, order=True)
class Card:
    """A kind of exhibit card: its deck, featured category, art pieces by category, ascending, and arrow."""

    deck: int
    featured: int
    pieces: tuple[int, ...]
    arrow: int


@dataclass(frozen=True, slots=True)
class Masterpiece:
    """A masterpiece: its category, the prestige of one turn that it takes to claim it, and what it is worth."""

    category: int
    requirement: int
    prestige: int


@dataclass(frozen=True, slots=True)
class Table:
    """What differs by the number of seats: visitors of each, main cards removed of each category and of all."""

    visitors: int
    removed_of_each: int
    removed_of_all: int


class Parts:
    """The components, and tables of move ids: (card, spot), (masterpiece, slot), decline, place, skip, piles.

    A card is the index of its kind in `cards`, which are in canonical order. A back is deck * len(categories) +
    featured category. A masterpiece is category * levels + level; a slot holds a masterpiece plus 1, or 0. A spot is
    the column to cover, or `new_left`, or `new_right`.

    Raises:
        ComponentsError: names every fault of the data.
    """

    def __init__(self, components: Components) -> None:
        _validate(components)
        tables = components.parts
        self.components: Final = components
        self.categories: Final[tuple[str, ...]] = tuple(tables["cards"]["categories"])
        self.gallery: Final[int] = tables["cards"]["gallery"]
        self.hand: Final[int] = tables["cards"]["hand"]
        self.tables: Final = {
            table["seats"]: Table(table["visitors"], table["removed_of_each"], table["removed_of_all"])
            for table in tables["players"]
        }
        self.bonus: Final[tuple[int, ...]] = tuple(tables["bonus"]["categories"])
        copies = _copies(self.categories, tables["decks"])
        self.cards: Final = tuple(sorted(copies))
        self.decks: Final = tuple(
            bytes(kind for kind, card in enumerate(self.cards) if card.deck == deck for _ in range(copies[card]))
            for deck in range(len(_DECKS))
        )
        width = len(self.categories)
        self.card_names: Final = tuple(_card_name(self.categories, card) for card in self.cards)
        self.featured: Final = bytes(card.featured for card in self.cards)
        self.arrows: Final = bytes(card.arrow for card in self.cards)
        self.backs: Final = bytes(card.deck * width + card.featured for card in self.cards).ljust(256, b"\0")
        self.lacking: Final = tuple(
            bytes(kind for kind, card in enumerate(self.cards) if category not in card.pieces)
            for category in range(width)
        )
        levels = sorted(tables["masterpieces"], key=lambda level: level["requirement"])
        self.levels: Final[int] = len(levels)
        self.masterpieces: Final = tuple(
            Masterpiece(category, level["requirement"], level["prestige"])
            for category in range(width)
            for level in levels
        )
        self.masterpiece_names: Final = tuple(
            f"{self.categories[token.category]} masterpiece {token.requirement}" for token in self.masterpieces
        )
        self.easiest: Final[int] = self.masterpieces[0].requirement

        turns = max(self.turns(seats) for seats in self.tables)
        self.new_left: Final[int] = self.gallery + turns - 1
        self.new_right: Final[int] = self.new_left + 1
        self.spots: Final[int] = self.new_right + 1
        self.slots: Final[int] = self.gallery + turns + 1
        self.claims: Final[int] = len(self.cards) * self.spots
        self.decline_id: Final[int] = self.claims + len(self.masterpieces) * self.slots
        self.place_id: Final[int] = self.decline_id + 1
        self.skip_id: Final[int] = self.place_id + 1
        self.pile_ids: Final[tuple[int, ...]] = tuple(self.skip_id + 1 + pile for pile in range(PILES))
        self.num_actions: Final[int] = self.pile_ids[-1] + 1
        self.max_legal_moves: Final[int] = max(
            _longest_list(self.gallery, self.hand, self.levels, self.turns(seats)) for seats in self.tables
        )
        self.descriptions: Final[tuple[str, ...]] = tuple(self._describe(move) for move in range(self.num_actions))

    def turns(self, seats: int) -> int:
        """Returns how many turns each seat has in a game."""
        table = self.tables[seats]
        left = len(self.decks[MAIN]) - table.removed_of_each * len(self.categories) - table.removed_of_all
        return _turns(self.hand, left, seats)

    def matching(self, gallery: Sequence[bytes], featured: int) -> list[int]:
        """Returns the columns, ascending, whose front card has a featured category."""
        of = self.featured
        return [column for column, cards in enumerate(gallery) if of[cards[-1]] == featured]

    def count(self, column: bytes, category: int) -> int:
        """Returns the art pieces of a category on all cards of a column."""
        return len(column.translate(None, self.lacking[category]))

    def play_id(self, card: int, spot: int) -> int:
        """Returns the move that plays a card on a spot."""
        return card * self.spots + spot

    def claim_id(self, masterpiece: int, slot: int) -> int:
        """Returns the move that claims a masterpiece and puts it into a slot."""
        return self.claims + masterpiece * self.slots + slot

    def _describe(self, move: int) -> str:
        if move < self.claims:
            card, spot = divmod(move, self.spots)
            return f"play {self.card_names[card]} {self._spot_name(spot)}"
        if move < self.decline_id:
            masterpiece, slot = divmod(move - self.claims, self.slots)
            return f"claim {self.masterpiece_names[masterpiece]} into slot {slot}"
        texts = ["claim no masterpiece", "place a visitor", "place no visitor"]
        texts += [f"draw from pile {pile}" for pile in range(PILES)]
        return texts[move - self.decline_id]

    def _spot_name(self, spot: int) -> str:
        if spot < self.new_left:
            return f"on column {spot}"
        return f"as a new {_SIDES[spot - self.new_left]} column"


def load() -> Parts:
    """Returns the components that come with the ruleset."""
    file = files(__package__).joinpath("components.toml")
    return Parts(parse("artsee/components.toml", file.read_bytes()))


def _copies(categories: Sequence[str], decks: dict[str, list[dict[str, Any]]]) -> dict[Card, int]:
    """Returns how many cards there are of each kind."""
    copies: dict[Card, int] = {}
    for deck, name in enumerate(_DECKS):
        for row in decks[name]:
            pieces = tuple(sorted(categories.index(piece) for piece in row["pieces"]))
            for arrow, side in enumerate(_SIDES):
                card = Card(deck, categories.index(row["featured"]), pieces, arrow)
                copies[card] = copies.get(card, 0) + row[side]
    return {card: number for card, number in copies.items() if number}


def _card_name(categories: Sequence[str], card: Card) -> str:
    pieces = " and ".join(categories[piece] for piece in card.pieces)
    arrow = _SIDES[card.arrow].upper()
    return f"{_DECKS[card.deck]} {categories[card.featured]} card of {pieces} with arrow {arrow}"


def _turns(hand: int, main: int, seats: int) -> int:
    return hand + main // seats


def _longest_list(gallery: int, hand: int, levels: int, turns: int) -> int:
    """Returns how many moves a seat can have at most: to play with each hand size, or to claim in its last turn."""
    plays = (
        min(hand, turns - played) * (gallery + played + len(_SIDES))  # each turn before may have made a column
        for played in range(turns)
    )
    return max(*plays, levels * (gallery + turns + 1) + 1)


def _validate(components: Components) -> None:
    parts, faults = components.parts, list[str]()
    cards = _table(parts, "cards", {"gallery": 1, "hand": 1}, faults)
    categories = _categories(cards, faults)
    decks = _table(parts, "decks", {}, faults)
    rows = {name: _rows(decks, name, categories, faults) for name in _DECKS}
    levels = _tables(parts, "masterpieces", {"requirement": 1, "prestige": 0}, faults)
    bonus = _table(parts, "bonus", {}, faults).get("categories")
    if not isinstance(bonus, list) or not all(_whole(value) for value in bonus):
        faults.append("bonus.categories: expected a list of whole numbers from 0 to 255")
    players = _tables(parts, "players", {"seats": 2, "visitors": 0, "removed_of_each": 0, "removed_of_all": 0}, faults)
    if faults:
        raise ComponentsError(components.name, faults)
    if len(bonus or ()) != len(categories) + 1:
        faults.append(f"bonus.categories: expected {len(categories) + 1} numbers, one for each number of categories")
    if len({level["requirement"] for level in levels}) != len(levels):
        faults.append("masterpieces: a requirement stands twice")
    if _cards([*chain(*rows.values())]) > MAX_CARDS:
        faults.append(f"decks: expected at most {MAX_CARDS} cards")
    if len({table["seats"] for table in players}) != len(players):
        faults.append("players: a number of seats stands twice")
    for table in players:
        faults += _player_faults(table, cards, rows, len(levels))
    if faults:
        raise ComponentsError(components.name, faults)


def _categories(cards: dict[str, Any], faults: list[str]) -> list[str]:
    """Returns the categories; none if they are wrong."""
    names = cards.get("categories")
    if not isinstance(names, list) or not all(isinstance(name, str) and name for name in names):
        faults.append("cards.categories: expected a list of names")
        return []
    if not 1 <= len(names) <= MAX_CATEGORIES or len(set(names)) != len(names):
        faults.append(f"cards.categories: expected 1 to {MAX_CATEGORIES} different names, found {names}")
        return []
    return names


def _rows(decks: dict[str, Any], name: str, categories: list[str], faults: list[str]) -> list[dict[str, Any]]:
    """Returns the rows of a deck; what they name is judged only if there are categories."""
    rows = _tables(decks, name, dict.fromkeys(_SIDES, 0), faults, f"decks.{name}")
    for place, row in enumerate(rows if categories else ()):
        pieces = row.get("pieces")
        if row.get("featured") not in categories:
            faults.append(f"decks.{name}[{place}].featured: expected a category, found {row.get('featured')!r}")
        if not isinstance(pieces, list) or not pieces or not all(piece in categories for piece in pieces):
            faults.append(f"decks.{name}[{place}].pieces: expected categories, found {pieces!r}")
        elif len(set(pieces)) != len(pieces):
            faults.append(f"decks.{name}[{place}].pieces: expected different categories, found {pieces}")
    return rows


def _player_faults(
    table: dict[str, int], cards: dict[str, Any], rows: dict[str, list[dict[str, Any]]], levels: int
) -> list[str]:
    """Returns what keeps a number of seats from being dealt, or from having equal turns [G-R8]."""
    seats, each = table["seats"], table["removed_of_each"]
    where, faults = f"players with {seats} seats", []
    if seats > MAX_SEATS:
        faults.append(f"{where}: at most {MAX_SEATS} seats")
    dealt, starting = seats * (cards["gallery"] + cards["hand"]), _cards(rows["starting"])
    if dealt > starting:
        faults.append(f"{where}: {dealt} starting cards are dealt, there are {starting}")
    for category in cards["categories"]:
        there = _cards([row for row in rows["main"] if row["featured"] == category])
        if each > there:
            faults.append(f"{where}: {each} {category} main cards are removed, there are {there}")
    left = _cards(rows["main"]) - each * len(cards["categories"]) - table["removed_of_all"]
    if left < 0:
        faults.append(f"{where}: {-left} more main cards are removed than there are")
    elif left % seats:
        faults.append(f"{where}: {left} main cards in the piles do not give all the same number of turns")
    if not faults:
        longest = _longest_list(cards["gallery"], cards["hand"], levels, _turns(cards["hand"], left, seats))
        if longest > MAX_MOVES:
            faults.append(f"{where}: a seat could have {longest} moves to choose from, expected at most {MAX_MOVES}")
    return faults


def _cards(rows: list[dict[str, Any]]) -> int:
    return sum(row[side] for row in rows for side in _SIDES)


def _whole(value: object, lowest: int = 0) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and lowest <= value <= 255


def _table(
    parts: dict[str, Any], name: str, least: dict[str, int], faults: list[str], path: str | None = None
) -> dict[str, Any]:
    path, table = path or name, parts.get(name)
    if not isinstance(table, dict):
        faults.append(f"{path}: expected a table")
        return {}
    for key, lowest in least.items():
        value = table.get(key)
        if not _whole(value, lowest):
            faults.append(f"{path}.{key}: expected a whole number from {lowest} to 255, found {value!r}")
    return table


def _tables(
    parts: dict[str, Any], name: str, least: dict[str, int], faults: list[str], path: str | None = None
) -> list[dict[str, Any]]:
    path, tables = path or name, parts.get(name)
    if not isinstance(tables, list) or not tables:
        faults.append(f"{path}: expected at least one table")
        return []
    return [
        _table({f"{path}[{place}]": table}, f"{path}[{place}]", least, faults) for place, table in enumerate(tables)
    ]
