"""A referee, players, and matches between them, as a director makes them."""

import asyncio
from dataclasses import dataclass, field
from hashlib import sha256
from pathlib import Path
from typing import Final

from artreferee.v1 import match_pb2, service_pb2
from clients.sdk import Principal, RefereeClient
from clients.tournament.pairing import Deal, Game, Pairing
from clients.tournament.plan import Entrant
from clients.tournament.players import Executor, LocalExecutor, Players

WITHIN_S: Final = 60.0
PYTHON: Final = "python"


def principal_of(name: str, number: int) -> Principal:
    """A principal for each process, always the same."""
    return Principal(sha256(f"{name} {number}".encode()).digest())


def pairing(*names: str, number: int = 0, ruleset: str = "classic_art") -> Pairing:
    return Pairing(Deal(Game(ruleset, len(names)), number), 0, 0, 0, names)


@dataclass
class Stage:
    """What a test has.

    Attributes:
        address: the referee.
        folder: for files; logs are below "logs".
        client: the host's connection.
        crashes: what was told of crashes, in order.
    """

    address: str
    folder: Path
    client: RefereeClient
    crashes: list[tuple[str, str]] = field(default_factory=list)

    def players(
        self, *entrants: Entrant, executor: Executor | None = None, processes: int = 1, address: str = ""
    ) -> Players:
        return Players(
            entrants,
            address or self.address,
            None,
            principal_of,
            self.folder / "logs",
            executor or LocalExecutor(),
            lambda name, text: self.crashes.append((name, text)),
            processes,
        )

    async def create(self, players: Players, made: Pairing, clocks: match_pb2.TimeControl | None = None) -> str:
        """Creates the match of a pairing and returns its id."""
        creation = service_pb2.CreateMatchRequest(
            ruleset=made.deal.game.ruleset,
            seats=[
                service_pb2.SeatRequest(principal_hash=players.principal_hash(made, seat), display_name=name)
                for seat, name in enumerate(made.entrants)
            ],
            seed=sha256(made.deal.name.encode()).digest(),
            time_control=clocks,
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
