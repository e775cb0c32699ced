"""Fitting finds the weights by which samples were made."""

import random
from math import log

import pytest

from clients.bots.search.fitting import Sample, fitted, least_squares, loss
from clients.bots.search.logit import chances


def samples(weights: list[float], number: int) -> list[Sample]:
    """Of three seats with random features; each seat scores by the weights and wins by its chance."""
    rng = random.Random(1)
    made = []
    for _ in range(number):
        rows = [[rng.gauss(0, 1) for _ in weights] for _ in range(3)]
        scores = [sum(weight * value for weight, value in zip(weights, row, strict=True)) for row in rows]
        made.append(Sample(rows, 0.0, [7.0 + score for score in scores], chances(scores)))
    return made


def test_least_squares_tell_by_how_much_seats_outscore_each_other() -> None:
    """What all seats have in common, here 7 points, does not matter."""
    found = least_squares(samples([2.0, -1.0, 0.5], 200), [0.0, 0.0, 0.0], 1e-9)
    assert found == pytest.approx([2.0, -1.0, 0.5], abs=1e-4)


def test_a_feature_that_is_the_same_for_all_keeps_its_guess() -> None:
    made = [Sample([[1.0, *row] for row in each.rows], 0.0, each.scored, each.won) for each in samples([1.0], 50)]
    assert least_squares(made, [0.3, 0.0], 1e-6) == pytest.approx([0.3, 1.0], abs=1e-4)


def test_faith_in_guesses_holds_weights_back() -> None:
    """With a ridge of 1 a weight goes half the way from its guess, 4, to the truth, 2."""
    assert least_squares(samples([2.0], 100), [4.0], 1.0) == pytest.approx([3.0], abs=1e-4)


def test_the_logit_finds_what_the_chances_came_from() -> None:
    assert fitted(samples([1.0, -0.5], 400), 0.0) == pytest.approx([1.0, -0.5], abs=1e-2)


def test_without_weights_the_loss_is_that_of_chance() -> None:
    assert loss(samples([1.0], 20), [0.0]) == pytest.approx(log(3))


def test_chances_of_equals_are_equal_and_a_point_is_a_factor_of_e() -> None:
    assert chances([5.0, 5.0]) == [0.5, 0.5]
    assert chances([1.0, 0.0])[0] == pytest.approx(2.718281828 / 3.718281828)
    assert chances([1000.0, 0.0]) == [1.0, 0.0]
