"""Who is let in, over the wire: rates, streams, calls at once, creations."""

import asyncio
from base64 import urlsafe_b64encode
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Final

import pytest
from google.rpc import error_details_pb2

from artreferee.v1 import error_pb2, service_pb2
from referee.api.creations import Creations, OperatorKeys
from referee.api.quotas import BURST_S, Gate, Quotas
from referee.games import registry
from referee.store.memory import MemoryStore
from referee.table.ids import MatchId, match_id_of
from referee.table.table import Table
from tests.api.calls import create
from tests.api.faults import assert_refused, by_id, submission
from tests.api.harness import HOST, METHODS, SEATS, SPECTATOR, Caller, Referee, Reply, Secret
from tests.api.positions import setup_of
from tests.api.test_quotas import Clock
from tests.games.classic_art.moves import PASS

LIST: Final = ("ListRulesets", b"")
OTHERS: Final = tuple(Secret(f"other {number}") for number in range(5))
KNOWN: Final = ", ".join(registry())
FLOOD: Final = 20  # times as much as is allowed


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    """The clock of rates, which stands still until a test moves it."""
    clock = Clock()
    monkeypatch.setattr("referee.api.server.Gate", partial(Gate, clock=clock))
    return clock


def get(match_id: str) -> tuple[str, service_pb2.GetMatchRequest]:
    return "GetMatch", service_pb2.GetMatchRequest(match_id=match_id)


async def opened(caller: Caller, method: str, request: bytes) -> Reply:
    """A call that is to be refused before it says anything: one that ends while it is written hides why it ended."""
    return await (caller.play().rest() if method == "Play" else caller.call(method, request))


def delay_ms(reply: Reply) -> int:
    """When the caller shall try again."""
    [info] = reply.details(error_details_pb2.RetryInfo)
    return int(info.retry_delay.ToMilliseconds())


# Rates


async def test_a_caller_that_floods_is_refused_and_all_others_are_served(clock: Clock, name: str) -> None:
    """All of them call from one address, at the same time."""
    async with Referee(quotas=Quotas(call_rate=5)) as referee:
        call = get((await setup_of(referee, name)).match_id)
        allowed = 5 * BURST_S
        flooding = referee.caller(SPECTATOR)
        flood = [flooding.call(*call) for _ in range(FLOOD * allowed)]
        others = [caller.call(*call) for caller in map(referee.caller, OTHERS) for _ in range(allowed)]
        replies = await asyncio.gather(*flood, *others)
        assert {reply.reason for reply in replies[len(flood) :]} == {"OK"}
        refused = [reply for reply in replies[: len(flood)] if reply.reason != "OK"]
        assert len(refused) == (FLOOD - 1) * allowed
        for reply in refused:
            assert_refused(reply, "RATE_LIMITED", who="principal", what="calls", limit=5, retry_after_ms=200)
            assert delay_ms(reply) == 200
        clock.now += 0.2
        assert (await flooding.call(*call)).reason == "OK"


async def test_calls_that_read_many_matches_count_as_several(clock: Clock) -> None:
    async with Referee(quotas=Quotas(call_rate=5)) as referee:
        caller = referee.caller(SPECTATOR)
        for _ in range(2):
            assert (await caller.call("ListMatches", b"")).reason == "OK"
        reply = await caller.call("ListMatches", b"")
        assert_refused(reply, "RATE_LIMITED", who="principal", what="calls", limit=5, retry_after_ms=2000)


@pytest.mark.parametrize("method", METHODS)
async def test_every_call_counts_at_its_address_whoever_makes_it(clock: Clock, method: str) -> None:
    """Also without a principal, or with a malformed request."""
    async with Referee(quotas=Quotas(address_call_rate=0.25)) as referee:
        nobody = referee.caller(None)
        first = await opened(nobody, method, b"")
        assert first.reason == ("OK" if method == "ListRulesets" else "PRINCIPAL_MISSING")
        for caller in (nobody, referee.caller(SPECTATOR)):
            reply = await opened(caller, method, b"\xff")
            assert_refused(reply, "RATE_LIMITED", who="address", what="calls", limit=0.25, retry_after_ms=4000)


