"""How fast the rules are: random play and the codec, on one core, in plain Python."""

import random
import time
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from referee.core.game import AnyGame


@dataclass(frozen=True, slots=True)
class RulesFigures:
    """Figures of one ruleset.

    Attributes:
        decisions_s: accepted moves a second of random play: list fully built, one picked, checked and played.
        encode_us: packing a state.
        decode_us: unpacking it.
        view_us: the view of the seat to act.
        largest_state: bytes of the largest packed state met.
        largest_us: packing and unpacking that state.
    """

    ruleset: str
    decisions_s: float
    encode_us: float
    decode_us: float
    view_us: float
    largest_state: int
    largest_us: float


def measure_rules(game: AnyGame, seconds: float) -> RulesFigures:
    """Plays random matches over all seat counts for some seconds, then times the codec on states met in play."""
    rng = random.Random(1)
    decisions, start = 0, time.perf_counter()
    states: list[tuple[Any, int]] = []
    while time.perf_counter() - start < seconds:
        for seats in game.spec.seats:
            decisions += sum(1 for _ in _random_match(game, seats, rng))
    decisions_s = decisions / (time.perf_counter() - start)
    for seats in game.spec.seats:
        states += [(game.copy(state), game.to_act(state)[0]) for state in _random_match(game, seats, rng)]
    packed = [game.encode(state) for state, _ in states]
    largest = max(packed, key=len)
    largest_state = game.decode(largest)
    return RulesFigures(
        ruleset=game.spec.name,
        decisions_s=decisions_s,
        encode_us=_us_each([lambda state=state: game.encode(state) for state, _ in states]),
        decode_us=_us_each([lambda data=data: game.decode(data) for data in packed]),
        view_us=_us_each([lambda state=state, seat=seat: game.view(state, seat) for state, seat in states]),
        largest_state=len(largest),
        largest_us=_us_each([lambda: game.encode(largest_state), lambda: game.decode(largest)] * 100) * 2,
    )


def _random_match(game: AnyGame, seats: int, rng: random.Random) -> Iterator[Any]:
    state = game.setup(game.options({}, seats), seats, rng.randbytes(32))
    while due := game.to_act(state):
        for seat in due:
            yield state
            legal = game.legal_moves(state, seat)
            move = legal[int(rng.random() * len(legal))]
            game.check(state, seat, move)
            game.play(state, seat, move)


def _us_each(calls: list[Any], repeats: int = 5) -> float:
    """Returns the best mean of several passes over the calls, in microseconds."""
    best = float("inf")
    for _ in range(repeats):
        start = time.perf_counter()
        for call in calls:
            call()
        best = min(best, time.perf_counter() - start)
    return best / len(calls) * 1e6
