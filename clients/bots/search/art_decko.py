"""What a search knows of Art Decko: VP so far, what own cards are worth and will buy, bonus tiles as they stand."""

from collections.abc import Sequence
from functools import lru_cache
from operator import mul
from typing import Any, Final

from clients.bots import art_decko
from clients.bots.search.chance import Rng
from clients.bots.search.evaluation import Decided, Evaluation, Features
from clients.bots.search.knowledge import Deadline, Settings, shares
from referee.games.art_decko.bonus import bonuses, owned
from referee.games.art_decko.game import ArtDecko
from referee.games.art_decko.parts import HAND
from referee.games.art_decko.payment import card_values
from referee.games.art_decko.state import NONE, Phase, State

_CACHED: Final = 1 << 12
_RISE: Final = 1.5  # what a rating rises by in a turn of any seat
_ROUNDS: Final = {2: 17.0, 3: 10.0, 4: 7.0}  # of a game between sensible players, by seats
_USED: Final = 9  # gold that one action can use
_KEEPS: Final = 0.7  # how often nothing is discarded
_FAVOUR: Final = {"haggle": 1.0, "painting": 4.0, "three": 3.0, "five": 5.0, "exhibit": 8.0, "power": 1.5}
_GUESSES: Final = {
    "standing": 1.0,
    "tiles early": -art_decko.TILES[1],
    "buying power to come": art_decko.GROWTH,
    "hand": art_decko.HELD,
    "hand to be spent": art_decko.SPARE,
    "actions": 0.0,
    "powers early": 0.0,
    "cards early": 0.0,
    "turn of the round": 0.0,
}


class ArtDeckoEvaluation(Evaluation[State]):
    """Judges what each seat has taken, owns and can buy."""

    def __init__(self, game: ArtDecko) -> None:
        super().__init__("art_decko", _GUESSES)
        self._game: Final = game
        self._parts: Final = game.parts
        self._later: Final = lru_cache(_CACHED)(self._prices)

    def features(self, state: State) -> Decided | Features:
        result = self._game.result(state)
        if result is not None:
            return Decided(shares(result))
        parts, seats = self._parts, state.seats
        cards = [owned(parts, state, seat) for seat in range(seats)]
        done = 1.0 if state.last_round else self._progress(state)
        rounds = (1.0 - done) * _ROUNDS[min(max(_ROUNDS), max(min(_ROUNDS), seats))]
        market = bytes(state.market)
        later = self._later(market, int(2 * _RISE * rounds * seats))
        values = card_values(parts, market)
        tiles = bonuses(parts, state.tiles, state.museum, cards)
        rows = [self._row(state, seat, own, done, rounds, later, values, tiles[seat]) for seat, own in enumerate(cards)]
        return Features(rows, done)

    def _row(
        self,
        state: State,
        seat: int,
        own: list[int],
        done: float,
        rounds: float,
        later: Sequence[float],
        values: bytes,
        tiles: int,
    ) -> list[float]:
        parts, kinds = self._parts, self._parts.kinds
        hand = state.hands[seat * kinds : (seat + 1) * kinds]
        power, mean = sum(map(mul, hand, values)), sum(map(mul, own, values)) / max(HAND, sum(own))
        standing = state.vp[seat] + sum(map(mul, own, later)) + tiles
        early, on_turn = 1 - done, seat == state.turn
        return [
            standing,
            tiles * early,
            rounds * HAND * mean,
            power + mean * max(0, HAND - sum(hand)),
            min(power + parts.discount * state.discounts, _USED * state.actions) if on_turn else 0,
            state.actions if on_turn else 0,
            sum(own[parts.first_power :]) * early,
            sum(own) * early,
            (seat - state.first) % state.seats >= (state.turn - state.first) % state.seats,
        ]

    def _prices(self, market: bytes, ahead: int) -> tuple[float, ...]:
        """Returns what an own card of each kind is worth at the end, with ratings up to so far ahead as likely."""
        parts = self._parts
        ratio = _mean(parts.gold_per_vp, market[parts.gold], ahead)
        paintings = [_mean(parts.painting_vp, rating, ahead) for rating in market[: parts.width]]
        return (*paintings, *(number / ratio for number in parts.numbers))

    def _progress(self, state: State) -> float:
        """Returns how much of the game is over, from 0 to 1: what is nearest to ending it."""
        parts = self._parts
        dealt = state.seats * parts.start_paintings + parts.galleries * parts.full[state.seats]
        deck = parts.width * parts.copies[0] - dealt
        hung = len(state.museum) - state.museum.count(0)
        return min(1.0, max(hung / parts.end_at, 1.0 - len(state.paintings) / deck, max(state.market) / parts.cap))


def _mean(steps: bytes, rating: int, ahead: int) -> float:
    found = steps[rating : rating + 1 + ahead]
    return sum(found) / len(found)


class ArtDeckoKnowledge:
    """See `Knowledge`."""

    def __init__(self, game: ArtDecko, settings: Settings | None = None) -> None:
        self.settings: Final = settings or Settings(exploration=5.0, bias=20.0, widening=1.0)
        self.evaluation: Final = ArtDeckoEvaluation(game)
        self._game: Final = game
        self._parts: Final = game.parts
        self._favour: Final = tuple(_FAVOUR.get(group, 1.0) for group, _ in game.parts.groups)
        self.turns = 0.0

    def chance(self, world: State, seat: int) -> float:
        return self.evaluation.values(world)[seat]

    def log_odds(self, world: State) -> float:
        return self.evaluation.log_odds(world)

    def ratings(self, view: Any, moves: Sequence[int]) -> list[float]:
        return art_decko.rate(self._game, view, moves)

    def choose(self, state: State, seat: int, moves: Sequence[int], rng: Rng) -> int:
        """Returns any move, most likely one that brings much; mostly no discards."""
        match state.phase:
            case Phase.ACTION:
                return self._favoured(moves, rng)
            case Phase.DISCARD | Phase.DISCARDING:
                if moves[-1] == self._parts.ids.done and rng.random() < _KEEPS:
                    return moves[-1]
        return moves[int(rng.random() * len(moves))]

    def _favoured(self, moves: Sequence[int], rng: Rng) -> int:
        favour = [self._favour[move] for move in moves]
        drawn = rng.random() * sum(favour)
        for move, part in zip(moves, favour, strict=True):
            drawn -= part
            if drawn < 0:
                return move
        return moves[-1]

    def finish(self, state: State, rng: Rng, deadline: Deadline) -> Sequence[float]:
        """Completes what was begun, and plays so many turns to their end."""
        game, turns, turn = self._game, self.turns, state.turn
        while state.turn != NONE:
            if state.turn != turn:
                turn, turns = state.turn, turns - 1
                deadline.check()
            if turns <= 0 and state.phase in _SETTLED:
                break
            seat = state.turn
            game.play(state, seat, self.choose(state, seat, game.legal_moves(state, seat), rng))
        return self.evaluation.values(state)


_SETTLED: Final = (Phase.ACTION, Phase.DISCARD, Phase.DISCARDING)
