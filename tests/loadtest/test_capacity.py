"""Needs are computed from costs by plain arithmetic; objectives are missed by what is slow or fails."""

from dataclasses import dataclass
from pathlib import Path

import pytest

from loadtest import results
from loadtest.capacity import MEASURED, PAGE, Costs, Habits, document, hottest_share, need
from loadtest.scenarios.objectives import OBJECTIVES, Objective, missed
from loadtest.scenarios.shapes import SHAPES

COSTS = Costs(
    move_us=1_000,
    delivery_us=100,
    store_us=50,
    idle_us=20_000,
    stream_bytes=2**15,
    match_bytes=2**12,
    message_bytes=940,
)
HABITS = Habits(players=2, spectators=1, pace_s=10)


def test_moves_and_deliveries_follow_from_matches_and_their_pace() -> None:
    """1,500 matches make 150 moves a second, each told to 3; 4,500 streams have a sign of life every 15 s."""
    found = need(1_500, COSTS, HABITS)
    assert (found.moves_s, found.deliveries_s) == (150, 450 + 300)


def test_cores_are_the_costs_of_moves_and_deliveries() -> None:
    """150 moves of 1 ms and 750 deliveries of 0.1 ms are 0.225 s a second; a process does 0.5, of which 0.02 idly."""
    found = need(1_500, COSTS, HABITS)
    assert found.cores == pytest.approx(0.225)
    assert found.replicas == 1
    assert need(15_000, COSTS, HABITS).replicas == 5  # 2.25 / 0.48, rounded up


def test_a_replica_has_no_more_streams_than_it_takes() -> None:
    """Of matches in which next to nothing happens only the streams count: 120,000 of them, 10,000 for a replica."""
    found = need(40_000, COSTS, Habits(players=2, spectators=1, pace_s=1e9))
    assert (found.replicas, found.breaks_first) == (12, "open streams")


def test_stores_are_few_and_their_memory_grows_with_matches() -> None:
    """100,000 moves a second of 50 us each are 5 s a second, at half of what 10 stores could do."""
    found = need(1_000_000, COSTS, HABITS)
    assert (found.shards, found.store_bytes) == (10, 1_000_000 * 2**12)


def test_the_more_matches_the_more_even_are_the_buckets() -> None:
    """Of 256 matches the fullest bucket has several times the mean, of very many hardly more than it."""
    assert hottest_share(256) > 3 / 256
    assert hottest_share(10**9) == pytest.approx(1 / 256, rel=0.01)


def test_the_page_shows_what_was_measured(tmp_path: Path) -> None:
    costs = {"few matches stored": 1_234.0, "the store, few matches stored": 56.0}
    results.write(
        "growth", {"cost_us": costs, "idle_ms_s": {"few matches stored": 15}, "stored_bytes": {"log": 1}}, tmp_path
    )
    stream = {"streams": 10, "kib": 20.0, "delivery_us": 78.0, "p99_s": 1.0, "message_bytes": 900}
    results.write("streams", {"one match": stream}, tmp_path)
    results.write("overload", {"overload": {"played_s": 700.0}}, tmp_path)
    page = document(tmp_path, HABITS)
    for figure in ("1234 us of a replica", "56 us of the store", "78 us of a replica, 900 bytes", "20.0 KiB"):
        assert figure in page
    assert "| matches at once | 1,000 | 100,000 | 1,000,000 |" in page


def test_the_page_is_what_the_figures_beside_it_make() -> None:
    assert PAGE.read_text() == document(MEASURED, Habits())


@dataclass
class Noted:
    """What Locust would have noted."""

    num_requests: int
    fail_ratio: float
    p99: float

    def get_response_time_percentile(self, percent: float) -> float:
        assert percent == 0.99
        return self.p99


def test_an_objective_is_missed_by_what_is_slow_or_fails_or_never_was() -> None:
    objective = Objective(p99_ms=100, failures=0.01)
    assert objective.missed("move", Noted(10, 0.01, 100)) == []
    assert objective.missed("move", Noted(10, 0, 101)) == ["move: p99 is 101 ms, at most 100 are allowed"]
    assert objective.missed("move", Noted(10, 0.5, 1)) == ["move: 50.00% failed, at most 1.00% may"]
    assert objective.missed("move", Noted(0, 0, 0)) == ["move: there was none"]


def test_of_all_objectives_those_that_are_missed_are_told() -> None:
    good, slow = Noted(10, 0, 1), Noted(10, 0, 99_999)
    assert missed(dict.fromkeys(OBJECTIVES, good)) == []
    assert len(missed(dict.fromkeys(OBJECTIVES, slow))) == len(OBJECTIVES)


def test_a_ramp_ends_when_an_objective_is_missed() -> None:
    """Until then there are more users from step to step."""
    ramp = SHAPES["ramp"]
    first, later = ramp(0, False), ramp(40, False)
    assert first is not None
    assert later is not None
    assert later[0] > first[0]
    assert ramp(40, True) is None


@pytest.mark.parametrize("name", ["smoke", "steady", "soak"])
def test_other_scenarios_have_the_same_users_to_their_end(name: str) -> None:
    assert SHAPES[name](0, False) == SHAPES[name](5, True)
    assert SHAPES[name](10**6, False) is None
