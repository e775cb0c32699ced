"""The components of Art Decko, and the move ids that derive from them.

A kind of card is a style's index, then 1-gold, 2-gold, 5-gold, then a 3-gold by its power. That is the canonical order.
"""

from dataclasses import dataclass, fields
from enum import IntEnum
from importlib.resources import files
from typing import Any, Final

from referee.core.components import Components, parse
from referee.games.art_decko.faults import validate

ACTIONS: Final = 2  # a turn
HAND: Final = 5  # a hand is filled up to it
DRAWN: Final = 2  # by Haggle and by DRAW_TWO
PLAIN_GOLD: Final = (1, 2, 5)
THREE: Final = 3  # the number on gold with a power


class Power(IntEnum):
    """What the 3-gold cards do, in canonical order."""

    DRAW_TWO = 0
    EXTRA_ACTION = 1
    DISCOUNT = 2
    PROMOTE = 3
    DEACCESSION = 4
    OPEN_INVITATION = 5


@dataclass(frozen=True, slots=True)
class Ids:
    """The first move of each group of moves, in the order of their ids.

    Attributes:
        haggle: one a kind: the card given away.
        painting: one a (style, gallery): style * galleries + gallery.
        three: one a power: the 3-gold acquired.
        five: acquiring a 5-gold.
        exhibit: one a style: the painting.
        invite: one an (exhibition, marker): exhibition * (styles + 1) + marker; the last marker is the wild one.
        pay: one a kind.
        power: one a power, played.
        promote: one a rating: the styles, then gold.
        deaccession: one a kind: the card removed.
        discard: one a kind.
        done: no more discards.
    """

    haggle: int
    painting: int
    three: int
    five: int
    exhibit: int
    invite: int
    pay: int
    power: int
    promote: int
    deaccession: int
    discard: int
    done: int


@dataclass(frozen=True, slots=True)
class Exhibition:
    """What an exhibition costs, and the VP of its spaces, highest first."""

    cost: int
    vp: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Tile:
    """A bonus tile.

    Attributes:
        scoring: "MOST" or "FEWEST" for points by place, "EACH" for points as often as is counted.
        counts: what is counted, see `bonus.count`.
        style: the style of the paintings that are counted; -1 if it does not matter.
        vp: the points of each place, or each time.
    """

    scoring: str
    counts: str
    style: int
    vp: tuple[int, ...]


