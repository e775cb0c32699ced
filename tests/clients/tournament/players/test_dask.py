"""Processes on a real Dask cluster: where they run, how they end, and that they end with whoever wanted them."""

import asyncio
import os
import re
import signal
import sys
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from distributed import LocalCluster

from clients.tournament.plan import Entrant
from clients.tournament.players import Ending, Launch, Log, NoExecutorError, executor_at
from clients.tournament.players.dask_executor import DaskExecutor
from tests.clients.tournament.players.stage import WITHIN_S, Stage, pairing
from tests.servers import eventually, is_running, wait_until

FOREVER = "import os, time; print(os.getpid(), os.getppid(), flush=True); time.sleep(1000)"
WORKERS = 2


@pytest.fixture(scope="module")
async def local_cluster() -> AsyncIterator[LocalCluster]:
    """A cluster of two worker processes with one thread each."""
    options = {"n_workers": WORKERS, "threads_per_worker": 1, "processes": True, "dashboard_address": None}
    async with LocalCluster(**options, asynchronous=True, silence_logs=False) as running:
        yield running


@pytest.fixture
async def cluster(local_cluster: LocalCluster) -> str:
    """The address of the cluster, of which all workers are there: tests end some."""

    async def complete() -> bool:
        scheduler = local_cluster.scheduler
        return scheduler is not None and len(scheduler.workers) == WORKERS

    await eventually(complete, WITHIN_S)
    return str(local_cluster.scheduler_address)


@pytest.fixture
async def executor(cluster: str) -> AsyncIterator[DaskExecutor]:
    async with DaskExecutor(cluster) as running:
        yield running


def launch(code: str, **variables: str) -> Launch:
    return Launch(("-c", code), variables, python=True)


def parent_of(pid: int) -> int:
    return int(Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[1])


async def lines(log: Log, count: int) -> list[list[str]]:
    """The words of the first lines of a log, once there are so many."""

    async def read() -> list[list[str]]:
        text = log.path.read_text() if log.path.exists() else ""
        return [line.split() for line in text.splitlines()] if text.count("\n") >= count else []

    return await eventually(read, WITHIN_S)


async def test_a_process_runs_on_a_worker_and_its_log_is_here(executor: DaskExecutor, tmp_path: Path) -> None:
    """It has the variables of its launch and not those of the worker, and ends as it ends."""
    code = "import os; print(os.environ['GIVEN'], 'DASK' in ' '.join(os.environ)); raise SystemExit(3)"
    process = await executor.start(launch(code, GIVEN="this"), Log(tmp_path / "log"))
    assert await process.wait() == Ending("exit code 3")
    await process.stop()
    assert await lines(Log(tmp_path / "log"), 1) == [["this", "False"]]


async def test_a_signal_is_told(executor: DaskExecutor, tmp_path: Path) -> None:
    process = await executor.start(launch("import os; os.kill(os.getpid(), 9)"), Log(tmp_path / "log"))
    assert await process.wait() == Ending("SIGKILL")
    await process.stop()


async def test_a_process_that_is_stopped_is_gone_when_that_is_told(executor: DaskExecutor, tmp_path: Path) -> None:
    process = await executor.start(launch(FOREVER), Log(tmp_path / "log"))
    [[pid, _]] = await lines(Log(tmp_path / "log"), 1)
    assert is_running(int(pid))
    await process.stop()
    assert not is_running(int(pid))


async def test_there_may_be_more_processes_than_places(executor: DaskExecutor, tmp_path: Path) -> None:
    """They wait for each other in matches: none must wait for the end of another to begin."""
    assert executor.workers == WORKERS
    logs = [Log(tmp_path / f"{number}.log") for number in range(3 * WORKERS)]
    processes = [await executor.start(launch(FOREVER), log) for log in logs]
    pids = [(await lines(log, 1))[0][0] for log in logs]
    assert len(set(pids)) == 3 * WORKERS
    await asyncio.gather(*(process.stop() for process in processes))
    assert [pid for pid in pids if is_running(int(pid))] == []


