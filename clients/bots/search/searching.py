"""Information-set Monte Carlo tree search with one observer (SO-ISMCTS; Cowling, Powley, Whitehouse 2012).

Each iteration takes a world that the searching player cannot rule out and goes down one tree, whose nodes are what that
player can tell apart. Some things differ from the paper, as games here have more than two seats, sealed choices and
moves in secret, and there is time for a few hundred iterations:

- The nth time that a move is made at the root, that is in the nth world that was drawn: so moves are compared in the
  same worlds (common random numbers), and of each reward there the luck of having that world is taken off, as far as
  the evaluation tells it (a control variate).
- Every seat maximizes its own chance of winning (max^n), so an edge sums the rewards of the seat that moves.
- Edges are moves, but what an opponent's move leads to is keyed by what the searching player sees of it: moves that
  look alike to it lead to one node. A tree for each player (MO-ISMCTS) would also tell apart what opponents know, at
  the price of as many trees with as few visits; here an opponent's edges are shared by all hands that it may hold.
- Where opponents matter less than own plans their moves may be left out of the tree (`Settings.opponents`): they make
  sensible ones, and what follows is shared by all that they make.
- While several seats choose at once, each goes on alone from the node where that began, by its own choices only, in
  seat order; nobody sees a sealed choice before what reveals it. Chance is averaged over: what a move reveals does not
  split the node after it, but for what ends sealed choices.
"""

import time
from collections.abc import Hashable, Sequence
from math import exp, log, sqrt
from typing import Any, Final

from clients.bots.search.analysis import Analysis, Candidate, Step
from clients.bots.search.chance import Rng
from clients.bots.search.knowledge import Deadline, Knowledge, OutOfTimeError
from clients.bots.search.tree import NO_BIAS, Bias, Edge, Node, Table, best_of, one_of
from referee.core.game import AnyGame

_LONGEST_LINE: Final = 8
_ANCHORS: Final = 4
_EVEN: Final = 0.5
_SLIM: Final = 0.05
_SURE: Final = 50.0
_SOME_ODDS: Final = 0.1
_LEAST_ODDS: Final = 0.05


