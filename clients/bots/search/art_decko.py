"""What a search knows of Art Decko: VP so far, what own cards are worth and will buy, bonus tiles as they stand."""

from collections.abc import Callable, Sequence
from functools import partial
from operator import mul
from typing import Any, Final

from clients.bots import art_decko
from clients.bots.art_decko_outlook import Outlook
from clients.bots.search.chance import Rng
from clients.bots.search.evaluation import Decided, Evaluation, Features
from clients.bots.search.knowledge import Deadline, Settings, shares
from clients.bots.search.logit import chances
from referee.games.art_decko.bonus import bonuses, owned
from referee.games.art_decko.game import ArtDecko
from referee.games.art_decko.parts import HAND, Parts
from referee.games.art_decko.payment import card_values
from referee.games.art_decko.state import NONE, Phase, State

_USED: Final = 9  # gold that one action can use
_TILES: Final = 0.5  # weight of what an exhibition changes of the bonus tiles
_NEVER: Final = -1e9
_POINT: Final = 0.08  # by how much a point improves the log-odds of winning, alike in all positions that are compared
_FAITH: Final = {Phase.PAYMENT: 20.0, Phase.DISCARD: 20.0, Phase.DISCARDING: 20.0}  # in the ratings
_DEAREST: Final = 12  # what anything costs at most
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

    def features(self, state: State) -> Decided | Features:
        result = self._game.result(state)
        if result is not None:
            return Decided(shares(result))
        parts, seats = self._parts, state.seats
        cards = [owned(parts, state, seat) for seat in range(seats)]
        outlook = outlook_of(parts, state)
        done = 1.0 if state.last_round else outlook.progress
        later = outlook.prices(state.market, outlook.rises)
        values = card_values(parts, state.market)
        tiles = bonuses(parts, state.tiles, state.museum, cards)
        rows = [
            self._row(state, seat, own, done, outlook.rounds, later, values, tiles[seat])
            for seat, own in enumerate(cards)
        ]
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


def outlook_of(parts: Parts, state: State) -> Outlook:
    """Returns what is to come."""
    return Outlook(parts, state, list(map(state.paintings.count, range(parts.width))))