async def test_callers_behind_a_trusted_proxy_are_told_apart(clock: Clock) -> None:
    async with Referee(quotas=Quotas(address_call_rate=0.25), trusted_proxies=1) as referee:
        for address in ("203.0.113.1", "203.0.113.2", "2001:db8::1"):
            caller = referee.caller_with(("x-forwarded-for", f"198.51.100.9, {address}"))
            assert (await caller.call(*LIST)).reason == "OK"
            assert (await caller.call(*LIST)).reason == "RATE_LIMITED"


async def test_nobody_is_believed_who_is_no_proxy(clock: Clock) -> None:
    async with Referee(quotas=Quotas(address_call_rate=0.25)) as referee:
        reasons = [
            (await referee.caller_with(("x-forwarded-for", f"203.0.113.{number}")).call(*LIST)).reason
            for number in range(3)
        ]
        assert reasons == ["OK", "RATE_LIMITED", "RATE_LIMITED"]


async def test_moves_over_a_stream_count_and_are_refused_one_by_one(clock: Clock, name: str) -> None:
    """In their outcomes, as what may be repeated; the stream goes on, and so does the game."""
    async with Referee(quotas=Quotas(call_rate=0.5)) as referee:
        match = await setup_of(referee, name)
        assert (await referee.caller(SEATS[0]).call(*get(match.match_id))).reason == "OK"
        stream = referee.caller(SEATS[0]).play()
        await stream.say(service_pb2.PlayRequest())
        assert (await stream.told()).seated
        request = service_pb2.PlayRequest()
        request.moves.add(match_id=match.match_id, request_id="r", moves=[by_id(PASS)])
        await stream.say(request)
        refused = (await _outcome(stream.told)).refused
        assert refused.reason == error_pb2.ERROR_REASON_RATE_LIMITED
        assert refused.retriable
        assert {pair.key: pair.value for pair in refused.metadata} == {
            "who": "principal",
            "what": "calls",
            "limit": "0.5",
            "retry_after_ms": "2000",
        }
        clock.now += 2
        await stream.say(request)
        assert (await _outcome(stream.told)).accepted.version == 1
        stream.cancel()


async def _outcome(told: Callable[[], object]) -> service_pb2.PlayOutcome:
    while True:
        response = await told()  # type: ignore[misc]
        if response.outcomes:
            return response.outcomes[0]  # type: ignore[no-any-return]


async def test_a_stream_that_asks_too_often_without_a_move_ends(clock: Clock) -> None:
    async with Referee(quotas=Quotas(call_rate=0.5)) as referee:
        stream = referee.caller(SEATS[0]).play()
        for _ in range(3):
            await stream.say(service_pb2.PlayRequest())
        reply = await stream.rest()
        assert reply.reason == "RATE_LIMITED"
        assert delay_ms(reply) == 2000


# At once


async def test_streams_of_a_principal_are_counted_while_they_are_open(name: str) -> None:
    async with Referee(quotas=Quotas(streams=2)) as referee:
        match = await setup_of(referee, name)
        caller, request = referee.caller(SPECTATOR), service_pb2.WatchMatchRequest(match_id=match.match_id)
        open_ones = [caller.watch(request) for _ in range(2)]
        for stream in open_ones:
            await stream.read()
        said = {"who": "principal", "what": "open streams", "limit": 2, "retry_after_ms": 1000}
        assert_refused(await caller.call("WatchMatch", request), "QUOTA_EXCEEDED", **said)
        assert_refused(await caller.play().rest(), "QUOTA_EXCEEDED", **said)
        assert (await caller.call(*get(match.match_id))).reason == "OK"
        await referee.caller(SEATS[0]).watch(request).read()
        open_ones[0].cancel()

        async def is_let_in() -> bool:
            stream = caller.watch(request)
            begins = await stream.begins()
            stream.cancel()
            return begins

        async with asyncio.timeout(5):
            while not await is_let_in():
                pass


