"""The components of Classic Art, validated, and the move ids that derive from them."""

from dataclasses import dataclass
from importlib.resources import files
from typing import Any, Final

from referee.core.components import Components, parse
from referee.core.errors import ComponentsError

FINAL_HAND: Final = 3  # cards in hand when the final turn begins
PLAYED: Final = 2  # cards played a turn, and in the final turn
HIGH_RISK: Final = 1  # tokens on a space: 1 + seat * 4 + (tokens - 1) * 2 + HIGH_RISK; 0 is an empty space
MAX_CATEGORIES: Final = 5
MAX_SPACES: Final = 8
MAX_MOVES: Final = 128


@dataclass(frozen=True, slots=True)
class Deal:
    """How a season is dealt for one number of seats: cards to each hand and to the House."""

    hand: int
    house: int

    def turns(self, seats: int) -> int:
        """Returns the turns of a season before the final one."""
        return seats * (self.hand - FINAL_HAND) // PLAYED


@dataclass(frozen=True, slots=True)
class Space:
    """A space of every exhibition: the bound of the count, whether it is an upper one, and the prestige."""

    name: str
    bound: int
    at_most: bool
    prestige: int

    def holds(self, count: int) -> bool:
        """Returns whether a prediction on this space comes true with `count` Artworks."""
        return count <= self.bound if self.at_most else count >= self.bound


class Parts:
    """The components, and tables of move ids: pairs of kinds, then pass, then (space, tokens).

    A kind of card is 2 * category + (0: Artwork, 1: Loan). A space id is category * len(spaces) + space.

    Raises:
        ComponentsError: names every fault of the data.
    """

    def __init__(self, components: Components) -> None:
        _validate(components)
        cards, tokens, track = (components.parts[part] for part in ("cards", "tokens", "track"))
        self.components: Final = components
        self.categories: Final[tuple[str, ...]] = tuple(cards["categories"])
        self.kinds: Final = 2 * len(self.categories)
        self.copies: Final = bytes((cards["artworks"], cards["loans"]) * len(self.categories))
        self.revealed: Final[int] = cards["revealed"]
        self.deals: Final = {deal["seats"]: Deal(deal["hand"], deal["house"]) for deal in components.parts["deals"]}
        self.predictions: Final[int] = tokens["predictions"]
        self.refill_at: Final[int] = tokens["refill_at"]
        self.cap: Final[int] = track["cap"]
        self.counts_from: Final[int] = track["counts_from"]
        self.spaces: Final = tuple(
            Space(space["name"], space["bound"], space["at_most"], space["prestige"])
            for space in components.parts["spaces"]
        )
        self.all_spaces: Final = len(self.categories) * len(self.spaces)

        self.pairs: Final = tuple((a, b) for a in range(self.kinds) for b in range(a, self.kinds))
        ids = {pair: move for move, pair in enumerate(self.pairs)}
        self.pair_ids: Final = tuple(
            tuple(ids[min(a, b), max(a, b)] for b in range(self.kinds)) for a in range(self.kinds)
        )
        self.pass_id: Final = len(self.pairs)
        self.num_actions: Final = self.pass_id + 1 + 2 * self.all_spaces
        self.single_ids: Final = tuple(self.prediction_id(space, 1) for space in range(self.all_spaces))
        self.either_ids: Final = tuple((single, single + 1) for single in self.single_ids)
        self.max_legal_moves: Final = max(len(self.pairs), 1 + 2 * self.all_spaces)
        self.descriptions: Final = tuple(self._describe(move) for move in range(self.num_actions))

    def prediction_id(self, space: int, tokens: int) -> int:
        """Returns the move that places 1 or 2 tokens on a space."""
        return self.pass_id + 1 + 2 * space + tokens - 1

    def prediction(self, move: int) -> tuple[int, int]:
        """Returns (space, tokens) of a move that places a prediction."""
        space, doubled = divmod(move - self.pass_id - 1, 2)
        return space, doubled + 1

    def space_name(self, space: int) -> str:
        """Returns a space in words, such as "3- of SCULPTURE"."""
        category, place = divmod(space, len(self.spaces))
        return f"{self.spaces[place].name} of {self.categories[category]}"

    def kind_name(self, kind: int) -> str:
        """Returns a kind of card in words, such as "PORTRAIT Loan"."""
        return f"{self.categories[kind // 2]} {'Loan' if kind % 2 else 'Artwork'}"

    def _describe(self, move: int) -> str:
        if move < self.pass_id:
            first, second = self.pairs[move]
            return f"play {self.kind_name(first)} and {self.kind_name(second)}"
        if move == self.pass_id:
            return "place no prediction"
        space, tokens = self.prediction(move)
        return f"{'double down' if tokens == 2 else 'predict'} {self.space_name(space)}"


