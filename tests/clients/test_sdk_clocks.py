"""Bots know their time: it is within what their prompt leaves, and within what they were configured for."""

import asyncio
import random
import time
from collections.abc import AsyncIterator, Sequence
from typing import Final

import pytest

from artreferee.v1 import match_pb2, ruleset_pb2, service_pb2
from artreferee.v1.classic_art_pb2 import ClassicArtOptions
from clients.bots.random_bot import RandomBot
from clients.sdk import Budget, Principal, RefereeClient, Runner, play_seat
from tests.api.harness import HOST, SEATS, Referee

WITHIN_S: Final = 30.0
LIMIT_S: Final = 60.0


@pytest.fixture
async def referee() -> AsyncIterator[Referee]:
    async with Referee() as running:
        yield running


def noting(budgets: list[Budget]) -> type[RandomBot]:
    """A bot that notes what it is given."""

    class Noting(RandomBot):
        def choose(
            self,
            view: ruleset_pb2.View,
            legal_moves: Sequence[match_pb2.LegalMove],
            budget: Budget,
            rng: random.Random,
        ) -> match_pb2.LegalMove:
            budgets.append(budget)
            return super().choose(view, legal_moves, budget, rng)

    return Noting


def creation(time_control: match_pb2.TimeControl | None) -> service_pb2.CreateMatchRequest:
    return service_pb2.CreateMatchRequest(
        ruleset="classic_art",
        options=ruleset_pb2.Options(classic_art=ClassicArtOptions(max_seasons=1)),
        seats=[service_pb2.SeatRequest(principal_hash=SEATS[seat].hash) for seat in (0, 1)],
        time_control=time_control,
    )


async def given(referee: Referee, configured: Budget, time_control: match_pb2.TimeControl | None) -> list[Budget]:
    """Plays a match, one seat over a stream and one by unary calls; returns what both bots were given."""
    address, budgets = f"127.0.0.1:{referee.server.port}", list[Budget]()
    bot = noting(budgets)
    async with (
        asyncio.timeout(WITHIN_S),
        RefereeClient(address, Principal(HOST.bytes)) as host,
        RefereeClient(address, Principal(SEATS[0].bytes)) as streaming,
        RefereeClient(address, Principal(SEATS[1].bytes)) as calling,
    ):
        match_id = (await host.create_match(creation(time_control))).match_id
        runner = asyncio.create_task(Runner(streaming, bot, configured, lambda *_: None).run())
        await play_seat(calling, match_id, 1, bot(), configured, random.Random(1))
        runner.cancel()
        await asyncio.wait([runner])
    return budgets


async def test_without_limits_a_bot_has_what_it_was_configured_for(referee: Referee) -> None:
    for configured in (Budget(), Budget(5.0, 100)):
        assert set(await given(referee, configured, None)) == {configured}


async def test_a_bot_has_no_more_than_its_prompt_leaves(referee: Referee) -> None:
    control = match_pb2.TimeControl(move_limit_ms=int(LIMIT_S * 1_000), margin_ms=1_000)
    budgets = await given(referee, Budget(iterations=100), control)
    assert {budget.iterations for budget in budgets} == {100}
    seconds = [budget.seconds or 0 for budget in budgets]
    assert max(seconds) <= LIMIT_S
    assert min(seconds) > LIMIT_S / 2


async def test_a_bot_that_is_configured_for_less_has_less(referee: Referee) -> None:
    control = match_pb2.TimeControl(bank_ms=int(LIMIT_S * 1_000))
    assert {budget.seconds for budget in await given(referee, Budget(1.5), control)} == {1.5}


@pytest.mark.parametrize(
    ("configured", "left"), [(None, 0.7), (0.5, 0.5), (0.9, 0.7)], ids=["without", "with less", "with more"]
)
def test_what_has_passed_since_the_prompt_came_is_gone(configured: float | None, left: float) -> None:
    """While a bot chooses in one match, the prompt of another that came with it waits."""
    prompt = match_pb2.Prompt(remaining_ms=1_000)
    budget = Budget(configured).for_prompt(prompt, time.monotonic() - 0.3)
    assert budget.seconds == pytest.approx(left, abs=0.05)
    assert Budget().for_prompt(prompt, time.monotonic() - 30).seconds == 0
