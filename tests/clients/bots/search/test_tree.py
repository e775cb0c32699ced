"""The bound by which a move is chosen, with the numbers of the paper's definition worked out by hand."""

from math import log, sqrt

import pytest

from clients.bots.search.tree import NO_BIAS, Bias, Edge, Node, Table, best_of


def tried(move: int, visits: int, available: int, total: float, gap: float = 0.0) -> Edge:
    edge = Edge(move, gap)
    edge.visits, edge.available, edge.total = visits, available, total
    return edge


@pytest.mark.parametrize("exploration", [0.0, 0.7, 2.0])
def test_the_bound_is_the_mean_and_what_the_visits_leave_open_of_those_in_which_the_move_was_there(
    exploration: float,
) -> None:
    """Of 20 iterations in which it was legal 4 made the move and won 3: 3/4 + k * sqrt(ln 20 / 4)."""
    edge = tried(7, visits=4, available=20, total=3.0)
    assert edge.bound(exploration, NO_BIAS) == pytest.approx(0.75 + exploration * sqrt(log(20) / 4))


def test_a_move_that_was_there_less_often_is_explored_less() -> None:
    """Both won 2 of 4. The one legal in 100 iterations has sqrt(ln 100 / 4) = 1.07, that of 10 has 0.76."""
    often, seldom = tried(0, 4, 100, 2.0), tried(1, 4, 10, 2.0)
    assert often.bound(0.7, NO_BIAS) == pytest.approx(0.5 + 0.7 * 1.0730, abs=1e-4)
    assert seldom.bound(0.7, NO_BIAS) == pytest.approx(0.5 + 0.7 * 0.7587, abs=1e-4)
    assert best_of([seldom, often], 0.7) is often


def test_without_exploration_the_better_mean_is_chosen() -> None:
    worse, better = tried(0, 1, 50, 0.5), tried(1, 40, 50, 24.0)
    assert best_of([worse, better], 0.0) is better
    assert best_of([worse, better], 0.7) is worse


def test_of_equals_the_first_is_chosen() -> None:
    edges = [tried(move, 2, 5, 1.0) for move in (4, 3)]
    assert best_of(edges, 0.7) is edges[0]


def test_a_bias_counts_as_visits_that_fade() -> None:
    """Of the best 0.9 is expected, of this one 0.1 less, for 2 visits: with 2 more that won nothing 1.6 / 4 is left."""
    bias = Bias(visits=2, level=0.9)
    assert tried(0, 2, 1, 0.0, gap=0.1).bound(0.7, bias) == pytest.approx(0.4)
    assert tried(0, 198, 1, 0.0, gap=0.1).bound(0.7, bias) == pytest.approx(0.008)


def test_by_its_bias_a_move_is_tried_before_others() -> None:
    edges = [tried(move, 0, 1, 0.0, gap) for move, gap in ((5, 0.2), (6, 0.0), (7, 0.1))]
    assert best_of(edges, 0.7, Bias(visits=4, level=0.5)).move == 6


def test_availability_is_counted_where_a_move_is_legal_and_not_elsewhere() -> None:
    table = Table()
    assert table.admit([1, 2]) == ([], [1, 2])
    first = table.open(1)
    assert table.admit([1, 2]) == ([first], [2])
    second = table.open(2)
    assert table.admit([2, 3]) == ([second], [3])
    assert (first.available, second.available, table.visits) == (2, 2, 3)


def test_what_looks_alike_is_one_node() -> None:
    node = Node()
    assert node.child(b"seen") is node.child(b"seen")
    assert node.child(b"seen") is not node.child(b"else")
    assert node.table(2) is node.table(2)
