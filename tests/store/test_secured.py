"""A store that is reached over TLS, by a user who may do nothing but what a referee does."""

import asyncio
import os
import re
import subprocess
import sys
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import AsyncExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import pytest
from msgspec.structs import replace
from redis import Redis
from redis.exceptions import NoPermissionError

from referee.store.books import RedisBooks
from referee.store.redis_store import RedisStore
from referee.store.rights import RightsError
from referee.table.administration import Deed
from referee.table.clocks import Deadline
from referee.table.ids import MatchId, bucket_of
from referee.table.store import Enrolled, StoreUnavailableError
from tests.certificates import ELSEWHERE, HERE, Authority
from tests.servers import debian_redis, eventually, free_port, referee_process, store_server
from tests.store.writes import BRIEF_MS, LONG_MS, any_match, any_principal, created, write_of, written

README: Final = (Path(__file__).parents[2] / "README.md").read_text()
PASSWORD: Final = "a-password-of-this-test"  # noqa: S105 - of no other
WITHIN_S: Final = 120.0


@dataclass(frozen=True, slots=True)
class Secured:
    """A store that is secured.

    Attributes:
        address: HOST:PORT of TLS.
        root: by which it is trusted.
        admin: may do everything.
    """

    address: str
    root: Path
    admin: Redis

    def url(self, user: str = "referee", root: Path | None = None) -> str:
        return f"rediss://{user}@{self.address}?ssl_ca_certs={root or self.root}"


@pytest.fixture(scope="module")
def secured(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Secured]:
    """The user is made as the README says."""
    authority = Authority(tmp_path_factory.mktemp("store"), "store")
    pair, port = authority.issue(), free_port()
    tls = {"tls_port": str(port), "tls_cert_file": str(pair.cert), "tls_key_file": str(pair.key)}
    with store_server(debian_redis(), **tls, tls_ca_cert_file=str(authority.root), tls_auth_clients="no") as server:
        with Redis.from_url(server.url) as admin:
            admin.execute_command(*_words_of_the_readme())
            yield Secured(f"{HERE}:{port}", authority.root, admin)


def _words_of_the_readme() -> list[str]:
    [line] = re.findall(r"^ACL SETUSER .*(?:\n {2,}.*)*", README, re.MULTILINE)
    return str(line).replace("PASSWORD", PASSWORD).split()


async def test_the_right_user_is_served(secured: Secured) -> None:
    for url, password in ((secured.url(), PASSWORD), (secured.url(f"referee:{PASSWORD}"), None)):
        store = RedisStore(url, password)
        match_id = any_match()
        await created(store, match_id, [b"move"])
        assert await store.load(match_id) is not None
        async with store.changes(match_id):
            pass
        await store.close()


async def test_the_right_user_may_keep_time(secured: Secured) -> None:
    """And clear away what is due and gone."""
    store, due, gone = RedisStore(secured.url(), PASSWORD), any_match(), any_match()
    await written(store, replace(write_of(gone, lifetime_ms=BRIEF_MS), deadline=Deadline(1)))
    header = await written(store, replace(write_of(due), deadline=Deadline(1)))
    assert (await store.beat(LONG_MS)).now_ms >= header.commit_ms
    await eventually(lambda: is_gone(store, gone))
    assert await eventually(lambda: store.due("me", BRIEF_MS, 10)) == [due]
    await written(store, replace(write_of(due, header), deadline=Deadline()))
    await store.close()


async def test_the_right_user_may_note_signs_of_life(secured: Secured) -> None:
    store, match_id, principal = RedisStore(secured.url(), PASSWORD), any_match(), any_principal()
    await store.enrol(match_id, [principal], LONG_MS)
    assert Enrolled(principal, match_id, LONG_MS) in {enrolled for _, enrolled in await store.roll(0)}
    await written(store, write_of(match_id, fields={"seen": b"1"}))
    assert await store.stamp(match_id, "seen")
    await store.dismiss(match_id, [principal], LONG_MS)
    await store.close()


