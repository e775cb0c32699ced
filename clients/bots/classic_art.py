"""An evaluation of Classic Art that looks one move ahead and sees only a view.

Every category is judged by its final count: the net in view, the own hand, and what is still to come of cards that the
viewer has not seen, which is a multivariate hypergeometric draw. What the season is worth is a sum over categories of a
function of that count, so predictions in one category, which succeed and fail together, are judged together.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from math import comb, exp, prod, tanh
from operator import mul, sub
from typing import Final

from referee.games.classic_art.game import ClassicArt
from referee.games.classic_art.parts import HIGH_RISK, Parts
from referee.games.classic_art.state import Phase
from referee.games.classic_art.view import View, tally

# The unit of all values is a point of a marker that counts. The numbers were found by self-play.
UNCOUNTED: Final = (0.6, 1.0)  # a point below the bound that counts: with the last category open, with all of them open
SATURATION: Final = 0.15  # lost of each point above that bound, for the room below the cap that it takes
TOKENS: Final = (0.7, 0.7)  # t tokens for the next season are worth factor * t ** exponent
LOST_TOKEN: Final = 0.7  # a token that an opponent loses
LATER: Final = 1.2  # a token that is still free in a turn to come
LATER_DOUBLE: Final = 1.2  # a Double Down still to be had in a turn to come
LEANING: Final = 0.12  # log-odds of one more Artwork to come, for each opponent's prediction of many rather than few
CLOSING: Final = 4.0  # ending the game with a lead beyond doubt
CLEAR_LEAD: Final = 8.0  # scale of the leads that are more or less beyond doubt
OPEN_CLOSES: Final = 0.3  # least chance that an open category closes this season while predictions can be placed
DISCARDS: Final = (1.0, 0.3, 0.09)  # weights of the best, second and third card to keep for the discard
SECRECY: Final = 0.03  # cost of showing a card, for each point that can still be predicted in its category


def rate(
    game: ClassicArt, view: View, moves: Sequence[int], to_come: Sequence[Mapping[int, float]] | None = None
) -> list[float]:
    """Returns for each legal move of the viewer's seat the value of the season after it, up to a common constant.

    Args:
        game: the rules.
        view: what the seat knows.
        moves: its legal moves.
        to_come: for each category the chances of Artworks less Loans to come from other hands and the House; without,
            those of a draw from all that the viewer has not seen, with what the predictions of others tell of it.

    Raises:
        ValueError: the view is a spectator's.
    """
    season = _Season(game.parts, view, to_come)
    if view.phase == Phase.FINAL:
        return [season.committed(move) for move in moves]
    if view.phase == Phase.PLAY:
        return [season.played(move) for move in moves]
    return [season.predicted(move) for move in moves]


@dataclass(frozen=True, slots=True)
class _Exhibition:
    """A category; its lists go by the final count, from 0 to the least that no space tells from higher ones.

    Attributes:
        chance: of the count, with all own cards played.
        marker: the own marker.
        earned: prestige of the own predictions.
        lost: tokens of the own predictions that fail.
        opposed: what the opponents' predictions are worth to the viewer.
        closed: whether an opponent's marker will count.
        rival: the points of the strongest opponent.
    """

    chance: list[float]
    marker: int
    earned: list[int]
    lost: list[int]
    opposed: list[float]
    closed: list[bool]
    rival: list[int]


class _Season:
    """What the viewer expects of the season, and of each move in it."""

    def __init__(self, parts: Parts, view: View, to_come: Sequence[Mapping[int, float]] | None) -> None:
        if view.seat is None:
            raise ValueError("a spectator has no moves to rate")
        self.to_come = to_come
        self.parts, self.view, self.seat = parts, view, view.seat
        self.categories = range(len(parts.categories))
        self.opponents = [seat for seat in range(view.seats) if seat != view.seat]
        self.counts = range(max(space.bound for space in parts.spaces) + 2)
        self.holds = [[space.holds(count) for count in self.counts] for space in parts.spaces]
        self.held = [kind for kind, count in enumerate(view.hand) if count]
        self.unseen = list(map(sub, map(sub, parts.copies, view.hand), tally(parts, view.played)))
        self.points = [place if place >= parts.counts_from else 0 for place in range(parts.cap + 1)]
        self.worth = self._worth_of_markers()
        strongest = self._strongest()
        self.exhibitions = [self._exhibition(category, strongest) for category in self.categories]
        self.closing, self.lead = self._ending()
        self.tokens = self._worth_of_tokens()
        self.values = [self._values(category, show.earned, show.lost) for category, show in enumerate(self.exhibitions)]
        self.gains = {kind: self._discard(kind, self.values[kind >> 1]) for kind in self.held}
        self.free = [self._free(category) for category in self.categories] if view.phase == Phase.PLAY else []

    def committed(self, pair: int) -> float:
        """Rates a pair of the final turn by the card that it leaves to be discarded."""
        return max(self._discard(kind, self.values[kind >> 1], foreseen=False) for kind in self._left(pair))

    def played(self, pair: int) -> float:
        """Rates a pair of a turn: all cards but one get played, so what counts is what is left, and what is shown."""
        kept = sorted((self.gains[kind] for kind in self._left(pair)), reverse=True)
        return _mean(DISCARDS, kept) - SECRECY * sum(self.free[kind >> 1] for kind in self.parts.pairs[pair])

    def predicted(self, move: int) -> float:
        """Rates a prediction, or none: what it does to its category and to the best discard, and what is left."""
        if move == self.parts.pass_id:
            return max(self.gains.values(), default=0.0) + self._later(0)
        place, tokens = self.parts.prediction(move)
        category, number = divmod(place, len(self.parts.spaces))
        show, holds = self.exhibitions[category], self.holds[number]
        prestige = self.parts.spaces[number].prestige * (tokens + (self.view.phase == Phase.SETUP))
        earned = [before + prestige if hit else before for before, hit in zip(show.earned, holds, strict=True)]
        lost = [before if hit else before + tokens for before, hit in zip(show.lost, holds, strict=True)]
        values = self._values(category, earned, lost)
        gain = _mean(show.chance, map(sub, values, self.values[category]))
        gains = self.gains | {kind: self._discard(kind, values) for kind in self.held if kind >> 1 == category}
        return gain + max(gains.values(), default=0.0) + self._later(tokens)

    def _left(self, pair: int) -> list[int]:
        """Returns the kinds in hand after a pair."""
        first, second = self.parts.pairs[pair]
        return [kind for kind in self.held if self.view.hand[kind] > (kind == first) + (kind == second)]

    def _later(self, tokens: int) -> float:
        """Returns what can still be predicted in turns to come, with so many tokens placed now."""
        view = self.view
        turns = (view.turns_left - (view.phase == Phase.PREDICT)) // view.seats
        free = view.available[self.seat] - tokens
        double = turns > 0 and free > 1 and tokens < 2 and not view.doubled[self.seat]
        return LATER * min(turns, free) + LATER_DOUBLE * double

    def _free(self, category: int) -> float:
        """Returns the prestige to be expected of the free spaces of a category."""
        spaces, chance = self.parts.spaces, self.exhibitions[category].chance
        board = self.view.board[category * len(spaces) : (category + 1) * len(spaces)]
        free = (number for number, code in enumerate(board) if not code)
        return sum(spaces[number].prestige * _mean(chance, self.holds[number]) for number in free)

    def _discard(self, kind: int, values: list[float], *, foreseen: bool = True) -> float:
        """Returns the gain of discarding a card; if foreseen, of doing so only where the count to come makes it one."""
        without = values[1:] + values[-1:] if kind & 1 else values[:1] + values[:-1]
        gains = map(sub, without, values)
        chance = self.exhibitions[kind >> 1].chance
        return _mean(chance, (max(0.0, gain) for gain in gains) if foreseen else gains)

    def _values(self, category: int, earned: list[int], lost: list[int]) -> list[float]:
        """Returns the value of a category by its count, if the own predictions there earn and lose so much."""
        show, worth, tokens = self.exhibitions[category], self.worth, self.tokens[category]
        cap, closing, lead = self.parts.cap, self.closing[category], self.lead[category]
        values = []
        for count, prestige in enumerate(earned):
            marker = min(cap, show.marker + prestige)
            value = worth[marker] + tokens[lost[count]] + show.opposed[count]
            points = self.points[marker]
            if points or show.closed[count]:
                value += closing * tanh((lead + points - show.rival[count]) / CLEAR_LEAD)
            values.append(value)
        return values

    def _strongest(self) -> int:
        """Returns the opponent with the most points."""
        width, points = len(self.categories), [self.points[place] for place in self.view.prestige]
        totals = [sum(points[seat * width : (seat + 1) * width]) for seat in range(self.view.seats)]
        return max(self.opponents, key=totals.__getitem__)

    def _worth_of_markers(self) -> list[float]:
        """Returns the value of a marker by its place on the track."""
        first, width = self.parts.counts_from, len(self.categories)
        still_open = sum(max(self.view.prestige[category::width]) < first for category in self.categories)
        below = UNCOUNTED[0] + (UNCOUNTED[1] - UNCOUNTED[0]) * max(0, still_open - 1) / max(1, width - 1)
        worth = [below * place for place in range(first)]
        return worth + [place - SATURATION * (place - first) for place in range(first, self.parts.cap + 1)]

    def _exhibition(self, category: int, strongest: int) -> _Exhibition:
        """Returns a category with the predictions placed there."""
        parts, size, cap = self.parts, len(self.parts.spaces), self.parts.cap
        markers = self.view.prestige[category :: len(self.categories)]
        gained, lost = ([[0] * len(self.counts) for _ in markers] for _ in range(2))
        leaning = 0
        for place, code in enumerate(self.view.board[category * size : (category + 1) * size]):
            if not code:
                continue
            space, (seat, rest) = parts.spaces[place], divmod(code - 1, 4)
            tokens = rest // 2 + 1
            prestige = space.prestige * (tokens + (rest & HIGH_RISK))
            for count, hit in enumerate(self.holds[place]):
                gained[seat][count] += prestige * hit
                lost[seat][count] += tokens * (not hit)
            if seat != self.seat:
                leaning += -1 if space.at_most else 1
        final = [[min(cap, markers[seat] + more) for more in gains] for seat, gains in enumerate(gained)]
        opposed = [
            [LOST_TOKEN * failed - self.worth[place] for failed, place in zip(lost[seat], final[seat], strict=True)]
            for seat in self.opponents
        ]
        return _Exhibition(
            chance=self._chances(category, leaning),
            marker=markers[self.seat],
            earned=gained[self.seat],
            lost=lost[self.seat],
            opposed=[sum(worths) / len(self.opponents) for worths in zip(*opposed, strict=True)],
            closed=[any(self.points[final[seat][count]] for seat in self.opponents) for count in self.counts],
            rival=[self.points[place] for place in final[strongest]],
        )

    def _chances(self, category: int, leaning: int) -> list[float]:
        """Returns the chances of the final counts; opponents who lean to many Artworks hold them, it is assumed."""
        view = self.view
        artworks, loans = view.hand[2 * category : 2 * category + 2]
        chances = [0.0] * len(self.counts)
        nets = self._drawn(category, leaning) if self.to_come is None else self.to_come[category].items()
        for net, chance in nets:
            count = max(0, view.net[category] + artworks - loans + net)
            chances[min(count, self.counts[-1])] += chance
        return chances

    def _drawn(self, category: int, leaning: int) -> Iterable[tuple[int, float]]:
        """Returns (Artworks less Loans, chance) of what is to come in a category."""
        view, artworks, loans = self.view, *self.unseen[2 * category : 2 * category + 2]
        to_come = sum(view.hand_sizes) - sum(view.hand) - len(self.opponents) + view.house_size
        return draws(artworks, loans, sum(self.unseen), to_come, leaning)

    def _ending(self) -> tuple[list[float], list[float]]:
        """Returns for each category what closing it is worth, by the chances of the others, and the lead in these."""
        closes, leads = [], []
        for show in self.exhibitions:
            points = [self.points[min(self.parts.cap, show.marker + prestige)] for prestige in show.earned]
            closed = [own > 0 or other for own, other in zip(points, show.closed, strict=True)]
            closes.append(max(_mean(show.chance, closed), OPEN_CLOSES if self.view.turns_left else 0.0))
            leads.append(_mean(show.chance, map(sub, points, show.rival)))
        closing = [CLOSING * prod(closes[:category] + closes[category + 1 :]) for category in self.categories]
        return closing, [sum(leads) - lead for lead in leads]

    def _worth_of_tokens(self) -> list[list[float]]:
        """Returns for each category the value of the tokens for the next season, by those lost in that category."""
        parts, seat = self.parts, self.seat
        own = (code for code in self.view.board if code and (code - 1) // 4 == seat)
        total = self.view.available[seat] + sum((code - 1) % 4 // 2 + 1 for code in own)
        refilled = total + self.view.lost[seat]
        kept = [TOKENS[0] * (refilled if left <= parts.refill_at else left) ** TOKENS[1] for left in range(total + 1)]
        worth = []
        for category in self.categories:
            left = kept
            for other, show in enumerate(self.exhibitions):
                if other != category and any(show.lost):
                    after = [[left[max(0, tokens - lost)] for lost in show.lost] for tokens in range(total + 1)]
                    left = [_mean(show.chance, worths) for worths in after]
            worth.append(left[::-1])
        return worth


def _mean(chances: Iterable[float], values: Iterable[float]) -> float:
    return sum(map(mul, chances, values), 0.0)


@lru_cache(maxsize=1 << 14)
def draws(artworks: int, loans: int, pool: int, cards: int, leaning: int) -> tuple[tuple[int, float], ...]:
    """Returns (Artworks less Loans of a category, chance) of drawing `cards` from a pool that holds so many of each."""
    weights: dict[int, float] = {}
    for drawn in range(min(artworks, cards) + 1):
        for lent in range(min(loans, cards - drawn) + 1):
            ways = comb(artworks, drawn) * comb(loans, lent) * comb(pool - artworks - loans, cards - drawn - lent)
            if ways:
                net = drawn - lent
                weights[net] = weights.get(net, 0.0) + ways * exp(LEANING * leaning * net)
    total = sum(weights.values())
    return tuple((net, weight / total) for net, weight in weights.items())