async def test_of_calls_at_once_no_more_are_taken_than_there_is_room_for(name: str) -> None:
    """Whoever is too many is told so, and is served when one of the others has ended."""
    async with Referee(quotas=Quotas(calls_at_once=1)) as referee:
        match = await setup_of(referee, name)
        shelf = referee.shelf
        shelf.writing, shelf.may_write = asyncio.Event(), asyncio.Event()
        move = submission(match.match_id, [by_id(PASS)])
        under_way = asyncio.create_task(referee.caller(SEATS[0]).call("SubmitMove", move))
        await shelf.writing.wait()
        reply = await referee.caller(SPECTATOR).call(*LIST)
        assert_refused(reply, "OVERLOADED", what="calls", limit=1, retry_after_ms=1000)
        shelf.may_write.set()
        assert (await under_way).reason == "OK"
        assert (await referee.caller(SPECTATOR).call(*LIST)).reason == "OK"


# Creations


async def test_creations_have_a_rate_of_their_own(clock: Clock) -> None:
    async with Referee(quotas=Quotas(creation_rate=0.5)) as referee:
        host = referee.caller(HOST)
        for request_id in ("a", "b"):
            assert (await host.call("CreateMatch", create(request_id=request_id))).reason == "OK"
        reply = await host.call("CreateMatch", create(request_id="c"))
        assert_refused(reply, "RATE_LIMITED", who="principal", what="creations", limit=0.5, retry_after_ms=2000)
        assert (await host.call("ListMatches", b"")).reason == "OK"
        assert (await referee.caller(SPECTATOR).call("CreateMatch", create(request_id="c"))).reason == "OK"


async def ids_of(host: Caller, *request_ids: str) -> list[str]:
    """Creates matches."""
    requests = [create(request_id=request_id) for request_id in request_ids]
    return [(await host.ask("CreateMatch", request)).match_id for request in requests]


async def test_a_host_may_have_so_many_unfinished_matches() -> None:
    """A repeated creation and one that fails count for nothing; a match that has ended makes room."""
    async with Referee(quotas=Quotas(open_matches=2)) as referee:
        host = referee.caller(HOST)
        bad = create(request_id="bad")
        bad.ruleset = "chess"
        assert_refused(await host.call("CreateMatch", bad), "UNKNOWN_RULESET", ruleset="chess", known=KNOWN)
        ids = await ids_of(host, "a", "b", "a", "b")
        for _ in range(2):
            reply = await host.call("CreateMatch", create(request_id="c"))
            said = {"who": "host", "what": "unfinished matches", "limit": 2, "retry_after_ms": 1000}
            assert_refused(reply, "QUOTA_EXCEEDED", **said)
        assert await ids_of(host, "b", "a") == [ids[1], ids[0]]
        await ids_of(referee.caller(SPECTATOR), "a", "b")
        for seat in (0, 1):
            join = service_pb2.JoinMatchRequest(match_id=ids[1], request_id="j")
            await referee.caller(SEATS[seat]).ask("JoinMatch", join)
        resign = service_pb2.ResignRequest(match_id=ids[1], request_id="r")
        await referee.caller(SEATS[0]).ask("Resign", resign)
        await ids_of(host, "c")
        assert (await host.call("CreateMatch", create(request_id="d"))).reason == "QUOTA_EXCEEDED"


async def test_matches_that_are_gone_make_room_too(name: str) -> None:
    """And those whose end another replica has written."""
    async with Referee(quotas=Quotas(open_matches=2)) as referee:
        host = referee.caller(HOST)
        await ids_of(host, "a", "b")
        referee.shelf.renew()
        await ids_of(host, "c", "d")
        assert (await host.call("CreateMatch", create(request_id="e"))).reason == "QUOTA_EXCEEDED"