def load() -> Parts:
    """Returns the components that come with the ruleset."""
    file = files(__package__).joinpath("components.toml")
    return Parts(parse("classic_art/components.toml", file.read_bytes()))


def _validate(components: Components) -> None:
    parts, faults = components.parts, list[str]()
    cards = _table(parts, "cards", {"artworks": 1, "loans": 0, "revealed": 0}, faults)
    tokens = _table(parts, "tokens", {"predictions": 1, "refill_at": 0}, faults)
    track = _table(parts, "track", {"cap": 1, "counts_from": 1}, faults)
    categories = cards.get("categories")
    if not isinstance(categories, list) or not all(isinstance(name, str) and name for name in categories):
        faults.append("cards.categories: expected a list of names")
    elif not 1 <= len(categories) <= MAX_CATEGORIES or len(set(categories)) != len(categories):
        faults.append(f"cards.categories: expected 1 to {MAX_CATEGORIES} different names, found {categories}")
    faults += _space_faults(_tables(parts, "spaces", {"bound": 0, "prestige": 0}, faults))
    deals = _tables(parts, "deals", {"seats": 2, "hand": FINAL_HAND, "house": 0}, faults)
    if faults:
        raise ComponentsError(components.name, faults)
    if track["counts_from"] > track["cap"]:
        faults.append(f"track: counts_from {track['counts_from']} is above cap {track['cap']}")
    if tokens["refill_at"] >= tokens["predictions"]:
        faults.append("tokens: refill_at must be below predictions")
    total = len(categories or ()) * (cards["artworks"] + cards["loans"])
    spaces = len(categories or ()) * len(parts["spaces"])
    for deal in deals:
        faults += _deal_faults(deal, total - cards["revealed"], spaces, tokens["predictions"])
    if len({deal["seats"] for deal in deals}) != len(deals):
        faults.append("deals: a number of seats stands twice")
    if faults:
        raise ComponentsError(components.name, faults)


def _space_faults(spaces: list[dict[str, Any]]) -> list[str]:
    faults = []
    names = [space.get("name") for space in spaces]
    if not all(isinstance(name, str) and name for name in names) or len(set(map(str, names))) != len(names):
        faults.append(f"spaces: expected a different name in each, found {names}")
    if not all(isinstance(space.get("at_most"), bool) for space in spaces):
        faults.append("spaces: expected at_most = true or false in each")
    if len(spaces) > MAX_SPACES:
        faults.append(f"spaces: expected at most {MAX_SPACES}")
    return faults


def _deal_faults(deal: dict[str, int], cards: int, spaces: int, tokens: int) -> list[str]:
    seats, hand, house = deal["seats"], deal["hand"], deal["house"]
    where, faults = f"deals for {seats} seats", []
    if seats > 5:
        faults.append(f"{where}: at most 5 seats")
    if seats * hand + house > cards:
        faults.append(f"{where}: {seats * hand + house} cards are dealt, there are {cards}")
    if hand == FINAL_HAND or (hand - FINAL_HAND) % PLAYED:
        faults.append(f"{where}: a hand of {hand} does not come down to {FINAL_HAND} in turns of {PLAYED} cards")
    turns = Deal(hand, house).turns(seats)
    if house and house < turns:
        faults.append(f"{where}: {house} House cards do not last for {turns} turns")
    if seats * tokens >= spaces:
        faults.append(f"{where}: {seats * tokens} tokens could fill all {spaces} spaces")
    return faults


def _table(parts: dict[str, Any], name: str, least: dict[str, int], faults: list[str]) -> dict[str, Any]:
    table = parts.get(name)
    if not isinstance(table, dict):
        faults.append(f"{name}: expected a table")
        return {}
    for key, lowest in least.items():
        value = table.get(key)
        if not isinstance(value, int) or isinstance(value, bool) or not lowest <= value <= 255:
            faults.append(f"{name}.{key}: expected a whole number from {lowest} to 255, found {value!r}")
    return table


def _tables(parts: dict[str, Any], name: str, least: dict[str, int], faults: list[str]) -> list[dict[str, Any]]:
    tables = parts.get(name)
    if not isinstance(tables, list) or not tables:
        faults.append(f"{name}: expected at least one table")
        return []
    return [
        _table({f"{name}[{place}]": table}, f"{name}[{place}]", least, faults) for place, table in enumerate(tables)
    ]
