"""A referee for all tests, and a stage for each."""

from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import pytest

from clients.sdk import RefereeClient
from tests.clients.tournament.players.stage import Stage
from tests.servers import referee_process


@pytest.fixture(scope="session")
def referee(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address of a real referee."""
    folder = tmp_path_factory.mktemp("referee")
    with referee_process(folder / "log", "--data", str(folder / "data")) as process:
        yield process.address


@pytest.fixture
async def stage(referee: str, tmp_path: Path) -> AsyncIterator[Stage]:
    async with RefereeClient(referee) as client:
        yield Stage(referee, tmp_path, client)
