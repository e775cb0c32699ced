"""A referee, players, and matches between them, as a director makes them."""

import asyncio
import sys
from dataclasses import dataclass, field
from hashlib import sha256
from pathlib import Path
from typing import Final

from artreferee.v1 import classic_art_pb2, match_pb2, ruleset_pb2, service_pb2
from clients import examples
from clients.sdk import Principal, RefereeClient, Tls
from clients.tournament.pairing import Deal, Game, Pairing
from clients.tournament.plan import Entrant, Kind, Lasting
from clients.tournament.players import Executor, LocalExecutor, Players
from tests.clients.tournament.players import bots

WITHIN_S: Final = 60.0
OUT: Final = match_pb2.CAUSE_RESIGNED
IN: Final = match_pb2.CAUSE_UNSPECIFIED
SHORT: Final = ruleset_pb2.Options(classic_art=classic_art_pb2.ClassicArtOptions(max_seasons=2))
EXAMPLES: Final = Path(examples.__file__).parent


def principal_of(name: str, number: int) -> Principal:
    """A principal for each process, always the same."""
    return Principal(sha256(f"{name} {number}".encode()).digest())


def bot(name: str, spec: str, told: Path, lives: int = 0, lasting: Lasting = Lasting.TOURNAMENT) -> Entrant:
    """An entrant whose process runs a bot of `bots.py`."""
    command = (sys.executable, "-m", "clients.bots.worker", f"{bots.FILE}:{spec}")
    environment = ((bots.TOLD, str(told)), (bots.LIVES, str(lives)))
    return Entrant(name, kind=Kind.COMMAND, command=command, environment=environment, lasting=lasting)


def example(name: str = "example", lasting: Lasting = Lasting.TOURNAMENT) -> Entrant:
    """An entrant that plays by the example in Python, which says how each match ended."""
    return Entrant(name, kind=Kind.COMMAND, command=(sys.executable, str(EXAMPLES / "bot.py")), lasting=lasting)


def causes(result: match_pb2.Result) -> list[match_pb2.Cause.ValueType]:
    return [seat.cause for seat in result.seats]


def pairing(*names: str, number: int = 0) -> Pairing:
    return Pairing(Deal(Game("classic_art", len(names)), number), 0, 0, 0, names)


@dataclass
class Stage:
    """What a test has.

    Attributes:
        address: the referee.
        folder: for files; logs are below "logs".
        client: the host's connection.
        tls: how TLS is spoken with the referee.
        clocks: limits of time in all matches.
        crashes: what was told of crashes, in order.
    """

    address: str
    folder: Path
    client: RefereeClient
    tls: Tls | None = None
    clocks: match_pb2.TimeControl | None = None
    crashes: list[tuple[str, str]] = field(default_factory=list)

    def players(self, *entrants: Entrant, executor: Executor | None = None, processes: int = 1) -> Players:
        return Players(
            entrants,
            self.address,
            self.tls,
            principal_of,
            self.folder / "logs",
            executor or LocalExecutor(),
            lambda name, text: self.crashes.append((name, text)),
            processes,
        )

    async def create(self, players: Players, made: Pairing) -> str:
        """Creates the match of a pairing and returns its id."""
        creation = service_pb2.CreateMatchRequest(
            ruleset=made.deal.game.ruleset,
            options=SHORT,
            seats=[
                service_pb2.SeatRequest(principal_hash=players.principal_hash(made, seat), display_name=name)
                for seat, name in enumerate(made.entrants)
            ],
            seed=sha256(made.deal.name.encode()).digest(),
            time_control=self.clocks,
        )
        return (await self.client.create_match(creation)).match_id

    async def play(self, players: Players, *made: Pairing) -> list[match_pb2.Result]:
        """Plays the matches of pairings at once and returns their results."""
        async with asyncio.timeout(WITHIN_S):
            return list(await asyncio.gather(*(self._play(players, each) for each in made)))

    async def _play(self, players: Players, made: Pairing) -> match_pb2.Result:
        match_id = await self.create(players, made)
        async with players.seated(made, match_id):
            return await self.client.result_of(match_id)

    def log(self, name: str) -> str:
        """What an entrant's log says."""
        return (self.folder / "logs" / f"{name}.log").read_text()
