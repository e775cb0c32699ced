"""What each fault of a player costs, as README.md tells it: just that, and nobody else anything."""

import asyncio
import re
from collections.abc import AsyncIterator, Callable, Coroutine
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import grpc
import pytest

from artreferee.v1 import match_pb2, record_pb2, ruleset_pb2, service_pb2
from artreferee.v1.classic_art_pb2 import ClassicArtOptions
from clients.bots.random_bot import RandomBot
from clients.replay import replay
from clients.sdk import Budget, CallError, Principal, RefereeClient, Runner
from tests.faults import bots
from tests.faults.bots import SEAT, Player, reason_of
from tests.servers import referee_process, store_server, usual_server

README: Final = Path(__file__).parents[2] / "README.md"
WITHIN_S: Final = 60.0
TIMES: Final = match_pb2.TimeControl(move_limit_ms=2_000, margin_ms=200)
AMPLE: Final = match_pb2.TimeControl(move_limit_ms=20_000)  # for who is to stay in, however busy the machine is
PATIENCE: Final = match_pb2.FaultPolicy(join_limit_ms=1_500, illegal_moves=2)
LONGER: Final = match_pb2.TimeControl(move_limit_ms=6_000)
GRACE: Final = match_pb2.FaultPolicy(disconnect_grace_ms=1_500)  # who is away for 2.5 s is out
AMPLE_GRACE: Final = match_pb2.FaultPolicy(disconnect_grace_ms=5_000)  # for who comes back after 3 s
RATE: Final = 20  # calls a second of a principal
RECORDS: Final = RATE / 10  # likewise, since each is as much work as ten other calls
Bot = Callable[[Player], Coroutine[Any, Any, None]]

BOTS: Final[dict[str, tuple[Bot, ...]]] = {
    "answers late, if only by a millisecond": (bots.sleeper,),
    "does not answer, connected or not": (bots.staller, bots.silent_stream, bots.lurker),
    "is away beyond the grace while it is asked, where there is one": (bots.vanisher,),
    "crashes": (bots.crasher,),
    "sends bytes that are no request": (bots.garbage_sender,),
    "sends more illegal or malformed moves than are borne": (bots.illegal_mover,),
    "resigns, or fails in the client library": (bots.raiser,),
    "never takes its seat": (bots.nobody,),
    "sends a request again, however often": (bots.retrier,),
    "calls many times oftener than it may": (bots.flooder,),
    "answers a question several times": (bots.duplicate_sender,),
    "answers the question before, or the next one": (bots.stale_sender,),
    "moves when it is not asked": (bots.interrupter,),
    "comes and goes": (bots.leaver, bots.visitor, bots.sound),
}
GRACES: Final[dict[Bot, match_pb2.FaultPolicy]] = {bots.lurker: GRACE, bots.vanisher: GRACE, bots.visitor: AMPLE_GRACE}
REFUSALS: Final[dict[Bot, set[str]]] = {
    bots.sleeper: {"SEAT_OUT"},
    bots.garbage_sender: {"INVALID_FIELD", "MALFORMED_REQUEST", "REQUEST_TOO_LARGE"},
    bots.illegal_mover: {"MALFORMED_MOVE", "SEAT_OUT"},
    bots.retrier: {"MALFORMED_MOVE"},
    bots.flooder: {"RATE_LIMITED", "MATCH_NOT_OVER"},
    bots.duplicate_sender: {"STALE_DECISION"},
    bots.stale_sender: {"STALE_DECISION"},
    bots.interrupter: {"NOT_TO_ACT"},
}
TOO_LATE: Final = {"STALE_DECISION", "MATCH_OVER"}  # others may have been faster, with what was sent twice too


@dataclass(frozen=True)
class Played:
    """A match that a faulty bot played against two sound ones, and how what it sent was refused."""

    record: record_pb2.MatchRecord
    refusals: list[CallError]


