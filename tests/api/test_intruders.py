"""Who has no right to a seat hears nothing and changes nothing, whatever it comes with and whenever it comes."""

import asyncio
from typing import Final

import pytest

from artreferee.v1 import service_pb2
from tests.api.calls import seat_calls
from tests.api.faults import assert_refused, by_id, submission
from tests.api.harness import HOST, SEATS, Caller, Metadata, Planted, Referee, Secret
from tests.api.positions import setup_of
from tests.games.classic_art.moves import PASS

INTRUDERS: Final[dict[str, tuple[Metadata, str]]] = {
    "no principal": ((), "PRINCIPAL_MISSING"),
    "a malformed principal": ((("authorization", f"Bearer {SEATS[0].token[:-1]}"),), "PRINCIPAL_MALFORMED"),
    "another principal": ((("authorization", f"Bearer {Secret('intruder').token}"),), "NOT_PERMITTED"),
    "the host's principal": ((("authorization", f"Bearer {HOST.token}"),), "NOT_PERMITTED"),
    "the other seat's principal": ((("authorization", f"Bearer {SEATS[1].token}"),), "NOT_PERMITTED"),
}
every_intruder = pytest.mark.parametrize(("metadata", "reason"), INTRUDERS.values(), ids=INTRUDERS.keys())


async def passes(player: Caller, match: Planted) -> None:
    await player.ask("SubmitMove", submission(match.match_id, [by_id(PASS)]))


@every_intruder
async def test_an_intruder_that_waits_for_the_player_hears_nothing(
    shared: Referee, name: str, metadata: Metadata, reason: str
) -> None:
    """Neither when the player comes after it nor when it moves."""
    match = await setup_of(shared, name)
    intruder, player = shared.caller_with(*metadata), shared.caller(SEATS[0])
    request = service_pb2.WatchMatchRequest(match_id=match.match_id, seat=0)
    early = asyncio.create_task(intruder.watch(request).rest())
    stream = player.watch(request)
    await stream.read()
    late = asyncio.create_task(intruder.watch(request).rest())
    await passes(player, match)
    await stream.read()
    assert_refused(await early, reason)
    assert_refused(await late, reason)
    stream.cancel()


@every_intruder
async def test_an_intruder_changes_nothing_that_is_stored(
    referee: Referee, name: str, metadata: Metadata, reason: str
) -> None:
    """No receipt, no count, no presence; the player and its stream go on."""
    match = await setup_of(referee, name)
    intruder, player = referee.caller_with(*metadata), referee.caller(SEATS[0])
    stream = player.watch(service_pb2.WatchMatchRequest(match_id=match.match_id))
    await stream.read()
    stored = await referee.shelf.inner.load(match.match_id)
    for method, request in seat_calls(match.match_id, 0):
        assert_refused(await intruder.call(method, request), reason)
    assert referee.shelf.writes == []
    assert await referee.shelf.inner.load(match.match_id) == stored
    await passes(player, match)
    assert (await stream.update()).update.version == 1
    stream.cancel()
