"""What many matches at once need: `python -m loadtest.capacity` writes `loadtest/CAPACITY.md`.

It computes from figures that `loadtest.growth`, `loadtest.streams` and `loadtest.overload` have measured, and compares
with those of them that it does not compute from.
"""

import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import click
import jinja2

from loadtest import results

HERE: Final = Path(__file__).parent
MEASURED: Final = HERE / "measured"
PAGE: Final = HERE / "CAPACITY.md"
MATCHES: Final = (1_000, 100_000, 1_000_000)
BUCKETS: Final = 256
_HEARTBEAT_S: Final = 15.0
_CALL_BYTES: Final = 400  # of headers, frames and TCP, both ways
_REPLICA_BYTES: Final = 64 * 2**20  # without any stream or match
_STREAMS_AT_ONCE: Final = 10_000
_SHARE: Final = 0.5  # of what a process could do at most, that latencies stay as they were measured


@dataclass(frozen=True, slots=True)
class Habits:
    """What a match is like: players, who follow it over a stream each, spectators, and seconds from move to move."""

    players: int = 3
    spectators: int = 1
    pace_s: float = 5.0

    @property
    def streams(self) -> int:
        """How many follow it."""
        return self.players + self.spectators


@dataclass(frozen=True, slots=True)
class Costs:
    """What was measured: processor time in us, sizes in bytes."""

    move_us: float
    delivery_us: float
    store_us: float
    idle_us: float
    stream_bytes: float
    match_bytes: float
    message_bytes: float

    @classmethod
    def read(cls, folder: Path) -> "Costs":
        """Reads what was measured."""
        growth, streams = results.read("growth", folder), results.read("streams", folder)
        return cls(
            growth["cost_us"]["few matches stored"],
            streams["one seat"]["delivery_us"],
            growth["cost_us"]["the store, few matches stored"],
            growth["idle_ms_s"]["few matches stored"] * 1_000,
            streams["one match"]["kib"] * 1_024,
            sum(growth["stored_bytes"].values()),
            streams["one seat"]["message_bytes"],
        )


@dataclass(frozen=True, slots=True)
class Need:
    """What a number of matches at once needs.

    Attributes:
        moves_s: moves a second.
        deliveries_s: messages of streams a second, signs of life among them.
        cores: processor time of all replicas, in seconds a second.
        replicas: processes by processor time, and by how many streams each may have open.
        replicas_by_streams: the latter alone.
        replica_bytes: memory of each replica.
        shards: stores by processor time.
        store_bytes: memory of all stores.
        hottest_share: of all moves, those in the bucket that has most of them.
        network_bits_s: between players and replicas.
    """

    moves_s: float
    deliveries_s: float
    cores: float
    replicas: int
    replicas_by_streams: int
    replica_bytes: float
    shards: int
    store_bytes: float
    hottest_share: float
    network_bits_s: float

    @property
    def breaks_first(self) -> str:
        """What the next replica is needed for."""
        return "open streams" if self.replicas == self.replicas_by_streams else "processor time of replicas"


def need(matches: int, costs: Costs, habits: Habits) -> Need:
    """Computes what matches need; a process does half of what it could."""
    moves_s, streams = matches / habits.pace_s, matches * habits.streams
    deliveries_s = moves_s * habits.streams + streams / _HEARTBEAT_S
    cores = (moves_s * costs.move_us + deliveries_s * costs.delivery_us) / 1e6
    by_streams = math.ceil(streams / _STREAMS_AT_ONCE)
    replicas = max(by_streams, math.ceil(cores / (_SHARE - costs.idle_us / 1e6)))
    return Need(
        moves_s=moves_s,
        deliveries_s=deliveries_s,
        cores=cores,
        replicas=replicas,
        replicas_by_streams=by_streams,
        replica_bytes=_REPLICA_BYTES + streams / replicas * costs.stream_bytes,
        shards=math.ceil(moves_s * costs.store_us / 1e6 / _SHARE),
        store_bytes=matches * costs.match_bytes,
        hottest_share=hottest_share(matches),
        network_bits_s=8 * (moves_s * _CALL_BYTES + deliveries_s * (costs.message_bytes + 60)),
    )


def hottest_share(matches: int) -> float:
    """Returns the share of the matches that is likely to be in the fullest bucket, where each is as likely."""
    mean = matches / BUCKETS
    return (mean + math.sqrt(2 * mean * math.log(BUCKETS))) / matches


def _rows(needs: Mapping[int, Need]) -> Iterator[list[str]]:
    """Yields the table, row by row."""
    yield ["matches at once", *(f"{matches:,}" for matches in needs)]
    for what, show in _SHOWN.items():
        yield [what, *(show(each) for each in needs.values())]


_SHOWN: Final[Mapping[str, Callable[[Need], str]]] = {
    "moves a second": lambda of: f"{of.moves_s:,.0f}",
    "deliveries a second, signs of life included": lambda of: f"{of.deliveries_s:,.0f}",
    "cores busy in replicas": lambda of: f"{of.cores:,.1f}",
    "replicas": lambda of: f"{of.replicas:,}",
    "as many as open streams alone need": lambda of: f"{of.replicas_by_streams:,}",
    "memory of a replica": lambda of: f"{of.replica_bytes / 2**20:,.0f} MiB",
    "stores (shards)": lambda of: f"{of.shards:,}",
    "memory of all stores": lambda of: f"{of.store_bytes / 2**20:,.0f} MiB",
    "share of the fullest of 256 buckets": lambda of: f"{of.hottest_share:.2%}",
    "network between players and replicas": lambda of: f"{of.network_bits_s / 1e6:,.0f} Mbit/s",
    "breaks first": lambda of: of.breaks_first,
}


def _checks(costs: Costs, folder: Path) -> list[tuple[str, float, float]]:
    """Returns what the costs foretell of measurements that they were not taken from, and what was measured."""
    over, streams = results.read("overload", folder), results.read("streams", folder)
    many = streams["one match"]
    return [
        ("moves a second of one replica", 1e6 / costs.move_us, over["knee_s"]),
        (
            "seconds until all watchers of one match have a move",
            many["streams"] * many["delivery_us"] / 1e6,
            many["p99_s"],
        ),
    ]


def document(folder: Path, habits: Habits) -> str:
    """Returns the page."""
    costs, streams = Costs.read(folder), results.read("streams", folder)
    loader = jinja2.FileSystemLoader(HERE)
    pages = jinja2.Environment(loader=loader, undefined=jinja2.StrictUndefined, keep_trailing_newline=True)  # noqa: S701 - no HTML
    return pages.get_template("CAPACITY.md.jinja").render(
        costs=costs,
        habits=habits,
        machine=results.machine_of("growth", folder),
        rows=list(_rows({matches: need(matches, costs, habits) for matches in MATCHES})),
        checks=_checks(costs, folder),
        crowd=streams["one match"],
        floor=streams["floor"],
        prior=results.machine_of("streams", folder).get("nice", 0) < 0,
        share=_SHARE,
        streams_at_once=_STREAMS_AT_ONCE,
    )


@click.command()
@click.option("--measured", default=MEASURED, show_default=True, type=click.Path(path_type=Path), help="The figures.")
@click.option("--pace", default=5.0, show_default=True, help="Seconds from move to move.")
@click.option("--out", default=PAGE, show_default=True, type=click.Path(path_type=Path), help="The page.")
def main(measured: Path, pace: float, out: Path) -> None:
    """Computes what many matches at once need."""
    out.write_text(document(measured, Habits(pace_s=pace)))
    print(f"the page is in {out}")


if __name__ == "__main__":
    main()
