"""What a search knows of ArtSee: what the arrows can point at, visitors, masterpieces within reach."""

from collections.abc import Callable, Sequence
from functools import lru_cache, partial
from math import exp
from operator import mul
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
_CACHED: Final = 1 << 12
_CROWD: Final = 0.4  # the part of all visitors that can be drawn in a round
_GROWTH: Final = 1.0  # how much more than can be pointed at now will be earned in a turn to come
Sight = tuple[tuple[bytes, bytes], tuple[bytes, bytes]]
"""What the arrows of a seat, to the left and to the right, can point at in the best case, by category; then that with
the visitors that are covered. Remembered by the thousands, so of types that the garbage collector need not visit."""
_GUESSES: Final = {
    "score": 1.0,
    "best play": 0.0,
    "reach of cards in hand": artsee.REACH,
    "reach of cards to come": artsee.REACH,
    "least reach": 0.0,
    "visitors": 0.0,
    "visitors drawn": artsee.DRAWN,
    "masterpieces": artsee.AMBITION,
    "masterpiece within reach": 0.0,
    "masterpieces held early": 0.0,
    "columns early": 0.0,
    "turns to come": 0.0,
}


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
        self._claimable: Final = lru_cache(_CACHED)(self._claimable_of)
        self._category: Final = game.parts.featured.ljust(256, b"\0")
        self._sight: Final = lru_cache(_CACHED)(self._sight_of)

    def features(self, state: State) -> Decided | Features:
        result = self._game.result(state)
        if result is not None:
            return Decided(shares(result))
        hands = [hand.translate(self._category) for hand in state.hands]
        piles = b"".join(state.piles).translate(self._category)
        odds = [piles.count(category) / max(1, len(piles)) for category in self._categories]
        taken = bytes(sorted(b"".join(state.slots).replace(b"\0", b"")))
        turns = self._parts.turns(state.seats)
        rows = [self._row(state, seat, hands, odds, taken, turns) for seat in range(state.seats)]
        return Features(rows, 1 - rows[state.turn][-1] / turns)

    def _row(
        self, state: State, seat: int, hands: list[bytes], odds: list[float], taken: bytes, turns: int
    ) -> list[float]:
        slots, columns, visitors = state.slots[seat], state.galleries[seat], state.visitors[seat]
        reach, plays = self._sight(*self._looks(state, seat))
        to_come = turns + self._parts.gallery - sum(map(len, columns))
        hand = [(self._parts.arrows[card], self._parts.featured[card]) for card in state.hands[seat]]
        mean = [(left + right) / 2 for left, right in zip(*reach, strict=True)]
        others = [cards for other, cards in enumerate(hands) if other != seat]
        best = [0] * len(mean)
        for arrow, category in hand:
            best[category] = max(best[category], plays[arrow][category])
        return [
            state.prestige[seat] + self._standing(slots),
            max(best),
            sum([reach[arrow][category] for arrow, category in hand]),
            sum(map(mul, odds, mean)) * max(0, to_come - len(hand)),
            min(mean) * to_come,
            sum(visitors) * to_come,
            max(0, to_come - 1) * min(self._drawn(columns, others), _CROWD * (state.supplies[seat] + sum(visitors))),
            self._hopes(slots, taken, tuple(mean), to_come),
            self._claimable(slots, taken, tuple(best)),
            (len(slots) - slots.count(0)) * to_come,
            len(columns) * to_come,
            to_come,
        ]

    def _drawn(self, columns: tuple[bytes, ...], hands: list[bytes]) -> float:
        """Returns how many visitors the fronts of columns draw in a round, whichever cards opponents play."""
        fronts = [self._parts.featured[cards[-1]] for cards in columns]
        return sum([fronts.count(category) / len(cards) for cards in hands for category in cards])

    def _looks(self, state: State, seat: int) -> tuple[tuple[bytes, ...], bytes, bytes, bytes, bytes]:
        """Returns what decides what a seat can see: its columns, the nearest of its neighbours, slots and visitors."""
        galleries = state.galleries
        left, right = galleries[(seat + 1) % state.seats][-1], galleries[seat - 1][0]
        return galleries[seat], left, right, state.slots[seat], state.visitors[seat]

    def _sight_of(
        self, columns: tuple[bytes, ...], beyond_left: bytes, beyond_right: bytes, slots: bytes, visitors: bytes
    ) -> Sight:
        sides = (
            ((beyond_left, *columns), visitors + b"\0"),
            ((*columns, beyond_right), b"\0" + visitors),
        )
        reach, plays = [], []
        for seen, covered in sides:
            pieces = [self._passing(cards, slot) for cards, slot in zip(seen, slots, strict=True)]
            reach.append(bytes(map(max, *pieces)))
            earned = [[count + own for count in counts] for counts, own in zip(pieces, covered, strict=True)]
            plays.append(bytes(map(max, *earned)))
        return (reach[0], reach[1]), (plays[0], plays[1])

    def _passing(self, cards: bytes, slot: int) -> Sequence[int]:
        """Returns by category the pieces of a column, and one more for a masterpiece on the way to it."""
        counts = self.counts(cards)
        if not slot:
            return counts
        passed = self._parts.masterpieces[slot - 1].category
        return [count + (category == passed) for category, count in enumerate(counts)]

    def _counts(self, cards: bytes) -> tuple[int, ...]:
        return tuple(self._parts.count(cards, category) for category in self._categories)

    def _score_of(self, slots: bytes) -> int:
        return masterpieces_value(self._parts, slots) + bonus(self._parts, slots)

    def _hopes_of(self, slots: bytes, taken: bytes, reach: tuple[float, ...], turns: int) -> float:
        """Returns what masterpieces promise that might be claimed in so many turns to come."""
        parts = self._parts
        if 0 not in slots or not turns:
            return 0.0
        held, step = self._step(slots)
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

    def _claimable_of(self, slots: bytes, taken: bytes, best: tuple[int, ...]) -> int:
        """Returns what the best masterpiece is worth that plays of so much prestige may claim."""
        if 0 not in slots:
            return 0
        held, step = self._step(slots)
        return max(
            (
                masterpiece.prestige + step
                for code, masterpiece in enumerate(self._parts.masterpieces, 1)
                if masterpiece.requirement <= best[masterpiece.category]
                and masterpiece.category not in held
                and code not in taken
            ),
            default=0,
        )

    def _step(self, slots: bytes) -> tuple[set[int], int]:
        """Returns the categories of the masterpieces in slots, and what one of another category adds to the bonus."""
        bonuses = self._parts.bonus
        held = {self._parts.masterpieces[code - 1].category for code in slots if code}
        return held, bonuses[len(held) + 1] - bonuses[len(held)] if len(held) + 1 < len(bonuses) else 0


class ArtSeeKnowledge:
    """See `Knowledge`."""

    def __init__(self, game: ArtSee, settings: Settings | None = None) -> None:
        self.settings: Final = settings or Settings(exploration=2.5, bias=4.0, widening=1.0, opponents=False)
        self.evaluation: Final = ArtSeeEvaluation(game)
        self._game: Final = game
        self._parts: Final = game.parts

    def worlds(self, view: Any) -> Callable[[Rng], State]:
        return partial(self._game.determinize, view)

    def chance(self, world: State, seat: int) -> float:
        return self.evaluation.values(world)[seat]

    def log_odds(self, world: State) -> float:
        return self.evaluation.log_odds(world)

    def ratings(self, view: Any, moves: Sequence[int]) -> list[float]:
        return artsee.rate(self._game, view, moves)

    def bias(self, view: Any) -> float:
        return self.settings.bias

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
        """Plays on to a turn's beginning."""
        game = self._game
        while state.phase != Phase.PLAY and (due := game.to_act(state)):
            seat = due[0]
            game.play(state, seat, self.choose(state, seat, game.legal_moves(state, seat), rng))
        return self.evaluation.values(state)
