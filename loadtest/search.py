"""How fast the search is and whether it keeps its time: `python -m loadtest.search [--decisions N]`.

Speed is iterations a second of processor time, from the first decision of each ruleset, with how many moves an
iteration makes, in the tree and in its playout. Lateness is what a decision takes beyond its budget, in as many
processes at once as there are cores, at positions of random matches of all rulesets and numbers of seats.
"""

import gc
import os
import random
import time
from argparse import ArgumentParser
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from functools import partial
from typing import Any, Final

from artreferee.v1 import match_pb2
from clients.bots.search import SearchBot
from clients.bots.search.knowing import knowledge_of
from clients.bots.search.knowledge import Deadline
from clients.bots.search.searching import Search
from clients.sdk import Budget
from referee.core.game import AnyGame
from referee.games import registry
from referee.wire import wires

RULESETS: Final = ("art_decko", "artsee", "classic_art")
_LATE_MS: Final = 20.0


@dataclass(frozen=True, slots=True)
class Speed:
    """How fast a search is.

    Attributes:
        iterations_s: iterations a second of processor time.
        moves: made in an iteration, on the mean.
    """

    iterations_s: float
    moves: float


@dataclass(frozen=True, slots=True)
class Decisions:
    """Some decisions under a time budget.

    Attributes:
        late_ms: of each, what it took beyond its budget.
        illegal: how many were no legal moves.
        iterations: of each.
    """

    late_ms: list[float]
    illegal: int
    iterations: list[int]


class Counting:
    """Rules that count the moves that are made."""

    def __init__(self, game: AnyGame) -> None:
        self._game: Final = game
        self.moves = 0

    def __getattr__(self, name: str) -> Any:
        return getattr(self._game, name)

    def play(self, state: Any, seat: int, move: int) -> Any:
        """Plays a move and counts it."""
        self.moves += 1
        return self._game.play(state, seat, move)


def speed(game: AnyGame, seats: int, iterations: int) -> Speed:
    """Searches from the first decision of a deal, twice: for time, and for the moves that are made."""
    start = time.process_time()
    _search(game, game, seats, iterations)
    took = time.process_time() - start
    counting = Counting(game)
    _search(game, counting, seats, iterations)
    return Speed(iterations / took, counting.moves / iterations)


def _search(game: AnyGame, rules: Any, seats: int, iterations: int) -> None:
    state = game.setup(game.options({}, seats), seats, bytes(32))
    seat = game.to_act(state)[0]
    make: Any = type(knowledge_of(game))
    knowledge = knowledge_of(game) if rules is game else make(rules)
    search = Search(rules, knowledge, game.view(state, seat), seat, game.legal_moves(state, seat), random.Random(1))
    search.prepare(Deadline())
    search.run(iterations, Deadline())


def decide(seconds: float, number: int, decisions: int) -> Decisions:
    """Makes decisions one after another at positions of random matches."""
    gc.freeze()  # as the processes of bots do
    rng, bot = random.Random(number), SearchBot()
    late, illegal, iterations = list[float](), 0, list[int]()
    for game, state, seat in _positions(rng):
        legal = [match_pb2.LegalMove(index=at, id=move) for at, move in enumerate(game.legal_moves(state, seat))]
        view = wires()[game.spec.name].view(game.view(state, seat))
        start = time.perf_counter()
        analysis = bot.search(view, legal, Budget(seconds), rng)
        late.append((time.perf_counter() - start - seconds) * 1000)
        illegal += analysis.best.move not in game.legal_moves(state, seat)
        iterations.append(analysis.iterations)
        if len(late) == decisions:
            break
    return Decisions(late, illegal, iterations)


def _positions(rng: random.Random) -> Iterator[tuple[AnyGame, Any, int]]:
    """Yields positions with more than one move, for ever."""
    while True:
        game = registry()[rng.choice(RULESETS)]
        seats = rng.choice(game.spec.seats)
        state = game.setup(game.options({}, seats), seats, rng.randbytes(32))
        while due := game.to_act(state):
            moves = game.legal_moves(state, due[0])
            if len(moves) > 1 and rng.random() < 0.3:
                yield game, state, due[0]
            game.play(state, due[0], rng.choice(moves))


def print_speed(iterations: int) -> None:
    """Prints the table of speeds."""
    print(f"{'ruleset':12} {'seats':>5} {'iterations/s':>13} {'moves an iteration':>19}")
    for ruleset in RULESETS:
        game = registry()[ruleset]
        for seats in game.spec.seats:
            measured = speed(game, seats, iterations)
            print(f"{ruleset:12} {seats:5} {measured.iterations_s:13,.0f} {measured.moves:19.1f}")


def print_lateness(decisions: int, budget_ms: float, processes: int) -> None:
    """Prints how late decisions were."""
    each = max(1, decisions // processes)
    with ProcessPoolExecutor(processes) as pool:
        found = list(pool.map(partial(decide, budget_ms / 1000, decisions=each), range(processes)))
    late = sorted(value for part in found for value in part.late_ms)
    searched = sum(sum(part.iterations) for part in found) / len(late)
    print(f"{len(late):,} decisions of {budget_ms:.0f} ms, {processes} at once, {searched:.0f} iterations each")
    for name, place in (("median", 0.5), ("99 %", 0.99), ("99.9 %", 0.999), ("latest", 1.0)):
        print(f"{name:>8}: {late[min(len(late) - 1, int(place * len(late)))]:7.2f} ms after its budget")
    print(f"{sum(value > _LATE_MS for value in late)} later than {_LATE_MS:.0f} ms after, ", end="")
    print(f"{sum(part.illegal for part in found)} illegal")


def main() -> None:
    """Runs the measurement."""
    parser = ArgumentParser(prog="loadtest.search", description=__doc__)
    parser.add_argument("--decisions", type=int, default=10_000)
    parser.add_argument("--budget-ms", type=float, default=50.0)
    parser.add_argument("--processes", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--iterations", type=int, default=2_000, help="for each speed")
    wanted = parser.parse_args()
    print_speed(wanted.iterations)
    if wanted.decisions:
        print_lateness(wanted.decisions, wanted.budget_ms, wanted.processes)


if __name__ == "__main__":
    main()
