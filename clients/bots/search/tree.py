"""The tree of a search: nodes are what the searching player can tell apart, edges the moves seen there in any world."""

from collections.abc import Hashable, Sequence
from math import log, sqrt
from typing import Final

from clients.bots.search.chance import Rng


class Edge:
    """What is known of a move at a node.

    Attributes:
        move: its id.
        visits: the iterations that made it.
        available: the iterations in which it was legal at the node when a move was chosen there.
        weight: visits, and what the bias counts for.
        total: the sum of the mover's rewards, and of the bias by its weight.
        after: the node to which it led last.
    """

    __slots__ = ("after", "available", "move", "total", "visits", "weight")

    def __init__(self, move: int, prior: float = 0.0, weight: float = 0.0) -> None:
        self.move: Final = move
        self.visits = 0
        self.available = 0
        self.weight = weight
        self.total = prior * weight
        self.after: Node | None = None

    def score(self, exploration: float) -> float:
        """Returns the upper confidence bound with availability counts (Cowling, Powley, Whitehouse 2012, section IV).

        With a bias the move counts as visited before, with the bias for its reward, which fades as visits come.
        """
        return self.total / self.weight + exploration * sqrt(log(self.available) / self.weight)


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


def best_of(edges: Sequence[Edge], exploration: float) -> Edge:
    """Returns the edge with the highest bound, the first of equals."""
    best, highest = edges[0], -1e9
    for edge in edges:
        weight = edge.weight
        bound = edge.total / weight + exploration * sqrt(log(edge.available) / weight)
        if bound > highest:
            best, highest = edge, bound
    return best


def one_of(edges: Sequence[Edge], exploration: float, rng: Rng) -> Edge:
    """Returns the edge with the highest bound, whose second term is drawn anew between nothing and twice as much.

    Of seats that choose at once, and whose bounds went up and down in step, one would follow the other as if it saw it.
    """
    return max(edges, key=lambda edge: edge.score(2 * exploration * rng.random()))


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