async def is_gone(store: RedisStore, match_id: MatchId) -> bool:
    return await store.load(match_id) is None


async def test_a_wrong_password_and_an_unknown_user_are_told_as_a_store_that_does_not_answer(secured: Secured) -> None:
    for url, password in ((secured.url(), "wrong"), (secured.url("nobody"), PASSWORD)):
        store = RedisStore(url, password)
        with pytest.raises(StoreUnavailableError) as error:
            await store.ping()
        assert password not in str(error.value)
        await store.close()


RIGHTS: Final = [word for word in _words_of_the_readme() if word[0] in "+~&"]


@pytest.fixture
async def lame(secured: Secured) -> AsyncIterator[Callable[[str], RedisStore]]:
    """Makes a store whose user is as the README says, but for one right, which it has lost."""
    async with AsyncExitStack() as stack:

        def without(right: str) -> RedisStore:
            words = ["lame" if word == "referee" else word for word in _words_of_the_readme() if word != right]
            secured.admin.execute_command(*words)  # type: ignore[no-untyped-call]
            store = RedisStore(secured.url("lame"), PASSWORD)
            stack.push_async_callback(store.close)
            return store

        yield without
    secured.admin.acl_deluser("lame")


@pytest.mark.parametrize("right", RIGHTS)
async def test_a_right_that_the_user_lacks_is_named(lame: Callable[[str], RedisStore], right: str) -> None:
    """And only that one."""
    store = lame(right)
    problem = re.escape(f"the user of the store lacks rights that a referee needs: {right}")
    with pytest.raises(RightsError, match=f"^{problem}$"):
        await store.ping()


async def test_a_right_that_a_script_lacks_is_named_to_whoever_needs_it(lame: Callable[[str], RedisStore]) -> None:
    """It is told as a store that does not answer, until the user has it."""
    store, match_id = lame("+rpush"), any_match()
    with pytest.raises(StoreUnavailableError, match=r"needs: \+rpush$"):
        await created(store, match_id, [b"move"])


async def test_a_user_who_loses_a_right_is_found_out_and_served_again_when_it_has_it(
    secured: Secured, lame: Callable[[str], RedisStore]
) -> None:
    store = lame("no such right")
    await store.ping()
    secured.admin.execute_command("ACL", "SETUSER", "lame", "-zadd")  # type: ignore[no-untyped-call]
    with pytest.raises(RightsError, match=r"\+zadd$"):
        await store.enrol(any_match(), [any_principal()], LONG_MS)
    with pytest.raises(RightsError, match=r"\+zadd$"):
        await store.ping()
    secured.admin.execute_command("ACL", "SETUSER", "lame", "+zadd")  # type: ignore[no-untyped-call]
    await store.ping()


async def test_a_referee_without_a_right_does_not_start_and_says_which(
    secured: Secured, lame: Callable[[str], RedisStore]
) -> None:
    lame("+zadd")
    run = await asyncio.to_thread(
        subprocess.run,
        (sys.executable, "-m", "referee", "serve", "--listen", f"{HERE}:0"),
        env={**os.environ, "REFEREE_REDIS_URL": secured.url(f"lame:{PASSWORD}")},
        capture_output=True,
        text=True,
        timeout=WITHIN_S,
        check=False,
    )
    assert (run.returncode, run.stdout) == (1, "")
    assert run.stderr == "Error: the user of the store lacks rights that a referee needs: +zadd\n"


async def test_a_store_that_is_not_the_one_is_not_spoken_to(secured: Secured, tmp_path: Path) -> None:
    """One of a foreign authority."""
    store = RedisStore(secured.url(root=Authority(tmp_path, "foreign").root), PASSWORD)
    with pytest.raises(StoreUnavailableError, match="CERTIFICATE_VERIFY_FAILED"):
        await store.ping()
    await store.close()


