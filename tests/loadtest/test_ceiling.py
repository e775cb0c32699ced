"""Ceilings are measured at a real referee, and counted there."""

import asyncio
import shutil
from collections.abc import Iterator
from dataclasses import replace

import pytest

from loadtest.ceiling import CONNECTIONS, STREAMS, Sample, by_h2load, moves, read_of, repeated, summary
from loadtest.topology import Service, service

CALLS = CONNECTIONS * STREAMS


@pytest.fixture
def running() -> Iterator[Service]:
    """A referee on a store."""
    with service(1, False, fsync="no") as one:
        yield one


def positive(sample: Sample) -> bool:
    """Whether everything took some time."""
    return min(sample.calls_s, sample.p50_ms, sample.p99_ms, sample.server_us, sample.generator_us) > 0


async def test_prepared_moves_are_counted_at_the_referee(running: Service) -> None:
    assert positive(await moves(running, 2))
    assert running.moves() == {"unary": CALLS * 2}


async def test_reads_are_made_again_and_again(running: Service) -> None:
    """And whoever hears something else than the match stops."""
    target = await read_of(running)
    assert positive(await repeated(target, CALLS * 2))
    with pytest.raises(RuntimeError, match="GetMatch was answered by UNAUTHENTICATED"):
        await repeated(replace(target, token=""), CALLS)


async def test_h2load_makes_the_same_calls(running: Service) -> None:
    """It takes errors for answers; their size tells."""
    if shutil.which("h2load") is None:
        pytest.skip("there is no h2load: install nghttp2-client")
    target = await read_of(running)
    assert positive(await asyncio.to_thread(by_h2load, target, CALLS * 2))
    with pytest.raises(RuntimeError, match="answers are missing"):
        await asyncio.to_thread(by_h2load, replace(target, token="short"), CALLS)  # noqa: S106 - is none


def test_a_sample_is_what_its_calls_took() -> None:
    """100 calls of 1 to 100 ms in 2 s, with 1 ms of the server's time."""
    sample = Sample.of([ms / 1e3 for ms in range(100, 0, -1)], 2.0, 0.001, 0.002)
    assert (sample.calls_s, sample.server_us, sample.generator_us) == (50, 10, 20)
    assert (round(sample.p50_ms), round(sample.p99_ms)) == (51, 100)
    assert (
        summary({"reads": [sample, replace(sample, calls_s=70), replace(sample, calls_s=60)]})["reads"]["calls_s"] == 60
    )
