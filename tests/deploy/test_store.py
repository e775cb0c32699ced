"""What the runbook does with the store, done with Debian's Redis, the compose file's configuration and its users."""

import subprocess
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import pytest

from referee.store.redis_store import RedisStore
from referee.table.ids import MatchId
from referee.table.store import StoreUnavailableError
from tests.deploy.topology import DEPLOY, any_address, compose, running_redis
from tests.servers import required_program, wait_until
from tests.store.writes import any_match, created, write_of, written

RUNBOOK: Final = (DEPLOY / "RUNBOOK.md").read_text()
LOG: Final = "appendonlydir"
REFUSAL: Final = "Unexpected end of file reading the append only file"
TORN: Final = 40  # bytes of a write that do not reach the disk


@dataclass(frozen=True)
class Store:
    """A store that a test may stop and start again, on its files.

    Attributes:
        folder: its files, and the secrets.
        host: its address.
    """

    folder: Path
    host: str

    @contextmanager
    def on(self) -> Iterator[None]:
        with running_redis(self.folder, self.host):
            wait_until(lambda: self._asked("PING").stdout == "PONG\n", "the store has read its log")
            yield

    @property
    def url(self) -> str:
        return f"redis://referee@{self.host}:6379"

    def operate(self, *words: str) -> str:
        """Does what the runbook does as the operator."""
        run = self._asked(*words)
        run.check_returncode()
        return run.stdout

    def _asked(self, *words: str) -> subprocess.CompletedProcess[str]:
        program = required_program("/usr/bin/redis-cli", "redis-tools")
        command = (program, "-h", self.host, "--user", "operator", "--no-auth-warning", *words)
        password = {"REDISCLI_AUTH": self.password("operator-password")}
        return subprocess.run(command, env=password, capture_output=True, text=True, check=False)

    def password(self, name: str = "referee-password") -> str:
        return (self.folder / name).read_text()

    def said(self) -> str:
        return (self.folder / "redis.log").read_text()

    def mend(self, command: str) -> None:
        subprocess.run(command.split(), cwd=self.folder, input=b"y\n", check=True, capture_output=True)

    def make_secrets(self) -> None:
        subprocess.run([DEPLOY / "make-secrets.sh", self.folder], check=True)


@pytest.fixture
def store(tmp_path: Path) -> Store:
    store = Store(tmp_path, any_address())
    store.make_secrets()
    return store


async def lengths(store: Store, *match_ids: MatchId) -> list[int]:
    """How long the logs of matches are; 0 of one that is not there."""
    redis = RedisStore(store.url, store.password())
    try:
        return [len(await redis.log(match_id, 0, 9)) for match_id in match_ids]
    finally:
        await redis.close()


async def deal(store: Store) -> MatchId:
    redis, match_id = RedisStore(store.url, store.password()), any_match()
    await created(redis, match_id, [b"a"])
    await redis.close()
    return match_id


async def test_a_log_whose_end_is_torn_is_mended_as_the_runbook_says(store: Store) -> None:
    """The store does not start on it; mended it knows nothing of the move in part, and keeps all that comes later."""
    with store.on():
        redis, match_id = RedisStore(store.url, store.password()), any_match()
        header = await created(redis, match_id, [b"a"])
        await written(redis, write_of(match_id, header, [b"b"], after=1))
        await redis.close()
    [log] = (store.folder / LOG).glob("*.incr.aof")
    log.write_bytes(log.read_bytes()[:-TORN])
    with suppress(AssertionError), running_redis(store.folder, store.host):
        wait_until(lambda: REFUSAL in store.said(), "the store refuses the log")
    assert REFUSAL in store.said()
    command = "redis-check-aof --fix appendonlydir/appendonly.aof.manifest"
    assert command in RUNBOOK
    required_program("/usr/bin/redis-check-aof", "redis-tools")
    store.mend(command)
    with store.on():
        assert await lengths(store, match_id) == [1]
        later = await deal(store)
    with store.on():
        assert await lengths(store, match_id, later) == [1, 1]


async def test_a_backup_is_restored_as_the_runbook_says(store: Store, tmp_path_factory: pytest.TempPathFactory) -> None:
    """Into an empty folder; what came after the backup is lost, and what comes after the restoration stays."""
    with store.on():
        kept = await deal(store)
        store.operate("BGSAVE")
        wait_until(lambda: "rdb_bgsave_in_progress:0" in store.operate("INFO", "persistence"), "the backup is made")
        lost = await deal(store)
    assert "rdb_last_bgsave_status:ok" in RUNBOOK
    fresh = Store(tmp_path_factory.mktemp("fresh"), store.host)
    for secret in store.folder.glob("*-password"):
        (fresh.folder / secret.name).write_text(secret.read_text())
    fresh.make_secrets()
    (fresh.folder / LOG).mkdir()
    (fresh.folder / LOG / "appendonly.aof.1.base.rdb").write_bytes((store.folder / "dump.rdb").read_bytes())
    manifest = "file appendonly.aof.1.base.rdb seq 1 type b"
    assert manifest in RUNBOOK
    (fresh.folder / LOG / "appendonly.aof.manifest").write_text(f"{manifest}\n")
    with fresh.on():
        assert await lengths(fresh, kept, lost) == [1, 0]
        later = await deal(fresh)
    with fresh.on():
        assert await lengths(fresh, kept, later) == [1, 1]


def test_whether_the_store_answers_is_asked_by_a_user_who_may_ask_nothing_else(store: Store) -> None:
    """As the compose file does."""
    _, command = compose()["services"]["redis"]["healthcheck"]["test"]
    here = command.replace("redis-cli", f"{required_program('/usr/bin/redis-cli', 'redis-tools')} -h {store.host}")
    with store.on():
        wait_until(lambda: subprocess.run(["/bin/sh", "-c", here], check=False).returncode == 0, "the store answers")
    assert subprocess.run(["/bin/sh", "-c", here], check=False, capture_output=True).returncode != 0


async def test_a_password_is_changed_as_the_runbook_says(store: Store) -> None:
    """For a while both are good, so that referees may be restarted one after another."""
    new, old = store.folder / "referee-password", store.folder / "referee-password.old"

    async def lets_in() -> list[bool]:
        return [await _is_let_in(store, password) for password in (before, new.read_text())]

    with store.on():
        before = new.read_text()
        new.rename(old)
        store.make_secrets()
        assert await lets_in() == [True, False]
        store.operate("ACL", "LOAD")
        assert await lets_in() == [True, True]
        old.unlink()
        store.make_secrets()
        store.operate("ACL", "LOAD")
        assert await lets_in() == [False, True]


async def _is_let_in(store: Store, password: str) -> bool:
    redis = RedisStore(store.url, password)
    try:
        await redis.ping()
    except StoreUnavailableError:
        return False
    finally:
        await redis.close()
    return True
