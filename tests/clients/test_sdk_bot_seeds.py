"""Bots that draw from a bot seed play the same deal alike again, whatever happens to their processes."""

import asyncio
import random
from collections.abc import Sequence
from contextlib import suppress
from hashlib import sha256
from operator import itemgetter
from typing import Final

from artreferee.v1 import match_pb2, ruleset_pb2, service_pb2
from clients.bots.random_bot import RandomBot
from clients.sdk import Budget, Principal, RefereeClient, Runner, play_seat
from clients.sdk.bot import rng_for
from tests.api.harness import HOST, SEATS, Referee, Secret

WITHIN_S: Final = 30.0
SEED: Final = bytes(range(32))
BOT_SEEDS: Final = (bytes(range(32, 64)), bytes(range(64, 96)))
Moves = list[tuple[int, int]]


def client_of(referee: Referee, secret: Secret) -> RefereeClient:
    return RefereeClient(f"127.0.0.1:{referee.server.port}", Principal(secret.bytes))


async def created(host: RefereeClient, bot_seeds: Sequence[bytes]) -> str:
    """A match of one deal, whose seats 0 and 1 of `SEATS` hold."""
    request = service_pb2.CreateMatchRequest(ruleset="classic_art", seed=SEED)
    for secret, bot_seed in zip(SEATS[: len(bot_seeds)], bot_seeds, strict=True):
        request.seats.add(principal_hash=secret.hash, bot_seed=bot_seed)
    return (await host.create_match(request)).match_id


def runner(client: RefereeClient, bot: type[RandomBot] = RandomBot) -> Runner:
    def failed(match_id: str, seat: int, error: Exception) -> None:
        raise AssertionError(f"seat {seat} of {match_id}: {error}")

    return Runner(client, bot, Budget(), failed)


async def moves_of(host: RefereeClient, match_id: str) -> Moves:
    """The moves of each seat; who is first with a sealed choice is left to chance."""
    log = (await host.get_record(match_id)).log
    return sorted(((entry.seat, entry.move.id) for entry in log), key=itemgetter(0))


async def played(bot_seeds: Sequence[bytes] = BOT_SEEDS) -> Moves:
    """A match by random bots: one follows its match, the other one plays over a stream."""
    async with (
        asyncio.timeout(WITHIN_S),
        Referee() as referee,
        client_of(referee, HOST) as host,
        client_of(referee, SEATS[0]) as following,
        client_of(referee, SEATS[1]) as streaming,
    ):
        match_id = await created(host, bot_seeds)
        running = asyncio.create_task(runner(streaming).run())
        await play_seat(following, match_id, 0, RandomBot(), Budget(), random.Random())
        await ended(running)
        return await moves_of(host, match_id)


async def ended(running: asyncio.Task[None]) -> None:
    """Stops a runner."""
    running.cancel()
    with suppress(asyncio.CancelledError):
        await running


async def test_two_matches_of_one_deal_with_the_same_bot_seeds_are_the_same() -> None:
    moves = await played()
    assert len(moves) > 20
    assert await played() == moves


async def test_other_bot_seeds_make_another_match() -> None:
    assert await played((BOT_SEEDS[0], bytes(32))) != await played()


class Mortal(RandomBot):
    """A bot whose process ends in the middle of its fifth choice, before anything is sent."""

    choices = 0

    def choose(
        self,
        view: ruleset_pb2.View,
        legal_moves: Sequence[match_pb2.LegalMove],
        budget: Budget,
        rng: random.Random,
    ) -> match_pb2.LegalMove:
        Mortal.choices += 1
        if Mortal.choices == 5:
            raise asyncio.CancelledError
        return super().choose(view, legal_moves, budget, rng)


async def test_a_bot_that_was_started_anew_in_mid_match_plays_on_as_if_it_had_not_been() -> None:
    undisturbed = await played()
    async with (
        asyncio.timeout(WITHIN_S),
        Referee() as referee,
        client_of(referee, HOST) as host,
        client_of(referee, SEATS[0]) as following,
        client_of(referee, SEATS[1]) as streaming,
    ):
        match_id = await created(host, BOT_SEEDS)
        other = asyncio.create_task(play_seat(following, match_id, 0, RandomBot(), Budget(), random.Random()))
        first = asyncio.create_task(runner(streaming, Mortal).run())
        await asyncio.wait([first])
        second = asyncio.create_task(runner(streaming).run())
        await other
        await ended(second)
        assert (Mortal.choices, await moves_of(host, match_id)) == (5, undisturbed)


def test_the_randomness_of_a_decision_follows_from_seed_and_number_alone() -> None:
    """HMAC-SHA256 of the number in 8 bytes, by RFC 2104 from SHA-256 itself."""
    seed, number = BOT_SEEDS[0], 258
    inner = sha256(bytes(byte ^ 0x36 for byte in seed.ljust(64, b"\0")) + b"\0\0\0\0\0\0\1\2").digest()
    expected = sha256(bytes(byte ^ 0x5C for byte in seed.ljust(64, b"\0")) + inner).digest()
    otherwise = random.Random(1)
    assert rng_for(seed, number, otherwise).random() == random.Random(expected).random()
    assert rng_for(b"", number, otherwise) is otherwise
