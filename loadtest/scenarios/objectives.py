"""Service-level objectives: what must hold for a run to succeed."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final, Protocol


class Entry(Protocol):
    """What Locust has noted of the calls of one name."""

    num_requests: int
    fail_ratio: float

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
        p99, words = entry.get_response_time_percentile(0.99), []
        if p99 > self.p99_ms:
            words.append(f"{name}: p99 is {p99:.0f} ms, at most {self.p99_ms:.0f} are allowed")
        if entry.fail_ratio > self.failures:
            words.append(f"{name}: {entry.fail_ratio:.2%} failed, at most {self.failures:.2%} may")
        return words


MOVE: Final = "move"
MOVE_OVER_PLAY: Final = "move over Play"
DELIVERY: Final = "delivery"
CREATION: Final = "creation"
OBJECTIVES: Final[Mapping[str, Objective]] = {
    MOVE: Objective(p99_ms=250),
    MOVE_OVER_PLAY: Objective(p99_ms=250),
    DELIVERY: Objective(p99_ms=1_000),
    CREATION: Objective(p99_ms=500),
}


def missed(entries: Mapping[str, Entry]) -> list[str]:
    """Returns in words what was missed of all of them."""
    return [word for name, entry in entries.items() for word in OBJECTIVES[name].missed(name, entry)]
