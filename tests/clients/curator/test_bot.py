"""`curator bot`, run as a user would: a process that plays, and ends with its match or when it is told."""

import asyncio
import os
import random
import signal
import sys
from pathlib import Path

from artreferee.v1 import match_pb2, service_pb2
from clients.bots.random_bot import RandomBot
from clients.local import local_referee
from clients.sdk import Budget, Principal, RefereeClient, play_seat

HEEDING = """
import os, signal, sys
signal.signal(signal.SIGINT, signal.SIG_DFL)  # whoever runs the tests may ignore it
os.execv(sys.executable, [sys.executable, *sys.argv[1:]])
"""
SECRETS = {"REFEREE_REDIS_URL": "redis://a-store-that-is-not-there:1"}


async def bot(*arguments: str) -> asyncio.subprocess.Process:
    return await asyncio.create_subprocess_exec(
        *(sys.executable, "-c", HEEDING, "-m", "clients.curator", "bot", *arguments),
        stdin=asyncio.subprocess.DEVNULL,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
        env={**os.environ, **SECRETS},
    )


async def created(client: RefereeClient, *others: service_pb2.SeatRequest) -> str:
    mine = service_pb2.SeatRequest(principal_hash=client.principal.hash)
    return (await client.create_match(service_pb2.CreateMatchRequest(ruleset="artsee", seats=[mine, *others]))).match_id


async def test_it_takes_an_open_seat_plays_and_ends_with_the_match(tmp_path: Path) -> None:
    async with local_referee(tmp_path / "data", tmp_path / "log") as address, RefereeClient(address) as client:
        match_id = await created(client, service_pb2.SeatRequest())
        process = await bot("mcts", "--iterations", "5", "--referee", address, "--match", match_id)
        async with asyncio.timeout(120):
            match = await play_seat(client, match_id, 0, RandomBot(), Budget(), random.Random(1))
            output, errors = await process.communicate()
        assert (process.returncode, errors) == (0, b"")
        places = ", ".join(str(seat.rank) for seat in match.result.seats)
        assert output.decode().splitlines() == [
            f"mcts has seat 1 of match {match_id}",
            f"it is over: the seats have the places {places}",
        ]


async def test_it_plays_whatever_its_principal_is_given_until_it_is_told_to_end(tmp_path: Path) -> None:
    """Two matches at once, over one stream; then Ctrl-C."""
    principal, token = Principal.new(), tmp_path / "token"
    token.write_text(principal.token)
    async with local_referee(tmp_path / "data", tmp_path / "log") as address, RefereeClient(address) as client:
        process = await bot("greedy", "--referee", address, "--token-file", str(token))
        seat = service_pb2.SeatRequest(principal_hash=principal.hash)
        matches = [await created(client, seat) for _ in range(2)]
        async with asyncio.timeout(120):
            played = await asyncio.gather(
                *(play_seat(client, each, 0, RandomBot(), Budget(), random.Random(1)) for each in matches)
            )
            process.send_signal(signal.SIGINT)
            output, errors = await process.communicate()
        assert [match.status for match in played] == [match_pb2.MATCH_STATUS_FINISHED] * 2
        assert (process.returncode, errors) == (0, b"")
        assert output.decode() == f"greedy plays as {principal.hash.hex()}\n"


async def test_a_bot_that_sees_its_environment_finds_no_store_there(tmp_path: Path) -> None:
    """Its process has the address of the referee and what any program needs."""
    file = tmp_path / "nosy.py"
    file.write_text(
        "import os\n\n\nclass Bot:\n    name, version = 'nosy', '1'\n\n"
        "    def choose(self, view, legal_moves, budget, rng):\n"
        f"        with open({str(tmp_path / 'seen')!r}, 'w') as seen:\n"
        "            seen.write(' '.join(os.environ))\n"
        "        return legal_moves[0]\n"
    )
    async with local_referee(tmp_path / "data", tmp_path / "log") as address, RefereeClient(address) as client:
        match_id = await created(client, service_pb2.SeatRequest())
        process = await bot(f"{file}:Bot", "--referee", address, "--match", match_id)
        async with asyncio.timeout(120):
            await play_seat(client, match_id, 0, RandomBot(), Budget(), random.Random(1))
            await process.communicate()
    seen = (tmp_path / "seen").read_text().split()
    assert "CURATOR_REFEREE" in seen
    assert not {*SECRETS, "CURATOR_TOKEN"} & set(seen)


async def test_what_is_no_bot_is_told_before_anything_is_asked_of_a_referee() -> None:
    process = await bot("grandmaster", "--referee", "127.0.0.1:1")
    _, errors = await process.communicate()
    assert process.returncode == 2
    assert "there is no bot 'grandmaster'" in errors.decode()


async def test_a_match_that_is_not_there_is_told_in_a_sentence(tmp_path: Path) -> None:
    async with local_referee(tmp_path / "data", tmp_path / "log") as address:
        process = await bot("random", "--referee", address, "--match", "a" * 26)
        _, errors = await process.communicate()
    assert process.returncode == 1
    assert errors.decode().startswith("Error: ")
    assert "Traceback" not in errors.decode()
