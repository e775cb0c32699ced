"""What a move costs, and what it must not depend on: `python -m loadtest.growth`.

By the processor time of the referee it compares the last moves of a match with its first, a store of many matches with
one of few, and a replica with many watchers elsewhere with one without. Both sides are measured in every round, so that
whatever else the machine does meets both; so is the floor. Ages are compared by the work on a move alone (detail NONE):
how much an answer shows depends on the position, which is shown beside it.
"""

import asyncio
import secrets
from collections import defaultdict
from collections.abc import Sequence
from contextlib import ExitStack
from itertools import product
from statistics import median
from typing import Final, NamedTuple

import click
import uvloop
from rich.console import Console
from rich.table import Table as Grid

from artreferee.v1 import match_pb2
from loadtest import memory, results
from loadtest.fleet import Caller, Fleet, some_at_once
from loadtest.http2 import connect
from loadtest.processes import Replica, empty_store, replica, replica_on, server, store_seconds
from loadtest.service import measure_floor
from loadtest.watching import Crowd
from referee.core.game import AnyGame
from referee.games import registry
from referee.store.redis_store import RedisStore
from referee.table.deal import Creation
from referee.table.ids import Principal
from referee.table.snapshot import SeatHead
from referee.table.table import Table

MOST: Final = 1.15  # times as much; less is noise on shared cores
FEW: Final = 10
SEATS: Final = 2
_MATCHES: Final = 64
_AT_ONCE: Final = 16
_MOVES: Final = 30  # in each match
_AGEING: Final = 24  # matches that are played to their end
_END: Final = 20  # moves at the beginning and at the end of each
_RECEIPTS: Final = 16  # moves, until the receipts of two seats have all the room that they may take
_DETAILS: Final = {"NONE": match_pb2.DETAIL_NONE, "IDS": match_pb2.DETAIL_IDS}
_WATCHERS: Final = 1_000
_IDLE_S: Final = 4.0
_GAME: Final = registry()["classic_art"]


class Claim(NamedTuple):
    """What must not cost more: a measurement, beside which one it stands, and the costs of each round in us."""

    what: str
    beside: str
    costs: Sequence[float]
    costs_beside: Sequence[float]

    @property
    def ratio(self) -> float:
        """How many times as much the one costs, round by round."""
        return median(one / other for one, other in zip(self.costs, self.costs_beside, strict=True))


class Subjects(NamedTuple):
    """What is measured: referees on stores with few and with many matches, and with watchers; the floor.

    `other` shares the store of `few`.
    """

    few: Replica
    many: Replica
    watched: Replica
    other: Replica
    floor: tuple[str, int]


class Rounds:
    """Costs by what was measured, a value a round."""

    def __init__(self) -> None:
        self._costs: Final = defaultdict[str, list[float]](list)

    def add(self, what: str, cost: float) -> None:
        """Notes a cost in us."""
        self._costs[what].append(cost)

    def median(self, what: str) -> float:
        """Returns the median of all rounds."""
        return median(self._costs[what])

    def medians(self) -> dict[str, float]:
        """Returns the medians of everything."""
        return {what: median(costs) for what, costs in self._costs.items()}

    def claim(self, what: str, beside: str) -> Claim:
        """Compares two measurements."""
        return Claim(what, beside, self._costs[what], self._costs[beside])


async def fill(url: str, game: AnyGame, matches: int) -> None:
    """Puts matches into a store."""
    store = RedisStore(url)
    table, host = Table(store, registry()), Principal(secrets.token_bytes(32))
    seats = tuple(SeatHead(Principal(secrets.token_bytes(32)), "", "", "") for _ in range(SEATS))
    creation = Creation(game.spec.name, {}, seats, None, False, "")

    async def create(number: int) -> None:
        await table.create(host, f"stored-{number}", creation)

    await some_at_once(create, range(matches))
    await store.close()


async def _ages(one: Replica, game: AnyGame, detail: str, rounds: Rounds) -> None:
    connection = await connect(one.address)
    fleet = await Fleet.create(Caller(connection, one.address), game, SEATS, _AGEING, _DETAILS[detail])
    last = len(fleet.choices) - 1  # which does more: it ends the match
    begins, ends = _RECEIPTS, last - _END
    await fleet.play(0, begins)
    rounds.add(_aged(game.spec.name, "first", detail), await fleet.cost(one.pid, begins, begins + _END))
    await fleet.play(begins + _END, ends)
    rounds.add(_aged(game.spec.name, "last", detail), await fleet.cost(one.pid, ends, last))
    connection.close()


async def _moves(one: Replica, what: str, rounds: Rounds) -> None:
    connection = await connect(one.address)
    fleet = await Fleet.create(Caller(connection, one.address), _GAME, SEATS, _MATCHES)
    before = store_seconds(one.store)
    rounds.add(what, await fleet.cost(one.pid, 0, _MOVES))
    rounds.add(f"the store, {what}", (store_seconds(one.store) - before) * 1e6 / (_MATCHES * _MOVES))
    connection.close()


