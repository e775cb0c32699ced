"""The score of a match from what lay on the table at its start and from the list of its moves alone.

All galleries are one row: from left to right slot, column, slot, column, slot of the last seat, then of the seat before
it and so on to seat 0, whose right end meets the left end of the last seat. An arrow looks along the row to the next
column and counts the masterpieces on its way.
"""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from tests.games.artsee.moves import LEFT, MOVES, Card, Masterpiece

BONUS = (0, 1, 3, 6, 10)


@dataclass
class Slot:
    """A place for a masterpiece."""

    token: Masterpiece | None = None


@dataclass
class Column:
    """Cards that cover each other, and the visitors on the last one."""

    cards: list[Card]
    visitors: int = 0


@dataclass
class Scorer:
    """Keeps score of a match.

    Attributes:
        rows: the slots and columns of each seat, from the left.
        supplies: visitors in supply.
        turns: how often each seat has played a card.
        prestige: what each turn has earned, with the seat.
    """

    rows: list[list[Slot | Column]]
    supplies: list[int]
    turns: Counter[int] = field(default_factory=Counter)
    prestige: list[tuple[int, int]] = field(default_factory=list)
    visits: dict[int, list[Column]] = field(default_factory=dict)

    @classmethod
    def of(cls, galleries: Sequence[Sequence[Card]], visitors: int) -> "Scorer":
        """Returns a score sheet for galleries of single cards."""
        rows: list[list[Slot | Column]] = [[Slot()] for _ in galleries]
        for row, gallery in zip(rows, galleries, strict=True):
            for card in gallery:
                row += [Column([card]), Slot()]
        return cls(rows, [visitors] * len(galleries))

    def read(self, moves: Iterable[tuple[int, int]]) -> "Scorer":
        """Reads (seat, move id) in the order of the record."""
        for seat, number in moves:
            move = MOVES[number]
            if move[0] == "play":
                self._play(seat, move[1], move[2])
            elif move[0] == "claim":
                slot = self.rows[seat][2 * move[2]]
                assert isinstance(slot, Slot)
                slot.token = move[1]
            elif move[0] in ("place", "skip"):
                column = self.visits[seat].pop(0)
                column.visitors += move[0] == "place"
                self.supplies[seat] -= move[0] == "place"
        return self

    def _play(self, seat: int, card: Card, spot: int | str) -> None:
        row = self.rows[seat]
        self.turns[seat] += 1
        if isinstance(spot, int):
            column = row[2 * spot + 1]
            assert isinstance(column, Column)
        else:
            column = Column([])
            row[:] = [Slot(), column, *row] if spot == LEFT else [*row, column, Slot()]
        returning, column.visitors = column.visitors, 0
        self.supplies[seat] += returning
        self.prestige.append((seat, returning + self._seen(column, card)))
        column.cards.append(card)
        self.visits = {
            other: [place for place in columns_of(places) if place.cards[-1].featured == card.featured]
            for other, places in enumerate(self.rows)
            if other != seat
        }

    def _seen(self, start: Column, card: Card) -> int:
        around = [place for row in reversed(self.rows) for place in row]
        step = -1 if card.arrow == LEFT else 1
        (here,) = [number for number, place in enumerate(around) if place is start]
        seen = 0
        while True:
            here = (here + step) % len(around)
            place = around[here]
            if isinstance(place, Column):
                return seen + sum(shown.pieces.count(card.featured) for shown in place.cards)
            seen += place.token is not None and place.token.category == card.featured

    def total(self, seat: int) -> int:
        """Returns the final score of a seat."""
        tokens = [place.token for place in self.rows[seat] if isinstance(place, Slot) and place.token is not None]
        earned = sum(prestige for whose, prestige in self.prestige if whose == seat)
        return earned + sum(token.requirement - 5 for token in tokens) + BONUS[len(tokens)]

    def places(self) -> list[int]:
        """Returns the place of each seat."""
        standings = [
            (self.total(seat), sum(column.visitors for column in columns_of(row))) for seat, row in enumerate(self.rows)
        ]
        return [sorted(standings, reverse=True).index(standing) + 1 for standing in standings]


def columns_of(row: Sequence[Slot | Column]) -> list[Column]:
    return [place for place in row if isinstance(place, Column)]
