"""What the others of Classic Art most likely hold, by what they have predicted and played.

The chance of a hand is that of being dealt it, times a factor for each category that depends on its cards alone: so
what a hand of known size holds of a category follows exactly, by convolving the categories.
"""

from collections.abc import Sequence
from math import comb, exp
from operator import mul
from typing import Final

from clients.bots.classic_art import draws
from clients.bots.search.chance import Rng
from referee.games.classic_art.game import ClassicArt
from referee.games.classic_art.parts import PLAYED
from referee.games.classic_art.state import State
from referee.games.classic_art.view import View, tally

# Log-odds of a card in hand, for each prediction of few and of many in its category, and for each Artwork and each Loan
# of it that the seat has played; by maximum likelihood in matches of two and of four greedy players.
ARTWORK: Final = (-0.35, 0.75, -0.45, 0.25)
LOAN: Final = (0.85, -0.1, 0.25, -1.4)
_UNLIKELY: Final = 1e-3
Holding = dict[tuple[int, int], float]
"""Chances, or their proportions, by how many Artworks and Loans of a category are held."""


class Belief:
    """What a seat believes of the cards that it has not seen."""

    def __init__(self, game: ClassicArt, view: View) -> None:
        parts = game.parts
        self._game: Final = game
        self._view: Final = view
        self._kinds: Final = parts.kinds
        self._others: Final = [seat for seat in range(view.seats) if seat != view.seat]
        seen = tally(parts, view.played)
        self._unseen: Final = [parts.copies[kind] - view.hand[kind] - seen[kind] for kind in range(parts.kinds)]
        self._factors: Final = {seat: self._factors_of(seat) for seat in self._others}
        self._first: Final = _Hand(self._factors[self._others[0]], view.hand_sizes[self._others[0]], self._unseen)

    def to_come(self) -> list[dict[int, float]]:
        """Returns for each category the chances of Artworks less Loans to come from other hands and the House.

        Several hands are taken for one, with the mean of their factors.
        """
        others, unseen, hidden = self._others, self._unseen, sum(self._unseen)
        sizes = self._view.hand_sizes
        cards = sum(sizes[seat] for seat in others)
        factors = [
            (
                sum(self._factors[seat][category][0] * sizes[seat] for seat in others) / cards,
                sum(self._factors[seat][category][1] * sizes[seat] for seat in others) / cards,
            )
            for category in range(self._kinds // 2)
        ]
        found = []
        for category, holding in enumerate(_Hand(factors, cards, unseen).chances()):
            artworks, loans = unseen[2 * category : 2 * category + 2]
            nets: dict[int, float] = {}
            for (more, less), chance in holding.items():
                house = draws(artworks - more, loans - less, hidden - cards, self._view.house_size, 0)
                for net, part in draws(more, less, cards, cards - len(others), 0):
                    for other, rest in house:
                        nets[net + other] = nets.get(net + other, 0.0) + chance * part * rest
            found.append(nets)
        return found

    def world(self, rng: Rng) -> State:
        """Returns a world that the view does not rule out, the likely ones more often."""
        view, kinds, pairs = self._view, self._kinds, self._game.parts.pair_ids
        state, unseen, believed = self._game.determinize(view, rng), self._unseen, self._first
        for seat in self._others:
            if unseen is not self._unseen:
                believed = _Hand(self._factors[seat], view.hand_sizes[seat], unseen)
            hand = believed.drawn(rng)
            state.hands[seat * kinds : (seat + 1) * kinds] = bytes(hand)
            unseen = [left - held for left, held in zip(unseen, hand, strict=True)]
            if view.committed[seat]:
                cards = bytearray(kind for kind in range(kinds) for _ in range(hand[kind]))
                rng.shuffle(cards)
                state.chosen[seat] = pairs[cards[0]][cards[PLAYED - 1]] + 1
        rest = bytearray(kind for kind in range(kinds) for _ in range(unseen[kind]))
        rng.shuffle(rest)
        deck = rest[view.house_size :]
        state.house = bytes(rest[: view.house_size])
        state.deck = bytearray(deck.count(kind) for kind in range(kinds))
        return state

    def _factors_of(self, seat: int) -> list[tuple[float, float]]:
        """Returns the log-odds of an Artwork and of a Loan of each category in a hand."""
        parts, view = self._game.parts, self._view
        size, played = len(parts.spaces), view.played[seat * parts.kinds : (seat + 1) * parts.kinds]
        found = []
        for category in range(self._kinds // 2):
            board = view.board[category * size : (category + 1) * size]
            own = [space.at_most for space, code in zip(parts.spaces, board, strict=True) if (code - 1) // 4 == seat]
            signs = (own.count(True), own.count(False), *played[2 * category : 2 * category + 2])
            found.append((sum(map(mul, ARTWORK, signs)), sum(map(mul, LOAN, signs))))
        return found


class _Hand:
    """A hand of so many cards of what is unseen, with the log-odds of Artworks and of Loans of each category in it."""

    def __init__(self, factors: Sequence[tuple[float, float]], size: int, unseen: Sequence[int]) -> None:
        self._size: Final = size
        self._holdings: Final = [
            _proportions(unseen[2 * category], unseen[2 * category + 1], factor, size)
            for category, factor in enumerate(factors)
        ]
        self._rest: Final = self._proportions_from_each_on()

    def chances(self) -> list[Holding]:
        """Returns for each category the chances of what is held of it, but the least of them."""
        size, found = self._size, list[Holding]()
        before = [1.0] + [0.0] * size
        for holding, after in zip(self._holdings, self._rest[1:], strict=True):
            others = _convolved(before, after)
            chances = {
                held: weight * others[size - sum(held)] / self._rest[0][size] for held, weight in holding.items()
            }
            likely = {held: chance for held, chance in chances.items() if chance >= _UNLIKELY}
            total = sum(likely.values())
            found.append({held: chance / total for held, chance in likely.items()})
            before = _convolved(before, _by_cards(holding, size))
        return found

    def drawn(self, rng: Rng) -> list[int]:
        """Returns one, counted by kind."""
        hand, size = list[int](), self._size
        for holding, here, after in zip(self._holdings, self._rest, self._rest[1:], strict=False):
            left, last = rng.random() * here[size], (0, 0)
            for held, weight in holding.items():
                cards = size - held[0] - held[1]
                if cards >= 0 and after[cards]:
                    last = held
                    left -= weight * after[cards]
                    if left < 0:
                        break
            hand += last
            size -= last[0] + last[1]
        return hand

    def _proportions_from_each_on(self) -> list[list[float]]:
        """Returns for each category, and the end, the proportions by the number of cards held from there on."""
        found = [[1.0] + [0.0] * self._size]
        for holding in reversed(self._holdings):
            found.append(_convolved(_by_cards(holding, self._size), found[-1]))
        return found[::-1]


def _proportions(artworks: int, loans: int, factor: tuple[float, float], size: int) -> Holding:
    return {
        (more, less): comb(artworks, more) * comb(loans, less) * exp(factor[0] * more + factor[1] * less)
        for more in range(min(artworks, size) + 1)
        for less in range(min(loans, size - more) + 1)
    }


def _by_cards(holding: Holding, size: int) -> list[float]:
    """Returns the proportions by the number of cards."""
    found = [0.0] * (size + 1)
    for (artworks, loans), weight in holding.items():
        found[artworks + loans] += weight
    return found


def _convolved(one: Sequence[float], other: Sequence[float]) -> list[float]:
    return [sum(one[part] * other[cards - part] for part in range(cards + 1)) for cards in range(len(one))]
