"""Who may find and see a match: public, unlisted, private."""

import asyncio
import random
from collections.abc import Sequence
from typing import Final

import pytest
from google.protobuf.message import Message

from artreferee.v1 import match_pb2, service_pb2
from artreferee.v1.classic_art_pb2 import ClassicArtOptions
from artreferee.v1.ruleset_pb2 import Options
from referee.games import registry
from referee.store.memory import MemoryStore
from referee.table.ids import match_id_of
from referee.table.matches import Limits
from referee.table.snapshot import End, Entry, Step, Visibility
from referee.table.table import Table
from tests.api.calls import aimed, seat_calls
from tests.api.faults import assert_refused, by_id, submission
from tests.api.harness import HOST, SEATS, SPECTATOR, Caller, Planted, Referee, Reply, Secret, planted
from tests.api.recorded import found
from tests.games.classic_art.build import season
from tests.games.classic_art.moves import PASS

STRANGERS: Final = (SPECTATOR, SEATS[2])
KINDS: Final = {
    Visibility.PUBLIC: match_pb2.VISIBILITY_PUBLIC,
    Visibility.UNLISTED: match_pb2.VISIBILITY_UNLISTED,
    Visibility.PRIVATE: match_pb2.VISIBILITY_PRIVATE,
}
every_visibility = pytest.mark.parametrize("visibility", KINDS, ids=lambda kind: kind.name.lower())
END: Final = End("COMPLETED", (1, 2), (3, 2))
STATES: Final[dict[str, tuple[Sequence[Secret | None], End | None]]] = {
    "waiting": ([SEATS[0], None], None),
    "active": (SEATS[:2], None),
    "finished": (SEATS[:2], END),
}
every_state = pytest.mark.parametrize("state", STATES)


def in_state(name: str, state: str, visibility: Visibility) -> Planted:
    """A match of seats 0 and 1 that waits for the second, goes on, or has ended."""
    holders, end = STATES[state]
    entries = [Entry(Step.RESIGNATION, 1, ended=True)] if end else []
    return planted(name, season(2), holders=holders, end=end, entries=entries, visibility=visibility)


async def listed(caller: Caller, *, mine: bool = False) -> list[str]:
    """The ids of all matches that a caller is listed, page by page."""
    request, ids = service_pb2.ListMatchesRequest(mine=mine, page_size=1), list[str]()
    while True:
        page = await caller.ask("ListMatches", request)
        ids += [match.match_id for match in page.matches]
        if not page.next_page_token:
            return ids
        request.page_token = page.next_page_token


def calls_at(match_id: str, *, join: bool) -> list[tuple[str, Message]]:
    """Every call that can name a match, and those that list matches."""
    play = service_pb2.PlayRequest(unfinished_match_ids=[match_id])
    play.moves.add(match_id=match_id, request_id="r", moves=[by_id(PASS)])
    play.moves.add(match_id=match_id, request_id="s", seat=0, moves=[by_id(PASS)])
    calls = [
        *aimed(match_id),
        *(call for seat in (None, 0, 1, 9) for call in seat_calls(match_id, seat)),
        ("WatchMatch", service_pb2.WatchMatchRequest(match_id=match_id, after_version=0)),
        ("ListMatches", service_pb2.ListMatchesRequest()),
        ("ListMatches", service_pb2.ListMatchesRequest(mine=True)),
        ("ListMatches", service_pb2.ListMatchesRequest(page_size=1)),
        ("Play", play),
    ]
    if join:
        calls += [
            ("JoinMatch", service_pb2.JoinMatchRequest(match_id=match_id, request_id="r", seat=seat))
            for seat in (0, 1, 9)
        ]
    return [call for call in calls if join or call[0] != "JoinMatch"]


async def replies(caller: Caller, calls: Sequence[tuple[str, Message]]) -> list[Reply]:
    return [await caller.call(*call) for call in calls]


