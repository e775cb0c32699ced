"""Needs are computed from costs by plain arithmetic."""

from pathlib import Path

import pytest

from loadtest import results
from loadtest.capacity import MEASURED, PAGE, Costs, Habits, document, hottest_share, need

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
    crowd = {"streams": 10, "kib": 20.0, "delivery_us": 60.0, "p99_s": 1.0, "message_bytes": 300}
    floor, seat = {"delivery_us": 40.0, "p99_s": 0.5}, {"delivery_us": 78.0, "message_bytes": 900}
    results.write("streams", {"one match": crowd, "floor": floor, "one seat": seat}, tmp_path)
    results.write("overload", {"knee_s": 700.0}, tmp_path)
    page = document(tmp_path, HABITS)
    for figure in ("1234 us of a replica", "56 us of the store", "78 us of a replica, 900 bytes", "20.0 KiB"):
        assert figure in page
    assert "60 us of a replica, 300 bytes" in page
    assert "costs\n1.5 times what gRPC takes" in page
    assert "| matches at once | 1,000 | 100,000 | 1,000,000 |" in page


def test_the_page_is_what_the_figures_beside_it_make() -> None:
    assert PAGE.read_text() == document(MEASURED, Habits())
