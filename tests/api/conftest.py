"""What the tests of the service share."""

from collections.abc import AsyncIterator

import pytest

from tests.api.harness import Referee


@pytest.fixture
async def referee() -> AsyncIterator[Referee]:
    """A referee with an empty store."""
    async with Referee() as running:
        yield running


@pytest.fixture(scope="module")
async def shared(request: pytest.FixtureRequest) -> AsyncIterator[Referee]:
    """One referee for all tests of a module, each of which has a match of its own."""
    async with Referee() as running:
        yield running


@pytest.fixture
def name(request: pytest.FixtureRequest) -> str:
    """The name of the test, for a match of its own."""
    return str(request.node.nodeid)
