"""How many users there are in the course of a scenario, how often they act, and how it is judged step by step."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from loadtest.scenarios import objectives

Stage = tuple[int, float]
"""Users, and how many begin a second."""
BEGIN_S: Final = 3.0
"""Until the first users have begun; the first step begins then."""


@dataclass(frozen=True, slots=True)
class Scenario:
    """A scenario, of one step or of many with ever more users.

    Attributes:
        users: in the first step.
        rate: moves a second of each bot.
        seconds: a step lasts.
        more: users that each step has more; 0 if there is one step only.
        most: steps.
        thinking: whether bots think for random times, of the mean that the rate says, after each answer; else they move
            at the rate, whatever the answers take.
        steady_memory: whether referees must not need ever more memory.
    """

    users: int
    rate: float
    seconds: float
    more: int = 0
    most: int = 1
    thinking: bool = False
    steady_memory: bool = False

    def stage(self, now_s: float) -> Stage | None:
        """Returns the stage at a time; None is the end."""
        step = self.step(now_s)
        if step >= self.most:
            return None
        return self.users + self.more * step, self.users / BEGIN_S

    def step(self, now_s: float) -> int:
        """Returns the number of the step at a time, from 0."""
        return int(now_s // self.seconds)


SCENARIOS: Final[Mapping[str, Scenario]] = {
    "smoke": Scenario(users=26, rate=1.0, seconds=12.0),
    "steady": Scenario(users=52, rate=1.0, seconds=60.0),
    "thinking": Scenario(users=52, rate=1.0, seconds=60.0, thinking=True),
    "ramp": Scenario(users=26, rate=5.0, seconds=10.0, more=26, most=40),
    "soak": Scenario(users=52, rate=2.0, seconds=3_600.0, steady_memory=True),
}


@dataclass(frozen=True, slots=True)
class Step:
    """What was seen in a step.

    Attributes:
        users: there were.
        seconds: it lasted.
        calls: for each name the figures of its calls.
        missed: in words, the objectives that were.
    """

    users: int
    seconds: float
    calls: Mapping[str, Mapping[str, float]]
    missed: list[str]

    @classmethod
    def seen(cls, users: int, seconds: float, entries: Mapping[str, Any], limits: objectives.Limits) -> "Step":
        """Returns what Locust has noted since the step began."""
        calls = {name: _figures(entry, seconds) for name, entry in entries.items()}
        return cls(users, seconds, calls, objectives.missed(entries, limits))

    @property
    def moves_s(self) -> float:
        """Moves a second that were played."""
        return self.moves / self.seconds

    @property
    def moves(self) -> float:
        """Moves that were played."""
        return sum(self.calls[name]["succeeded"] for name in objectives.MOVES if name in self.calls)


def _figures(entry: Any, seconds: float) -> dict[str, float]:
    percentiles = {f"p{p}_ms": entry.get_response_time_percentile(p / 100) or 0.0 for p in (50, 95, 99)}
    succeeded = entry.num_requests - entry.num_failures
    return {"succeeded": succeeded, "failed": entry.num_failures, "rate_s": entry.num_requests / seconds, **percentiles}


def verdict(steps: list[Step]) -> list[str]:
    """Returns in words what fails a run: what its first step has missed. Later ones only tell where the knee is."""
    return steps[0].missed if steps else ["nothing has happened"]


def late(steps: list[Step]) -> bool:
    """Whether the last two steps missed an objective; one alone may have met something else that the machine did."""
    return len(steps) > 1 and all(step.missed for step in steps[-2:])


def knee(steps: list[Step]) -> Step | None:
    """Returns the last step that missed no objective before two that did; None if there were not all of them."""
    met = [step for step in steps if not step.missed]
    return met[-1] if met and late(steps) else None
