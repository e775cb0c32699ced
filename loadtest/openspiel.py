"""The search against OpenSpiel's: `python -m loadtest.openspiel`.

OpenSpiel's information-set search in Python plays through the adapter, at equal time a move and at equal iterations.
Matches have two seats; each deal is played twice, with seats changed, and intervals are over deals. OpenSpiel's bot
takes a number of iterations only: for a time it makes as many as it would have made at its pace so far. Its search in
C++ cannot draw the worlds of a game in Python.
"""

import os
import random
import time
from collections.abc import Iterable
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from functools import partial
from hashlib import sha256
from statistics import fmean
from typing import Any, Final, Protocol

import click
import numpy as np
import pyspiel
from open_spiel.python.algorithms import ismcts, mcts

from clients.bots.search.bot import searched
from clients.openspiel import PREFIX, RulesetState
from clients.sdk import Budget
from clients.tournament.statistics.bootstrap import RESAMPLES, interval
from referee.core.game import AnyGame
from referee.games import registry

_EXPLORATION: Final = 1.0  # the returns of a match lie within 1 of each other
_FIRST: Final = 5  # iterations of the first move for a time
_LEAST: Final = 2  # with one it has not looked at any move


@dataclass(slots=True)
class Pace:
    """What all moves of a player took that had a choice."""

    moves: int = 0
    iterations: int = 0
    seconds: float = 0.0

    def add(self, iterations: int, seconds: float) -> None:
        """Adds a move."""
        self.moves += 1
        self.iterations += iterations
        self.seconds += seconds


class Player(Protocol):
    """Chooses moves, and keeps its pace."""

    @property
    def pace(self) -> Pace:
        """What its moves took."""
        ...

    def move(self, state: RulesetState) -> int:
        """Returns a move of the player to act."""
        ...


class Ours:
    """The search of the bot `mcts`."""

    def __init__(self, rules: AnyGame, budget: Budget, number: int) -> None:
        self.pace: Final = Pace()
        self._rules: Final = rules
        self._budget: Final = budget
        self._rng: Final = random.Random(number)

    def move(self, state: RulesetState) -> int:
        position, seat = state.position, state.current_player()
        moves = self._rules.legal_moves(position, seat)
        found = searched(self._rules, self._rules.view(position, seat), moves, self._budget, self._rng)
        if len(moves) > 1:
            self.pace.add(found.iterations, found.seconds)
        return found.best.move


class Theirs:
    """OpenSpiel's search, with random playouts to the end."""

    def __init__(self, game: Any, budget: Budget, number: int) -> None:
        self.pace: Final = Pace()
        self._game: Final = game
        self._budget: Final = budget
        self._chance: Final = np.random.RandomState(number)

    def move(self, state: RulesetState) -> int:
        iterations, start = self._iterations(), time.perf_counter()
        bot = ismcts.ISMCTSBot(
            game=self._game,
            evaluator=mcts.RandomRolloutEvaluator(1, self._chance),
            uct_c=_EXPLORATION,
            max_simulations=iterations,
            random_state=self._chance,
            final_policy_type=ismcts.ISMCTSFinalPolicyType.MAX_VISIT_COUNT,
            use_observation_string=True,
            allow_inconsistent_action_sets=True,
        )
        action = int(bot.step(state))
        if len(state.legal_actions()) > 1:
            self.pace.add(iterations, time.perf_counter() - start)
        return action

    def _iterations(self) -> int:
        if self._budget.iterations is not None:
            return self._budget.iterations
        assert self._budget.seconds is not None  # noqa: S101 - a budget has one of them
        pace = self.pace
        return max(_LEAST, round(pace.iterations * self._budget.seconds / pace.seconds)) if pace.moves else _FIRST


@dataclass(frozen=True, slots=True)
class Deal:
    """A deal played twice: our share of the wins, and the paces of both."""

    share: float
    ours: Pace
    theirs: Pace


def play(ruleset: str, budget: Budget, number: int) -> Deal:
    """Plays a deal with seats changed."""
    rules, game = registry()[ruleset], pyspiel.load_game(PREFIX + ruleset)
    ours, theirs = Ours(rules, budget, number), Theirs(game, budget, number)
    shares = []
    for own in range(2):
        players: list[Player] = [theirs, theirs]
        players[own] = ours
        state = game.new_initial_state()
        for byte in sha256(b"deal %d" % number).digest():
            state.apply_action(byte)
        while not state.is_terminal():
            state.apply_action(players[state.current_player()].move(state))
        shares.append(state.returns()[own] + 1 / 2)
    return Deal(fmean(shares), ours.pace, theirs.pace)


def told(ruleset: str, equal: str, deals: list[Deal]) -> str:
    """Returns a row of the table."""
    rng, shares = random.Random(0), [deal.share for deal in deals]
    estimate = interval(fmean(shares), [fmean(rng.choices(shares, k=len(shares))) for _ in range(RESAMPLES)])
    paces = (told_pace(deal.ours for deal in deals), told_pace(deal.theirs for deal in deals))
    share = f"{estimate.value:.1%} | {estimate.low:.1%} to {estimate.high:.1%}"
    return f"| {ruleset} | {equal} | {len(deals)} | {share} | {' | '.join(paces)} |"


def told_pace(paces: Iterable[Pace]) -> str:
    """Returns the mean of a move: iterations, and milliseconds."""
    all_of = list(paces)
    moves = sum(pace.moves for pace in all_of)
    iterations, seconds = sum(pace.iterations for pace in all_of), sum(pace.seconds for pace in all_of)
    return f"{iterations / moves:.0f} in {1000 * seconds / moves:.0f} ms"


@click.command()
@click.option("--deals", default=20, show_default=True, help="Deals a row, each played twice.")
@click.option("--seconds", default=0.1, show_default=True, help="Of a move, where time is equal.")
@click.option(
    "--iterations", default=20, show_default=True, type=click.IntRange(_LEAST), help="Of a move, where these are equal."
)
@click.option("--ruleset", "rulesets", multiple=True, default=("art_decko", "artsee", "classic_art"), show_default=True)
def main(deals: int, seconds: float, iterations: int, rulesets: tuple[str, ...]) -> None:
    """Plays and prints a table."""
    print(
        "| ruleset | equal | deals | our share of wins | 95 % | our move | OpenSpiel's |\n|---|---|--:|--:|---|---|---|"
    )
    with ProcessPoolExecutor(os.cpu_count()) as pool:
        for ruleset in rulesets:
            for equal, budget in (("time", Budget(seconds)), ("iterations", Budget(None, iterations))):
                played = list(pool.map(partial(play, ruleset, budget), range(deals)))
                print(told(ruleset, equal, played), flush=True)


if __name__ == "__main__":
    main()