class ArtDeckoKnowledge:
    """See `Knowledge`."""

    def __init__(self, game: ArtDecko, settings: Settings | None = None) -> None:
        self.settings: Final = settings or Settings(exploration=12.0, bias=3.0, widening=1.0, patience=30)
        self.evaluation: Final = ArtDeckoEvaluation(game)
        self._game: Final = game
        self._parts: Final = game.parts

    def worlds(self, view: Any) -> Callable[[Rng], State]:
        return partial(self._game.determinize, view)

    def chance(self, world: State, seat: int) -> float:
        return self._chances(world)[seat]

    def log_odds(self, world: State) -> float:
        return _POINT

    def ratings(self, view: Any, moves: Sequence[int]) -> list[float]:
        return art_decko.rate(self._game, view, moves)

    def bias(self, view: Any) -> float:
        return self.settings.bias * _FAITH.get(view.phase, 1.0)

    def choose(self, state: State, seat: int, moves: Sequence[int], rng: Rng) -> int:
        """Returns the move of a simple plan: acquire what brings most, pay with the least cards, discard poor ones."""
        if len(moves) == 1:
            return moves[0]
        parts, ids = self._parts, self._parts.ids
        match state.phase:
            case Phase.ACTION:
                return max(moves, key=self._merits(state, seat).__getitem__)
            case Phase.PAYMENT:
                values = card_values(parts, state.market)
                return min(moves, key=lambda move: values[move - ids.pay])
            case Phase.DISCARD | Phase.DISCARDING:
                return self._discard(state, seat, moves)
            case Phase.INVITATION:
                return max(moves, key=lambda move: self._space(state, (move - ids.invite) // parts.markers))
        return moves[int(rng.random() * len(moves))]

    def _space(self, state: State, exhibition: int) -> int:
        """Returns the VP of an exhibition's next space."""
        spaces = self._parts.spaces
        return self._parts.exhibitions[exhibition].vp[state.museum.index(0, exhibition * spaces) % spaces]

    def _discard(self, state: State, seat: int, moves: Sequence[int]) -> int:
        """Returns the first card that is worth less than the mean of the own cards, or that it is enough."""
        parts = self._parts
        values, own = card_values(parts, state.market), owned(parts, state, seat)
        mean = sum(map(mul, own, values)) / sum(own)
        for move in moves:
            if move >= parts.ids.discard and (move == parts.ids.done or values[move - parts.ids.discard] < mean):
                return move
        return moves[-1]

    def _merits(self, state: State, seat: int) -> list[float]:
        """Returns what each action is worth in points, roughly; a power is worth no action."""
        parts, ids, market = self._parts, self._parts.ids, state.market
        cards = [owned(parts, state, each) for each in range(state.seats)]
        own, values = cards[seat], card_values(parts, market)
        size = max(HAND, sum(own))
        hand = state.hands[seat * parts.kinds : (seat + 1) * parts.kinds]
        power = sum(map(mul, hand, values)) + parts.discount * state.discounts
        mean = sum(map(mul, own, values)) / size
        actions = state.actions - 1  # a payment takes from them, or else from the hand of the next turn
        rate, spare = (art_decko.SPARE, power - _USED * actions) if actions else (art_decko.HELD, mean)
        tolls = [rate * max(0.0, cost - spare) for cost in range(_DEAREST + 1)]
        outlook = outlook_of(parts, state)
        prices = outlook.prices(market, outlook.rises)
        growth = art_decko.GROWTH * outlook.rounds * HAND / size
        worth = [vp + growth * (value - mean) for vp, value in zip(prices, values, strict=True)]

        totals = [sum(counts) for counts in zip(*cards, strict=True)]
        leads = [mine - (total - mine) / (state.seats - 1) for mine, total in zip(own, totals, strict=True)]

        merits = [_NEVER] * parts.num_actions
        for kind, value in enumerate(values):
            merits[ids.haggle + kind] = -tolls[value]
        for place, count in enumerate(state.galleries):
            if count:
                style, gallery = divmod(place, parts.galleries)
                rating = min(parts.cap, market[style] + parts.rises[gallery])
                more = outlook.painting(rating, outlook.rise_without(style, gallery)) - prices[style]
                merits[ids.painting + place] = worth[style] + (leads[style] + 1) * more - tolls[state.costs[gallery]]
        for gold in range(parts.first_power, parts.kinds):
            merits[ids.three + gold - parts.first_power] = worth[gold] - tolls[parts.three_cost]
        merits[ids.five] = worth[parts.five_gold] - tolls[parts.five_cost]
        for style in range(parts.width) if state.ribbons[seat] else ():
            if hand[style]:
                after = outlook.painting(min(parts.cap, market[style] + parts.exhibit_rise), outlook.rises[style])
                shown = self._shown(state, seat, style, power - values[style], tolls, cards)
                merits[ids.exhibit + style] = shown + (leads[style] - 1) * (after - prices[style]) - worth[style]
        return merits

    def _shown(
        self, state: State, seat: int, style: int, power: int, tolls: Sequence[float], cards: Sequence[Sequence[int]]
    ) -> float:
        """Returns what the best invitation for a painting brings: its VP, and what it changes of the bonus tiles."""
        parts, markers = self._parts, state.markers
        best, where = _NEVER, 0
        for place, each in enumerate(parts.exhibitions):
            first = place * parts.markers
            is_open = each.cost <= power and not state.museum[(place + 1) * parts.spaces - 1]
            if is_open and (state.invited or markers[first + style] or markers[first + parts.wild]):
                merit = self._space(state, place) - tolls[each.cost]
                if merit > best:
                    best, where = merit, place
        if best == _NEVER:
            return best
        museum = state.museum[:]
        museum[museum.index(0, where * parts.spaces)] = parts.hung(seat, style, style)  # no tile asks for the marker
        left = [[*own] for own in cards]
        left[seat][style] -= 1
        before, after = bonuses(parts, state.tiles, state.museum, cards), bonuses(parts, state.tiles, museum, left)
        tiles = [new - old for old, new in zip(before, after, strict=True)]
        return best + _TILES * (tiles[seat] - (sum(tiles) - tiles[seat]) / (state.seats - 1))

    def finish(self, state: State, rng: Rng, deadline: Deadline) -> Sequence[float]:
        """Plays to the end of the next turn of the seat on turn."""
        game = self._game
        for _ in range(1 + state.seats):
            seat = state.turn
            while state.turn == seat != NONE:
                game.play(state, seat, self.choose(state, seat, game.legal_moves(state, seat), rng))
            deadline.check()
        return self._chances(state)

    def _chances(self, state: State) -> list[float]:
        """Returns chances by points, at the end too: long before it they tell more than who has won in a world."""
        result = self._game.result(state)
        if result is None:
            return self.evaluation.values(state, _POINT)
        return chances([_POINT * score for score in result.scores])