@every_state
@pytest.mark.parametrize("stranger", STRANGERS, ids=lambda secret: secret.name)
async def test_a_private_match_is_to_strangers_as_one_that_is_not_there(
    referee: Referee, name: str, state: str, stranger: Secret
) -> None:
    """To the byte, whatever is called; and nothing is written. Only its open seats can be taken by who knows its id."""
    match = in_state(name, state, Visibility.PRIVATE)
    await referee.plant(match)
    await referee.plant(planted(f"{name} in public", season(2)))
    calls, caller = calls_at(match.match_id, join=state != "waiting"), referee.caller(stranger)
    there = await replies(caller, calls)
    assert referee.shelf.writes == []
    referee.shelf.inner = MemoryStore()
    await referee.plant(planted(f"{name} in public", season(2)))
    absent = await replies(caller, calls)
    for call, one, other in zip(calls, there, absent, strict=True):
        assert one == other, call


@every_state
async def test_a_private_match_is_shown_to_its_host_and_its_seats(referee: Referee, name: str, state: str) -> None:
    match = in_state(name, state, Visibility.PRIVATE)
    await referee.plant(match)
    holders = [secret for secret in STATES[state][0] if secret]
    for secret, seat in ((HOST, None), *zip(holders, range(2), strict=False)):
        caller = referee.caller(secret)
        seen = (await caller.ask("GetMatch", service_pb2.GetMatchRequest(match_id=match.match_id))).match
        assert seen.visibility == match_pb2.VISIBILITY_PRIVATE
        assert (seen.viewer_seat if seen.HasField("viewer_seat") else None) == seat
        stream = caller.watch(service_pb2.WatchMatchRequest(match_id=match.match_id))
        assert (await stream.update()).snapshot == seen
        stream.cancel()
        record = await caller.call("GetRecord", service_pb2.GetRecordRequest(match_id=match.match_id))
        assert record.reason == ("OK" if state == "finished" else "MATCH_NOT_OVER")


@every_visibility
@every_state
async def test_what_is_not_private_is_shown_to_whoever_knows_its_id(
    referee: Referee, name: str, state: str, visibility: Visibility
) -> None:
    match = in_state(name, state, visibility)
    await referee.plant(match)
    caller = referee.caller(SPECTATOR)
    for method, request in (
        ("GetMatch", service_pb2.GetMatchRequest(match_id=match.match_id)),
        ("GetRecord", service_pb2.GetRecordRequest(match_id=match.match_id)),
    ):
        not_over = method == "GetRecord" and state != "finished"
        shown = "MATCH_NOT_OVER" if not_over else "OK"
        reply = await caller.call(method, request)
        assert reply.reason == ("MATCH_NOT_FOUND" if visibility is Visibility.PRIVATE else shown)


async def test_the_listing_shows_public_matches_and_to_each_all_of_its_own(referee: Referee, name: str) -> None:
    ids = {}
    for visibility in KINDS:
        match = in_state(f"{name} {visibility}", "active", visibility)
        await referee.plant(match)
        ids[visibility] = match.match_id
    for secret in (HOST, SPECTATOR, *SEATS[:2]):
        assert await listed(referee.caller(secret)) == [ids[Visibility.PUBLIC]]
    for secret in (HOST, SPECTATOR):
        assert await listed(referee.caller(secret), mine=True) == []
    for secret in SEATS[:2]:
        assert await listed(referee.caller(secret), mine=True) == sorted(ids.values())


@every_visibility
async def test_a_match_is_created_as_visible_as_its_host_says(referee: Referee, visibility: Visibility) -> None:
    """And the request id is for that visibility alone."""
    host = referee.caller(HOST)
    request = service_pb2.CreateMatchRequest(request_id="r", ruleset="classic_art", visibility=KINDS[visibility])
    for secret in SEATS[:2]:
        request.seats.add(principal_hash=secret.hash)
    match_id = (await host.ask("CreateMatch", request)).match_id
    seen = (await host.ask("GetMatch", service_pb2.GetMatchRequest(match_id=match_id))).match
    assert seen.visibility == KINDS[visibility]
    shown = [match_id] if visibility is Visibility.PUBLIC else []
    assert await listed(referee.caller(SPECTATOR)) == shown
    assert [place.match_id for place in (await referee.shelf.inner.listing(None, 9))[0]] == shown
    assert (await host.ask("CreateMatch", request)).match_id == match_id
    for other in KINDS.values():
        if other != KINDS[visibility]:
            request.visibility = other
            assert_refused(await host.call("CreateMatch", request), "REQUEST_ID_REUSED")


