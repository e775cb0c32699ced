"""An evaluation of Art Decko that looks one move ahead and sees only a view.

A position is worth the VP taken, own cards at the ratings of the end, bonus tiles as they stand, and what the buying
power of the own cards will fetch in the rounds to come; what opponents have of it counts against it. What a payment,
a haggle or a discard takes from the hand is weighed against the cards that come in its place.
"""

from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property
from operator import mul
from typing import Final

from clients.bots.art_decko_outlook import Outlook, undealt
from referee.games.art_decko.bonus import bonuses, owned
from referee.games.art_decko.game import ArtDecko
from referee.games.art_decko.parts import DRAWN, HAND, Parts, Power
from referee.games.art_decko.payment import card_values, next_cards
from referee.games.art_decko.state import UNPAID, Phase
from referee.games.art_decko.view import View

# The unit of all values is a VP at the end. The numbers were found by self-play.
GROWTH: Final = 0.3  # a gold of buying power, in each round to come
SPARE: Final = 0.7  # a gold in hand while actions are left
USED: Final = 8.0  # gold that one action can use
HELD: Final = 0.3  # a gold in hand when the turn ends
SHOWABLE: Final = 1.0  # gold that a painting in hand is worth more where it can be exhibited
TILES: Final = (0.3, 0.7)  # weight of bonus tiles as they stand: at the start, and what is added until the end
RIVALS: Final = 1.0  # weight of what the opponents have, on the mean

NEVER: Final = -1e9


def rate(game: ArtDecko, view: View, moves: Sequence[int]) -> list[float]:
    """Returns for each legal move of the viewer's seat the worth of the position after it, up to a common constant.

    Raises:
        ValueError: the view is a spectator's.
    """
    turn = _Turn(game.parts, view)
    return [turn.rated(move) for move in moves]