async def test_every_unfinished_match_is_looked_at_in_its_turn(monkeypatch: pytest.MonkeyPatch) -> None:
    """However few at once: one that has ended makes room, whichever it is."""
    monkeypatch.setattr("referee.api.creations._LOOKED_AT", 1)
    async with Referee(quotas=Quotas(open_matches=3)) as referee:
        host = referee.caller(HOST)
        ids = await ids_of(host, "a", "b", "c")
        await Table(referee.shelf, registry()).abort(MatchId(ids[2]))
        replies = [await host.call("CreateMatch", create(request_id="d")) for _ in range(3)]
        assert [reply.reason for reply in replies] == ["QUOTA_EXCEEDED", "QUOTA_EXCEEDED", "OK"]


async def test_the_memory_of_unfinished_matches_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    """The hosts that have created none for the longest time are forgotten, and may have as many again."""
    monkeypatch.setattr("referee.api.creations._REMEMBERED", 4)
    creations = Creations(Table(MemoryStore(), registry()), most=2)
    for host in (HOST, *OTHERS):
        for name in ("a", "b"):
            async with creations.admitted(host.hash, match_id_of(host.hash, name)):
                pass
        assert sum(map(len, creations._hosted.values())) == creations._count <= 4
    assert list(creations._hosted) == [host.hash for host in OTHERS[-2:]]


# Operators


def line_of(secret: Secret) -> str:
    return secret.hash.hex()


async def test_where_operators_are_named_nobody_else_creates_matches(tmp_path: Path) -> None:
    """By either notation, among comments; and everybody does everything else."""
    file = tmp_path / "keys"
    named = urlsafe_b64encode(SEATS[0].hash).decode().rstrip("=")
    file.write_text(f"# operators\n\n{line_of(HOST).upper()}  # the host\n  {named}\n")
    async with Referee(operators=OperatorKeys(file)) as referee:
        for secret in (HOST, SEATS[0]):
            assert (await referee.caller(secret).call("CreateMatch", create())).reason == "OK"
        for secret in (SPECTATOR, SEATS[1]):
            assert_refused(await referee.caller(secret).call("CreateMatch", create()), "CREATION_RESTRICTED")
            assert (await referee.caller(secret).call("ListMatches", b"")).reason == "OK"
        assert len(referee.shelf.writes) == 2


async def test_operators_change_with_their_file_while_the_referee_runs(tmp_path: Path) -> None:
    """A file that is wrong or gone changes nothing, until it is right again."""
    file = tmp_path / "keys"
    file.write_text(line_of(HOST))
    async with Referee(operators=OperatorKeys(file)) as referee:

        async def operators() -> list[Secret]:
            replies = {
                secret: await referee.caller(secret).call("CreateMatch", create()) for secret in (HOST, SPECTATOR)
            }
            return [secret for secret, reply in replies.items() if reply.reason == "OK"]

        assert await operators() == [HOST]
        file.write_text(f"{line_of(HOST)}\n{line_of(SPECTATOR)}\n")
        assert await operators() == [HOST, SPECTATOR]
        file.write_text(f"{line_of(HOST)}\nwhat is this\n")
        assert await operators() == [HOST, SPECTATOR]
        file.unlink()
        assert await operators() == [HOST, SPECTATOR]
        (tmp_path / "new").write_text(line_of(SPECTATOR))
        (tmp_path / "new").rename(file)
        assert await operators() == [SPECTATOR]


async def test_a_file_without_keys_lets_nobody_create_matches(tmp_path: Path) -> None:
    (tmp_path / "keys").write_text("# nobody\n")
    async with Referee(operators=OperatorKeys(tmp_path / "keys")) as referee:
        assert_refused(await referee.caller(HOST).call("CreateMatch", create()), "CREATION_RESTRICTED")
