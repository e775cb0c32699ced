"""The Plackett-Luce model: closed forms, and a likelihood written as in the paper that is maximised by trying."""

import random
from collections import Counter, defaultdict
from collections.abc import Sequence
from math import log

import pytest

from clients.tournament.statistics.plackett_luce import Choices, Items, fit
from tests.clients.tournament.statistics.naive import Ranking, climbed, likelihood


def choices(rankings: Sequence[Ranking], items: int) -> Choices:
    """Counts choices as the docstring of `Choices` says."""
    chosen = [0.0] * items
    ties, sets = Counter[int](), defaultdict[Items, float](float)
    for ranking in rankings:
        left = {item for equals in ranking for item in equals}
        for equals in ranking:
            if len(left) > 1:
                sets[tuple(sorted(left))] += 1
                ties[len(equals)] += 1
                for item in equals:
                    chosen[item] += 1 / len(equals)
            left -= set(equals)
    most = max(ties)
    return Choices(chosen, [float(ties[order]) for order in range(2, most + 1)], sets)


def test_two_without_ties_are_as_bradley_and_terry_say() -> None:
    """With 29/6 wins to 1 the derivative vanishes at worths 2 and 1/2: 29/6 - 35/6 * 4/5 + 1/2 - 2/3 = 0."""
    fitted = fit(Choices([29 / 6, 1.0], [], {(0, 1): 35 / 6}))
    assert fitted.log_worths == pytest.approx([log(2), -log(2)], abs=1e-9)
    assert fitted.log_ties == []


def test_ties_of_two_equals_are_as_davidson_says() -> None:
    """Equals that tie 1.5 times in 5, and ghosts that tie half a time in 3: 2 of 8 = tie / (2 + tie)."""
    fitted = fit(Choices([1.75 + 0.75, 1.75 + 0.75], [1.5], {(0, 1): 5.0}))
    assert fitted.log_worths == pytest.approx([0.0, 0.0], abs=1e-9)
    assert fitted.log_ties == pytest.approx([log(2 / 3)], abs=1e-9)


def test_without_results_all_are_worth_the_same() -> None:
    """Only the ghosts are left, and they prefer nobody."""
    assert fit(Choices([0.0] * 3, [], {})).log_worths == pytest.approx([0.0, 0.0, 0.0])


@pytest.mark.parametrize(
    ("rankings", "items", "ties"),
    [
        ([[[0], [1], [2]], [[1], [0], [2]], [[0], [2], [1]], [[0], [1], [2]]], 3, 0),
        ([[[0], [1]], [[0], [2], [1]], [[2], [3]], [[3], [0], [1], [2]]], 4, 0),
        ([[[0, 1], [2]], [[1], [0, 2]], [[0], [1], [2]], [[2], [0, 1]], [[1, 2]]], 3, 1),
        ([[[0, 1, 2]], [[1], [0], [2]], [[0, 1], [2], [3]], [[3], [0, 2]], [[1], [2, 3]]], 4, 2),
        ([[[0, 1, 2]], [[0, 1, 2]]], 3, 2),
        ([[[0], [1]], [[2], [3]], [[3], [2]]], 4, 0),
    ],
)
def test_a_fit_is_where_the_likelihood_of_the_paper_is_greatest(rankings: list[Ranking], items: int, ties: int) -> None:
    """Tables of several sizes, with ties of two and three, where everything ties, and where not all have met."""
    fitted = fit(choices(rankings, items))
    best = climbed(lambda numbers: likelihood(rankings, numbers[:items], numbers[items:]), items + ties)
    assert [*fitted.log_worths, *fitted.log_ties] == pytest.approx(best, abs=1e-3)


def test_a_step_from_a_fit_to_its_own_choices_leads_nowhere() -> None:
    """The slope of all choices together with the ghosts' is level, in whatever parts it is summed."""
    rankings: list[Ranking] = [[[0, 1], [2]], [[1], [0, 2]], [[0], [1], [2]]]
    fitted = fit(choices(rankings, 3))
    parts = [fitted.slope(Choices(part.chosen, [*part.ties, 0.0][:1], part.sets)) for part in _single(rankings)]
    assert fitted.after([sum(column) for column in zip(*parts, strict=True)]) == pytest.approx(fitted.log_worths)


def test_a_step_to_slightly_other_choices_is_close_to_their_fit() -> None:
    """One of two hundred rankings turned round moves a worth; the step misses less than a tenth of the move."""
    rng = random.Random(4)
    rankings: list[Ranking] = [[[item] for item in rng.sample(range(4), 3)] for _ in range(200)]
    turned: list[Ranking] = [rankings[0][::-1], *rankings[1:]]
    before, after = fit(choices(rankings, 4)), fit(choices(turned, 4))
    stepped = before.after(before.slope(choices(turned, 4)))
    moved = [new - old for new, old in zip(after.log_worths, before.log_worths, strict=True)]
    assert stepped == pytest.approx(after.log_worths, abs=max(map(abs, moved)) / 10)


def _single(rankings: Sequence[Ranking]) -> list[Choices]:
    return [choices([ranking], 3) for ranking in rankings]
