"""How many users there are in the course of a scenario."""

from collections.abc import Callable, Mapping
from typing import Final

Stage = tuple[int, float]
"""Users, and how many begin a second."""

_STEADY: Final = (52, 10.0)
_STEADY_S: Final = 60.0
_SOAK_S: Final = 3_600.0
_SMOKE: Final = (26, 26.0)
_SMOKE_S: Final = 12.0
_STEP: Final = 52
_STEP_S: Final = 15.0
_MOST_STEPS: Final = 40


def _smoke(now_s: float, _: bool) -> Stage | None:
    return _SMOKE if now_s < _SMOKE_S else None


def _steady(now_s: float, _: bool) -> Stage | None:
    return _STEADY if now_s < _STEADY_S else None


def _soak(now_s: float, _: bool) -> Stage | None:
    return _STEADY if now_s < _SOAK_S else None


def _ramp(now_s: float, late: bool) -> Stage | None:
    """More users, until an objective is missed."""
    step = int(now_s // _STEP_S) + 1
    return None if late or step > _MOST_STEPS else (_STEP * step, float(_STEP))


SHAPES: Final[Mapping[str, Callable[[float, bool], Stage | None]]] = {
    "smoke": _smoke,
    "steady": _steady,
    "soak": _soak,
    "ramp": _ramp,
}
"""By the name of the scenario: stages by the seconds so far and by whether an objective is missed; None is the end."""
