"""Two replicas on one store, and many matches at once: no move is lost and none is played twice."""

import asyncio
import random
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field
from itertools import count
from pathlib import Path
from typing import TypeVar

import pytest

from artreferee.v1 import classic_art_pb2, match_pb2, record_pb2, ruleset_pb2, service_pb2
from clients.replay import replay
from clients.sdk import Principal, RefereeClient, new_request_id
from referee.games import registry
from tests.servers import DEBIAN_REDIS, bundled_server, referee_process, store_server

PEOPLE = 8
TWICE_IN = 10
MOST_AT_ONCE = 64

T = TypeVar("T")
Clients = tuple[RefereeClient, ...]


@dataclass
class Calls:
    """Makes calls at a random replica, and every tenth one twice at the same time.

    Attributes:
        rng: decides about replicas and moves.
        doubled: how many calls were sent twice.
    """

    rng: random.Random
    doubled: int = 0
    _number: Iterator[int] = field(default_factory=lambda: count(1), repr=False)

    async def make(self, clients: Clients, call: Callable[[RefereeClient], Awaitable[T]]) -> list[T]:
        """Returns the answer, or both answers."""
        copies = 2 if next(self._number) % TWICE_IN == 0 else 1
        self.doubled += copies - 1
        return list(await asyncio.gather(*(call(self.rng.choice(clients)) for _ in range(copies))))

    async def read(self, clients: Clients, call: Callable[[RefereeClient], Awaitable[T]]) -> T:
        """Returns the answer of a call that changes nothing."""
        return await call(self.rng.choice(clients))


@dataclass
class Played:
    """What the players know of a match that they have played.

    Attributes:
        match_id: the match.
        joins: how many seats were taken after its creation.
        moves: for each seat the moves that it was told are played, in order, each with the version that it was told.
    """

    match_id: str
    joins: int
    moves: list[list[tuple[int, int]]]

    @property
    def versions(self) -> int:
        """How many log entries there must be."""
        return self.joins + sum(map(len, self.moves))


@asynccontextmanager
async def people_at(*addresses: str) -> AsyncIterator[list[Clients]]:
    """Yields a spectator and some people, each with a connection to every replica."""
    async with AsyncExitStack() as stack:
        yield [
            tuple([await stack.enter_async_context(RefereeClient(address, principal)) for address in addresses])
            for principal in (Principal.new() for _ in range(1 + PEOPLE))
        ]


async def created(calls: Calls, host: Clients, seats: int, seasons: int, seated: list[Clients]) -> str:
    """Creates a match for the first of those who shall sit at it; the other seats are open."""
    request = service_pb2.CreateMatchRequest(
        request_id=new_request_id(),
        ruleset="classic_art",
        options=ruleset_pb2.Options(classic_art=classic_art_pb2.ClassicArtOptions(max_seasons=seasons)),
        seats=[
            service_pb2.SeatRequest(principal_hash=person[0].principal.hash if person else None)
            for person in seated + [None] * (seats - len(seated))
        ],
    )
    answers = await calls.make(host, lambda client: client.create_match(request))
    assert len({answer.SerializeToString() for answer in answers}) == 1
    return answers[0].match_id


async def joined(calls: Calls, match_id: str, seat: int, who: Clients) -> None:
    """Takes a seat."""
    request = service_pb2.JoinMatchRequest(request_id=new_request_id(), match_id=match_id, seat=seat)
    answers = await calls.make(who, lambda client: client.join_match(request))
    assert len({answer.SerializeToString() for answer in answers}) == 1
    assert answers[0].seat == seat


async def moved(calls: Calls, played: Played, seat: int, who: Clients) -> match_pb2.Match:
    """Makes a random legal move for a seat that is to act; returns the match as it was told then."""
    match = await calls.read(who, lambda client: client.get_match(played.match_id, seat, match_pb2.DETAIL_IDS))
    decision = len(played.moves[seat])
    assert match.prompt.decision_number == decision
    move = calls.rng.choice(match.prompt.legal_ids)
    request = service_pb2.SubmitMoveRequest(
        request_id=new_request_id(),
        match_id=played.match_id,
        seat=seat,
        decision_number=decision,
        moves=[match_pb2.MoveChoice(id=move)],
        detail=match_pb2.DETAIL_IDS,
    )
    answers = await calls.make(who, lambda client: client.submit_move(request))
    assert len({(answer.version, answer.decision_number) for answer in answers}) == 1
    assert answers[0].decision_number == decision + 1
    played.moves[seat].append((answers[0].version, move))
    return max((answer.match for answer in answers), key=lambda match: match.version)


