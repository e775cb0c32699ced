"""A run fails by what is slow, fails or never was; a ramp ends at its knee; moves are counted at the referees."""

import os
import subprocess
import sys
from dataclasses import dataclass, replace
from pathlib import Path

import pytest

from loadtest import results, run
from loadtest.fleet import Caller, Fleet
from loadtest.http2 import connect
from loadtest.scenarios.objectives import (
    CREATION,
    DELIVERY,
    MOVE,
    MOVE_OVER_PLAY,
    OBJECTIVES,
    Objective,
    missed,
    with_p99,
)
from loadtest.scenarios.shapes import SCENARIOS, Scenario, Step, knee, late, verdict
from loadtest.topology import Memory, MissingError, Service, configuration, haproxy, service
from referee.games import registry
from tests.servers import required_program

COSTS = run.Costs({"unary": 10, "play": 10}, 1, 1, 0.5, [100.0] * 8, [10.0] * 8)


@dataclass
class Noted:
    """What Locust would have noted."""

    num_requests: int
    num_failures: int
    p99: float

    def get_response_time_percentile(self, percent: float) -> float:
        return self.p99


GOOD = Noted(10, 0, 1)


def test_an_objective_is_missed_by_what_is_slow_or_fails_or_never_was() -> None:
    objective = Objective(p99_ms=100, failures=0.01)
    assert objective.missed("move", Noted(100, 1, 100)) == []
    assert objective.missed("move", Noted(10, 0, 101)) == ["move: p99 is 101 ms, at most 100 are allowed"]
    assert objective.missed("move", Noted(10, 5, 1)) == ["move: 50.00% failed, at most 1.00% may"]
    assert objective.missed("move", Noted(0, 0, 0)) == ["move: there was none"]


def test_of_all_objectives_those_that_are_missed_are_told() -> None:
    assert missed(dict.fromkeys(OBJECTIVES, GOOD)) == []
    assert len(missed(dict.fromkeys(OBJECTIVES, Noted(10, 0, 99_999)))) == len(OBJECTIVES)
    assert missed({name: GOOD for name in OBJECTIVES if name != MOVE}) == ["move: there was none"]


def test_an_objective_may_be_another() -> None:
    entries = dict.fromkeys(OBJECTIVES, Noted(10, 0, 60))
    assert missed(entries, with_p99({MOVE: 50.0})) == ["move: p99 is 60 ms, at most 50 are allowed"]


def step(users: int, *words: str, p99: float = 1) -> Step:
    """A step of ten seconds, in which each kind of call was made ten times and none failed."""
    seen = Step.seen(users, 10.0, dict.fromkeys(OBJECTIVES, Noted(10, 0, p99)), OBJECTIVES)
    return Step(seen.users, seen.seconds, seen.calls, list(words))


def test_a_step_tells_what_was_seen_in_it() -> None:
    """Ten moves by calls and ten over streams in 10 s are 2 a second."""
    seen = Step.seen(
        26, 10.0, {MOVE: Noted(11, 1, 7), MOVE_OVER_PLAY: GOOD, CREATION: GOOD, DELIVERY: GOOD}, OBJECTIVES
    )
    assert (seen.moves, seen.moves_s) == (20, 2.0)
    assert (seen.calls[MOVE]["failed"], seen.calls[MOVE]["p99_ms"]) == (1, 7)
    assert seen.missed == ["move: 9.09% failed, at most 0.10% may"]


def test_a_ramp_has_more_users_from_step_to_step() -> None:
    ramp = Scenario(users=10, rate=5, seconds=10, more=20, most=3)
    assert [ramp.stage(now_s) for now_s in (0, 25, 30)] == [(10, 10 / 3), (50, 10 / 3), None]


@pytest.mark.parametrize("name", ["smoke", "steady", "thinking", "soak"])
def test_other_scenarios_have_the_same_users_to_their_end(name: str) -> None:
    scenario = SCENARIOS[name]
    assert scenario.stage(0) == scenario.stage(scenario.seconds - 1)
    assert scenario.stage(scenario.seconds) is None