async def test_a_process_whose_worker_dies_is_started_elsewhere(executor: DaskExecutor, tmp_path: Path) -> None:
    """It ends with its worker, and is not told to have ended."""
    log = Log(tmp_path / "log")
    process = await executor.start(launch(FOREVER), log)
    [[first, supervisor]] = await lines(log, 1)
    os.kill(parent_of(int(supervisor)), signal.SIGKILL)
    [_, [second, _]] = await lines(log, 2)
    assert first != second
    assert is_running(int(second))
    wait_until(lambda: not is_running(int(first)), "the first one is gone", WITHIN_S)
    await process.stop()
    assert not is_running(int(second))


async def test_nothing_outlives_a_director_that_was_killed(cluster: str, tmp_path: Path) -> None:
    """The cluster notices that its client has gone, and so do its tasks."""
    director = (
        "import asyncio, sys\nfrom pathlib import Path\n"
        "from clients.tournament.players import Launch, Log, executor_at\n"
        "async def main():\n"
        "    async with executor_at(sys.argv[1]) as executor:\n"
        "        process = await executor.start(Launch(('-c', sys.argv[2]), {}, python=True), Log(Path(sys.argv[3])))\n"
        "        await process.wait()\n"
        "asyncio.run(main())\n"
    )
    log = Log(tmp_path / "log")
    arguments = ("-c", director, cluster, FOREVER, str(log.path))
    process = await asyncio.create_subprocess_exec(sys.executable, *arguments)
    [[pid, supervisor]] = await lines(log, 1)
    process.kill()
    await process.wait()

    async def gone() -> bool:
        return not (is_running(int(pid)) or is_running(int(supervisor)))

    assert await eventually(gone, WITHIN_S)


async def test_what_goes_through_the_scheduler_is_bounded(executor: DaskExecutor, tmp_path: Path) -> None:
    process = await executor.start(launch("for _ in range(50_000): print('x' * 99)"), Log(tmp_path / "log", 1 << 30))
    assert await process.wait() == Ending("exit code 0", success=True)
    await process.stop()
    said = (tmp_path / "log").read_bytes()
    assert len(said) < 1 << 20
    assert said.endswith(b"--- what it says from here on is not kept ---\n")


async def test_a_tournament_is_played_by_a_cluster(executor: DaskExecutor, stage: Stage) -> None:
    """Each entrant has a process for each worker, and each process plays the matches of its principal."""
    entrants = [Entrant("greedy", bot="greedy"), Entrant("random", bot="random")]
    made = [pairing("greedy", "random", number=number) for number in range(6)]
    async with stage.players(*entrants, executor=executor, processes=executor.workers) as players:
        results = await stage.play(players, *made)
        assert len({players.principal_hash(each, 0) for each in made}) == WORKERS
    assert [[seat.cause for seat in result.seats] for result in results] == [[0, 0]] * 6
    assert stage.crashes == []


async def test_a_dry_run_counts_the_cores_of_the_cluster(cluster: str) -> None:
    """And those of this machine, which has all the rest to do."""
    flags = ("--dry-run", "--ruleset", "classic_art", "--seats", "2", "--deals", "1", "--dask", cluster)
    run = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "clients.curator", "tournament", *flags), stdout=asyncio.subprocess.PIPE
    )
    output, _ = await run.communicate()
    assert run.returncode == 0
    said = " ".join(output.decode().split())
    assert re.search(rf" on {WORKERS} of the Dask cluster and \d+ cores? here that do nothing else ", said)


async def test_a_cluster_that_is_not_there_is_told_in_words() -> None:
    with pytest.raises(NoExecutorError, match=r"^there is no Dask scheduler at tcp://127\.0\.0\.1:1: "):
        async with executor_at("tcp://127.0.0.1:1"):
            pass
