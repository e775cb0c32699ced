"""The search against OpenSpiel's."""

from clients.sdk import Budget
from loadtest.openspiel import Deal, Pace, play, told


def test_both_search_as_often_where_iterations_are_equal() -> None:
    """A deal is played by both with as many iterations for each move that has a choice."""
    deal = play("artsee", Budget(None, 2), 0)
    assert deal.ours.iterations == 2 * deal.ours.moves > 100
    assert deal.theirs.iterations == 2 * deal.theirs.moves > 100
    assert deal.share in (0.0, 0.25, 0.5, 0.75, 1.0)


def test_a_row_tells_shares_and_paces() -> None:
    """Shares are of all deals, with an interval over them; paces are means of a move."""
    ours, theirs = Pace(2, 60, 0.2), Pace(4, 20, 0.2)
    row = told("artsee", "time", [Deal(1.0, ours, theirs), Deal(1.0, ours, theirs)])
    assert row == "| artsee | time | 2 | 100.0% | 100.0% to 100.0% | 30 in 100 ms | 5 in 50 ms |"
