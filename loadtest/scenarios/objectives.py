"""Service-level objectives: what must hold for a run to succeed."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Final, Protocol


class Entry(Protocol):
    """What Locust has noted of the calls of one name."""

    num_requests: int
    num_failures: int

    def get_response_time_percentile(self, percent: float) -> float:
        """Returns a latency in ms."""
        ...


@dataclass(frozen=True, slots=True)
class Objective:
    """The most that calls of a name may take, in ms for 99 of 100, and the share of them that may fail."""

    p99_ms: float
    failures: float = 0.001

    def missed(self, name: str, entry: Entry) -> list[str]:
        """Returns in words what was missed."""
        if not entry.num_requests:
            return [f"{name}: there was none"]
        p99, words = entry.get_response_time_percentile(0.99), list[str]()
        if p99 > self.p99_ms:
            words.append(f"{name}: p99 is {p99:.0f} ms, at most {self.p99_ms:.0f} are allowed")
        failed = entry.num_failures / entry.num_requests
        if failed > self.failures:
            words.append(f"{name}: {failed:.2%} failed, at most {self.failures:.2%} may")
        return words


MOVE: Final = "move"
MOVE_OVER_PLAY: Final = "move over Play"
STREAM: Final = "stream over Play"
DELIVERY: Final = "delivery"
CREATION: Final = "creation"
MOVES: Final = (MOVE, MOVE_OVER_PLAY)
Limits = Mapping[str, Objective]
"""By the name of the calls."""
OBJECTIVES: Final[Limits] = {
    MOVE: Objective(p99_ms=250),
    MOVE_OVER_PLAY: Objective(p99_ms=250),
    DELIVERY: Objective(p99_ms=1_000),
    CREATION: Objective(p99_ms=500),
}


def with_p99(limits_ms: Mapping[str, float]) -> Limits:
    """Returns the objectives, some of them with another limit."""
    return {name: replace(limit, p99_ms=limits_ms.get(name, limit.p99_ms)) for name, limit in OBJECTIVES.items()}


def missed(entries: Mapping[str, Entry], limits: Limits = OBJECTIVES) -> list[str]:
    """Returns in words what was missed of all of them."""
    words = list[str]()
    for name, objective in limits.items():
        entry = entries.get(name)
        words += [f"{name}: there was none"] if entry is None else objective.missed(name, entry)
    return words