class Search:
    """The search of one decision.

    Args:
        game: the rules.
        knowledge: what is known besides.
        view: what the searching player knows.
        seat: the searching player, which must be to act.
        moves: its legal moves, at least one.
        rng: all randomness of the search.
    """

    def __init__(
        self, game: AnyGame, knowledge: Knowledge, view: Any, seat: int, moves: Sequence[int], rng: Rng
    ) -> None:
        self._game: Final = game
        self._knowledge: Final = knowledge
        self._settings: Final = knowledge.settings
        self._view: Final = view
        self._seat: Final = seat
        self._moves: Final = moves
        self._rng: Final = rng
        self._root: Final = Node()
        self._deal: Final = knowledge.worlds(view)
        self._worlds: Final = list[Any]()
        self._luck: Final = list[float]()  # the chance in each world, before any move
        self._usual = 0.0
        self._expected: float | None = None  # of the best rated move
        self._sums: Final = dict[int, list[float]]()
        self._exploration = self._settings.exploration
        self.iterations = 0

    def prepare(self, deadline: Deadline) -> None:
        """Lets the knowledge say which moves are promising and how much there is to explore."""
        ratings = self._knowledge.ratings(self._view, self._moves)
        if ratings is None:
            return
        try:
            even = self._chance_after(best_rated(self._moves, ratings), deadline)
            odds = self._knowledge.log_odds(self._world(0))
        except OutOfTimeError:
            even, odds = _EVEN, _SOME_ODDS
        self._exploration = self._settings.exploration * max(odds, _LEAST_ODDS) * even * (1 - even)
        self._expected = even
        edges, best = self._root.table(self._seat).edges, max(ratings)
        for move, rating in zip(self._moves, ratings, strict=True):
            edges[move] = Edge(move, even - 1 / (1 + exp(min(_SURE, odds * (best - rating) - log(even / (1 - even))))))

    def _chance_after(self, move: int, deadline: Deadline) -> float:
        """Returns the searching player's chance after a move, on the mean of a few worlds, but never next to none."""
        total = 0.0
        for number in range(_ANCHORS):
            deadline.check()
            state = self._game.copy(self._world(number))
            self._game.play(state, self._seat, move)
            total += self._knowledge.finish(state, self._rng, deadline)[self._seat]
        self._usual = sum(self._luck) / _ANCHORS
        return min(1 - _SLIM, max(_SLIM, total / _ANCHORS))

    def run(self, iterations: int | None, deadline: Deadline) -> None:
        """Searches until so many iterations are done, or the deadline passes or would pass in the next one."""
        longest = 0.0
        now = time.monotonic()
        while iterations is None or self.iterations < iterations:
            if deadline.at is not None and now + longest / 2 >= deadline.at:
                return
            try:
                self._iterate(deadline)
            except OutOfTimeError:
                return
            self.iterations += 1
            before, now = now, time.monotonic()
            longest = max(longest, now - before)

    def analysis(self, seconds: float) -> Analysis:
        """Returns what has been found."""
        table = self._root.table(self._seat)
        ranked = sorted(self._moves, key=lambda move: self._merit(table, move), reverse=True)
        return Analysis(self._seat, tuple(self._candidate(table, move) for move in ranked), self.iterations, seconds)

    def _merit(self, table: Table, move: int) -> tuple[bool, float]:
        """Returns by what moves are ranked: whether they were tried, and the lower confidence bound, bias included."""
        edge, bias = table.edges.get(move), self._bias
        weight = 0.0 if edge is None else edge.visits + bias.visits
        if edge is None or not weight:
            return (False, 0.0)
        mean = (edge.total + bias.visits * (bias.level - edge.gap)) / weight
        return (edge.visits > 0, mean - self._exploration / sqrt(weight))

    @property
    def _bias(self) -> Bias:
        """What is expected at the root: of the best rated move what all moves have brought, each with its gap."""
        if self._expected is None:
            return NO_BIAS
        return Bias(self._knowledge.bias(self._view), self._expected)

    def _candidate(self, table: Table, move: int) -> Candidate:
        edge = table.edges.get(move)
        if edge is None or not edge.visits:
            return Candidate(move, 0, (), (Step(self._seat, move),))
        values = tuple(total / edge.visits for total in self._sums[move])
        return Candidate(move, edge.visits, values, self._line(edge))

    def _line(self, edge: Edge) -> tuple[Step, ...]:
        """Returns the moves made most often, from an edge of the searching player on."""
        line = [Step(self._seat, edge.move)]
        while (node := edge.after) is not None and node.tables and len(line) < _LONGEST_LINE:
            likely = max(node.tables, key=lambda seat: _visits(node, seat))
            seat = self._seat if node.sealed else likely
            if not _visits(node, seat):
                break
            edge = max(node.tables[seat].edges.values(), key=lambda each: each.visits)
            line.append(Step(seat, edge.move))
        return tuple(line)

    def _iterate(self, deadline: Deadline) -> None:
        game = self._game
        first, is_new = self._first()
        state = game.copy(self._world(first.visits))
        path = _Path(self._root, self._seat)
        while due := game.to_act(state):
            seat = due[0]
            if seat != self._seat and not self._settings.opponents:
                game.play(state, seat, self._knowledge.choose(state, seat, game.legal_moves(state, seat), self._rng))
                continue
            table = path.table_of(due if self._settings.opponents else (seat,))
            if seat == self._seat and not path.has_begun:
                edge = first
            else:
                edge, is_new = self._selected(table, state, seat, sealed=path.is_sealed)
            events = game.play(state, seat, edge.move)
            path.go(game, seat, edge, events)
            if path.has_begun and (is_new or edge.visits < self._settings.patience):
                break
        rewards = self._knowledge.finish(state, self._rng, deadline)
        luck = self._luck[first.visits] - self._usual
        for seat, edge in path.edges:
            edge.visits += 1
            edge.total += rewards[seat]
        first.total -= luck
        if self._expected is not None:
            self._expected += (rewards[self._seat] - luck + first.gap - self._expected) / (self.iterations + 2)
        self._note(first.move, rewards)

    def _first(self) -> tuple[Edge, bool]:
        """Returns the edge to begin with, and whether it is tried for the first time."""
        table = self._root.table(self._seat)
        known, untried = table.admit(self._moves)
        if untried:
            return table.open(self._knowledge.choose(self._world(0), self._seat, untried, self._rng)), True
        return best_of(known, self._exploration, self._bias), False

    def _world(self, number: int) -> Any:
        """Returns one of the worlds that were drawn, or draws it."""
        if number == len(self._worlds):
            world = self._deal(self._rng)
            self._worlds.append(world)
            self._luck.append(self._knowledge.chance(world, self._seat))
        return self._worlds[number]

    def _note(self, move: int, rewards: Sequence[float]) -> None:
        sums = self._sums.get(move)
        if sums is None:
            self._sums[move] = list(rewards)
        else:
            for seat, reward in enumerate(rewards):
                sums[seat] += reward

    def _selected(self, table: Table, state: Any, seat: int, *, sealed: bool) -> tuple[Edge, bool]:
        """Returns the edge to go down, and whether it is tried for the first time."""
        known, untried = table.admit(self._game.legal_moves(state, seat))
        if untried and len(known) < 1 + self._settings.widening * sqrt(table.visits):
            return table.open(self._knowledge.choose(state, seat, untried, self._rng)), True
        if sealed:
            return one_of(known, self._exploration, self._rng), False
        return best_of(known, self._exploration), False


