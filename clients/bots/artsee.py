"""An evaluation of ArtSee that looks one move ahead and sees only a view.

A play is worth the prestige that it earns at once, what it lets the viewer claim, and what the galleries promise after
it: what the arrows of cards to come can point at, masterpieces that this would let one claim, and visitors, who are
drawn by fronts when an opponent features their category, and become prestige when they are covered.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import exp
from typing import Final

from referee.games.artsee.game import ArtSee
from referee.games.artsee.parts import LEFT, MAIN, Masterpiece, Parts
from referee.games.artsee.scoring import sight
from referee.games.artsee.state import Phase
from referee.games.artsee.view import View

# The unit of all values is a point of prestige. The numbers were found by self-play.
REACH: Final = 0.8  # a point that the arrow of a card to come can point at
RIVAL: Final = 0.5  # a point of an opponent, shared among all opponents
SEATED: Final = 0.9  # a visitor in the gallery on one of the columns that can still be covered
DRAWN: Final = 0.3  # a visitor that the fronts are expected to draw in each round to come
CROWD: Final = 0.4  # the part of all visitors that can be drawn in a round
AMBITION: Final = 1.5  # a point of a masterpiece that might be claimed in turns to come
GROWTH: Final = 1.0  # how much more than can be pointed at now will be earned in a turn to come
TIE_BREAK: Final = 0.01  # a visitor that stays in the gallery


def rate(game: ArtSee, view: View, moves: Sequence[int]) -> list[float]:
    """Returns for each legal move of the viewer's seat the value of the position after it, up to a common constant.

    Raises:
        ValueError: the view is a spectator's.
    """
    position = _Position(game.parts, view)
    match view.phase:
        case Phase.PLAY:
            return [position.played(*divmod(move, game.parts.spots)) for move in moves]
        case Phase.VISIT:
            return [position.visited(placed=move == game.parts.place_id) for move in moves]
        case Phase.CLAIM:
            return [position.claimed(move) for move in moves]
        case _:
            return [position.drawn(view.tops[game.parts.pile_ids.index(move)]) for move in moves]


@dataclass(frozen=True, slots=True)
class _Gallery:
    """By column the art pieces by category, the featured category of the front and the visitors; by slot its category.

    An empty slot has category -1.
    """

    counts: tuple[tuple[int, ...], ...]
    fronts: tuple[int, ...]
    visitors: tuple[int, ...]
    slots: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class _Reach:
    """What an arrow to either side can point at in the best case, by category."""

    left: list[int]
    right: list[int]

    def mean(self, category: int) -> float:
        return (self.left[category] + self.right[category]) / 2


class _Position:
    """What the viewer knows of all galleries, and what it expects of each move."""

    def __init__(self, parts: Parts, view: View) -> None:
        if view.seat is None:
            raise ValueError("a spectator has no moves to rate")
        self.parts, self.view, self.seat = parts, view, view.seat
        self.width = len(parts.categories)
        self.others = [seat for seat in range(view.seats) if seat != view.seat]
        self.galleries = [
            self._gallery(*shown) for shown in zip(view.galleries, view.visitors, view.slots, strict=True)
        ]
        self.backs = [[back % self.width for back in backs] for backs in view.backs]
        self.turns = [self._turns_to_come(seat) for seat in range(view.seats)]
        self.odds = self._odds()
        self.step = parts.bonus[self._held() + 1] - parts.bonus[self._held()] if self._held() < self.width else 0

    def played(self, card: int, spot: int) -> float:
        """Rates a card on a spot."""
        view, seat, featured = self.view, self.seat, self.parts.featured[card]
        columns, visitors, slots, column = self._after(card, spot)
        covered = visitors[column]
        galleries, all_slots = [*view.galleries], [*view.slots]
        galleries[seat], all_slots[seat] = columns, slots
        seen = sight(self.parts, galleries, all_slots, seat, column)
        earned = covered + seen.pieces + seen.masterpieces
        left = visitors[:column] + b"\0" + visitors[column + 1 :]
        after = [*self.galleries]
        after[seat] = self._gallery(columns, left, slots)
        hand = view.hand.replace(bytes((card,)), b"", 1)
        hosted = sum(min(self.galleries[other].fronts.count(featured), view.supplies[other]) for other in self.others)
        value = earned + self._promise(after, hand, view.supplies[seat] + covered) - self._rivalry(SEATED * hosted)
        return value + self._claim(after[seat], featured, earned, self._reach(after, seat))

    def visited(self, *, placed: bool) -> float:
        """Rates a visitor on the column that is asked about, or none: it may be needed on a better one."""
        view, own = self.view, self.galleries[self.seat]
        featured = self.parts.featured[view.galleries[view.turn][view.column][-1]]
        first, *later = self.parts.matching(view.galleries[self.seat], featured)[len(view.choices) :]
        if placed:
            return self._seat(own, first)
        left = view.supplies[self.seat] - sum(view.choices)
        others = sorted((self._seat(own, column) for column in later), reverse=True)
        return others[left - 1] if 0 < left <= len(others) else 0.0

    def claimed(self, move: int) -> float:
        """Rates a masterpiece in a slot, or none."""
        view = self.view
        if move == self.parts.decline_id:
            return self._promise(self.galleries, view.hand, view.supplies[self.seat])
        number, slot = divmod(move - self.parts.claims, self.parts.slots)
        masterpiece, own = self.parts.masterpieces[number], self.galleries[self.seat]
        after = [*self.galleries]
        after[self.seat] = replace(own, slots=(*own.slots[:slot], masterpiece.category, *own.slots[slot + 1 :]))
        return masterpiece.prestige + self.step + self._promise(after, view.hand, view.supplies[self.seat])

    def drawn(self, category: int) -> float:
        """Rates a card of a featured category."""
        own, reach = self.galleries[self.seat], self._reach(self.galleries, self.seat)
        hosted = sum(self.galleries[seat].fronts.count(category) for seat in self.others if self.view.supplies[seat])
        value = REACH * reach.mean(category) - self._rivalry(SEATED * hosted)
        if category not in own.slots:
            value += self._hope(category, reach)
        return value

    def _after(self, card: int, spot: int) -> tuple[tuple[bytes, ...], bytes, bytes, int]:
        """Returns columns, visitors and slots of the own gallery with a card on a spot, and its column."""
        view, played = self.view, bytes((card,))
        columns, visitors, slots = view.galleries[self.seat], view.visitors[self.seat], view.slots[self.seat]
        if spot < self.parts.new_left:
            return (*columns[:spot], columns[spot] + played, *columns[spot + 1 :]), visitors, slots, spot
        if spot == self.parts.new_left:
            return (played, *columns), b"\0" + visitors, b"\0" + slots, 0
        return (*columns, played), visitors + b"\0", slots + b"\0", len(columns)

    def _gallery(self, columns: tuple[bytes, ...], visitors: bytes, slots: bytes) -> _Gallery:
        parts, categories = self.parts, range(self.width)
        return _Gallery(
            counts=tuple(tuple(parts.count(cards, category) for category in categories) for cards in columns),
            fronts=tuple(parts.featured[cards[-1]] for cards in columns),
            visitors=tuple(visitors),
            slots=tuple(parts.masterpieces[code - 1].category if code else -1 for code in slots),
        )

    def _reach(self, galleries: list[_Gallery], seat: int) -> _Reach:
        """Returns what the arrows of a seat can point at: a column of its own, or the nearest of its neighbours."""
        own, left, right = galleries[seat], galleries[(seat + 1) % len(galleries)], galleries[seat - 1]
        to_left, to_right = list[int](), list[int]()
        for category in range(self.width):
            counts = [count[category] for count in own.counts]
            beyond = left.counts[-1][category] + (own.slots[0] == category) + (left.slots[-1] == category)
            passed = [count + (slot == category) for count, slot in zip(counts, own.slots[1:], strict=True)]
            to_left.append(max(beyond, *passed))
            beyond = right.counts[0][category] + (own.slots[-1] == category) + (right.slots[0] == category)
            passed = [count + (slot == category) for count, slot in zip(counts, own.slots[:-1], strict=True)]
            to_right.append(max(beyond, *passed))
        return _Reach(to_left, to_right)

    def _promise(self, galleries: list[_Gallery], hand: bytes, supply: int) -> float:
        """Returns what the galleries promise the viewer, less what they promise its opponents."""
        own, reach = galleries[self.seat], self._reach(galleries, self.seat)
        arrows, featured = self.parts.arrows, self.parts.featured
        known = [(reach.left if arrows[card] == LEFT else reach.right)[featured[card]] for card in hand]
        value = REACH * (sum(known) + self._expected(reach) * (self.turns[self.seat] - len(known)))
        value += self._visitors(own, supply) + self._ambition(own, reach)
        return value - self._rivalry(sum(self._rival(galleries, seat) for seat in self.others))

    def _rival(self, galleries: list[_Gallery], seat: int) -> float:
        """Returns what an opponent's cards to come can point at."""
        reach, backs = self._reach(galleries, seat), self.backs[seat]
        known = sum(reach.mean(category) for category in backs)
        return REACH * (known + self._expected(reach) * max(0, self.turns[seat] - len(backs)))

    def _rivalry(self, value: float) -> float:
        """Returns what it costs the viewer that all opponents together gain so much."""
        return RIVAL * value / len(self.others)

    def _expected(self, reach: _Reach) -> float:
        """Returns what the arrow of a card that nobody has seen can point at."""
        return sum(odds * reach.mean(category) for category, odds in enumerate(self.odds))

    def _visitors(self, own: _Gallery, supply: int) -> float:
        """Returns what visitors promise: those in the gallery, and those that its fronts will draw."""
        present = sum(own.visitors)
        seated = sum(sorted(own.visitors, reverse=True)[: self.turns[self.seat]])
        drawn = sum(
            own.fronts.count(category) / len(self.backs[seat]) for seat in self.others for category in self.backs[seat]
        )
        drawn = min(drawn, CROWD * (supply + present))
        return SEATED * seated + TIE_BREAK * present + DRAWN * max(0, self.turns[self.seat] - 1) * drawn

    def _seat(self, own: _Gallery, column: int) -> float:
        """Returns what a visitor on a column is worth: more where others wait with it, or where much is seen."""
        if not self.turns[self.seat]:
            return TIE_BREAK
        neighbours = own.counts[max(0, column - 1) : column] + own.counts[column + 1 : column + 2]
        seen = max((sum(counts) for counts in neighbours), default=0)
        return SEATED + TIE_BREAK * (own.visitors[column] + seen)

    def _ambition(self, own: _Gallery, reach: _Reach) -> float:
        """Returns what masterpieces to come promise."""
        if -1 not in own.slots:
            return 0.0
        return sum(self._hope(category, reach) for category in range(self.width) if category not in own.slots)

    def _hope(self, category: int, reach: _Reach) -> float:
        """Returns what the masterpieces of a category promise."""
        chance = 1 - exp(-self.turns[self.seat] / self.width)
        return AMBITION * chance * self._claimable(category, reach.mean(category) + GROWTH)

    def _claimable(self, category: int, earned: float) -> float:
        """Returns the value of the best masterpiece that a turn of about so much prestige may claim."""
        chances = (
            (token.prestige + self.step) / (1 + exp(token.requirement - earned)) for token in self._unclaimed(category)
        )
        return max(chances, default=0.0)

    def _claim(self, own: _Gallery, category: int, earned: int, reach: _Reach) -> float:
        """Returns what it is worth to claim at once with so much prestige, rather than to hope for it."""
        if category in own.slots or -1 not in own.slots:
            return 0.0
        worth = (token.prestige + self.step for token in self._unclaimed(category) if token.requirement <= earned)
        return max(0.0, max(worth, default=0.0) - self._hope(category, reach))

    def _unclaimed(self, category: int) -> list[Masterpiece]:
        taken = b"".join(self.view.slots)
        return [
            token
            for code, token in enumerate(self.parts.masterpieces, 1)
            if token.category == category and code not in taken
        ]

    def _held(self) -> int:
        return len(set(self.galleries[self.seat].slots) - {-1})

    def _turns_to_come(self, seat: int) -> int:
        """Returns the turns of a seat after the present turn, whosever it is."""
        view = self.view
        played = sum(map(len, view.galleries[seat])) - self.parts.gallery
        return self.parts.turns(view.seats) - played - (view.phase == Phase.PLAY and view.turn == seat)

    def _odds(self) -> list[float]:
        """Returns the chances of each featured category among the cards of the piles whose backs nobody has seen."""
        parts, view = self.parts, self.view
        left = [-parts.tables[view.seats].removed_of_each] * self.width
        for card in parts.decks[MAIN]:
            left[parts.featured[card]] += 1
        shown = (parts.backs[card] for cards in view.galleries for card in b"".join(cards))
        for back in (*shown, *b"".join(view.backs)):
            left[back % self.width] -= back // self.width == MAIN
        for top in view.tops:
            if top >= 0:
                left[top] -= 1
        return [number / max(1, sum(left)) for number in left]
