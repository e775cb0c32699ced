"""What a search knows of Classic Art: a season is settled as if all cards but one of each hand got played."""

from collections.abc import Sequence
from typing import Any, Final

from clients.bots import classic_art
from clients.bots.search.chance import Rng
from clients.bots.search.evaluation import Decided, Evaluation, Features
from clients.bots.search.knowledge import Deadline, Settings, shares
from referee.core.ranking import ranks
from referee.games.classic_art.game import ClassicArt
from referee.games.classic_art.parts import HIGH_RISK
from referee.games.classic_art.state import Phase, State

_ANYTHING: Final = 0.2  # how often any move is chosen
_LOST_TOKEN: Final = 0.7  # prestige that a token is worth to who decides on the last discard


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

    def counts(self, state: State) -> list[int]:
        """Returns the Artworks of each category after the season, if nothing more is predicted."""
        return [max(0, net) for net in self._nets(state, self._predictions(state))]

    def _settled(self, state: State) -> tuple[bytearray, list[int]]:
        """Returns the markers and the tokens of each seat after the season, if nothing more is predicted."""
        parts, width = self._parts, self._width
        placed = self._predictions(state)
        nets = self._nets(state, placed)
        markers = state.prestige[:]
        tokens, lost = [*state.available], [*state.lost]
        for category, predictions in placed.items():
            count = max(0, nets[category])
            for space, owner, spent, prestige in predictions:
                if parts.spaces[space].holds(count):
                    place = owner * width + category
                    markers[place] = min(parts.cap, markers[place] + prestige)
                    tokens[owner] += spent
                else:
                    lost[owner] += spent
        return markers, [
            kept + gone if kept <= parts.refill_at else kept for kept, gone in zip(tokens, lost, strict=True)
        ]

    def _predictions(self, state: State) -> dict[int, list[tuple[int, int, int, int]]]:
        """Returns by category (space, seat, tokens, prestige) of each prediction."""
        size, spaces = len(self._parts.spaces), self._parts.spaces
        placed: dict[int, list[tuple[int, int, int, int]]] = {}
        for place, code in enumerate(state.board):
            if code:
                category, space = divmod(place, size)
                seat, rest = divmod(code - 1, 4)
                tokens = rest // 2 + 1
                found = (space, seat, tokens, spaces[space].prestige * (tokens + (rest & HIGH_RISK)))
                placed.setdefault(category, []).append(found)
        return placed

    def _nets(self, state: State, placed: dict[int, list[tuple[int, int, int, int]]]) -> list[int]:
        """Returns Artworks less Loans of each category at the end, each seat discarding what suits it best."""
        kinds, hands = self._parts.kinds, state.hands
        nets = state.net[:]
        for category in range(self._width):
            artworks, loans = hands[2 * category :: kinds], hands[2 * category + 1 :: kinds]
            nets[category] += sum(artworks) - sum(loans)
        for kind in state.house:
            nets[kind >> 1] += -1 if kind & 1 else 1
        for turn in range(state.seats):
            seat = (state.first + turn) % state.seats
            hand = hands[seat * kinds : (seat + 1) * kinds]
            if state.chosen[seat]:
                for kind in self._parts.pairs[state.chosen[seat] - 1]:
                    hand[kind] -= 1
                discarded = hand.index(1)
            else:
                discarded = self._discard(seat, state.seats, hand, nets, placed)
            if discarded >= 0:
                nets[discarded >> 1] += 1 if discarded & 1 else -1
        return nets

    def _discard(
        self,
        seat: int,
        seats: int,
        hand: bytearray,
        nets: list[int],
        placed: dict[int, list[tuple[int, int, int, int]]],
    ) -> int:
        """Returns the card of a hand that a seat would best not play; -1 for an empty hand."""
        best, highest = -1, -1e9
        for kind, count in enumerate(hand):
            if not count:
                continue
            gain = 0.0
            predictions = placed.get(kind >> 1)
            if predictions is not None:
                net = nets[kind >> 1]
                after = net + 1 if kind & 1 else net - 1
                gain = self._interest(seat, seats, predictions, after) - self._interest(seat, seats, predictions, net)
            if gain > highest:
                best, highest = kind, gain
        return best

    def _interest(self, seat: int, seats: int, predictions: list[tuple[int, int, int, int]], net: int) -> float:
        count, interest = max(0, net), 0.0
        for space, owner, tokens, prestige in predictions:
            gain = prestige if self._parts.spaces[space].holds(count) else -_LOST_TOKEN * tokens
            interest += gain if owner == seat else -gain / (seats - 1)
        return interest


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
        self.settings: Final = settings or Settings(exploration=2.0, bias=200.0, widening=1.0)
        self.evaluation: Final = ClassicArtEvaluation(game)
        self._game: Final = game

    def chance(self, world: State, seat: int) -> float:
        return self.evaluation.values(world)[seat]

    def log_odds(self, world: State) -> float:
        return self.evaluation.log_odds(world)

    def ratings(self, view: Any, moves: Sequence[int]) -> list[float]:
        return classic_art.rate(self._game, view, moves)

    def choose(self, state: State, seat: int, moves: Sequence[int], rng: Rng) -> int:
        """Returns any cards; or none, or mostly one of the best predictions that come true in this very world."""
        if state.phase not in (Phase.SETUP, Phase.PREDICT) or (len(moves) > 1 and rng.random() < _ANYTHING):
            return moves[int(rng.random() * len(moves))]
        parts, counts = self._game.parts, self.evaluation.counts(state)
        best, highest = moves[0], 0.0
        for move in moves:
            if move == parts.pass_id:
                continue
            place, tokens = parts.prediction(move)
            category, number = divmod(place, len(parts.spaces))
            space = parts.spaces[number]
            if space.holds(counts[category]):
                worth = space.prestige * tokens * rng.random()
                if worth > highest:
                    best, highest = move, worth
        return best

    def finish(self, state: State, rng: Rng, deadline: Deadline) -> Sequence[float]:
        return self.evaluation.values(state)
