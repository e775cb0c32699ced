"""Workers: processes on one port and one store, which their parent keeps, and ends."""

import asyncio
import os
import random
import signal
import socket
import subprocess
import sys
from collections.abc import AsyncIterator, Iterator, Sequence
from contextlib import AsyncExitStack, asynccontextmanager, contextmanager
from pathlib import Path
from typing import Final
from urllib.request import urlopen

import pytest

from artreferee.v1 import match_pb2, service_pb2
from clients.bots.random_bot import RandomBot
from clients.replay import replay
from clients.sdk import Budget, RefereeClient, Runner, play_seat
from clients.sdk.client import _OPTIONS
from referee.workers import Workers, WorkersError, held
from tests import toil
from tests.api.exposition import values_of
from tests.counting import SOME_MOVES, Counting
from tests.servers import RefereeProcess, free_port, is_running, referee_process, wait_until

COUNT: Final = 2
WITHIN_S: Final = 60.0
PAIRS: Final = 3
LOCALHOST: Final = "127.0.0.1"


# Of the referee


def ports(count: int) -> int:
    """The first of so many ports that are free one after the other."""
    while True:
        first = free_port()
        try:
            for port in range(first, first + count):
                with socket.socket() as probe:
                    probe.bind((LOCALHOST, port))
        except OSError:
            continue
        return first


@contextmanager
def referee(tmp_path: Path, *arguments: str) -> Iterator[RefereeProcess]:
    """A referee of two workers on an embedded store."""
    options = ("--data", str(tmp_path / "data"), "--workers", str(COUNT), *arguments)
    with referee_process(tmp_path / "log", *options) as running:
        yield running


def workers_of(running: RefereeProcess) -> list[int]:
    """The process ids of the workers, the oldest first."""
    children = Path(f"/proc/{running.pid}/task/{running.pid}/children").read_text().split()
    return [int(pid) for pid in children if b"spawn_main" in Path(f"/proc/{pid}/cmdline").read_bytes()]


def counted(port: int, name: str) -> float:
    """The sum of what a worker has counted by a name."""
    with urlopen(f"http://{LOCALHOST}:{port}/metrics") as answer:
        return sum(values_of(answer.read().decode(), name).values())


@pytest.fixture
def _lone_connections(monkeypatch: pytest.MonkeyPatch) -> None:
    """Gives each client a connection of its own; those of one process would share one."""
    monkeypatch.setattr("clients.sdk.client._OPTIONS", (*_OPTIONS, ("grpc.use_local_subchannel_pool", 1)))


@asynccontextmanager
async def players(address: str) -> AsyncIterator[list[RefereeClient]]:
    """Pairs of players."""
    async with AsyncExitStack() as stack:
        yield [await stack.enter_async_context(RefereeClient(address)) for _ in range(2 * PAIRS)]


async def play(one: RefereeClient, other: RefereeClient, bot: RandomBot) -> str:
    """Plays a match to its end, by unary calls and over a Play stream; returns its id."""
    seats = [service_pb2.SeatRequest(principal_hash=player.principal.hash) for player in (one, other)]
    match_id = (await one.create_match(service_pb2.CreateMatchRequest(ruleset="classic_art", seats=seats))).match_id
    runner = Runner(other, lambda: bot, Budget(), lambda *why: pytest.fail(str(why)))
    async with asyncio.TaskGroup() as group:
        running = group.create_task(runner.run())
        await play_seat(one, match_id, 0, bot, Budget(), random.Random(1))
        running.cancel()
    return match_id


async def played(clients: Sequence[RefereeClient], bot: RandomBot) -> int:
    """Plays a match of each pair; returns how many moves their records hold, which replay."""
    pairs = zip(clients[::2], clients[1::2], strict=True)
    async with asyncio.timeout(WITHIN_S):
        ids = await asyncio.gather(*(play(one, other, bot) for one, other in pairs))
        records = [await clients[0].get_record(match_id) for match_id in ids]
    for record in records:
        assert {seat.cause for seat in record.result.seats} == {match_pb2.CAUSE_UNSPECIFIED}
        assert len(list(replay(record))) == len(record.log)
    return sum(entry.HasField("move") for record in records for entry in record.log)


@pytest.mark.usefixtures("_lone_connections")
async def test_matches_are_played_across_the_workers(tmp_path: Path) -> None:
    """Whoever meets at one match need not have met the same worker; each counts what it has done, on its own port."""
    metrics, moves, done = ports(COUNT), 0, [0.0]
    with referee(tmp_path, "--metrics", f"{LOCALHOST}:{metrics}") as running:
        while not min(done):  # which worker has a connection is up to the kernel
            async with players(running.address) as clients:
                moves += await played(clients, RandomBot())
            done = [counted(metrics + number, "referee_moves_total") for number in range(COUNT)]
    assert sum(done) == moves


