"""What a search knows of ArtSee: what the arrows can point at, visitors, masterpieces within reach."""

from collections.abc import Sequence
from functools import lru_cache
from math import exp
from typing import Any, Final

from clients.bots import artsee
from clients.bots.search.chance import Rng
from clients.bots.search.evaluation import Decided, Evaluation, Features
from clients.bots.search.knowledge import Deadline, Settings, shares
from referee.games.artsee.game import ArtSee
from referee.games.artsee.parts import LEFT
from referee.games.artsee.scoring import bonus, masterpieces_value
from referee.games.artsee.state import Phase, State

_WELCOME: Final = 0.8  # how often a visitor is placed
_CACHED: Final = 1 << 15
_CROWD: Final = 0.4  # the part of all visitors that can be drawn in a round
_GROWTH: Final = 1.0  # how much more than can be pointed at now will be earned in a turn to come
_GUESSES: Final = {
    "score": 1.0,
    "reach of cards in hand": artsee.REACH,
    "reach of cards to come": artsee.REACH,
    "visitors": artsee.SEATED,
    "visitors drawn": artsee.DRAWN,
    "masterpieces": artsee.AMBITION,
    "turns to come": 0.0,
}
Reach = tuple[list[int], list[int]]


class ArtSeeEvaluation(Evaluation[State]):
    """Judges what each seat has, and what its arrows, fronts and cards promise."""

    def __init__(self, game: ArtSee) -> None:
        super().__init__("artsee", _GUESSES)
        self._game: Final = game
        self._parts: Final = game.parts
        self._categories: Final = range(len(game.parts.categories))
        self.counts: Final = lru_cache(_CACHED)(self._counts)
        self._standing: Final = lru_cache(_CACHED)(self._score_of)
        self._hopes: Final = lru_cache(_CACHED)(self._hopes_of)

    def features(self, state: State) -> Decided | Features:
        result = self._game.result(state)
        if result is not None:
            return Decided(shares(result))
        parts, featured = self._parts, self._parts.featured
        fronts = [bytes(featured[cards[-1]] for cards in gallery) for gallery in state.galleries]
        hands = [hand.translate(featured.ljust(256, b"\0")) for hand in state.hands]
        taken = bytes(sorted(b"".join(state.slots).replace(b"\0", b"")))
        turns = parts.turns(state.seats)
        rows = [self._row(state, seat, fronts[seat], hands, taken, turns) for seat in range(state.seats)]
        return Features(rows, 1 - rows[state.turn][-1] / turns)

    def _row(self, state: State, seat: int, fronts: bytes, hands: list[bytes], taken: bytes, turns: int) -> list[float]:
        parts, slots = self._parts, state.slots[seat]
        left, right = self.reach(state, seat)
        to_come = turns + parts.gallery - sum(map(len, state.galleries[seat]))
        hand, arrows, featured = state.hands[seat], parts.arrows, parts.featured
        mean = [(one + other) / 2 for one, other in zip(left, right, strict=True)]
        visitors = state.visitors[seat]
        drawn = sum(
            fronts.count(category) / len(cards)
            for other, cards in enumerate(hands)
            if other != seat
            for category in cards
        )
        return [
            state.prestige[seat] + self._standing(slots),
            sum((left if arrows[card] == LEFT else right)[featured[card]] for card in hand),
            sum(mean) / len(mean) * max(0, to_come - len(hand)),
            sum(sorted(visitors, reverse=True)[:to_come]),
            max(0, to_come - 1) * min(drawn, _CROWD * (state.supplies[seat] + sum(visitors))),
            self._hopes(slots, taken, tuple(mean), to_come),
            to_come,
        ]

    def reach(self, state: State, seat: int) -> Reach:
        """Returns by category what an arrow to the left, and one to the right, points at in the best case."""
        galleries, seats, own = state.galleries, state.seats, state.slots[seat]
        counts = [self.counts(cards) for cards in galleries[seat]]
        beyond_left = self.counts(galleries[(seat + 1) % seats][-1])
        beyond_right = self.counts(galleries[seat - 1][0])
        left, right = list(map(max, *counts, beyond_left)), list(map(max, *counts, beyond_right))
        if any(own):
            self._add_masterpieces(left, right, counts, own)
        return left, right

    def _add_masterpieces(self, left: list[int], right: list[int], counts: list[tuple[int, ...]], own: bytes) -> None:
        for slot, code in enumerate(own):
            if not code:
                continue
            category = self._parts.masterpieces[code - 1].category
            if slot:
                left[category] = max(left[category], counts[slot - 1][category] + 1)
            if slot < len(counts):
                right[category] = max(right[category], counts[slot][category] + 1)

    def _counts(self, cards: bytes) -> tuple[int, ...]:
        return tuple(self._parts.count(cards, category) for category in self._categories)

    def _score_of(self, slots: bytes) -> int:
        return masterpieces_value(self._parts, slots) + bonus(self._parts, slots)

    def _hopes_of(self, slots: bytes, taken: bytes, reach: tuple[float, ...], turns: int) -> float:
        """Returns what masterpieces promise that might be claimed in so many turns to come."""
        parts = self._parts
        if 0 not in slots or not turns:
            return 0.0
        held = {parts.masterpieces[code - 1].category for code in slots if code}
        step = parts.bonus[len(held) + 1] - parts.bonus[len(held)] if len(held) < len(reach) else 0
        hopes = sum(
            max(
                (
                    (masterpiece.prestige + step) / (1 + exp(masterpiece.requirement - reach[category] - _GROWTH))
                    for code, masterpiece in enumerate(parts.masterpieces, 1)
                    if masterpiece.category == category and code not in taken
                ),
                default=0.0,
            )
            for category in self._categories
            if category not in held
        )
        return (1 - exp(-turns / len(reach))) * hopes