async def test_a_match_is_public_unless_its_host_says_otherwise(referee: Referee) -> None:
    request = service_pb2.CreateMatchRequest(request_id="r", ruleset="classic_art")
    for _ in range(2):
        request.seats.add()
    match_id = (await referee.caller(HOST).ask("CreateMatch", request)).match_id
    read = service_pb2.GetMatchRequest(match_id=match_id)
    assert (await referee.caller(SPECTATOR).ask("GetMatch", read)).match.visibility == match_pb2.VISIBILITY_PUBLIC


@pytest.mark.parametrize("number", [4, -1])
async def test_a_visibility_that_there_is_not(shared: Referee, number: int) -> None:
    request = service_pb2.CreateMatchRequest(request_id="r", ruleset="classic_art")
    request.visibility = number  # type: ignore[assignment]
    assert_refused(await shared.caller(HOST).call("CreateMatch", request), "INVALID_FIELD", field="visibility")


async def test_the_open_seats_of_a_private_match_are_for_those_who_know_its_id(referee: Referee, name: str) -> None:
    """Whoever has taken one sees the match from then on, and with the last one the door is shut."""
    match = planted(name, season(3), holders=[SEATS[0], None, None], visibility=Visibility.PRIVATE)
    await referee.plant(match)
    read = service_pb2.GetMatchRequest(match_id=match.match_id)
    for seat in (1, 2):
        caller = referee.caller(SEATS[seat])
        assert_refused(await caller.call("GetMatch", read), "MATCH_NOT_FOUND", match_id=match.match_id)
        join = service_pb2.JoinMatchRequest(match_id=match.match_id, request_id="join")
        assert (await caller.ask("JoinMatch", join)).seat == seat
        assert (await caller.ask("GetMatch", read)).match.viewer_seat == seat
        assert (await caller.ask("JoinMatch", join)).seat == seat
    late = service_pb2.JoinMatchRequest(match_id=match.match_id, request_id="join")
    reply = await referee.caller(SPECTATOR).call("JoinMatch", late)
    assert_refused(reply, "MATCH_NOT_FOUND", match_id=match.match_id)
    reply = await referee.caller(SEATS[0]).call("JoinMatch", late)
    assert_refused(reply, "NO_OPEN_SEAT")


def test_the_id_of_a_private_match_takes_the_request_id_to_work_it_out() -> None:
    """Neither host nor request id is ever told, see the canaries; and whoever knows the one must guess the other."""
    ids = {match_id_of(host.hash, request_id) for host in (HOST, SPECTATOR) for request_id in ("r", "s", "r.s")}
    assert len(ids) == 6


# Streams


@pytest.mark.parametrize("watcher", [SPECTATOR, SEATS[0]], ids=["in public", "at a seat"])
async def test_a_stream_tells_nothing_of_a_private_match_that_took_the_place_of_the_one_that_it_follows(
    name: str, watcher: Secret
) -> None:
    """One of the same host and request id, made when the first was forgotten."""
    async with Referee(Limits(heartbeat_s=0.05)) as referee:
        await referee.plant(planted(name, season(2)))
        stream = referee.caller(watcher).watch(service_pb2.WatchMatchRequest(match_id=match_id_of(HOST.hash, name)))
        await stream.read()
        referee.shelf.inner = MemoryStore()
        private = planted(name, season(2), holders=SEATS[2:4], visibility=Visibility.PRIVATE)
        await referee.plant(private)
        reply = await stream.rest()
        assert {service_pb2.WatchMatchResponse.FromString(raw).WhichOneof("message") for raw in reply.messages} <= {
            "heartbeat"
        }
        assert reply.reason == "MATCH_NOT_FOUND"


