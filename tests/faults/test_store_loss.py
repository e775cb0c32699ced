"""A store that lost its last writes: what is left is whole, and whoever knew more is told anew and asked anew."""

from __future__ import annotations  # grpc's classes are generic in their stubs only

import asyncio
import random
from collections.abc import AsyncIterator, Callable, Coroutine
from contextlib import AsyncExitStack
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import grpc
import pytest

from artreferee.v1 import classic_art_pb2, error_pb2, match_pb2, ruleset_pb2, service_pb2
from clients.bots.random_bot import RandomBot
from clients.sdk import Budget, CallError, Principal, RefereeClient, Runner, new_request_id, play_seat
from referee.table.ids import MatchId
from tests.faults.cluster import Cluster, cluster
from tests.faults.loss import cut_off, file_of, kept_bytes
from tests.faults.truth import assert_consistent, truth_of
from tests.faults.wire import Wire
from tests.servers import StoreServer, eventually

if TYPE_CHECKING:
    from tests.faults.wire import PlayCall

WITHIN_S = 20.0
A_PREDICTION = 55  # any is legal for seat 0, which begins


@dataclass
class Loss:
    """A match that was created for good, and whose moves will be lost.

    Attributes:
        players: the holder of seat 0 at each replica.
        match_id: the match.
    """

    cluster: Cluster
    players: list[RefereeClient]
    match_id: str
    kept: int

    def submission(self, decision: int, request_id: str = "") -> service_pb2.SubmitMoveRequest:
        """Answers a decision of seat 0."""
        return service_pb2.SubmitMoveRequest(
            request_id=request_id,
            match_id=self.match_id,
            decision_number=decision,
            moves=[match_pb2.MoveChoice(id=A_PREDICTION)],
        )

    async def version_at(self, at: int) -> int:
        """The version that a replica tells."""
        return (await self.players[at].get_match(self.match_id)).version

    def crash(self) -> None:
        """Loses the moves."""
        crash(self.cluster.store, self.kept)


def crash(store: StoreServer, kept: int) -> None:
    """Lets a store's machine crash and come up again with so many bytes on its disk."""
    store.kill()
    cut_off(store, kept)
    store.start()


@pytest.fixture(scope="module")
async def running(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Cluster]:
    """Two replicas on a store that writes to disk every second."""
    async with cluster(tmp_path_factory.mktemp("replicas"), 2, "everysec") as running:
        yield running


@pytest.fixture
async def loss(running: Cluster) -> AsyncIterator[Loss]:
    """A match of two seats; both replicas have read it."""
    player = Principal.new()
    addresses = [replica.front.address for replica in running.replicas]
    async with RefereeClient(addresses[0], player) as one, RefereeClient(addresses[1], player) as other:
        created = await one.create_match(
            service_pb2.CreateMatchRequest(
                ruleset="classic_art",
                options=ruleset_pb2.Options(classic_art=classic_art_pb2.ClassicArtOptions(start_seat=0)),
                seats=[service_pb2.SeatRequest(principal_hash=who.hash) for who in (player, Principal.new())],
            )
        )
        await eventually(lambda: is_kept(running, created.match_id))
        yield Loss(running, [one, other], created.match_id, kept_bytes(running.store))


async def is_kept(running: Cluster, match_id: str) -> bool:
    """Whether the file holds a match; the beats of the replicas make it grow too."""
    return match_id.encode() in file_of(running.store).read_bytes()


async def test_replicas_that_knew_more_go_by_what_the_store_holds(loss: Loss) -> None:
    await loss.players[0].submit_move(loss.submission(0))
    assert [await loss.version_at(at) for at in range(2)] == [1, 1]
    loss.crash()
    assert [await loss.version_at(at) for at in range(2)] == [0, 0]


@pytest.mark.parametrize("at", [0, 1])
async def test_a_lost_decision_is_asked_again_and_play_goes_on(loss: Loss, at: int) -> None:
    """Who answers the next one hears that it is not open yet, from the replica that played the lost one too."""
    await loss.players[0].submit_move(loss.submission(0))
    loss.crash()
    with pytest.raises(CallError) as refusal:
        await loss.players[at].submit_move(loss.submission(1))
    assert refusal.value.reason == error_pb2.ERROR_REASON_STALE_DECISION
    assert refusal.value.metadata["expected"] == "0"
    assert (await loss.players[at].submit_move(loss.submission(0))).version == 1
    async with truth_of(loss.cluster.store) as truth:
        kept = await truth.kept(MatchId(loss.match_id))
    assert kept is not None
    assert_consistent(kept)


@pytest.mark.parametrize("at", [0, 1])
async def test_a_lost_request_that_is_repeated_is_carried_out(loss: Loss, at: int) -> None:
    request = loss.submission(0, new_request_id())
    told = [await loss.players[0].submit_move(request)]
    loss.crash()
    told.append(await loss.players[at].submit_move(request))
    assert [(answer.version, answer.decision_number) for answer in told] == [(1, 1), (1, 1)]
    assert await loss.version_at(at) == 1


