"""What compose.yaml runs, without containers: the same programs with the same files, each on an address of its own."""

import asyncio
import json
import random
import re
import shutil
import subprocess
from collections.abc import AsyncIterator, Iterator, Sequence
from contextlib import AsyncExitStack, asynccontextmanager, closing, contextmanager
from dataclasses import dataclass
from http import HTTPStatus
from http.client import HTTPConnection
from pathlib import Path
from typing import Any, Final
from urllib.parse import urlencode

import yaml

from tests.servers import START_S, RefereeProcess, debian_redis, eventually, required_program, running_program

DEPLOY: Final = Path(__file__).parents[2] / "deploy"
HAPROXY: Final = "/usr/sbin/haproxy"
PROMETHEUS: Final = "/usr/bin/prometheus"
_SCRAPED_EVERY: Final = "1s"


@dataclass(frozen=True)
class Topology:
    """All of it, running.

    Attributes:
        folder: what its programs write.
        balancer: where clients call.
        referees: behind the balancer.
        prometheus: where it answers queries.
    """

    folder: Path
    balancer: str
    referees: tuple[RefereeProcess, ...]
    prometheus: str

    @property
    def hosts(self) -> list[str]:
        """The addresses of the referees, without ports."""
        return [referee.address.partition(":")[0] for referee in self.referees]

    async def values(self, expression: str) -> list[float]:
        """What Prometheus answers to a query."""
        result = await asyncio.to_thread(_answer, self.prometheus, expression)
        return [float(sample["value"][1]) for sample in result]

    async def shows(self, expression: str, values: list[float]) -> bool:
        """Whether that is the answer."""
        return await self.values(expression) == values


def _answer(prometheus: str, expression: str) -> Any:
    with closing(HTTPConnection(prometheus)) as connection:
        connection.request("GET", f"/api/v1/query?{urlencode({'query': expression})}")
        response = connection.getresponse()
        body = response.read().decode()
    if response.status == HTTPStatus.SERVICE_UNAVAILABLE:
        raise ConnectionRefusedError(body)
    assert response.status == HTTPStatus.OK, body
    return json.loads(body)["data"]["result"]


def compose() -> dict[str, Any]:
    """The compose file, read."""
    content: dict[str, Any] = yaml.safe_load((DEPLOY / "compose.yaml").read_text())
    return content


def variables() -> set[str]:
    """The variables of the environment that set a referee."""
    return set(re.findall(r"`(REFEREE_\w+)`", (DEPLOY / "settings.md").read_text()))


@asynccontextmanager
async def topology(folder: Path) -> AsyncIterator[Topology]:
    """Runs it for a block; `folder` takes what the programs write."""
    redis, balancer, prometheus, *referees = (any_address() for _ in range(5))
    await asyncio.to_thread(subprocess.run, [DEPLOY / "make-secrets.sh", folder], check=True)
    async with AsyncExitStack() as stack:
        stack.enter_context(_prometheus(folder, prometheus, referees, balancer))  # takes the longest to look around
        stack.enter_context(running_redis(folder, redis))
        running = [_referee(folder, host, redis) for host in referees]
        for referee in running:
            stack.callback(referee.end)
            await asyncio.to_thread(referee.start)
        stack.enter_context(balancing(folder, balancer, referees))
        built = Topology(folder, f"{balancer}:50051", tuple(running), f"{prometheus}:9090")
        await eventually(lambda: _scraped(built), START_S)
        yield built


def any_address() -> str:
    """An address of this machine that nobody else has, so that the ports may be those of the containers."""
    return ".".join(("127", *(str(random.randint(1, 254)) for _ in range(3))))


async def _scraped(running: Topology) -> bool:
    """Whether Prometheus has seen all of it."""
    try:
        return await running.values("up") == [1, 1, 1]
    except ConnectionError:
        return False


@contextmanager
def running_redis(folder: Path, host: str) -> Iterator[None]:
    """Runs the store on an address; its files and its users are in `folder`."""
    words = ("--bind", host, "--dir", str(folder), "--aclfile", str(folder / "users.acl"))
    program, configuration = debian_redis(), str(DEPLOY / "redis" / "redis.conf")
    with running_program(folder / "redis.log", f"{host}:6379", program, configuration, *words):
        yield


def _referee(folder: Path, host: str, redis: str) -> RefereeProcess:
    settings = dict(compose()["services"]["referee-1"]["environment"])
    settings |= {
        "REFEREE_REDIS_URL": settings["REFEREE_REDIS_URL"].replace("@redis:", f"@{redis}:"),
        "REFEREE_REDIS_PASSWORD_FILE": str(folder / "referee-password"),
        "REFEREE_METRICS": settings["REFEREE_METRICS"].replace("0.0.0.0", host),  # noqa: S104 - what a container says
    }
    return RefereeProcess(folder / f"{host}.log", (), settings, f"{host}:50051")


@contextmanager
def balancing(folder: Path, host: str, referees: Sequence[str], **variables: str) -> Iterator[None]:
    """Runs a balancer of two referees, on an address."""
    program = required_program(HAPROXY, "haproxy")
    words = (program, "-f", str(DEPLOY / "haproxy" / "haproxy.cfg"))
    place = {"LISTEN": f"{host}:50051", "STATISTICS": f"{host}:8405"}
    behind = {f"REFEREE_{number}": referee for number, referee in enumerate(referees, 1)}
    with running_program(folder / "haproxy.log", place["LISTEN"], *words, **place, **behind, **variables):
        yield


@contextmanager
def _prometheus(folder: Path, host: str, referees: Sequence[str], balancer: str) -> Iterator[None]:
    program = required_program(PROMETHEUS, "prometheus")
    home = folder / "prometheus"
    shutil.copytree(DEPLOY / "prometheus", home)
    (home / "targets" / "referees.yml").write_text(json.dumps([{"targets": [f"{host}:9464" for host in referees]}]))
    (home / "targets" / "balancers.yml").write_text(json.dumps([{"targets": [f"{balancer}:8405"]}]))
    faster = re.sub(r"_interval: \w+", f"_interval: {_SCRAPED_EVERY}", (home / "prometheus.yml").read_text())
    (home / "prometheus.yml").write_text(faster)
    address, data = f"{host}:9090", home / "data"
    words = (f"--config.file={home / 'prometheus.yml'}", f"--storage.tsdb.path={data}")
    with running_program(folder / "prometheus.log", address, program, *words, f"--web.listen-address={address}"):
        yield
