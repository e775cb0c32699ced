"""How long a match is kept: the whole idle time from each sign of activity, and the retention from its end."""

from dataclasses import dataclass, field

import pytest

from referee.core.errors import RefereeError
from referee.store.memory import MemoryStore
from referee.table.matches import Limits
from referee.table.store import Header, Stored, Untimely, Write
from tests.table.faulty import Relay
from tests.table.night import night_of
from tests.table.pebbles import BID_0, KEEP, TAKE_1
from tests.table.sitting import ALICE, BOB, HOST, new_id

LIMITS = Limits(idle_ms=60_000, retention_ms=90_000)


@dataclass
class Noted(Relay):
    """Notes the lifetimes that writes ask for."""

    lifetimes: list[int] = field(default_factory=list)

    async def write(self, write: Write) -> Header | Stored | Untimely | None:
        self.lifetimes.append(write.lifetime_ms)
        return await self.inner.write(write)


async def test_whatever_a_player_does_gives_the_match_its_whole_idle_time_again() -> None:
    """Joins, moves, and moves that were refused; the end and the release give it the retention."""
    store = Noted(MemoryStore())
    night = night_of(limits=LIMITS, store=store)
    match_id = await night.match(ALICE, None, on_release=True)
    await night.join(BOB, match_id)
    await night.submit(ALICE, match_id, TAKE_1, KEEP)
    with pytest.raises(RefereeError):
        await night.submit(BOB, match_id, BID_0)
    assert store.lifetimes == [LIMITS.idle_ms] * 4
    await night.resign(BOB, match_id)
    await night.table.release(HOST, match_id, new_id())
    assert store.lifetimes[4:] == [LIMITS.retention_ms] * 2
