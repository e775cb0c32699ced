"""Players and watchers that lose their streams all the time, at any point, and come back at another replica."""

import asyncio
import random
from collections import Counter
from collections.abc import AsyncIterator, Sequence
from contextlib import AsyncExitStack
from typing import Final

import grpc
import pytest

from artreferee.v1 import match_pb2, record_pb2, service_pb2
from referee.api.server import Server
from referee.api.settings import Settings
from referee.games import registry
from referee.store.redis_store import RedisStore
from referee.table.table import Table
from tests.api.harness import HOST, SEATS, SPECTATOR, Caller, Conversation, Referee, Secret, Stream
from tests.api.recorded import KINDS, Kind
from tests.servers import bundled_server, store_server

REPLICAS: Final = 3
MATCHES: Final = 12
ENOUGH: Final = 1_000
MOVES_AT_ONCE: Final = 64  # a message holds no more
WITHIN_S: Final = 60.0  # a deadline, not a measure
Decision = tuple[str, int, int]
Everywhere = Sequence[Caller]


@pytest.fixture
async def channels() -> AsyncIterator[list[grpc.aio.Channel]]:
    """A connection to each of some replicas."""
    with store_server(bundled_server()) as store:
        async with AsyncExitStack() as stack:
            opened = []
            for _ in range(REPLICAS):
                redis = RedisStore(store.url)
                stack.push_async_callback(redis.close)
                server = Server(Table(redis, registry()), Settings(listen="127.0.0.1:0"))
                await server.start()
                stack.push_async_callback(server.stop)
                opened.append(grpc.aio.insecure_channel(f"127.0.0.1:{server.port}"))
                stack.push_async_callback(opened[-1].close)
            yield opened


class Elsewhere:
    """Somebody who is at another replica each time."""

    def __init__(self, everywhere: Everywhere, rng: random.Random) -> None:
        self.rng: Final = rng
        self.reconnects = -1
        self._everywhere: Final = everywhere
        self._place = 0

    def come(self) -> Caller:
        """Whoever it is, at another replica than before."""
        self.reconnects += 1
        self._place = (self._place + self.rng.randrange(1, len(self._everywhere))) % len(self._everywhere)
        return self._everywhere[self._place]

    def patience(self) -> int:
        """After how many messages the stream breaks."""
        return self.rng.choice((0, 1, 1, 1, 1, 2, 3))


class Player(Elsewhere):
    """Plays all seats of a principal at random; a move whose outcome it has not heard is sent again as it was."""

    def __init__(self, everywhere: Everywhere, rng: random.Random, matches: int) -> None:
        super().__init__(everywhere, rng)
        self._matches: Final = matches
        self.asked: Final = Counter[Decision]()
        self.answered: Final = Counter[Decision]()
        self.ended: Final = Counter[str]()
        self._unfinished: Final = set[str]()
        self._pending: Final = dict[str, service_pb2.PlayMove]()

    async def play(self) -> None:
        """Plays until all ends have been told, and all outcomes."""
        while not self.done:
            stream = self.come().play()
            try:
                await self._play(stream)
            except (AssertionError, asyncio.InvalidStateError, grpc.aio.AioRpcError):
                if not await may_come_back(stream):
                    raise
            finally:
                stream.cancel()

    @property
    def done(self) -> bool:
        return len(self.ended) == self._matches and not self._pending

    async def _play(self, stream: Conversation) -> None:
        await stream.say(service_pb2.PlayRequest(detail=match_pb2.DETAIL_IDS, unfinished_match_ids=self._unfinished))
        await self._send(stream, [*self._pending.values()])
        for _ in range(self.patience()):
            moves = self._note(await stream.told())
            if self.done or (moves and self.rng.random() < 0.1):
                return
            self._pending.update((move.request_id, move) for move in moves)
            await self._send(stream, moves)
        if self.rng.random() < 0.2:
            await stream.end()
            for raw in (await stream.rest()).messages:
                self._note(service_pb2.PlayResponse.FromString(raw))

    async def _send(self, stream: Conversation, moves: Sequence[service_pb2.PlayMove]) -> None:
        for first in range(0, len(moves), MOVES_AT_ONCE):
            await stream.say(service_pb2.PlayRequest(moves=moves[first : first + MOVES_AT_ONCE]))

    def _note(self, response: service_pb2.PlayResponse) -> list[service_pb2.PlayMove]:
        """Notes what was told; returns moves for what is asked and not answered yet."""
        self._unfinished.update(match.match_id for match in response.seated)
        for match in response.ended:
            self.ended[match.match_id] += match.match_id in self._unfinished
            self._unfinished.discard(match.match_id)
        for outcome in response.outcomes:
            if outcome.refused.retriable:
                continue
            move = self._pending.pop(outcome.request_id, None)
            if move is not None:
                assert outcome.HasField("accepted"), outcome
                self.answered[move.match_id, move.seat, move.decision_number] += 1
        return [move for match in response.asked if (move := self._move(match)).request_id not in self._pending]

    def _move(self, match: match_pb2.Match) -> service_pb2.PlayMove:
        decision = match.match_id, match.viewer_seat, match.prompt.decision_number
        self.asked[decision] += 1
        return service_pb2.PlayMove(
            request_id="-".join(map(str, decision)),
            match_id=match.match_id,
            seat=match.viewer_seat,
            decision_number=match.prompt.decision_number,
            moves=[match_pb2.MoveChoice(id=self.rng.choice(match.prompt.legal_ids))],
        )


