"""A bot of another world: another process and environment, with stubs made fresh from the proto files."""

import asyncio
import os
import random
import subprocess
import sys
from pathlib import Path

import pytest

from artreferee.v1 import service_pb2
from clients.bots.random_bot import RandomBot
from clients.local import local_referee
from clients.sdk import Budget, RefereeClient, play_seat

ROOT = Path(__file__).parents[2]
PYTHON = Path(os.environ.get("PROTO_PYTHON", ROOT / ".venv-protos" / "bin" / "python"))


@pytest.fixture(scope="module")
def stubs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Python stubs that plain protoc makes of the proto files, outside the project."""
    if not PYTHON.exists() and not os.environ.get("CI"):
        pytest.skip("no environment with grpcio-tools: run `make protos` first")
    folder = tmp_path_factory.mktemp("stubs")
    files = sorted((ROOT / "protos" / "artreferee" / "v1").glob("*.proto"))
    outputs = (f"--python_out={folder}", f"--grpc_python_out={folder}")
    subprocess.run([PYTHON, "-m", "grpc_tools.protoc", "-I", ROOT / "protos", *outputs, *files], check=True)
    return folder


async def test_a_bot_that_knows_only_the_protos_plays_a_whole_match(stubs: Path, tmp_path: Path) -> None:
    """It joins an open seat, answers every prompt by index and is told its place."""
    async with local_referee(tmp_path / "data", tmp_path / "log") as address, RefereeClient(address) as client:
        mine = service_pb2.SeatRequest(principal_hash=client.principal.hash)
        creation = service_pb2.CreateMatchRequest(ruleset="classic_art", seats=[mine, service_pb2.SeatRequest()])
        match_id = (await client.create_match(creation)).match_id
        stranger = await asyncio.create_subprocess_exec(
            *(str(PYTHON), str(Path(__file__).with_name("stranger.py")), str(stubs), address, match_id),
            stdout=asyncio.subprocess.PIPE,
            env={"PATH": os.environ["PATH"]},
            cwd=tmp_path,
        )
        async with asyncio.timeout(60):
            match = await play_seat(client, match_id, 0, RandomBot(), Budget(), random.Random(1))
            output, _ = await stranger.communicate()
        assert stranger.returncode == 0
        assert int(output) == match.result.seats[1].rank
        record = await client.get_record(match_id)
        assert [entry.seat for entry in record.log if entry.HasField("join")] == [1]
        assert {entry.seat for entry in record.log if entry.HasField("move")} == {0, 1}
        assert sys.executable != str(PYTHON)
