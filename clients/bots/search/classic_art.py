"""What a search knows of Classic Art: a season is settled as if all hands got played."""

from collections.abc import Callable, Sequence
from typing import Any, Final

from clients.bots import classic_art
from clients.bots.search.chance import Rng
from clients.bots.search.classic_art_belief import Belief
from clients.bots.search.classic_art_playout import Playout
from clients.bots.search.evaluation import Decided, Evaluation, Features
from clients.bots.search.knowledge import Deadline, Settings, shares
from clients.bots.search.weights import weights_of
from referee.core.ranking import ranks
from referee.games.classic_art.game import ClassicArt
from referee.games.classic_art.parts import HIGH_RISK
from referee.games.classic_art.state import Phase, State

_FAITH: Final = {Phase.SETUP: 4.0, Phase.PLAY: 16.0}
"""In the ratings: playouts look far ahead from the first, and keep no card to be discarded."""


class ClassicArtEvaluation(Evaluation[State]):
    """Judges what markers and tokens the season will leave, and what can still be predicted in it."""

    def __init__(self, game: ClassicArt) -> None:
        parts = game.parts
        self._game: Final = game
        self._parts: Final = parts
        self._width: Final = len(parts.categories)
        first = parts.counts_from
        guesses = {f"marker {place}": classic_art.UNCOUNTED[0] * place for place in range(1, first)}
        guesses |= {
            f"marker {place}": place - classic_art.SATURATION * (place - first) for place in range(first, parts.cap + 1)
        }
        factor, exponent = classic_art.TOKENS
        guesses |= {
            f"{tokens} tokens": factor * tokens**exponent
            for tokens in range(parts.refill_at + 1, parts.predictions + 1)
        }
        guesses |= {
            "predictions": classic_art.LATER,
            "double down": classic_art.LATER_DOUBLE,
            "points where all is closed": 0.0,
        }
        super().__init__("classic_art", guesses)

    def features(self, state: State) -> Decided | Features:
        result = self._game.result(state)
        if result is not None:
            return Decided(shares(result))
        parts, width, seats = self._parts, self._width, state.seats
        markers, tokens = self._settled(state)
        best = [max(markers[category::width]) for category in range(width)]
        closed = sum(place >= parts.counts_from for place in best)
        points = [
            sum(place for place in markers[seat * width : (seat + 1) * width] if place >= parts.counts_from)
            for seat in range(seats)
        ]
        last = closed == width or state.season >= state.max_seasons
        if last and state.phase == Phase.FINAL:
            places = ranks(points)
            return Decided((place == 1) / places.count(1) for place in places)
        chances = _turns_to_come(state)
        part = 1.0 if last else closed / width
        rows = []
        for seat in range(seats):
            row = [0.0] * len(self.names)
            for place in markers[seat * width : (seat + 1) * width]:
                if place:
                    row[place - 1] += 1.0
            row[parts.cap + tokens[seat] - parts.refill_at - 1] = 1.0
            free = state.available[seat]
            row[-3] = min(chances[seat], free)
            row[-2] = chances[seat] > 0 and free > 1 and not state.doubled[seat]
            row[-1] = points[seat] * part * part
            rows.append(row)
        return Features(rows, part)

    def _settled(self, state: State) -> tuple[bytearray, list[int]]:
        """Returns the markers and the tokens of each seat after the season, if nothing more is predicted."""
        parts, width, size = self._parts, self._width, len(self._parts.spaces)
        nets, markers = self._nets(state), state.prestige[:]
        tokens, lost = [*state.available], [*state.lost]
        for place, code in enumerate(state.board):
            if code:
                category, number = divmod(place, size)
                owner, rest = divmod(code - 1, 4)
                space, spent = parts.spaces[number], rest // 2 + 1
                if space.holds(max(0, nets[category])):
                    marker = owner * width + category
                    markers[marker] = min(parts.cap, markers[marker] + space.prestige * (spent + (rest & HIGH_RISK)))
                    tokens[owner] += spent
                else:
                    lost[owner] += spent
        return markers, [
            kept + gone if kept <= parts.refill_at else kept for kept, gone in zip(tokens, lost, strict=True)
        ]

    def _nets(self, state: State) -> list[int]:
        """Returns Artworks less Loans of each category at the end, if all cards are played that are not discarded."""
        kinds, nets = self._parts.kinds, state.net[:]
        for category in range(self._width):
            artworks, loans = state.hands[2 * category :: kinds], state.hands[2 * category + 1 :: kinds]
            nets[category] += sum(artworks) - sum(loans)
        for kind in state.house:
            nets[kind >> 1] += -1 if kind & 1 else 1
        for seat, chosen in enumerate(state.chosen):
            if chosen:
                hand = state.hands[seat * kinds : (seat + 1) * kinds]
                for kind in self._parts.pairs[chosen - 1]:
                    hand[kind] -= 1
                discarded = hand.index(1)
                nets[discarded >> 1] += 1 if discarded & 1 else -1
        return nets


def _turns_to_come(state: State) -> list[int]:
    """Returns for each seat how often it can still place a prediction this season."""
    seats, first = state.seats, state.first
    if state.phase == Phase.SETUP:
        done = (state.turn - first) % seats
        each = state.turns_left // seats
        return [each + ((seat - first) % seats >= done) for seat in range(seats)]
    left = [0] * seats
    for turn in range(state.turns_left):
        left[(state.turn + turn) % seats] += 1
    return left


class ClassicArtKnowledge:
    """See `Knowledge`."""

    def __init__(self, game: ClassicArt, settings: Settings | None = None) -> None:
        self.settings: Final = settings or Settings(exploration=2.0, bias=35.0, widening=1.0, patience=100)
        self.evaluation: Final = ClassicArtEvaluation(game)
        self._game: Final = game
        self._playouts: Final = dict[int, Playout]()

    def chance(self, world: State, seat: int) -> float:
        return self.evaluation.values(world)[seat]

    def log_odds(self, world: State) -> float:
        return self.evaluation.log_odds(world)

    def ratings(self, view: Any, moves: Sequence[int]) -> list[float]:
        return classic_art.rate(self._game, view, moves, Belief(self._game, view).to_come())

    def worlds(self, view: Any) -> Callable[[Rng], State]:
        """Returns what deals worlds as `Belief` has it."""
        return Belief(self._game, view).world

    def bias(self, view: Any) -> float:
        return self.settings.bias * _FAITH.get(view.phase, 1.0)

    def choose(self, state: State, seat: int, moves: Sequence[int], rng: Rng) -> int:
        """Returns the prediction of a playout, or any move."""
        if state.phase == Phase.SETUP or state.phase == Phase.PREDICT:
            move = self._playout(state.seats).prediction(state, seat)
            if move in moves:
                return move
        return moves[int(rng.random() * len(moves))]

    def finish(self, state: State, rng: Rng, deadline: Deadline) -> Sequence[float]:
        """Plays the season to its last turn."""
        if state.phase != Phase.OVER and not (state.phase == Phase.SETUP and state.turn == state.first):
            self._playout(state.seats).to_last_turn(state, deadline)
        return self.evaluation.values(state)

    def _playout(self, seats: int) -> Playout:
        playout = self._playouts.get(seats)
        if playout is None:
            points = weights_of("classic_art", seats, self.evaluation.names).points
            playout = self._playouts[seats] = Playout(self._game, (0.0, *points[: self._game.parts.cap]))
        return playout