async def _watch(one: Replica) -> Crowd:
    """Lets spectators watch a match each in which nothing happens."""
    connection = await connect(one.address)
    fleet = await Fleet.create(Caller(connection, one.address), _GAME, SEATS, _WATCHERS)
    connection.close()
    return await Crowd.gather(one.address, fleet.match_ids)


async def _strangers(one: Replica, other: Replica, rounds: Rounds) -> None:
    """Moves in matches that a replica remembers, and in those that another one has created."""
    connections = {each.address: await connect(each.address) for each in (one, other)}
    for what, creator in (("remembered matches", one), ("matches read first", other)):
        mine = Caller(connections[one.address], one.address)
        theirs = Caller(connections[creator.address], creator.address, mine.principal)
        created = await Fleet.create(theirs, _GAME, SEATS, 10 * _MATCHES)
        fleet = Fleet(mine, created.match_ids, created.choices, created.detail)
        rounds.add(what, await fleet.cost(one.pid, 0, 1))
    for connection in connections.values():
        connection.close()


async def _measure(subjects: Subjects, stored: int, count: int) -> tuple[Rounds, dict[str, float]]:
    """Measures everything once a round, after a round that warms up."""
    await fill(subjects.few.store, _GAME, FEW)
    await fill(subjects.many.store, _GAME, stored)
    crowd = await _watch(subjects.watched)
    taken = Rounds()
    for number in range(count + 1):
        if number == 1:
            taken = Rounds()
        floor = await measure_floor(*subjects.floor, _AT_ONCE, _MATCHES * _MOVES)
        taken.add("floor", floor.cpu_us)
        await _moves(subjects.few, "few matches stored", taken)
        await _moves(subjects.many, "many matches stored", taken)
        await _moves(subjects.watched, "watchers elsewhere", taken)
        await _strangers(subjects.few, subjects.other, taken)
        for game, detail in product(registry().values(), _DETAILS):
            await _ages(subjects.few, game, detail, taken)
    replicas = {"few matches stored": subjects.few, "many matches stored": subjects.many}
    idle = await asyncio.gather(*(each.idle(_IDLE_S) for each in (*replicas.values(), subjects.watched)))
    crowd.leave()
    return taken, dict(zip((*replicas, "watchers elsewhere"), idle, strict=True))


def _aged(ruleset: str, age: str, detail: str) -> str:
    return f"{ruleset}, {age} moves, {detail}"


def _ages_of(rounds: Rounds, detail: str) -> list[Claim]:
    return [rounds.claim(_aged(name, "last", detail), _aged(name, "first", detail)) for name in registry()]


def _claims(rounds: Rounds) -> list[Claim]:
    few = "few matches stored"
    beside = [rounds.claim(what, few) for what in ("many matches stored", "watchers elsewhere")]
    return [*_ages_of(rounds, "NONE"), *beside]


def _print(claims: Sequence[Claim], rounds: Rounds, idle: dict[str, float]) -> None:
    grid = Grid(title="Processor time of the referee a move, us", title_justify="left")
    for heading in ("measured", "us", "beside", "us", "times"):
        grid.add_column(heading, justify="left" if heading in ("measured", "beside") else "right")
    few = "few matches stored"
    others = [rounds.claim("matches read first", "remembered matches"), rounds.claim(few, "floor")]
    others.append(rounds.claim("the store, many matches stored", f"the store, {few}"))
    for claim in (*claims, *_ages_of(rounds, "IDS"), *others):
        row = (f"{rounds.median(claim.what):.0f}", claim.beside, f"{rounds.median(claim.beside):.0f}")
        grid.add_row(claim.what, *row, f"{claim.ratio:.2f}")
    Console(width=120).print(grid)
    words = ", ".join(f"{what} {ms:.1f}" for what, ms in idle.items())
    print(f"Processor time while nobody calls, ms a second: {words}")


@click.command()
@click.option("--rounds", default=3, show_default=True, help="Rounds, in each of which everything has its turn.")
@click.option("--stored", default=20_000, show_default=True, help="Matches in the fuller store.")
def main(rounds: int, stored: int) -> None:
    """Measures what a move costs; exits with 1 if that grows with what it must not."""
    with ExitStack() as stack:
        few, many, watched = (stack.enter_context(replica()) for _ in range(3))
        other = stack.enter_context(replica_on(few.store))
        floor = stack.enter_context(server("loadtest.floor", stack.enter_context(empty_store())))
        taken, idle = uvloop.run(_measure(Subjects(few, many, watched, other, floor), stored, rounds))
    with empty_store() as url:
        stored_bytes = asyncio.run(memory.measure(url, _GAME, SEATS, _MATCHES))
    claims = _claims(taken)
    _print(claims, taken, idle)
    file = results.write("growth", {"cost_us": taken.medians(), "idle_ms_s": idle, "stored_bytes": stored_bytes})
    print(f"figures are in {file}")
    if dearer := [claim for claim in claims if claim.ratio > MOST]:
        words = ", ".join(f"{claim.what} {claim.ratio:.2f}" for claim in dearer)
        raise SystemExit(f"more than {MOST} times as much: {words}")


if __name__ == "__main__":
    main()