class _Turn:
    """What the viewer expects of each move of its turn."""

    def __init__(self, parts: Parts, view: View) -> None:
        if view.seat is None:
            raise ValueError("a spectator has no moves to rate")
        self.parts, self.view, self.seat = parts, view, view.seat
        self.hand = list(view.hand)
        self.cards = [owned(parts, view, seat) for seat in range(view.seats)]
        self.outlook = Outlook(parts, view, undealt(parts, view, self.cards))
        self.values = card_values(parts, view.market)
        self.holds = [value + SHOWABLE * self._is_welcome(kind) for kind, value in enumerate(self.values)]
        self.deck = self._deck()
        self.draw, self.draw_hold = self._mean(self.values), self._mean(self.holds)
        self.now = self._worth(self.cards[self.seat], view.market, view.museum, 0, self.outlook.rises)
        self.paid: dict[tuple[bytes, int, int], float] = {}
        self.hand_now = self._hand_worth(self.hand, view.actions)

    def rated(self, move: int) -> float:
        """Returns the worth of a move."""
        group, place = self.parts.groups[move]
        actions, discounts = self.view.actions, self.view.discounts
        match group:
            case "haggle":
                return self._haggled(place)
            case "exhibit":
                return self._exhibited(place, self.hand, actions - 1, discounts, invited=self.view.invited)
            case "invite":
                return self._hung(self.view.painting, place, self.hand, actions, discounts)
            case "pay":
                return self._paid(place)
            case "power":
                return self._power(place)
            case "promote":
                return self._promoted(place, self.cards[self.seat])
            case "deaccession":
                return self._removed(place, self.hand, self.cards[self.seat])
            case "discard":
                return self._discarded(place)
            case "done":
                return 0.0
        return self._acquired(move, self.hand, actions - 1, discounts)

    # Positions

    def _gain(
        self,
        own: Sequence[int],
        market: Sequence[int],
        museum: bytes | bytearray,
        taken: int = 0,
        rises: Sequence[float] | None = None,
    ) -> float:
        return self._worth(own, market, museum, taken, rises or self.outlook.rises) - self.now

    def _worth(
        self, own: Sequence[int], market: Sequence[int], museum: bytes | bytearray, taken: int, rises: Sequence[float]
    ) -> float:
        """Returns the viewer's worth with these own cards and so many more VP taken, less that of its opponents."""
        cards = [own if seat == self.seat else others for seat, others in enumerate(self.cards)]
        start, more = TILES
        tiles = bonuses(self.parts, self.view.tiles, museum, cards)
        outlook = self.outlook
        prices, values = outlook.prices(market, rises), card_values(self.parts, bytes(market))
        worths = [
            self.view.vp[seat]
            + _dot(held, prices)
            + GROWTH * outlook.rounds * HAND * _dot(held, values) / max(HAND, sum(held))
            + (start + more * outlook.progress) * tiles[seat]
            for seat, held in enumerate(cards)
        ]
        mine = worths.pop(self.seat) + taken
        return mine - RIVALS * sum(worths) / len(worths)

    def _raised(self, rating: int, rise: int) -> list[int]:
        market = list(self.view.market)
        market[rating] = min(self.parts.cap, market[rating] + rise)
        return market

    def _is_welcome(self, kind: int) -> bool:
        """Returns whether some exhibition has a marker for a card of this kind."""
        parts, markers = self.parts, self.view.markers
        return kind < parts.width and any(markers[kind :: parts.markers] + markers[parts.wild :: parts.markers])

    # Hands

    def _deck(self) -> list[int]:
        """Returns the cards that can be drawn next, by kind."""
        view, kinds = self.view, self.parts.kinds
        mine = slice(self.seat * kinds, (self.seat + 1) * kinds)
        deck = [
            pool + kept - held for pool, kept, held in zip(view.pool[mine], view.kept[mine], view.hand, strict=True)
        ]
        if sum(deck) >= DRAWN:
            return deck
        return [sum(counts) for counts in zip(deck, view.discards[mine], view.aside, strict=True)]

    def _mean(self, values: Sequence[float]) -> float:
        return _dot(self.deck, values) / max(1, sum(self.deck))

    def _hand_worth(self, hand: Sequence[int], actions: int, discounts: int = 0, drawn: int = 0) -> float:
        """Returns what a hand is worth, with so many cards drawn to it, for the actions left and the next turn."""
        power = _dot(hand, self.values) + drawn * self.draw + discounts * self.parts.discount
        hold = _dot(hand, self.holds) + drawn * self.draw_hold
        missing = max(0, HAND - sum(hand) - drawn)
        return HELD * (hold + missing * self.draw_hold) + SPARE * min(power, USED * actions)

    def _payments(self, hand: list[int], due: int, least: int, floor: int) -> Iterator[list[int]]:
        """Returns the hands that payments leave."""
        if due <= 0:
            yield hand
            return
        for kind in next_cards(hand, self.values, due, least, floor):
            value = self.values[kind]
            yield from self._payments(_without(hand, kind), due - value, min(least, value), kind)

    def _after_payment(self, hand: list[int], cost: int, actions: int, discounts: int) -> float:
        """Returns what the best payment leaves, against the hand now; NEVER if none is possible."""
        due = max(0, cost - discounts * self.parts.discount)
        key = (bytes(hand), due, actions)
        if key not in self.paid:
            lefts = self._payments(hand, due, UNPAID, 0)
            self.paid[key] = max((self._hand_worth(left, actions) for left in lefts), default=NEVER)
        return self.paid[key] - self.hand_now

    # Moves

    def _haggled(self, kind: int) -> float:
        left = _without(self.hand, kind)
        return self._hand_worth(left, self.view.actions - 1, self.view.discounts, DRAWN) - self.hand_now

    def _acquired(self, move: int, hand: list[int], actions: int, discounts: int) -> float:
        parts, (group, place) = self.parts, self.parts.groups[move]
        rises = self.outlook.rises
        if group == "painting":
            kind, gallery = divmod(place, parts.galleries)
            rises = [*rises[:kind], self.outlook.rise_without(kind, gallery), *rises[kind + 1 :]]
            rating, rise, cost = kind, parts.rises[gallery], self.view.costs[gallery]
        elif group == "three":
            kind, rating, rise, cost = parts.first_power + place, parts.gold, parts.three_rise, parts.three_cost
        else:
            kind, rating, rise, cost = parts.five_gold, parts.gold, parts.five_rise, parts.five_cost
        own = self.cards[self.seat][:]
        own[kind] += 1
        gain = self._gain(own, self._raised(rating, rise), self.view.museum, rises=rises)
        return gain + self._after_payment(hand, cost, actions, discounts)

    def _exhibited(self, style: int, hand: list[int], actions: int, discounts: int, *, invited: bool) -> float:
        """Returns the worth of the best invitation for a painting of the hand."""
        parts, markers = self.parts, self.view.markers
        usable = range(parts.markers) if invited else (style, parts.wild)
        left = _without(hand, style)
        return max(
            (
                self._hung(style, place * parts.markers + marker, left, actions, discounts)
                for place in range(len(parts.exhibitions))
                for marker in usable
                if markers[place * parts.markers + marker]
            ),
            default=NEVER,
        )

    def _hung(self, style: int, invitation: int, hand: list[int], actions: int, discounts: int) -> float:
        parts, view = self.parts, self.view
        exhibition, marker = divmod(invitation, parts.markers)
        space = view.museum.index(0, exhibition * parts.spaces)
        museum = bytearray(view.museum)
        museum[space] = parts.hung(self.seat, style, marker)
        own = self.cards[self.seat]
        if view.phase != Phase.INVITATION:
            own = _without(own, style)
        shown = parts.exhibitions[exhibition]
        gain = self._gain(own, self._raised(style, parts.exhibit_rise), museum, shown.vp[space % parts.spaces])
        return gain + self._after_payment(hand, shown.cost, actions, discounts)

    def _paid(self, kind: int) -> float:
        view, value = self.view, self.values[kind]
        lefts = self._payments(_without(self.hand, kind), view.due - value, min(view.least, value), kind)
        return max(self._hand_worth(left, view.actions) for left in lefts)

    def _power(self, power: int) -> float:
        """Returns the worth of a power together with the best that can follow it."""
        parts, view, kind = self.parts, self.view, self.parts.first_power + power
        hand, own = _without(self.hand, kind), _without(self.cards[self.seat], kind)
        kept, lost = self._hand_worth(hand, view.actions) - self.hand_now, self._gain(own, view.market, view.museum)
        match power:
            case Power.DRAW_TWO:
                drawn = self._hand_worth(hand, view.actions, drawn=DRAWN) - self.hand_now
                return self.before + lost + drawn
            case Power.EXTRA_ACTION:
                more = 0.0 if view.actions else max(0.0, self._best_action(hand, 0, invited=False))
                return self.before + lost + kept + more
            case Power.DISCOUNT:
                return lost + self._best_action(hand, view.discounts + 1, invited=view.invited)
            case Power.OPEN_INVITATION:
                return lost + self._best_action(hand, view.discounts, invited=True)
            case Power.PROMOTE:
                low = [rating for rating, value in enumerate(view.market) if value < parts.cap]
                return self.before + kept + max(self._promoted(rating, own) for rating in low)
            case _:
                return self.before + max(self._removed(other, hand, own) for other in _kinds(hand))

    @cached_property
    def before(self) -> float:
        """The worth of the best move that is no power."""
        if self.view.phase == Phase.DISCARD:
            return max(0.0, *map(self._discarded, _kinds(self.hand)))
        return self._best_action(self.hand, self.view.discounts, invited=self.view.invited)

    def _best_action(self, hand: list[int], discounts: int, *, invited: bool) -> float:
        """Returns the worth of the best action with a hand."""
        parts, view, ids = self.parts, self.view, self.parts.ids
        left = max(0, view.actions - 1)
        offers = [
            *[ids.painting + place for place, count in enumerate(view.galleries) if count],
            *[ids.three + power for power, count in enumerate(view.bank) if count],
            *[ids.five] * (view.fives > 0),
        ]
        ratings = [self._acquired(move, hand, left, discounts) for move in offers if self._is_unused(move)]
        if view.ribbons[self.seat]:
            styles = [kind for kind in _kinds(hand) if kind < parts.width]
            ratings += [self._exhibited(style, hand, left, discounts, invited=invited) for style in styles]
        return max(ratings + [self._haggled(kind) for kind in _kinds(hand)], default=0.0)

    def _is_unused(self, move: int) -> bool:
        group, place = self.parts.groups[move]
        return group != "painting" or not self.view.used >> place % self.parts.galleries & 1

    def _promoted(self, rating: int, own: Sequence[int]) -> float:
        return self._gain(own, self._raised(rating, self.parts.promotion), self.view.museum)

    def _removed(self, kind: int, hand: list[int], own: list[int]) -> float:
        left = self._hand_worth(_without(hand, kind), self.view.actions)
        return self._gain(_without(own, kind), self.view.market, self.view.museum) + left - self.hand_now

    def _discarded(self, kind: int) -> float:
        """Returns the worth of a discard, and of those after it that make room for better cards."""
        left = _without(self.hand, kind)
        for later in range(kind, self.parts.kinds):
            if self.holds[later] < self.draw_hold:
                left[later] = 0
        return self._hand_worth(left, 0) - self._hand_worth(self.hand, 0)


def _dot(counts: Iterable[int], values: Iterable[float]) -> float:
    return sum(map(mul, counts, values), 0.0)


def _without(cards: Sequence[int], kind: int) -> list[int]:
    left = list(cards)
    left[kind] -= 1
    return left


def _kinds(cards: Sequence[int]) -> list[int]:
    return [kind for kind, count in enumerate(cards) if count]
