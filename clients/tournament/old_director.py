"""The director: a client that creates the matches, hands out the seats and collects the records."""

import asyncio
import hmac
import secrets
import time
from collections.abc import Callable, Coroutine, Iterable, Sequence
from dataclasses import dataclass
from hashlib import sha256
from typing import Any, Final, Never, TypeVar

from artreferee.v1 import match_pb2, record_pb2, service_pb2
from clients.sdk import RefereeClient, Tls
from clients.tournament.entrants import Entrant, Player
from clients.tournament.schedule import Pairing
from clients.tournament.standings import Played

ResultT = TypeVar("ResultT")


@dataclass(frozen=True, slots=True)
class Plan:
    """A tournament.

    Attributes:
        entrants: who takes part.
        rounds: the matches of each deal; a deal's records are released when all of them have ended.
        concurrency: how many matches are played at once.
        secret: what the deals derive from.
    """

    entrants: Sequence[Entrant]
    rounds: Sequence[Sequence[Pairing]]
    concurrency: int
    secret: bytes

    @property
    def matches(self) -> int:
        """How many matches there are."""
        return sum(len(pairings) for pairings in self.rounds)


def secret_of(text: str | None) -> bytes:
    """Returns what the deals derive from: a new secret, or the hash of a text for practice."""
    return secrets.token_bytes(32) if text is None else sha256(text.encode()).digest()


class Director:
    """Runs a plan against a referee.

    Args:
        plan: the tournament.
        address: the referee.
        ended: called with each match that has ended.
        recorded: called with each record, once its deal's matches have all ended.
        tls: how TLS is spoken with the referee.
    """

    def __init__(
        self,
        plan: Plan,
        address: str,
        ended: Callable[[Played], None],
        recorded: Callable[[record_pb2.MatchRecord], None],
        tls: Tls | None = None,
    ) -> None:
        self._plan: Final = plan
        self._address: Final = address
        self._tls: Final = tls
        self._ended: Final = ended
        self._recorded: Final = recorded
        self._places: Final = asyncio.Semaphore(plan.concurrency)
        self._tournament: Final = secrets.token_hex(8)  # keeps the request ids of two tournaments apart

    async def run(self) -> list[Played]:
        """Plays everything; returns the matches in the order of the plan.

        Raises:
            CallError: the referee refuses for good.
            EntrantError: an entrant's process ended.
        """
        players = [Player(entrant, self._address, self._tls) for entrant in self._plan.entrants]
        async with RefereeClient(self._address, tls=self._tls) as client:
            try:
                await asyncio.gather(*(player.start() for player in players))
                return await _unless_one_fails(self._play_all(client, players), (player.fail() for player in players))
            finally:
                await asyncio.gather(*(player.stop() for player in players))

    async def _play_all(self, client: RefereeClient, players: Sequence[Player]) -> list[Played]:
        async with asyncio.TaskGroup() as group:
            rounds = [group.create_task(self._play_deal(client, players, deal)) for deal in self._plan.rounds]
        return [played for task in rounds for played in task.result()]

    async def _play_deal(
        self, client: RefereeClient, players: Sequence[Player], pairings: Iterable[Pairing]
    ) -> list[Played]:
        played = await asyncio.gather(*(self._play(client, players, pairing) for pairing in pairings))
        match_ids = [match.match_id for match in played]
        for start in range(0, len(match_ids), 100):
            for release in await client.release_records(match_ids[start : start + 100]):
                if release.reason:
                    raise AssertionError(f"match {release.match_id} was not released: {release.text}")
        for match_id in match_ids:
            self._recorded(await client.get_record(match_id))
        return list(played)

    async def _play(self, client: RefereeClient, players: Sequence[Player], pairing: Pairing) -> Played:
        async with self._places:
            began = time.monotonic()
            match_id = (await client.create_match(self._creation(players, pairing))).match_id
            result = await client.result_of(match_id)
        played = Played(pairing, match_id, result, began, time.monotonic())
        self._ended(played)
        return played

    def _creation(self, players: Sequence[Player], pairing: Pairing) -> service_pb2.CreateMatchRequest:
        entrants = self._plan.entrants
        return service_pb2.CreateMatchRequest(
            request_id=f"{self._tournament}.{pairing.name.replace('/', '.')}",
            ruleset=pairing.deal.ruleset,
            seats=[
                service_pb2.SeatRequest(
                    principal_hash=players[place].principal.hash,
                    display_name=entrants[place].name[:32],
                    entrant=match_pb2.Entrant(name=entrants[place].name, version=entrants[place].version),
                )
                for place in pairing.entrants
            ],
            disclosure=match_pb2.DISCLOSURE_ON_RELEASE,
            seed=hmac.digest(self._plan.secret, pairing.deal.name.encode(), "sha256"),
            deal_group=pairing.deal.name,
        )


async def _unless_one_fails(
    work: Coroutine[Any, Any, ResultT], failures: Iterable[Coroutine[Any, Any, Never]]
) -> ResultT:
    task, watchers = asyncio.create_task(work), [asyncio.create_task(failure) for failure in failures]
    try:
        done, _ = await asyncio.wait([task, *watchers], return_when=asyncio.FIRST_COMPLETED)
        for watcher in watchers:
            if watcher in done:
                watcher.result()
        return task.result()
    finally:
        for each in (task, *watchers):
            each.cancel()
        await asyncio.gather(task, *watchers, return_exceptions=True)
