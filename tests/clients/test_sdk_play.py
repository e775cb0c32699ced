"""Bots on one stream: they play every seat that they are given, whatever happens to the stream."""

import asyncio
import random
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager, suppress
from itertools import cycle
from typing import Final

import pytest

from artreferee.v1 import error_pb2, match_pb2, ruleset_pb2, service_pb2
from clients.bots.random_bot import RandomBot
from clients.sdk import Bot, BotError, Budget, CallError, Principal, RefereeClient, Runner
from referee.api.server import Server
from referee.api.settings import Settings
from referee.games import registry
from referee.store.memory import MemoryStore
from referee.table.matches import Limits
from referee.table.table import Table
from tests.api.harness import HOST, SEATS, Referee, Secret
from tests.servers import eventually
from tests.table.faulty import Deaf

WITHIN_S: Final = 30.0
SOON_S: Final = 0.2
Failures = list[tuple[str, int, str]]


class Raising(RandomBot):
    """A bot with a fault."""

    def choose(
        self,
        view: ruleset_pb2.View,
        legal_moves: Sequence[match_pb2.LegalMove],
        budget: Budget,
        rng: random.Random,
    ) -> match_pb2.LegalMove:
        raise KeyError("a card")


class Foul(RandomBot):
    """A bot that chooses what is no move of the game."""

    def choose(
        self,
        view: ruleset_pb2.View,
        legal_moves: Sequence[match_pb2.LegalMove],
        budget: Budget,
        rng: random.Random,
    ) -> match_pb2.LegalMove:
        return match_pb2.LegalMove(id=1_000_000)


class Idle(RandomBot):
    """A bot that answers with something else than a move."""

    def choose(
        self,
        view: ruleset_pb2.View,
        legal_moves: Sequence[match_pb2.LegalMove],
        budget: Budget,
        rng: random.Random,
    ) -> match_pb2.LegalMove:
        return None  # type: ignore[return-value]


@pytest.fixture
async def referee() -> AsyncIterator[Referee]:
    async with Referee() as running:
        yield running


def client_of(referee: Referee, secret: Secret, silence_s: float = WITHIN_S) -> RefereeClient:
    return RefereeClient(f"127.0.0.1:{referee.server.port}", Principal(secret.bytes), silence_s=silence_s)


def match_for(name: str, *holders: Secret, ruleset: str = "classic_art") -> service_pb2.CreateMatchRequest:
    seats = [service_pb2.SeatRequest(principal_hash=secret.hash) for secret in holders]
    return service_pb2.CreateMatchRequest(request_id=name, ruleset=ruleset, seats=seats)


@asynccontextmanager
async def playing(client: RefereeClient, bot: type[Bot] = RandomBot) -> AsyncIterator[Failures]:
    """Lets bots play all seats of a principal; yields the failures of the bots."""
    failures: Failures = []

    def failed(match_id: str, seat: int, error: BotError) -> None:
        failures.append((match_id, seat, str(error)))

    task = asyncio.create_task(Runner(client, bot, Budget(), failed).run())
    try:
        yield failures
    finally:
        task.cancel()
        with suppress(asyncio.CancelledError):
            await task


async def test_one_stream_plays_every_seat_of_a_principal(referee: Referee) -> None:
    """Matches of all rulesets that are there before it and that come while it plays, several seats in some of them."""
    async with asyncio.timeout(WITHIN_S), client_of(referee, HOST) as host, client_of(referee, SEATS[0]) as client:

        async def created(number: int, ruleset: str) -> str:
            return (await host.create_match(match_for(f"m{number}", *[SEATS[0]] * 3, ruleset=ruleset))).match_id

        match_ids = [await created(number, ruleset) for number, ruleset in zip(range(4), cycle(registry()))]
        async with playing(client) as failures:
            match_ids += [await created(number, ruleset) for number, ruleset in zip(range(4, 8), cycle(registry()))]
            results = await asyncio.gather(*(host.result_of(match_id) for match_id in match_ids))
    assert [result.reason for result in results if result.reason == "LAST_SEAT"] == []
    assert failures == []


async def test_players_at_two_replicas_play_with_each_other() -> None:
    store = MemoryStore()
    async with Referee() as one, Referee() as other, asyncio.timeout(WITHIN_S):
        one.shelf.inner = other.shelf.inner = store
        async with (
            client_of(one, HOST) as host,
            client_of(one, SEATS[0]) as first,
            client_of(other, SEATS[1]) as second,
            playing(first),
            playing(second),
        ):
            matches = [await host.create_match(match_for(f"m{number}", *SEATS[:2])) for number in range(4)]
            await asyncio.gather(*(host.result_of(match.match_id) for match in matches))


@pytest.mark.parametrize(
    ("bot", "text"),
    [
        (Raising, "random raised KeyError: 'a card'"),
        (Foul, "random chose a move that was refused: move 0 has id 1000000, expected 0 to 135"),
        (Idle, "random chose None, expected one of the legal moves"),
    ],
)
async def test_a_bot_that_fails_costs_its_seat_and_no_other_match(referee: Referee, bot: type[Bot], text: str) -> None:
    async with (
        asyncio.timeout(WITHIN_S),
        client_of(referee, HOST) as host,
        client_of(referee, SEATS[0]) as failing,
        client_of(referee, SEATS[1]) as sound,
        playing(failing, bot) as failures,
        playing(sound) as none,
    ):
        shared = (await host.create_match(match_for("shared", *SEATS[:2]))).match_id
        own = (await host.create_match(match_for("own", SEATS[1], SEATS[1]))).match_id
        result, other = await host.result_of(shared), await host.result_of(own)
    assert [seat.cause for seat in result.seats] == [match_pb2.CAUSE_RESIGNED, match_pb2.CAUSE_UNSPECIFIED]
    assert failures == [(shared, 0, text)]
    assert none == []
    assert other.reason != "LAST_SEAT"