@pytest.mark.parametrize("at", [0, 1])
async def test_a_watcher_that_saw_more_is_told_a_snapshot(loss: Loss, at: int) -> None:
    told = list[tuple[str | None, int]]()
    heard = asyncio.Condition()

    async def watch() -> None:
        async for message in loss.players[at].watch_match(loss.match_id):
            kind = message.WhichOneof("message")
            told.append((kind, message.snapshot.version if kind == "snapshot" else message.update.version))
            async with heard:
                heard.notify_all()

    async def hears(count: int) -> None:
        async with heard:
            await heard.wait_for(lambda: len(told) == count)

    async with asyncio.timeout(WITHIN_S), asyncio.TaskGroup() as group:
        watching = group.create_task(watch())
        await hears(1)
        await loss.players[0].submit_move(loss.submission(0))
        await hears(2)
        loss.crash()
        await hears(3)
        await loss.players[0].submit_move(loss.submission(0))
        await hears(4)
        watching.cancel()
    assert told == [("snapshot", 0), ("update", 1), ("snapshot", 0), ("update", 1)]


async def test_a_watcher_that_comes_back_having_seen_more_is_told_a_snapshot(loss: Loss) -> None:
    await loss.players[0].submit_move(loss.submission(0))
    loss.crash()
    async with asyncio.timeout(WITHIN_S):
        async for match in loss.players[1].follow(loss.match_id):
            assert match.version == 0
            break


async def test_a_player_s_stream_asks_a_lost_decision_again(loss: Loss) -> None:
    """Over the same stream, or over the next one if the store's absence ended it."""
    asked, moves = list[int](), [match_pb2.MoveChoice(id=A_PREDICTION)]
    move = service_pb2.PlayMove(request_id=new_request_id(), match_id=loss.match_id, decision_number=0, moves=moves)
    async with Wire([replica.front.address for replica in loss.cluster.replicas]) as wire, asyncio.timeout(WITHIN_S):
        while len(asked) < 2:
            stream = wire.stream(0, loss.players[0].principal, WITHIN_S)
            await stream.write(service_pb2.PlayRequest())
            async for response in until_unavailable(stream):
                asked += [match.prompt.decision_number for match in response.asked]
                if asked == [0] and response.asked:
                    await stream.write(service_pb2.PlayRequest(moves=[move]))
                if any(outcome.HasField("accepted") for outcome in response.outcomes):
                    loss.crash()
                if len(asked) == 2:
                    break
            stream.cancel()
    assert asked == [0, 0]


async def until_unavailable(stream: PlayCall) -> AsyncIterator[service_pb2.PlayResponse]:
    """What comes over a stream until it ends because it cannot go on for now."""
    try:
        while isinstance(response := await stream.read(), service_pb2.PlayResponse):
            yield response
    except grpc.aio.AioRpcError as error:
        if not CallError.of(error).retriable:
            raise


async def run_seats(client: RefereeClient, match_id: str, seat: int) -> None:
    await play_seat(client, match_id, seat, RandomBot(), Budget(), random.Random(seat))


async def run_stream(client: RefereeClient, _: str, __: int) -> None:
    await Runner(client, RandomBot, Budget(), lambda *failure: pytest.fail(str(failure))).run()


@pytest.mark.parametrize("run", [run_seats, run_stream])
async def test_bots_play_on_after_a_loss(
    running: Cluster, run: Callable[[RefereeClient, str, int], Coroutine[Any, Any, None]]
) -> None:
    players = [Principal.new(), Principal.new()]
    async with AsyncExitStack() as stack:
        clients = [
            await stack.enter_async_context(RefereeClient(replica.front.address, player))
            for replica, player in zip(running.replicas, players, strict=True)
        ]
        request = service_pb2.CreateMatchRequest(
            ruleset="classic_art", seats=[service_pb2.SeatRequest(principal_hash=player.hash) for player in players]
        )
        match_id = (await clients[0].create_match(request)).match_id
        kept, bots = 0, [asyncio.create_task(run(client, match_id, seat)) for seat, client in enumerate(clients)]
        async with asyncio.timeout(WITHIN_S), RefereeClient(running.replicas[0].front.address) as spectator:
            async for match in spectator.follow(match_id, detail=match_pb2.DETAIL_NONE):
                if match.version >= 10 and not kept:
                    kept = kept_bytes(running.store)
                if match.version >= 20 and kept > 0:
                    crash(running.store, kept)
                    kept = -1
        for bot in bots:
            bot.cancel()
        await asyncio.gather(*bots, return_exceptions=True)
    assert match.status == match_pb2.MATCH_STATUS_FINISHED


async def test_a_lost_match_is_created_anew_by_the_same_request(running: Cluster) -> None:
    """With a new deal, for the old one was never safe."""
    host, before = Principal.new(), kept_bytes(running.store)
    request = service_pb2.CreateMatchRequest(
        request_id=new_request_id(), ruleset="classic_art", seats=[service_pb2.SeatRequest()] * 2
    )
    async with RefereeClient(running.replicas[0].front.address, host) as client:
        told = [await client.create_match(request)]
        crash(running.store, before)
        with pytest.raises(CallError) as refusal:
            await client.get_match(told[0].match_id)
        assert refusal.value.reason == error_pb2.ERROR_REASON_MATCH_NOT_FOUND
        told.append(await client.create_match(request))
        match = await client.get_match(told[1].match_id)
    assert [answer.match_id for answer in told] == [match.match_id] * 2
    assert match.commitment == told[1].commitment
    assert told[0].commitment != told[1].commitment
