"""All that plays for the local entrants of a tournament."""

import asyncio
import hmac
from collections.abc import AsyncIterator, Callable, Iterable, Iterator
from contextlib import asynccontextmanager
from hashlib import sha256
from pathlib import Path
from types import TracebackType
from typing import Final, Self

from artreferee.v1 import error_pb2
from clients.bots.connection import Connection
from clients.sdk import CallError, Principal, RefereeClient, Tls
from clients.tournament.pairing import Pairing
from clients.tournament.plan import Entrant, Kind, Lasting
from clients.tournament.players.executor import Executor
from clients.tournament.players.launch import Place, launch_of, log_of
from clients.tournament.players.player import CRASHES, PATIENCE_S, Player

_POINTLESS: Final = frozenset(
    {
        error_pb2.ERROR_REASON_MATCH_OVER,
        error_pb2.ERROR_REASON_NOT_PERMITTED,  # the referee has lost the match, or the seat is another's
        error_pb2.ERROR_REASON_SEAT_OUT,
    }
)


class ReplacementError(ValueError):
    """What cannot take the place of an entrant, as its seats would be left without a player."""


class Players:
    """The processes of the local entrants, for as long as the block lasts.

    One process of an entrant plays all matches of its principal; a command whose processes last one match has a
    process and a principal for each seat. A process that ends is started again. After three times without the end of
    a match in between its seats in open matches are resigned; it is started again for the next match.

    Args:
        entrants: who takes part from the beginning; remote ones have no processes.
        address: the referee.
        tls: how TLS is spoken with it.
        principal_of: the principal of an entrant's process of a number, from 0; always the same.
        logs: the folder for what processes say, a file for each entrant.
        executor: where processes run.
        crashed: called with the entrant and what happened to its process.
        processes: how many processes share the matches of an entrant; the same for the whole tournament.
    """

    def __init__(
        self,
        entrants: Iterable[Entrant],
        address: str,
        tls: Tls | None,
        principal_of: Callable[[str, int], Principal],
        logs: Path,
        executor: Executor,
        crashed: Callable[[str, str], None],
        processes: int = 1,
    ) -> None:
        self._entrants: Final = {entrant.name: entrant for entrant in entrants}
        self._address: Final = address
        self._tls: Final = tls
        self._principal_of: Final = principal_of
        self._logs: Final = logs
        self._executor: Final = executor
        self._crashed: Final = crashed
        self._processes: Final = processes
        self._group: Final = asyncio.TaskGroup()
        self._open: Final = dict[str, Pairing]()
        self._given_up: Final = set[Place]()
        self._lasting: Final = dict[tuple[str, int], _Playing]()
        self._seated: Final = dict[Place, _Playing]()

    async def __aenter__(self) -> Self:
        self._logs.mkdir(parents=True, exist_ok=True)
        await self._group.__aenter__()
        for entrant in list(self._entrants.values()):
            self.enter(entrant)
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        for playing in (*self._lasting.values(), *self._seated.values()):
            playing.task.cancel()
        if isinstance(error, asyncio.CancelledError):
            await self._group.__aexit__(kind, error, trace)
        else:
            await self._group.__aexit__(None, None, None)  # the block's error stays as it is

    def principal(self, pairing: Pairing, seat: int) -> Principal | None:
        """Returns the principal of a seat; None if the entrant is a remote one."""
        entrant = self._entrants[pairing.entrants[seat]]
        if entrant.kind is Kind.REMOTE:
            return None
        if entrant.lasting is Lasting.MATCH:
            place = f"{pairing.name} {seat}".encode()
            return Principal(hmac.digest(self._principal_of(entrant.name, 0).secret, place, "sha256"))
        return self._principal_of(entrant.name, self._process_of(pairing))

    def principal_hash(self, pairing: Pairing, seat: int) -> bytes:
        """Returns what a seat is bound to."""
        principal = self.principal(pairing, seat)
        return principal.hash if principal else bytes.fromhex(self._entrants[pairing.entrants[seat]].principal_hash)

    @asynccontextmanager
    async def seated(self, pairing: Pairing, match_id: str) -> AsyncIterator[None]:
        """To be entered once the match is created, and left when it is over."""
        self._open[match_id] = pairing
        places = [Place(match_id, seat) for seat in range(len(pairing.entrants))]
        try:
            for place in places:
                self._seat(place)
            yield
            for playing in self._playing(pairing, places):
                playing.player.succeed()
        finally:
            del self._open[match_id]
            for place in places:
                self._given_up.discard(place)
                if place in self._seated:
                    _see_off(self._seated.pop(place))

    async def resign(self, pairing: Pairing, match_id: str, seat: int) -> None:
        """Resigns the seat of a local entrant, unless that has become pointless."""
        principal = self.principal(pairing, seat)
        if principal is None:
            raise ValueError(f"the entrant {pairing.entrants[seat]} is a remote one: only its own principal can resign")
        async with RefereeClient(self._address, principal, tls=self._tls) as client:
            while True:
                try:
                    await client.resign(match_id, seat)
                    return
                except CallError as error:
                    if error.reason in _POINTLESS:
                        return
                    if not error.retriable:
                        raise

    def enter(self, entrant: Entrant) -> None:
        """Lets an entrant take part."""
        self._entrants[entrant.name] = entrant
        if entrant.kind is Kind.REMOTE or entrant.lasting is Lasting.MATCH:
            return
        for number in range(self._processes):
            principal = self._principal_of(entrant.name, number)
            self._lasting[entrant.name, number] = self._start(entrant, principal, None)

    async def withdraw(self, name: str) -> None:
        """Stops what plays for an entrant; its open matches are not resigned."""
        playing = [self._lasting.pop(key) for key in list(self._lasting) if key[0] == name]
        mine = [place for place in self._seated if self._open[place.match_id].entrants[place.seat] == name]
        await _stop([*playing, *(self._seated.pop(place) for place in mine)])

    async def replace(self, entrant: Entrant) -> None:
        """Lets another program play for the entrant of the same name, also on in its open matches.

        Raises:
            ReplacementError: the one has a process for each match, or is remote, and the other is not.
        """
        old = self._entrants[entrant.name]
        for what, before, after in (
            ("remote", old.kind is Kind.REMOTE, entrant.kind is Kind.REMOTE),
            ("a process for each match", old.lasting is Lasting.MATCH, entrant.lasting is Lasting.MATCH),
        ):
            if before != after:
                raise ReplacementError(f"{entrant.name}: one of the two is {what}, the other is not")
        await self.withdraw(entrant.name)
        self.enter(entrant)
        for match_id, pairing in self._open.items():
            for seat, name in enumerate(pairing.entrants):
                if name == entrant.name and Place(match_id, seat) not in self._given_up:
                    self._seat(Place(match_id, seat))

    def _process_of(self, pairing: Pairing) -> int:
        return int.from_bytes(sha256(pairing.name.encode()).digest()[:8]) % self._processes

    def _seat(self, place: Place) -> None:
        """Has a seat of an open match played."""
        pairing = self._open[place.match_id]
        entrant, principal = self._entrants[pairing.entrants[place.seat]], self.principal(pairing, place.seat)
        if principal is not None and entrant.lasting is Lasting.MATCH:
            self._seated[place] = self._start(entrant, principal, place)
        for playing in self._playing(pairing, [place]):
            playing.player.want()

    def _playing(self, pairing: Pairing, places: Iterable[Place]) -> "Iterator[_Playing]":
        for place in places:
            key = pairing.entrants[place.seat], self._process_of(pairing)
            playing = self._seated.get(place) or self._lasting.get(key)
            if playing is not None:
                yield playing

    def _start(self, entrant: Entrant, principal: Principal, place: Place | None) -> "_Playing":
        name = entrant.name
        player = Player(
            launch_of(entrant, Connection(self._address, principal, self._tls), place),
            self._executor,
            log_of(self._logs, name),
            lasts=place is None,
            crashed=lambda text: self._crashed(name, text),
            given_up=lambda: self._give_up(name, principal),
        )
        return _Playing(player, self._group.create_task(player.keep()))

    async def _give_up(self, name: str, principal: Principal) -> None:
        lost = [
            (pairing, Place(match_id, seat))
            for match_id, pairing in self._open.items()
            for seat in range(len(pairing.entrants))
            if self.principal(pairing, seat) == principal and Place(match_id, seat) not in self._given_up
        ]
        matches = len({place.match_id for _, place in lost})
        resigned = f"resigned in {matches} match{'' if matches == 1 else 'es'}"
        self._crashed(name, f"given up after {CRASHES} crashes: {resigned}")
        await asyncio.gather(*(self.resign(pairing, place.match_id, place.seat) for pairing, place in lost))
        self._given_up.update(place for _, place in lost if place.match_id in self._open)


class _Playing:
    """A player and the task in which it is kept."""

    def __init__(self, player: Player, task: "asyncio.Task[None]") -> None:
        self.player: Final = player
        self.task: Final = task


def _see_off(playing: _Playing) -> None:
    """Lets a process whose match is over hear that, and end by itself."""
    playing.player.end()
    asyncio.get_running_loop().call_later(PATIENCE_S, playing.task.cancel)


async def _stop(playing: Iterable[_Playing]) -> None:
    tasks = [each.task for each in playing]
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)