async def test_moves_are_repeated_while_the_store_does_not_answer(referee: Referee) -> None:
    """The request id stays the same, so that none is played twice; outcomes that repetition changes are not shown."""
    async with asyncio.timeout(WITHIN_S), client_of(referee, HOST) as host, client_of(referee, SEATS[0]) as client:
        match_id = (await host.create_match(match_for("m", SEATS[0], SEATS[0]))).match_id
        shelf = referee.shelf
        async with client.play(match_pb2.DETAIL_IDS) as stream:
            responses = aiter(stream)
            while not (asked := (await anext(responses)).asked):
                pass
            shelf.answer_lost = True
            move = service_pb2.PlayMove(
                request_id="once",
                match_id=match_id,
                seat=asked[0].viewer_seat,
                moves=[match_pb2.MoveChoice(id=asked[0].prompt.legal_ids[0])],
            )
            await stream.submit(move)
            while not (outcomes := (await anext(responses)).outcomes):
                pass
            assert [outcome.accepted.version for outcome in outcomes] == [1]
            assert not stream.awaits(match_id, move.seat, 0)
        assert len(await shelf.inner.log(match_id, 0, 9)) == 1  # type: ignore[arg-type]


async def test_a_runner_plays_on_when_its_replica_stops_and_another_takes_its_address() -> None:
    """Every few moves; nothing is lost and nothing is played twice."""
    store, games = MemoryStore(), registry()
    server = Server(Table(store, games), Settings(listen="127.0.0.1:0"))
    await server.start()
    address = f"127.0.0.1:{server.port}"
    async with (
        asyncio.timeout(WITHIN_S),
        RefereeClient(address, Principal(HOST.bytes)) as host,
        RefereeClient(address, Principal(SEATS[0].bytes)) as client,
        playing(client) as failures,
    ):
        match_id = (await host.create_match(match_for("m", *[SEATS[0]] * 3))).match_id
        watching = asyncio.create_task(host.result_of(match_id))
        restarts = 0
        async for match in host.follow(match_id, detail=match_pb2.DETAIL_NONE):
            if match.version >= 40 * (restarts + 1) and restarts < 4:
                restarts += 1
                await server.stop()
                server = Server(Table(store, games), Settings(listen=address))
                await server.start()
        result = await watching
        record = await host.get_record(match_id)
    await server.stop()
    assert (restarts, failures) == (4, [])
    assert result.reason != "LAST_SEAT"
    assert [entry.move.decision_number for entry in record.log if entry.seat == 0] == list(
        range(sum(entry.seat == 0 for entry in record.log))
    )


async def test_a_runner_leaves_a_silent_stream() -> None:
    """It is told of no match that begins elsewhere, until it opens a new one."""
    async with Referee(Limits(heartbeat_s=3600.0)) as deaf, Referee() as other, asyncio.timeout(WITHIN_S):
        other.shelf.inner = MemoryStore()
        deaf.shelf.inner = Deaf(other.shelf.inner)
        async with client_of(other, HOST) as host, client_of(deaf, SEATS[0], SOON_S) as client, playing(client):
            await eventually(lambda: _followed(deaf))
            match_id = (await host.create_match(match_for("m", *[SEATS[0]] * 2))).match_id
            await host.result_of(match_id)


async def test_the_end_of_a_match_that_came_while_no_stream_was_open_is_told() -> None:
    store, games = MemoryStore(), registry()
    server = Server(Table(store, games), Settings(listen="127.0.0.1:0"))
    await server.start()
    address = f"127.0.0.1:{server.port}"
    async with Referee() as other, asyncio.timeout(WITHIN_S):
        other.shelf.inner = store
        async with RefereeClient(address, Principal(SEATS[0].bytes)) as client, client_of(other, SEATS[1]) as rival:
            match_id = (await rival.create_match(match_for("m", *SEATS[:2]))).match_id
            async with client.play() as stream:
                responses = aiter(stream)
                assert [match.match_id for match in (await anext(responses)).seated] == [match_id]
                await server.stop()
                await rival.resign(match_id)
                server = Server(Table(store, games), Settings(listen=address))
                await server.start()
                while not (ended := (await anext(responses)).ended):
                    pass
            assert [match.match_id for match in ended] == [match_id]
    await server.stop()


async def test_a_runner_whose_principal_plays_elsewhere_too_stops(referee: Referee) -> None:
    """Otherwise the two would take the seats from each other for ever."""
    async with asyncio.timeout(WITHIN_S), client_of(referee, SEATS[0]) as older, client_of(referee, SEATS[0]) as newer:
        task = asyncio.create_task(Runner(older, RandomBot, Budget(), lambda *_: None).run())
        await eventually(lambda: _followed(referee))
        async with playing(newer):
            with pytest.raises(CallError) as failure:
                await task
    assert failure.value.reason == error_pb2.ERROR_REASON_SUPERSEDED


async def _followed(referee: Referee) -> bool:
    return referee.shelf.followers > 0