class Parts:
    """The components, and tables of what the rules look up.

    Raises:
        ComponentsError: names every fault of the data.
    """

    def __init__(self, components: Components) -> None:
        validate(components)
        parts = components.parts
        cards, powers, start, galleries = parts["cards"], parts["powers"], parts["start"], parts["galleries"]
        self.components: Final = components
        self.styles: Final[tuple[str, ...]] = tuple(cards["styles"])
        self.width: Final = len(self.styles)
        self.gold: Final = self.width  # the rating of gold, and the first kind that is no painting
        self.first_power: Final = self.width + len(PLAIN_GOLD)
        self.five_gold: Final = self.first_power - 1
        self.kinds: Final = self.first_power + len(Power)
        self.numbers: Final = bytes((*PLAIN_GOLD, *[THREE] * len(Power)))
        paintings, threes = [cards["paintings"]] * self.width, [cards["threes"]] * len(Power)
        self.copies: Final = bytes((*paintings, cards["ones"], cards["twos"], cards["fives"], *threes))
        self.start_gold: Final = bytes([self.width] * start["ones"] + [self.width + 1] * start["twos"])
        self.start_paintings: Final[int] = start["paintings"]
        self.discount: Final[int] = powers["discount"]
        self.promotion: Final[int] = powers["promote"]

        self.rises: Final[tuple[int, ...]] = tuple(galleries["rises"])
        self.galleries: Final = len(self.rises)
        self.full: Final[dict[int, int]] = {full["seats"]: full["paintings"] for full in galleries["full"]}
        tokens, bank = parts["tokens"], parts["bank"]
        self.first_cost: Final[int] = tokens["first"]
        self.orange: Final = bytes(sorted(tokens["orange"]))
        self.yellow: Final = bytes(sorted(tokens["yellow"]))
        self.face_up: Final[int] = bank["face_up"]
        self.three_cost: Final[int] = bank["three_cost"]
        self.three_rise: Final[int] = bank["three_rise"]
        self.five_cost: Final[int] = bank["five_cost"]
        self.five_rise: Final[int] = bank["five_rise"]

        market, museum = parts["market"], parts["museum"]
        self.cap: Final[int] = market["cap"]
        self.gold_value: Final = _by_rating(market["gold_value"], self.cap)
        self.painting_vp: Final = _by_rating(market["painting_vp"], self.cap)
        self.gold_per_vp: Final = _by_rating(market["gold_per_vp"], self.cap)
        self.markers: Final = self.width + 1
        self.wild: Final = self.width
        self.marker_copies: Final = bytes([museum["style_markers"]] * self.width + [museum["wild_markers"]])
        self.ribbons: Final[int] = museum["ribbons"]
        self.exhibit_rise: Final[int] = museum["rise"]
        self.end_at: Final[int] = museum["end_at"]
        self.exhibitions: Final = tuple(
            Exhibition(exhibition["cost"], tuple(exhibition["vp"])) for exhibition in parts["exhibitions"]
        )
        self.spaces: Final = len(self.exhibitions[0].vp)
        self.by_cost: Final = tuple(
            sorted((exhibition.cost, place * self.markers) for place, exhibition in enumerate(self.exhibitions))
        )
        self.tiles: Final = tuple(self._tile(tile) for tile in parts["tiles"])

        self.ids: Final = self._ids()
        self.num_actions: Final = self.ids.done + 1
        self.groups: Final = self._groups()
        self.max_legal_moves: Final = max(self._most_actions(), len(self.exhibitions) * self.markers)
        self.descriptions: Final = tuple(self._describe(move) for move in range(self.num_actions))

    def hung(self, seat: int, style: int, marker: int) -> int:
        """Returns the code of a painting in the museum: its owner, its style, and the marker that it answered."""
        return 1 + (seat * self.width + style) * self.markers + marker

    def hanging(self, code: int) -> tuple[int, int, int]:
        """Returns (owner, style, marker) of a painting in the museum."""
        owned, marker = divmod(code - 1, self.markers)
        return (*divmod(owned, self.width), marker)

    def kind_name(self, kind: int) -> str:
        """Returns a kind of card in words, such as "POP_ART" or "3-gold DISCOUNT"."""
        if kind < self.width:
            return self.styles[kind]
        if kind < self.first_power:
            return f"{PLAIN_GOLD[kind - self.width]}-gold"
        return f"{THREE}-gold {Power(kind - self.first_power).name}"

    def rating_name(self, rating: int) -> str:
        """Returns what a rating is of: a style, or "GOLD"."""
        return "GOLD" if rating == self.gold else self.styles[rating]

    def marker_name(self, marker: int) -> str:
        """Returns the kind of an invitation marker: a style, or "WILD"."""
        return "WILD" if marker == self.wild else self.styles[marker]

    def _tile(self, tile: dict[str, Any]) -> Tile:
        style = self.styles.index(tile["style"]) if "style" in tile else -1
        return Tile(tile["scoring"], tile["counts"], style, tuple(tile["vp"]))

    def _ids(self) -> Ids:
        sizes = {
            "haggle": self.kinds,
            "painting": self.width * self.galleries,
            "three": len(Power),
            "five": 1,
            "exhibit": self.width,
            "invite": len(self.exhibitions) * self.markers,
            "pay": self.kinds,
            "power": len(Power),
            "promote": self.width + 1,
            "deaccession": self.kinds,
            "discard": self.kinds,
            "done": 1,
        }
        firsts, first = {}, 0
        for group, size in sizes.items():
            firsts[group] = first
            first += size
        return Ids(**firsts)

    def _groups(self) -> tuple[tuple[str, int], ...]:
        """Returns for each move its group and its place in it."""
        firsts = [(field.name, getattr(self.ids, field.name)) for field in fields(Ids)]
        return tuple(
            max(((name, move - first) for name, first in firsts if first <= move), key=lambda group: -group[1])
            for move in range(self.num_actions)
        )

    def _most_actions(self) -> int:
        acquired = self.galleries * min(self.width, max(self.full.values())) + min(len(Power), self.face_up) + 1
        return self.kinds + acquired + self.width + len(Power)

    def _describe(self, move: int) -> str:
        match self.groups[move]:
            case "haggle", kind:
                return f"haggle for {self.kind_name(kind)}"
            case "painting", place:
                style, gallery = divmod(place, self.galleries)
                return f"acquire {self.styles[style]} of gallery {gallery + 1}"
            case "three", power:
                return f"acquire {self.kind_name(self.first_power + power)}"
            case "five", _:
                return f"acquire {self.kind_name(self.five_gold)}"
            case "exhibit", style:
                return f"exhibit {self.styles[style]}"
            case "invite", place:
                exhibition, marker = divmod(place, self.markers)
                return f"accept the {self.marker_name(marker)} invitation of exhibition {exhibition + 1}"
            case "pay", kind:
                return f"pay {self.kind_name(kind)}"
            case "power", power:
                return f"play {Power(power).name}"
            case "promote", rating:
                return f"promote {self.rating_name(rating)}"
            case "deaccession", kind:
                return f"remove {self.kind_name(kind)} from the game"
            case "discard", kind:
                return f"discard {self.kind_name(kind)}"
        return "discard no more"


def load() -> Parts:
    """Returns the components that come with the ruleset."""
    file = files(__package__).joinpath("components.toml")
    return Parts(parse("art_decko/components.toml", file.read_bytes()))


def _by_rating(steps: list[list[int]], cap: int) -> bytes:
    """Returns the value at each rating: each holds from its threshold up to the next."""
    return bytes([value for first, value in steps if first <= rating][-1] for rating in range(cap + 1))