class ArtSeeKnowledge:
    """See `Knowledge`."""

    def __init__(self, game: ArtSee, settings: Settings | None = None) -> None:
        self.settings: Final = settings or Settings(exploration=5.0, bias=20.0, widening=1.0)
        self.evaluation: Final = ArtSeeEvaluation(game)
        self._game: Final = game
        self._parts: Final = game.parts
        self.depth = 0.0

    def chance(self, world: State, seat: int) -> float:
        return self.evaluation.values(world)[seat]

    def log_odds(self, world: State) -> float:
        return self.evaluation.log_odds(world)

    def ratings(self, view: Any, moves: Sequence[int]) -> list[float]:
        return artsee.rate(self._game, view, moves)

    def choose(self, state: State, seat: int, moves: Sequence[int], rng: Rng) -> int:
        """Returns a play that earns about as much as any, the best masterpiece, mostly a visitor, or any pile."""
        match state.phase:
            case Phase.PLAY:
                earned = self._earned(state, seat)
                return max(moves, key=lambda move: earned(move) + rng.random() * 2)
            case Phase.VISIT:
                return moves[0] if rng.random() < _WELCOME else moves[-1]
            case Phase.CLAIM:
                return moves[-1] if len(moves) == 1 else moves[-2]
        return moves[int(rng.random() * len(moves))]

    def _earned(self, state: State, seat: int) -> Any:
        """Returns a function that tells what a play earns at once."""
        parts, gallery, counts = self._parts, state.galleries[seat], self.evaluation.counts
        columns = [counts(cards) for cards in gallery]
        before = [counts(state.galleries[(seat + 1) % state.seats][-1]), *columns]
        after = [*columns[1:], counts(state.galleries[seat - 1][0])]
        visitors = state.visitors[seat]
        spots, new_left, arrows, featured = parts.spots, parts.new_left, parts.arrows, parts.featured

        def earned(move: int) -> int:
            card, spot = divmod(move, spots)
            category = featured[card]
            if spot < new_left:
                seen = before[spot] if arrows[card] == LEFT else after[spot]
                return seen[category] + visitors[spot]
            if spot == new_left:
                return (before[0] if arrows[card] == LEFT else columns[0])[category]
            return (columns[-1] if arrows[card] == LEFT else after[-1])[category]

        return earned

    def finish(self, state: State, rng: Rng, deadline: Deadline) -> Sequence[float]:
        """Plays on to a turn's beginning, and so many turns more."""
        game, plays = self._game, self.depth
        while due := game.to_act(state):
            if state.phase == Phase.PLAY:
                if plays <= 0:
                    break
                plays -= 1
                deadline.check()
            seat = due[0]
            game.play(state, seat, self.choose(state, seat, game.legal_moves(state, seat), rng))
        return self.evaluation.values(state)
