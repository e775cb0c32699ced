"""Reckoning of time: what falls into an outage passes for nobody, what stays within the margin is charged to nobody."""

import random
from collections.abc import Iterator

import pytest

from referee.table.clocks import FULLEST_MS, Deadline, Moment, Outage, Terms, earliest
from tests.table.bookkeeper import passed, up_at

CASES = 500


def random_outages(rng: random.Random) -> tuple[Outage, ...]:
    """Up to five outages in their order; the next may begin before one ends, or at its very end."""
    starts = sorted(rng.randrange(60) for _ in range(rng.randrange(6)))
    outages = list[Outage]()
    for start in starts:
        latest = outages[-1][1] if outages else 0
        outages.append((start, max(latest, start + rng.choice((0, 1, 2, 5, 20)))))
    return tuple(outages)


def cases() -> Iterator[tuple[random.Random, tuple[Outage, ...]]]:
    for number in range(CASES):
        rng = random.Random(number)
        yield rng, random_outages(rng)


def test_time_between_is_what_is_left_when_every_millisecond_of_an_outage_is_taken_out() -> None:
    for rng, outages in cases():
        since = rng.randrange(70)
        until = since + rng.randrange(70)
        assert Moment(0, outages).between(since, until) == passed(since, until, outages), (
            since,
            until,
            outages,
        )


def test_time_is_up_when_as_many_milliseconds_have_passed_as_were_allowed() -> None:
    for rng, outages in cases():
        since, allowance = rng.randrange(70), rng.randrange(40)
        assert Moment(0, outages).after(since, allowance) == up_at(since, allowance, outages), (since, outages)


def test_what_has_passed_when_time_is_up_is_what_was_allowed() -> None:
    for rng, outages in cases():
        since, allowance = rng.randrange(70), rng.randrange(40)
        moment = Moment(0, outages)
        assert moment.between(since, moment.after(since, allowance)) == allowance


@pytest.mark.parametrize(
    ("outages", "expected"),
    [
        ((), 1_100),
        (((500, 1_000),), 1_100),  # over before the question
        (((1_100, 1_200),), 1_100),  # begins when time is up
        (((1_099, 1_199),), 1_200),
        (((900, 1_050),), 1_150),  # the question falls into it
        (((1_000, 1_010), (1_020, 1_030)), 1_120),
        (((1_000, 1_050), (1_140, 1_160)), 1_170),  # the second is met only because of the first
        (((1_000, 1_050), (1_020, 1_060)), 1_160),  # what two share is taken out once
        (((1_000, 5_000), (5_000, 9_000)), 9_100),
    ],
)
def test_an_outage_puts_off_when_time_is_up(outages: tuple[Outage, ...], expected: int) -> None:
    """A question asked at 1,000 ms, with 100 ms for the answer."""
    assert Moment(0, outages).after(1_000, 100) == expected


@pytest.mark.parametrize(
    ("terms", "bank_ms", "allowance_ms"),
    [
        (Terms(move_ms=500), 0, 500),
        (Terms(move_ms=500, margin_ms=50), 0, 550),
        (Terms(bank_ms=9_000), 4_000, 4_000),
        (Terms(bank_ms=9_000, margin_ms=50), 4_000, 4_050),
        (Terms(move_ms=500, bank_ms=9_000, margin_ms=50), 4_000, 550),
        (Terms(move_ms=500, bank_ms=9_000, margin_ms=50), 300, 350),
        (Terms(move_ms=500, bank_ms=9_000, margin_ms=50), 0, 50),
    ],
)
def test_a_seat_may_take_the_lesser_of_limit_and_bank_and_the_margin(
    terms: Terms, bank_ms: int, allowance_ms: int
) -> None:
    assert terms.allowance_ms(bank_ms) == allowance_ms


@pytest.mark.parametrize(
    ("taken_ms", "left_ms"),
    [
        (0, 1_020),
        (50, 1_020),  # all of it is margin
        (51, 1_019),
        (1_000, 70),
        (1_050, 20),  # just in time
    ],
)
def test_an_answer_costs_what_it_took_beyond_the_margin_and_earns_the_increment(taken_ms: int, left_ms: int) -> None:
    assert Terms(bank_ms=5_000, increment_ms=20, margin_ms=50).charged(1_000, taken_ms) == left_ms


def test_a_bank_has_a_bottom_and_a_top() -> None:
    """The top is far above what anybody needs, and the wire has room for it."""
    terms = Terms(bank_ms=1_000, increment_ms=3_600_000)
    assert terms.charged(500, 10_000) == 3_600_000
    assert terms.charged(FULLEST_MS - 1, 0) == FULLEST_MS < 2**32


@pytest.mark.parametrize(
    ("terms", "timed"),
    [
        (Terms(), False),
        (Terms(join_ms=5, illegal_moves=0), False),
        (Terms(move_ms=1), True),
        (Terms(bank_ms=1), True),
    ],
)
def test_a_limit_or_a_bank_makes_clocks(terms: Terms, timed: bool) -> None:
    assert terms.timed == timed


def test_the_earliest_deadline_is_so_of_each_kind() -> None:
    assert earliest([]) == Deadline()
    assert earliest([Deadline(), Deadline(5), Deadline(None, 7)]) == Deadline(5, 7)
    assert earliest([Deadline(5, 9), Deadline(3), Deadline(None, 7)]) == Deadline(3, 7)


@pytest.mark.parametrize(
    ("deadline", "left_ms"),
    [(Deadline(), 0), (Deadline(1_300), 300), (Deadline(900), 0), (Deadline(None, 70), 70), (Deadline(1_300, 70), 70)],
)
def test_how_long_it_is_until_a_deadline(deadline: Deadline, left_ms: int) -> None:
    """At 1,000 ms."""
    assert deadline.left_ms(1_000) == left_ms
