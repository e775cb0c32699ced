"""How long calls may wait: measured by markers, on a clock that the tests move."""

import random
from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Final

import pytest

from referee.api.backlog import PATIENCE_S, PERIOD_S, Backlog
from tests.api.test_quotas import Clock

LONGEST_S: Final = 0.5


@pytest.fixture
def clock() -> Clock:
    return Clock()


@dataclass
class Sent:
    """Markers that were sent."""

    count: int = 0

    def __call__(self) -> None:
        self.count += 1


def watched(clock: Clock, longest_s: float = LONGEST_S) -> tuple[Backlog, Sent]:
    """A backlog, and the markers that it sends."""
    backlog, sent = Backlog(longest_s, clock), Sent()
    backlog.watch(sent)
    return backlog, sent


def standing(clock: Clock, backlog: Backlog) -> None:
    """Lets a backlog stand for as long as it may."""
    for _ in range(round(PATIENCE_S / PERIOD_S) + 2):
        backlog.late()
        clock.now += PERIOD_S


def test_a_marker_is_sent_with_a_call_and_not_again_too_soon(clock: Clock) -> None:
    """However many calls there are; and none without calls."""
    backlog, sent = watched(clock)
    assert sent.count == 0
    for _ in range(100):
        backlog.late()
    assert sent.count == 1
    clock.now += PERIOD_S
    backlog.late()
    assert sent.count == 2


def test_a_backlog_that_stands_makes_late_what_came_before_the_oldest_marker(clock: Clock) -> None:
    backlog, sent = watched(clock)
    standing(clock, backlog)
    assert backlog.late()
    waited_s = sent.count * PERIOD_S
    while waited_s > LONGEST_S + PERIOD_S:
        assert backlog.late()
        backlog.arrived()
        waited_s -= PERIOD_S
    backlog.arrived()
    assert not backlog.late()


def test_a_burst_may_wait(clock: Clock) -> None:
    """Longer than a backlog that stands: it is gone before long."""
    backlog, _ = watched(clock)
    backlog.late()
    clock.now += PATIENCE_S * 0.99
    assert PATIENCE_S * 0.99 > LONGEST_S
    assert not backlog.late()
    clock.now += PATIENCE_S * 0.02
    assert backlog.late()


def test_once_nothing_waits_the_next_burst_may_wait_as_long(clock: Clock) -> None:
    backlog, sent = watched(clock)
    standing(clock, backlog)
    assert backlog.late()
    for _ in range(sent.count):
        backlog.arrived()
    assert not backlog.late()
    clock.now += LONGEST_S + PERIOD_S
    assert not backlog.late()


def test_markers_that_are_lost_make_nobody_late(clock: Clock) -> None:
    backlog, _ = watched(clock)
    standing(clock, backlog)
    backlog.forget()
    assert not backlog.late()


def test_a_backlog_that_is_not_watched_is_none(clock: Clock) -> None:
    """Before it is measured, afterwards, and where no wait is too long."""
    unwatched, (unlimited, _), (rested, _) = Backlog(LONGEST_S, clock), watched(clock, 0), watched(clock)
    standing(clock, rested)
    rested.rest()
    for backlog in (unwatched, unlimited, rested):
        standing(clock, backlog)
        assert not backlog.late()


def test_a_marker_that_nobody_sent_changes_nothing(clock: Clock) -> None:
    backlog, _ = watched(clock)
    backlog.arrived()
    assert not backlog.late()


def test_markers_call_what_nobody_else_knows(clock: Clock) -> None:
    assert len({Backlog(LONGEST_S, clock).method for _ in range(100)}) == 100


@dataclass
class Counter:
    """A server with one queue, as gRPC keeps it: arrivals at random times, a call after the other.

    Attributes:
        played_s: how long each call had waited that was played, with the time at which it was.
        refused: how many calls were refused.
    """

    clock: Clock
    play_s: float = 0.001
    refuse_s: float = 0.0003
    played_s: list[tuple[float, float]] = field(default_factory=list)
    refused: int = 0

    def run(self, rates: list[tuple[float, float]]) -> None:
        """Lets calls come, for so many seconds so many a second, until none waits."""
        backlog, start, queue = Backlog(LONGEST_S, self.clock), self.clock.now, deque[float | None]()
        backlog.watch(lambda: queue.append(None))
        arrivals = deque(_arrivals(start, rates))
        while arrivals or queue:
            if not queue:
                self.clock.now = max(self.clock.now, arrivals[0])
            while arrivals and arrivals[0] <= self.clock.now:
                queue.append(arrivals.popleft())
            came = queue.popleft()
            if came is None:
                backlog.arrived()
            elif backlog.late():
                self.refused += 1
                self.clock.now += self.refuse_s
            else:
                self.played_s.append((self.clock.now - start, self.clock.now - came))
                self.clock.now += self.play_s


def _arrivals(start: float, rates: list[tuple[float, float]]) -> Iterator[float]:
    rng, end = random.Random(1), start
    for seconds, rate in rates:
        due, end = end, end + seconds
        while (due := due + rng.expovariate(rate)) < end:
            yield due


@pytest.mark.parametrize("times", [1.2, 2.0, 3.0])
def test_of_too_many_calls_those_that_are_played_have_not_waited_long(clock: Clock, times: float) -> None:
    """Once the backlog has stood for a while: it is told by the next marker, and one may lie between."""
    counter = Counter(clock)
    counter.run([(10.0, times / counter.play_s)])
    waits = [waited for at, waited in counter.played_s if at > 3 * PATIENCE_S]
    assert max(waits) <= LONGEST_S + 2 * PERIOD_S
    assert counter.refused > 0


def test_a_service_is_kept_busy_with_what_it_can_do(clock: Clock) -> None:
    """What refusals leave of its time goes to calls."""
    counter, times, seconds = Counter(clock), 2.0, 40.0
    counter.run([(seconds, times / counter.play_s)])
    share = (1 - times * counter.refuse_s / counter.play_s) / (1 - counter.refuse_s / counter.play_s)
    assert len(counter.played_s) == pytest.approx(seconds / counter.play_s * share, rel=0.1)


def test_after_too_many_it_is_soon_itself_again(clock: Clock) -> None:
    counter = Counter(clock)
    counter.run([(10.0, 2000), (10.0, 500)])
    waits = [waited for at, waited in counter.played_s if at > 11.0]
    assert max(waits) < 0.05


def test_nobody_is_refused_by_a_service_that_can_do_it_all(clock: Clock) -> None:
    """Also in bursts."""
    counter = Counter(clock)
    counter.run([(5.0, 800), (0.1, 2500), (5.0, 800)])
    assert counter.refused == 0