async def play_match(calls: Calls, people: list[Clients], seats: int, seasons: int) -> Played:
    """Plays one match to its end; one person may hold several seats, and simultaneous moves are made at once."""
    host, *seated = calls.rng.choices(people, k=seats + 1)
    bound = calls.rng.randrange(seats + 1)
    match_id = await created(calls, host, seats, seasons, seated[:bound])
    await asyncio.gather(*(joined(calls, match_id, seat, seated[seat]) for seat in range(bound, seats)))
    played = Played(match_id, seats - bound, [[] for _ in range(seats)])
    match = await calls.read(seated[0], lambda client: client.get_match(match_id, 0, match_pb2.DETAIL_NONE))
    while match.status == match_pb2.MATCH_STATUS_ACTIVE:
        due = [seat for seat, fares in enumerate(match.seats) if fares.to_act]
        told = await asyncio.gather(*(moved(calls, played, seat, seated[seat]) for seat in due))
        match = max(told, key=lambda match: match.version)
    assert match.status == match_pb2.MATCH_STATUS_FINISHED
    return played


def assert_whole(played: Played, record: record_pb2.MatchRecord, match: match_pb2.Match) -> None:
    """Asserts that record, match and players agree about every move."""
    assert match.version == len(record.log) == played.versions
    assert [entry.version for entry in record.log] == list(range(1, played.versions + 1))
    moves = [entry for entry in record.log if entry.HasField("move")]
    assert len(record.log) - len(moves) == played.joins
    for seat, told in enumerate(played.moves):
        logged = [entry for entry in moves if entry.seat == seat]
        assert [entry.move.decision_number for entry in logged] == list(range(len(told)))
        assert [(entry.version, entry.move.id) for entry in logged] == told
        assert {entry.move.actor for entry in logged} == {match_pb2.ACTOR_PLAYER}
        assert match.seats[seat].decision_number == len(told)
    assert [step.version for step in replay(record)] == list(range(1, played.versions + 1))
    assert [(refusal.reason, refusal.count) for refusal in record.refusals] == []


async def read_by(calls: Calls, who: Clients, match_id: str) -> tuple[record_pb2.MatchRecord, match_pb2.Match]:
    """Reads record and match, each from a random replica."""
    record = await calls.read(who, lambda client: client.get_record(match_id))
    return record, await calls.read(who, lambda client: client.get_match(match_id))


async def soak(url: str, logs: Path, seed: int, matches: int, seasons: int) -> None:
    """Plays so many matches, up to `MOST_AT_ONCE` at a time, and looks at all of them afterwards."""
    calls, free = Calls(random.Random(seed)), asyncio.Semaphore(MOST_AT_ONCE)
    sizes = registry()["classic_art"].spec.seats
    with referee_process(logs / "one", "--redis", url) as one, referee_process(logs / "other", "--redis", url) as other:
        async with people_at(one.address, other.address) as (spectator, *people):

            async def play(number: int) -> Played:
                async with free:
                    return await play_match(calls, people, sizes[number % len(sizes)], 1 + number % seasons)

            async with asyncio.TaskGroup() as group:
                tasks = [group.create_task(play(number)) for number in range(matches)]
            for played in (task.result() for task in tasks):
                assert_whole(played, *await read_by(calls, spectator, played.match_id))
    assert calls.doubled > matches
    for name in ("one", "other"):
        assert "Traceback" not in (logs / name).read_text()


@pytest.fixture
def url() -> Iterator[str]:
    """The URL of a store: Debian's server where there is one, else the one that is embedded by default."""
    with store_server(DEBIAN_REDIS if Path(DEBIAN_REDIS).exists() else bundled_server()) as server:
        yield server.url


async def test_replicas_lose_no_move_and_double_none(url: str, tmp_path: Path) -> None:
    """64 matches of one or two seasons at once, every tenth call twice."""
    await soak(url, tmp_path, seed=1, matches=64, seasons=2)


@pytest.mark.long
@pytest.mark.parametrize("seed", range(2, 5))
async def test_replicas_lose_no_move_and_double_none_in_long_matches(url: str, tmp_path: Path, seed: int) -> None:
    await soak(url, tmp_path, seed=seed, matches=192, seasons=6)
