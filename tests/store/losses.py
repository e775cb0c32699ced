"""How much of what was acknowledged is lost when primaries of a Redis Cluster die: `python -m tests.store.losses`."""

import asyncio
from collections import Counter
from dataclasses import dataclass, field
from typing import Final

import click
import uvloop

from referee.store.redis_store import RedisStore
from referee.table.ids import MatchId
from referee.table.store import Header, Stored, StoreUnavailableError
from tests.redis_cluster import RedisCluster, redis_cluster
from tests.servers import eventually
from tests.store.writes import any_match, created, write_of

MATCHES: Final = 48
WRITTEN_BETWEEN: Final = 5_000  # writes, between two deaths


@dataclass
class Losses:
    """What was seen: writes that were acknowledged, those of them that were lost, and the most that one death cost.

    Attributes:
        by_death: what was lost, by the number of deaths before it was noticed.
    """

    acknowledged: int = 0
    deaths: int = 0
    by_death: Counter[int] = field(default_factory=Counter)

    @property
    def lost(self) -> int:
        """All of it."""
        return self.by_death.total()


async def write_on(store: RedisStore, match_id: MatchId, losses: Losses, over: asyncio.Event) -> None:
    """Writes one entry of a match after the other, each until it is acknowledged; goes on from what the store has."""
    header = await created(store, match_id)
    while not over.is_set():
        write = write_of(match_id, header, [b"move"], after=header.revision - 1)
        try:
            outcome = await store.write(write)
        except StoreUnavailableError:
            await asyncio.sleep(0.01)
            outcome = await eventually(lambda: _stored(store, match_id), 60.0)
        found = Header.decode(outcome.header) if isinstance(outcome, Stored) else outcome
        assert isinstance(found, Header), f"{match_id} met {outcome}"
        if found.write_id == write.write_id:
            losses.acknowledged += 1
        losses.by_death[losses.deaths] += max(0, header.revision - found.revision)
        header = found


async def _stored(store: RedisStore, match_id: MatchId) -> Stored | None:
    try:
        return await store.load(match_id)
    except StoreUnavailableError:
        return None


async def measure(nodes: RedisCluster, replicated: bool, deaths: int, hanging: bool = False) -> Losses:
    """Lets primaries die one after the other, each time another one, while matches are written."""
    losses, over, store = Losses(), asyncio.Event(), RedisStore(nodes.url, replicated=replicated)
    async with asyncio.TaskGroup() as writers:
        for _ in range(MATCHES):
            writers.create_task(write_on(store, any_match(), losses, over))
        for number in range(deaths):
            written = losses.acknowledged
            await eventually(lambda written=written: _is_past(losses, written + WRITTEN_BETWEEN), 120.0)  # type: ignore[misc] # the loop's
            losses.deaths += 1
            await asyncio.to_thread(_die, nodes, nodes.primaries()[number % 3], hanging)
        written = losses.acknowledged
        await eventually(lambda: _is_past(losses, written + WRITTEN_BETWEEN), 120.0)
        over.set()
    await store.close()
    return losses


async def _is_past(losses: Losses, acknowledged: int) -> bool:
    return losses.acknowledged >= acknowledged


def _die(nodes: RedisCluster, primary: int, hanging: bool) -> None:
    if hanging:
        nodes.hang(primary)
        nodes.nodes[primary].go_on()
        nodes.wait_until_whole()
    else:
        nodes.kill(primary)
        nodes.start(primary)


@click.command()
@click.option("--deaths", default=10, show_default=True, help="Of primaries, at each level.")
@click.option("--hanging", is_flag=True, help="They hang until they are replaced, instead of being killed.")
def main(deaths: int, hanging: bool) -> None:
    """Tells what is lost, by level of durability."""
    for replicated in (False, True):
        with redis_cluster("everysec") as nodes:
            losses = uvloop.run(measure(nodes, replicated, deaths, hanging))
        most = max(losses.by_death.values(), default=0)
        click.echo(
            f"{'replica' if replicated else 'primary'}: {losses.deaths} deaths, {losses.acknowledged:,} writes "
            f"acknowledged, {losses.lost} of them lost, at most {most} at a time"
        )


if __name__ == "__main__":
    main()
