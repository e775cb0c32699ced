"""All checks, in their order, and running them."""

from collections.abc import AsyncIterator, Sequence
from typing import Final

from clients.check import (
    clocks,
    concurrency,
    contract,
    errors,
    idempotency,
    play,
    records,
    redaction,
    refusals,
    sessions,
    streams,
    visibility,
)
from clients.check.checks import Check, Verdict, verdict_of
from clients.check.subject import Subject
from clients.sdk import Tls

_MODULES: Final = (
    *(contract, records, errors, refusals, redaction, idempotency, concurrency),
    *(streams, play, sessions, clocks, visibility),
)

CHECKS: Final[Sequence[Check]] = tuple(
    value for module in _MODULES for value in vars(module).values() if isinstance(value, Check)
)


def chosen(names: Sequence[str]) -> list[Check]:
    """Returns the checks with these names, or in groups with them; all if none is named.

    Raises:
        KeyError: there is no such check or group.
    """
    for name in names:
        if not any(name in (check.group, check.full_name) for check in CHECKS):
            raise KeyError(name)
    return [check for check in CHECKS if not names or check.group in names or check.full_name in names]


async def verdicts(
    address: str, checks: Sequence[Check], heartbeat_s: float | None = None, tls: Tls | None = None
) -> AsyncIterator[Verdict]:
    """Runs checks against the referee at an address, one after the other; yields how each went. See `Subject`.

    Raises:
        NoRefereeError: nothing there speaks artreferee.v1.
    """
    async with Subject(address, heartbeat_s, tls) as subject:
        for check in checks:
            yield await verdict_of(check, subject)
