"""The store's machine crashes in the middle of many matches, and what had not reached its disk is lost."""

import asyncio
import random
from collections import Counter
from pathlib import Path

import pytest

from artreferee.v1 import ruleset_pb2
from clients.replay import replay
from clients.sdk import Principal, RefereeClient
from referee.table.ids import MatchId
from referee.table.snapshot import Status
from tests.faults.cluster import cluster
from tests.faults.loss import cut_off, kept_bytes
from tests.faults.truth import assert_consistent, truth_of
from tests.faults.wire import Wire
from tests.servers import StoreServer, bundled_server
from tests.soak.audit import lost
from tests.soak.calls import Calls
from tests.soak.players import Kind, Sitting

SEATS = (3, 3, 4, 4, 5, 5)
CRASHES = (150, 250, 350)  # after so many moves, when no match of artsee can have ended
MOST_LOST = 20_000  # bytes


class Crashes:
    """Lets the store crash and come up again without the end of its file, wherever that happens to be cut off."""

    def __init__(self, store: StoreServer, rng: random.Random) -> None:
        self._store, self._rng = store, rng
        self._safe = 0
        self.tasks = list[asyncio.Task[None]]()

    def after_move(self, moves: int) -> None:
        """Does so when it is time; what there was long before is kept."""
        if moves == CRASHES[0] // 2:
            self._safe = kept_bytes(self._store)
        if moves in CRASHES:
            self.tasks.append(asyncio.create_task(asyncio.to_thread(self._crash)))

    def _crash(self) -> None:
        self._store.kill()
        length = kept_bytes(self._store)
        cut_off(self._store, self._rng.randrange(max(self._safe, length - MOST_LOST), length))
        self._store.start()


@pytest.mark.parametrize("seed", [1, *(pytest.param(seed, marks=pytest.mark.long) for seed in range(2, 6))])
async def test_matches_stay_whole_and_go_on_after_losses(tmp_path: Path, seed: int) -> None:
    rng = random.Random(seed)
    people = [Principal(rng.randbytes(32)) for _ in range(8)]
    async with (
        cluster(tmp_path, 2, "everysec", bundled_server()) as running,
        Wire([replica.front.address for replica in running.replicas]) as wire,
        RefereeClient(running.replicas[0].front.address) as spectator,
        truth_of(running.store) as truth,
    ):
        crashes = Crashes(running.store, rng)
        calls = Calls(wire, rng, Counter(), crashes.after_move, twice_in=0)
        matches = [Sitting(calls, people, Kind("artsee", ruleset_pb2.Options(), seats)) for seats in SEATS]
        async with asyncio.TaskGroup() as group:
            watching = [group.create_task(watched(spectator, each)) for each in matches]
            for each in matches:
                group.create_task(each.play())
        await asyncio.gather(*crashes.tasks)
        forgotten = 0
        for each, task in zip(matches, watching, strict=True):
            kept = await truth.kept(MatchId(each.played.match_id))
            assert kept is not None
            assert kept.snapshot.course.status == Status.FINISHED
            assert_consistent(kept)
            assert_told_without_gaps(task.result(), len(kept.log))
            record = await spectator.get_record(each.played.match_id)
            assert [step.version for step in replay(record)] == list(range(1, len(kept.log) + 1))
            forgotten += len(list(lost(each.played, kept.log)))
        assert forgotten > 0


async def watched(spectator: RefereeClient, sitting: Sitting) -> list[tuple[str | None, int]]:
    """Follows a match from its creation to its end; returns the kinds and versions of what was told."""
    await sitting.created.wait()
    told = list[tuple[str | None, int]]()
    async for message in spectator.watch_match(sitting.played.match_id):
        kind = message.WhichOneof("message")
        told.append((kind, message.snapshot.version if kind == "snapshot" else message.update.version))
    return told


def assert_told_without_gaps(told: list[tuple[str | None, int]], version: int) -> None:
    """Asserts that updates follow each other, that a snapshot begins every new account, and that the end was told."""
    for (_, before), (kind, after) in zip([(None, -1), *told], told, strict=False):
        assert kind == "snapshot" or after == before + 1
    assert told[-1][1] == version