async def may_come_back(stream: Stream) -> bool:
    """Whether a stream has ended because of an earlier one that began late, or because the machine is busy."""
    return (await stream.rest()).reason in ("SUPERSEDED", "STORE_UNAVAILABLE")


class Watcher(Elsewhere):
    """Follows a match, sometimes from the version that it has and sometimes afresh."""

    def __init__(self, everywhere: Everywhere, rng: random.Random, match_id: str) -> None:
        super().__init__(everywhere, rng)
        self.match_id: Final = match_id
        self.version = -1
        self.updates: Final = list[int]()
        self.over = False

    async def watch(self) -> None:
        """Follows to the end."""
        while not self.over:
            request = service_pb2.WatchMatchRequest(match_id=self.match_id, detail=match_pb2.DETAIL_NONE)
            if self.version >= 0 and self.rng.random() < 0.8:
                request.after_version = self.version
            stream = self.come().watch(request)
            try:
                for _ in range(self.patience()):
                    if not self.over:
                        self._note(await stream.update())
                assert not self.over or (await stream.rest()).messages == ()
            except (AssertionError, grpc.aio.AioRpcError):
                if not await may_come_back(stream):
                    raise
            finally:
                stream.cancel()

    def _note(self, message: service_pb2.WatchMatchResponse) -> None:
        match message.WhichOneof("message"):
            case "update":
                assert message.update.version == self.version + 1
                self.version += 1
                self.updates.append(self.version)
                self.over = any(event.HasField("match_finished") for event in message.update.events)
            case "snapshot":
                assert message.snapshot.version >= self.version
                self.version = message.snapshot.version
                self.over = message.snapshot.status == match_pb2.MATCH_STATUS_FINISHED


async def created(host: Caller, kind: Kind, number: int) -> str:
    seats = min(registry()[kind.name].spec.seats) + 1
    request = service_pb2.CreateMatchRequest(
        request_id=f"match-{number}",
        ruleset=kind.name,
        options=kind.options,
        seats=[service_pb2.SeatRequest(principal_hash=secret.hash) for secret in SEATS[:seats]],
    )
    match_id: str = (await host.ask("CreateMatch", request)).match_id
    return match_id


async def test_reconnect_at_random_points(channels: list[grpc.aio.Channel]) -> None:
    """No decision is lost or made twice, each version comes exactly once, and everybody is told the ends."""

    def everywhere(secret: Secret) -> Everywhere:
        return [Referee.caller_on(channel, secret) for channel in channels]

    host = everywhere(HOST)
    match_ids = [await created(host[0], KINDS[number % 3], number) for number in range(MATCHES)]
    players = [Player(everywhere(secret), random.Random(place), MATCHES) for place, secret in enumerate(SEATS[:3])]
    watchers = [
        Watcher(everywhere((SPECTATOR, SEATS[0])[place % 2]), random.Random(match_id), match_id)
        for place, match_id in enumerate(match_ids)
    ]
    async with asyncio.timeout(WITHIN_S), asyncio.TaskGroup() as group:
        for player in players:
            group.create_task(player.play())
        for watcher in watchers:
            group.create_task(watcher.watch())
    records = [(await host[1].ask("GetRecord", service_pb2.GetRecordRequest(match_id=it))).record for it in match_ids]
    for place, player in enumerate(players):
        made = [decision for record in records for decision in decisions_in(record, place)]
        assert player.answered == Counter(made)
        assert player.asked.keys() == set(made)
        assert player.ended == Counter(match_ids)
    for watcher in watchers:
        [length] = [len(record.log) for record in records if record.match_id == watcher.match_id]
        assert watcher.version == length
        assert watcher.updates == sorted(set(watcher.updates))
    assert sum(player.reconnects for player in players) >= ENOUGH / 4
    assert sum(each.reconnects for each in (*players, *watchers)) >= ENOUGH


def decisions_in(record: record_pb2.MatchRecord, seat: int) -> list[Decision]:
    """The decisions of a seat that are in a record, in its order."""
    return [
        (record.match_id, seat, entry.move.decision_number)
        for entry in record.log
        if entry.seat == seat and entry.HasField("move")
    ]