@pytest.mark.usefixtures("_lone_connections")
async def test_a_worker_that_is_killed_costs_nobody_a_move_and_is_started_again(tmp_path: Path) -> None:
    with referee(tmp_path) as running:
        before, bot = workers_of(running), Counting()
        async with players(running.address) as clients, asyncio.TaskGroup() as group:
            playing = group.create_task(played(clients, bot))
            await bot.enough.wait()
            os.kill(before[0], signal.SIGKILL)
            assert not playing.done()
            assert await playing > SOME_MOVES
        wait_until(lambda: len(workers_of(running)) == COUNT, "two workers are there", WITHIN_S)
        assert before[0] not in workers_of(running)
        assert before[1] in workers_of(running)


def test_who_asks_the_parent_to_stop_stops_all(tmp_path: Path) -> None:
    """In order, and with what they have written kept."""
    with referee(tmp_path) as running:
        pids = workers_of(running)
        running.terminate()
        assert running.wait() == 0
        assert not any(map(is_running, pids))
        assert running.log.read_text().count("draining") == COUNT


def test_the_end_of_standard_input_stops_all(tmp_path: Path) -> None:
    with referee(tmp_path) as running:
        pids = workers_of(running)
        running.end()
        assert not any(map(is_running, pids))


def test_workers_end_with_a_parent_that_is_killed(tmp_path: Path) -> None:
    with referee(tmp_path) as running:
        pids = workers_of(running)
        running.kill()
        wait_until(lambda: not any(map(is_running, pids)), "no worker is left", WITHIN_S)


def run(*arguments: str) -> str:
    """What a `referee serve` says that fails."""
    command = [sys.executable, "-m", "referee", "serve", *arguments]
    done = subprocess.run(command, capture_output=True, text=True, timeout=WITHIN_S, check=False)
    assert done.returncode == 1
    assert "Traceback" not in done.stderr
    return done.stderr.splitlines()[-1]


@pytest.mark.parametrize(("first", "second"), [(2, 1), (2, 2), (1, 2)])
def test_a_second_referee_on_the_port_is_refused_in_words(tmp_path: Path, first: int, second: int) -> None:
    """Whichever of them would share it among its workers."""
    with referee_process(tmp_path / "log", "--data", str(tmp_path / "one"), "--workers", str(first)) as running:
        address = running.address
        said = run("--listen", address, "--data", str(tmp_path / "other"), "--workers", str(second))
    assert said.startswith("Error: cannot listen: ")
    assert address in said


def test_a_worker_that_cannot_start_ends_all_in_words(tmp_path: Path) -> None:
    metrics = ports(COUNT)
    with socket.create_server((LOCALHOST, metrics + 1)):
        options = ("--data", str(tmp_path / "data"), "--workers", str(COUNT), "--metrics", f"{LOCALHOST}:{metrics}")
        said = run("--listen", f"{LOCALHOST}:0", *options)
    assert said.startswith(f"Error: cannot listen: Failed to bind to address {LOCALHOST}:{metrics + 1}: ")


def test_workers_of_which_none_can_start_say_why_once() -> None:
    said = run("--listen", f"{LOCALHOST}:0", "--redis", "redis://h?none=1", "--workers", str(COUNT))
    assert said == "Error: the URL of the store has a setting that is not known: 'none'"


# Of the parent


def keep(work: object) -> None:
    """Keeps two workers; when they are there they are to stop."""
    ended = Workers(work, COUNT, drain_s=1.0)  # type: ignore[arg-type] # each is a function of the module
    ended.run(lambda: os.kill(os.getpid(), signal.SIGTERM), stop_with_stdin=False)


def test_workers_that_listen_are_kept_until_they_are_to_stop() -> None:
    keep(toil.listen)


def test_a_worker_that_says_why_it_cannot_listen_is_believed() -> None:
    with pytest.raises(WorkersError, match=r"^there is no room$"):
        keep(toil.refuse)


def test_a_worker_that_dies_before_it_listens_ends_all() -> None:
    with pytest.raises(WorkersError, match=r"^worker [01] ended with code 7 before it listened$"):
        keep(toil.die)


def test_a_worker_that_dies_again_and_again_ends_all() -> None:
    """Sooner or later: it might be the machine's fault, and pass."""
    workers = Workers(toil.listen_and_die, 1, drain_s=1.0)
    with pytest.raises(WorkersError, match=r"^worker 0 ends again and again, at last with code 7$"):
        workers.run(lambda: None, stop_with_stdin=False)


# Of the port


def test_a_port_that_is_held_is_free_for_those_who_share_it_only() -> None:
    """Also while none of them listens."""
    with held(f"{LOCALHOST}:0") as address:
        port = int(address.rpartition(":")[2])
        with socket.socket() as alone:
            alone.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            with pytest.raises(OSError, match="in use"):
                alone.bind((LOCALHOST, port))
        with socket.socket() as shared:
            shared.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEPORT, 1)
            shared.bind((LOCALHOST, port))
        with pytest.raises(WorkersError, match="in use"), held(address):
            pass


def test_an_address_of_another_machine_cannot_be_held() -> None:
    with (
        pytest.raises(WorkersError, match=r"^cannot listen: 192\.0\.2\.1:0 is not an address of this machine$"),
        held("192.0.2.1:0"),
    ):
        pass


def test_a_name_that_nobody_has_cannot_be_held() -> None:
    with pytest.raises(WorkersError, match=r"^cannot listen: nobody\.invalid:0: "), held("nobody.invalid:0"):
        pass
