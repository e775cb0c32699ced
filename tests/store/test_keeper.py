"""The embedded store: nobody is left behind, nothing acknowledged is lost, and one directory has one owner."""

import asyncio
import os
import random
import shutil
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from redis import Redis

from artreferee.v1 import service_pb2
from clients.sdk import CallError, RefereeClient
from referee.store import embedded, keys
from referee.store.keeper import KeeperError
from referee.store.redis_store import RedisStore
from referee.table.store import StoreUnavailableError
from tests.servers import embedded_store, eventually, is_running, referee_process, wait_until
from tests.store.acknowledger import LAST_WRITES, WRITERS, match_of, move_of
from tests.store.writes import any_match, created, write_of, written

PROJECT = Path(__file__).parents[2]
LONGEST_SOCKET_PATH = 107
IMPATIENT_KEEPER = (
    "import sys; from pathlib import Path; from referee.store import keeper; keeper.LOCK_WAIT_S = 0.2;"
    "sys.exit(keeper.keep(Path(sys.argv[1]), 'no'))"
)


def others_may(path: Path) -> int:
    """What the group and everybody else may do with a file."""
    return path.stat().st_mode & 0o077


async def test_what_is_hidden_in_matches_nobody_else_on_the_machine_can_read(tmp_path: Path) -> None:
    """Neither in a directory that was made for it nor in one that others may look into."""
    (open_to_all := tmp_path / "open").mkdir(mode=0o755)
    for directory in (tmp_path / "new", open_to_all):
        with embedded_store(directory) as url:
            store = RedisStore(url)
            await created(store, any_match())
            await store.close()
        kept = [path for path in directory.rglob("*.aof") if path.is_file()]
        assert kept != []
        assert {others_may(path) for path in (*kept, directory / "store.log")} == {0}
    assert others_may(tmp_path / "new") == 0


def pid_of(url: str) -> int:
    """Returns the process id of the server at a URL."""
    with Redis.from_url(url) as admin:
        return int(admin.info("server")["process_id"])


def parent_of(pid: int) -> int:
    """Returns the process that started another one."""
    return int(Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[1])


def home_of(url: str) -> Path:
    """Returns the directory of the socket, which the keeper removes when it ends."""
    return Path(url.removeprefix("unix://")).parent


def end(pid: int) -> None:
    """Kills a process, if it is still there."""
    if is_running(pid):
        os.kill(pid, signal.SIGKILL)


@contextmanager
def held_up(pid: int) -> Iterator[None]:
    """Stops a process for a block, and lets it go on afterwards; if the block fails it is killed."""
    os.kill(pid, signal.SIGSTOP)
    try:
        yield
    except BaseException:
        end(pid)
        raise
    os.kill(pid, signal.SIGCONT)


def impatiently_started(directory: Path) -> subprocess.CompletedProcess[str]:
    """Runs a keeper that does not wait for a directory in use, and whose parent has gone when it is ready."""
    command = [sys.executable, "-c", IMPATIENT_KEEPER, str(directory)]
    return subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=20)


def is_over(url: str, pid: int) -> bool:
    """Whether neither the store nor its keeper is left."""
    return not is_running(pid) and not home_of(url).exists()


@contextmanager
def acknowledger(directory: Path, fsync: str) -> Iterator[tuple[subprocess.Popen[str], str]]:
    """Runs a process that owns a store and writes to it; yields it and the store's URL."""
    process = subprocess.Popen(
        [sys.executable, "-m", "tests.store.acknowledger", str(directory), fsync],
        stdout=subprocess.PIPE,
        text=True,
        cwd=PROJECT,
        start_new_session=True,
    )
    assert process.stdout is not None
    try:
        yield process, process.stdout.readline().strip()
    finally:
        process.kill()
        process.wait()
        process.stdout.close()


async def moves_in(url: str, writer: int) -> int:
    """Returns how many moves a match has, having seen that it is whole."""
    store = RedisStore(url)
    stored = await store.load(match_of(writer))
    if stored is None:
        await store.close()
        return 0
    moves = int(stored.fields["state"])
    log = await store.log(match_of(writer), 0, moves + 10)
    await store.close()
    assert [logged.entry for logged in log] == [move_of(number) for number in range(1, moves + 1)]
    return moves


def told(lines: list[str]) -> dict[int, int]:
    """Returns the last acknowledged move of each writer; what was cut off in the middle was not told."""
    acknowledged = dict.fromkeys(range(WRITERS), 0)
    for line in lines:
        if line.endswith("\n") and line[0].isdigit():
            writer, number = map(int, line.split())
            acknowledged[writer] = number
    return acknowledged


