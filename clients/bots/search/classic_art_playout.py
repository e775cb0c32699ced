"""Playing a season of Classic Art on quickly: any cards, and the predictions that a hand and all in view suggest."""

from collections.abc import Sequence
from functools import lru_cache
from typing import Final

from clients.bots.classic_art import LATER, LATER_DOUBLE, draws
from clients.bots.search.knowledge import Deadline
from referee.games.classic_art.game import ClassicArt
from referee.games.classic_art.parts import HIGH_RISK
from referee.games.classic_art.state import Phase, State

_CACHED: Final = 1 << 12
_LOST_TOKEN: Final = 0.5  # points
Offers = tuple[tuple[float, int], ...]
"""The gain of a prediction in points, and its space in its exhibition, the best first; no losses."""


class Playout:
    """Moves that are sensible and take little time, as if all cards of all hands got played.

    Args:
        game: the rules.
        worth: the points of a marker by its place on the track.
    """

    def __init__(self, game: ClassicArt, worth: Sequence[float]) -> None:
        self._game: Final = game
        self._parts: Final = game.parts
        self._worth: Final = worth
        self._offers: Final = lru_cache(_CACHED)(self._offers_of)

    def to_last_turn(self, state: State, deadline: Deadline) -> None:
        """Plays on until the last cards are to be chosen."""
        while state.phase != Phase.FINAL:
            seat = state.turn
            if state.phase == Phase.PLAY:
                deadline.check()
                self._game.play(state, seat, self.pair(state, seat))
            else:
                self._game.play(state, seat, self.prediction(state, seat))

    def pair(self, state: State, seat: int) -> int:
        """Returns any two cards, by the seed, so that a world goes on alike after moves that are compared in it."""
        kinds, seed, turn = self._parts.kinds, state.seed, state.turns_left
        hand = state.hands[seat * kinds : (seat + 1) * kinds]
        cards = [kind for kind, count in enumerate(hand) for _ in range(count)]
        one = cards.pop(seed[turn % len(seed)] % len(cards))
        return self._parts.pair_ids[one][cards[seed[-1 - turn % len(seed)] % len(cards)]]

    def prediction(self, state: State, seat: int) -> int:
        """Returns the prediction that promises most, or none."""
        parts, seats, kinds = self._parts, state.seats, self._parts.kinds
        hand, played = state.hands[seat * kinds : (seat + 1) * kinds], state.played
        unseen = [copies - sum(played[kind::kinds]) - hand[kind] for kind, copies in enumerate(parts.copies)]
        pool, to_come = sum(unseen), sum(state.hands) - sum(hand) - seats + 1 + len(state.house)
        is_setup, width, size = state.phase == Phase.SETUP, len(parts.categories), len(parts.spaces)
        costs, (pending, leaning) = self._costs(state, seat), self._placed(state, seat)
        best, highest = parts.pass_id, 0.0
        for category in range(width):
            artworks, loans = 2 * category, 2 * category + 1
            offers = self._offers(
                min(parts.cap, state.prestige[seat * width + category] + pending[category]),
                state.net[category] + hand[artworks] - hand[loans],
                (unseen[artworks], unseen[loans], pool, to_come, leaning[category]),
                is_setup,
            )
            for tokens, cost in enumerate(costs):
                for gain, space in offers[tokens]:
                    if gain - cost <= highest:
                        break
                    if not state.board[category * size + space]:
                        best, highest = parts.single_ids[category * size + space] + tokens, gain - cost
                        break
        return best

    def _placed(self, state: State, seat: int) -> tuple[list[int], list[int]]:
        """Returns for each category the prestige that the seat hopes for, and how far others lean to many Artworks."""
        spaces, size = self._parts.spaces, len(self._parts.spaces)
        pending, leaning = [0] * len(self._parts.categories), [0] * len(self._parts.categories)
        for place, code in enumerate(state.board):
            if code:
                space, (owner, rest) = spaces[place % size], divmod(code - 1, 4)
                if owner == seat:
                    pending[place // size] += space.prestige * (rest // 2 + 1 + (rest & HIGH_RISK))
                else:
                    leaning[place // size] += -1 if space.at_most else 1
        return pending, leaning

    def _costs(self, state: State, seat: int) -> list[float]:
        """Returns what is lost for turns to come by placing one token, and two if that is legal."""
        free, turns = state.available[seat], (state.turns_left - (state.phase == Phase.PREDICT)) // state.seats
        costs = [LATER * (min(turns, free) - min(turns, free - 1))]
        if free > 1 and not state.doubled[seat]:
            double = LATER_DOUBLE * (turns > 0)
            if free == 2:
                costs[0] += double
            costs.append(LATER * (min(turns, free) - min(turns, free - 2)) + double)
        return costs

    def _offers_of(
        self, marker: int, net: int, unseen: tuple[int, int, int, int, int], is_setup: bool
    ) -> tuple[Offers, Offers]:
        """Returns what one token and two can gain in a category, with what is to come drawn from what is unseen."""
        spaces, worth, cap = self._parts.spaces, self._worth, self._parts.cap
        counts = [(max(0, net + more), chance) for more, chance in draws(*unseen)]
        singles, doubles = list[tuple[float, int]](), list[tuple[float, int]]()
        for number, space in enumerate(spaces):
            hit = sum(chance for count, chance in counts if space.holds(count))
            for tokens, offers in ((1, singles), (2, doubles)):
                rise = worth[min(cap, marker + space.prestige * (tokens + is_setup))] - worth[marker]
                gain = hit * rise - (1 - hit) * tokens * _LOST_TOKEN
                if gain > 0:
                    offers.append((gain, number))
        return tuple(sorted(singles, reverse=True)), tuple(sorted(doubles, reverse=True))