@pytest.mark.parametrize("expired", [True, False], ids=["expired", "another host"])
async def test_a_store_with_a_wrong_certificate_is_not_spoken_to(tmp_path: Path, expired: bool) -> None:
    authority = Authority(tmp_path, "store")
    pair, port = authority.issue(HERE if expired else ELSEWHERE, expired=expired), free_port()
    tls = {"tls_port": str(port), "tls_cert_file": str(pair.cert), "tls_key_file": str(pair.key)}
    with store_server(debian_redis(), **tls, tls_ca_cert_file=str(authority.root), tls_auth_clients="no"):
        store = RedisStore(f"rediss://{HERE}:{port}?ssl_ca_certs={authority.root}")
        with pytest.raises(StoreUnavailableError, match="CERTIFICATE_VERIFY_FAILED"):
            await store.ping()
        await store.close()


@pytest.mark.parametrize(
    "command", ["FLUSHALL", "KEYS *", "SCAN 0", "CONFIG GET *", "ACL LIST", "GET foreign", "PUBLISH foreign x"]
)
def test_the_user_may_do_nothing_else(secured: Secured, command: str) -> None:
    with Redis.from_url(secured.url(), password=PASSWORD) as referee, pytest.raises(NoPermissionError):
        referee.execute_command(*command.split())


def test_a_tournament_needs_all_that_the_user_may_do_and_nothing_more(secured: Secured, tmp_path: Path) -> None:
    """And its password is in no list of processes and in no log."""
    secured.admin.acl_log_reset()
    secured.admin.script_flush()
    log = tmp_path / "log"
    with referee_process(log, REFEREE_REDIS_URL=secured.url(f"referee:{PASSWORD}")) as referee:
        secured.admin.config_resetstat()  # it has tried all its rights
        shown = _commands_of_group(referee.pid)
        command = (sys.executable, "-m", "clients.curator", "tournament", "--ruleset", "classic_art", "--seats", "2")
        others = ("--deals", "1", "--out", str(tmp_path / "out"), "--referee", referee.address)
        run = subprocess.run((*command, *others), capture_output=True, text=True, timeout=WITHIN_S, check=False)
        assert run.returncode == 0, run.stderr
    assert any("referee" in words for words in shown)
    assert PASSWORD not in "\n".join([*shown, log.read_text(), run.stderr, run.stdout])
    used = {name.removeprefix("cmdstat_") for name in secured.admin.info("commandstats")}
    allowed = {word[1:] for word in _words_of_the_readme() if word.startswith("+")}
    assert allowed - used == set()
    assert secured.admin.acl_log() == []


async def test_the_user_of_an_operator_may_do_what_an_operator_does(secured: Secured) -> None:
    """And sees nothing of what others keep in the same store."""
    [more] = re.findall(r"its user of a Redis needs `([^`]*)` besides", README)
    words = ["operator" if word == "referee" else word for word in _words_of_the_readme()]
    secured.admin.execute_command(*words, *more.split())  # type: ignore[no-untyped-call]
    secured.admin.set("foreign", "x")
    books = RedisBooks(secured.url("operator"), PASSWORD)
    match_id = any_match()
    await created(books, match_id, [b"move"])
    deed = Deed("operator", "abort", match_id, "why")
    await books.note(deed)
    assert [noted.deed async for noted in books.noted()] == [deed]
    assert match_id in await books.kept(bucket_of(match_id))
    assert (await books.usage()).keys() >= {"match", "log", "audit"}
    await books.close()


def _commands_of_group(leader: int) -> list[str]:
    """The command lines of the processes of a process group, as everybody can read them."""
    found = []
    for process in Path("/proc").glob("[0-9]*"):
        try:
            if os.getpgid(int(process.name)) == leader:
                found.append((process / "cmdline").read_bytes().replace(b"\0", b" ").decode())
        except (ProcessLookupError, FileNotFoundError):
            continue  # it has ended meanwhile
    return found