@pytest.mark.parametrize("trial", range(3))
async def test_after_its_parent_was_killed_no_store_is_left_and_nothing_acknowledged_is_lost(
    tmp_path: Path, trial: int
) -> None:
    """Killed at a random moment under load, and started again at once, while the old store may still be ending."""
    after = random.randrange(1, 800)
    with acknowledger(tmp_path, "always") as (process, url):
        assert process.stdout is not None
        store = pid_of(url)
        lines = [process.stdout.readline() for _ in range(after)]
        process.kill()
        lines += process.stdout.readlines()
    with embedded_store(tmp_path, "always") as new_url:
        wait_until(lambda: is_over(url, store), "the old store and its keeper are gone")
        for writer, acknowledged in told(lines).items():
            assert acknowledged <= await moves_in(new_url, writer) <= acknowledged + 1


async def test_a_new_owner_waits_for_the_store_of_a_killed_one_to_end(tmp_path: Path) -> None:
    """The old store is held up while it ends; the new one starts when it is gone, and has what it had."""
    stores: list[embedded.Embedded] = []
    with acknowledger(tmp_path, "always") as (process, url):
        assert process.stdout is not None
        lines, store = [process.stdout.readline() for _ in range(20)], pid_of(url)
        with held_up(store):
            process.kill()
            lines += process.stdout.readlines()
            successor = threading.Thread(target=lambda: stores.append(embedded.start(tmp_path, "always")))
            successor.start()
            assert "in use" in impatiently_started(tmp_path).stdout
            assert successor.is_alive()
    await asyncio.to_thread(successor.join)
    try:
        assert not is_running(store)
        for writer, acknowledged in told(lines).items():
            assert await moves_in(stores[0].url, writer) >= acknowledged
    finally:
        stores[0].stop()


async def test_the_interrupt_of_a_terminal_reaches_the_owner_alone(tmp_path: Path) -> None:
    """Ctrl-C goes to the whole process group; the store must live on until its owner has finished."""
    with acknowledger(tmp_path, "no") as (process, url):
        assert process.stdout is not None
        store = pid_of(url)
        process.stdout.readline()
        os.killpg(process.pid, signal.SIGINT)
        lines = process.stdout.readlines()
        assert process.wait() == 0
    last = [line for line in lines[lines.index("interrupted\n") + 1 :] if line[0].isdigit()]
    assert len(last) >= WRITERS * LAST_WRITES
    assert is_over(url, store)
    with embedded_store(tmp_path) as new_url:
        for writer, acknowledged in told(lines).items():
            assert await moves_in(new_url, writer) == acknowledged


async def test_an_interrupted_referee_drains_before_its_store_ends(tmp_path: Path) -> None:
    """Ctrl-C under load: it ends in order, never misses its store, and keeps every match that it created."""
    data, log, matches, under_load = tmp_path / "data", tmp_path / "log", list[str](), asyncio.Event()

    async def create(client: RefereeClient) -> None:
        seats = [service_pb2.SeatRequest() for _ in range(2)]
        while True:
            try:
                answer = await client.create_match(service_pb2.CreateMatchRequest(ruleset="classic_art", seats=seats))
            except CallError:
                return
            matches.append(answer.match_id)
            if len(matches) == 50:
                under_load.set()

    with referee_process(log, "--data", str(data)) as referee:
        async with RefereeClient(referee.address, timeout_s=1.0) as client, asyncio.TaskGroup() as group:
            for _ in range(8):
                group.create_task(create(client))
            async with asyncio.timeout(20.0):
                await under_load.wait()
            referee.interrupt_group()
            assert await asyncio.to_thread(referee.wait) == 0
    messages = log.read_text()
    assert "draining" in messages
    assert "store does not answer" not in messages
    assert "Traceback" not in messages
    with referee_process(log, "--data", str(data)) as referee:
        async with RefereeClient(referee.address) as client:
            found = [await client.get_match(match_id) for match_id in matches]
    assert [match.match_id for match in found] == matches


async def test_a_store_that_is_stopped_in_order_keeps_everything_and_leaves_nobody(tmp_path: Path) -> None:
    with embedded_store(tmp_path, "no") as url:
        process, match_id, store = pid_of(url), any_match(), RedisStore(url)
        header = await created(store, match_id, [b"a"])
        await store.close()
    assert is_over(url, process)
    with embedded_store(tmp_path, "no") as url:
        store = RedisStore(url)
        stored = await store.load(match_id)
        await store.close()
    assert stored is not None
    assert stored.header == header.encode()


