"""The tree of a search: nodes are what the searching player can tell apart, edges the moves seen there in any world."""

from collections.abc import Hashable, Sequence
from math import log, sqrt
from typing import Final, NamedTuple

from clients.bots.search.chance import Rng


class Edge:
    """What is known of a move at a node.

    Attributes:
        move: its id.
        gap: by how much it seems worse than the best, in chances to win, before it is tried.
        visits: the iterations that made it.
        available: the iterations in which it was legal at the node when a move was chosen there.
        total: the sum of the mover's rewards.
        after: the node to which it led last.
    """

    __slots__ = ("after", "available", "gap", "move", "total", "visits")

    def __init__(self, move: int, gap: float = 0.0) -> None:
        self.move: Final = move
        self.gap: Final = gap
        self.visits = 0
        self.available = 0
        self.total = 0.0
        self.after: Node | None = None

    def bound(self, exploration: float, bias: "Bias") -> float:
        """Returns the upper confidence bound with availability counts (Cowling, Powley, Whitehouse 2012, section IV).

        With a bias the move counts as visited before, with what the bias expects of it for its reward: it fades as
        visits come.
        """
        weight = self.visits + bias.visits
        mean = (self.total + bias.visits * (bias.level - self.gap)) / weight
        return mean + exploration * sqrt(log(self.available) / weight)


class Bias(NamedTuple):
    """How much is expected of moves before they are tried.

    Attributes:
        visits: for how many visits that counts.
        level: the reward that is expected of the best of them.
    """

    visits: float
    level: float


NO_BIAS: Final = Bias(0.0, 0.0)


class Table:
    """The edges of the moves of one seat at a node."""

    __slots__ = ("edges", "visits")

    def __init__(self) -> None:
        self.edges: Final = dict[int, Edge]()
        self.visits = 0

    def admit(self, moves: Sequence[int]) -> tuple[list[Edge], list[int]]:
        """Counts moves as available; returns the edges of those that were tried, and the rest."""
        self.visits += 1
        edges = self.edges
        known, untried = list[Edge](), list[int]()
        for move in moves:
            edge = edges.get(move)
            if edge is None:
                untried.append(move)
            else:
                edge.available += 1
                known.append(edge)
        return known, untried

    def open(self, move: int) -> Edge:
        """Returns the new edge of a move that is tried for the first time."""
        edge = self.edges[move] = Edge(move)
        edge.available = 1
        return edge


def best_of(edges: Sequence[Edge], exploration: float, bias: Bias = NO_BIAS) -> Edge:
    """Returns the edge with the highest bound, the first of equals."""
    best, highest = edges[0], -1e9
    before, level = bias
    for edge in edges:
        weight = edge.visits + before
        bound = (edge.total + before * (level - edge.gap)) / weight + exploration * sqrt(log(edge.available) / weight)
        if bound > highest:
            best, highest = edge, bound
    return best


def one_of(edges: Sequence[Edge], exploration: float, rng: Rng) -> Edge:
    """Returns the edge with the highest bound, whose second term is drawn anew between nothing and twice as much.

    Of seats that choose at once, and whose bounds went up and down in step, one would follow the other as if it saw it.
    """
    return max(edges, key=lambda edge: edge.bound(2 * exploration * rng.random(), NO_BIAS))


class Node:
    """A point that the searching player can tell from others, with a table for each seat that may choose there.

    Attributes:
        sealed: whether several seats choose there at once.
    """

    __slots__ = ("children", "sealed", "tables")

    def __init__(self) -> None:
        self.sealed = False
        self.tables: Final = dict[int, Table]()
        self.children: Final = dict[Hashable, Node]()

    def table(self, seat: int) -> Table:
        """Returns the table of a seat."""
        table = self.tables.get(seat)
        if table is None:
            table = self.tables[seat] = Table()
        return table

    def child(self, key: Hashable) -> "Node":
        """Returns the node to which something leads that the searching player has seen."""
        node = self.children.get(key)
        if node is None:
            node = self.children[key] = Node()
        return node
