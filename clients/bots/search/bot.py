"""The bot that searches."""

import gc
import random
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from typing import Any, Final

from artreferee.v1 import match_pb2, ruleset_pb2
from clients.bots.search.analysis import Analysis
from clients.bots.search.chance import Rng
from clients.bots.search.knowing import knowledge_of
from clients.bots.search.knowledge import Deadline
from clients.bots.search.searching import Search
from clients.sdk import Budget
from referee.core.game import AnyGame
from referee.wire import wires
from referee.wire.ruleset import RulesetWire

CLOCK_SHARE: Final = 0.25
"""The part of what its clock has left that a move may take."""


class SearchBot:
    """Searches, see `Search`, as long as the budget lets it, and makes the move that is best beyond doubt.

    With iterations and no seconds the same view and `rng` give the same move, however fast the machine is.
    """

    name = "mcts"
    version = "1"
    detail = match_pb2.DETAIL_IDS
    budget = Budget(seconds=0.1)
    """What it takes where none is given."""

    def choose(
        self,
        view: ruleset_pb2.View,
        legal_moves: Sequence[match_pb2.LegalMove],
        budget: Budget,
        rng: random.Random,
    ) -> match_pb2.LegalMove:
        best = self.search(view, legal_moves, budget, rng).best.move
        return next(move for move in legal_moves if move.id == best)

    def search(
        self,
        view: ruleset_pb2.View,
        legal_moves: Sequence[match_pb2.LegalMove],
        budget: Budget,
        rng: random.Random,
    ) -> Analysis:
        """Returns what the search finds for the seat whose view this is, which must be to act.

        Args:
            view: the seat's.
            legal_moves: all of its moves, at least one.
            budget: for the search; without one, `SearchBot.budget`.
            rng: all chance in the search.
        """
        start = time.monotonic()
        wire = _wire_of(view)
        moves = [move.id for move in legal_moves]
        return searched(wire.game, wire.view_from(view), moves, bounded(budget, self.budget), rng, start)


def bounded(budget: Budget, own: Budget) -> Budget:
    """Returns a budget, or the bot's own if it is none; never more than a share of the clock."""
    if budget.seconds is None and budget.iterations is None:
        return own
    if budget.clock is None or budget.seconds is None:
        return budget
    return replace(budget, seconds=min(budget.seconds, CLOCK_SHARE * budget.clock))


def searched(
    game: AnyGame, view: Any, moves: Sequence[int], budget: Budget, rng: Rng, start: float | None = None
) -> Analysis:
    """Returns what a search finds within a budget that began at `start` by `time.monotonic`, or begins now."""
    with _uninterrupted():
        return _searched(game, view, moves, budget, rng, time.monotonic() if start is None else start)


def _searched(game: AnyGame, view: Any, moves: Sequence[int], budget: Budget, rng: Rng, start: float) -> Analysis:
    deadline = Deadline(None if budget.seconds is None else start + budget.seconds)
    search = Search(game, knowledge_of(game), view, seat_of(game, view, rng), moves, rng)
    if len(moves) > 1:
        search.prepare(deadline)
        search.run(budget.iterations, deadline)
    return search.analysis(time.monotonic() - start)


@contextmanager
def _uninterrupted() -> Iterator[None]:
    """Keeps the garbage collector from walking through a tree, which has no cycles, and making its move late.

    At the end it sees only what is new and left of it, so that it does not at once find that all else is due too.
    """
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            gc.collect(0)
            gc.enable()


def seat_of(game: AnyGame, view: Any, rng: Rng) -> int:
    """Returns the seat whose view this is, which must be to act."""
    seat = getattr(view, "seat", None)
    if isinstance(seat, int):
        return seat
    world = game.determinize(view, rng)
    return next(seat for seat in game.to_act(world) if game.view(world, seat) == view)


def _wire_of(view: ruleset_pb2.View) -> RulesetWire:
    """Returns the wire module of a view; that of a plug-in is the one that can read it and write it again."""
    ruleset = view.WhichOneof("ruleset")
    if ruleset in wires():
        return wires()[str(ruleset)]
    for wire in wires().values():
        if wire.plugin_move is not None and _reads(wire, view):
            return wire
    raise ValueError(f"a view of no ruleset that is installed: {view.plugin.TypeName() or ruleset}")


def _reads(wire: RulesetWire, view: ruleset_pb2.View) -> bool:
    try:
        return wire.view(wire.view_from(view)) == view
    except (KeyError, TypeError, ValueError):
        return False