@pytest.fixture(scope="module")
async def played(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[dict[Bot, Played]]:
    """A match for each bot, all of them played at the same time."""
    log = tmp_path_factory.mktemp("bots") / "log"
    limit = "--call-rate", str(RATE)
    with store_server(usual_server()) as store, referee_process(log, "--redis", store.url, *limit) as referee:
        faulty = [bot for row in BOTS.values() for bot in row]
        async with asyncio.timeout(WITHIN_S):
            matches = await asyncio.gather(*(play(bot, referee.address) for bot in faulty))
        yield dict(zip(faulty, matches, strict=True))


async def play(bot: Bot, address: str) -> Played:
    async with RefereeClient(address) as host, RefereeClient(address) as client, opponent(address) as sound:
        player = Player(client, address)
        holders = [None if bot is bots.nobody else client.principal.hash, sound.hash, sound.hash]
        request = service_pb2.CreateMatchRequest(
            ruleset="classic_art",
            options=ruleset_pb2.Options(classic_art=ClassicArtOptions(start_seat=SEAT, max_seasons=1)),
            seats=[service_pb2.SeatRequest(principal_hash=holder) for holder in holders],
            time_control=times_of(bot),
            fault_policy=GRACES.get(bot, PATIENCE),
        )
        player.match_id = (await host.create_match(request)).match_id
        _, result = await asyncio.gather(bot(player), host.result_of(player.match_id))
        record = await host.get_record(player.match_id)
        assert record.result == result
        return Played(record, player.refusals)


def times_of(bot: Bot) -> match_pb2.TimeControl:
    """The clocks of the match that a bot plays in."""
    if GRACES.get(bot) is GRACE:
        return LONGER
    [fault] = [fault for fault, row in BOTS.items() if bot in row]
    return TIMES if rows()[fault] else AMPLE


@asynccontextmanager
async def opponent(address: str) -> AsyncIterator[Principal]:
    """A player who plays as it should for as long as the block lasts."""
    async with RefereeClient(address) as client:
        runner = Runner(client, RandomBot, Budget(), lambda *failure: pytest.fail(str(failure)))
        playing = asyncio.create_task(runner.run())
        yield client.principal
        playing.cancel()
        with suppress(asyncio.CancelledError):
            await playing


def rows() -> dict[str, str]:
    """The table of README.md: what a player does, and the cause that it goes out for, if it does."""
    _, _, section = README.read_text().partition("## Time and faults")
    lines = [line.strip("|").split("|") for line in section.partition("\n## ")[0].splitlines() if line[:1] == "|"]
    return {fault.strip(): re.sub(r"[` ]", "", cause) for fault, _, cause in lines[2:]}


def cause_of(record: record_pb2.MatchRecord, seat: int) -> str:
    return match_pb2.Cause.Name(record.result.seats[seat].cause).removeprefix("CAUSE_")


def test_there_is_a_bot_for_every_row() -> None:
    assert list(rows()) == list(BOTS)


@pytest.mark.parametrize("fault", BOTS)
async def test_each_fault_costs_what_the_table_says(played: dict[Bot, Played], fault: str) -> None:
    for bot in BOTS[fault]:
        assert cause_of(played[bot].record, SEAT) == (rows()[fault] or "UNSPECIFIED"), bot.__name__
        expected = REFUSALS.get(bot, set())
        reasons = {reason_of(refusal) for refusal in played[bot].refusals}
        assert expected <= reasons <= expected | TOO_LATE, bot.__name__


@pytest.mark.parametrize("fault", BOTS)
async def test_no_fault_costs_anybody_else_anything(played: dict[Bot, Played], fault: str) -> None:
    """The match is played to its end, in which the sound players have the first places, and its record is sound."""
    for bot in BOTS[fault]:
        record = played[bot].record
        assert record.result.reason in ("COMPLETED", "SEASON_CAP"), bot.__name__
        assert [cause_of(record, seat) for seat in (1, 2)] == ["UNSPECIFIED"] * 2
        if cause_of(record, SEAT) != "UNSPECIFIED":
            assert record.result.seats[SEAT].rank == 3
        assert len(list(replay(record))) == len(record.log)


async def test_whoever_floods_is_told_when_to_try_again(played: dict[Bot, Played]) -> None:
    """What is refused for that is no fault in its record."""
    record = played[bots.flooder].record
    refusals = [refusal for refusal in played[bots.flooder].refusals if reason_of(refusal) == "RATE_LIMITED"]
    assert {refusal.code for refusal in refusals} == {grpc.StatusCode.RESOURCE_EXHAUSTED}
    assert all(0 < refusal.retry_after_s <= 1 / RECORDS for refusal in refusals)
    assert list(record.refusals) == []


async def test_a_seat_has_all_its_time_and_no_more(played: dict[Bot, Played]) -> None:
    """Seats that did not answer were out as soon as limit and margin were over; a busy machine may be a little late."""
    for bot in (bots.sleeper, bots.staller, bots.silent_stream, bots.garbage_sender):
        record = played[bot].record
        [(place, out)] = [(place, entry) for place, entry in enumerate(record.log) if entry.HasField("out")]
        asked_ms = record.log[place - 1].time_ms if place else record.create_time_ms
        assert 2_200 < out.time_ms - asked_ms < 4_200, bot.__name__
