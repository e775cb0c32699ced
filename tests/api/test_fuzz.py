"""Whatever bytes arrive, the answer is one of the contract, never INTERNAL nor UNKNOWN, and nothing is left of it."""

import asyncio
from collections.abc import Sequence
from pathlib import Path
from typing import Final

import grpc
import pytest
from google.protobuf.message import Message

from artreferee.v1 import ruleset_pb2, service_pb2
from artreferee.v1.classic_art_pb2 import ClassicArtOptions
from referee.table.matches import Limits
from tests.api.fuzzing import Answered, assert_various, fuzz, good_requests
from tests.api.harness import METHODS, SEATS, Caller, Referee, Secret, planted
from tests.games.classic_art.build import season
from tests.servers import referee_process, store_server, usual_server

REQUESTS: Final = 4_000
SOON: Final = Limits(heartbeat_s=0.02)  # a watcher that is up to date hears soon that the stream lives
MANY: Final = 200_000
AT_ONCE: Final = 50
QUARTERS: Final = 4
WITHIN_S: Final = 3_600.0
LEFT_BYTES: Final = 50  # of a request on average; whatever object is kept of each takes more
NOBODY: Final = bytes(32)


async def test_no_request_is_a_fault_of_the_service(name: str) -> None:
    answered = Answered()
    async with Referee(SOON) as referee:

        async def fresh(name: str) -> tuple[Caller, list[tuple[str, Message]]]:
            referee.shelf.renew()
            matches = [
                planted(f"{name} active", season(3)),
                planted(f"{name} open", season(3), holders=[SEATS[0], None, None]),
                planted(f"{name} ending", season(2)),
            ]
            for match in matches:
                await referee.plant(match)
            return referee.caller(SEATS[0]), good_requests(*(match.match_id for match in matches))

        await fuzz(fresh, name, REQUESTS, answered)
    assert_various(answered)


@pytest.mark.long
async def test_many_requests_are_no_fault_of_a_process_and_leave_nothing_in_it(name: str, tmp_path: Path) -> None:
    """What gRPC and protobuf keep shows in its resident memory alone; by half-time its caches are full."""
    answered, resident, log = Answered(), list[int](), tmp_path / "log"
    warnings = "--log-level", "warning"
    with store_server(usual_server()) as store, referee_process(log, "--redis", store.url, *warnings) as referee:
        async with asyncio.timeout(WITHIN_S), grpc.aio.insecure_channel(referee.address) as channel:

            async def fresh(name: str) -> tuple[Caller, list[tuple[str, Message]]]:
                player = Secret(name)
                caller = Referee.caller_on(channel, player)
                active = await created(caller, "active", (player.hash, NOBODY, NOBODY))
                waiting = await created(caller, "open", (player.hash, None, None))
                ending = await created(caller, "ending", (player.hash, NOBODY))
                return caller, good_requests(active, waiting, ending)

            for quarter in range(QUARTERS):
                names = [f"{name} {quarter} {number}" for number in range(AT_ONCE)]
                count = MANY // QUARTERS // AT_ONCE
                await asyncio.gather(*(fuzz(fresh, each, count, answered) for each in names))
                resident.append(resident_bytes(referee.pid))
            await fresh(f"{name} after all")
    assert_various(answered)
    assert sum(count for (method, _), count in answered.items() if method in METHODS) == MANY
    assert resident[3] - resident[1] < LEFT_BYTES * MANY / 2, resident
    assert log.read_text() == ""


async def created(caller: Caller, request_id: str, holders: Sequence[bytes | None]) -> str:
    """A match of Classic Art in which seat 0 is asked first."""
    request = service_pb2.CreateMatchRequest(
        request_id=request_id,
        ruleset="classic_art",
        options=ruleset_pb2.Options(classic_art=ClassicArtOptions(start_seat=0)),
        seats=[service_pb2.SeatRequest(principal_hash=holder) for holder in holders],
        seed=bytes(32),
    )
    match_id: str = (await caller.ask("CreateMatch", request)).match_id
    return match_id


def resident_bytes(pid: int) -> int:
    """How much memory a process takes."""
    [line] = [line for line in Path(f"/proc/{pid}/status").read_text().splitlines() if line.startswith("VmRSS:")]
    return int(line.split()[1]) * 1024