async def test_a_match_is_one_piece_of_memory(tmp_path: Path) -> None:
    """However long its fields are; a store that is not told so keeps long ones apart, which takes more room."""
    with embedded_store(tmp_path) as url:
        store, match_id = RedisStore(url), any_match()
        await written(store, write_of(match_id, fields={"head": bytes(2_000), "course": bytes(4_000)}))
        await store.close()
        with Redis.from_url(url) as admin:
            assert admin.object("ENCODING", keys.match(match_id)) in (b"listpack", b"ziplist")


async def test_a_store_whose_keeper_is_killed_ends_too(tmp_path: Path) -> None:
    store = embedded.start(tmp_path, "no")
    try:
        process = pid_of(store.url)
        os.kill(parent_of(process), signal.SIGKILL)
        wait_until(lambda: not is_running(process), "the store is gone")
    finally:
        end(process)
        store.stop()
        shutil.rmtree(home_of(store.url), ignore_errors=True)  # which only its keeper would have done
    with embedded_store(tmp_path) as url:
        assert is_running(pid_of(url))


def test_a_store_that_has_lost_its_keeper_still_holds_its_directory(tmp_path: Path) -> None:
    """Two stores never write one directory, not even while the first one is held up."""
    first = embedded.start(tmp_path, "no")
    store = pid_of(first.url)
    with held_up(store):
        os.kill(parent_of(store), signal.SIGKILL)
        first.stop()
        shutil.rmtree(home_of(first.url), ignore_errors=True)
        assert "in use" in impatiently_started(tmp_path).stdout
    with embedded_store(tmp_path):
        assert not is_running(store)


async def test_a_store_that_is_killed_is_started_again_by_its_keeper(tmp_path: Path) -> None:
    """As by a machine that runs out of memory; with its data, and where it was."""
    with embedded_store(tmp_path, "always") as url:
        match_id, store, killed = any_match(), RedisStore(url), pid_of(url)
        await created(store, match_id)
        os.kill(killed, signal.SIGKILL)

        async def answers() -> bool:
            try:
                return await store.load(match_id) is not None
            except StoreUnavailableError:
                return False

        await eventually(answers)
        await store.close()
        assert pid_of(url) != killed


async def test_a_store_that_was_killed_can_be_started_again(tmp_path: Path) -> None:
    first = embedded.start(tmp_path, "always")
    try:
        match_id, store = any_match(), RedisStore(first.url)
        await created(store, match_id)
        await store.close()
        os.kill(pid_of(first.url), signal.SIGKILL)
    finally:
        first.stop()
    with embedded_store(tmp_path) as url:
        store = RedisStore(url)
        assert await store.load(match_id) is not None
        await store.close()


def test_a_directory_in_use_is_refused_in_words(tmp_path: Path) -> None:
    """The owner is not disturbed by it, and the directory is free when it ends."""
    with embedded_store(tmp_path) as url:
        refused = impatiently_started(tmp_path)
        assert is_running(pid_of(url))
    assert (refused.returncode, refused.stderr) == (1, "")
    assert refused.stdout == f"failed the data directory {tmp_path} is in use by another referee\n"
    assert impatiently_started(tmp_path).stdout.startswith("ready ")


@pytest.mark.long
def test_a_second_referee_on_one_directory_ends_with_one_sentence(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "referee", "serve", "--listen", "127.0.0.1:0", "--data", str(tmp_path)]
    with referee_process(tmp_path / "log", "--data", str(tmp_path)):
        refused = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=60)
    assert (refused.returncode, refused.stdout) == (1, "")
    assert refused.stderr == f"Error: the data directory {tmp_path} is in use by another referee\n"


def test_a_directory_that_cannot_be_made_is_refused_in_words(tmp_path: Path) -> None:
    """The sentence names the path that the user gave."""
    file = tmp_path / "file"
    file.write_text("not a directory")
    with pytest.raises(KeeperError) as refusal:
        embedded.start(file / "data", "no").stop()
    assert str(file) in str(refusal.value)


def test_the_directory_may_have_a_long_name(tmp_path: Path) -> None:
    """The path of a socket is limited, that of a directory is not."""
    directory = tmp_path / ("d" * 200) / ("e" * 200)
    with embedded_store(directory) as url:
        assert len(url.removeprefix("unix://").encode()) < LONGEST_SOCKET_PATH
        assert is_running(pid_of(url))
    assert any(directory.iterdir())


def test_two_directories_are_two_stores(tmp_path: Path) -> None:
    with embedded_store(tmp_path / "a") as first, embedded_store(tmp_path / "b") as second:
        assert first != second
        with Redis.from_url(first) as admin:
            admin.set("only", "here")
        with Redis.from_url(second) as admin:
            assert admin.get("only") is None
