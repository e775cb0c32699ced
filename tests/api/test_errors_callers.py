"""Who may do what: principals, seats, hosts, and matches that are not there."""

from typing import Final

import pytest

from artreferee.v1 import error_pb2, service_pb2
from tests.api.calls import ABSENT, seat_calls
from tests.api.faults import assert_refused, by_id, nothing_changes, submission
from tests.api.harness import HOST, METHODS, SEATS, SPECTATOR, Referee, planted
from tests.api.positions import setup_of
from tests.games.classic_art.build import season
from tests.games.classic_art.moves import PASS


@pytest.mark.parametrize("method", METHODS.keys() - {"ListRulesets"})
async def test_every_call_but_one_needs_a_principal(shared: Referee, method: str) -> None:
    assert_refused(await shared.caller(None).call(method, b""), "PRINCIPAL_MISSING")


TOKEN: Final = HOST.token


@pytest.mark.parametrize(
    "value",
    [
        "",
        TOKEN,
        "Bearer",
        "Bearer ",
        f"bearer {TOKEN}",
        f"Basic {TOKEN}",
        f"Bearer  {TOKEN}",
        f"Bearer:{TOKEN}",
        f"Bearer {TOKEN[:-1]}",
        f"Bearer {TOKEN}A",
        f"Bearer {TOKEN}=",
        f"Bearer {TOKEN[:-1]}=",
        f"Bearer {TOKEN[:-2]}==",
        f"Bearer {TOKEN[:20]}+{TOKEN[21:]}",
        f"Bearer {TOKEN[:20]}/{TOKEN[21:]}",
        f"Bearer {TOKEN[:20]} {TOKEN[21:]}",
        f"Bearer {TOKEN[:20]}.{TOKEN[21:]}",
        f"Bearer {HOST.bytes.hex()}",
    ],
)
async def test_a_principal_that_is_malformed(shared: Referee, value: str) -> None:
    """Anything but "Bearer " and 43 characters of base64url."""
    for method in ("ListMatches", "WatchMatch"):
        reply = await shared.caller_with(("authorization", value)).call(method, b"")
        assert_refused(reply, "PRINCIPAL_MALFORMED")


async def test_two_principals_are_none(shared: Referee) -> None:
    pairs = [("authorization", f"Bearer {secret.token}") for secret in (HOST, SPECTATOR)]
    assert_refused(await shared.caller_with(*pairs).call("ListMatches", b""), "PRINCIPAL_MALFORMED")


async def test_a_stream_with_a_bad_principal_tells_nothing_while_the_player_is_connected(
    shared: Referee, name: str
) -> None:
    match = await setup_of(shared, name)
    request = service_pb2.WatchMatchRequest(match_id=match.match_id, seat=0)
    player = shared.caller(SEATS[0]).watch(request)
    await player.read()
    bad = shared.caller_with(("authorization", "Bearer x")).watch(request)
    await shared.caller(SEATS[0]).ask("SubmitMove", submission(match.match_id, [by_id(PASS)]))
    await player.read()
    assert_refused(await bad.rest(), "PRINCIPAL_MALFORMED")
    player.cancel()


# Who may do what


@pytest.mark.parametrize("seat", [None, 0, 1, 5])
async def test_a_seat_not_held_is_refused_alike_whether_or_not_the_match_exists(
    shared: Referee, name: str, seat: int | None
) -> None:
    match = await setup_of(shared, name)
    spectator = shared.caller(SPECTATOR)
    async with nothing_changes(shared, match.match_id):
        for there, absent in zip(seat_calls(match.match_id, seat), seat_calls(ABSENT, seat), strict=True):
            reply = await spectator.call(*there)
            assert_refused(reply, "NOT_PERMITTED")
            assert reply == await spectator.call(*absent)


async def test_a_player_may_not_act_for_another_seat(shared: Referee, name: str) -> None:
    match = await setup_of(shared, name)
    async with nothing_changes(shared, match.match_id):
        for call in seat_calls(match.match_id, 0):
            assert_refused(await shared.caller(SEATS[1]).call(*call), "NOT_PERMITTED")


async def test_only_the_host_may_release_and_nobody_learns_whether_the_match_exists(shared: Referee, name: str) -> None:
    match = await setup_of(shared, name)
    request = service_pb2.ReleaseRecordsRequest(request_id="r", match_ids=[match.match_id, ABSENT])
    released = (await shared.caller(SEATS[0]).ask("ReleaseRecords", request)).results
    assert [result.match_id for result in released] == [match.match_id, ABSENT]
    assert {result.reason for result in released} == {error_pb2.ERROR_REASON_NOT_PERMITTED}
    assert released[0].text == released[1].text != ""
    [result] = (
        await shared.caller(HOST).ask(
            "ReleaseRecords", service_pb2.ReleaseRecordsRequest(request_id="r", match_ids=[match.match_id])
        )
    ).results
    assert result.reason == error_pb2.ERROR_REASON_MATCH_NOT_OVER


async def test_a_match_that_is_not_there(shared: Referee) -> None:
    for method, request in (
        ("JoinMatch", service_pb2.JoinMatchRequest(match_id=ABSENT, request_id="r")),
        ("GetMatch", service_pb2.GetMatchRequest(match_id=ABSENT)),
        ("WatchMatch", service_pb2.WatchMatchRequest(match_id=ABSENT)),
        ("GetRecord", service_pb2.GetRecordRequest(match_id=ABSENT)),
    ):
        assert_refused(await shared.caller(SPECTATOR).call(method, request), "MATCH_NOT_FOUND", match_id=ABSENT)


async def test_who_holds_several_seats_must_name_one(shared: Referee, name: str) -> None:
    match = planted(name, season(3), holders=[SEATS[0], SEATS[1], SEATS[0]])
    await shared.plant(match)
    caller = shared.caller(SEATS[0])
    calls = [
        *seat_calls(match.match_id, None),
        ("GetMatch", service_pb2.GetMatchRequest(match_id=match.match_id)),
        ("WatchMatch", service_pb2.WatchMatchRequest(match_id=match.match_id)),
    ]
    for call in calls:
        assert_refused(await caller.call(*call), "SEAT_REQUIRED", seats="0, 2")
    seen = await caller.ask("GetMatch", service_pb2.GetMatchRequest(match_id=match.match_id, seat=2))
    assert seen.match.viewer_seat == 2


async def test_a_seat_that_is_taken(shared: Referee, name: str) -> None:
    match = planted(name, season(2), holders=[SEATS[0], None])
    await shared.plant(match)
    request = service_pb2.JoinMatchRequest(match_id=match.match_id, request_id="r", seat=0)
    joining = shared.caller(SEATS[1])
    async with nothing_changes(shared, match.match_id):
        assert_refused(await joining.call("JoinMatch", request), "SEAT_TAKEN", seat=0)
        move = submission(match.match_id, [by_id(PASS)])
        assert_refused(await shared.caller(SEATS[0]).call("SubmitMove", move), "MATCH_NOT_STARTED", open=1)
        resign = service_pb2.ResignRequest(match_id=match.match_id, request_id="s")
        assert_refused(await shared.caller(SEATS[0]).call("Resign", resign), "MATCH_NOT_STARTED", open=1)
    request = service_pb2.JoinMatchRequest(match_id=match.match_id, request_id="s")
    assert (await joining.ask("JoinMatch", request)).seat == 1
    reply = await shared.caller(SPECTATOR).call("JoinMatch", request)
    assert_refused(reply, "NO_OPEN_SEAT")