def best_rated(moves: Sequence[int], ratings: Sequence[float]) -> int:
    """Returns the move with the highest rating, the first of equals."""
    return moves[max(range(len(moves)), key=ratings.__getitem__)]


def _visits(node: Node, seat: int) -> int:
    return node.tables[seat].visits if seat in node.tables else 0


class _Path:
    """The way of one iteration down the tree.

    Attributes:
        edges: the edges gone down, each with the seat that moved.
        has_begun: whether the searching player has moved.
    """

    __slots__ = ("_alone", "_among", "_anchor", "_node", "_observer", "_own", "edges", "has_begun")

    def __init__(self, root: Node, observer: int) -> None:
        self.edges: Final = list[tuple[int, Edge]]()
        self.has_begun = False
        self._observer: Final = observer
        self._node = root
        self._anchor: Node | None = None  # where choices began that are still sealed
        self._among: Sequence[int] = ()  # whose choices these are
        self._alone: dict[int, Node] = {}  # how far each of them has come
        self._own: tuple[int, ...] = ()  # the observer's among them

    @property
    def is_sealed(self) -> bool:
        """Whether choices are being made that are still sealed."""
        return self._anchor is not None

    def table_of(self, due: Sequence[int]) -> Table:
        """Returns the table from which the first of those who are to act chooses."""
        seat = due[0]
        if self._anchor is not None and seat not in self._among:
            self._unseal(b"")
        if self._anchor is None and len(due) > 1:
            self._anchor, self._among, self._alone, self._own = self._node, due, {}, ()
            self._node.sealed = True
        if self._anchor is None:
            return self._node.table(seat)
        return self._alone.get(seat, self._anchor).table(seat)

    def go(self, game: AnyGame, seat: int, edge: Edge, events: Sequence[Any]) -> None:
        """Goes down an edge."""
        self.edges.append((seat, edge))
        if seat == self._observer:
            self.has_begun = True
            self._own = (*self._own, edge.move)
        if self._anchor is None:
            self._node = edge.after = self._node.child(self._key(game, seat, edge, events))
        elif any(event.reveals for event in events):
            self._unseal(game.encode_events(self._seen(events)))
            edge.after = self._node
        else:
            after = self._alone.get(seat, self._anchor).child((seat, edge.move))
            self._alone[seat] = edge.after = after

    def _unseal(self, seen: bytes) -> None:
        if self._anchor is not None:
            self._node, self._anchor = self._anchor.child((self._own, seen)), None

    def _key(self, game: AnyGame, seat: int, edge: Edge, events: Sequence[Any]) -> Hashable:
        """Returns what the observer sees of a move, without what chance reveals."""
        if seat == self._observer:
            return edge.move
        return game.encode_events([event for event in self._seen(events) if not event.reveals])

    def _seen(self, events: Sequence[Any]) -> list[Any]:
        return [event for event in events if event.audience is None or event.audience == self._observer]