def test_the_knee_is_before_two_steps_that_missed_an_objective() -> None:
    """Which do not fail the run, unless the first step did; a single one tells of nothing."""
    low, high, slow = step(10), step(20), step(30, "move: too slow")
    assert (late([low, high, slow, slow]), knee([low, high, slow, slow])) == (True, high)
    assert (late([low, slow, high]), knee([low, slow, high])) == (False, None)
    assert knee([slow, slow]) is None
    assert verdict([low, high, slow, slow]) == []
    assert verdict([slow, slow]) == ["move: too slow"]
    assert verdict([]) == ["nothing has happened"]


def test_a_run_fails_if_the_referees_count_fewer_moves_than_were_answered() -> None:
    counted = {"unary": 9, "play": 12}
    words = run.missed(SCENARIOS["smoke"], [step(26)], replace(COSTS, counted=counted))
    assert words == ["move: 10 were answered, but the referees count 9"]


def test_a_soak_fails_if_referees_need_ever_more_memory() -> None:
    costs = replace(COSTS, referee_mib=[50.0, 90.0, 100.0, 100.0, 110.0, 120.0, 130.0, 140.0])
    (word,) = run.missed(SCENARIOS["soak"], [step(52)], costs)
    assert word == "memory: 140 MiB, 100 at a quarter of the run; 1.25 times are allowed"
    assert run.missed(SCENARIOS["steady"], [step(52)], costs) == []


def test_the_page_tells_of_the_machine_and_of_what_was_missed() -> None:
    page = run.page_of(
        "ramp", SCENARIOS["ramp"], [step(26), step(52, "late <1>"), step(78, "late")], COSTS, ["late <1>"]
    )
    for words in ("The knee is at 2 moves a second, of 26 users", "Missed: late &lt;1&gt;", "grpcio", "move over Play"):
        assert words in page


def test_the_balancer_knows_as_many_referees_as_there_are() -> None:
    lines = [
        line.split()[:3] for line in configuration(["127.1.1.1", "b", "c"]).splitlines() if " server referee" in line
    ]
    assert lines == [["server", f"referee-{n}", f"{host}:50051"] for n, host in enumerate(("127.1.1.1", "b", "c"), 1)]


def test_where_there_is_no_balancer_it_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("shutil.which", lambda program, path: None)
    with pytest.raises(MissingError, match="there is no haproxy: install it, or use --direct"):
        haproxy()


async def test_moves_through_the_balancer_are_counted_at_the_referees() -> None:
    """With as many referees as are asked for, each of which takes some of them."""
    required_program("/usr/sbin/haproxy", "haproxy")
    with service(2, balanced=True, fsync="no") as running, Memory(running):
        caller = Caller(await connect(running.address), running.address)
        fleet = await Fleet.create(caller, registry()["artsee"], 2, 4)
        await fleet.play(0, 10)
        caller.leave()
        assert running.moves() == {"unary": 40}
        assert [one_of(running, place).moves().total() > 0 for place in range(2)] == [True, True]


def one_of(running: Service, place: int) -> Service:
    """The service, of which only one referee is looked at."""
    return replace(running, referees=running.referees[place : place + 1])


def test_a_run_that_misses_an_objective_fails(tmp_path: Path) -> None:
    """No call takes no time at all."""
    if not run.LOCUST.exists():
        pytest.skip(f"there is no {run.LOCUST}: run `make load`, which sets it up")
    words = ("smoke", "--seconds", "2", "--replicas", "1", "--direct", "--p99", MOVE, "0", "--out", str(tmp_path))
    command = (sys.executable, "-m", "loadtest.run", *words)
    ended = subprocess.run(command, cwd=run.ROOT, env=os.environ, capture_output=True, text=True, check=False)
    assert ended.returncode == 1
    assert "MISSED move: p99 is" in ended.stdout
    assert "MISSED move: p99 is" in " ".join(f"MISSED {word}" for word in results.read("smoke", tmp_path)["missed"])
    assert "at most 0 are allowed" in (tmp_path / "smoke.html").read_text()