async def test_a_stream_from_a_seat_tells_nothing_of_a_match_in_which_somebody_else_has_it(name: str) -> None:
    """Also where all may see what the public sees."""
    async with Referee(Limits(heartbeat_s=0.05)) as referee:
        await referee.plant(planted(name, season(2)))
        stream = referee.caller(SEATS[0]).watch(service_pb2.WatchMatchRequest(match_id=match_id_of(HOST.hash, name)))
        await stream.read()
        referee.shelf.inner = MemoryStore()
        await referee.plant(planted(name, season(2), holders=[SEATS[1], SEATS[0]]))
        assert (await stream.rest()).reason == "NOT_PERMITTED"


async def test_who_has_lost_its_seat_in_a_private_match_is_a_stranger(referee: Referee, name: str) -> None:
    """Its stream ends as if the match were gone, and so does everything else."""
    match = planted(name, season(2), visibility=Visibility.PRIVATE)
    await referee.plant(match)
    loser = referee.caller(SEATS[0])
    stream = loser.watch(service_pb2.WatchMatchRequest(match_id=match.match_id))
    await stream.read()
    await Table(referee.shelf, registry()).reseat(match.match_id, 0, SEATS[4].hash)
    assert (await stream.rest()).reason == "MATCH_NOT_FOUND"
    calls = calls_at(match.match_id, join=True)
    there = await replies(loser, calls)
    referee.shelf.inner = MemoryStore()
    assert there == await replies(loser, calls)


# Canaries

NAMES: Final = {"name of seat 0": b"Persephone Quill", "name of seat 1": b"Xanthippe Vole", "entrant": b"moth-engine"}


async def test_strangers_hear_nothing_of_a_private_match_from_its_creation_to_its_record(referee: Referee) -> None:
    """Neither its id nor whoever plays in it is in any listing, page token, stream or error of theirs."""
    request = service_pb2.CreateMatchRequest(
        request_id="a-private-request",
        ruleset="classic_art",
        options=Options(classic_art=ClassicArtOptions(max_seasons=1)),
        visibility=match_pb2.VISIBILITY_PRIVATE,
    )
    for seat, label in enumerate(["name of seat 0", "name of seat 1"]):
        head = request.seats.add(principal_hash=SEATS[seat].hash, display_name=NAMES[label].decode())
        head.entrant.name = NAMES["entrant"].decode()
    await referee.plant(planted("in public", season(2), holders=[SPECTATOR, SEATS[3]]))
    strangers = [referee.caller(stranger) for stranger in STRANGERS]
    playing = [stranger.play() for stranger in strangers]
    for stream in playing:
        await stream.say(service_pb2.PlayRequest())
        await stream.read()
    created = await referee.caller(HOST).ask("CreateMatch", request)
    rng, players = random.Random(7), [referee.caller(SEATS[seat]) for seat in range(2)]
    read = service_pb2.GetMatchRequest(match_id=created.match_id)
    while (match := (await players[0].ask("GetMatch", read)).match).status != match_pb2.MATCH_STATUS_FINISHED:
        seat = rng.choice([seat for seat in range(2) if match.seats[seat].to_act])
        prompt = (await players[seat].ask("GetMatch", read)).match.prompt
        move = submission(created.match_id, [by_id(rng.choice(prompt.legal_moves).id)], str(match.version))
        move.decision_number = prompt.decision_number
        await players[seat].ask("SubmitMove", move)
        for stranger in strangers:
            await asyncio.gather(listed(stranger), listed(stranger, mine=True))
    await players[1].ask("GetRecord", service_pb2.GetRecordRequest(match_id=created.match_id))
    for stream in playing:
        await stream.end()
        await stream.rest()
    heard = b"\n".join(part for stranger in strangers for part in stranger.heard)
    canaries = {**NAMES, "id": created.match_id.encode(), "commitment": created.commitment, "host": HOST.hash}
    assert len(heard) > 1000
    assert found(canaries, heard) == []
    assert set(found(NAMES, b"\n".join(players[0].heard))) == set(NAMES)
